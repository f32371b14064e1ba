//! Scores the aspects and the polarity of a sentence with two linear models over runs of words, which
//! `examples/train_classifier` learned from example sentences. The aspect model belongs to a trade; all trades share
//! the polarity model. The models recognize common usage without understanding it, so `aspects` weighs them against the
//! rules.

pub mod ngrams;

use std::ops::Range;

use ngrams::NgramTokens;
pub use ngrams::{LABELS, NgramModel, UNIT, WeightsError};

use super::text::TokenizedText;

/// Index of praise in [`LABELS`].
const POSITIVE: usize = 2;

/// The name of the head that detects a judgement of an aspect: `price:negative`.
pub fn judgement_head(aspect: &str, label: &str) -> String {
    format!("{aspect}:{label}")
}

/// The polarity weights that all trades share.
pub const POLARITY: &[u8] = include_bytes!("polarity.weights");

/// The weights that detect the complaints in reviews of one or two stars, for all trades.
pub const COMPLAINTS: &[u8] = include_bytes!("complaint.weights");

/// The name of the head of [`COMPLAINTS`].
pub const COMPLAINT: &str = "complaint";

/// The subject of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputHead {
    /// Index in [`NgramClassifier::aspects`].
    Aspect(usize),
    /// Index in [`LABELS`].
    Label(usize),
    Complaint,
}

/// The default classifier has no runs.
#[derive(Debug, Clone)]
pub struct NgramClassifier {
    /// The aspects' heads, then the labels'.
    model: NgramModel,
    /// Number of heads that are aspects.
    aspects: usize,
    /// The biases, which are the sums for a sentence without words.
    silence: Vec<i32>,
}

impl Default for NgramClassifier {
    fn default() -> Self {
        Self::new(&NgramModel::default(), &NgramModel::default())
    }
}

/// A part of a sentence, or the whole of it, with its scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePart {
    /// As a range of the text's tokens.
    pub tokens: Range<usize>,
    /// For each aspect the bias plus the weights of its known runs, in units of 1/[`UNIT`].
    pub aspects: Vec<i32>,
    /// The same for each label.
    pub labels: [i32; LABELS.len()],
    /// The logarithm of the odds that the part complains, if its review has one or two stars, in units of 1/[`UNIT`].
    pub complaint: i32,
}

impl SentencePart {
    /// The score for praise minus the score for blame, in units of 1/[`UNIT`].
    pub const fn lead(&self) -> i32 {
        self.labels[POSITIVE] - self.labels[0]
    }
}

/// A known run of words, and its weights.
#[derive(Debug, Clone)]
struct KnownNgram<'classifier> {
    tokens: Range<usize>,
    weights: &'classifier [i8],
    /// Whether the run is negated, so that it adds nothing to the labels.
    is_turned: bool,
}

/// A sentence's scores.
#[derive(Debug, Clone)]
pub struct AspectScores<'classifier> {
    /// The scores of the sentence's parts; if there are several parts, the scores of the whole sentence come last.
    pub parts: Vec<SentencePart>,
    /// In the order of the text.
    known: Vec<KnownNgram<'classifier>>,
    /// Number of aspects, which come first in the weights.
    aspects: usize,
}

impl AspectScores<'_> {
    /// The whole sentence.
    pub fn whole(&self) -> &SentencePart {
        &self.parts[self.parts.len() - 1]
    }

    /// The run in `tokens` with the largest weight for `head`, if one has a weight above 0.
    pub fn strongest(&self, tokens: &Range<usize>, head: OutputHead) -> Option<Range<usize>> {
        let mut strongest: Option<(&Range<usize>, i8)> = None;
        let from = self
            .known
            .partition_point(|known| known.tokens.start < tokens.start);
        let inside = self.known[from..]
            .iter()
            .take_while(|known| known.tokens.start < tokens.end);
        for known in inside.filter(|known| known.tokens.end <= tokens.end) {
            let (aspects, labels) = known.weights.split_at(self.aspects);
            let points = match head {
                OutputHead::Aspect(aspect) => aspects.get(aspect),
                OutputHead::Label(_) | OutputHead::Complaint if known.is_turned => None,
                OutputHead::Label(label) => labels.get(label),
                OutputHead::Complaint => labels.get(LABELS.len()),
            };
            let points = points.copied().unwrap_or_default();
            if points > strongest.map_or(0, |(_, most)| most) {
                strongest = Some((&known.tokens, points));
            }
        }
        strongest.map(|(run, _)| run.clone())
    }
}

