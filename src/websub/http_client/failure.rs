//! What can become of a request besides an answer, told apart by whose fault it is: the receiver's
//! failures count against its subscription, those of our own network must not.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;

use super::callback::CallbackFault;
use super::policy::Refused;
use super::vetting::{NO_DESCRIPTORS, ResolveError, VetError};

/// Whose failure it is that a request has no answer.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// Nothing left this machine, by no fault of the receiver.
    Ours,
    /// Nobody answered: it may be their end or ours. Ours, if nothing else is reached either.
    Unclear,
    /// The receiver's, or that of who named it.
    Theirs,
}

/// How many causes of an error are looked at.
const CAUSES_MAX: usize = 16;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// The URL is none that we call.
    #[error("the URL cannot be called: {0}")]
    Url(CallbackFault),
    /// It leads where callbacks may not; nothing was sent.
    #[error("not called: {0}")]
    Refused(Refused),
    /// The name does not exist or has no address.
    #[error("the name has no address")]
    NameUnknown,
    /// Our resolver does not answer.
    #[error("the name could not be looked up: {0}")]
    ResolverDown(String),
    /// No connection could be made, though the way there seems to be open.
    #[error("no connection: {0}")]
    Connect(String),
    /// There is no way from here: no route, no address, no socket.
    #[error("no route to the network: {0}")]
    NetworkDown(String),
    /// Somebody on the way, or our own side, says that the host cannot be reached.
    #[error("the host cannot be reached: {0}")]
    HostUnreachable(String),
    /// No TLS session came about: certificate, name, version.
    #[error("no TLS session: {0}")]
    Tls(String),
    /// It took longer than it may.
    #[error("timed out")]
    TimedOut,
    /// The connection was closed before the answer was complete.
    #[error("the connection was closed: {0}")]
    Closed(String),
    /// What came is no HTTP answer, or a larger head than we read.
    #[error("no HTTP answer: {0}")]
    Protocol(String),
    /// The answer is longer than was asked for.
    #[error("the answer has more than {bytes_max} bytes")]
    TooLong {
        /// How much would have been read.
        bytes_max: usize,
    },
    /// The request could not even be made. A fault of ours.
    #[error("the request could not be made: {0}")]
    Unsendable(String),
}

impl Failure {
    /// Its stable name, for the log and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Url(_) => "url",
            Self::Refused(_) => "refused",
            Self::NameUnknown => "name_unknown",
            Self::ResolverDown(_) => "resolver_down",
            Self::Connect(_) => "connect",
            Self::NetworkDown(_) => "network_down",
            Self::HostUnreachable(_) => "host_unreachable",
            Self::Tls(_) => "tls",
            Self::TimedOut => "timed_out",
            Self::Closed(_) => "closed",
            Self::Protocol(_) => "protocol",
            Self::TooLong { .. } => "too_long",
            Self::Unsendable(_) => "unsendable",
        }
    }

    /// Whose failure it is.
    pub const fn blame(&self) -> Blame {
        match self {
            Self::NetworkDown(_) | Self::Unsendable(_) => Blame::Ours,
            Self::ResolverDown(_) | Self::HostUnreachable(_) | Self::TimedOut => Blame::Unclear,
            Self::Url(_)
            | Self::Refused(_)
            | Self::NameUnknown
            | Self::Connect(_)
            | Self::Tls(_)
            | Self::Closed(_)
            | Self::Protocol(_)
            | Self::TooLong { .. } => Blame::Theirs,
        }
    }

    /// What an error of the client means. Its layers wrap one another, so the causes are searched
    /// for the telling one.
    pub(super) fn of(error: &reqwest::Error) -> Self {
        let root = causes(error)
            .last()
            .map(ToString::to_string)
            .unwrap_or_default();
        if let Some(reason) = find::<VetError>(error) {
            return reason.clone().into();
        }
        if let Some(reason) = find::<rustls::Error>(error) {
            return Self::Tls(reason.to_string());
        }
        if error.is_timeout() {
            return Self::TimedOut;
        }
        if let Some(reason) = find::<hyper::Error>(error)
            && reason.is_parse()
        {
            return Self::Protocol(root);
        }
        match find::<io::Error>(error) {
            Some(reason) => Self::of_io(reason.kind(), reason.raw_os_error(), root),
            None if error.is_connect() => Self::Connect(root),
            None if error.is_builder() => Self::Unsendable(root),
            None => Self::Closed(root),
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the standard library adds kinds; what is unknown is no fault of ours"
    )]
    fn of_io(kind: io::ErrorKind, code: Option<i32>, said: String) -> Self {
        if code.is_some_and(|code| NO_DESCRIPTORS.contains(&code)) {
            return Self::NetworkDown(said);
        }
        match kind {
            // What a router on the way says of the host, and what this machine says of a neighbour
            // that is silent.
            io::ErrorKind::HostUnreachable => Self::HostUnreachable(said),
            io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::AddrInUse
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::OutOfMemory => Self::NetworkDown(said),
            io::ErrorKind::TimedOut => Self::TimedOut,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::NotConnected
            | io::ErrorKind::WriteZero => Self::Closed(said),
            _ => Self::Connect(said),
        }
    }
}

