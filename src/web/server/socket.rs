//! The socket as hyper sees it: enforces the deadlines, and replaces hyper's own error responses.
//!
//! hyper answers a head that it cannot parse with a status and no body. That response is not sent: its status is noted
//! here, and after hyper returns, the connection's task sends a problem instead. Deadlines are checked only when hyper
//! has to wait for the system.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use hyper_util::rt::TokioTimer;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Limits of one server, in total and per client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of open connections; further ones get a 503. Default 768: below the usual 1,024 file descriptors,
    /// so that some are left for the database and outgoing requests; `reviews serve` raises it if the process may open
    /// more.
    pub connections_max: usize,
    /// Maximum number of connections of one peer (an IPv4 address or an IPv6 /64); a /48 may have four times as many.
    /// Default 64, many times the number that a browser opens.
    pub connections_per_peer_max: usize,
    /// Timeout for the rest of a request's head after its first byte, and for the first byte after connecting. Default
    /// 10 s.
    pub headers_timeout: Duration,
    /// Timeout for the next byte after a response, also if the next request's head has begun before it. Default 75 s.
    pub keep_alive_timeout: Duration,
    /// Timeout for reading a request's body. After it, reading fails with an error whose source is an [`std::io::Error`] of
    /// kind `TimedOut`. Default 30 s.
    pub body_timeout: Duration,
    /// Maximum bytes of a request's head: request line and header fields. Default 32 KiB.
    pub head_bytes_max: usize,
    /// Minimum rate at which a client must receive a response, in bytes per second. Default 16 KiB/s.
    pub write_bytes_per_second_min: u32,
    /// The maximum delay of a client against that rate; a client that receives nothing is cut off after this time.
    /// Default 30 s.
    pub write_slack: Duration,
    /// Timeout for a whole response, from the first write that had to wait for the client. Default 30 min.
    pub response_timeout: Duration,
    /// Timeout for requests in flight when shutdown begins. Default 10 s.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 768,
            connections_per_peer_max: 64,
            headers_timeout: Duration::from_secs(10),
            keep_alive_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(30),
            head_bytes_max: 32 * 1024,
            write_bytes_per_second_min: 16 * 1024,
            write_slack: Duration::from_secs(30),
            response_timeout: Duration::from_mins(30),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Bytes that a connection writes before it yields to the others of its thread: about 50 µs. hyper writes for as long as
/// the system accepts bytes, and a reader on the same machine accepts all.
const BURST_BYTES_MAX: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overdue {
    Sending,
    Taking,
}

