//! Other people's sentences, from which polarity is learned too: how praise and blame sound in real
//! reviews of other things. They are not part of this repository.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use reviews_service::insights::classifier::LABELS;
use reviews_service::insights::classifier::ngrams::NgramTokens;
use reviews_service::insights::text::TokenizedText;

use crate::examples::{Examples, one_of};

/// Terms of MAMS: 44 of 100 are neutral there, of those in reviews about 17.
const NEUTRAL_TERM: f64 = 0.3;
/// From here on twenty people's mean is praise or blame.
const JUDGES: f64 = 0.7;
/// Up to here it is neither.
const IS_NEITHER: f64 = 0.35;
const NEITHER: f64 = 0.5;
const NEGATIVE: usize = 0;
const NEUTRAL: usize = 1;
const POSITIVE: usize = 2;

/// Adds all of them from `data`.
pub fn add(data: &Path, examples: &mut Examples) -> anyhow::Result<()> {
    for split in ["train", "val"] {
        terms(&read(data, &format!("mams/atsa_{split}.xml"))?, examples)?;
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

/// Sentences that twenty people rated: id, mean, text.
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

/// A sentence with its terms: the characters that each begins at, and its label.
struct Sentence {
    text: TokenizedText,
    terms: Vec<(u32, usize)>,
}

/// Sentences of MAMS with a label for each term: the parts of a sentence whose terms are alike.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "of XML's events four matter here"
)]
fn terms(xml: &str, examples: &mut Examples) -> anyhow::Result<()> {
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
    for sentence in &sentences {
        sentence.add(examples);
    }
    Ok(())
}

impl Sentence {
    fn add(&self, examples: &mut Examples) {
        let Self { text, terms } = self;
        for part in NgramTokens::read(text, 0..text.tokens().len()).parts() {
            let span = text.span(part.clone());
            let mut labels = terms
                .iter()
                .filter(|(at, _)| (span.start..span.end).contains(at))
                .map(|(_, label)| *label);
            let Some(label) = labels.next() else { continue };
            if labels.all(|other| other == label) {
                let weight = if label == NEUTRAL { NEUTRAL_TERM } else { 1.0 };
                examples.add_part(text, part, one_of(label), weight);
            }
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
