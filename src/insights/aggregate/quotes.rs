//! Which words of customers are shown. The rule is one for praise and blame: clear judgements of a
//! length that reads well, recent ones first, each from another review, no words twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::NaiveDate;

use super::figures::Vote;
use crate::insights::analysis::{Polarity, Span};
use crate::insights::packed_analysis::{PackedAnalysisRef, PackedFinding};
use crate::insights::text::Text;

/// How many candidates a list keeps.
const LISTED: usize = 6;
/// Above this a score is as clear as can be: what is said three times over is no better a quote.
const CLEAR: u32 = 6;
/// A clause of fewer code points says too little alone, of more too much.
const CLAUSE: std::ops::RangeInclusive<u16> = 25..=140;
/// A sentence up to so many code points is shown whole, a longer one is cut to its clause.
pub const SENTENCE_MAX: u32 = 160;
/// What is younger than this many days before the newest review is recent.
const RECENT_DAYS: i32 = 730;

/// A finding that may be shown.
#[derive(Debug, Clone, Copy)]
pub struct QuoteCandidate {
    /// How good it is.
    quote_rank: u32,
    /// The place of its review in the order of all.
    pub position: u32,
    /// The finding whose clause is quoted, or the sentence around it.
    pub finding: PackedFinding,
}

/// The best candidates, best first; of equal ones the newest.
#[derive(Debug, Clone, Default)]
pub struct Shortlist {
    best: [Option<QuoteCandidate>; LISTED],
}

impl Shortlist {
    /// Takes a mark of the review at `position` that is worth so much, if it is among the best;
    /// reviews come newest first.
    pub fn offer(&mut self, position: u32, quote_rank: u32, finding: &PackedFinding) {
        let candidate = QuoteCandidate {
            quote_rank,
            position,
            finding: *finding,
        };
        let least = self.best[LISTED - 1].map_or(0, |last| last.quote_rank + 1);
        if candidate.quote_rank < least {
            return;
        }
        // One of each review: the better one.
        let mine = self
            .best
            .iter()
            .position(|other| other.is_some_and(|other| other.position == position));
        let end = match mine {
            Some(at)
                if self.best[at].is_some_and(|other| other.quote_rank >= candidate.quote_rank) =>
            {
                return;
            }
            Some(at) => at,
            None => LISTED - 1,
        };
        let better = |other: &Option<QuoteCandidate>| {
            other.is_some_and(|other| other.quote_rank >= candidate.quote_rank)
        };
        let at = self.best.partition_point(better).min(end);
        self.best[at..=end].rotate_right(1);
        self.best[at] = Some(candidate);
    }

    /// The candidates, best first.
    pub fn iter(&self) -> impl Iterator<Item = &QuoteCandidate> {
        self.best.iter().flatten()
    }
}

/// How good a quote `finding` would be, in a packed analysis so many days older than the newest. It
/// is typical where the review as a whole and its stars go the same way (they decide what is shown,
/// never what it is called), and clear where nothing in the same sentence goes the other way.
#[must_use]
pub fn quote_rank(
    finding: &PackedFinding,
    packed_analysis: PackedAnalysisRef<'_>,
    age_days: i32,
) -> u32 {
    let clear = u32::from(finding.score.unsigned_abs()).min(CLEAR);
    let of_sentence = packed_analysis
        .findings
        .iter()
        .filter(|other| other.sentence == finding.sentence);
    let is_undivided = of_sentence
        .clone()
        .all(|other| other.polarity == finding.polarity || !judges(other.polarity));
    let has_its_stars = match finding.polarity {
        Polarity::Positive => packed_analysis.head.stars >= 4,
        Polarity::Negative => packed_analysis.head.stars <= 2,
        Polarity::Neutral | Polarity::Uncertain => false,
    };
    3 * clear
        + 3 * u32::from(CLAUSE.contains(&finding.len))
        + 2 * u32::from(age_days < RECENT_DAYS)
        + 4 * u32::from(packed_analysis.head.overall == finding.polarity)
        + 4 * u32::from(has_its_stars)
        + 3 * u32::from(is_undivided)
}

