//! A fake resolver: the addresses of each name, at the first lookup and later.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use reviews_service::websub::http_client::{Failure, Resolver};

/// Names and their addresses. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct FakeDns(Arc<Mutex<Pages>>);

#[derive(Debug, Default)]
struct Pages {
    entries: HashMap<String, Result<Vec<IpAddr>, Failure>>,
    suffixes: Vec<(String, Vec<IpAddr>)>,
    asked: Vec<String>,
    broken: Vec<String>,
}

impl FakeDns {
    /// Makes `name` resolve to these addresses; `*.x` is every name below x that has no entry.
    pub fn set(&self, name: &str, addresses: &[&str]) {
        let addresses: Vec<IpAddr> = addresses
            .iter()
            .map(|address| address.parse().unwrap())
            .collect();
        let mut pages = self.0.lock().unwrap();
        match name.strip_prefix('*') {
            Some(suffix) => pages.suffixes.push((suffix.to_owned(), addresses)),
            None => drop(pages.entries.insert(name.to_owned(), Ok(addresses))),
        }
    }

    /// Makes lookups of `name` fail.
    pub fn fail(&self, name: &str) {
        self.0
            .lock()
            .unwrap()
            .entries
            .insert(name.to_owned(), Err(Failure::ResolverDown));
    }

    /// Makes lookups of `name` panic until [`FakeDns::stop_panics`].
    pub fn panic_at(&self, name: &str) {
        self.0.lock().unwrap().broken.push(name.to_owned());
    }

    /// Ends all panics.
    pub fn stop_panics(&self) {
        self.0.lock().unwrap().broken.clear();
    }

    /// The names that were looked up, in order.
    pub fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().asked.clone()
    }

    fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, Failure> {
        let mut pages = self.0.lock().unwrap();
        pages.asked.push(name.to_owned());
        let below = || {
            pages
                .suffixes
                .iter()
                .find(|(suffix, _)| name.ends_with(suffix))
                .map(|(_, addresses)| addresses.clone())
        };
        match pages.entries.get(name) {
            Some(entry) => entry.clone(),
            None => below().ok_or(Failure::NameUnknown),
        }
    }
}

impl Resolver for FakeDns {
    fn resolve(&self, name: String) -> BoxFuture<'static, Result<Vec<IpAddr>, Failure>> {
        let found = self.look_up(&name);
        let is_broken = self.0.lock().unwrap().broken.contains(&name);
        assert!(!is_broken, "a bug of ours");
        Box::pin(std::future::ready(found))
    }
}
