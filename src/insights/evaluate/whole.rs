//! Evaluates whole reviews: findings by sentence and aspect, and the polarity as a whole compared with the stars. The
//! analysis uses the stars only if requested.

use std::collections::{BTreeMap, BTreeSet};

use super::figures::{AgreementCounts, Proportion};
use super::rows::AnnotatedReview;
use crate::insights::analysis::{Language, Polarity};
use crate::insights::aspects::{RuleEngine, TextFindings};
use crate::insights::engine::Engine;
use crate::insights::text::TokenizedText;
use crate::insights::trades::aspect_task;
use crate::insights::witness::{CONFIRMED, Witness, settle, withdraw_overall};

/// The measures of findings and of whole texts that a package publishes.
const PUBLISHED: [(&str, &str, &str); 6] = [
    ("finding", "precision", "judged_precision"),
    ("finding", "recall", "judged_recall"),
    ("finding_negative", "precision", "blamed_precision"),
    ("finding_negative", "recall", "blamed_recall"),
    ("review_polarity", "accuracy", "against_stars"),
    ("review_polarity", "recall_negative", "bad_against_stars"),
];

/// All figures of an evaluation of whole reviews.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WholeQuality {
    /// Reviews that were analysed.
    pub reviews: usize,
    /// Reviews in a language other than that of the rules.
    pub in_other_languages: usize,
    /// Pairs of sentence and aspect, with any polarity.
    pub found: AgreementCounts,
    /// Share of the pairs found by both that have the same polarity; uncertain counts as wrong.
    pub polarity: Proportion,
    /// Pairs with praise or blame.
    pub judged: AgreementCounts,
    /// Pairs with blame.
    pub blamed: AgreementCounts,
    /// Pairs with praise or blame, by aspect.
    pub by_aspect: BTreeMap<String, AgreementCounts>,
    /// Share of the judgements that annotators also made: by source of the judgement, and for those that the stars
    /// confirmed.
    pub by_witness: BTreeMap<&'static str, Proportion>,
    /// Share of the reviews of 1, 2, 4 or 5 stars whose text alone has the same polarity; uncertain counts as wrong.
    pub against_stars: Proportion,
    /// The same share for reviews of 1 or 2 stars.
    pub bad_against_stars: Proportion,
}

/// The polarities of each aspect in each sentence.
type SentenceLabels<'a> = BTreeMap<(usize, &'a str), BTreeSet<Polarity>>;

/// Key of judgements that the stars confirmed, in [`WholeQuality::by_witness`].
pub const STARS: &str = "stars";

/// Whether the analysis uses the stars of a review, as it does in production.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StarsShown {
    /// Only the text is used.
    Hidden,
    /// The stars may withdraw and confirm findings.
    AtHand,
}

/// Analyzes every review in the language of `rules` and counts agreements. Aspects that the trade of `engine` does not
/// have are left out.
#[must_use]
pub fn evaluate_reviews(
    engine: &Engine,
    rules: &RuleEngine,
    reviews: &[AnnotatedReview],
    stars: StarsShown,
) -> WholeQuality {
    let (mut quality, aspects) = (WholeQuality::default(), engine.trade().aspect_ids());
    let words = rules.language_words();
    for review in reviews {
        let text = TokenizedText::new(&review.text);
        // As in production, texts in another language are not read.
        let language = engine.language(&text, review.language.as_deref());
        if language.code() != Some(words.code) {
            quality.in_other_languages += 1;
            continue;
        }
        let text = if language == Language::English {
            text
        } else {
            TokenizedText::of(&review.text, words)
        };
        quality.reviews += 1;
        let mut read = rules.analyze(&text);
        if let (StarsShown::AtHand, Some(stars)) = (stars, review.stars) {
            settle(&mut read.findings, stars);
            read.overall = withdraw_overall(read.overall, stars);
        }
        quality.add(&read, &aspects, review, &text);
    }
    quality
}

