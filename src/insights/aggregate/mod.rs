//! Aggregates all compact analyses into the insights: one counting pass, and the figures of each aspect and entity derived
//! from the counts. A pure function: the same compact analyses in the same order give the same result.

mod count;
mod input;
mod keyphrases;
mod narrative;
mod opinions;
mod quotes;
pub mod topics;
mod trends;

use std::collections::{BTreeMap, BTreeSet};

use count::Counted;
pub use count::{review_vote, vote_of};
use input::Roster;
pub use input::{AggregateInput, PERSON_MIN};
use keyphrases::OwnNames;
use narrative::Complaint;
use opinions::{aspect_figures, entity_figures};
use quotes::Originals;

use crate::wire::{Faq, Insights, InsightsMethod, Summary};

/// Counts the compact analyses in one pass, and derives the insights from the counts. The counts in `method` are filled in.
pub fn aggregate(sources: &AggregateInput<'_>, method: InsightsMethod) -> Insights {
    let trade = sources.trade;
    let roster = Roster::new(sources.business, sources.mentioned);
    let counted = Counted::new(sources, &roster);
    let entities = counted.entities.iter();
    let named = entities.map(|entity| entity.votes.reviews()).collect();
    let mut originals = Originals {
        sources,
        roster: &roster,
        named,
        opened: BTreeMap::new(),
        quoted: BTreeSet::new(),
    };
    let own_names = OwnNames::new(sources.business, sources.people);
    // A sentence is quoted only once: people and aspects choose first, so that a review changes only what it supports.
    let phrases = keyphrases::topics(sources, &counted, &own_names, &mut originals);
    let mut entities = entity_figures(&counted, &trade.aspects, &roster, &mut originals);
    let mut aspects = aspect_figures(sources, &counted, &roster, &phrases, &mut originals);
    let complaint = narrative::most_judged_aspect(&counted, trade, false)
        .map(|aspect| Complaint::about(aspect, &counted, &mut originals));
    let of_aspects = aspects.iter_mut().map(|aspect| &mut aspect.trend);
    let of_entities = entities.all_mut().filter_map(|one| one.trend.as_mut());
    trends::settle(of_aspects.chain(of_entities));
    let input = narrative::NarrativeInput {
        sources,
        counted: &counted,
        roster: &roster,
        aspects: &aspects,
        complaint: complaint.as_ref(),
        entities: &entities,
    };
    let answers = narrative::answers(&input, &mut originals);
    let topics = keyphrases::quoted(phrases, trade, &mut originals);
    let sentences = narrative::sentences(&input);
    let aspects = aspects.into_iter().zip(&counted.aspects);
    let aspects = aspects.filter(|(_, counts)| counts.is_shown());
    let (corpus, editorial) = (&counted.corpus, sources.editorial);
    Insights {
        aspects: aspects.map(|(aspect, _)| aspect).collect(),
        entities,
        topics,
        faq: (editorial.faq.iter().map(Faq::from))
            .chain(answers)
            .collect(),
        summary: Summary {
            editorial: editorial.summary.clone(),
            overall: (&corpus.overall).into(),
            sentences,
        },
        generated_from: corpus.generated_from(),
        method: InsightsMethod {
            withdrawn: corpus.withdrawn,
            confirmed: corpus.confirmed,
            low_rated: corpus.low_rated,
            ..method
        },
    }
}
