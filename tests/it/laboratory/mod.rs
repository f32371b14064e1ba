//! What takes minutes and changes only with the insights: their measured quality, the separation of held-out texts, and the
//! digest of their results. `.ci/nightly` runs it: `cargo test --test it -- --ignored laboratory`.

mod golden;
pub mod quality;
mod splits;
