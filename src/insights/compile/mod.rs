//! From all notes to the insights: one pass of counting, and what is made of the counts. Pure: the same notes in the same
//! order give the same result, whoever asks and whenever.

mod count;
mod faq;
mod figures;
mod frequent;
mod parts;
mod quotes;
mod roster;
mod stand_out;
mod summary;
pub mod topics;
mod words;

use super::note::Notes;
use super::reading::Kind;
use super::trade::Trade;
use crate::business::Business;
use count::Counted;
pub use count::{vote_of, votes_of};
pub use faq::Answered;
pub use figures::{Confidence, Direction, Share, Vote, Votes};
pub use parts::{Aspect, Compared, Entity, Joint, MonthCount, Period, Said, Trend};
use quotes::Originals;
pub use quotes::{Original, Quote, slice};
use roster::Roster;
pub use stand_out::Topic;
pub use summary::{Evidence, Sentence};

/// What the insights are compiled from.
pub struct Sources<'a> {
    /// The notes of all published reviews, newest first.
    pub blocks: &'a [&'a Notes],
    /// How many reviews are still to be read: they have no notes.
    pub unread: usize,
    /// The review at a place of the notes' order, counted from 0.
    pub original: &'a dyn Fn(usize) -> Option<Original>,
    /// What customers judge.
    pub trade: &'a Trade,
    /// Whose reviews they are.
    pub business: &'a Business,
    /// What reviews name that is in none of the firm's lists, sorted.
    pub others: &'a [(Kind, String)],
}

/// Everything that the reviews say, counted.
#[derive(Debug, Clone)]
pub struct Insights {
    /// The aspects of the trade, in its order.
    pub aspects: Vec<Aspect>,
    /// Technicians, services, places: of each kind the firm's own list in its order, then what is named besides.
    pub entities: Vec<Entity>,
    /// Phrases that stand out, the clearest first.
    pub topics: Vec<Topic>,
    /// Questions that the reviews answer.
    pub faq: Vec<Answered>,
    /// The whole in a few sentences.
    pub summary: Vec<Sentence>,
    /// Which reviews these were.
    pub corpus: Corpus,
}

/// Which reviews the insights were made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corpus {
    /// How many there are.
    pub reviews: u32,
    /// How many of them are still to be read.
    pub unread: u32,
    /// How many of the others have a text.
    pub with_text: u32,
    /// How many of these are English, and were analysed.
    pub analysed: u32,
    /// How many texts are in another language.
    pub foreign: u32,
    /// How the analysed texts speak as a whole.
    pub overall: Votes,
    /// The days of the oldest and of the newest review ([`crate::reviews::Day::number`]).
    pub window: Option<(i32, i32)>,
}

/// Compiles the insights.
#[must_use]
pub fn compile(sources: &Sources<'_>) -> Insights {
    let Sources { blocks, unread, original, trade, business, others } = *sources;
    let roster = Roster::new(business, others);
    let counted = Counted::new(blocks, trade.aspects.len(), &roster);
    let mut originals = Originals::new(original);
    let topics = stand_out::topics(sources, &counted, &mut originals);
    let aspects = parts::aspects(&counted, trade, &roster, &topics, &mut originals);
    let entities = parts::entities(&counted, &roster, &mut originals);
    let unread = u32::try_from(unread).unwrap_or(u32::MAX);
    let corpus = Corpus {
        reviews: counted.reviews.saturating_add(unread),
        unread,
        with_text: counted.with_text,
        analysed: counted.analysed,
        foreign: counted.foreign,
        overall: counted.overall,
        window: counted.days.map(|(newest, oldest)| (oldest, newest)),
    };
    let told = summary::Told { business, corpus: &corpus, aspects: &aspects, entities: &entities, topics: &topics };
    Insights { summary: summary::sentences(&told), faq: faq::answers(&told), aspects, entities, topics, corpus }
}
