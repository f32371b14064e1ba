//! How a text as a whole speaks of the firm: how its sentences sound, and what was found in them.
//! Nothing is added for silence. The weights are learned by `examples/train_classifier` against the
//! stars of reviews whose hands the classifier had not seen; at run time no stars are read.

use super::candidates::SentenceReading;
use crate::insights::analysis::{Finding, Polarity};
use crate::insights::classifier::UNIT;

/// Sentences that every text has besides its own, so that a short one is not surer than a long one.
const SENTENCES_PRIOR: i64 = 1;
/// Thousandths of a logarithm of the odds that a text begins with: of real reviews four in five are
/// content, of those that were learned from three in five.
const CONSTANT: i64 = 850;
/// Thousandths for each whole unit by which praise leads in the mean sentence.
const LEAD_WEIGHT: i64 = 2_766;
/// Thousandths for findings that are all of one side.
const FINDINGS_WEIGHT: i64 = 212;
/// Thousandths for rules that all judge to one side.
const RULES_WEIGHT: i64 = 1_945;
/// From here on a text judges, whatever was found in it.
const JUDGES_MIN: i64 = 1_000;
/// Below, what speaks for one side is too weak against the other: 55 % against 45 %.
const MARGIN: i64 = 200;

/// The sums of one text.
#[derive(Debug, Default)]
pub struct DocumentPolarity {
    leads: i64,
    sentences: i64,
    positive: i64,
    negative: i64,
    rules_positive: i64,
    rules_negative: i64,
    is_judged: bool,
    has_words: bool,
}

impl DocumentPolarity {
    /// Adds a sentence.
    pub(super) fn add_sentence(&mut self, sentence: &SentenceReading<'_>) {
        self.has_words |= sentence.has_words;
        self.sentences += 1;
        self.leads += i64::from(sentence.lead);
        let [positive, negative] = sentence.polarity_counts();
        self.rules_positive += positive;
        self.rules_negative += negative;
    }

    /// Adds what was found in one.
    pub const fn add_finding(&mut self, finding: &Finding) {
        match finding.polarity {
            Polarity::Positive => self.positive += 1,
            Polarity::Negative => self.negative += 1,
            Polarity::Neutral | Polarity::Uncertain => return,
        }
        self.is_judged = true;
    }

    /// What it is decided by, in thousandths: by how much praise leads in the mean sentence, how
    /// one-sided the findings are, and how one-sided all that the rules judge.
    #[must_use]
    pub fn figures(&self) -> [i64; 3] {
        let side = |positive, negative| 1_000 * (positive - negative) / (positive + negative + 1);
        [
            1_000 * self.leads / (i64::from(UNIT) * (self.sentences + SENTENCES_PRIOR)),
            side(self.positive, self.negative),
            side(self.rules_positive, self.rules_negative),
        ]
    }

    /// The label, and the thousandths of a logarithm of the odds behind it: positive is praise. A
    /// text that judges nothing is neutral.
    #[must_use]
    pub fn label(&self) -> (Polarity, i32) {
        let [lead, findings, rules] = self.figures();
        // `0/10` is for the rules: what most people write says nothing about it.
        let constant = if self.has_words { CONSTANT } else { 0 };
        let own = (LEAD_WEIGHT * lead + FINDINGS_WEIGHT * findings + RULES_WEIGHT * rules) / 1_000;
        let is_judged = self.is_judged || own.abs() >= JUDGES_MIN;
        let score = constant + own;
        let polarity = match score {
            _ if !is_judged => Polarity::Neutral,
            MARGIN.. => Polarity::Positive,
            score if score <= -MARGIN => Polarity::Negative,
            _ => Polarity::Uncertain,
        };
        (polarity, i32::try_from(score).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use crate::insights::Polarity;
    use crate::insights::aspects::RuleEngine;
    use crate::insights::text::TokenizedText;
    use crate::insights::trades::Trade;

    fn overall(text: &str) -> Polarity {
        let engine = RuleEngine::new(&Trade::built_in().unwrap());
        engine.analyze(&TokenizedText::new(text)).overall.0
    }

    #[test]
    fn silence_is_no_praise() {
        assert_eq!(
            overall("Cold fries. We waited an hour and left."),
            Polarity::Negative
        );
        assert_eq!(overall("They came on Tuesday."), Polarity::Neutral);
        assert_eq!(overall(""), Polarity::Neutral);
    }

    #[test]
    fn a_text_speaks_as_most_of_it_does() {
        let praise = "Great service, on time and friendly. The price was fair. Highly recommend!";
        let blame = "Never again. They were two hours late, rude, and the leak is back.";
        assert_eq!(overall(praise), Polarity::Positive);
        assert_eq!(overall(blame), Polarity::Negative);
    }
}
