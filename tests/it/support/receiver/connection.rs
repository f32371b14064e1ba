//! One connection of the receiver: reads requests and sends the configured replies.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::super::reply::Reply;
use super::{Manner, Received, Shared};

pub(super) async fn serve(
    mut stream: TcpStream,
    acceptor: &TlsAcceptor,
    manner: Manner,
    shared: &Shared,
) -> io::Result<()> {
    match manner {
        Manner::PlainText => {
            stream
                .write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
                .await?;
            return wait_for_close(&mut stream).await;
        }
        Manner::Silent => return wait_for_close(&mut stream).await,
        Manner::Deaf => {
            let _stream = acceptor.accept(stream).await?;
            return std::future::pending().await;
        }
        Manner::Https | Manner::Untrusted | Manner::OtherName => {}
    }
    let mut stream = acceptor.accept(stream).await?;
    let mut read = Vec::new();
    while let Some(request) = request(&mut stream, &mut read).await? {
        let scripted = shared.script.lock().unwrap().pop_front();
        let reply = scripted.unwrap_or_else(|| shared.default.lock().unwrap().clone());
        let challenge = request.parameters("hub.challenge").concat();
        shared
            .requests
            .send_modify(|requests| requests.push(request));
        if !answer(&mut stream, reply, &challenge).await? {
            stream.shutdown().await?;
            return Ok(());
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
    assert_eq!(
        received.field("transfer-encoding"),
        "",
        "the length is told ahead"
    );
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
    match reply {
        Reply::Answer(status, fields, body) => {
            let fields: String = fields
                .iter()
                .flat_map(|(name, value)| [name.as_str(), ": ", value.as_str(), "\r\n"])
                .collect();
            // These have neither a body nor a length (RFC 9112 §6.3).
            let length = if status == 204 {
                String::new()
            } else {
                format!("content-length: {}\r\n", body.len())
            };
            let head = format!("HTTP/1.1 {status} X\r\n{fields}{length}\r\n");
            stream.write_all(&[head.as_bytes(), &body].concat()).await?;
        }
        Reply::Challenge => {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{challenge}",
                challenge.len()
            );
            stream.write_all(head.as_bytes()).await?;
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
        Reply::Never => wait_for_close(stream).await?,
        Reply::Drip => {
            send_slowly(
                stream,
                b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n",
            )
            .await?;
        }
        Reply::DripHead => send_slowly(stream, b"HTTP/1.1 200 OK\r\nx: ").await?,
        Reply::Endless => {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
                .await?;
            repeat(stream, &[b"1000\r\n", &[b'x'; 4_096][..], b"\r\n"].concat()).await?;
        }
        Reply::Interim => repeat(stream, b"HTTP/1.1 100 Continue\r\n\r\n").await?,
        Reply::Fields(count) => {
            let fields: String = (0..count)
                .flat_map(|number| ["x-".to_owned(), number.to_string(), ": y\r\n".to_owned()])
                .collect();
            stream
                .write_all(
                    format!("HTTP/1.1 200 OK\r\n{fields}content-length: 0\r\n\r\n").as_bytes(),
                )
                .await?;
        }
        Reply::LongField(bytes) => {
            let value = "y".repeat(bytes);
            stream
                .write_all(
                    format!("HTTP/1.1 200 OK\r\nx: {value}\r\ncontent-length: 0\r\n\r\n")
                        .as_bytes(),
                )
                .await?;
        }
        Reply::Garbage => {
            stream
                .write_all(b"\x00\x01\x02 this is no HTTP\r\n\r\n")
                .await?;
        }
        Reply::Close => return Ok(false),
        Reply::CloseInBody => {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
                .await?;
            return Ok(false);
        }
    }
    stream.flush().await?;
    Ok(true)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the delay is real because the test is about a deadline"
)]
async fn send_slowly(stream: &mut TlsStream<TcpStream>, first: &[u8]) -> io::Result<()> {
    stream.write_all(first).await?;
    let mut drops = tokio::time::interval(Duration::from_millis(5));
    loop {
        drops.tick().await;
        stream.write_all(b"x").await?;
        stream.flush().await?;
    }
}

async fn repeat(stream: &mut TlsStream<TcpStream>, bytes: &[u8]) -> io::Result<()> {
    loop {
        stream.write_all(bytes).await?;
    }
}
