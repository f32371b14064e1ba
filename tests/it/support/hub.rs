//! The hub's options in tests: local callbacks are allowed.

use std::sync::Arc;

use clap::Parser;
use reviews_service::app::HubOptions;
use reviews_service::config::{HubConfig, SyncConfig};
use reviews_service::websub::http_client::{Resolver, Roots, SystemResolver};

use super::authority::ca_pem;
use super::fake_dns::FakeDns;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    hub: HubConfig,
}

/// The networks of the tests' callbacks.
const OPENED: [&str; 2] = ["--hub-allow-callback-nets", "127.0.0.0/8,::1/128"];

/// The default settings, but callbacks on this machine are allowed.
pub fn hub_options() -> HubOptions {
    options(&OPENED, Arc::new(SystemResolver))
}

/// The same with these flags and this resolver.
pub fn opened_hub(flags: &[&str], fake_dns: FakeDns) -> HubOptions {
    options(&[&OPENED, flags].concat(), Arc::new(fake_dns))
}

/// With these flags and this resolver, without allowed networks.
pub fn closed_hub(flags: &[&str], fake_dns: FakeDns) -> HubOptions {
    options(flags, Arc::new(fake_dns))
}

fn options(flags: &[&str], resolver: Arc<dyn Resolver>) -> HubOptions {
    let line = Line::parse_from([&["reviews"], flags].concat());
    HubOptions {
        config: line.hub,
        roots: Roots::load(Some(ca_pem().as_bytes())).unwrap(),
        resolver,
        sync: SyncConfig::default(),
    }
}
