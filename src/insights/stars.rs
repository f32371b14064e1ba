//! The effect of the stars on findings. The stars withdraw a judgement that contradicts them if only
//! the rules or only the classifier make it, or if both make it with too little confidence. They confirm a finding that
//! the text left open if its leading label agrees with them and has enough confidence; it is counted apart from what the
//! text says. They never create a finding.

use super::analysis::{CONFIRMED, Finding, Hit, MARGIN, Polarity, WITHDRAWN, witness};
use crate::wire::Witness;

/// Minimum confidence of blame that contradicts the stars. Of 19 such judgements in real reviews, checked by hand, 8
/// were right (the minimum was chosen on these).
const BLAME_SURE_FROM: u8 = 85;
/// Minimum confidence of praise that contradicts the stars: of 35 such judgements in reviews of one to three stars, 20
/// were right.
const PRAISE_SURE_FROM: u8 = 90;
/// Minimum confidence of a finding that the stars confirm. In held-out reviews, 79 of 112 such findings were right, from 60
/// on 169 of 249, from 55 on 267 of 439.
const CONFIRMED_FROM: u8 = 65;

/// The polarity of a text as a whole; it becomes uncertain if it contradicts the stars.
pub const fn withdraw_overall((polarity, score): (Polarity, i32), stars: u8) -> (Polarity, i32) {
    if contradicts(polarity, stars) {
        (Polarity::Uncertain, score)
    } else {
        (polarity, score)
    }
}

const fn contradicts(polarity: Polarity, stars: u8) -> bool {
    matches!(
        (polarity, Polarity::of_stars(stars)),
        (Polarity::Positive, Some(Polarity::Negative))
            | (Polarity::Negative, Some(Polarity::Positive))
    )
}

/// Withdraws judgements that contradict the stars if one source makes them, or both with too little confidence.
/// Confirms uncertain findings whose leading label agrees with the stars. Each change is a hit, so that the points
/// remain the sum of the hits.
pub fn settle(findings: &mut [Finding], stars: u8) {
    for finding in findings {
        let (rule, polarity, score) = if is_withdrawn(finding, stars) {
            (WITHDRAWN, Polarity::Uncertain, 0)
        } else if let Some(polarity) = polarity_to_confirm(finding, stars) {
            (CONFIRMED, polarity, finding.score.signum() * MARGIN)
        } else {
            continue;
        };
        finding.hits.push(Hit {
            rule: rule.to_owned(),
            span: finding.span,
            points: score - finding.score,
        });
        finding.score = score;
        finding.polarity = polarity;
    }
}

/// Whether the stars withdraw the judgement of a finding.
fn is_withdrawn(finding: &Finding, stars: u8) -> bool {
    let sure_from = match finding.polarity {
        Polarity::Negative => BLAME_SURE_FROM,
        Polarity::Positive | Polarity::Neutral | Polarity::Uncertain => PRAISE_SURE_FROM,
    };
    contradicts(finding.polarity, stars)
        && (finding.confidence < sure_from || witness(&finding.hits) != Witness::Both)
}

/// The label that the stars confirm for an uncertain finding: the label to which its score leans.
fn polarity_to_confirm(finding: &Finding, stars: u8) -> Option<Polarity> {
    if finding.polarity != Polarity::Uncertain || finding.confidence < CONFIRMED_FROM {
        return None;
    }
    let leading = match finding.score.signum() {
        1 => Polarity::Positive,
        -1 => Polarity::Negative,
        _ => return None,
    };
    Polarity::of_stars(stars).filter(|of_stars| *of_stars == leading)
}

#[cfg(test)]
mod tests {
    use super::{settle, withdraw_overall};
    use crate::insights::analysis::{CONFIRMED, Finding, Hit, Polarity, TextSpan, witness};
    use crate::wire::Witness;

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
            confidence: 90,
            hits: rules.iter().enumerate().map(hit).collect(),
        }
    }

    #[test]
    fn the_witness_of_a_finding_follows_from_the_hits() {
        let of = |rules: &[&str]| witness(&finding(Polarity::Positive, 3, rules).hits);
        assert_eq!(of(&["phrase:fair"]), Witness::Rule);
        assert_eq!(of(&["examples:fair price"]), Witness::Classifier);
        assert_eq!(of(&["phrase:fair", "examples:fair price"]), Witness::Both);
    }

    #[test]
    fn stars_withdraw_contrary_findings_of_only_one_witness() {
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
            settle(&mut found, stars);
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

    #[test]
    fn contrary_findings_of_both_witnesses_stay_if_confident() {
        let both = ["phrase:said", "examples:said"];
        for (polarity, stars, sure_from) in
            [(Polarity::Negative, 4, 85), (Polarity::Positive, 2, 90)]
        {
            let score = if polarity == Polarity::Negative {
                -3
            } else {
                3
            };
            for (confidence, left) in [(sure_from - 5, Polarity::Uncertain), (sure_from, polarity)]
            {
                let mut found = [Finding {
                    confidence,
                    ..finding(polarity, score, &both)
                }];
                settle(&mut found, stars);
                assert_eq!(found[0].polarity, left, "{polarity:?} of {confidence}");
                assert_adds_up(&found[0]);
                settle(&mut found, stars);
                assert_eq!(
                    found[0].polarity, left,
                    "what was withdrawn is not confirmed"
                );
            }
        }
    }

    #[test]
    fn stars_confirm_only_open_findings_that_lean_the_same_way() {
        let open = |leaning| finding(Polarity::Uncertain, leaning, &["phrase:said"]);
        for (leaning, stars, settled) in [
            (-1, 1, Polarity::Negative),
            (-1, 2, Polarity::Negative),
            (1, 4, Polarity::Positive),
            (1, 5, Polarity::Positive),
            (-1, 3, Polarity::Uncertain),
            (1, 3, Polarity::Uncertain),
            (-1, 5, Polarity::Uncertain),
            (1, 1, Polarity::Uncertain),
            (0, 1, Polarity::Uncertain),
        ] {
            let mut found = [open(leaning)];
            settle(&mut found, stars);
            assert_eq!(found[0].polarity, settled, "{leaning} at {stars} stars");
            assert_adds_up(&found[0]);
            let is_confirmed = found[0].hits.iter().any(|hit| hit.rule == CONFIRMED);
            assert_eq!(is_confirmed, settled != Polarity::Uncertain);
            assert_eq!(witness(&found[0].hits), Witness::Rule, "the stars are none");
        }
        let mut fact = [finding(Polarity::Neutral, -1, &["phrase:fee"])];
        settle(&mut fact, 1);
        assert_eq!(fact[0].polarity, Polarity::Neutral);
        settle(&mut [], 1);
    }

    #[track_caller]
    fn assert_adds_up(finding: &Finding) {
        let sum: i32 = finding.hits.iter().map(|hit| hit.points).sum();
        assert_eq!(sum, finding.score, "the hits add up");
    }
}
