//! The words in `words.toml`, by which dates and columns of other platforms' files are read.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

/// The file `words.toml`. Lists of words are separated by `, `.
pub static WORDS: LazyLock<Words> =
    LazyLock::new(|| match toml::from_str(include_str!("words.toml")) {
        Ok(words) => words,
        // A test reads the file.
        Err(error) => unreachable!("words.toml: {error}"),
    });

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Beginnings of names, English ones first.
    pub months: [String; 12],
    pub weekdays: String,
    pub public: String,
    pub hidden: String,
    pub answers: String,
    pub owners: String,
    pub parts: String,
    pub kinds: String,
    /// In minutes east of UTC.
    pub offsets: HashMap<String, i64>,
    pub columns: BTreeMap<Says, String>,
}

/// The meaning of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// The values are words for the state.
    State,
    /// Yes means public.
    Public,
    /// Yes means hidden.
    Hidden,
    /// A time since which it is hidden.
    HiddenSince,
    /// A kind, which may be private or not.
    #[serde(skip)]
    Kind,
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn the_file_of_words_can_be_read() {
        let words: Words = toml::from_str(include_str!("words.toml")).unwrap();
        assert_eq!(words.columns.len(), 4);
        // Dates are read with the first three letters.
        assert!(
            words
                .months
                .iter()
                .all(|month| month.get(3..4) == Some(","))
        );
    }
}
