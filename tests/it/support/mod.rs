//! What tests stand on: the real service on a real file, a clock that only they move, and the real `sqlite3`.

mod answer;
mod app;
mod authority;
mod book;
mod generator;
mod receiver;
mod sqlite;

pub use answer::Answer;
pub use app::TestApp;
pub use authority::ca_pem;
pub use book::Book;
pub use generator::Generator;
pub use receiver::{Manner, Receiver, Reply};
pub use sqlite::sqlite3;
