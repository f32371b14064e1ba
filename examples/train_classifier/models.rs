//! Trains the models from the training data and some of the whole reviews.

use std::collections::BTreeSet;
use std::path::PathBuf;

use reviews_service::insights::classifier::ngrams::RUN_MAX;
use reviews_service::insights::classifier::{
    COMPLAINT, LABELS, NgramModel, WeightsError, judgement_head,
};

use crate::elsewhere;
use crate::examples::{Examples, one_of};
use crate::learn::{Plan, learn};
use crate::own::{Review, Sentence, same};
use crate::trades;

/// The training of a trade's aspects: each independently.
const ASPECTS: Plan = Plan {
    is_exclusive: false,
    decay: 1.0 / 3.0,
};
/// Maximum number of words of an n-gram for aspects: three words are no better than two, single words are worse.
const ASPECT_WORDS_MAX: usize = 2;
/// The training of polarity: exactly one of the three labels applies.
const POLARITY: Plan = Plan {
    is_exclusive: true,
    decay: 3.0,
};

/// The training of complaints.
const COMPLAINTS: Plan = Plan {
    is_exclusive: false,
    decay: 0.23,
};
/// The weight of the sentences of [`Material::low_rated`], which are plainer than those of whole reviews.
const LOW_RATED: f64 = 3.0;

/// The training data besides whole reviews.
pub struct Material {
    /// Omitted sentences, in the form of [`same`].
    pub held_out: BTreeSet<String>,
    pub sentences: Vec<Sentence>,
    /// Sentences of reviews of one or two stars, and whether each complains.
    pub low_rated: Vec<(String, bool)>,
    /// The folder of the public data sets.
    pub data: Option<PathBuf>,
}

/// A trained model.
pub struct Learned {
    heads: Vec<String>,
    biases: Vec<i32>,
    rows: Vec<(u32, Vec<i8>)>,
}

impl Learned {
    /// The weights file, as [`NgramModel::parse`] reads it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = b"RNG2".to_vec();
        bytes.push(u8::try_from(self.heads.len()).unwrap_or(u8::MAX));
        for head in &self.heads {
            bytes.push(u8::try_from(head.len()).unwrap_or(u8::MAX));
            bytes.extend_from_slice(head.as_bytes());
        }
        for bias in &self.biases {
            let bias = i16::try_from(*bias).unwrap_or(if *bias < 0 { i16::MIN } else { i16::MAX });
            bytes.extend_from_slice(&bias.to_le_bytes());
        }
        for (key, weights) in &self.rows {
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend(weights.iter().map(|weight| weight.cast_unsigned()));
        }
        bytes
    }

    pub fn into_model(self) -> Result<NgramModel, WeightsError> {
        NgramModel::parse(&self.to_bytes())
    }

    pub fn new(heads: &[&str], examples: Examples, plan: Plan) -> Self {
        let (biases, rows) = learn(examples, heads.len(), plan);
        Self {
            heads: heads.iter().map(|head| (*head).to_owned()).collect(),
            biases,
            rows: rows.into_iter().collect(),
        }
    }
}

impl Material {
    /// Calls `each` for every sentence that is not held out.
    fn each(&self, reviews: &[&Review], mut each: impl FnMut(&Sentence)) {
        let of_reviews = reviews.iter().flat_map(|review| review.sentences());
        let mut keep = |sentence: &Sentence| {
            if !self.held_out.contains(&same(&sentence.text)) {
                each(sentence);
            }
        };
        self.sentences.iter().for_each(&mut keep);
        of_reviews.for_each(|sentence| keep(&sentence));
    }

    /// Trains the aspects of a trade.
    pub fn aspects(&self, trade: &str, reviews: &[&Review]) -> Learned {
        let aspects = trades::aspects(trade);
        let mut examples = Examples::new(true, ASPECT_WORDS_MAX);
        self.each(reviews, |sentence| {
            if let Some(targets) = sentence.aspects(trade, aspects) {
                examples.add(&sentence.text, targets, 1.0);
            }
        });
        let judged =
            |aspect: &&str| [LABELS[0], LABELS[2]].map(|label| judgement_head(aspect, label));
        let judged: Vec<String> = aspects.iter().flat_map(judged).collect();
        let heads = aspects
            .iter()
            .copied()
            .chain(judged.iter().map(String::as_str));
        Learned::new(&heads.collect::<Vec<_>>(), examples, ASPECTS)
    }

    /// Trains whether a sentence of a review of one or two stars complains.
    pub fn complaints(&self, reviews: &[&Review]) -> Learned {
        let mut examples = Examples::new(false, RUN_MAX).by_length();
        let low_rated = reviews.iter().filter(|review| review.stars <= 2);
        for sentence in low_rated.flat_map(|review| review.sentences()) {
            let is_held_out = self.held_out.contains(&same(&sentence.text));
            if let Some(complains) = sentence.complains().filter(|_| !is_held_out) {
                examples.add(&sentence.text, vec![Some(complains)], 1.0);
            }
        }
        for (text, complains) in &self.low_rated {
            examples.add(text, vec![Some(*complains)], LOW_RATED);
        }
        Learned::new(&[COMPLAINT], examples, COMPLAINTS)
    }

    /// Trains the polarity of sentences.
    pub fn polarity(&self, reviews: &[&Review]) -> anyhow::Result<Learned> {
        let mut examples = Examples::new(false, RUN_MAX);
        self.each(reviews, |sentence| {
            if let Some(label) = sentence.label() {
                examples.add(&sentence.text, one_of(label), 1.0);
            }
        });
        if let Some(data) = &self.data {
            elsewhere::add(data, &mut examples)?;
        }
        Ok(Learned::new(&LABELS, examples, POLARITY))
    }
}