impl From<VetError> for Failure {
    fn from(reason: VetError) -> Self {
        match reason {
            VetError::Refused(refused) => Self::Refused(refused),
            VetError::Unresolved(ResolveError::Unknown) => Self::NameUnknown,
            VetError::Unresolved(ResolveError::Unavailable(said)) => Self::ResolverDown(said),
            VetError::Unresolved(ResolveError::NoDescriptors) => {
                Self::NetworkDown(ResolveError::NoDescriptors.to_string())
            }
        }
    }
}

impl From<CallbackFault> for Failure {
    fn from(fault: CallbackFault) -> Self {
        match fault {
            CallbackFault::Refused(refused) => Self::Refused(refused),
            fault @ (CallbackFault::TooLong { .. }
            | CallbackFault::Character(_)
            | CallbackFault::NotHttps
            | CallbackFault::Userinfo
            | CallbackFault::Fragment
            | CallbackFault::Host(_)
            | CallbackFault::TrailingDot
            | CallbackFault::Respelt(_)) => Self::Url(fault),
        }
    }
}

/// An error and what caused it. An [`io::Error`] names as its source the source of what it wraps,
/// so that is unwrapped first.
fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| cause(*error)).take(CAUSES_MAX)
}

fn cause<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    match error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    causes(error).find_map(|cause| cause.downcast_ref::<E>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_our_own_side_does_is_our_fault_from_the_first_minute() {
        let of = |kind, code| Failure::of_io(kind, code, String::new());
        for (kind, code, name, blame) in [
            (
                io::ErrorKind::NetworkUnreachable,
                Some(101),
                "network_down",
                Blame::Ours,
            ),
            (
                io::ErrorKind::NetworkDown,
                Some(100),
                "network_down",
                Blame::Ours,
            ),
            (
                io::ErrorKind::AddrNotAvailable,
                Some(99),
                "network_down",
                Blame::Ours,
            ),
            (
                io::ErrorKind::PermissionDenied,
                Some(1),
                "network_down",
                Blame::Ours,
            ),
            (io::ErrorKind::Other, Some(23), "network_down", Blame::Ours),
            (io::ErrorKind::Other, Some(24), "network_down", Blame::Ours),
            (
                io::ErrorKind::HostUnreachable,
                Some(113),
                "host_unreachable",
                Blame::Unclear,
            ),
            (
                io::ErrorKind::TimedOut,
                Some(110),
                "timed_out",
                Blame::Unclear,
            ),
            (
                io::ErrorKind::ConnectionRefused,
                Some(111),
                "connect",
                Blame::Theirs,
            ),
            (
                io::ErrorKind::ConnectionReset,
                Some(104),
                "closed",
                Blame::Theirs,
            ),
            (io::ErrorKind::UnexpectedEof, None, "closed", Blame::Theirs),
        ] {
            let failure = of(kind, code);
            assert_eq!((failure.name(), failure.blame()), (name, blame), "{kind}");
        }
        assert_eq!(
            Failure::from(VetError::Unresolved(ResolveError::NoDescriptors)).blame(),
            Blame::Ours
        );
    }

    #[test]
    fn a_cause_is_found_behind_every_wrapper() {
        let inner = io::Error::other(VetError::Refused(Refused::Port { port: 25 }));
        let outer = io::Error::other(io::Error::other(inner));
        assert_eq!(
            find::<VetError>(&outer),
            Some(&VetError::Refused(Refused::Port { port: 25 }))
        );
        assert!(find::<rustls::Error>(&outer).is_none());
    }
}
