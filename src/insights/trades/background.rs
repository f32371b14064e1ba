//! Word frequencies in reviews of other trades, so that topics are words that these reviews use more often than others.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use super::TradeError;
use crate::insights::text::{Fingerprint, WordMap};
use crate::model::hash::hex;

/// The number of sentences that contain each word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Background {
    /// By the word's fingerprint.
    counts: WordMap<u16>,
    sentences: u32,
    digest: String,
}

impl Background {
    /// The table for trades without a table of their own.
    #[must_use]
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
    pub fn parse(name: &str, text: &str) -> Result<Self, Vec<TradeError>> {
        let fault = |line: usize, message: &str| TradeError {
            file: name.to_owned(),
            line,
            message: message.to_owned(),
        };
        let first = text.lines().next().and_then(|line| line.strip_prefix('#'));
        let mut numbers = first.unwrap_or_default().split_whitespace();
        let sentences = numbers.find_map(|word| word.parse().ok());
        let (mut counts, mut faults) = (WordMap::default(), Vec::new());
        if sentences.is_none_or(|sentences: u32| sentences == 0) {
            faults.push(fault(1, "the first line must be `# 6293 sentences`"));
        }
        let lines = text.lines().zip(1..).skip(1);
        for (line, number) in lines.filter(|(line, _)| !line.starts_with('#')) {
            let row = line.split_once('\t');
            match row.and_then(|(word, count)| Some((word, count.parse().ok()?))) {
                Some((word, count)) => drop(counts.insert(Fingerprint::of(word), count)),
                None => faults.push(fault(number, "write a word and its count, a tab between")),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            counts,
            sentences: sentences.unwrap_or(1),
            digest: hex(&Sha256::digest(text)),
        })
    }

    /// SHA-256 of the table, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The number of sentences that contain the word with that fingerprint.
    #[must_use]
    pub fn count_of(&self, fingerprint: u64) -> u16 {
        self.counts.get(&fingerprint).copied().unwrap_or(0)
    }

    /// The share of sentences that contain a word; never 0, because the table is only a sample.
    #[must_use]
    pub fn share(&self, word: &str) -> f64 {
        (f64::from(self.count_of(Fingerprint::of(word))) + 0.5) / f64::from(self.sentences.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::Background;

    #[test]
    fn the_shared_table_can_be_read_and_faults_are_told_with_their_line() {
        let shared = Background::shared();
        assert_eq!((shared.sentences, shared.counts.len()), (6_293, 3_148));
        let text = "# 10 sentences\nfood\t4\n# a remark\nbar\n";
        let faults = Background::parse("b.tsv", text).unwrap_err();
        assert_eq!(faults.len(), 1);
        assert_eq!(
            faults[0].to_string(),
            "b.tsv:4: write a word and its count, a tab between"
        );
        let table = Background::parse("b.tsv", "# 10 sentences\nfood\t4\n").unwrap();
        assert!((table.share("food") - 0.45).abs() < 1e-9 && table.share("bar") > 0.0);
        assert!(Background::parse("b.tsv", "food\t4\n").is_err());
    }
}
