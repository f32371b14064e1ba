//! Texts of cells as they are published: Unicode composition (NFC), line breaks, HTML where the format's texts are HTML, Google's
//! translations; cells that hold no value, and what their words mean; addresses in names.

use std::borrow::Cow;
use std::net::IpAddr;

use html5gum::{Token, Tokenizer};

use crate::model::text::{is_language_tag, plain_words, quoted};
use crate::model::{ANONYMOUS, compose};

/// Maximum length of a text in bytes.
pub const TEXT_BYTES_MAX: usize = 64 << 10;

/// Words for yes and no in flags: whether an author bought there, is anonymous, or is verified.
const YES: &str = "true|wahr|yes|y|1|t|on|verified|ja|oui|si|x";
const NO: &str = "false|falsch|no|n|0|f|off|not verified|unverified|nein|non";

/// What a flag says.
///
/// # Errors
/// If it is neither yes nor no.
pub fn flag(text: &str) -> Result<bool, String> {
    // A sign before a number is significant: -1 is not 1.
    let word = if text.contains(char::is_alphabetic) {
        plain_words(text)
    } else {
        text.to_owned()
    };
    let word = word.trim();
    if YES.split('|').any(|yes| yes == word) {
        return Ok(true);
    }
    if word.is_empty() || NO.split('|').any(|no| no == word) {
        return Ok(false);
    }
    Err(format!(
        "{} is not one of yes, no, true, false, 1, 0",
        quoted(text)
    ))
}

/// The language as a tag of BCP 47, also from a locale such as `de_DE.UTF-8`. Any other word for a language counts as
/// none given: the language is then that of the text.
pub fn language_tag(text: &str) -> Option<String> {
    let (tag, _) = text.split_once(['.', '@']).unwrap_or((text, ""));
    let tag = tag.replace('_', "-");
    is_language_tag(&tag, 2..=3).then_some(tag)
}

// Cells that hold no value.

/// Words that say that a value is empty, in any case, with the zero dates of `MySQL`; the same of an author, exactly so: there
/// are people called Nan and Null.
const EMPTY: &str = "none|nan|null|n/a|-|undefined|0000-00-00|0000-00-00 00:00:00";
const NOBODY: &str = "None|nan|NaN|NULL|null|N/A|n/a|-|undefined";

/// Whether a character shows nothing.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Whether a value is blank or only says that it is empty.
pub fn is_empty(text: &str, is_author: bool) -> bool {
    let text = text.trim_matches(is_blank);
    text.is_empty()
        || if is_author {
            NOBODY.split('|').any(|word| word == text)
        } else {
            let mut words = EMPTY.split('|');
            words.any(|word| word.eq_ignore_ascii_case(text))
        }
}

/// Whether a cell is an error of a spreadsheet in any language: `#N/A`, `#BEZUG!`, `#¡REF!`; `Err:502` of `LibreOffice`;
/// `Loading...` of Google Sheets, until it has loaded what a formula imports.
pub fn is_spreadsheet_error(cell: &str) -> bool {
    if let Some(name) = cell.strip_prefix('#') {
        let name = name.strip_prefix(['¡', '¿']).unwrap_or(name);
        let name = name.strip_suffix(['!', '?']).unwrap_or(name);
        let is_other = |c: char| !(c.is_uppercase() || c.is_ascii_digit() || "/_".contains(c));
        return name.contains(char::is_uppercase) && !name.contains(is_other);
    }
    let code = cell.strip_prefix("Err:").unwrap_or_default();
    cell == "Loading..." || code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit())
}

/// Delimiters of cells and rows at which a spreadsheet may split the text of a cell, besides the comma of the file.
const SPLITS: [char; 5] = [';', '\t', '|', '\n', '\r'];
/// What begins a formula.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Whether a spreadsheet may run what begins at `at` as a formula (CWE-1236).
fn is_formula(cell: &str, at: usize) -> bool {
    let (before, text) = cell.split_at(at);
    let plain = text.trim_start_matches(['\'', '"']);
    let is_first = before.is_empty();
    (is_first || before.ends_with(SPLITS)) && plain.starts_with(FORMULA)
        || is_first && plain.starts_with(['\t', '\r', '\n'])
}

/// A cell with an apostrophe before each text that a spreadsheet may run as a formula.
pub fn escape_formulas(cell: &str) -> String {
    let mut escaped = String::with_capacity(cell.len());
    for (at, c) in cell.char_indices() {
        if is_formula(cell, at) {
            escaped.push('\'');
        }
        escaped.push(c);
    }
    escaped
}

