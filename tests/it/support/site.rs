//! A platform's API on a loopback address: plain HTTP on a real socket, with answers that a test decides on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

/// A request to the site.
#[derive(Debug, Clone)]
pub struct SiteRequest {
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The form of a POST.
    pub body: String,
}

impl SiteRequest {
    pub fn header(&self, name: &str) -> &str {
        let mut headers = self.headers.iter();
        let found = headers.find(|(other, _)| other == name);
        found.map_or("", |(_, value)| value)
    }
}

/// Status, header lines and body.
pub struct SiteAnswer(pub u16, pub Vec<String>, pub Vec<u8>);

impl SiteAnswer {
    /// A body of this media type; none is stated if it is empty.
    pub fn of(kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let kind = Some(kind).filter(|kind| !kind.is_empty());
        let kind = kind.map(|kind| format!("Content-Type: {kind}"));
        Self(200, kind.into_iter().collect(), body.into())
    }

    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::of("application/json", body)
    }

    pub fn csv(body: impl Into<Vec<u8>>) -> Self {
        Self::of("text/csv", body)
    }

    pub fn value(body: &Value) -> Self {
        Self::json(body.to_string())
    }

    pub fn status(status: u16) -> Self {
        Self(status, Vec::new(), Vec::new())
    }

    pub fn redirect(location: &str) -> Self {
        Self::status(307).with(&format!("Location: {location}"))
    }

    pub fn with(mut self, header: &str) -> Self {
        self.1.push(header.to_owned());
        self
    }
}

type Answers = Box<dyn FnMut(&SiteRequest) -> SiteAnswer + Send>;

/// The site; it stops on drop.
pub struct Site {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<SiteRequest>>>,
    answers: Arc<Mutex<Answers>>,
    is_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// A site that answers every request so.
    #[expect(clippy::disallowed_methods, reason = "joined when the site is dropped")]
    pub fn start(answers: impl FnMut(&SiteRequest) -> SiteAnswer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<SiteRequest>>>::default();
        let answers: Arc<Mutex<Answers>> = Arc::new(Mutex::new(Box::new(answers)));
        let is_ended = Arc::<AtomicBool>::default();
        let shared = (requests.clone(), answers.clone(), is_ended.clone());
        let serve_all = move || {
            for stream in listener.incoming() {
                if shared.2.load(Ordering::SeqCst) {
                    return;
                }
                // A client that was killed breaks its connection.
                let _ = stream.and_then(|stream| serve(&stream, &shared.0, &shared.1));
            }
        };
        Self {
            address,
            requests,
            answers,
            is_ended,
            thread: Some(std::thread::spawn(serve_all)),
        }
    }

    pub fn answer(&self, answers: impl FnMut(&SiteRequest) -> SiteAnswer + Send + 'static) {
        *self.answers.lock().unwrap() = Box::new(answers);
    }

    pub fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        self.url("")
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<SiteRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// Forgets and returns the targets of the requests so far.
    pub fn take_targets(&self) -> Vec<String> {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        requests.into_iter().map(|request| request.target).collect()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.is_ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    mut stream: &TcpStream,
    requests: &Mutex<Vec<SiteRequest>>,
    answers: &Mutex<Answers>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut headers = Vec::new();
    for line in Read::by_ref(&mut reader).lines() {
        let line = line?;
        let Some((name, value)) = line.split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut request = SiteRequest {
        target,
        headers,
        body: String::new(),
    };
    let length = request.header("content-length").parse().unwrap_or(0);
    reader.take(length).read_to_string(&mut request.body)?;
    let SiteAnswer(status, headers, body) = (answers.lock().unwrap())(&request);
    requests.lock().unwrap().push(request);
    let headers = headers.iter().map(|header| format!("{header}\r\n"));
    let headers: String = headers.collect();
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}