pub(super) struct Socket {
    pub(super) stream: TcpStream,
    cycle: Arc<Cycle>,
    limits: Limits,
    timer: DeadlineTimer,
    /// The deadline for receiving bytes, and the phase that it is for.
    read_by: Option<(Phase, Instant)>,
    /// Set when a response has to wait for the client; cleared when the response is sent.
    pace: Option<Pace>,
    /// The status with which hyper rejected a request.
    pub(super) rejected: Option<u16>,
    /// Bytes written since the connection's task last left its thread to others.
    burst_bytes: usize,
    pub(super) overdue: Option<Overdue>,
    /// The client has closed its side.
    pub(super) is_ended: bool,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, cycle: Arc<Cycle>, limits: Limits) -> Self {
        let timer = DeadlineTimer::default();
        Self {
            stream,
            cycle,
            limits,
            timer,
            read_by: None,
            pace: None,
            rejected: None,
            burst_bytes: 0,
            overdue: None,
            is_ended: false,
        }
    }

    fn note_read(&mut self, read: &[u8]) {
        match self.cycle.phase() {
            _ if read.is_empty() => self.is_ended = true,
            Phase::New | Phase::Idle => self.cycle.enter(Phase::Head),
            Phase::Head | Phase::Answering | Phase::Answered => {}
        }
    }

    fn is_read_overdue(&mut self, context: &mut Context<'_>) -> bool {
        let phase = self.cycle.phase();
        let read_by = match self.read_by {
            Some((since, at)) if since == phase => at,
            _ => {
                let allowed = match phase {
                    Phase::New | Phase::Head => self.limits.headers_timeout,
                    Phase::Idle => self.limits.keep_alive_timeout,
                    Phase::Answering | Phase::Answered => self.limits.body_timeout,
                };
                let at = DeadlineTimer::now() + allowed;
                self.read_by = Some((phase, at));
                at
            }
        };
        self.timer.poll_passed(context, read_by)
    }

    /// Whether to yield to other tasks of the thread first; if so, this one is woken afterwards.
    fn must_yield(&mut self, context: &Context<'_>) -> bool {
        let must = self.burst_bytes >= BURST_BYTES_MAX;
        if must {
            self.burst_bytes = 0;
            context.waker().wake_by_ref();
        }
        must
    }

    /// Checks the result `attempt` of a write against the pace.
    fn note_write(
        &mut self,
        context: &mut Context<'_>,
        attempt: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match attempt {
            Poll::Ready(Ok(bytes)) => {
                self.burst_bytes += bytes;
                if let Some(pace) = &mut self.pace {
                    let now = DeadlineTimer::now();
                    pace.resume(now);
                    pace.earn(bytes, now, &self.limits);
                }
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                self.burst_bytes = 0;
                let now = DeadlineTimer::now();
                let pace = self
                    .pace
                    .get_or_insert_with(|| Pace::start(now, &self.limits));
                pace.resume(now);
                let deadline = pace.deadline();
                if self.timer.poll_passed(context, deadline) {
                    self.overdue = Some(Overdue::Taking);
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
        }
        attempt
    }

    /// Whether `head` is hyper's own error response; if so, notes its status.
    fn is_rejection(&mut self, head: &[u8]) -> bool {
        if !self.cycle.phase().is_reading() {
            return false;
        }
        // `HTTP/1.1 431 …` (RFC 9112 §4). hyper writes such a head in one piece.
        let status = head
            .get(9..12)
            .and_then(|digits| str::from_utf8(digits).ok())
            .and_then(|digits| digits.parse().ok());
        self.rejected = self.rejected.or(status).or(Some(400));
        true
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                this.note_read(&buffer.filled()[before..]);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending if this.is_read_overdue(context) => {
                this.overdue = Some(Overdue::Sending);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => {
                // Between two requests, hyper has nothing left to write and waits.
                if this.cycle.phase().is_reading() {
                    this.burst_bytes = 0;
                }
                Poll::Pending
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.is_rejection(parts.first().map_or(&[], |part| part)) {
            return Poll::Ready(Ok(parts.iter().map(|part| part.len()).sum()));
        }
        if this.must_yield(context) {
            return Poll::Pending;
        }
        let mut bytes = 0;
        let first = parts.iter().take_while(|part| {
            let is_room = bytes < BURST_BYTES_MAX;
            bytes += part.len();
            is_room
        });
        let parts = &parts[..first.count()];
        let attempt = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.note_write(context, attempt)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes only when it has nothing left to write.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.stream).poll_flush(context))?;
        if this.cycle.phase() == Phase::Answered {
            this.cycle.enter(Phase::Idle);
            this.read_by = None;
            this.pace = None;
        } else if let Some(pace) = &mut this.pace {
            pace.pause(DeadlineTimer::now());
        }
        Poll::Ready(Ok(()))
    }

    /// After a rejection the connection stays open, because the problem is still to be sent.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.rejected.is_some() {
            Poll::Ready(Ok(()))
        } else {
            Pin::new(&mut this.stream).poll_shutdown(context)
        }
    }
}

// The phase between two requests, which the socket's side and the handler's side of hyper share. Both run in the
// connection's task, so the memory ordering does not matter.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// Connected; no bytes received.
    New,
    /// A response has been sent completely, and nothing was received since. hyper may have read the beginning of the next
    /// head before that.
    Idle,
    Head,
    /// The handler has the request, or its response is being sent.
    Answering,
    /// hyper has the whole response, but may not have written all of it.
    Answered,
}

impl Phase {
    /// Whether no request is being handled. In these phases hyper writes only its own error responses.
    pub(super) const fn is_reading(self) -> bool {
        match self {
            Self::New | Self::Idle | Self::Head => true,
            Self::Answering | Self::Answered => false,
        }
    }
}

/// The phase of one connection, shared within its task.
#[derive(Debug)]
pub(super) struct Cycle {
    phase: AtomicU8,
}

impl Cycle {
    pub(super) const fn new() -> Self {
        Self {
            phase: AtomicU8::new(Phase::New as u8),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        const IN_ORDER: [Phase; 5] = [
            Phase::New,
            Phase::Idle,
            Phase::Head,
            Phase::Answering,
            Phase::Answered,
        ];
        IN_ORDER[usize::from(self.phase.load(Ordering::Relaxed))]
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Relaxed);
    }
}

// The maximum time for which the server waits for a socket: the minimum rate of a reader, and one timer for all
// deadlines of a connection.

/// The deadline by which a client must have received more of a response.
///
/// Each byte that the socket accepts moves the deadline by the time it takes at the minimum rate, up to the slack from
/// now. So a steady reader above the rate is never cut, however coarsely the system reports progress, and one that
/// stops is cut after the slack, however fast it was before.
#[derive(Debug, Clone, Copy)]
struct Pace {
    due_by: Instant,
    /// The deadline of the whole response.
    end_at: Instant,
    /// The time since which there has been nothing to write; it does not count against the client.
    paused_at: Option<Instant>,
}

impl Pace {
    fn start(now: Instant, limits: &Limits) -> Self {
        Self {
            due_by: now + limits.write_slack,
            end_at: now + limits.response_timeout,
            paused_at: None,
        }
    }

    fn deadline(self) -> Instant {
        self.due_by.min(self.end_at)
    }

    fn earn(&mut self, bytes: usize, now: Instant, limits: &Limits) {
        let rate = u64::from(limits.write_bytes_per_second_min.max(1));
        let nanoseconds = (bytes as u64).saturating_mul(1_000_000_000) / rate;
        self.due_by =
            (self.due_by + Duration::from_nanos(nanoseconds)).min(now + limits.write_slack);
    }