impl WholeQuality {
    fn add(
        &mut self,
        read: &TextFindings,
        aspects: &[&str],
        review: &AnnotatedReview,
        text: &TokenizedText,
    ) {
        let starts: Vec<u32> = text
            .sentences()
            .iter()
            .map(|sentence| text.span(sentence.clone()).start)
            .collect();
        let mut expected: SentenceLabels<'_> = BTreeMap::new();
        for (aspect, polarity, start) in &review.findings {
            if aspects.contains(&aspect.as_str()) {
                let sentence = starts.partition_point(|one| one <= start).saturating_sub(1);
                let said = expected.entry((sentence, aspect)).or_default();
                said.insert(*polarity);
            }
        }
        let mut got: SentenceLabels<'_> = BTreeMap::new();
        for finding in &read.findings {
            let place = (finding.sentence as usize, finding.aspect.as_str());
            got.entry(place).or_default().insert(finding.polarity);
            if matches!(finding.polarity, Polarity::Positive | Polarity::Negative) {
                let is_confirmed = finding.hits.iter().any(|hit| hit.rule == CONFIRMED);
                let witness = if is_confirmed {
                    STARS
                } else {
                    Witness::of(&finding.hits).name()
                };
                let share = self.by_witness.entry(witness).or_default();
                share.whole += 1;
                let is_right = (expected.get(&place))
                    .is_some_and(|expected| expected.contains(&finding.polarity));
                share.part += usize::from(is_right);
            }
        }
        self.count(&expected, &got);
        self.add_stars(review.stars, read.overall.0);
    }

    fn count(&mut self, expected: &SentenceLabels<'_>, got: &SentenceLabels<'_>) {
        let places: BTreeSet<&(usize, &str)> = expected.keys().chain(got.keys()).collect();
        let nothing = BTreeSet::new();
        for place in places {
            let (expected, got) = (
                expected.get(place).unwrap_or(&nothing),
                got.get(place).unwrap_or(&nothing),
            );
            self.found.add(!expected.is_empty(), !got.is_empty());
            if !expected.is_empty() && !got.is_empty() {
                self.polarity.whole += 1;
                self.polarity.part += usize::from(!expected.is_disjoint(got));
            }
            for polarity in [Polarity::Positive, Polarity::Negative] {
                let pair = (expected.contains(&polarity), got.contains(&polarity));
                self.judged.add(pair.0, pair.1);
                let (_, aspect) = place;
                let of_aspect = self.by_aspect.entry((*aspect).to_owned()).or_default();
                of_aspect.add(pair.0, pair.1);
                if polarity == Polarity::Negative {
                    self.blamed.add(pair.0, pair.1);
                }
            }
        }
    }

    fn add_stars(&mut self, stars: Option<u8>, overall: Polarity) {
        let expected = match stars {
            Some(1 | 2) => Polarity::Negative,
            Some(4 | 5) => Polarity::Positive,
            _ => return,
        };
        let is_right = usize::from(overall == expected);
        self.against_stars.whole += 1;
        self.against_stars.part += is_right;
        if expected == Polarity::Negative {
            self.bad_against_stars.whole += 1;
            self.bad_against_stars.part += is_right;
        }
    }

    /// Lines of a package's `quality.tsv` for the set `set`.
    #[must_use]
    pub fn published(&self, set: &str) -> Vec<String> {
        let shares = self.shares();
        let line = |(task, measure, name): (&str, &str, &str)| {
            let its = shares
                .iter()
                .find(|(one, share)| *one == name && share.whole > 0);
            its.map(|(_, Proportion { part, whole })| {
                format!(
                    "{task}\t{set}\t{measure}\t{}\t{part}\t{whole}",
                    self.reviews
                )
            })
        };
        PUBLISHED.into_iter().filter_map(line).collect()
    }

    /// The precision of each aspect's judgements, as lines of the same file.
    #[must_use]
    pub fn published_by_aspect(&self, set: &str) -> Vec<String> {
        let judged = self
            .by_aspect
            .iter()
            .map(|(id, counts)| (id, counts.precision()));
        judged
            .filter(|(_, share)| share.whole > 0)
            .map(|(id, Proportion { part, whole })| {
                let task = aspect_task(id);
                format!(
                    "{task}\t{set}\tprecision\t{}\t{part}\t{whole}",
                    self.reviews
                )
            })
            .collect()
    }

    /// Only the lines about findings: the stars never affect the polarity as a whole.
    #[must_use]
    pub fn published_of_findings(&self, set: &str) -> Vec<String> {
        let mut lines = self.published(set);
        lines.retain(|line| line.starts_with("finding"));
        lines
    }

    /// The figures by name.
    #[must_use]
    pub const fn shares(&self) -> [(&'static str, Proportion); 10] {
        [
            ("found_precision", self.found.precision()),
            ("found_recall", self.found.recall()),
            ("found_f1", self.found.f1()),
            ("polarity_accuracy", self.polarity),
            ("judged_precision", self.judged.precision()),
            ("judged_recall", self.judged.recall()),
            ("blamed_precision", self.blamed.precision()),
            ("blamed_recall", self.blamed.recall()),
            ("against_stars", self.against_stars),
            ("bad_against_stars", self.bad_against_stars),
        ]
    }
}
