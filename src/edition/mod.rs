//! The edition: everything that is published, printed once per change and read by everybody through one pointer.
//!
//! SQLite holds the truth; whenever it changes, the [`Press`] prints an [`Edition`]. Nothing above this room reads reviews
//! from the database, and nothing in it knows HTTP.

mod atom;
mod backlog;
pub mod block;
mod coding;
mod column;
mod current;
mod document;
pub mod entry;
mod feed;
pub mod gzip;
mod insights;
mod positions;
mod postings;
mod press;
pub mod print;
mod publication;
mod sheet;
mod shelf;
mod stock;
mod store;

pub use backlog::Backlog;
pub use coding::Coding;
pub use current::{Current, Edition, Printed};
pub use document::Document;
pub use positions::Positions;
pub use postings::{Posting, Postings};
pub use press::{Press, PressError};
pub use print::Content;
pub use publication::Publication;
pub use sheet::Sheet;
pub use shelf::{Filler, Shelf};
pub use stock::{READ_AT_ONCE_MAX, cost, read, survey};
