//! Insights: opinions in the reviews, with counts. Read the files in this order:
//!
//! 1. `analyzer` turns a review's text into an [`Analysis`] (`analysis`): a pure function of the text and the business's data.
//!    - `text` makes a `TokenizedText` of it with the tables of English (`words`), and `language` detects whether it is.
//!    - `rules` has the trades with their phrases, which `pattern` finds in a sentence; `score` makes a `ParsedSentence` of
//!      these, and findings of that.
//!    - `classifier` makes `SentenceScores` of the same sentence by learned weights.
//!    - `decide` weighs both and returns the text's [`Finding`]s.
//!    - `people` and `places` find each [`Mention`] of a name by its words and its context (`names`).
//!    - `store` keeps analyses in the database.
//! 2. `page` turns all analyses into the public insights: a pure function of them.
//!    - `compact` makes a [`CompactAnalysis`] of each, with the votes of its review; `quotable` says which sentences can be
//!      quoted.
//!    - `count` adds these up to `Counted`, from which `page` writes figures, quotes, summary and answers; `topics` finds
//!      phrases that many reviews name.
//!
//! The owner's editorial texts are stored separately and never derived.

mod analysis;
mod analyzer;
pub mod classifier;
mod compact;
mod count;
pub mod decide;
mod language;
mod names;
mod page;
mod pattern;
pub mod people;
mod places;
mod quotable;
pub mod rules;
pub mod score;
pub mod store;
pub mod text;
mod topics;
pub mod words;

pub use analysis::{Analysis, Finding, Hit, Mention, Polarity, Sentence, TextLanguage, TextSpan};
pub use analyzer::{AnalysisInput, Analyzer, TEXT_CHARS_MAX};
pub use compact::{CompactAnalysis, CompactFinding, CompactName, name_key, review_vote, vote_of};
pub use count::{AggregateInput, PERSON_MIN};
pub use language::detect_language;
pub use page::{aggregate, hides_criticism};
pub use rules::Trade;
