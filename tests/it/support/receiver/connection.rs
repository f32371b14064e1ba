//! One connection of the receiver: reads requests and sends the configured replies.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::super::reply::Reply;
use super::{Manner, Received, Shared};

const OK: &str = "HTTP/1.1 200 OK\r\n";

pub(super) async fn serve(
    mut stream: TcpStream,
    acceptor: &TlsAcceptor,
    manner: Manner,
    shared: &Shared,
) -> io::Result<()> {
    match manner {
        Manner::PlainText => {
            let refusal = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(refusal).await?;
            return wait_for_close(&mut stream).await;
        }
        Manner::Silent => return wait_for_close(&mut stream).await,
        Manner::Https | Manner::Untrusted | Manner::OtherName => {}
    }
    let mut stream = acceptor.accept(stream).await?;
    let mut read = Vec::new();
    while let Some(request) = request(&mut stream, &mut read).await? {
        let scripted = shared.script.lock().unwrap().pop_front();
        let reply = scripted.unwrap_or_else(|| shared.default.lock().unwrap().clone());
        let challenge = request.parameters("hub.challenge").concat();
        let requests = &shared.requests;
        requests.send_modify(|requests| requests.push(request));
        if !answer(&mut stream, reply, &challenge).await? {
            return stream.shutdown().await;
        }
    }
    Ok(())
}

/// Returns once the other side has closed the connection.
async fn wait_for_close(stream: &mut (impl AsyncReadExt + Unpin)) -> io::Result<()> {
    let mut rest = [0; 4_096];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

async fn request(
    stream: &mut TlsStream<TcpStream>,
    read: &mut Vec<u8>,
) -> io::Result<Option<Received>> {
    let end = loop {
        if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8(read[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let [method, target, "HTTP/1.1"] = first[..] else {
        panic!("{first:?}")
    };
    let fields: Vec<(String, String)> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let (method, target) = (method.to_owned(), target.to_owned());
    let mut received = Received {
        method,
        target,
        fields,
        body: Vec::new(),
    };
    // Its length is stated.
    assert_eq!(received.field("transfer-encoding"), "");
    let length: usize = received.field("content-length").parse().unwrap_or(0);
    while read.len() < end + 4 + length {
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
    let rest = read.split_off(end + 4 + length);
    received.body = std::mem::replace(read, rest).split_off(end + 4);
    Ok(Some(received))
}

/// Whether the connection can be used again.
async fn answer(
    stream: &mut TlsStream<TcpStream>,
    reply: Reply,
    challenge: &str,
) -> io::Result<bool> {
    let bytes = match reply {
        Reply::Answer(status, fields, body) => {
            let mut head = format!("HTTP/1.1 {status} X\r\n");
            for (name, value) in fields {
                head += &format!("{name}: {value}\r\n");
            }
            // These have neither a body nor a length (RFC 9112 §6.3).
            if status != 204 {
                head += &format!("content-length: {}\r\n", body.len());
            }
            [head.as_bytes(), b"\r\n", &body].concat()
        }
        Reply::Challenge => {
            let length = challenge.len();
            format!("{OK}content-length: {length}\r\n\r\n{challenge}").into()
        }
        Reply::UntilClosed {
            characters,
            has_close_notify,
        } => {
            let answer = format!("HTTP/1.0 200 OK\r\n\r\n{}", &challenge[..characters]);
            stream.write_all(answer.as_bytes()).await?;
            stream.flush().await?;
            if !has_close_notify {
                stream.get_mut().0.shutdown().await?;
            }
            return Ok(false);
        }
        Reply::Never => {
            wait_for_close(stream).await?;
            return Ok(true);
        }
        Reply::DripHead => return send_slowly(stream, &format!("{OK}x: ")).await,
        Reply::Endless => {
            let head = format!("{OK}transfer-encoding: chunked\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            let chunk = format!("1000\r\n{}\r\n", "x".repeat(4_096));
            loop {
                stream.write_all(chunk.as_bytes()).await?;
            }
        }
        Reply::Close => return Ok(false),
    };
    stream.write_all(&bytes).await?;
    stream.flush().await?;
    Ok(true)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the delay is real because the test is about a deadline"
)]
async fn send_slowly(stream: &mut TlsStream<TcpStream>, first: &str) -> io::Result<bool> {
    stream.write_all(first.as_bytes()).await?;
    let mut drops = tokio::time::interval(Duration::from_millis(5));
    loop {
        drops.tick().await;
        stream.write_all(b"x").await?;
        stream.flush().await?;
    }
}
