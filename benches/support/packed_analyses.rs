//! Synthetic packed analyses of the synthetic reviews, with random findings and names, as many as in real texts.

use std::collections::BTreeSet;

use std::mem::size_of;

use reviews_service::insights::aggregate::{
    AggregateInput, FrequentPhrases, Original, aggregate, topics,
};
use reviews_service::insights::text::TokenizedText;
use reviews_service::insights::trades::AspectDefinition;
use reviews_service::insights::{
    Analysis, Finding, Mention, PackedAnalyses, PackedAnalysis, PackedFinding, PackedHead,
    PackedName, Polarity, TextLanguage, TextSpan, Trade,
};
use reviews_service::links::Links;
use reviews_service::model::business::{Business, Editorial};
use reviews_service::model::{MentionKind, Review};
use reviews_service::wire::{Insights, InsightsMethod};

use super::corpus::Corpus;
use super::words::Dice;

/// The number of aspects, as in the built-in trade.
const ASPECTS: usize = 11;
/// Average number of packed analyses in a segment.
const SEGMENT: usize = 128;

/// Packed analyses in segments, with their reviews.
pub struct Noted {
    segments: Vec<PackedAnalyses>,
    originals: Vec<Original>,
    trade: Trade,
    business: Business,
    links: Links,
}

impl Noted {
    /// The packed analyses of `rows` reviews.
    #[must_use]
    pub fn new(rows: usize) -> Self {
        let trade = Trade {
            aspects: (0..ASPECTS).map(aspect).collect(),
            ..Trade::default()
        };
        let (mut segments, mut originals) = (Vec::new(), Vec::with_capacity(rows));
        let mut segment = PackedAnalyses::default();
        for (position, review) in Corpus::new(rows).reviews().enumerate() {
            segment.push(
                PackedAnalysis::new(&analysis(&review, position), &review, &trade).borrowed(),
            );
            if segment.len() == SEGMENT {
                segments.push(std::mem::take(&mut segment));
            }
            originals.push(Original {
                id: review.id.to_string(),
                stars: review.rating.stars(),
                date: review.date.date(),
                text: review.text,
            });
        }
        segments.push(segment);
        Self {
            segments,
            originals,
            trade,
            business: Corpus::business(),
            links: "https://reviews.example.com".parse().unwrap(),
        }
    }

    /// Aggregates all packed analyses into insights, as a new snapshot does.
    #[must_use]
    pub fn compile(&self) -> Insights {
        let segments: Vec<&PackedAnalyses> = self.segments.iter().collect();
        let sources = AggregateInput {
            segments: &segments,
            phrases: &FrequentPhrases::new(&segments),
            unanalyzed: 0,
            original: &|segment, index| self.originals.get(segment * SEGMENT + index).cloned(),
            trade: &self.trade,
            business: &self.business,
            people: &[],
            editorial: &Editorial::default(),
            answered: &BTreeSet::new(),
            mentioned: &BTreeSet::new(),
            links: &self.links,
        };
        aggregate(&sources, InsightsMethod::default())
    }

    /// Their size in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let packed_analyses = self.segments.iter().flat_map(PackedAnalyses::iter);
        let of = |findings: &[PackedFinding], names: &[PackedName], phrases: &[u32]| {
            size_of::<(PackedHead, [u32; 3])>()
                + size_of_val(findings)
                + size_of_val(names)
                + size_of_val(phrases)
        };
        packed_analyses
            .map(|packed_analysis| {
                of(
                    packed_analysis.findings,
                    packed_analysis.names,
                    packed_analysis.phrases,
                )
            })
            .sum()
    }

    /// The number of their phrases.
    #[must_use]
    pub fn phrases(&self) -> usize {
        self.segments
            .iter()
            .flat_map(PackedAnalyses::iter)
            .map(|packed_analysis| packed_analysis.phrases.len())
            .sum()
    }

    #[must_use]
    pub fn text_of_110_words(&self) -> TokenizedText {
        let words: Vec<&str> = self
            .originals
            .iter()
            .flat_map(|original| original.text.split(' '))
            .take(110)
            .collect();
        TokenizedText::new(&words.join(" "))
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
                score: i32::try_from(dice.below(9)).unwrap(),
                confidence: 90,
                hits: Vec::new(),
            });
        }
    }
    let mentions = review.mentions.technicians.iter().map(|name| Mention {
        kind: MentionKind::Technician,
        candidates: vec![name.clone()],
        sentence: 0,
        through: 1,
        span: TextSpan::default(),
        rule: "full_name",
    });
    Analysis {
        language: TextLanguage::English,
        mentions: mentions.collect(),
        sentences,
        findings,
        overall: (
            if dice.percent(90) {
                Polarity::Positive
            } else {
                Polarity::Negative
            },
            1,
        ),
        phrases: topics::phrases(
            &text,
            reviews_service::insights::trades::Background::shared(),
        ),
    }
}
