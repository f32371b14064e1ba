//! Messages repeat what stands in other people's files and names, and a terminal obeys some characters
//! instead of showing them: those are shown as Rust writes them, `\u{1b}`. What is printed as data
//! (`export`, `--rejects`) is not a message.

use std::fmt::Write as _;

/// `text` without anything that a terminal obeys, but for line ends and tabs.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) {
            // Writing to a String cannot fail.
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Control characters (ECMA-48), and those that turn the direction of what follows (Unicode
/// Standard Annex #9).
fn is_obeyed(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_a_terminal_would_obey_is_shown_and_all_else_stays() {
        assert_eq!(
            visible("a\u{1b}]0;b\u{7}\r\u{9b}1m\u{202e}c"),
            "a\\u{1b}]0;b\\u{7}\\r\\u{9b}1m\\u{202e}c"
        );
        let plain = "Zoë: 5 ★\n\tשלום \u{1f642}\n";
        assert_eq!(visible(plain), plain);
    }
}