/// A cell without the apostrophe that keeps a spreadsheet from running it.
pub fn remove_formula_escape(cell: &str) -> &str {
    let escaped = cell.strip_prefix('\'');
    escaped.filter(|cell| is_formula(cell, 0)).unwrap_or(cell)
}

/// A text as it is published.
pub fn clean(text: &str, is_html: bool) -> String {
    let mut text = Cow::Borrowed(text);
    if text.contains('\r') {
        text = Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
    if is_html && text.contains(['<', '&']) {
        text = Cow::Owned(plain_text(&text));
    }
    compose(original(&text)).into_owned()
}

/// Elements of HTML that are lines of their own.
const BLOCKS: &str = "p, div, ul, ol, li, blockquote, h1, h2, h3, h4, h5, h6, tr, table, section, article, pre, hr, dl, dt, dd";

fn is_block(name: &[u8]) -> bool {
    BLOCKS.split(", ").any(|block| block.as_bytes() == name)
}

/// Number of bytes in which a tag or an entity ends by which HTML is known.
const TAG_BYTES: usize = 256;
/// Elements within a line of HTML.
const INLINE: &str = "br, b, i, u, em, strong, a, span, small";

/// Whether a text is HTML: it has an entity, or an element that pages have. Other angle brackets are the customer's own.
pub fn is_html(text: &str) -> bool {
    let is_entity = |rest: &str| {
        let name = rest.split(';').next().unwrap_or_default();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '#';
        name.len() > 1 && name.len() < rest.len() && name.chars().all(is_part)
    };
    let is_element = |rest: &str| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
        let name = name.to_ascii_lowercase();
        let is_known = is_block(name.as_bytes()) || INLINE.split(", ").any(|it| it == name);
        is_known && rest.contains('>')
    };
    text.match_indices(['&', '<']).any(|(at, sign)| {
        let rest = &text[at + 1..];
        let rest = &rest[..rest.floor_char_boundary(TAG_BYTES)];
        if sign == "&" {
            is_entity(rest)
        } else {
            is_element(rest)
        }
    })
}

/// The text of HTML as a browser shows it: elements become line breaks or nothing, and entities are decoded once.
fn plain_text(html: &str) -> String {
    let (mut text, mut is_after_break) = (String::new(), false);
    for token in Tokenizer::new(html) {
        let Ok(token) = token;
        match token {
            Token::String(part) => {
                let part = String::from_utf8_lossy(&part);
                // A line break of the source often stands behind the element.
                let rest = part.strip_prefix('\n').filter(|_| is_after_break);
                text += rest.unwrap_or(&part);
                is_after_break = false;
            }
            Token::StartTag(tag) if tag.name == b"br" => {
                text.push('\n');
                is_after_break = true;
            }
            Token::StartTag(tag) if is_block(&tag.name) => text.push('\n'),
            Token::EndTag(tag) if is_block(&tag.name) => text.push('\n'),
            Token::StartTag(_)
            | Token::EndTag(_)
            | Token::Comment(_)
            | Token::Doctype(_)
            | Token::Error(_) => {}
        }
    }
    let decoded = text.replace('\r', "");
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
    let marks = (0..lines.len()).filter_map(|line| {
        let (words, rest) = bracketed(lines[line])?;
        names_google(words).then(|| (line, start(rest)))
    });
    let mut marks = marks.peekable();
    // Inside a paragraph, brackets are the customer's, unless the original is marked, too.
    let has_label = marks.peek().is_some() && (0..lines.len()).any(is_label);
    let mark = marks.find(|(line, _)| has_label || begins_paragraph(*line));
    let Some((line, translated)) = mark else {
        return text;
    };
    let labels = (line + 1..lines.len()).filter(|line| is_label(*line));
    let label = labels.min_by_key(|line| !begins_paragraph(*line));
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
    let (words, rest) = brackets
        .into_iter()
        .find_map(|(open, close)| line.strip_prefix(open)?.split_once(close))?;
    let is_sentence = words.contains(|c: char| c.is_numeric() || ".!?,;".contains(c));
    let is_short = words.chars().count() <= LABEL_CHARACTERS_MAX;
    (is_short && !is_sentence).then(|| (words, rest.trim_start()))
}

