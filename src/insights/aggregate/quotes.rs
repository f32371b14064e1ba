//! Which words of customers are shown. The rule is one for praise and blame: whole sentences of which both witnesses say the
//! same, clear ones and recent ones first, each from another review, and none under two headings of a kind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::few_reviews::FewReviews;
use super::figures::Vote;
use crate::insights::analysis::{LanguageCode, Polarity, TextSpan};
use crate::insights::packed_analysis::{PackedAnalysisRef, PackedFinding, WitnessCount};
use crate::insights::quotable::is_quotable;
use crate::insights::text::{LanguageWords, TokenizedText};
use crate::insights::trades::Trade;

/// How many candidates a list keeps.
const LISTED: usize = 12;
/// Above this a score is as clear as can be: what is said three times over is no better a quote.
const CLEAR: u32 = 6;
/// Stars that speak for neither side.
const MIDDLE: u8 = 3;
/// What is younger than this many days before the newest review is recent.
const RECENT_DAYS: i32 = 730;

/// A finding that may be shown.
#[derive(Debug, Clone, Copy)]
pub struct QuoteCandidate {
    /// How good it is.
    quote_rank: u32,
    /// The place of its review in the order of all.
    pub position: u32,
    /// The finding whose sentence is quoted.
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
    pub fn offer(&mut self, position: u32, quote_rank: u32, finding: PackedFinding) {
        let candidate = QuoteCandidate {
            quote_rank,
            position,
            finding,
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

/// How good a quote the sentence of `finding` would be, in a packed analysis so many days older than the newest; `None` of
/// what is not shown: what one witness says alone, what is no whole sentence, what the same sentence or the review's stars
/// contradict (they decide what is shown, never what it is called), and what is said more clearly of another aspect there:
/// a sentence stands under one. It is typical where the review as a whole goes the same way.
#[must_use]
pub fn quote_rank(
    finding: PackedFinding,
    packed_analysis: PackedAnalysisRef<'_>,
    age_days: i32,
) -> Option<u32> {
    let head = packed_analysis.head;
    let of_sentence = || {
        let findings = packed_analysis.findings.iter();
        findings.filter(|other| other.sentence == finding.sentence)
    };
    let is_undivided =
        of_sentence().all(|other| other.polarity == finding.polarity || !judges(other.polarity));
    let clearest = of_sentence()
        .filter(|other| other.backing == WitnessCount::Both)
        .max_by_key(|other| (other.score.unsigned_abs(), std::cmp::Reverse(other.aspect)));
    let can_be_shown = clearest == Some(&finding) && finding.is_quotable && is_undivided;
    if !can_be_shown || !fits_stars(finding.polarity, head.stars) {
        return None;
    }
    let clear = u32::from(finding.score.unsigned_abs()).min(CLEAR);
    let is_about_it = of_sentence().all(|other| other.aspect == finding.aspect);
    Some(
        3 * clear
            + 2 * u32::from(age_days < RECENT_DAYS)
            + 4 * u32::from(head.overall == finding.polarity)
            + 4 * u32::from(head.stars != MIDDLE)
            + 4 * u32::from(is_about_it),
    )
}

/// Whether a review of so many stars may be quoted with such words.
pub const fn fits_stars(polarity: Polarity, stars: u8) -> bool {
    match polarity {
        Polarity::Positive => stars >= MIDDLE,
        Polarity::Negative => stars <= MIDDLE,
        Polarity::Neutral | Polarity::Uncertain => true,
    }
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
pub struct SegmentedOriginal {
    /// The review as it was fetched.
    pub original: Original,
    /// The language that it was read in.
    pub language: Option<LanguageCode>,
    /// Its words and sentences.
    pub text: TokenizedText,
}

impl SegmentedOriginal {
    /// Whether the sentence of that number has these words in a row, which single spaces part.
    #[must_use]
    pub fn has(&self, sentence: u16, phrase: &str) -> bool {
        let words: Vec<&str> = phrase.split(' ').collect();
        let tokens = self.text.sentences().get(usize::from(sentence));
        tokens.is_some_and(|tokens| self.text.position_of(tokens, &words).is_some())
    }
}

/// The originals of reviews by their place, each fetched and cut up once, and which of their sentences are quoted: each in one
/// place, so whoever asks first has it.
pub struct Originals<'a> {
    fetch: &'a dyn Fn(usize) -> Option<Original>,
    few: FewReviews<'a>,
    trade: &'a Trade,
    opened: BTreeMap<u32, Option<Arc<SegmentedOriginal>>>,
    quoted: BTreeSet<(u32, u16)>,
}

impl<'a> Originals<'a> {
    /// An empty cache over `fetch`, which gives the review at a place; 0 is the newest. Sentences about those whom `few`
    /// reviews name are not quoted.
    #[must_use]
    pub fn new(
        fetch: &'a dyn Fn(usize) -> Option<Original>,
        few: FewReviews<'a>,
        trade: &'a Trade,
    ) -> Self {
        Self {
            fetch,
            few,
            trade,
            opened: BTreeMap::new(),
            quoted: BTreeSet::new(),
        }
    }

    /// The review at `position`.
    pub fn open(&mut self, position: u32) -> Option<Arc<SegmentedOriginal>> {
        let fetch = self.fetch;
        let language = self.few.language(position);
        let words = language.and_then(|code| Some(self.trade.in_language(code)?.language_words()));
        let words = words.unwrap_or_else(|| LanguageWords::english());
        let open = || {
            let original = fetch(position as usize)?;
            Some(Arc::new(SegmentedOriginal {
                text: TokenizedText::of(&original.text, words),
                language,
                original,
            }))
        };
        self.opened.entry(position).or_insert_with(open).clone()
    }

    /// The sentence of the review at `position` as a quote, where it can be shown and is not quoted yet.
    pub fn quote(&mut self, position: u32, sentence: u16, polarity: Vote) -> Option<CustomerQuote> {
        if self.few.tells_of(position, sentence) || self.quoted.contains(&(position, sentence)) {
            return None;
        }
        let quote = CustomerQuote::new(&*self.open(position)?, sentence.into(), polarity)?;
        self.quoted.insert((position, sentence));
        Some(quote)
    }
}

/// Words of a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerQuote {
    /// The id of the quoted review.
    pub review_id: String,
    /// In which sentence, counted from 0.
    pub sentence: u32,
    /// Where in the text.
    pub span: TextSpan,
    /// The quoted words: those of `span`.
    pub text: String,
    /// How the quoted finding or sentence speaks.
    pub polarity: Vote,
    /// The date of the quoted review.
    pub date: NaiveDate,
    /// The rating of the quoted review, 1 to 5.
    pub stars: u8,
    /// The language of the words, where it is not English.
    pub language: Option<LanguageCode>,
}

impl CustomerQuote {
    /// The sentence of that number; `None` where it cannot be shown by itself.
    fn new(opened: &SegmentedOriginal, sentence: u32, polarity: Vote) -> Option<Self> {
        let tokens = opened.text.sentences().get(sentence as usize)?;
        let span = opened.text.span(tokens.clone());
        let Original {
            id,
            stars,
            date,
            text,
        } = &opened.original;
        let letters: Vec<char> = text.chars().collect();
        if !is_quotable(&letters, span) {
            return None;
        }
        Some(Self {
            review_id: id.clone(),
            sentence,
            span,
            text: slice(text, span)?.to_owned(),
            polarity,
            date: *date,
            stars: *stars,
            language: opened
                .language
                .filter(|code| *code != LanguageCode::ENGLISH),
        })
    }
}

/// The code points of `span`; nothing where it is empty or ends behind the text.
#[must_use]
pub fn slice(text: &str, span: TextSpan) -> Option<&str> {
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let start = places.nth(span.start as usize)?;
    let end = places.nth((span.end as usize).checked_sub(span.start as usize + 1)?)?;
    text.get(start..end)
}

/// The best `count` of the list, each with other words.
pub fn pick(list: &Shortlist, count: usize, originals: &mut Originals<'_>) -> Vec<CustomerQuote> {
    let mut quotes: Vec<CustomerQuote> = Vec::with_capacity(count);
    for candidate in list.iter() {
        if quotes.len() == count {
            break;
        }
        let finding = &candidate.finding;
        let polarity = finding.polarity.into();
        let quote = originals.quote(candidate.position, finding.sentence, polarity);
        quotes.extend(quote.filter(|quote| quotes.iter().all(|other| other.text != quote.text)));
    }
    quotes
}
