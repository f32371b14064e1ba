//! What stands between a URL and a socket: resolves, judges every address, and hands out only what
//! was judged.
//!
//! A client asks it on every dial, so a name that has moved since the last one is judged anew; what
//! it hands out is what is dialled, so nothing can move in between.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use dns_lookup::LookupErrorKind;
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;
use tokio::sync::Semaphore;

use super::callback::{Host, Target, permitted};
use super::policy::{Policy, Refused};

/// More addresses of one name are judged, but not tried.
const ADDRESSES_TRIED_MAX: usize = 8;

/// Why nothing was dialled.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum VetError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Unresolved(#[from] ResolveError),
}

/// The addresses of `target`, every one of them permitted.
pub(super) async fn vet(
    target: &Target,
    policy: &Policy,
    resolver: &dyn Resolver,
) -> Result<Vec<IpAddr>, VetError> {
    if let Some(known) = target.known_addresses() {
        return Ok(permitted(&known, target.port, policy)?);
    }
    match &target.host {
        // Their addresses are known.
        Host::Literal(_) | Host::Local(_) => Ok(Vec::new()),
        Host::Name(name) => vet_name(name, target.port, policy, resolver).await,
    }
}

/// One address that is not permitted spoils the name: which of them would be dialled is not ours to
/// choose, and whoever mixes inside and outside means harm or is mistaken.
async fn vet_name(
    name: &str,
    port: u16,
    policy: &Policy,
    resolver: &dyn Resolver,
) -> Result<Vec<IpAddr>, VetError> {
    let addresses = resolver.resolve(name.to_owned()).await?;
    if addresses.is_empty() {
        return Err(ResolveError::Unknown.into());
    }
    let mut vetted: Vec<IpAddr> = Vec::with_capacity(addresses.len().min(ADDRESSES_TRIED_MAX));
    for address in addresses {
        policy.permits(address, port)?;
        let address = address.to_canonical();
        if vetted.len() < ADDRESSES_TRIED_MAX && !vetted.contains(&address) {
            vetted.push(address);
        }
    }
    Ok(vetted)
}

/// The resolver of a client that talks to one host only: judges at every dial.
pub(super) struct VettingResolver {
    pub(super) target: Target,
    pub(super) policy: Arc<Policy>,
    pub(super) resolver: Arc<dyn Resolver>,
}

impl Resolve for VettingResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let (target, policy, resolver) = (
            self.target.clone(),
            Arc::clone(&self.policy),
            Arc::clone(&self.resolver),
        );
        Box::pin(async move {
            let addresses = vet(&target, &policy, &*resolver).await?;
            Ok(with_port(addresses, target.port))
        })
    }
}

/// The resolver of a client for one request, whose addresses were judged before.
pub(super) struct PinnedResolver {
    pub(super) addresses: Vec<IpAddr>,
    pub(super) port: u16,
}

impl Resolve for PinnedResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses = with_port(self.addresses.clone(), self.port);
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

fn with_port(addresses: Vec<IpAddr>, port: u16) -> Addrs {
    Box::new(
        addresses
            .into_iter()
            .map(move |address| SocketAddr::new(address, port)),
    )
}

// Who turns names into addresses. Apart, so that a test can make a name resolve to a mixture, or
// differently each time; what an address is worth is not decided here.

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
    #[error("the resolver does not answer ({0})")]
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
