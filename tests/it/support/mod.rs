//! What tests stand on: the real service on a real file, a clock that only they move, and the real `sqlite3`.

mod answer;
mod app;
mod generator;
mod sqlite;

pub use answer::Answer;
pub use app::TestApp;
pub use generator::Generator;
pub use sqlite::sqlite3;
