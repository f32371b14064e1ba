//! Failed requests, classified by fault: failures of the receiver count against its subscription, failures of our own
//! network do not.

use std::error::Error as StdError;
use std::io;

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
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        /// No connection in time: the packets may have been lost anywhere.
        ConnectTimedOut = "connect_timed_out",
        /// Connected, but no complete response in time.
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

impl StdError for Failure {}

impl Failure {
    pub const fn blame(self) -> Blame {
        match self {
            Self::NetworkDown | Self::Unsendable => Blame::Ours,
            Self::ResolverDown | Self::HostUnreachable | Self::ConnectTimedOut => Blame::Unclear,
            Self::Url
            | Self::Refused
            | Self::NameUnknown
            | Self::Connect
            | Self::Tls
            | Self::TimedOut
            | Self::Closed
            | Self::Protocol
            | Self::TooLong => Blame::Theirs,
        }
    }

    /// The reason and what to do, as the end of a sentence about the callback.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Url => "its URL cannot be called",
            Self::Refused => {
                "its name leads to an address that is not public; use a public one, or allow its network in \
                 REVIEWS_HUB_ALLOW_CALLBACK_NETS"
            }
            Self::NameUnknown => "its name has no address; check its DNS records",
            Self::ResolverDown => {
                "its name could not be looked up; check the resolver of this machine and the name servers of the domain"
            }
            Self::Connect => {
                "nothing accepts connections there; check that the receiver runs and its port is open"
            }
            Self::NetworkDown => "this machine has no route or no free socket; check its network",
            Self::HostUnreachable => "there is no route to its host",
            Self::ConnectTimedOut => "it accepted no connection within 5 s; check its firewall",
            Self::TimedOut => "it did not answer within 10 s",
            Self::Tls => {
                "its certificate is not trusted or is for another name; use one of a public authority, or add its root to \
                 REVIEWS_HUB_CA_FILE"
            }
            Self::Closed => "it closed the connection before its answer was complete",
            Self::Protocol => "its answer is not HTTP/1.1",
            Self::TooLong => {
                "its answer is too long; answer with the value of hub.challenge and nothing else"
            }
            Self::Unsendable => "the request could not be made; report it",
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
            io::ErrorKind::TimedOut => Self::ConnectTimedOut,
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
        if let Some(reason) = find::<rustls::Error>(&error) {
            // The callback's owner needs the exact reason: expired, another name, an unknown root.
            tracing::info!(%reason, "websub.tls_failed: a callback's certificate or TLS version was not accepted");
            return Self::Tls;
        }
        // Its clients have no other timeout than that of connecting.
        if error.is_timeout() {
            return Self::ConnectTimedOut;
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

/// Whether the connection ended without an end of the response, and not by a reset.
pub fn is_end_of_stream(error: &reqwest::Error) -> bool {
    find::<io::Error>(error).is_some_and(|cause| cause.kind() == io::ErrorKind::UnexpectedEof)
}

fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    causes(error).find_map(|cause| cause.downcast_ref::<E>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_network_failures_are_ours_and_lost_packets_unclear() {
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
                "connect_timed_out",
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
