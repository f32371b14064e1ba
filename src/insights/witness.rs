//! Who makes a finding, and what the stars may take back. A judgement of one witness alone is wrong
//! too often where it contradicts the review's stars; the stars withdraw it, and never make one.

use super::analysis::{Finding, Hit, Polarity};

/// The rule of the hit that says that the stars withdrew a judgement.
pub const WITHDRAWN: &str = "stars:withdrawn";
/// From so many stars on a review is content.
const CONTENT_MIN: u8 = 4;
/// Up to so many it is not.
const DISCONTENT_MAX: u8 = 2;

/// What makes a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Witness {
    /// Rules of the trade alone.
    Rule,
    /// The classifier alone.
    Classifier,
    /// Rules, and the classifier hears it likewise.
    Both,
}

impl Witness {
    /// Its name in the database and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Classifier => "classifier",
            Self::Both => "both",
        }
    }

    /// Who made a finding of these hits. Of a judgement those whose points go its way; of another
    /// finding all that said anything.
    #[must_use]
    pub fn of(hits: &[Hit]) -> Self {
        let (mut rules, mut classifier) = ((0, false), (0, false));
        for hit in hits.iter().filter(|hit| hit.rule != WITHDRAWN) {
            let its = if hit.rule.starts_with("examples:") {
                &mut classifier
            } else {
                &mut rules
            };
            *its = (its.0 + hit.points, true);
        }
        let sign = (rules.0 + classifier.0).signum();
        let speaks =
            |(points, is_there): (i32, bool)| is_there && (sign == 0 || points.signum() == sign);
        match (speaks(rules), speaks(classifier)) {
            (true, true) => Self::Both,
            (false, true) => Self::Classifier,
            (_, false) => Self::Rule,
        }
    }
}

/// How a text as a whole speaks, unless that contradicts its stars: then nobody can tell.
#[must_use]
pub const fn withdraw_overall((polarity, score): (Polarity, i32), stars: u8) -> (Polarity, i32) {
    if contradicts(polarity, stars) {
        (Polarity::Uncertain, score)
    } else {
        (polarity, score)
    }
}

const fn contradicts(polarity: Polarity, stars: u8) -> bool {
    match polarity {
        Polarity::Positive => stars <= DISCONTENT_MAX,
        Polarity::Negative => stars >= CONTENT_MIN,
        Polarity::Neutral | Polarity::Uncertain => false,
    }
}

/// Withdraws the judgements of one witness that contradict the stars: praise in a review of one or
/// two, blame in one of four or five. They become uncertain, by a hit that takes their points back.
pub fn withdraw(findings: &mut [Finding], stars: u8) {
    for finding in findings {
        if !contradicts(finding.polarity, stars) || Witness::of(&finding.hits) == Witness::Both {
            continue;
        }
        finding.hits.push(Hit {
            rule: WITHDRAWN.to_owned(),
            span: finding.span,
            points: -finding.score,
        });
        finding.score = 0;
        finding.polarity = Polarity::Uncertain;
    }
}

#[cfg(test)]
mod tests {
    use super::{Witness, withdraw, withdraw_overall};
    use crate::insights::analysis::{Finding, Hit, Polarity, TextSpan};

    fn finding(polarity: Polarity, score: i32, rules: &[&str]) -> Finding {
        let others = i32::try_from(rules.len()).unwrap() - 1;
        let hit = |(at, rule): (usize, &&str)| Hit {
            rule: (*rule).to_owned(),
            span: TextSpan::default(),
            points: if at == 0 {
                score - others * score.signum()
            } else {
                score.signum()
            },
        };
        Finding {
            aspect: "price".to_owned(),
            sentence: 0,
            span: TextSpan::default(),
            polarity,
            score,
            confidence: 80,
            hits: rules.iter().enumerate().map(hit).collect(),
        }
    }

    #[test]
    fn a_finding_says_who_made_it() {
        let of = |rules: &[&str]| Witness::of(&finding(Polarity::Positive, 3, rules).hits);
        assert_eq!(of(&["phrase:fair"]), Witness::Rule);
        assert_eq!(of(&["examples:fair price"]), Witness::Classifier);
        assert_eq!(of(&["phrase:fair", "examples:fair price"]), Witness::Both);
    }

    #[test]
    fn stars_withdraw_what_one_witness_says_against_them_and_make_nothing() {
        for (polarity, rules, stars, left) in [
            (
                Polarity::Negative,
                &["phrase:late"][..],
                5,
                Polarity::Uncertain,
            ),
            (Polarity::Negative, &["phrase:late"], 3, Polarity::Negative),
            (Polarity::Negative, &["phrase:late"], 1, Polarity::Negative),
            (
                Polarity::Negative,
                &["phrase:late", "examples:late"],
                5,
                Polarity::Negative,
            ),
            (
                Polarity::Positive,
                &["examples:great"],
                1,
                Polarity::Uncertain,
            ),
            (Polarity::Neutral, &["phrase:fee"], 1, Polarity::Neutral),
        ] {
            let score = if polarity == Polarity::Negative {
                -3
            } else {
                3
            };
            let mut found = [finding(polarity, score, rules)];
            withdraw(&mut found, stars);
            assert_eq!(found[0].polarity, left, "{rules:?} at {stars} stars");
            let sum: i32 = found[0].hits.iter().map(|hit| hit.points).sum();
            assert_eq!(sum, found[0].score, "the hits add up");
        }
        let overall = |polarity, stars| withdraw_overall((polarity, 0), stars).0;
        assert_eq!(overall(Polarity::Negative, 5), Polarity::Uncertain);
        assert_eq!(overall(Polarity::Positive, 1), Polarity::Uncertain);
        assert_eq!(overall(Polarity::Negative, 2), Polarity::Negative);
        assert_eq!(overall(Polarity::Positive, 3), Polarity::Positive);
    }
}
