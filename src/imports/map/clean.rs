//! The one step that the cells of all formats but the native one pass through: words that say "empty", HTML where the
//! format's texts are HTML, Google's translations, and Unicode composition (NFC).

use html5gum::{Token, Tokenizer};
use unicode_normalization::UnicodeNormalization as _;

use crate::imports::map::fields::{Names, names};

/// Words that say that a value is empty, in any case.
const EMPTY: Names = "none, nan, null, n/a, -, undefined";
/// The same of an author, exactly so: there are people called Nan and Null.
const NOBODY: Names = "None, nan, NaN, NULL, null, N/A, n/a, -, undefined";

/// Whether a value is blank or only says that it is empty.
pub fn is_empty(text: &str, is_author: bool) -> bool {
    let text = text.trim();
    let is_any = |list: Names, is: &dyn Fn(&str) -> bool| names(list).any(is);
    text.is_empty()
        || text.len() <= 9
            && if is_author {
                is_any(NOBODY, &|word| word == text)
            } else {
                is_any(EMPTY, &|word| word.eq_ignore_ascii_case(text))
            }
}

/// A text as it is published.
pub fn clean(text: &str, is_html: bool, is_google: bool) -> String {
    let plain = if is_html && text.contains(['<', '&']) {
        &plain_text(text)
    } else {
        text
    };
    let own = if is_google { original(plain) } else { plain };
    if own.is_ascii() {
        own.to_owned()
    } else {
        own.nfc().collect()
    }
}

/// Elements after whose begin and end a new line begins.
const BLOCKS: Names = "p, div, ul, ol, li, blockquote, h1, h2, h3, h4, h5, h6, tr, table, tbody, section, article, pre, hr, dl, dt, dd";
/// Elements without a line of their own.
const INLINE: Names = "a, abbr, b, big, cite, code, del, em, font, i, img, ins, mark, q, s, small, span, strike, strong, sub, sup, td, \
    th, tt, u, var, wbr";

/// The text of HTML: known elements become line breaks or nothing, then entities are decoded once. Other signs stay.
fn plain_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text += before;
        let name = after.strip_prefix('/').unwrap_or(after);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric());
        let name = name[..end.unwrap_or(name.len())].to_ascii_lowercase();
        let is_in = |list: Names| names(list).any(|known| known == name);
        let tag = after.split_once('>').filter(|(tag, _)| !tag.contains('<'));
        rest = match tag {
            // A line break of the source often stands behind the element.
            Some((_, after)) if name == "br" => {
                text.push('\n');
                after
                    .trim_start_matches('\r')
                    .strip_prefix('\n')
                    .unwrap_or(after)
            }
            Some((_, after)) if is_in(BLOCKS) => {
                text.push('\n');
                after
            }
            Some((_, after)) if is_in(INLINE) => after,
            _ => {
                text += "&lt;";
                after
            }
        };
    }
    text += rest;
    let mut decoded = Vec::new();
    for token in Tokenizer::new(&text) {
        let Ok(token) = token;
        if let Token::String(part) = token {
            decoded.extend_from_slice(&part);
        }
    }
    let decoded = String::from_utf8_lossy(&decoded).replace('\r', "");
    // At most one empty line between paragraphs.
    let mut lines: Vec<&str> = decoded.trim().lines().map(str::trim_end).collect();
    lines.dedup_by(|next, before| next.is_empty() && before.is_empty());
    lines.join("\n")
}

/// The customer's words without Google's translation, which precedes or follows them in the same text. Without the
/// original, the text keeps Google's mark, so that the translation is not taken for the customer's words.
fn original(text: &str) -> &str {
    const TRANSLATED: &str = "(Translated by Google)";
    const ORIGINAL: &str = "(Original)";
    let trimmed = text.trim_start();
    let Some(at) = trimmed.find(TRANSLATED) else {
        return text;
    };
    if at > 0 {
        let before = &trimmed[..at];
        return match before.strip_prefix(ORIGINAL) {
            Some(own) => own.trim(),
            // In the middle of a line, the words of the mark are the customer's own.
            None if before.ends_with('\n') => before.trim_end(),
            None => text,
        };
    }
    let on_own_line = trimmed.find("\n(Original)").map(|at| at + 1);
    on_own_line
        .or_else(|| trimmed.find(ORIGINAL))
        .map_or(text, |at| trimmed[at + ORIGINAL.len()..].trim())
}

#[cfg(test)]
mod tests {
    use super::{clean, is_empty, original, plain_text};

    #[test]
    fn the_customer_s_own_words_are_published() {
        for (text, own) in [
            (
                "(Translated by Google) Very good.\n\n(Original)\nMuy bueno.",
                "Muy bueno.",
            ),
            ("(Translated by Google) Good (Original) Bueno", "Bueno"),
            (
                "Muy bueno.\n\n(Translated by Google)\nVery good.",
                "Muy bueno.",
            ),
            (
                "(Original)\nMuy bueno.\n\n(Translated by Google)\nVery good.",
                "Muy bueno.",
            ),
            ("(Original) Bueno (Translated by Google) Good", "Bueno"),
            (
                "(Translated by Google) Very good.",
                "(Translated by Google) Very good.",
            ),
            (
                "The menu was wrong (Translated by Google), I guess",
                "The menu was wrong (Translated by Google), I guess",
            ),
            ("Plain (Original) text", "Plain (Original) text"),
            ("", ""),
        ] {
            assert_eq!(original(text), own);
        }
    }

    #[test]
    fn html_becomes_the_text_that_a_browser_shows() {
        for (html, text) in [
            (
                "They&#8217;re neat &amp; quick.<br />Would <strong>call</strong> again.",
                "They’re neat & quick.\nWould call again.",
            ),
            (
                "5 &lt; 10 minutes late; a < b",
                "5 < 10 minutes late; a < b",
            ),
            ("I <3 them, x<y and a<b>c</b>", "I <3 them, x<y and ac"),
            (
                "<p>One.</p>\n<p>Two&nbsp;and <a href=\"x\">three</a>.</p>\n",
                "One.\n\nTwo\u{a0}and three.",
            ),
            ("One<br>\r\nTwo<BR/>Three", "One\nTwo\nThree"),
            ("&amp;lt;b&amp;gt; AT&amp;amp;T", "&lt;b&gt; AT&amp;T"),
            ("a &bogus; b & c", "a &bogus; b & c"),
            ("<script>x</script>", "<script>x</script>"),
            ("M&uuml;ller", "Müller"),
        ] {
            assert_eq!(plain_text(html), text, "{html}");
        }
    }

    #[test]
    fn words_for_empty_are_empty_only_as_the_whole_value() {
        for word in [
            "",
            " ",
            "None",
            "NAN",
            "null",
            "N/A",
            "-",
            "Undefined",
            " none ",
        ] {
            assert!(is_empty(word, false), "{word}");
        }
        for word in ["None of it worked", "nothing", "--", "nil", "0"] {
            assert!(!is_empty(word, false), "{word}");
        }
        for (name, is_nobody) in [
            ("None", true),
            ("Nan", false),
            ("Null", false),
            ("n/a", true),
        ] {
            assert_eq!(is_empty(name, true), is_nobody, "{name}");
        }
        assert_eq!(clean("Jose\u{301}", false, false), "José");
        assert_eq!(clean("AT&amp;T <b>", false, false), "AT&amp;T <b>");
    }
}
