//! Measures the agreement of the analysis with human annotations. The annotators' instructions are in
//! `tests/gold/README.md`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use thiserror::Error;

use reviews_service::insights::decide::{OpinionFinder, TextFindings};
use reviews_service::insights::rules::Trade;
use reviews_service::insights::score::label;
use reviews_service::insights::text::TokenizedText;
use reviews_service::insights::{Finding, Hit, Polarity, TextLanguage, detect_language};
use reviews_service::model::interval;

/// Analyzes every text of the rows and counts agreements.
pub fn evaluate(engine: &OpinionFinder, annotated: &AnnotatedTexts) -> EvaluationFigures {
    let mut quality = EvaluationFigures {
        n: annotated.values().map(BTreeMap::len).sum(),
        texts: annotated.len(),
        ..EvaluationFigures::default()
    };
    for (text, expected) in annotated {
        let said = predictions(engine.analyze(&TokenizedText::new(text), None).findings);
        let aspects: BTreeSet<&String> = expected.keys().chain(said.keys()).collect();
        for aspect in aspects {
            let expected = expected.get(aspect).copied();
            quality.count(text, aspect, expected, said.get(aspect));
        }
    }
    quality
}

/// The combined label of each aspect over all sentences of a text, with its hits.
fn predictions(findings: Vec<Finding>) -> BTreeMap<String, (Polarity, Vec<Hit>)> {
    let mut said: BTreeMap<String, (i32, bool, Vec<Hit>)> = BTreeMap::new();
    for finding in findings {
        let (score, is_polar, hits) = said.entry(finding.aspect).or_default();
        *score += finding.score;
        *is_polar |= finding.polarity != Polarity::Neutral;
        hits.extend(finding.hits);
    }
    said.into_iter()
        .map(|(aspect, (score, is_polar, hits))| (aspect, (label(score, is_polar), hits)))
        .collect()
}

/// The annotators' labels, in the order of the confusion matrix.
const GIVEN: [Polarity; 3] = [Polarity::Positive, Polarity::Negative, Polarity::Neutral];

/// A proportion with its 95 % Wilson interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Proportion {
    /// The numerator.
    pub part: usize,
    /// The denominator; may be 0.
    pub whole: usize,
}

impl Proportion {
    const fn new(part: usize, whole: usize) -> Self {
        Self { part, whole }
    }

    fn count(&mut self, is_part: bool) {
        self.part += usize::from(is_part);
        self.whole += 1;
    }

    /// 0 if `whole` is 0.
    pub fn value(self) -> f64 {
        if self.whole == 0 {
            0.0
        } else {
            float(self.part) / float(self.whole)
        }
    }

    /// The interval's lower and upper end; 0 and 1 if `whole` is 0.
    pub fn interval(self) -> [f64; 2] {
        if self.whole == 0 {
            return [0.0, 1.0];
        }
        interval(self.value(), float(self.whole))
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of sentences are far below 2^52"
)]
const fn float(count: usize) -> f64 {
    count as f64
}

/// Agreement of the analyzer and the annotators about the aspects in texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgreementCounts {
    /// Found by the analyzer and the annotator.
    pub both: usize,
    /// Found only by the analyzer.
    pub analyzer: usize,
    /// Found only by the annotator.
    pub annotator: usize,
}

impl AgreementCounts {
    pub const fn add(&mut self, is_expected: bool, is_found: bool) {
        match (is_expected, is_found) {
            (true, true) => self.both += 1,
            (true, false) => self.annotator += 1,
            (false, true) => self.analyzer += 1,
            (false, false) => {}
        }
    }

    /// Share of the analyzer's findings that the annotator also made.
    pub const fn precision(self) -> Proportion {
        Proportion::new(self.both, self.both + self.analyzer)
    }

    /// Share of the annotator's findings that the analyzer also made.
    pub const fn recall(self) -> Proportion {
        Proportion::new(self.both, self.both + self.annotator)
    }

    /// The harmonic mean of precision and recall as a share: twice the common findings, divided by all findings of
    /// both.
    pub const fn f1(self) -> Proportion {
        Proportion::new(
            2 * self.both,
            2 * self.both + self.analyzer + self.annotator,
        )
    }
}

