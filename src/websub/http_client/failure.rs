//! Failed requests, classified by fault: failures of the receiver count against its subscription, failures of our own
//! network do not.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;

use super::policy::Refused;
use crate::model::named;

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

named! {
    /// Its name is stable, for the log and metrics.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
    #[error("{}", self.name())]
    pub enum Failure {
        /// The URL cannot be called.
        Url = "url",
        /// Not permitted by the policy; nothing was sent.
        Refused = "refused",
        /// The name has no address.
        NameUnknown = "name_unknown",
        /// The name could not be looked up.
        ResolverDown = "resolver_down",
        /// No connection, although there is a route.
        Connect = "connect",
        /// No route, no address or no socket on this machine.
        NetworkDown = "network_down",
        /// A router or this machine reports the host unreachable.
        HostUnreachable = "host_unreachable",
        /// Certificate, name or version.
        Tls = "tls",
        TimedOut = "timed_out",
        /// Closed before the response was complete.
        Closed = "closed",
        /// Not an HTTP response, or too large a head.
        Protocol = "protocol",
        /// The response is longer than the caller's limit.
        TooLong = "too_long",
        /// The request could not be built; a bug of ours.
        Unsendable = "unsendable",
    }
}

impl Failure {
    pub const fn blame(self) -> Blame {
        match self {
            Self::NetworkDown | Self::Unsendable => Blame::Ours,
            Self::ResolverDown | Self::HostUnreachable | Self::TimedOut => Blame::Unclear,
            Self::Url
            | Self::Refused
            | Self::NameUnknown
            | Self::Connect
            | Self::Tls
            | Self::Closed
            | Self::Protocol
            | Self::TooLong => Blame::Theirs,
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the standard library adds kinds; what is unknown is no fault of ours"
    )]
    fn of_io(kind: io::ErrorKind, code: Option<i32>) -> Self {
        if code.is_some_and(|code| NO_DESCRIPTORS.contains(&code)) {
            return Self::NetworkDown;
        }
        match kind {
            // Reported by a router for the host, and by this machine for a silent neighbour.
            io::ErrorKind::HostUnreachable => Self::HostUnreachable,
            io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::AddrInUse
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::OutOfMemory => Self::NetworkDown,
            io::ErrorKind::TimedOut => Self::TimedOut,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::NotConnected
            | io::ErrorKind::WriteZero => Self::Closed,
            _ => Self::Connect,
        }
    }
}

impl From<reqwest::Error> for Failure {
    /// Its layers wrap one another, so all causes are searched.
    fn from(error: reqwest::Error) -> Self {
        if let Some(failure) = find::<Self>(&error) {
            return *failure;
        }
        if find::<rustls::Error>(&error).is_some() {
            return Self::Tls;
        }
        if error.is_timeout() {
            return Self::TimedOut;
        }
        if find::<hyper::Error>(&error).is_some_and(hyper::Error::is_parse) {
            return Self::Protocol;
        }
        match find::<io::Error>(&error) {
            Some(reason) => Self::of_io(reason.kind(), reason.raw_os_error()),
            None if error.is_connect() => Self::Connect,
            None if error.is_builder() => Self::Unsendable,
            None => Self::Closed,
        }
    }
}

impl From<Refused> for Failure {
    fn from(_: Refused) -> Self {
        Self::Refused
    }
}

/// An error and its causes. An [`io::Error`] reports the source of what it wraps as its source, so it is unwrapped
/// first.
pub fn causes<'a>(
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
            let failure = Failure::of_io(kind, code);
            assert_eq!((failure.name(), failure.blame()), (name, blame), "{kind}");
        }
    }

    #[test]
    fn a_cause_is_found_behind_every_wrapper() {
        let inner = io::Error::other(Failure::Refused);
        let outer = io::Error::other(io::Error::other(inner));
        assert_eq!(find::<Failure>(&outer), Some(&Failure::Refused));
        assert!(find::<rustls::Error>(&outer).is_none());
    }
}
