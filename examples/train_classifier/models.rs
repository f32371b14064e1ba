//! Trains the model from the training data and some of the whole reviews.

use std::collections::BTreeSet;
use std::path::PathBuf;

use reviews_service::insights::classifier::{COMPLAINT, LABELS, NGRAM_MAX, judgement_head};
use reviews_service::insights::rules::{IDS, Trade};

use crate::elsewhere;
use crate::examples::{Examples, Features, one_of};
use crate::learn::{Learned, Plan};
use crate::own::{Review, Sentence, same};

/// The training of aspects: each independently. Three words are no better than two, single words are worse.
const ASPECTS: Plan = Plan {
    is_exclusive: false,
    decay: 1.0 / 3.0,
};
const ASPECT_FEATURES: Features = Features {
    words_max: 2,
    takes_negated: true,
    takes_figures: false,
    by_length: false,
};
/// The training of polarity: exactly one of the three labels applies.
const POLARITY: Plan = Plan {
    is_exclusive: true,
    decay: 3.0,
};
pub const POLARITY_FEATURES: Features = Features {
    words_max: NGRAM_MAX,
    takes_negated: false,
    takes_figures: true,
    by_length: false,
};
/// The training of complaints.
const COMPLAINTS: Plan = Plan {
    is_exclusive: false,
    decay: 0.23,
};
const COMPLAINT_FEATURES: Features = Features {
    by_length: true,
    ..POLARITY_FEATURES
};
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

/// The aspects of all trades with annotated texts, each once.
fn aspects() -> Vec<String> {
    let mut all = Vec::new();
    let trades = IDS.into_iter().map(Trade::built_in);
    let annotated = trades.filter(|trade| !trade.quality.is_empty());
    for aspect in annotated.flat_map(|trade| &trade.aspects) {
        if !all.contains(&aspect.id) {
            all.push(aspect.id.clone());
        }
    }
    all
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

    /// The model. Without the public data sets, `polarity` is taken.
    pub fn learn(&self, reviews: &[&Review], polarity: Option<Learned>) -> anyhow::Result<Learned> {
        let polarity = match (&self.data, polarity) {
            (None, Some(polarity)) => polarity,
            _ => self.polarity(reviews)?,
        };
        let learned = self.aspects(reviews).join(&polarity);
        Ok(learned.join(&self.complaints(reviews)))
    }

    /// Trains the aspects of all trades.
    fn aspects(&self, reviews: &[&Review]) -> Learned {
        let mut heads = aspects();
        let mut examples = Examples::new(ASPECT_FEATURES);
        self.each(reviews, |sentence| {
            examples.add(&sentence.text, sentence.aspects(&heads), 1.0);
        });
        let judged =
            |aspect: &String| [LABELS[0], LABELS[2]].map(|label| judgement_head(aspect, label));
        let judged: Vec<String> = heads.iter().flat_map(judged).collect();
        heads.extend(judged);
        Learned::new(heads, examples, ASPECTS)
    }

    /// Trains whether a sentence of a review of one or two stars complains.
    fn complaints(&self, reviews: &[&Review]) -> Learned {
        let mut examples = Examples::new(COMPLAINT_FEATURES);
        let low_rated = reviews.iter().filter(|review| review.stars <= 2);
        for sentence in low_rated.flat_map(|review| review.sentences()) {
            let is_held_out = self.held_out.contains(&same(&sentence.text));
            if let Some(complains) = sentence.complains().filter(|_| !is_held_out) {
                examples.add(&sentence.text, vec![Some(complains)], 1.0);
            }
        }
        for (text, complains) in &self.low_rated {
            examples.add(text, vec![Some(*complains)], 1.0);
        }
        Learned::new(vec![COMPLAINT.to_owned()], examples, COMPLAINTS)
    }

    /// Trains the polarity of sentences.
    fn polarity(&self, reviews: &[&Review]) -> anyhow::Result<Learned> {
        let mut examples = Examples::new(POLARITY_FEATURES);
        self.each(reviews, |sentence| {
            if let Some(label) = sentence.label() {
                examples.add(&sentence.text, one_of(label), 1.0);
            }
        });
        if let Some(data) = &self.data {
            elsewhere::add(data, &mut examples)?;
        }
        let labels = LABELS.map(str::to_owned).to_vec();
        Ok(Learned::new(labels, examples, POLARITY))
    }
}
