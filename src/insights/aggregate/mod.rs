//! Aggregates all packed analyses into the insights: one counting pass, and the figures of each aspect and entity derived
//! from the counts. A pure function: the same packed analyses in the same order give the same result.

mod count;
pub(crate) mod figures;
mod frequent_phrases;
mod input;
mod keyphrases;
mod narrative;
mod opinions;
mod quotes;
mod roster;
pub mod topics;
mod trends;

use count::Counted;
pub use count::{vote_of, votes_of};
pub use figures::{Corpus, ReviewVote, TrendDirection, Vote, VoteCounts, WilsonShare};
pub use frequent_phrases::{FrequentPhrases, RarePhrases};
pub use input::{AggregateInput, Original};
pub use keyphrases::Keyphrase;
use keyphrases::OwnNames;
use narrative::Complaint;
pub use narrative::{Answered, SentenceEvidence, SummarySentence, inside};
pub use opinions::{AspectFigures, EntityFigures, Joint, OpinionStats};
use opinions::{aspect_figures, entity_figures};
use quotes::Originals;
pub use quotes::{CustomerQuote, slice};
pub use roster::PERSON_MIN;
use roster::Roster;
pub use trends::{COMPARED_MIN, Compared, HALF_YEAR, ShareTrend, fisher_exact, holm};

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

/// Counts the packed analyses in one pass, and derives the insights from the counts.
pub fn aggregate(sources: &AggregateInput<'_>) -> AggregatedInsights {
    let trade = sources.trade;
    let roster = Roster::new(sources.business, sources.mentioned);
    let counted = Counted::new(sources, &roster);
    let entities = counted.entities.iter();
    let named = entities.map(|entity| entity.votes.reviews()).collect();
    let mut originals = Originals::new(sources, &roster, named);
    let own_names = OwnNames::new(sources.business, sources.people);
    // A sentence is quoted only once, so the sections with the fewest candidates choose first.
    let mut topics = keyphrases::topics(sources, &counted, &own_names, &mut originals);
    let complaints: Vec<Complaint> = narrative::told_sides(&counted, trade, false)
        .into_iter()
        .map(|aspect| Complaint::about(aspect, sources, &counted, &own_names, &mut originals))
        .collect();
    let mut entities = entity_figures(&counted, &roster, &mut originals);
    let mut aspects = aspect_figures(&counted, trade, &roster, &topics, &mut originals);
    let of_entities = entities.iter_mut().filter_map(|one| one.detail.as_mut());
    let of_aspects = aspects.iter_mut().map(|aspect| &mut aspect.said);
    trends::settle(of_aspects.chain(of_entities).map(|said| &mut said.trend));
    let input = narrative::NarrativeInput {
        sources,
        counted: &counted,
        aspects: &aspects,
        complaints: &complaints,
        entities: &entities,
    };
    let faq = narrative::answers(&input, &mut originals);
    keyphrases::quote(&mut topics, &mut originals);
    AggregatedInsights {
        summary: narrative::sentences(&input, &topics),
        faq,
        aspects,
        entities,
        topics,
        corpus: counted.corpus,
    }
}
