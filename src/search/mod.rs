//! Search: which reviews of an edition a filter takes, a page of them, and how many there are.
//!
//! It reads the edition and nothing else, so an answer is of one edition whatever happens meanwhile. There is no index to
//! keep in step: whole blocks are passed over by date, stars, mentions and by the signature of their texts; what is left is
//! scanned with SIMD substring search, until the page is full and the count exact or at its bound.

mod cursor;
pub mod evidence;
mod plan;
mod scan;

pub use cursor::{Cursor, CursorParameter, InvalidCursor};
pub use plan::{Found, TOTAL_MAX, search};
