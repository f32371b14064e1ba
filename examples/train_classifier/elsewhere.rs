//! Sentences from public data sets, as further training data for polarity: praise and complaints in real reviews of
//! other products and services. They are not part of this repository.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, ensure};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use reviews_service::insights::classifier::{Classifier, LABELS, NgramTokens, SentencePart};
use reviews_service::insights::text::TokenizedText;

use crate::examples::{Examples, one_of};

/// The weight of neutral terms of MAMS: 44% of its terms are neutral, but only about 17% of those in reviews.
const NEUTRAL_TERM: f32 = 0.3;
/// Minimum absolute value of the mean of twenty people's ratings for a positive or negative sentence.
const JUDGES: f64 = 0.7;
/// Maximum absolute value of this mean for a neutral sentence.
const IS_NEITHER: f64 = 0.35;
const NEITHER: f32 = 0.5;
const NEGATIVE: usize = 0;
const NEUTRAL: usize = 1;
const POSITIVE: usize = 2;

/// The parts of MAMS for training; a third part is left for evaluation.
const LEARNED: [&str; 2] = ["train", "val"];

/// Evaluates polarity on the parts of MAMS sentences that were not used for training and whose terms are all positive
/// or all negative: returns how many parts are classified correctly, and the number of all parts.
pub fn told(data: &Path, model: &Classifier) -> anyhow::Result<(usize, usize)> {
    let mut learned = BTreeSet::new();
    for split in LEARNED {
        let sentences = terms(&read(data, &format!("mams/atsa_{split}.xml"))?)?;
        learned.extend(sentences.into_iter().map(|sentence| sentence.original));
    }
    let (mut right, mut all) = (0, 0);
    let held_out = terms(&read(data, "mams/atsa_test.xml")?)?;
    for sentence in held_out
        .iter()
        .filter(|one| !learned.contains(&one.original))
    {
        for (part, label) in sentence.parts().filter(|(_, label)| *label != NEUTRAL) {
            let heard = model.classify(&sentence.text, part, &[]);
            let lead = heard.parts.last().map_or(0, SentencePart::lead);
            all += 1;
            right += usize::from((lead > 0) == (label == POSITIVE));
        }
    }
    Ok((right, all))
}

/// Adds the sentences of all data sets in `data`.
pub fn add(data: &Path, examples: &mut Examples) -> anyhow::Result<()> {
    for split in LEARNED {
        for sentence in terms(&read(data, &format!("mams/atsa_{split}.xml"))?)? {
            sentence.add(examples);
        }
    }
    for line in read(data, "uci_sentences/yelp_labelled.txt")?.lines() {
        if let Some((text, label)) = line.trim_end().rsplit_once('\t') {
            let label = if label == "1" { POSITIVE } else { NEGATIVE };
            examples.add(text, one_of(label), 1.0);
        }
    }
    rated(
        &read(data, "vader/amazonReviewSnippets_GroundTruth.txt")?,
        examples,
    )
}

fn read(data: &Path, file: &str) -> anyhow::Result<String> {
    let path = data.join(file);
    let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Adds sentences that twenty people rated: ID, mean, text.
fn rated(lines: &str, examples: &mut Examples) -> anyhow::Result<()> {
    for line in lines.lines() {
        let mut fields = line.splitn(3, '\t');
        let (Some(_), Some(mean), Some(text)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let mean: f64 = mean.parse().with_context(|| line.to_owned())?;
        if mean.abs() > JUDGES {
            examples.add(text, one_of(side(mean)), 1.0);
        } else if mean.abs() < IS_NEITHER {
            examples.add(text, one_of(NEUTRAL), NEITHER);
        }
    }
    Ok(())
}

fn side(mean: f64) -> usize {
    if mean > 0.0 { POSITIVE } else { NEGATIVE }
}

/// A sentence with its terms: the index of each term's first character, and its label.
struct Sentence {
    original: String,
    text: TokenizedText,
    terms: Vec<(u32, usize)>,
}

/// Parses the sentences of MAMS, with a label for each term.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only four kinds of XML events matter here"
)]
fn terms(xml: &str) -> anyhow::Result<Vec<Sentence>> {
    let mut reader = Reader::from_str(xml);
    let (mut sentences, mut text, mut is_text) = (Vec::new(), String::new(), false);
    loop {
        match reader.read_event()? {
            Event::Start(tag) if tag.name().as_ref() == "text" => {
                (text, is_text) = (String::new(), true);
            }
            Event::Text(part) if is_text => text.push_str(&part),
            Event::GeneralRef(entity) if is_text => {
                let whole = format!("&{};", &*entity);
                text.push_str(&quick_xml::escape::unescape(&whole)?);
            }
            Event::End(tag) if tag.name().as_ref() == "text" => {
                is_text = false;
                sentences.push(Sentence {
                    text: TokenizedText::new(&text),
                    original: text.clone(),
                    terms: Vec::new(),
                });
            }
            Event::Empty(tag) => {
                let sentence = sentences.last_mut().context("a term before any text")?;
                sentence.terms.extend(term(&tag)?);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    ensure!(!sentences.is_empty(), "no sentences");
    Ok(sentences)
}

impl Sentence {
    /// The parts of the sentence in which all terms have the same label, with that label.
    fn parts(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        let Self { text, terms, .. } = self;
        let parts = NgramTokens::read(text, 0..text.tokens().len()).parts();
        parts.into_iter().filter_map(|part| {
            let span = text.span(part.clone());
            let mut labels = terms
                .iter()
                .filter(|(at, _)| (span.start..span.end).contains(at))
                .map(|(_, label)| *label);
            let label = labels.next()?;
            labels.all(|other| other == label).then_some((part, label))
        })
    }

    fn add(&self, examples: &mut Examples) {
        for (part, label) in self.parts() {
            let weight = if label == NEUTRAL { NEUTRAL_TERM } else { 1.0 };
            examples.add_part(&self.text, part, one_of(label), weight);
        }
    }
}

fn term(tag: &BytesStart<'_>) -> anyhow::Result<Option<(u32, usize)>> {
    let value = |name: &str| -> anyhow::Result<String> {
        let attribute = tag
            .try_get_attribute(name)?
            .with_context(|| format!("no {name}"))?;
        Ok(attribute
            .normalized_value(XmlVersion::Implicit1_0)?
            .into_owned())
    };
    let polarity = value("polarity")?;
    let label = LABELS.iter().position(|label| *label == polarity);
    Ok(label
        .zip(value("from")?.parse().ok())
        .map(|(label, at)| (at, label)))
}
