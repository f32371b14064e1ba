//! The compiled rules of a trade in one language, with its classifier and the weights that decide between both.

use super::decision::Decisions;
use super::patterns::CompiledRules;
use crate::insights::classifier::{COMPLAINTS, LABELS, NgramClassifier, judgement_head};
use crate::insights::trades::Trade;

/// The indices of an aspect's heads in the classifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AspectHeads {
    /// Whether the sentence has the aspect.
    pub aspect: usize,
    /// Whether it blames, and whether it praises the aspect; the same as `aspect` in a model without these heads.
    pub judgements: [usize; 2],
}

/// The compiled rules of a trade in one language.
#[derive(Debug, Clone)]
pub struct RuleEngine {
    /// Without its phrases, which are compiled.
    pub trade: Trade,
    /// Decides the sentences that the rules leave open.
    pub classifier: NgramClassifier,
    /// `None` if the rules decide.
    pub decisions: Option<Decisions>,
    /// The heads of each aspect in the classifier, if the classifier has it.
    pub(super) detected: Vec<Option<AspectHeads>>,
    pub(super) compiled: CompiledRules,
}

impl RuleEngine {
    /// Compiles a trade's patterns: about a tenth of a second for the built-in one.
    pub fn new(mut trade: Trade) -> Self {
        // Custom weights were validated when the package was read, and tests validate the program's; a trade without
        // weights uses its rules and the polarity of all trades.
        let weights = [&trade.classifier, &trade.polarity].map(Option::as_deref);
        let complaints = trade.is_english().then_some(COMPLAINTS);
        let classifier =
            NgramClassifier::of(weights[0], weights[1], complaints).unwrap_or_default();
        Self {
            compiled: CompiledRules::new(&mut trade),
            detected: detected(&trade, &classifier),
            classifier,
            // The weights for rules and classifier were learned from English texts.
            decisions: trade.is_english().then(Decisions::built_in),
            trade,
        }
    }

    /// The same rules with another classifier.
    pub fn classified_by(self, classifier: NgramClassifier) -> Self {
        Self {
            detected: detected(&self.trade, &classifier),
            classifier,
            ..self
        }
    }
}

/// The heads of each aspect in the classifier, if the classifier has it.
fn detected(trade: &Trade, classifier: &NgramClassifier) -> Vec<Option<AspectHeads>> {
    let head = |name: &str| classifier.aspects().iter().position(|head| head == name);
    let heads = |id: &str| {
        let aspect = head(id)?;
        let judgement = |label: &str| head(&judgement_head(id, label)).unwrap_or(aspect);
        Some(AspectHeads {
            aspect,
            judgements: [LABELS[0], LABELS[2]].map(judgement),
        })
    };
    trade.aspects.iter().map(|one| heads(&one.id)).collect()
}
