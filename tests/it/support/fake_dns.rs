//! A fake resolver: the addresses of each name, at the first lookup and later.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use reviews_service::websub::http_client::{Failure, Resolver};

/// Names and their addresses. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct FakeDns(Arc<Mutex<Names>>);

#[derive(Debug, Default)]
struct Names {
    entries: HashMap<String, Vec<IpAddr>>,
    asked: Vec<String>,
}

impl FakeDns {
    /// Makes `name` resolve to these addresses; `*.x` is every name one below x that has no entry.
    pub fn set(&self, name: &str, addresses: &[&str]) {
        let addresses = addresses.iter().map(|address| address.parse().unwrap());
        let mut names = self.0.lock().unwrap();
        names.entries.insert(name.to_owned(), addresses.collect());
    }

    /// The names that were looked up, in order.
    pub fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().asked.clone()
    }
}

impl Resolver for FakeDns {
    fn resolve(&self, name: String) -> BoxFuture<'static, Result<Vec<IpAddr>, Failure>> {
        let mut names = self.0.lock().unwrap();
        names.asked.push(name.clone());
        let below = name.split_once('.').map(|(_, rest)| format!("*.{rest}"));
        let entry = names.entries.get(&name);
        let entry = entry.or_else(|| names.entries.get(&below?));
        let found = entry.cloned().ok_or(Failure::Unreachable);
        Box::pin(std::future::ready(found))
    }
}
