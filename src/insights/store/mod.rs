//! The rows behind the insights: the firm's own texts, and what was read.

mod editorial;
mod packed;
mod reading;

pub use editorial::{editorial, replace_editorial};
pub use reading::{Kept, Stored, Verified, clear, keep, stored, stray, verify};
