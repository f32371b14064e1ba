//! Synthetic compact analyses of the synthetic reviews, with random findings and names, as many as in real texts.

use std::collections::BTreeSet;

use reviews_service::insights::rules::AspectDefinition;
use reviews_service::insights::text::TokenizedText;
use reviews_service::insights::{
    AggregateInput, Analysis, CompactAnalysis, Finding, Mention, Polarity, Sentence, TextLanguage,
    TextSpan, Trade, aggregate,
};
use reviews_service::model::business::{Business, Editorial};
use reviews_service::model::{MentionKind, Review};
use reviews_service::wire::{Insights, InsightsMethod, Witness};

use super::corpus::Corpus;
use super::words::Dice;

/// The number of aspects, as in the built-in trade.
const ASPECTS: usize = 11;

/// Compact analyses with their reviews.
pub struct Noted {
    analyses: Vec<CompactAnalysis>,
    reviews: Vec<Review>,
    trade: Trade,
    business: Business,
}

impl Noted {
    /// The compact analyses of `rows` reviews.
    #[must_use]
    pub fn new(rows: usize) -> Self {
        let mut trade = Trade::default();
        trade.aspects = (0..ASPECTS).map(aspect).collect();
        let (mut analyses, mut reviews) = (Vec::new(), Vec::with_capacity(rows));
        for (position, review) in Corpus::new(rows).reviews().enumerate() {
            let analysis = analysis(&review, position);
            analyses.push(CompactAnalysis::new(&analysis, &review, &trade));
            reviews.push(review);
        }
        Self {
            analyses,
            reviews,
            trade,
            business: Corpus::business(),
        }
    }

    /// Aggregates all compact analyses into insights, as a new snapshot does.
    #[must_use]
    pub fn compile(&self) -> Insights {
        let analyses: Vec<_> = self.reviews.iter().zip(&self.analyses).collect();
        let sources = AggregateInput {
            analyses: &analyses,
            unanalyzed: 0,
            trade: &self.trade,
            business: &self.business,
            people: &[],
            editorial: &Editorial::default(),
            mentioned: &BTreeSet::new(),
        };
        aggregate(&sources, InsightsMethod::default())
    }

    /// Their size in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let size = |analysis: &CompactAnalysis| {
            size_of_val(analysis) + size_of_val(&*analysis.findings) + size_of_val(&*analysis.names)
        };
        self.analyses.iter().map(size).sum()
    }
}

fn aspect(number: usize) -> AspectDefinition {
    AspectDefinition {
        id: format!("aspect_{number}"),
        label: format!("Aspect {number}"),
        question: "How?".to_owned(),
    }
}

/// Slightly more than every second sentence has an opinion, mostly a positive one; the first sentence names the
/// technician.
fn analysis(review: &Review, position: usize) -> Analysis {
    let mut dice = Dice::new(position as u64);
    let text = TokenizedText::new(&review.text);
    let sentences: Vec<TextSpan> = text
        .sentences()
        .iter()
        .map(|tokens| text.span(tokens.clone()))
        .collect();
    let mut findings = Vec::new();
    for (sentence, span) in (0..).zip(&sentences) {
        if dice.percent(60) {
            let polarity = match dice.below(20) {
                0..2 => Polarity::Negative,
                2 => Polarity::Neutral,
                3 => Polarity::Uncertain,
                _ => Polarity::Positive,
            };
            findings.push(Finding {
                aspect: format!("aspect_{}", dice.below(ASPECTS)),
                sentence,
                span: *span,
                polarity,
                witness: Witness::Both,
                score: i32::try_from(dice.below(9)).unwrap(),
                confidence: 90,
                hits: Vec::new(),
            });
        }
    }
    let mentions = review.mentions.technicians.iter().map(|name| Mention {
        kind: MentionKind::Technician,
        name: name.clone(),
        sentence: 0,
        span: TextSpan::default(),
        polarity: Polarity::Neutral,
    });
    Analysis {
        language: TextLanguage::English,
        mentions: mentions.collect(),
        sentences: (sentences.into_iter())
            .map(|span| Sentence {
                span,
                polarity: Polarity::Positive,
            })
            .collect(),
        findings,
        overall: (
            if dice.percent(90) {
                Polarity::Positive
            } else {
                Polarity::Negative
            },
            1,
        ),
    }
}