fn names_google(label: &str) -> bool {
    let lower = label.trim().to_lowercase();
    lower.contains("google") && lower != "google"
}

/// The digit 0 of scripts with digits of their own, each followed by 1 to 9 (the decimal digits of Unicode).
const ZEROS: &str = "\u{660}\u{6f0}\u{966}\u{9e6}\u{a66}\u{ae6}\u{b66}\u{be6}\u{c66}\u{ce6}\u{d66}\u{de6}\u{e50}\
    \u{ed0}\u{f20}\u{1040}\u{17e0}\u{1810}\u{ff10}";

/// The text with the digits of other scripts as those of ASCII.
pub fn ascii_digits(text: &str) -> String {
    text.chars().map(ascii_digit).collect()
}

fn ascii_digit(c: char) -> char {
    let numbers = ZEROS.chars();
    let mut numbers = numbers.map(|zero| u32::from(c).wrapping_sub(u32::from(zero)));
    let digit = numbers.find_map(|number| char::from_digit(number, 10));
    digit.unwrap_or(c)
}

// Private data: e-mail addresses in names.

/// Minimum number of digits of a telephone number in a name.
const DIGITS_MIN: usize = 7;

/// The display name without e-mail addresses and telephone numbers: `Jane Doe <jane@example.com>` becomes `Jane Doe`. A name such
/// as `@jane` is none.
pub fn without_address(name: &str) -> String {
    let public = without_contacts(name);
    let has_digits = public.contains(|c: char| c.is_ascii_digit());
    let is_private = public.len() < name.len() || has_digits;
    if is_private && !has_letters(&public) || public.is_empty() {
        return ANONYMOUS.to_owned();
    }
    public
}

/// A text without e-mail addresses and telephone numbers.
pub fn without_contacts(text: &str) -> String {
    remove_parts(&remove_parts(text, find_address), find_number)
}

/// Whether a text is nothing but e-mail addresses.
pub fn is_address(text: &str) -> bool {
    find_address(text).is_some() && !has_letters(&remove_parts(text, find_address))
}

fn has_letters(text: &str) -> bool {
    text.contains(char::is_alphabetic)
}

/// The text without the parts that `find` finds and the signs around them.
fn remove_parts(text: &str, find: fn(&str) -> Option<(usize, usize)>) -> String {
    let mut rest = text.to_owned();
    while let Some((start, end)) = find(&rest) {
        rest.replace_range(start..end, " ");
        for brackets in ["( )", "< >", "[ ]"] {
            rest = rest.replace(brackets, " ");
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        let words = words.join(" ");
        let public = words.trim_matches(|c: char| " ,;:-–/|\"<>()[]".contains(c));
        public.clone_into(&mut rest);
    }
    rest
}

/// Whether a text has an e-mail or an IP address.
pub fn has_address(text: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_ascii_hexdigit() || ".:".contains(c)));
    find_address(text).is_some() || words.any(|word| word.parse::<IpAddr>().is_ok())
}

/// Where the first e-mail address of a text begins and ends.
fn find_address(text: &str) -> Option<(usize, usize)> {
    text.match_indices('@').find_map(|(at, _)| {
        let start = text[..at].trim_end_matches(is_address_part).len();
        let after = &text[at + 1..];
        let host = after.len() - after.trim_start_matches(is_address_part).len();
        let is_host = after[..host].trim_matches('.').contains('.');
        (start < at && is_host).then_some((start, at + 1 + host))
    })
}

fn is_address_part(c: char) -> bool {
    c.is_alphanumeric() || "._%+-'".contains(c)
}

/// Where the first telephone number of a text, or another as long, begins and ends.
pub fn find_number(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for part in text.split_inclusive(is_no_number) {
        let number = part.trim_end_matches(is_no_number);
        // The digits of `user1234567` are part of the name.
        let is_glued = number.starts_with(|c: char| c.is_ascii_digit())
            && text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if !is_glued && number.bytes().filter(u8::is_ascii_digit).count() >= DIGITS_MIN {
            return Some((start, start + number.len()));
        }
        start += part.len();
    }
    None
}

