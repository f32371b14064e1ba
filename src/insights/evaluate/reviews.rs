//! Annotated files of whole reviews: one JSON object a line.

use serde::Deserialize;

use super::rows::RowError;
use crate::insights::analysis::Polarity;

/// A review with what annotators found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedReview {
    /// The review's text.
    pub text: String,
    /// Its language, BCP 47, where that is known.
    pub language: Option<String>,
    /// The id of the package that its trade is read with, where that is known.
    pub package: Option<String>,
    /// Its stars, 1 to 5.
    pub stars: Option<u8>,
    /// Each aspect that is judged or told of, how, and where in the text the words begin, in code
    /// points.
    pub findings: Vec<(String, Polarity, u32)>,
}

/// A line as it stands in the file; other members are for people.
#[derive(Deserialize)]
struct Line {
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

/// Reads a file's reviews.
///
/// # Errors
/// The first line that is no annotated review, and why.
pub fn reviews(file: &str, content: &str) -> Result<Vec<AnnotatedReview>, RowError> {
    let lines = (1..).zip(content.lines());
    let reviews: Vec<AnnotatedReview> = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| review(line).map_err(|message| RowError::new(file, number, &message)))
        .collect::<Result<_, _>>()?;
    if reviews.is_empty() {
        return Err(RowError::new(file, 1, "there are no reviews"));
    }
    Ok(reviews)
}

fn review(line: &str) -> Result<AnnotatedReview, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| {
        format!(
            "{error}; a line is an object with `text` and, where known, `stars`, `package` and \
             `findings`, each with `aspect`, `polarity` and `quote`"
        )
    })?;
    if let Some(stars) = line.stars.filter(|stars| !(1..=5).contains(stars)) {
        return Err(format!("`stars` is {stars}, and is to be 1 to 5"));
    }
    let mut findings = Vec::with_capacity(line.findings.len());
    for finding in line.findings {
        let polarity = Polarity::find(&finding.polarity)
            .filter(|polarity| *polarity != Polarity::Uncertain)
            .ok_or_else(|| {
                format!(
                    "`{}` is none of positive, negative, neutral",
                    finding.polarity
                )
            })?;
        let at = line
            .text
            .find(&finding.quote)
            .ok_or_else(|| format!("the text does not say `{}`", finding.quote))?;
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
