//! The name of a column, read once: the rules for fields and those for visibility compare these parts of it.

use std::sync::LazyLock;

use crate::imports::map::values::{Names, WORDS, is_in, letters, names};
use crate::model::text::words;

/// A column's name without the number before a question and the marks after it: `4. Rating (1-5) *` is `Rating (1-5)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// Without objects that only hold members of the object around them: `reply.private` for `reply.meta.private`.
    pub path: String,
    /// Its letters and digits.
    pub letters: String,
    /// Its words before brackets and a scale: `rating`.
    core: Vec<String>,
    /// All its words; a comma stands for any mark between them. A choice such as `(yes/no)`, and a mark of a question that
    /// must be answered, are left out.
    pub words: Vec<String>,
    pub is_question: bool,
}

impl Header {
    pub fn new(name: &str) -> Self {
        let plain = without_number(name);
        let is_held = |part: &&str| !is_in(&WORDS.containers, part.trim_end_matches("[]"));
        let path = if plain.contains(' ') {
            // The words of a sentence are no path.
            plain.replace(". ", ", ").replace('.', " ")
        } else {
            let parts: Vec<&str> = plain.split('.').filter(is_held).collect();
            parts.join(".")
        };
        let path = if path.is_empty() {
            plain.to_owned()
        } else {
            path
        };
        Self {
            letters: letters(&path).collect(),
            core: core(&path),
            words: split_words(&path),
            is_question: name.contains('?'),
            path,
        }
    }

    /// Whether it is `name`, but for case, accents and punctuation.
    pub fn is(&self, name: &str) -> bool {
        letters(name).eq(self.letters.chars())
    }

    /// Whether it is `name` before brackets and a scale.
    pub fn begins(&self, name: &str) -> bool {
        letters(name).eq(self.core.iter().flat_map(|word| word.chars()))
    }

    /// Whether it has one of these words or phrases.
    pub fn contains(&self, list: Names) -> bool {
        let text = format!(" {} ", self.words.join(" "));
        names(list).any(|word| text.contains(&words(word)))
    }

    /// Whether it is made of one of the words `known`, and of `neutral` ones.
    pub fn is_made_of(&self, known: Names, neutral: Names) -> bool {
        let is_known = |word: &String| is_in(known, word);
        self.core.iter().any(is_known)
            && self
                .core
                .iter()
                .all(|word| is_known(word) || is_in(neutral, word))
    }
}

/// The words before brackets, without a scale at their end: `Rating 1-5`, `Note sur 5`, `Stars / 5`.
fn core(name: &str) -> Vec<String> {
    let name = name.replace(" [", "(");
    let before = name.split('(').next().unwrap_or_default();
    let mut core = split_words(before);
    core.retain(|word| word != ",");
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    if core.last().is_some_and(is_number) {
        while core
            .pop_if(|word| is_number(word) || is_in(&WORDS.scale, word))
            .is_some()
        {}
    }
    core
}

/// A name without the number before a question and the marks after it: `4. May we publish it?`, `Q4) Do not publish.`
fn without_number(name: &str) -> &str {
    let name = name.trim().trim_end_matches(['.', '?', '!', '*', ':', ' ']);
    let (number, rest) = name.split_once(' ').unwrap_or(("", name));
    let is_number = number.len() <= 5
        && number.ends_with(['.', ')', ':'])
        && (number.len() == 2 || number.contains(|c: char| c.is_ascii_digit()));
    // `5 stars` counts.
    let is_sentence = number.parse::<f64>().is_ok() && rest.split_whitespace().count() >= 3;
    if is_number || is_sentence {
        rest.trim_start()
    } else {
        name
    }
}

/// Choices in a name, as words with blanks around them.
static CHOICES: LazyLock<Vec<String>> =
    LazyLock::new(|| names(&WORDS.choices).map(words).collect());

/// The words of a name or a cell, without accents, as [`Header::words`]: `isReviewHidden` and `Is review hidden?` have the same
/// ones.
pub fn split_words(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    // `[required]`, but not `replies[]`
    let name = name.replace(" [", " (");
    for part in name.split([',', ';', ':', '(', ')', '!', '?', '–', '—']) {
        let mut spaced = String::new();
        let mut is_lower = false;
        for letter in part.chars() {
            if is_lower && letter.is_uppercase() {
                spaced.push(' ');
            }
            is_lower = letter.is_lowercase();
            match letter {
                '/' => spaced.push_str(" or "),
                letter => spaced.push(letter),
            }
        }
        let mut part = words(&spaced);
        for choice in CHOICES.iter() {
            part = part.replace(choice, " ");
        }
        if !part.trim().is_empty() && !is_in(&WORDS.required, part.trim()) {
            parts.push(part);
        }
    }
    let all = parts.join(",").replace(',', " , ");
    all.split_whitespace().map(str::to_owned).collect()
}