fn is_no_number(c: char) -> bool {
    !c.is_ascii_digit() && !" ()+-./".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_addresses_are_removed_from_names() {
        for (name, public) in [
            ("Jane Doe <jane@example.com>", "Jane Doe"),
            ("jane@example.com", ANONYMOUS),
            ("<jane@example.com>", ANONYMOUS),
            ("@jane.doe", "@jane.doe"),
            ("Jane @ Mesa Inc.", "Jane @ Mesa Inc."),
            ("Jane <3", "Jane <3"),
            ("Ann (ann@e.com)", "Ann"),
            ("Ann Bell, ann@e.com", "Ann Bell"),
            ("ann@e.com (Ann Bell)", "Ann Bell"),
            ("Ann Bell:ann@e.com", "Ann Bell"),
            ("ann@e.com; bo@e.com", ANONYMOUS),
            ("\"Ann Bell\" <ann@e.com>", "Ann Bell"),
            ("(602) 555-0100", ANONYMOUS),
            ("192.0.2.7", ANONYMOUS),
            ("Nr. 5", "Nr. 5"),
            ("1234", ANONYMOUS),
            ("Bo (602) 555-0101", "Bo"),
            ("Cy 6025550101", "Cy"),
            ("+49 151 1234567 Di Fox", "Di Fox"),
            ("Agent 007", "Agent 007"),
            ("user123456789", "user123456789"),
            ("user_20240101", "user_20240101"),
            ("★★", "★★"),
        ] {
            assert_eq!(without_address(name), public);
        }
    }

    #[test]
    fn a_text_of_nothing_but_addresses_is_private() {
        for text in ["ann@e.com", "ann@e.com, bo@e.com", "<ann@e.com>;bo@e.com"] {
            assert!(is_address(text), "{text}");
        }
        for text in [
            "",
            "Nice",
            "Write to ann@e.com, they are good",
            "5 @ home",
            "@ann",
        ] {
            assert!(!is_address(text), "{text}");
        }
    }

    #[test]
    fn a_flag_is_yes_or_no_or_refused() {
        assert_eq!(
            (flag("Yes"), flag(" 0 "), flag("TRUE")),
            (Ok(true), Ok(false), Ok(true))
        );
        assert!(flag("maybe").unwrap_err().contains("\"maybe\""));
    }

    #[test]
    fn spreadsheet_errors_of_any_language_are_detected() {
        for error in "#N/A #REF! #DIV/0! #NAME? #ERROR! #SPILL! #NV #BEZUG! #¡REF! #¿NOMBRE? #ЗНАЧ! #GETTING_DATA Err:502 Loading...".split(' ') {
            assert!(is_spreadsheet_error(error), "{error}");
        }
        for text in "#1|#1!|#1 in town|#|#!|#n/a|#Best|#REF!!|#¡¡REF!|N/A|#N/A is what it said|Err:|Err:5022|Loading|Loading... done|#NOT-SO".split('|') {
            assert!(!is_spreadsheet_error(text), "{text}");
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
    }

    #[test]
    fn the_original_of_a_translated_text_is_kept() {
        for (text, written) in [
            (
                "(Translated by Google) Good.\n\n(Original)\nBueno.",
                "Bueno.",
            ),
            (
                "(Traduit par Google) Propre\n\n(Avis d'origine)\nNeat\n\nand quick",
                "Neat\n\nand quick",
            ),
            ("（Google による翻訳）Good\n（原文）\nよい", "よい"),
            ("(Original)\nBueno.\n(Translated by Google) Good.", "Bueno."),
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
            assert_eq!(original(text), written, "{text}");
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
        assert_eq!(clean("Jose\u{301}\r\nand\rBo", false), "José\nand\nBo");
        assert_eq!(clean("AT&amp;T <b>", false), "AT&amp;T <b>");
        assert_eq!(
            clean("(Translated by Google) A\r\n\r\n(Original)\r\nB", false),
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
            ("I <3 them and a<b>c</b>", "I <3 them and ac"),
            ("a <!-- x --> <p class=\"x\">y</p> <", "a\ny\n <"),
            (
                "<p>One.</p>\n<p>Two&nbsp;and <a href=\"x\">three</a>.</p>\n",
                "One.\n\nTwo\u{a0}and three.",
            ),
            ("One<br>\r\nTwo<BR/>Three", "One\nTwo\nThree"),
            ("&amp;lt;b&amp;gt; AT&amp;amp;T", "&lt;b&gt; AT&amp;T"),
            ("a &bogus; b & c", "a &bogus; b & c"),
            ("M&uuml;ller", "Müller"),
        ] {
            assert_eq!(clean(html, true), text, "{html}");
        }
    }
}
