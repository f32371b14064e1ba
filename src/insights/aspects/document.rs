//! How a text as a whole speaks of the firm: what its findings say, and how each of its sentences
//! sounds to the classifier, so that a text whose complaint no rule knows is not heard as praise.
//! Nothing is added for silence. The weights were chosen on `tests/gold/reviews/development.jsonl`,
//! against the stars.

use crate::insights::analysis::{Finding, Polarity};
use crate::insights::classifier::UNIT;

/// One sentence decides no more than this, in the classifier's units.
const LEAD_MAX: i32 = 3 * UNIT;
/// From here on a sentence judges, whatever was found in it.
const LEAD_MIN: i32 = 2 * UNIT;
/// Thousandths of a logarithm of the odds for each unit of the mean lead.
const LEAD_WEIGHT: i64 = 60;
/// Thousandths for findings that are all of one side.
const FINDINGS_WEIGHT: i64 = 1_800;
/// Thousandths for a text in which anything was found to be praised or blamed: most are content,
/// and narrate trouble all the same.
const FINDINGS_CONSTANT: i64 = 600;
/// Sentences that every text has besides its own, so that a short one is not surer than a long one.
const SENTENCES_PRIOR: i64 = 2;
/// Below, what speaks for one side is too weak against the other.
const MARGIN: i64 = 50;

/// The sums of one text.
#[derive(Debug, Default)]
pub struct DocumentPolarity {
    leads: i64,
    sentences: i64,
    positive: i64,
    negative: i64,
    is_judged: bool,
}

impl DocumentPolarity {
    /// Adds a sentence: by how much praise leads in it, in the classifier's units, and what was
    /// found there.
    pub fn add(&mut self, lead: i32, findings: &[Finding]) {
        self.sentences += 1;
        self.leads += i64::from(lead.clamp(-LEAD_MAX, LEAD_MAX));
        self.is_judged |= lead.abs() >= LEAD_MIN;
        for finding in findings {
            match finding.polarity {
                Polarity::Positive => self.positive += 1,
                Polarity::Negative => self.negative += 1,
                Polarity::Neutral => continue,
                Polarity::Uncertain => {}
            }
            self.is_judged = true;
        }
    }

    /// The label, and the thousandths of a logarithm of the odds behind it: positive is praise. A
    /// text that judges nothing is neutral.
    #[must_use]
    pub fn label(&self) -> (Polarity, i32) {
        let sound = LEAD_WEIGHT * self.leads / (self.sentences + SENTENCES_PRIOR);
        let polar = self.positive + self.negative;
        let found = if polar == 0 {
            0
        } else {
            FINDINGS_CONSTANT + FINDINGS_WEIGHT * (self.positive - self.negative) / (polar + 1)
        };
        let score = sound + found;
        let polarity = match score {
            _ if !self.is_judged => Polarity::Neutral,
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
    use crate::insights::text::Text;
    use crate::insights::trades::Trade;

    fn overall(text: &str) -> Polarity {
        let engine = RuleEngine::new(&Trade::built_in().unwrap());
        engine.analyze(&Text::new(text)).overall.0
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
