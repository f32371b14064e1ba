//! The snapshot: all published documents, rendered once per change and read through one pointer.
//!
//! The database is the source of truth; whenever it changes, the [`Publisher`] renders a [`Snapshot`]. Modules that
//! depend on this one do not read reviews from the database, and this one is independent of HTTP.

pub(crate) mod coding;
mod counts;
mod current;
pub mod document;
mod index;
pub mod input;
pub mod insights;
mod publisher;
pub mod segment;
mod staff;
mod store;

pub use coding::{CachedBody, Coding};
pub use counts::{MentionCounts, TrigramCounts};
pub use current::{CurrentSnapshot, Matches, PerSnapshot, PublishedDocument, Snapshot};
pub use document::{Content, Document};
pub use index::{Place, Positions, ReviewIndex, ReviewIndexBuilder};
pub use input::{ANALYZE_AT_ONCE_MAX, Backlog, analyze, cost};
pub use publisher::{PublishError, Publisher, survey};
pub use segment::{Opinions, Posting, Postings};
pub use store::{Publication, carry_publications, first_base, served_base};
