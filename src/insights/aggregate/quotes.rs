//! Selects quotes by one rule for praise and blame: whole sentences on which the rules and the classifier agree. Clear
//! and recent sentences come first. Each quote is from another review, and no sentence is used twice in sections of the
//! same kind.

use std::collections::{BTreeMap, BTreeSet};

use super::input::{AggregateInput, PERSON_MIN, Roster};
use crate::insights::analysis::{LanguageCode, Polarity};
use crate::insights::compact_analysis::{
    CompactAnalysis, CompactFinding, MASKED_FINDINGS_MAX, WitnessCount,
};
use crate::insights::text::{LanguageWords, TokenizedText, says_by_itself};
use crate::model::{MentionKind, Review, Vote};
use crate::wire::InsightQuote;

/// Maximum number of candidates in a list.
const LISTED: usize = 12;
/// Scores above this value count equally: a sentence with the same opinion three times is no better quote.
const CLEAR: u32 = 6;
/// Number of stars that counts for neither side.
const MIDDLE: u8 = 3;
/// Maximum age of a recent review in days, relative to the newest review.
const RECENT_DAYS: i32 = 730;

/// A quotable finding.
#[derive(Debug, Clone, Copy)]
pub struct QuoteCandidate {
    /// Its quality as a quote.
    quote_rank: u32,
    /// Index of its review, newest first.
    pub position: u32,
    /// The finding in the quoted sentence.
    pub finding: CompactFinding,
}

/// The best candidates, the best first; of equally good ones the newest.
#[derive(Debug, Clone, Default)]
pub struct Shortlist {
    pub best: Vec<QuoteCandidate>,
}

impl Shortlist {
    /// Adds a finding of the review at `position` if it is among the best; calls must begin with the newest review.
    pub fn offer(&mut self, position: u32, quote_rank: u32, finding: CompactFinding) {
        let is_better = |other: &QuoteCandidate| other.quote_rank >= quote_rank;
        if self.best.len() == LISTED && self.best.last().is_some_and(is_better) {
            return;
        }
        // Only the better candidate of each review is kept.
        let mut others = self.best.iter();
        if let Some(mine) = others.position(|other| other.position == position) {
            if is_better(&self.best[mine]) {
                return;
            }
            self.best.remove(mine);
        }
        self.best.truncate(LISTED - 1);
        let at = self.best.partition_point(is_better);
        let candidate = QuoteCandidate {
            quote_rank,
            position,
            finding,
        };
        self.best.insert(at, candidate);
    }
}

/// The quality of the sentence of `finding` as a quote; `newest` is the day of the newest review. `None` if only the rules or only the classifier judge it, if the sentence is not quotable, or if the stars
/// or another finding of the sentence contradict it. Also `None` if the sentence is clearer about another aspect,
/// because a sentence is quoted for one aspect only. The quality is higher if the review as a whole has the same
/// polarity.
pub fn quote_rank(
    finding: CompactFinding,
    review: &Review,
    compact_analysis: &CompactAnalysis,
    newest: i32,
) -> Option<u32> {
    let stars = review.rating.stars();
    let of_sentence = || {
        let findings = compact_analysis.findings.iter();
        findings.filter(|other| other.sentence == finding.sentence)
    };
    let is_undivided =
        of_sentence().all(|other| other.polarity == finding.polarity || !other.polarity.judges());
    let clearest = of_sentence()
        .filter(|other| other.backing == WitnessCount::Both)
        .max_by_key(|other| (other.score.unsigned_abs(), std::cmp::Reverse(other.aspect)));
    let can_be_shown = clearest == Some(&finding) && finding.is_quotable && is_undivided;
    if !can_be_shown || !fits_stars(finding.polarity, stars) {
        return None;
    }
    let clear = u32::from(finding.score.unsigned_abs()).min(CLEAR);
    let is_about_it = of_sentence().all(|other| other.aspect == finding.aspect);
    Some(
        3 * clear
            + 2 * u32::from(newest - review.date.number() < RECENT_DAYS)
            + 4 * u32::from(compact_analysis.overall == finding.polarity)
            + 4 * u32::from(stars != MIDDLE)
            + 4 * u32::from(is_about_it),
    )
}

/// Whether a sentence of this polarity may be quoted from a review with these stars.
pub const fn fits_stars(polarity: Polarity, stars: u8) -> bool {
    match polarity {
        Polarity::Positive => stars >= MIDDLE,
        Polarity::Negative => stars <= MIDDLE,
        Polarity::Neutral | Polarity::Uncertain => true,
    }
}