    fn pause(&mut self, now: Instant) {
        self.paused_at.get_or_insert(now);
    }

    fn resume(&mut self, now: Instant) {
        if let Some(paused_at) = self.paused_at.take() {
            self.due_by += now.saturating_duration_since(paused_at);
        }
    }
}

/// One timer for all deadlines of a connection.
///
/// It is reset only for an earlier deadline. For a later one it fires early and is set again, so a busy connection
/// touches the runtime's timers rarely instead of once per request.
#[derive(Default)]
struct DeadlineTimer(Option<(Instant, Pin<Box<dyn Sleep>>)>);

impl DeadlineTimer {
    fn now() -> Instant {
        TokioTimer::new().now()
    }

    /// Whether `deadline` has passed; if not, the task is woken then or earlier.
    fn poll_passed(&mut self, context: &mut Context<'_>, deadline: Instant) -> bool {
        let timer = TokioTimer::new();
        let (rings_at, sleep) = self
            .0
            .get_or_insert_with(|| (deadline, timer.sleep_until(deadline)));
        if *rings_at > deadline {
            *rings_at = deadline;
            timer.reset(sleep, deadline);
        }
        loop {
            match sleep.as_mut().poll(context) {
                Poll::Pending => return false,
                Poll::Ready(()) if *rings_at >= deadline => return true,
                Poll::Ready(()) => {
                    *rings_at = deadline;
                    timer.reset(sleep, deadline);
                }
            }
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "any instant will do, and only the system makes one"
)]
mod pace_tests {
    use super::*;

    const LIMITS: fn() -> Limits = || Limits {
        write_bytes_per_second_min: 1_000,
        write_slack: Duration::from_secs(10),
        response_timeout: Duration::from_secs(100),
        ..Limits::default()
    };

    fn seconds_left(pace: Pace, from: Instant) -> u64 {
        pace.deadline().duration_since(from).as_secs()
    }

    #[test]
    fn a_reader_that_takes_nothing_has_the_slack() {
        let now = Instant::now();
        assert_eq!(seconds_left(Pace::start(now, &LIMITS()), now), 10);
    }

    #[test]
    fn bytes_put_the_deadline_off_by_what_they_cost() {
        let start = Instant::now();
        let mut pace = Pace::start(start, &LIMITS());
        pace.earn(2_000, start + Duration::from_secs(5), &LIMITS());
        assert_eq!(seconds_left(pace, start), 12);
    }

    #[test]
    fn a_fast_start_buys_no_more_than_the_slack() {
        let start = Instant::now();
        let mut pace = Pace::start(start, &LIMITS());
        pace.earn(50_000_000, start + Duration::from_secs(5), &LIMITS());
        assert_eq!(seconds_left(pace, start), 15);
    }

    #[test]
    fn time_without_anything_to_write_is_not_the_readers() {
        let start = Instant::now();
        let mut pace = Pace::start(start, &LIMITS());
        pace.pause(start + Duration::from_secs(2));
        pace.pause(start + Duration::from_secs(6));
        pace.resume(start + Duration::from_secs(9));
        assert_eq!(seconds_left(pace, start), 17);
    }

    #[test]
    fn no_rate_outlasts_the_time_of_the_whole_response() {
        let start = Instant::now();
        let mut pace = Pace::start(start, &LIMITS());
        for second in 0..200 {
            pace.earn(2_000, start + Duration::from_secs(second), &LIMITS());
        }
        assert_eq!(seconds_left(pace, start), 100);
    }
}

#[cfg(test)]
mod burst_tests {
    use std::future::poll_fn;
    use std::io::Read;

    use super::*;

    #[tokio::test]
    async fn a_long_answer_lets_the_others_have_their_turn_after_each_burst() {
        static PART: [u8; 96 * 1024] = [b'x'; 96 * 1024];
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap());
        let stream = stream.await.unwrap();
        let reader = tokio::task::spawn_blocking(move || {
            let (mut stream, mut bytes) = (listener.accept().unwrap().0, Vec::new());
            stream.read_to_end(&mut bytes).unwrap();
            bytes.len()
        });
        let cycle = Arc::new(Cycle::new());
        cycle.enter(Phase::Answering);
        let mut socket = Socket::new(stream, cycle, Limits::default());
        let (mut written, mut most) = (0, 0);
        poll_fn(|context| {
            let before = written;
            loop {
                let parts = [IoSlice::new(&PART); 8];
                match Pin::new(&mut socket).poll_write_vectored(context, &parts) {
                    Poll::Ready(bytes) => written += bytes.unwrap(),
                    Poll::Pending => break,
                }
            }
            most = most.max(written - before);
            if written > 1 << 23 {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        drop(socket);
        assert_eq!(reader.await.unwrap(), written);
        assert!(most < BURST_BYTES_MAX + 2 * PART.len(), "{most} at a time");
    }
}