/// A text and aspect for which the labels of analyzer and annotator differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    pub text: String,
    /// Id of the aspect.
    pub aspect: String,
    /// The annotator's label; `None` if not found.
    pub expected: Option<Polarity>,
    /// The analyzer's label; `None` if not found.
    pub got: Option<Polarity>,
    /// The analyzer's hits for the aspect; empty if not found.
    pub hits: Vec<Hit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvaluationFigures {
    /// Rows of the file.
    pub n: usize,
    /// Number of distinct texts; each has a row for every aspect that it judges.
    pub texts: usize,
    /// Pairs of text and aspect, for all aspects together.
    pub pairs: AgreementCounts,
    /// Pairs of text and aspect, by aspect.
    pub aspects: BTreeMap<String, AgreementCounts>,
    /// Pairs found by both: their number by the annotator's label and the analyzer's label.
    pub confusion: BTreeMap<(Polarity, Polarity), usize>,
    /// Differing pairs, by text, then by aspect.
    pub misses: Vec<Miss>,
}

impl EvaluationFigures {
    /// Counts one pair; `None` means that the aspect was not found in the text.
    pub fn count(
        &mut self,
        text: &str,
        aspect: &str,
        expected: Option<Polarity>,
        got: Option<&(Polarity, Vec<Hit>)>,
    ) {
        let of_aspect = self.aspects.entry(aspect.to_owned()).or_default();
        for counts in [&mut self.pairs, of_aspect] {
            counts.add(expected.is_some(), got.is_some());
        }
        let label = got.map(|(label, _)| *label);
        if let Some(pair) = expected.zip(label) {
            *self.confusion.entry(pair).or_default() += 1;
        }
        if expected != label {
            self.misses.push(Miss {
                text: text.to_owned(),
                aspect: aspect.to_owned(),
                expected,
                got: label,
                hits: got.map(|(_, hits)| hits.clone()).unwrap_or_default(),
            });
        }
    }

    fn labels(&self, is_meant: impl Fn(Polarity, Polarity) -> bool) -> usize {
        let counts = self.confusion.iter();
        let meant = counts.filter(|((expected, got), _)| is_meant(*expected, *got));
        meant.map(|(_, count)| count).sum()
    }

    /// Share of the pairs found by both whose label is right; an uncertain label counts as wrong.
    pub fn polarity_accuracy(&self) -> Proportion {
        Proportion::new(
            self.labels(|expected, got| expected == got),
            self.pairs.both,
        )
    }

    /// Share of the pairs found by both whose label is not uncertain.
    pub fn coverage(&self) -> Proportion {
        Proportion::new(
            self.labels(|_, got| got != Polarity::Uncertain),
            self.pairs.both,
        )
    }

    /// Share of right labels among the pairs found by both whose label is not uncertain.
    pub fn published_accuracy(&self) -> Proportion {
        Proportion::new(self.polarity_accuracy().part, self.coverage().part)
    }

    /// The mean F1 of the labels that annotators gave.
    pub fn macro_f1(&self) -> f64 {
        let scores: Vec<f64> = GIVEN
            .into_iter()
            .filter(|label| self.labels(|expected, _| expected == *label) > 0)
            .map(|label| {
                let both = self.labels(|expected, got| expected == label && got == label);
                let either = self.labels(|expected, _| expected == label)
                    + self.labels(|_, got| got == label);
                Proportion::new(2 * both, either).value()
            })
            .collect();
        scores.iter().sum::<f64>() / float(scores.len().max(1))
    }
}

/// The first line of every file.
const HEADER: &str = "text\taspect\tpolarity";

/// The annotators' labels (positive, negative or neutral), by trimmed text, then by the aspect's id.
pub type AnnotatedTexts = BTreeMap<String, BTreeMap<String, Polarity>>;

/// Maximum number of characters of a message, which is limited because it repeats the file's content.
const MESSAGE_CHARACTERS_MAX: usize = 1_000;

/// An error in an annotated file.
#[derive(Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {message}")]
pub struct AnnotationError {
    file: String,
    /// From 1.
    line: usize,
    message: String,
}

