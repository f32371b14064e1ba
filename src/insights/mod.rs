//! Insights: opinions in the reviews, with counts. The analysis of one text is a pure function of the text and the
//! business's own data; the counting is a pure function of all analyses. The owner's editorial texts are stored
//! separately and never derived.

mod analysis;
mod analyzer;
mod count;
pub mod decide;
mod language;
pub mod model;
mod names;
mod page;
pub mod people;
mod places;
pub mod rules;
pub mod score;
pub mod store;
pub mod text;
mod topics;

pub use analysis::{
    Analysis, CONFIRMED, Finding, Hit, Language, Mention, Polarity, TextLanguage, TextSpan, witness,
};
pub use analyzer::{Analyzer, Engine, Subject, TEXT_CHARS_MAX};
pub use count::{
    AggregateInput, CompactAnalysis, CompactFinding, CompactName, PERSON_MIN, WitnessCount,
    name_key, review_vote, vote_of,
};
pub use page::aggregate;
pub use rules::Trade;
