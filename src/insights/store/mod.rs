//! The rows behind the insights: the firm's own texts, and what was read.

mod analysis;
mod packed;

pub use analysis::{NewAnalysis, StoredAnalysis, Verified, clear, save, stored, stray, verify};
