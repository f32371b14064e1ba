//! A review's text with its matches marked. As HTML: the text is escaped here, and the marks are the only markup.

use std::fmt;
use std::ops::Range;

use askama::filters::Escaper;

use super::escape::Html;
use crate::search::TextFinder;

/// Maximum number of marks per text; a query of one letter has hundreds of matches.
const MARKS_MAX: usize = 10;

#[derive(Debug, Clone, Default)]
pub struct MarkedText {
    text: String,
    /// Ascending and disjoint.
    found: Vec<Range<usize>>,
}

impl From<String> for MarkedText {
    fn from(text: String) -> Self {
        Self {
            text,
            found: Vec::new(),
        }
    }
}

impl MarkedText {
    /// Marks the first matches of `finder`.
    pub fn mark(&mut self, finder: &TextFinder<'_>) {
        self.found = finder.found_in(&self.text);
        self.found.truncate(MARKS_MAX);
    }

    #[must_use]
    pub const fn is_marked(&self) -> bool {
        !self.found.is_empty()
    }

    /// The text without marks.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl fmt::Display for MarkedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut at = 0;
        for range in &self.found {
            Html.write_escaped_str(&mut *f, &self.text[at..range.start])?;
            f.write_str("<mark>")?;
            Html.write_escaped_str(&mut *f, &self.text[range.clone()])?;
            f.write_str("</mark>")?;
            at = range.end;
        }
        Html.write_escaped_str(f, &self.text[at..])
    }
}

#[cfg(test)]
mod tests {
    use super::MarkedText;
    use crate::model::{ReviewFilter, SearchArguments, TextMatch};
    use crate::search::TextFinder;

    #[test]
    fn what_was_found_is_marked_and_everything_is_escaped() {
        let filter = ReviewFilter::new(&SearchArguments {
            query: Some("b leaks".to_owned()),
            text_match: TextMatch::Words,
            ..SearchArguments::default()
        });
        let mut text = MarkedText::from("<b>Leaky</b> & \"leak\" <mark>".to_owned());
        assert!(!text.is_marked());
        text.mark(&TextFinder::new(&filter).unwrap());
        assert_eq!(
            text.to_string(),
            "&lt;b&gt;<mark>Leaky</mark>&lt;/b&gt; &amp; &quot;<mark>leak</mark>&quot; &lt;mark&gt;"
        );
    }
}