fn row_error(file: &str, line: usize, message: &str) -> AnnotationError {
    AnnotationError {
        file: file.to_owned(),
        line,
        message: message.chars().take(MESSAGE_CHARACTERS_MAX).collect(),
    }
}

/// An annotator's label.
fn annotator_label(polarity: &str) -> Result<Polarity, String> {
    Polarity::find(polarity)
        .filter(|polarity| *polarity != Polarity::Uncertain)
        .ok_or_else(|| format!("`{polarity}` is not one of positive, negative, neutral"))
}

/// The ids of a trade's aspects, in its order.
pub fn aspect_ids(trade: &Trade) -> Vec<&str> {
    let aspects = trade.aspects.iter();
    aspects.map(|aspect| aspect.id.as_str()).collect()
}

/// `aspects` are the valid ids.
///
/// # Errors
/// The first invalid line.
pub fn rows(
    file: &str,
    content: &str,
    aspects: &[&str],
) -> Result<AnnotatedTexts, AnnotationError> {
    let mut lines = (1..).zip(content.lines());
    let head = lines
        .next()
        .map(|(_, line)| line.trim_start_matches('\u{FEFF}').trim_end());
    if head != Some(HEADER) {
        let message = "the first line must be `text`, `aspect`, `polarity`, with tabs between";
        return Err(row_error(file, 1, message));
    }
    let mut rows = AnnotatedTexts::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        add_row(&mut rows, line, aspects).map_err(|message| row_error(file, number, &message))?;
    }
    if rows.is_empty() {
        return Err(row_error(file, 1, "no rows below the header"));
    }
    Ok(rows)
}

fn add_row(rows: &mut AnnotatedTexts, line: &str, aspects: &[&str]) -> Result<(), String> {
    let fields: Vec<&str> = line
        .trim_end_matches(['\r', '\n'])
        .split('\t')
        .map(str::trim)
        .collect();
    let [text, aspect, polarity] = fields[..] else {
        let count = fields.len();
        return Err(format!(
            "a row has 3 fields with tabs between, this one {count}"
        ));
    };
    if text.is_empty() {
        return Err("the text is empty".to_owned());
    }
    if !aspects.contains(&aspect) {
        return Err(format!("`{aspect}` is not one of {}", aspects.join(", ")));
    }
    let polarity = annotator_label(polarity)?;
    let labels = rows.entry(text.to_owned()).or_default();
    if labels.insert(aspect.to_owned(), polarity).is_some() {
        return Err(format!("`{aspect}` of this text is a duplicate"));
    }
    Ok(())
}

// Annotated files of whole reviews: one JSON object a line.

/// A review with its annotations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedReview {
    pub text: String,
    /// BCP 47, if known.
    pub language: Option<String>,
    /// Id of the package for its trade, if known.
    pub package: Option<String>,
    /// 1 to 5.
    pub stars: Option<u8>,
    /// Each judged or mentioned aspect, its polarity, and the position of its first word in the text, in code points.
    pub findings: Vec<(String, Polarity, u32)>,
}

/// A line of the file; other members are notes for readers.
#[derive(Deserialize)]
struct FileLine {
    text: String,
    language: Option<String>,
    package: Option<String>,
    stars: Option<u8>,
    #[serde(default)]
    findings: Vec<LineFinding>,
}

#[derive(Deserialize)]
struct LineFinding {
    aspect: String,
    polarity: String,
    quote: String,
}

/// # Errors
/// The error in the first invalid line.
pub fn reviews(file: &str, content: &str) -> Result<Vec<AnnotatedReview>, AnnotationError> {
    let lines = (1..).zip(content.lines());
    let reviews: Vec<AnnotatedReview> = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| review(line).map_err(|message| row_error(file, number, &message)))
        .collect::<Result<_, _>>()?;
    if reviews.is_empty() {
        return Err(row_error(file, 1, "the file has no reviews"));
    }
    Ok(reviews)
}

