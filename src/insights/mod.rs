//! Insights: what the reviews say, counted. Editorial texts are rows of their own and are never derived.

mod editorial;
pub mod store;

pub use editorial::{Editorial, Question};
