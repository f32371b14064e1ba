//! The words and sentences of a text, the data of its language, and which of its sentences can be quoted.

mod fingerprint;
mod language;
mod language_words;
mod quotable;
mod tokenized_text;

pub use fingerprint::{Fingerprint, WordMap};
pub use language::LanguageDetector;
pub use language_words::{LanguageWords, Negation, TokenRole, WordSet, plain_letters};
pub use quotable::{is_quotable, is_stated, says_by_itself};
pub use tokenized_text::{Capitalisation, Token, TokenizedText};
