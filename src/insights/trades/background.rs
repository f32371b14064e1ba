//! Word frequencies in reviews of other trades, so that topics are words that these reviews use more often than others.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use super::errors::{TradeErrors, read_table};
use crate::insights::text::{Fingerprint, WordMap};
use crate::model::hex;

/// The number of sentences that contain each word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Background {
    /// By the word's fingerprint.
    counts: WordMap<u16>,
    sentences: u32,
    /// SHA-256 of the table, in hexadecimal.
    pub digest: String,
}

impl Background {
    /// The table for trades without a table of their own.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Background> = LazyLock::new(|| {
            // A test verifies that it can be read.
            let text = include_str!("shared/background.tsv");
            Background::parse("background.tsv", text).unwrap_or_default()
        });
        &SHARED
    }

    /// Reads a table: the first line is a comment with the number of sentences, `# 6293 sentences`; each other line is
    /// a word and its count, separated by a tab, or a comment.
    ///
    /// # Errors
    /// Every invalid line.
    pub fn parse(name: &str, text: &str) -> Result<Self, TradeErrors> {
        let first = text.lines().next().and_then(|line| line.strip_prefix('#'));
        let mut numbers = first.unwrap_or_default().split_whitespace();
        let sentences = numbers
            .find_map(|word| word.parse().ok())
            .filter(|sentences: &u32| *sentences > 0);
        let fault = sentences
            .is_none()
            .then(|| "the first line must be `# 6293 sentences`".to_owned());
        let row = |line: &str| {
            if line.starts_with('#') {
                // A comment.
                return Some(None);
            }
            let (word, count) = line.split_once('\t')?;
            Some(Some((Fingerprint::of(word), count.parse().ok()?)))
        };
        let expected = "write a word and its count, a tab between";
        let rows = read_table(name, text, fault, expected, row)?;
        Ok(Self {
            counts: rows.into_iter().flatten().collect(),
            sentences: sentences.unwrap_or(1),
            digest: hex(&Sha256::digest(text)),
        })
    }

    /// The number of sentences that contain the word with that fingerprint.
    pub fn count_of(&self, fingerprint: u64) -> u16 {
        self.counts.get(&fingerprint).copied().unwrap_or(0)
    }

    /// The share of sentences that contain a word; never 0, because the table is only a sample.
    pub fn share(&self, word: &str) -> f64 {
        (f64::from(self.count_of(Fingerprint::of(word))) + 0.5) / f64::from(self.sentences.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::Background;

    #[test]
    fn the_shared_table_is_valid_and_errors_name_the_line() {
        let shared = Background::shared();
        assert_eq!((shared.sentences, shared.counts.len()), (6_293, 3_148));
        let text = "# 10 sentences\nfood\t4\n# a remark\nbar\n";
        let faults = Background::parse("b.tsv", text).unwrap_err();
        assert_eq!(
            faults.to_string(),
            "b.tsv:4: write a word and its count, a tab between"
        );
        let table = Background::parse("b.tsv", "# 10 sentences\nfood\t4\n").unwrap();
        assert!((table.share("food") - 0.45).abs() < 1e-9 && table.share("bar") > 0.0);
        assert!(Background::parse("b.tsv", "food\t4\n").is_err());
    }
}
