//! The hub as tests have it: callbacks on this machine are allowed, and everything random is repeatable.

use std::sync::Arc;

use clap::Parser;
use reviews_service::app::HubOptions;
use reviews_service::config::HubConfig;
use reviews_service::egress::{Roots, SystemNames};
use reviews_service::random::Random;

use super::authority::ca_pem;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    hub: HubConfig,
}

/// The default settings, but that callbacks may be on this machine.
pub fn hub_options() -> HubOptions {
    let line = Line::parse_from(["reviews", "--hub-allow-callback-nets", "127.0.0.0/8,::1/128"]);
    HubOptions {
        config: line.hub,
        roots: Roots::load(Some(ca_pem().as_bytes())).unwrap(),
        names: Arc::new(SystemNames::default()),
        random: Random::seeded(1),
        has_timer: true,
    }
}
