//! The one way for text to get into a page: what means something to HTML is written as a reference, and no control character but
//! white space may stand in a page (HTML §13.2.3.5).

use std::fmt;

use askama::filters::Escaper;

/// The escaping of every template (`askama.toml` names it).
#[derive(Debug, Clone, Copy, Default)]
pub struct Html;

impl Escaper for Html {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.write_escaped_char(&mut dest, c))
    }

    fn write_escaped_char<W: fmt::Write>(&self, mut dest: W, c: char) -> fmt::Result {
        match c {
            '&' => dest.write_str("&amp;"),
            '<' => dest.write_str("&lt;"),
            '>' => dest.write_str("&gt;"),
            '"' => dest.write_str("&quot;"),
            '\'' => dest.write_str("&#39;"),
            c if c.is_control() && !matches!(c, '\n' | '\r' | '\t') => dest.write_char(char::REPLACEMENT_CHARACTER),
            c => dest.write_char(c),
        }
    }
}

/// Text made safe outside of a template.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    // Writing into a String cannot fail.
    let _ = Html.write_escaped_str(&mut escaped, text);
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_in_a_text_is_markup() {
        let hostile = "<script>alert(\"1\")</script> & 'x'\u{0}\u{8}\n";
        let shown = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;\u{FFFD}\u{FFFD}\n";
        assert_eq!(escaped(hostile), shown);
    }
}
