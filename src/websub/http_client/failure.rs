//! Failed requests, classified by fault: failures of the receiver count against its subscription, failures of our own
//! network do not.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;

use super::callback::CallbackFault;
use super::policy::Refused;

#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// Nothing left this machine, through no fault of the receiver.
    Ours,
    /// No response: either side may be at fault. It counts as ours if nothing else is reachable.
    Unclear,
    /// The fault of the receiver or of the callback's URL.
    Theirs,
}

/// `ENFILE` and `EMFILE` (on every Unix): no file and no socket can be opened.
pub(super) const NO_DESCRIPTORS: [i32; 2] = [23, 24];
/// Maximum number of an error's causes that are examined.
const CAUSES_MAX: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    #[error("the URL cannot be called: {0}")]
    Url(CallbackFault),
    /// Not permitted by the policy; nothing was sent.
    #[error("not called: {0}")]
    Refused(#[from] Refused),
    #[error("the name has no address")]
    NameUnknown,
    #[error("the name could not be looked up: {0}")]
    ResolverDown(String),
    /// No connection, although there is a route.
    #[error("no connection: {0}")]
    Connect(String),
    /// No route, no address or no socket on this machine.
    #[error("no route to the network: {0}")]
    NetworkDown(String),
    /// A router or this machine reports the host unreachable.
    #[error("the host cannot be reached: {0}")]
    HostUnreachable(String),
    /// Certificate, name or version.
    #[error("no TLS session: {0}")]
    Tls(String),
    #[error("timed out")]
    TimedOut,
    /// Closed before the response was complete.
    #[error("the connection was closed: {0}")]
    Closed(String),
    /// Not an HTTP response, or too large a head.
    #[error("no HTTP answer: {0}")]
    Protocol(String),
    #[error("the answer has more than {bytes_max} bytes")]
    TooLong {
        /// The caller's limit.
        bytes_max: usize,
    },
    /// The request could not be built; a bug of ours.
    #[error("the request could not be made: {0}")]
    Unsendable(String),
}

impl Failure {
    /// Stable, for the log and metrics.
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

    /// Classifies a client's error. Its layers wrap one another, so all causes are searched.
    pub(super) fn of(error: &reqwest::Error) -> Self {
        let root = causes(error)
            .last()
            .map(ToString::to_string)
            .unwrap_or_default();
        if let Some(failure) = find::<Self>(error) {
            return failure.clone();
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
            // Reported by a router for the host, and by this machine for a silent neighbour.
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

/// The reason for a name without addresses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ResolveError {
    #[error("the name has no address")]
    Unknown,
    /// The resolver or the network to it failed.
    #[error("the resolver does not answer ({0})")]
    Unavailable(String),
    /// This process or machine has no file descriptor left.
    #[error("no file descriptor is left to look the name up with")]
    NoDescriptors,
}

impl From<ResolveError> for Failure {
    fn from(reason: ResolveError) -> Self {
        match reason {
            ResolveError::Unknown => Self::NameUnknown,
            ResolveError::Unavailable(said) => Self::ResolverDown(said),
            ResolveError::NoDescriptors => Self::NetworkDown(reason.to_string()),
        }
    }
}

impl From<CallbackFault> for Failure {
    fn from(fault: CallbackFault) -> Self {
        if let CallbackFault::Refused(refused) = fault {
            Self::Refused(refused)
        } else {
            Self::Url(fault)
        }
    }
}

/// An error and its causes. An [`io::Error`] reports the source of what it wraps as its source, so it is unwrapped
/// first.
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
            Failure::from(ResolveError::NoDescriptors).blame(),
            Blame::Ours
        );
    }

    #[test]
    fn a_cause_is_found_behind_every_wrapper() {
        let inner = io::Error::other(Failure::Refused(Refused::Port { port: 25 }));
        let outer = io::Error::other(io::Error::other(inner));
        assert_eq!(
            find::<Failure>(&outer),
            Some(&Failure::Refused(Refused::Port { port: 25 }))
        );
        assert!(find::<rustls::Error>(&outer).is_none());
    }
}
