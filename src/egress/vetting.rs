//! What stands between a URL and a socket: resolves, judges every address, and hands out only what
//! was judged.
//!
//! A client asks it on every dial, so a name that has moved since the last one is judged anew; what
//! it hands out is what is dialled, so nothing can move in between.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

use super::callback::{Host, Target, permitted};
use super::policy::{Policy, Refused};
use super::resolver::{ResolveError, Resolver};

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
