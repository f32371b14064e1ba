//! Word frequencies in reviews of other trades, so that topics are words that these reviews use more often than others.

use std::sync::LazyLock;

use crate::insights::text::{Fingerprint, WordMap};

/// A line for each word with the number of sentences that contain it, a tab between; other lines are comments.
const TABLE: &str = include_str!("../trades/shared/background.tsv");
/// Number of all sentences.
const SENTENCES: f64 = 6_293.0;

/// The counts by the word's fingerprint.
static COUNTS: LazyLock<WordMap<u16>> = LazyLock::new(|| {
    let count = |line: &str| {
        let (word, count) = line.split_once('\t')?;
        Some((Fingerprint::of(word), count.parse().ok()?))
    };
    TABLE.lines().filter_map(count).collect()
});

/// The number of sentences that contain the word with that fingerprint.
pub fn count_elsewhere(fingerprint: u64) -> u16 {
    COUNTS.get(&fingerprint).copied().unwrap_or_default()
}

/// The share of sentences that contain a word; never 0, because the table is only a sample.
pub fn share_elsewhere(word: &str) -> f64 {
    (f64::from(count_elsewhere(Fingerprint::of(word))) + 0.5) / SENTENCES
}

#[cfg(test)]
mod tests {
    use super::{COUNTS, TABLE, share_elsewhere};

    #[test]
    fn the_table_has_the_stated_number_of_sentences_and_words() {
        assert!(TABLE.contains(" 6293 sentences") && COUNTS.len() == 3_148);
        assert!(share_elsewhere("food") > 0.05 && share_elsewhere("xyz") > 0.0);
    }
}
