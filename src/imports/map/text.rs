//! Makes the text of a cell what is published, in all formats but the native one: line breaks, HTML where the format's texts are
//! HTML, Google's translations, and Unicode composition (NFC).

use std::borrow::Cow;

use html5gum::{Token, Tokenizer};

use crate::imports::map::values::{Names, WORDS, is_blank, names};
use crate::model::{Response, compose};

/// A text as it is published.
pub fn clean(text: &str, is_html: bool, is_google: bool) -> String {
    let mut text = Cow::Borrowed(text);
    if text.contains('\r') {
        text = Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    if is_html && text.contains(['<', '&']) {
        text = Cow::Owned(plain_text(&text));
    }
    let own = if is_google { original(&text) } else { &text };
    compose(own).into_owned()
}

/// A text and the answer that stands below it, after a line of its author that begins with `mark` and ends with a colon.
pub fn split_answer(text: &str, mark: &str) -> Option<(String, Response)> {
    let whole = format!("\n\n{text}");
    let (above, below) = whole.rsplit_once(&format!("\n\n{mark}"))?;
    let (author, answer) = below.split_once(":\n")?;
    let response = Response {
        text: answer.trim().to_owned(),
        date: None,
        author: Some(author.to_owned()),
    };
    (!author.contains('\n')).then(|| (above.trim().to_owned(), response))
}

/// The text of HTML: known elements become line breaks or nothing, then entities are decoded once. Other signs stay.
fn plain_text(html: &str) -> String {
    let mut parts = html.split('<');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (tag, after) = part.split_once('>').unwrap_or_default();
        let tag = tag.strip_prefix('/').unwrap_or(tag);
        let attributes = tag.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        let name = &tag[..tag.len() - attributes.len()];
        // `a<b and c>d` is no element.
        let is_element = matches!(attributes.trim(), "" | "/") || attributes.contains('=');
        let is_one_of =
            |list: Names| is_element && names(list).any(|known| known.eq_ignore_ascii_case(name));
        let is_comment = tag.starts_with("!--") && tag.ends_with("--");
        if is_one_of("br") {
            // A line break of the source often stands behind the element.
            text.push('\n');
            text += after.strip_prefix('\n').unwrap_or(after);
        } else if is_one_of(&WORDS.blocks) {
            text.push('\n');
            text += after;
        } else if is_one_of(&WORDS.inline) || is_comment {
            text += after;
        } else {
            text += "&lt;";
            text += part;
        }
    }
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

/// The customer's words without Google's translation, which stands above or below them in the same text. Google marks it in the
/// language of an account: `(Translated by Google) Very good.`, an empty line, `(Original)`, `Muy bueno.` Without the original, only
/// the mark goes.
fn original(text: &str) -> &str {
    let lines: Vec<&str> = text.lines().collect();
    let start = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let end = |line: usize| start(lines[line]) + lines[line].len();
    let begins_paragraph =
        |line: usize| line == 0 || lines[line - 1].trim_matches(is_blank).is_empty();
    let is_label = |line: usize| {
        bracketed(lines[line]).is_some_and(|(words, rest)| rest.is_empty() && !names_google(words))
    };
    let mark = (0..lines.len()).find_map(|line| {
        let (words, rest) = bracketed(lines[line])?;
        // Inside a paragraph, brackets are the customer's own, unless they are a line and the original is marked, too.
        let has_label = || (0..lines.len()).any(is_label);
        let begins = begins_paragraph(line) || rest.is_empty() && has_label();
        let is_mark = names_google(words) && begins;
        is_mark.then_some((line, start(rest)))
    });
    let Some((line, translated)) = mark else {
        return text;
    };
    let labels = || (line + 1..lines.len()).filter(|line| is_label(*line));
    let label = labels()
        .find(|line| begins_paragraph(*line))
        .or_else(|| labels().next());
    let above = if is_label(0) { end(0) } else { 0 };
    let parts = [
        &text[above..start(lines[line])],
        label.map_or("", |label| &text[end(label)..]),
        &text[translated..label.map_or(text.len(), |label| start(lines[label]))],
    ];
    let mut parts = parts.into_iter().map(|part| part.trim_matches(is_blank));
    parts.find(|part| !part.is_empty()).unwrap_or_default()
}

/// Maximum number of characters between the brackets of Google's marks.
const LABEL_CHARACTERS_MAX: usize = 40;

/// The words in brackets with which a line begins, and the rest of the line.
fn bracketed(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_matches(is_blank);
    let brackets = [('(', ')'), ('（', '）'), ('【', '】'), ('[', ']')];
    let split = |(open, close): (char, char)| line.strip_prefix(open)?.split_once(close);
    let (words, rest) = brackets.into_iter().find_map(split)?;
    let is_sentence = words.contains(|c: char| c.is_numeric() || ".!?,;".contains(c));
    let is_short = words.chars().count() <= LABEL_CHARACTERS_MAX;
    (is_short && !is_sentence).then(|| (words, rest.trim_start()))
}

fn names_google(label: &str) -> bool {
    let lower = label.trim().to_lowercase();
    lower.contains("google") && lower != "google"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_original_of_a_translated_text_is_kept() {
        for (text, own) in [
            (
                "(Translated by Google) Good.\n\n(Original)\nBueno.",
                "Bueno.",
            ),
            (
                "(Traduit par Google) Propre\n\n(Avis d'origine)\nNeat\n\nand quick",
                "Neat\n\nand quick",
            ),
            ("（Google による翻訳）Good\n（原文）\nよい", "よい"),
            ("【由 Google 翻譯】\nGood\n\n【原文】\n好", "好"),
            ("\u{200f}(ترجمة Google) Good\n\n\u{200f}(الأصل)\nجيد", "جيد"),
            (
                "(A Google fordítása) Good\n(really)\n\n(Eredeti)\nJó\n(tényleg)",
                "Jó\n(tényleg)",
            ),
            ("Bueno.\n\n(Translated by Google)\nGood.", "Bueno."),
            ("Bueno.\n\n(Translated by Google) Good.", "Bueno."),
            (
                "(Original)\nBueno.\n\n(Übersetzt von Google)\nGood.",
                "Bueno.",
            ),
            // Without the original, only the marks go.
            (
                "(Diterjemahkan oleh Google) They were rude",
                "They were rude",
            ),
            ("(Translated by Google) A\n\n(Original)\n", "A"),
            ("(Translated by Google)", ""),
        ] {
            assert_eq!(original(text), own, "{text}");
        }
    }

    #[test]
    fn brackets_of_the_customer_are_no_marks() {
        for text in [
            "",
            "The menu was wrong (Translated by Google), I guess",
            "Found them (on Google) quickly",
            "Plain (Original) text",
            "On time.\n(Original parts were used)\nGood.",
            "(Original)\nparts",
            "(Google) is where I found them",
            "(5 stars on Google!) Great.",
            "Great.\n(Found on Google) and called them",
            "Great.\n(Found by Google maps)\nVery clean.",
            "(Google",
        ] {
            assert_eq!(original(text), text);
        }
    }

    #[test]
    fn line_breaks_and_letters_have_one_form() {
        assert_eq!(
            clean("Jose\u{301}\r\nand\rBo", false, false),
            "José\nand\nBo"
        );
        assert_eq!(clean("AT&amp;T <b>", false, false), "AT&amp;T <b>");
        assert_eq!(
            clean(
                "(Translated by Google) A\r\n\r\n(Original)\r\nB",
                false,
                true
            ),
            "B"
        );
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
                "a<b and c>d <!-- x --> <p class=\"x\">y</p> <",
                "a<b and c>d\ny\n <",
            ),
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
            assert_eq!(clean(html, true, false), text, "{html}");
        }
    }
}