fn review(line: &str) -> Result<AnnotatedReview, String> {
    let line: FileLine = serde_json::from_str(line).map_err(|error| {
        format!(
            "{error}; a line is an object with `text` and, where known, `stars`, `package` and \
             `findings`, each with `aspect`, `polarity` and `quote`"
        )
    })?;
    if let Some(stars) = line.stars.filter(|stars| !(1..=5).contains(stars)) {
        return Err(format!("`stars` is {stars}, but must be 1 to 5"));
    }
    let mut findings = Vec::with_capacity(line.findings.len());
    for finding in line.findings {
        let polarity = annotator_label(&finding.polarity)?;
        let at = line
            .text
            .find(&finding.quote)
            .ok_or_else(|| format!("the text does not contain `{}`", finding.quote))?;
        let start = line.text[..at].chars().count();
        findings.push((
            finding.aspect,
            polarity,
            u32::try_from(start).unwrap_or(u32::MAX),
        ));
    }
    Ok(AnnotatedReview {
        text: line.text,
        language: line.language,
        package: line.package,
        stars: line.stars,
        findings,
    })
}

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
    /// Share of the judgements that annotators also made, by source of the judgement.
    pub by_witness: BTreeMap<&'static str, Proportion>,
    /// Share of the reviews of 1, 2, 4 or 5 stars whose text alone has the same polarity; uncertain counts as wrong.
    pub against_stars: Proportion,
    /// The same share for reviews of 1 or 2 stars.
    pub bad_against_stars: Proportion,
}

/// The polarities of each aspect in each sentence.
type SentenceLabels<'a> = BTreeMap<(usize, &'a str), BTreeSet<Polarity>>;

/// Whether the analysis uses the stars of a review, as it does in production.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StarsShown {
    /// Only the text is used.
    Hidden,
    /// The stars may withdraw findings.
    AtHand,
}