impl NgramClassifier {
    /// Joins the aspect model of a trade with a polarity model.
    pub fn new(aspects: &NgramModel, polarity: &NgramModel) -> Self {
        let model = aspects.join(polarity);
        let mut silence = model.biases.clone();
        silence.resize(silence.len().max(1), 0);
        Self {
            silence,
            model,
            aspects: aspects.heads.len(),
        }
    }

    /// Creates a classifier from these weights; a missing model is empty. Complaints need a model of polarity.
    ///
    /// # Errors
    /// When the bytes are not valid weights.
    pub fn of(
        aspects: Option<&[u8]>,
        polarity: Option<&[u8]>,
        complaints: Option<&[u8]>,
    ) -> Result<Self, WeightsError> {
        let aspects = aspects.map(NgramModel::parse).transpose()?;
        let polarity = polarity.map(NgramModel::parse_polarity).transpose()?;
        let complaints = complaints.map(NgramModel::parse).transpose()?;
        let shared = polarity.unwrap_or_default();
        Ok(Self::new(
            &aspects.unwrap_or_default(),
            &shared.join(&complaints.unwrap_or_default()),
        ))
    }

    /// The heads of the aspect model: ids of aspects, and their judgements.
    pub fn aspects(&self) -> &[String] {
        &self.model.heads[..self.aspects]
    }

    /// The scores of a sentence without the tokens `unread`, which are in order and do not overlap.
    pub fn classify(
        &self,
        text: &TokenizedText,
        sentence: Range<usize>,
        unread: &[Range<usize>],
    ) -> AspectScores<'_> {
        let words = NgramTokens::read(text, sentence.clone());
        let mut parts = words.parts();
        let count = parts.len();
        // The sums for each part, and for runs that span two parts.
        let width = self.silence.len();
        let mut sums = self.silence.repeat(count + 1);
        let mut known = Vec::with_capacity(sentence.len() * 2);
        let mut at = 0;
        words.runs(|key, tokens, is_turned| {
            let last = unread.partition_point(|part| part.start < tokens.end);
            if last > 0 && unread[last - 1].end > tokens.start {
                return;
            }
            let Some(weights) = self.model.row(key) else {
                return;
            };
            while parts.get(at).is_some_and(|part| part.end <= tokens.start) {
                at += 1;
            }
            let is_inside =
                |part: &&Range<usize>| part.contains(&tokens.start) && tokens.end <= part.end;
            let row = parts.get(at).filter(is_inside).map_or(count, |_| at);
            let row = &mut sums[row * width..][..width];
            // The labels follow the aspects.
            let heads = if is_turned { self.aspects } else { width };
            for (sum, weight) in row[..heads].iter_mut().zip(weights) {
                *sum += i32::from(*weight);
            }
            known.push(KnownNgram {
                tokens,
                weights,
                is_turned,
            });
        });
        let (sums, across) = sums.split_at_mut(count * width);
        if count != 1 {
            for part in sums.chunks_exact(width) {
                let spoken = part.iter().zip(&self.silence);
                for (sum, (own, bias)) in across.iter_mut().zip(spoken) {
                    *sum += own - bias;
                }
            }
            parts.push(sentence);
        }
        let sums = sums.chunks_exact(width).chain([&*across]);
        AspectScores {
            parts: parts
                .into_iter()
                .zip(sums)
                .map(|(tokens, sums)| self.part(tokens, sums))
                .collect(),
            known,
            aspects: self.aspects,
        }
    }

    /// `sums` contains the sums of all heads.
    fn part(&self, tokens: Range<usize>, sums: &[i32]) -> SentencePart {
        let (aspects, rest) = sums.split_at(self.aspects);
        let label = |label: usize| rest.get(label).copied().unwrap_or_default();
        SentencePart {
            aspects: aspects.to_vec(),
            labels: std::array::from_fn(label),
            complaint: self.complaint(label(LABELS.len()), tokens.len()),
            tokens,
        }
    }

    /// The sum of a part with `length` tokens, whose n-grams count the less the longer it is.
    fn complaint(&self, sum: i32, length: usize) -> i32 {
        /// Precision of the square root.
        const STEPS: i32 = 64;
        let bias = self
            .silence
            .get(self.aspects + LABELS.len())
            .copied()
            .unwrap_or_default();
        let length = i32::try_from(length).unwrap_or(i32::MAX);
        let root = length.saturating_mul(STEPS * STEPS).isqrt().max(1);
        bias + (sum - bias) * STEPS / root
    }
}

#[cfg(test)]
mod tests {
    use super::{
        COMPLAINTS, NgramClassifier, NgramModel, OutputHead, POLARITY, SentencePart, WeightsError,
    };
    use crate::insights::text::TokenizedText;

    const HOME_SERVICES: &[u8] = include_bytes!("../trades/home_services/classifier.weights");

