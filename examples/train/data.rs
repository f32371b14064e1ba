//! The annotated sentences: read, with the SHA-256 of every file that was read.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use reviews_service::hash;
use reviews_service::insights::text::Text;
use sha2::{Digest as _, Sha256};

/// What a judgement is of.
#[derive(Debug, Clone)]
pub enum About {
    /// The sentence as a whole, without an anchor.
    Whole,
    /// The tokens that stand for it.
    Tokens(Range<usize>),
    /// Something of this category.
    Category(String),
}

/// A sentence with what it says of one thing.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The whole sentence, a term in it, or a category.
    pub about: About,
    /// 0 negative, 1 neutral, 2 positive.
    pub label: usize,
}

/// An annotated sentence with all its judgements.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// Its letters and digits, by which equal sentences are told.
    pub same: String,
    /// The sentence, cut up.
    pub text: Text,
    /// The annotators' judgements, in the order of the file.
    pub judgements: Vec<Judgement>,
}

impl Sentence {
    fn new(original: &str) -> Self {
        let same = original
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect();
        Self {
            same,
            text: Text::new(original),
            judgements: Vec::new(),
        }
    }

    /// The range of all tokens of the sentence.
    pub fn scope(&self) -> Range<usize> {
        0..self.text.tokens().len()
    }
}

/// A folder of data, and which of its files were read.
pub struct Folder {
    path: PathBuf,
    /// Path and SHA-256 of each file that was read, in the order of reading.
    pub inputs: Vec<(String, String)>,
}

impl Folder {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            inputs: Vec::new(),
        }
    }

    fn read(&mut self, file: &str) -> anyhow::Result<String> {
        let path = self.path.join(file);
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        self.inputs.push((file.to_owned(), hex(&bytes)));
        Ok(String::from_utf8(bytes)?)
    }

    /// A file of MAMS: `acsa` (categories) or `atsa` (terms).
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "of XML's events four matter here"
    )]
    pub fn mams(&mut self, file: &str) -> anyhow::Result<Vec<Sentence>> {
        let xml = self.read(&format!("mams/{file}.xml"))?;
        let mut analyzer = Reader::from_str(&xml);
        let (mut sentences, mut text, mut is_text) = (Vec::new(), String::new(), false);
        loop {
            match analyzer.read_event()? {
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
                    sentences.push(Sentence::new(&text));
                }
                Event::Empty(tag) => {
                    let sentence = sentences
                        .last_mut()
                        .context("a judgement before any text")?;
                    sentence
                        .judgements
                        .extend(judgement(&tag, &text, &sentence.text)?);
                }
                Event::Eof => break,
                _ => {}
            }
        }
        ensure!(!sentences.is_empty(), "{file}: no sentences");
        Ok(sentences)
    }

    /// The sentences of UCI: text, tab, 0 or 1.
    pub fn uci(&mut self) -> anyhow::Result<Vec<Sentence>> {
        let lines = self.read("uci_sentences/yelp_labelled.txt")?;
        let sentence = |line: &str| {
            let (text, label) = line.trim_end().rsplit_once('\t').context("no tab")?;
            let label = if label == "1" { 2 } else { 0 };
            Ok(Sentence {
                judgements: vec![Judgement {
                    about: About::Whole,
                    label,
                }],
                ..Sentence::new(text)
            })
        };
        lines
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(sentence)
            .collect()
    }
}

fn judgement(
    tag: &BytesStart<'_>,
    original: &str,
    text: &Text,
) -> anyhow::Result<Option<Judgement>> {
    let value = |name: &str| -> anyhow::Result<String> {
        let attribute = tag
            .try_get_attribute(name)?
            .with_context(|| format!("no {name}"))?;
        Ok(attribute
            .normalized_value(XmlVersion::Implicit1_0)?
            .into_owned())
    };
    let label = match value("polarity")?.as_str() {
        "negative" => 0,
        "neutral" => 1,
        "positive" => 2,
        _ => return Ok(None),
    };
    let about = if tag.name().as_ref() == "aspectCategory" {
        About::Category(value("category")?)
    } else {
        let (from, to): (u32, u32) = (value("from")?.parse()?, value("to")?.parse()?);
        let term: String = original
            .chars()
            .skip(from as usize)
            .take((to - from) as usize)
            .collect();
        ensure!(term == value("term")?, "{term:?} is not at its place");
        let inside: Vec<usize> = (0..text.tokens().len())
            .filter(|at| text.tokens()[*at].span.start < to && text.tokens()[*at].span.end > from)
            .collect();
        let (Some(first), Some(last)) = (inside.first(), inside.last()) else {
            return Ok(None);
        };
        About::Tokens(*first..last + 1)
    };
    Ok(Some(Judgement { about, label }))
}

/// The SHA-256 of `bytes`, in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    hash::hex(&Sha256::digest(bytes))
}

/// Takes out the sentences that are also in `others`, and tells how many those were.
pub fn without(sentences: &mut Vec<Sentence>, others: &[Sentence]) -> usize {
    let others: BTreeSet<&str> = others.iter().map(|other| other.same.as_str()).collect();
    let before = sentences.len();
    sentences.retain(|sentence| !others.contains(sentence.same.as_str()));
    before - sentences.len()
}