/// Analyzes every English review and counts agreements. Aspects that the trade does not have are left out.
pub fn evaluate_reviews(
    rules: &OpinionFinder,
    reviews: &[AnnotatedReview],
    stars: StarsShown,
) -> WholeQuality {
    let (mut quality, aspects) = (WholeQuality::default(), aspect_ids(rules.trade));
    for review in reviews {
        // As in production, texts in another language are not read.
        let text = TokenizedText::new(&review.text);
        if detect_language(&text, review.language.as_deref()) != TextLanguage::English {
            quality.in_other_languages += 1;
            continue;
        }
        quality.reviews += 1;
        let stars = review.stars.filter(|_| stars == StarsShown::AtHand);
        let mut read = rules.analyze(&text, stars);
        // A complaint without an aspect is only counted: it stands in no vote.
        let is_open = |one: &Finding| {
            one.aspect == "overall"
                && one.polarity == Polarity::Negative
                && one.witness.name() == "classifier"
        };
        read.findings.retain(|one| stars.is_none() || !is_open(one));
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
        let starts: Vec<u32> = text.sentence_spans().map(|span| span.start).collect();
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
            if finding.polarity.judges() {
                let witness = finding.witness.name();
                let is_right = (expected.get(&place))
                    .is_some_and(|expected| expected.contains(&finding.polarity));
                let share = self.by_witness.entry(witness).or_default();
                share.count(is_right);
            }
        }
        self.count(&expected, &got);
        self.add_stars(review.stars, read.overall.0);
    }

    fn count(&mut self, expected: &SentenceLabels<'_>, got: &SentenceLabels<'_>) {
        let places: BTreeSet<&(usize, &str)> = expected.keys().chain(got.keys()).collect();
        let nothing = BTreeSet::new();
        for place in places {
            let expected = expected.get(place).unwrap_or(&nothing);
            let got = got.get(place).unwrap_or(&nothing);
            self.found.add(!expected.is_empty(), !got.is_empty());
            if !expected.is_empty() && !got.is_empty() {
                self.polarity.count(!expected.is_disjoint(got));
            }
            for polarity in [Polarity::Positive, Polarity::Negative] {
                let (is_expected, is_found) =
                    (expected.contains(&polarity), got.contains(&polarity));
                self.judged.add(is_expected, is_found);
                if polarity == Polarity::Negative {
                    self.blamed.add(is_expected, is_found);
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
        let is_right = overall == expected;
        self.against_stars.count(is_right);
        if expected == Polarity::Negative {
            self.bad_against_stars.count(is_right);
        }
    }

    /// The figures by name.
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

#[cfg(test)]
mod tests {
    use super::{AgreementCounts, AnnotationError, Proportion, evaluate, rows};
    use reviews_service::insights::Polarity;
    use reviews_service::insights::classifier::Classifier;
    use reviews_service::insights::decide::OpinionFinder;
    use reviews_service::insights::rules::{HOME_SERVICES, Trade};

    const ASPECTS: [&str; 2] = ["price", "overall"];

    fn fault(content: &str) -> AnnotationError {
        rows("mine", content, &ASPECTS).unwrap_err()
    }

    #[test]
    fn a_faulty_row_is_told_with_its_line() {
        let head = "text\taspect\tpolarity\n";
        assert_eq!(
            fault("text,aspect\n").to_string(),
            "mine:1: the first line must be `text`, `aspect`, `polarity`, with tabs between"
        );
        assert_eq!(fault(head).to_string(), "mine:1: no rows below the header");
        assert_eq!(
            fault(&format!("{head}\nDear.\tprice\n")).to_string(),
            "mine:3: a row has 3 fields with tabs between, this one 2"
        );
        assert_eq!(
            fault(&format!("{head}Dear.\tcost\tnegative")).to_string(),
            "mine:2: `cost` is not one of price, overall"
        );
        assert_eq!(
            fault(&format!("{head}Dear.\tprice\tbad")).to_string(),
            "mine:2: `bad` is not one of positive, negative, neutral"
        );
        assert_eq!(fault(&format!("{head}Dear.\tprice\tuncertain")).line, 2);
        let twice = format!("{head}Dear.\tprice\tnegative\nDear.\tprice\tneutral\n");
        assert_eq!(
            fault(&twice).to_string(),
            "mine:3: `price` of this text is a duplicate"
        );
    }

    #[test]
    fn pairs_are_counted_over_all_texts_and_aspects() {
        let trade = Trade::built_in(HOME_SERVICES);
        let content = "text\taspect\tpolarity\r\n\
    The price was fair.\tprice\tpositive\r\n\
    Way too expensive.\tprice\tpositive\r\n\
    Way too expensive.\toverall\tnegative\r\n";
        let quality = evaluate(
            &OpinionFinder::new(trade, Classifier::built_in()),
            &rows("mine", content, &ASPECTS).unwrap(),
        );
        assert_eq!((quality.n, quality.texts), (3, 2));
        assert_eq!(
            quality.pairs,
            AgreementCounts {
                both: 2,
                analyzer: 0,
                annotator: 1
            }
        );
        assert_eq!(quality.pairs.f1(), Proportion { part: 4, whole: 5 });
        assert_eq!(
            quality.polarity_accuracy(),
            Proportion { part: 1, whole: 2 }
        );
        assert_eq!(quality.coverage(), Proportion { part: 2, whole: 2 });
        assert_eq!(
            quality.published_accuracy(),
            Proportion { part: 1, whole: 2 }
        );
        assert_eq!(
            quality.confusion[&(Polarity::Positive, Polarity::Negative)],
            1
        );
        let missed: Vec<(&str, Option<Polarity>)> = quality
            .misses
            .iter()
            .map(|miss| (miss.aspect.as_str(), miss.got))
            .collect();
        assert_eq!(
            missed,
            [("overall", None), ("price", Some(Polarity::Negative))]
        );
    }

    #[test]
    fn an_interval_holds_its_share_and_narrows_with_the_count() {
        let [low, high] = Proportion { part: 9, whole: 10 }.interval();
        assert!(
            (low - 0.596).abs() < 0.001 && (high - 0.982).abs() < 0.001,
            "{low} {high}"
        );
        let [narrow_low, narrow_high] = Proportion {
            part: 900,
            whole: 1_000,
        }
        .interval();
        assert!(narrow_low > low && narrow_high < high);
        assert_eq!(
            Proportion::default().interval().map(f64::to_bits),
            [0.0, 1.0].map(f64::to_bits)
        );
    }
}
