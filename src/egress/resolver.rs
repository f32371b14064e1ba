//! Who turns names into addresses. Apart, so that a test can make a name resolve to a mixture, or
//! differently each time; what an address is worth is not decided here.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use dns_lookup::LookupErrorKind;
use futures_util::future::BoxFuture;
use thiserror::Error;
use tokio::sync::Semaphore;

/// `ENFILE` and `EMFILE` (on every Unix): no file and no socket can be opened.
pub(super) const NO_DESCRIPTORS: [i32; 2] = [23, 24];
/// A lookup in the C library can not be interrupted and holds a thread: so many at once. The
/// runtime has 512 for all.
const LOOKUPS_MAX: usize = 64;
/// Less than a dial may take, so that a silent resolver is told from a silent receiver.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(4);

/// Turns a host name into addresses; nothing else in the service does.
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of `name`, in the order in which they should be tried.
    ///
    /// # Errors
    /// Where it has none, or nobody can be asked.
    fn resolve(&self, name: String) -> BoxFuture<'static, Result<Vec<IpAddr>, ResolveError>>;
}

/// Why a name has no addresses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ResolveError {
    /// The name does not exist, or has no address.
    #[error("the name has no address")]
    Unknown,
    /// No answer could be had: our resolver's fault, or the network's before it.
    #[error("the resolver gives no answer ({0})")]
    Unavailable(String),
    /// Nobody could be asked: this process, or this machine, has no file descriptor left.
    #[error("no file descriptor is left to look the name up with")]
    NoDescriptors,
}

/// The machine's own resolver (`getaddrinfo`): what `/etc/hosts` and `/etc/resolv.conf` say holds.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    turns: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(LOOKUPS_MAX)),
        }
    }
}

impl Resolver for SystemResolver {
    fn resolve(&self, name: String) -> BoxFuture<'static, Result<Vec<IpAddr>, ResolveError>> {
        let turns = Arc::clone(&self.turns);
        Box::pin(async move {
            let lookup = async move {
                let turn = turns.acquire_owned().await.map_err(unavailable)?;
                let lookup = move || {
                    // Kept until the thread is free again, even where nobody waits any longer.
                    let _turn = turn;
                    let found = dns_lookup::lookup_host(&name).map(Iterator::collect::<Vec<_>>);
                    found.map_err(|error| fault(error.kind(), error, is_out_of_descriptors))
                };
                tokio::task::spawn_blocking(lookup)
                    .await
                    .map_err(unavailable)?
            };
            tokio::time::timeout(LOOKUP_TIMEOUT, lookup)
                .await
                .map_err(unavailable)?
        })
    }
}

fn unavailable(error: impl std::fmt::Display) -> ResolveError {
    ResolveError::Unavailable(error.to_string())
}

/// Whether a file cannot be opened at this moment for want of descriptors. `getaddrinfo` says only
/// that it failed.
fn is_out_of_descriptors() -> bool {
    let opened = std::fs::File::open("/dev/null");
    opened.is_err_and(|error| {
        error
            .raw_os_error()
            .is_some_and(|code| NO_DESCRIPTORS.contains(&code))
    })
}

/// POSIX `getaddrinfo`: `EAI_NONAME` (and the older `EAI_NODATA`) is an answer; all others say that
/// there was none.
fn fault(
    kind: LookupErrorKind,
    error: impl std::fmt::Debug,
    is_out_of_descriptors: impl FnOnce() -> bool,
) -> ResolveError {
    match kind {
        // Without a descriptor not even the file of hosts is read, and no answer means nothing.
        _ if is_out_of_descriptors() => ResolveError::NoDescriptors,
        LookupErrorKind::NoName | LookupErrorKind::NoData => ResolveError::Unknown,
        LookupErrorKind::Again
        | LookupErrorKind::Badflags
        | LookupErrorKind::Fail
        | LookupErrorKind::Family
        | LookupErrorKind::Socktype
        | LookupErrorKind::Service
        | LookupErrorKind::Memory
        | LookupErrorKind::System
        | LookupErrorKind::Unknown
        | LookupErrorKind::IO => ResolveError::Unavailable(format!("{error:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_machine_knows_where_it_is() {
        let addresses = SystemResolver::default()
            .resolve("localhost".to_owned())
            .await
            .unwrap();
        assert!(
            !addresses.is_empty() && addresses.iter().all(IpAddr::is_loopback),
            "{addresses:?}"
        );
    }

    #[tokio::test]
    async fn a_name_that_can_not_be_has_no_address() {
        let fault = SystemResolver::default()
            .resolve("no\0name".to_owned())
            .await
            .unwrap_err();
        assert!(
            matches!(fault, ResolveError::Unknown | ResolveError::Unavailable(_)),
            "{fault}"
        );
    }

    #[test]
    fn no_answer_is_told_from_the_answer_that_there_is_none() {
        for (kind, expected) in [
            (LookupErrorKind::NoName, ResolveError::Unknown),
            (LookupErrorKind::NoData, ResolveError::Unknown),
            (LookupErrorKind::Again, unavailable("\"x\"")),
            (LookupErrorKind::Fail, unavailable("\"x\"")),
            (LookupErrorKind::System, unavailable("\"x\"")),
        ] {
            assert_eq!(fault(kind, "x", || false), expected, "{kind:?}");
            assert_eq!(
                fault(kind, "x", || true),
                ResolveError::NoDescriptors,
                "{kind:?}"
            );
        }
    }
}
