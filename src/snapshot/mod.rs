//! The snapshot: everything that is published, rendered once per change and read by everybody
//! through one pointer.
//!
//! SQLite holds the truth; whenever it changes, the [`Publisher`] renders an [`Snapshot`]. Nothing
//! above this room reads reviews from the database, and nothing in it knows HTTP.

mod atom;
mod backlog;
mod cached_body;
mod coding;
mod current;
mod days_by_id;
mod document;
pub mod entry;
mod entry_loader;
mod feed;
pub mod gzip;
mod index;
pub mod input;
mod insights;
mod labels;
mod observer;
mod opinions;
mod packed_strings;
mod positions;
mod postings;
mod publication;
mod publisher;
pub mod render;
pub mod segment;
mod segment_merge;
mod staff;
mod store;
mod survey;

pub use backlog::Backlog;
pub use cached_body::CachedBody;
pub use coding::Coding;
pub use current::{CurrentSnapshot, PublishedDocument, Snapshot};
pub use document::Document;
pub use entry_loader::{ANALYZE_AT_ONCE_MAX, analyze, cost};
pub use index::{ReviewIndex, ReviewIndexBuilder};
pub use opinions::Opinions;
pub use positions::Positions;
pub use postings::{Posting, Postings};
pub use publication::Publication;
pub use publisher::{PublishError, Publisher};
pub use render::Content;
pub use survey::survey;
