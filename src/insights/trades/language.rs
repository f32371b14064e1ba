//! A package in a language other than English: a folder named by the language's code, with phrases for the package's
//! aspects. Also determines which findings in that language may be published.

use std::borrow::Cow;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::parse::{line, parse_language};
use super::{Measured, PackageLanguage, Trade, TradeError, TradeErrors, digest};
use crate::insights::text::LanguageWords;
use crate::model::hash::hex;

/// Task name of the precision figures: for the judgements in whole reviews, and, as a prefix, for those of one aspect.
const FINDING: &str = "finding";
const PRECISION: &str = "precision";

impl PackageLanguage {
    /// Reads a `language.toml` and the weights beside it.
    ///
    /// # Errors
    /// The error in the file.
    pub fn read(
        name: &str,
        text: &str,
        polarity: Option<Cow<'static, [u8]>>,
    ) -> Result<Self, TradeErrors> {
        let words = LanguageWords::parse(text).map_err(|(at, message)| {
            TradeErrors(vec![TradeError {
                file: name.to_owned(),
                line: line(text, at),
                message,
            }])
        })?;
        Ok(Self {
            words: Arc::new(words),
            polarity,
            digest: hex(&Sha256::digest(text)),
        })
    }
}

impl Trade {
    /// The same trade in another language, with its own phrases and the shared phrases of the language.
    ///
    /// # Errors
    /// All errors, with their files and lines.
    pub fn translated(
        &self,
        language: Arc<PackageLanguage>,
        own: &[(&str, &str)],
        shared: &[(&str, &str)],
    ) -> Result<Self, TradeErrors> {
        let mut trade = parse_language(self, language, own, shared)?;
        let shared = shared.iter().filter(|_| self.is_sharing);
        trade.digest = digest(own.iter().chain(shared));
        Ok(trade)
    }

    /// A hash of everything that determines the analysis of a text in another language, in hexadecimal: phrases, words,
    /// weights, and the published aspects.
    #[must_use]
    pub fn method(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.digest());
        if let Some(language) = &self.language {
            hash.update(&language.digest);
            hash.update(language.polarity.as_deref().unwrap_or_default());
        }
        hash.update(self.classifier.as_deref().unwrap_or_default());
        for aspect in self.published_aspects() {
            hash.update((aspect as u64).to_be_bytes());
        }
        hex(&hash.finalize())
    }

    /// The indices of the aspects whose findings are published: all in English, and all in a language without a
    /// required precision. Otherwise the aspects with sufficient precision in held-out texts; for an aspect with too
    /// few judgements there, the precision of all aspects together decides.
    #[must_use]
    pub fn published_aspects(&self) -> Vec<usize> {
        let Some(from) = &self.language_words().published_from else {
            return (0..self.aspects.len()).collect();
        };
        let of = |task: &str| {
            let is_it = |one: &&Measured| {
                (one.set.as_str(), one.measure.as_str(), one.task.as_str())
                    == (from.set.as_str(), PRECISION, task)
            };
            self.quality.iter().find(is_it)
        };
        let is_enough = |one: &Measured| one.part * 100 >= one.whole * from.precision;
        let is_whole_enough = of(FINDING).is_some_and(is_enough);
        let is_published = |id: &str| match of(&aspect_task(id)) {
            Some(one) if one.whole >= from.least => is_enough(one),
            _ => is_whole_enough,
        };
        let all = self.aspects.iter().zip(0..);
        all.filter(|(aspect, _)| is_published(&aspect.id))
            .map(|(_, index)| index)
            .collect()
    }
}

/// The task name for the judgements about one aspect in `quality.tsv`.
#[must_use]
pub fn aspect_task(id: &str) -> String {
    format!("{FINDING}:{id}")
}
