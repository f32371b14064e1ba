//! Insights: opinions in the reviews, with counts. The analysis of one text is a pure function of the text and the
//! business's own data; the counting is a pure function of all analyses. The owner's editorial texts are stored
//! separately and never derived.

pub mod aggregate;
mod analysis;
mod analyzer;
pub mod aspects;
pub mod classifier;
mod compact_analysis;
pub mod linking;
mod stars;
pub mod store;
pub mod text;
pub mod trades;

pub use analysis::{
    Analysis, CONFIRMED, Finding, Hit, LanguageCode, Mention, PHRASE_SEPARATOR, Polarity,
    TextLanguage, TextSpan, witness,
};
pub use analyzer::{Analyzer, Engine, Subject, TEXT_CHARS_MAX};
pub use compact_analysis::{CompactAnalysis, CompactFinding, CompactName, WitnessCount, name_key};
pub use stars::{settle, withdraw_overall};
pub use trades::Trade;
