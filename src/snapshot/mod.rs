//! The snapshot: all published documents, rendered once per change and read through one pointer.
//!
//! The database is the source of truth; whenever it changes, the [`Publisher`] renders a [`Snapshot`]. `search`,
//! `web`, `api`, `mcp` and `pages` read reviews only from it; of HTTP it has the fields of heads only.

pub(crate) mod coding;
mod current;
pub mod document;
mod entries;
mod figures;
mod index;
pub mod input;
mod publisher;
mod store;
mod transparency;

pub use coding::{CachedBody, Coding};
pub use current::{CurrentSnapshot, MentionCounts, PerSnapshot, PublishedDocument, Snapshot};
pub use document::{Content, Document};
pub use entries::{Entries, Entry, Segment, ends_segment, position};
pub use index::{Index, Value, Values};
pub use input::{ANALYZE_AT_ONCE_MAX, analyze, cost};
pub use publisher::{Publisher, Role};
pub use store::{Publication, served_base};
pub use transparency::{read_newer_transparency, read_transparency};
