//! Finds the most frequent phrase of the complaints about an aspect, and one quote.

use std::collections::{BTreeMap, BTreeSet};

use super::AggregateInput;
use super::keyphrases::OwnNames;
use super::quotes::{CustomerQuote, Originals, Shortlist};
use super::topics::things;
use crate::insights::analysis::{LanguageCode, Polarity};

/// Maximum number of complaints that are read, the newest first.
const READ_MAX: usize = 60;
/// A phrase is shared by at least this many reviews, and by one in `REVIEWS_PART` of the complaints that are read.
const REVIEWS_MIN: usize = 2;
const REVIEWS_PART: usize = 8;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Complaint {
    /// The most frequent phrase with the number of complaints read that contain it; `None` if they share no phrase.
    pub phrase: Option<(String, u32)>,
    /// One of the complaints; if possible, its quoted sentence contains the phrase.
    pub quote: Option<CustomerQuote>,
}

impl Complaint {
    /// `aspect` is the aspect's index; `blame` has the quotable complaints.
    pub fn about(
        aspect: usize,
        sources: &AggregateInput<'_>,
        blame: &Shortlist,
        own_names: &OwnNames,
        originals: &mut Originals<'_>,
    ) -> Self {
        let phrase = commonest(aspect, sources, own_names, originals);
        let mut candidates: Vec<(u32, u16)> = blame
            .iter()
            .map(|candidate| (candidate.position, candidate.finding.sentence))
            .collect();
        if let Some((phrase, _)) = &phrase {
            candidates.sort_by_key(|(position, sentence)| {
                let opened = originals.open(*position);
                !opened.is_some_and(|opened| opened.has(*sentence, phrase))
            });
        }
        let quote = candidates.into_iter().find_map(|(position, sentence)| {
            originals.quote(position, sentence, Polarity::Negative.into())
        });
        Self { phrase, quote }
    }
}

/// The phrase with the largest product of its number of complaints and its number of words, so that longer phrases come
/// before their parts.
fn commonest(
    aspect: usize,
    sources: &AggregateInput<'_>,
    own_names: &OwnNames,
    originals: &mut Originals<'_>,
) -> Option<(String, u32)> {
    let analyses = sources.segments.iter().flat_map(|segment| segment.iter());
    let complaints = (0_u32..).zip(analyses).filter_map(|(position, analysis)| {
        let findings = analysis.findings.iter();
        let sentences: BTreeSet<u16> = findings
            .filter(|finding| usize::from(finding.aspect) == aspect)
            .filter(|finding| finding.polarity_of_text() == Polarity::Negative)
            .map(|finding| finding.sentence)
            .collect();
        (!sentences.is_empty()).then_some((position, sentences))
    });
    let (mut reviews, mut read) = (BTreeMap::<String, usize>::new(), 0);
    for (position, sentences) in complaints.take(READ_MAX) {
        let Some(opened) = originals.open(position) else {
            continue;
        };
        // The words that identify noun phrases are English.
        if opened.language != Some(LanguageCode::ENGLISH) {
            continue;
        }
        read += 1;
        let background = sources.trade.background();
        let phrases: BTreeSet<Vec<String>> = sentences
            .into_iter()
            .flat_map(|sentence| things(&opened.text, usize::from(sentence), background))
            .collect();
        for phrase in phrases
            .into_iter()
            .filter(|phrase| !own_names.cover(phrase))
        {
            *reviews.entry(phrase.join(" ")).or_default() += 1;
        }
    }
    reviews.retain(|_, count| *count >= REVIEWS_MIN && *count * REVIEWS_PART >= read);
    let words = |phrase: &str| phrase.split(' ').count();
    // Of equally good phrases, the alphabetically first one is used.
    let commonest = reviews
        .into_iter()
        .rev()
        .max_by_key(|(phrase, count)| count * words(phrase));
    commonest.map(|(phrase, count)| (phrase, u32::try_from(count).unwrap_or(u32::MAX)))
}
