//! Insights: what the reviews say, counted. Reading one text is a pure function of the text and of what the firm says about
//! itself; counting is one of all readings. Editorial texts are rows of their own and are never derived.

pub mod aspects;
pub mod compile;
pub mod detector;
mod editorial;
pub mod evaluate;
mod explain;
pub mod model;
pub mod names;
mod note;
pub mod quality;
mod reader;
mod reading;
pub mod store;
pub mod text;
pub mod trade;
mod wilson;

pub use editorial::{Editorial, Question};
pub use explain::explain;
pub use note::{Head, Mark, Name, Note, NoteRef, Notes};
pub use reader::{Engine, Reader, Subject, TEXT_CHARS_MAX};
pub use reading::{Finding, Hit, Kind, Language, Mention, Polarity, Reading, Span};
pub use trade::Trade;

#[cfg(test)]
mod linear;
