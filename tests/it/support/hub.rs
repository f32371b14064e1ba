//! The hub as tests have it: callbacks on this machine are allowed, and everything random is
//! repeatable.

use std::sync::Arc;

use clap::Parser;
use reviews_service::app::HubOptions;
use reviews_service::config::HubConfig;
use reviews_service::random::Random;
use reviews_service::websub::http_client::{Resolver, Roots, SystemResolver};

use super::authority::ca_pem;
use super::book::Book;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    hub: HubConfig,
}

/// The nets that tests' callbacks are in.
const OPENED: [&str; 2] = ["--hub-allow-callback-nets", "127.0.0.0/8,::1/128"];

/// The default settings, but that callbacks may be on this machine.
pub fn hub_options() -> HubOptions {
    hub_options_of(&OPENED, Arc::new(SystemResolver::default()))
}

/// The hub with these flags, and names that resolve so.
pub fn hub_options_of(flags: &[&str], resolver: Arc<dyn Resolver>) -> HubOptions {
    let line = Line::parse_from([&["reviews"], flags].concat());
    HubOptions {
        config: line.hub,
        roots: Roots::load(Some(ca_pem().as_bytes())).unwrap(),
        resolver,
        random: Random::seeded(1),
        has_timer: true,
    }
}

/// How a service's hub is made, anew at every start.
#[derive(Clone)]
pub struct MakeHub(Arc<dyn Fn() -> HubOptions + Send + Sync>);

impl MakeHub {
    /// As [`hub_options`] has it.
    pub fn default_options() -> Self {
        Self(Arc::new(hub_options))
    }

    /// With these flags besides the opened nets, and names from this book.
    pub fn opened(flags: &'static [&'static str], book: Book) -> Self {
        Self(Arc::new(move || {
            hub_options_of(&[&OPENED, flags].concat(), Arc::new(book.clone()))
        }))
    }

    /// With these flags, no opened nets, and names from this book.
    pub fn closed(flags: &'static [&'static str], book: Book) -> Self {
        Self(Arc::new(move || {
            hub_options_of(flags, Arc::new(book.clone()))
        }))
    }

    /// The same, but nothing wakes the worker except what wakes it from outside.
    pub fn without_timer(self) -> Self {
        Self(Arc::new(move || HubOptions {
            has_timer: false,
            ..(self.0)()
        }))
    }

    /// The options of one start.
    pub fn options(&self) -> HubOptions {
        (self.0)()
    }
}
