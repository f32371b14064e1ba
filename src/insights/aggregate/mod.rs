//! From all packed analyses to the insights: one pass of counting, and what is made of the counts.
//! Pure: the same packed analyses in the same order give the same result, whoever asks and
//! whenever.

mod complaints;
mod count;
mod faq;
mod few_reviews;
pub mod figures;
mod heavy_hitters;
mod keyphrases;
mod parts;
mod quotes;
mod roster;
mod summary;
pub mod topics;
mod trends;

use std::collections::BTreeSet;

use super::analysis::MentionKind;
use super::packed_analysis::PackedAnalyses;
use super::trades::Trade;
use crate::model::business::Business;
use complaints::Complaint;
use count::Counted;
pub use count::{vote_of, votes_of};
pub use faq::Answered;
use few_reviews::FewReviews;
pub use few_reviews::PERSON_MIN;
pub use figures::{ReviewVote, SampleConfidence, TrendDirection, Vote, VoteCounts, WilsonShare};
pub use keyphrases::Keyphrase;
use keyphrases::OwnNames;
pub use parts::{AspectFigures, EntityFigures, Joint, OpinionStats};
use quotes::Originals;
pub use quotes::{CustomerQuote, Original, slice};
use roster::Roster;
pub use summary::{SentenceEvidence, SummarySentence};
pub use trends::{COMPARED_MIN, Compared, HalfYear, MonthCount, ShareTrend, fisher_exact, holm};

/// What the insights are aggregated from.
pub struct AggregateInput<'a> {
    /// The packed analyses of all published reviews, newest first.
    pub segments: &'a [&'a PackedAnalyses],
    /// How many reviews are still to be analyzed: they have no packed analyses.
    pub unanalyzed: usize,
    /// The review at a place of the packed analyses' order, counted from 0.
    pub original: &'a dyn Fn(usize) -> Option<Original>,
    /// The trade whose aspects the packed analyses number.
    pub trade: &'a Trade,
    /// Whose reviews they are, with those whom the firm lists as they are shown.
    pub business: &'a Business,
    /// What these are called, full names and aliases: no topic is made of them, whether they are shown or not.
    pub people: &'a [&'a str],
    /// The aspects of which the firm answers questions itself, by id: reviews need not.
    pub answered: &'a BTreeSet<String>,
    /// What reviews name that is in none of the firm's lists, sorted.
    pub others: &'a [(MentionKind, String)],
}

/// Everything that the reviews say, counted.
#[derive(Debug, Clone)]
pub struct AggregatedInsights {
    /// The aspects of the trade, in its order.
    pub aspects: Vec<AspectFigures>,
    /// Technicians, services, places: of each kind the firm's own list in its order, then what is
    /// named besides.
    pub entities: Vec<EntityFigures>,
    /// Phrases that stand out, the clearest first.
    pub topics: Vec<Keyphrase>,
    /// Questions that the reviews answer.
    pub faq: Vec<Answered>,
    /// The whole in a few sentences.
    pub summary: Vec<SummarySentence>,
    /// Which reviews these were.
    pub corpus: Corpus,
}

/// Which reviews the insights were made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corpus {
    /// How many there are.
    pub reviews: u32,
    /// How many of them are still to be analyzed.
    pub unanalyzed: u32,
    /// How many of the others have a text.
    pub with_text: u32,
    /// How many of these are in a language that is read, and were analysed.
    pub analysed: u32,
    /// How many texts are in another one.
    pub foreign: u32,
    /// How the analysed texts speak as a whole.
    pub overall: VoteCounts,
    /// How many judgements the stars withdrew, and in how many reviews.
    pub withdrawn: (u32, u32),
    /// How many they confirmed, and in how many reviews.
    pub confirmed: (u32, u32),
    /// How many of the analysed reviews have one or two stars, and how many of these are not negative as a whole.
    pub discontent: (u32, u32),
    /// The days of the oldest and of the newest review ([`crate::model::Day::number`]).
    pub window: Option<(i32, i32)>,
}

/// Counts the packed analyses in one pass, and derives the insights from the counts.
#[must_use]
pub fn aggregate(sources: &AggregateInput<'_>) -> AggregatedInsights {
    let AggregateInput {
        segments,
        unanalyzed,
        original,
        trade,
        business,
        people,
        answered,
        others,
    } = *sources;
    let roster = Roster::new(business, others);
    let counted = Counted::new(segments, trade.aspects.len(), &roster);
    let entities = counted.entities.iter();
    let named = entities.map(|entity| entity.votes.reviews()).collect();
    let few = FewReviews::new(segments, &roster, named);
    let mut originals = Originals::new(original, few, trade);
    let own_names = OwnNames::new(business, people);
    // A sentence is quoted in one place, so those choose first that have fewest to choose from.
    let mut topics = keyphrases::topics(sources, &counted, &own_names, &mut originals);
    let complaints = summary::told_sides(&counted, trade, false)
        .into_iter()
        .map(|aspect| {
            let [_, blame] = &counted.aspects[aspect].quotes;
            let complaint = Complaint::about(aspect, sources, blame, &own_names, &mut originals);
            (aspect, complaint)
        });
    let complaints: Vec<(usize, Complaint)> = complaints.collect();
    let mut entities = parts::entities(&counted, &roster, &mut originals);
    let mut aspects = parts::aspects(&counted, trade, &roster, &topics, &mut originals);
    let of_entities = entities.iter_mut().filter_map(|one| one.detail.as_mut());
    let of_aspects = aspects.iter_mut().map(|aspect| &mut aspect.said);
    trends::settle(of_aspects.chain(of_entities).map(|said| &mut said.trend));
    let unanalyzed = u32::try_from(unanalyzed).unwrap_or(u32::MAX);
    let corpus = Corpus {
        reviews: counted.reviews.saturating_add(unanalyzed),
        unanalyzed,
        with_text: counted.with_text,
        analysed: counted.analysed,
        foreign: counted.foreign,
        overall: counted.overall,
        withdrawn: counted.withdrawn,
        confirmed: counted.confirmed,
        discontent: counted.discontent,
        window: counted.days.map(|(newest, oldest)| (oldest, newest)),
    };
    let input = summary::NarrativeInput {
        answered,
        business,
        corpus: &corpus,
        counted: &counted,
        trade,
        aspects: &aspects,
        complaints: &complaints,
        entities: &entities,
    };
    let faq = faq::answers(&input, &mut originals);
    keyphrases::quote(&mut topics, &mut originals);
    AggregatedInsights {
        summary: summary::sentences(&input, &topics),
        faq,
        aspects,
        entities,
        topics,
        corpus,
    }
}
