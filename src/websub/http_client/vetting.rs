//! Resolves a name and checks every address before it is connected to.
//!
//! A client calls it for every connection, so a name with new addresses is checked again. Only the returned addresses
//! are connected to, so they cannot change after the check.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use dns_lookup::LookupErrorKind;
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::Semaphore;

use super::callback::{Target, permitted};
use super::failure::{Failure, NO_DESCRIPTORS, ResolveError};
use super::policy::Policy;

/// Further addresses of a name are checked but not tried.
const ADDRESSES_TRIED_MAX: usize = 8;

/// Returns permitted addresses only. One address that is not permitted rejects a name: the caller cannot choose the
/// address that is connected to, and a name with both public and internal addresses is an attack or a mistake.
pub(super) async fn vet(
    target: &Target,
    policy: &Policy,
    resolver: &dyn Resolver,
) -> Result<Vec<IpAddr>, Failure> {
    if let Some(known) = &target.addresses {
        return Ok(permitted(known, target.port, policy)?);
    }
    let addresses = resolver.resolve(target.host.clone()).await?;
    if addresses.is_empty() {
        return Err(Failure::NameUnknown);
    }
    let mut vetted: Vec<IpAddr> = Vec::with_capacity(addresses.len().min(ADDRESSES_TRIED_MAX));
    for address in addresses {
        policy.permits(address, target.port)?;
        let address = address.to_canonical();
        if vetted.len() < ADDRESSES_TRIED_MAX && !vetted.contains(&address) {
            vetted.push(address);
        }
    }
    Ok(vetted)
}

/// The resolver of a client for one host: checks for every connection.
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

/// The resolver of a client for one request, whose addresses are already checked.
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

// Name resolution. A trait, so that a test can return any addresses, or different ones each time; it checks nothing.

/// Maximum number of concurrent lookups. A lookup in the C library cannot be interrupted and blocks one of the
/// runtime's 512 threads.
const LOOKUPS_MAX: usize = 64;
/// Less than the connect timeout, so that a silent resolver is distinguished from a silent receiver.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(4);

/// The only source of addresses for host names.
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of `name`, in the order in which to try them.
    ///
    /// # Errors
    /// If it has none, or the lookup fails.
    fn resolve(&self, name: String) -> BoxFuture<'static, Result<Vec<IpAddr>, ResolveError>>;
}

/// `getaddrinfo`, so `/etc/hosts` and `/etc/resolv.conf` apply.
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
                    // Held until the thread is free, even if the caller has timed out.
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

/// Whether opening a file fails for lack of descriptors. `getaddrinfo` reports only that it failed.
fn is_out_of_descriptors() -> bool {
    let opened = std::fs::File::open("/dev/null");
    opened.is_err_and(|error| {
        error
            .raw_os_error()
            .is_some_and(|code| NO_DESCRIPTORS.contains(&code))
    })
}

/// POSIX `getaddrinfo`: `EAI_NONAME` (and the older `EAI_NODATA`) is an answer; all others mean that there was none.
fn fault(
    kind: LookupErrorKind,
    error: impl std::fmt::Debug,
    is_out_of_descriptors: impl FnOnce() -> bool,
) -> ResolveError {
    // Without a descriptor `/etc/hosts` cannot be read, so the result means nothing.
    if is_out_of_descriptors() {
        ResolveError::NoDescriptors
    } else if matches!(kind, LookupErrorKind::NoName | LookupErrorKind::NoData) {
        ResolveError::Unknown
    } else {
        ResolveError::Unavailable(format!("{error:?}"))
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