    fn scores(sentence: &str) -> (NgramClassifier, TokenizedText, Vec<SentencePart>) {
        let (classifier, text) = (
            NgramClassifier::of(Some(HOME_SERVICES), Some(POLARITY), Some(COMPLAINTS)).unwrap(),
            TokenizedText::new(sentence),
        );
        let parts = classifier
            .classify(&text, 0..text.tokens().len(), &[])
            .parts;
        (classifier, text, parts)
    }

    /// The aspects with better than even odds in some part.
    fn aspects(sentence: &str) -> Vec<String> {
        let (classifier, _, parts) = scores(sentence);
        let all = classifier.aspects().iter().enumerate();
        all.filter(|(aspect, _)| parts.iter().any(|part| part.aspects[*aspect] > 0))
            .map(|(_, id)| id.clone())
            .filter(|head| !head.contains(':'))
            .collect()
    }

    #[test]
    fn clauses_are_scored_separately_and_then_the_sentence() {
        let (_, text, parts) = scores("On time, friendly and he fixed the leak.");
        let words: Vec<String> = parts
            .iter()
            .map(|part| {
                part.tokens
                    .clone()
                    .map(|token| text.word(token))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert_eq!(
            words,
            [
                "on time",
                "friendly",
                "he fixed the leak",
                "on time , friendly and he fixed the leak ."
            ]
        );
        assert_eq!(
            aspects("On time, friendly and he fixed the leak."),
            ["punctuality", "professionalism", "workmanship"]
        );
    }

    #[test]
    fn an_unrelated_sentence_has_no_aspect() {
        assert_eq!(aspects("We have two dogs."), [""; 0]);
    }

    #[test]
    fn the_strongest_words_explain_a_score() {
        let (classifier, text, parts) = scores("They cleaned up afterwards");
        let cleanliness = classifier
            .aspects()
            .iter()
            .position(|aspect| aspect == "cleanliness")
            .unwrap();
        let tokens = classifier
            .classify(&text, 0..text.tokens().len(), &[])
            .strongest(&parts[0].tokens, OutputHead::Aspect(cleanliness))
            .unwrap();
        assert!(
            tokens
                .map(|token| text.word(token))
                .any(|word| word == "cleaned")
        );
    }

    #[test]
    fn praise_and_blame_are_detected_in_every_trade() {
        for (sentence, sign) in [
            ("The soup was wonderful and the waiter very kind.", 1),
            ("Terrible haircut, never again.", -1),
            ("It was not good.", -1),
        ] {
            let (_, _, parts) = scores(sentence);
            let lead = parts.last().unwrap().lead();
            assert_eq!(lead.signum(), sign, "{sentence}: {lead}");
        }
    }

    #[test]
    fn complaints_of_low_rated_reviews_are_detected() {
        for (sentence, complains) in [
            ("The parcel never came and nobody answers my emails.", true),
            ("Three weeks later I am still waiting for my refund.", true),
            ("The crew finally rolled up three hours later.", true),
            ("She rolled her eyes and walked away.", true),
            ("I ordered a jacket for my son in May.", false),
            ("I told him that it was not my car.", false),
            ("Granted, I waited a week before I called them.", false),
            ("Breakfast was good and the view was beautiful.", false),
        ] {
            let (_, _, parts) = scores(sentence);
            let score = parts.last().unwrap().complaint;
            assert_eq!(score > 40, complains, "{sentence}: {score}");
        }
    }

    #[test]
    fn truncated_or_foreign_weights_are_refused() {
        let bytes = b"RNG2\x02\x05taste\x05price\xfd\xff\x04\0\x07\0\0\0\x01\xff";
        let model = NgramModel::parse(bytes).unwrap();
        assert_eq!(model.heads, ["taste", "price"]);
        assert_eq!(model.biases, [-3, 4]);
        assert_eq!(model.row(7), Some(&[1, -1][..]));
        assert_eq!(model.row(8), None);
        for (bytes, error) in [
            (&bytes[..bytes.len() - 1], WeightsError::Length),
            (&bytes[..6], WeightsError::Length),
            (b"PNG", WeightsError::Foreign),
            (b"RNG2\0", WeightsError::Heads),
            (b"RNG2\x01\x02\xff\xff\0\0", WeightsError::Heads),
        ] {
            assert_eq!(NgramModel::parse(bytes).unwrap_err(), error, "{bytes:?}");
        }
    }

    #[test]
    fn a_classifier_without_weights_gives_no_aspects() {
        let text = TokenizedText::new("Great service.");
        let parts = NgramClassifier::default().classify(&text, 0..2, &[]).parts;
        assert!(
            parts
                .iter()
                .all(|part| part.lead() == 0 && part.aspects.is_empty())
        );
    }
}
