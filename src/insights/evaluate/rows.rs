//! Annotated files: tab-separated, a header, then one row per text and aspect.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::insights::analysis::Polarity;

/// The first line of every file.
const HEADER: &str = "text\taspect\tpolarity";

/// One judgement of an annotator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedRow {
    /// Trimmed.
    pub text: String,
    /// Id of the aspect.
    pub aspect: String,
    /// Positive, negative or neutral.
    pub polarity: Polarity,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct RowError {
    /// As given to [`rows`].
    pub file: String,
    /// From 1.
    pub line: usize,
    /// The problem, and the valid form.
    pub message: String,
}

/// Maximum number of characters of a message, which is limited because it repeats the file's content.
const MESSAGE_CHARACTERS_MAX: usize = 1_000;

impl RowError {
    pub(super) fn new(file: &str, line: usize, message: &str) -> Self {
        Self {
            file: file.to_owned(),
            line,
            message: message.chars().take(MESSAGE_CHARACTERS_MAX).collect(),
        }
    }
}

/// `aspects` are the valid ids.
///
/// # Errors
/// The first invalid line.
pub fn rows(file: &str, content: &str, aspects: &[&str]) -> Result<Vec<AnnotatedRow>, RowError> {
    let fault = |line: usize, message: String| RowError::new(file, line, &message);
    let mut lines = (1..).zip(content.lines());
    if lines
        .next()
        .map(|(_, line)| line.trim_start_matches('\u{FEFF}').trim_end())
        != Some(HEADER)
    {
        return Err(fault(
            1,
            "the first line must be `text`, `aspect`, `polarity`, with tabs between".to_owned(),
        ));
    }
    let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line
            .trim_end_matches(['\r', '\n'])
            .split('\t')
            .map(str::trim)
            .collect();
        let [text, aspect, polarity] = fields[..] else {
            return Err(fault(
                number,
                format!(
                    "a row has 3 fields with tabs between, this one {}",
                    fields.len()
                ),
            ));
        };
        if text.is_empty() {
            return Err(fault(number, "the text is empty".to_owned()));
        }
        if !aspects.contains(&aspect) {
            return Err(fault(
                number,
                format!("`{aspect}` is not one of {}", aspects.join(", ")),
            ));
        }
        let polarity = match Polarity::find(polarity) {
            Some(polarity) if polarity != Polarity::Uncertain => polarity,
            _ => {
                return Err(fault(
                    number,
                    format!("`{polarity}` is not one of positive, negative, neutral"),
                ));
            }
        };
        if !seen.insert((text, aspect)) {
            return Err(fault(
                number,
                format!("`{aspect}` of this text is a duplicate"),
            ));
        }
        rows.push(AnnotatedRow {
            text: text.to_owned(),
            aspect: aspect.to_owned(),
            polarity,
        });
    }
    if rows.is_empty() {
        return Err(fault(1, "no rows below the header".to_owned()));
    }
    Ok(rows)
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
pub fn reviews(file: &str, content: &str) -> Result<Vec<AnnotatedReview>, RowError> {
    let lines = (1..).zip(content.lines());
    let reviews: Vec<AnnotatedReview> = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| review(line).map_err(|message| RowError::new(file, number, &message)))
        .collect::<Result<_, _>>()?;
    if reviews.is_empty() {
        return Err(RowError::new(file, 1, "the file has no reviews"));
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
        let polarity = Polarity::find(&finding.polarity)
            .filter(|polarity| *polarity != Polarity::Uncertain)
            .ok_or_else(|| {
                format!(
                    "`{}` is not one of positive, negative, neutral",
                    finding.polarity
                )
            })?;
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
