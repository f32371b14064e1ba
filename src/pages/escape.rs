//! HTML escaping of all text: special characters become references, and control characters except white space are
//! replaced (HTML §13.2.3.5 forbids them).

use std::fmt;

use askama::filters::Escaper;

/// The escaper of every template (`askama.toml` names it).
#[derive(Debug, Clone, Copy, Default)]
pub struct Html;

impl Escaper for Html {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        // Copies whole runs, because most characters need no escape.
        let mut rest = text;
        while let Some(at) = rest.find(means_something) {
            let (plain, found) = rest.split_at(at);
            dest.write_str(plain)?;
            let mut chars = found.chars();
            if let Some(c) = chars.next() {
                self.write_escaped_char(&mut dest, c)?;
            }
            rest = chars.as_str();
        }
        dest.write_str(rest)
    }

    fn write_escaped_char<W: fmt::Write>(&self, mut dest: W, c: char) -> fmt::Result {
        match c {
            '&' => dest.write_str("&amp;"),
            '<' => dest.write_str("&lt;"),
            '>' => dest.write_str("&gt;"),
            '"' => dest.write_str("&quot;"),
            '\'' => dest.write_str("&#39;"),
            c if means_something(c) => dest.write_char(char::REPLACEMENT_CHARACTER),
            c => dest.write_char(c),
        }
    }
}

fn means_something(c: char) -> bool {
    matches!(c, '&' | '<' | '>' | '"' | '\'')
        || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

#[cfg(test)]
mod tests {
    use askama::filters::Escaper;

    use super::Html;

    #[test]
    fn control_characters_are_replaced_and_all_others_stay() {
        for c in '\0'..='\u{FF}' {
            let shown = match c {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' => "&gt;",
                '"' => "&quot;",
                '\'' => "&#39;",
                '\n' | '\r' | '\t' | ' '..='~' | '\u{A0}'.. => &c.to_string(),
                _ => "\u{FFFD}",
            };
            assert_eq!(escaped(&format!("é{c}★")), format!("é{shown}★"), "{c:?}");
        }
    }

    fn escaped(text: &str) -> String {
        let mut escaped = String::new();
        Html.write_escaped_str(&mut escaped, text).unwrap();
        escaped
    }
}