/// A tokenized review.
#[derive(Debug)]
pub struct SegmentedOriginal<'a> {
    pub review: &'a Review,
    pub analysis: &'a CompactAnalysis,
    pub text: TokenizedText,
}

/// A cache of reviews and their quoted sentences. Each review is fetched and tokenized once; each sentence is quoted
/// once, by the first caller. Sentences about people named in fewer than [`PERSON_MIN`] reviews are not quoted.
pub struct Originals<'a> {
    pub sources: &'a AggregateInput<'a>,
    pub roster: &'a Roster,
    /// Number of reviews that name each roster entry.
    pub named: Vec<u32>,
    pub opened: BTreeMap<u32, SegmentedOriginal<'a>>,
    pub quoted: BTreeSet<(u32, u16)>,
}

impl<'a> Originals<'a> {
    /// The review at `position`, with 0 for the newest.
    pub fn open(&mut self, position: u32) -> &SegmentedOriginal<'a> {
        let sources = self.sources;
        self.opened.entry(position).or_insert_with(|| {
            let (review, analysis) = sources.analyses[position as usize];
            let language = analysis.language.code();
            let trade = language.and_then(|code| sources.trade.in_language(code));
            let words = trade.map(|trade| &trade.words);
            let words = words.unwrap_or_else(|| LanguageWords::english());
            SegmentedOriginal {
                text: TokenizedText::of(&review.text, words),
                analysis,
                review,
            }
        })
    }

    /// Whether a sentence names or continues about a person named in too few reviews.
    fn tells_of_few(&self, position: u32, sentence: u16) -> bool {
        let (_, analysis) = self.sources.analyses[position as usize];
        // The masks cover only the first findings: a later sentence may be about anyone whom the text names.
        let mut late = analysis.findings.iter().skip(MASKED_FINDINGS_MAX);
        let is_late = late.any(|finding| finding.sentence == sentence);
        analysis.names.iter().any(|name| {
            let mut about = analysis.masked(name.finding_mask);
            name.kind == MentionKind::Technician
                && (about.any(|finding| finding.sentence == sentence)
                    || is_late && name.mentions > 0)
                && (self.roster.find(name.key)).is_some_and(|at| self.named[at] < PERSON_MIN)
        })
    }

    /// The sentence as a quote; `None` if it cannot be shown or is already quoted.
    pub fn quote(&mut self, position: u32, sentence: u16, polarity: Vote) -> Option<InsightQuote> {
        if self.quoted.contains(&(position, sentence)) {
            return None;
        }
        let quote = self.quote_again(position, sentence, polarity)?;
        self.quoted.insert((position, sentence));
        Some(quote)
    }

    /// The sentence as a quote, even if it is quoted elsewhere; `None` if it cannot be shown.
    pub fn quote_again(
        &mut self,
        position: u32,
        sentence: u16,
        polarity: Vote,
    ) -> Option<InsightQuote> {
        if self.tells_of_few(position, sentence) {
            return None;
        }
        quote_of(self.open(position), sentence, polarity)
    }
}

/// `None` if the sentence cannot be shown by itself.
fn quote_of(opened: &SegmentedOriginal<'_>, sentence: u16, polarity: Vote) -> Option<InsightQuote> {
    let tokens = opened.text.sentences().get(usize::from(sentence))?;
    let span = opened.text.span(tokens.clone());
    let (review, language) = (opened.review, opened.analysis.language.code());
    let judges = match polarity {
        Vote::Positive => Polarity::Positive,
        Vote::Negative => Polarity::Negative,
        Vote::Neutral | Vote::Mixed | Vote::Uncertain => Polarity::Neutral,
    };
    if !says_by_itself(&opened.text, tokens.clone(), judges) {
        return None;
    }
    let language = language.filter(|code| *code != LanguageCode::ENGLISH);
    Some(InsightQuote {
        review_id: review.id.to_string(),
        sentence: sentence.into(),
        start: span.start,
        end: span.end,
        text: span.of(&review.text)?.to_owned(),
        polarity: polarity.into(),
        date: review.date.date(),
        stars: review.rating.stars(),
        language: language.map(|code| code.as_str().to_owned()),
    })
}

/// The best `count` of the list, each with different words.
pub fn pick(list: &Shortlist, count: usize, originals: &mut Originals<'_>) -> Vec<InsightQuote> {
    let mut quotes: Vec<InsightQuote> = Vec::with_capacity(count);
    for candidate in &list.best {
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
