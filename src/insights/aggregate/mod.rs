//! Aggregates all packed analyses into the insights: one counting pass, and figures derived from the counts. A pure
//! function: the same packed analyses in the same order give the same result.

mod complaints;
mod count;
mod faq;
mod few_reviews;
pub(crate) mod figures;
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

/// Input of the aggregation.
pub struct AggregateInput<'a> {
    /// The packed analyses of all published reviews, newest first.
    pub segments: &'a [&'a PackedAnalyses],
    /// Number of reviews that have no packed analysis yet.
    pub unanalyzed: usize,
    /// Returns the review at an index in the order of the packed analyses.
    pub original: &'a dyn Fn(usize) -> Option<Original>,
    /// The trade that defines the aspect numbers in the packed analyses.
    pub trade: &'a Trade,
    /// The business, with its technicians as they are published.
    pub business: &'a Business,
    /// Full names and aliases of the technicians, published or not; they never become topics.
    pub people: &'a [&'a str],
    /// Ids of the aspects that the owner's FAQ answers.
    pub answered: &'a BTreeSet<String>,
    /// Names in reviews that are not in the business's lists, sorted.
    pub others: &'a [(MentionKind, String)],
}

#[derive(Debug, Clone)]
pub struct AggregatedInsights {
    /// In the trade's order.
    pub aspects: Vec<AspectFigures>,
    /// Technicians, services, places: for each kind the business's own list in its order, then other names.
    pub entities: Vec<EntityFigures>,
    /// Distinctive phrases, the most significant first.
    pub topics: Vec<Keyphrase>,
    /// Questions with answers from the reviews.
    pub faq: Vec<Answered>,
    pub summary: Vec<SummarySentence>,
    pub corpus: Corpus,
}

/// Figures about the reviews from which the insights were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corpus {
    /// Number of reviews.
    pub reviews: u32,
    /// Number of reviews that are not analysed yet.
    pub unanalyzed: u32,
    /// Number of analysed reviews with a text.
    pub with_text: u32,
    /// Texts in a supported language.
    pub analysed: u32,
    /// Texts in another language.
    pub foreign: u32,
    /// Number of analysed texts by their polarity as a whole.
    pub overall: VoteCounts,
    /// Number of judgements that the stars withdrew, and number of reviews with such judgements.
    pub withdrawn: (u32, u32),
    /// Number of findings that the stars confirmed, and number of reviews with such findings.
    pub confirmed: (u32, u32),
    /// Number of analysed reviews with one or two stars; and the number of these whose polarity as a whole is not
    /// negative.
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
    // A sentence is quoted only once, so the sections with the fewest candidates choose first.
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
