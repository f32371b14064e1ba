//! Test support: the real service on a real file, a clock that only tests advance, and a foreign writer.

mod answer;
mod app;
mod authority;
mod cluster;
mod fake_dns;
mod generator;
mod hub;
mod logs;
pub mod publication;
mod quiet;
mod receiver;
mod reply;
mod sample;
mod site;
mod sqlite;
mod surfaces;
mod tools;

pub use answer::Answer;
pub use app::{BASE, HOST, TestApp, create_database, links, service_on, start, store};
pub use authority::{ca_pem, config_of, server_config};
pub use fake_dns::FakeDns;
pub use generator::{Generator, TECHNICIANS, published, review_with_text};
pub use hub::{closed_hub, opened_hub};
pub use logs::Logs;
pub use quiet::Quiet;
pub use receiver::{Manner, Received, Receiver};
pub use reply::Reply;
pub use sample::with_sample;
pub use site::{Site, SiteAnswer, SiteRequest};
pub use sqlite::{connect, contents, refused, rows, sqlite3, wait_for_rows};
pub use surfaces::{INSIGHTS_PARTS, check_in_step, publications};
pub use tools::{array_of, assert_has, forbid_other_members, form, rounds, str_of, table};