const fn judges(polarity: Polarity) -> bool {
    matches!(polarity, Polarity::Positive | Polarity::Negative)
}

/// A review as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// The review's id, as published.
    pub id: String,
    /// How many stars it gives.
    pub stars: u8,
    /// The date of the review.
    pub date: NaiveDate,
    /// The whole text, as the customer wrote it.
    pub text: String,
}

/// An original, cut up.
#[derive(Debug)]
pub struct Opened {
    /// The review as it was fetched.
    pub original: Original,
    /// Its words and sentences.
    pub text: Text,
}

/// The originals of reviews by their place, each fetched and cut up once.
pub struct Originals<'a> {
    fetch: &'a dyn Fn(usize) -> Option<Original>,
    opened: BTreeMap<u32, Option<Arc<Opened>>>,
}

impl<'a> Originals<'a> {
    /// An empty cache over `fetch`, which gives the review at a place; 0 is the newest.
    #[must_use]
    pub fn new(fetch: &'a dyn Fn(usize) -> Option<Original>) -> Self {
        Self {
            fetch,
            opened: BTreeMap::new(),
        }
    }

    /// The review at `position`.
    pub fn open(&mut self, position: u32) -> Option<Arc<Opened>> {
        let fetch = self.fetch;
        let open = || {
            let original = fetch(position as usize)?;
            Some(Arc::new(Opened {
                text: Text::new(&original.text),
                original,
            }))
        };
        self.opened.entry(position).or_insert_with(open).clone()
    }
}

/// Words of a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The id of the quoted review.
    pub review_id: String,
    /// In which sentence, counted from 0.
    pub sentence: u32,
    /// Where in the text.
    pub span: Span,
    /// The quoted words: those of `span`.
    pub text: String,
    /// How the quoted finding or sentence speaks.
    pub polarity: Vote,
    /// The date of the quoted review.
    pub date: NaiveDate,
    /// The rating of the quoted review, 1 to 5.
    pub stars: u8,
}

impl Quote {
    /// The words of `span` in sentence `sentence`, or the whole sentence where that is short.
    #[must_use]
    pub fn new(opened: &Opened, sentence: u32, span: Span, polarity: Vote) -> Option<Self> {
        let whole = opened
            .text
            .sentences()
            .get(sentence as usize)
            .map(|tokens| opened.text.span(tokens.clone()));
        let fits = |whole: &Span| {
            whole.end - whole.start <= SENTENCE_MAX
                && whole.start <= span.start
                && span.end <= whole.end
        };
        let span = whole.filter(fits).unwrap_or(span);
        let Original {
            id,
            stars,
            date,
            text,
        } = &opened.original;
        let text = slice(text, span)?.to_owned();
        Some(Self {
            review_id: id.clone(),
            sentence,
            span,
            text,
            polarity,
            date: *date,
            stars: *stars,
        })
    }
}

/// The code points of `span`; nothing where it is empty or ends behind the text.
#[must_use]
pub fn slice(text: &str, span: Span) -> Option<&str> {
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let start = places.nth(span.start as usize)?;
    let end = places.nth((span.end as usize).checked_sub(span.start as usize + 1)?)?;
    text.get(start..end)
}

/// The best `count` of the list, each with other words.
pub fn pick(list: &Shortlist, count: usize, originals: &mut Originals<'_>) -> Vec<Quote> {
    let mut quotes: Vec<Quote> = Vec::with_capacity(count);
    for candidate in list.iter() {
        if quotes.len() == count {
            break;
        }
        let opened = originals.open(candidate.position);
        let finding = &candidate.finding;
        let quote = opened.and_then(|opened| {
            Quote::new(
                &opened,
                u32::from(finding.sentence),
                finding.span(),
                finding.polarity.into(),
            )
        });
        quotes.extend(quote.filter(|quote| quotes.iter().all(|other| other.text != quote.text)));
    }
    quotes
}
