//! The encoding of a file: UTF-8, UTF-16, or the one that `--encoding` names or that the letters suggest. Everything else is
//! refused as binary.

use std::borrow::Cow;
use std::collections::HashSet;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_8859_4, MACINTOSH, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::imports::limits::Limits;
use crate::imports::map::values::{WORDS, is_in};
use crate::imports::report::FileError;
use crate::model::text::quoted;

/// A file as text.
pub struct Decoded<'b> {
    /// With U+FFFD in place of what cannot be read.
    pub text: Cow<'b, str>,
    /// Whether some of a file in UTF-8 is none.
    pub is_damaged: bool,
    /// `None` for Unicode.
    pub encoding: Option<&'static Encoding>,
}

/// The file as text. The first letter beyond ASCII decides whether it is UTF-8; JSON always is (RFC 8259 §8.1).
/// `country` is that of the business.
///
/// # Errors
/// When it is binary, or not in the encoding `named`.
pub fn decode<'b>(
    bytes: &'b [u8],
    named: Option<&'static Encoding>,
    country: Option<&str>,
    limits: &mut Limits<'_>,
) -> Result<Decoded<'b>, FileError> {
    let mut binary = BINARY.iter();
    if let Some((_, content)) = binary.find(|(start, _)| bytes.starts_with(start)) {
        return Err(FileError::new(format!("is {content}")));
    }
    let before = limits.bytes_left();
    if std::str::from_utf8(bytes).is_err() {
        // Two guesses are there at once, and a letter has up to three bytes.
        limits.take(6 * bytes.len())?;
    }
    let guesses = before - limits.bytes_left();
    let is_unicode = || is_utf8(bytes) || is_json(bytes);
    let encoding = named
        .or_else(|| wide(bytes))
        .or_else(|| is_unicode().then_some(UTF_8))
        .unwrap_or_else(|| guess(bytes, country));
    let (text, has_errors) = encoding.decode_with_bom_removal(bytes);
    limits.give(guesses);
    if let Cow::Owned(text) = &text {
        limits.take(text.len())?;
    }
    if has_errors && named.is_some_and(|named| named != UTF_8) {
        return Err(FileError::new(format!(
            "is not in the encoding {}; leave --encoding out, or name another one",
            encoding.name()
        )));
    }
    Ok(Decoded {
        text,
        is_damaged: has_errors && encoding == UTF_8,
        encoding: Some(encoding).filter(|it| ![UTF_8, UTF_16LE, UTF_16BE].contains(it)),
    })
}

/// The first bytes of binary files that people take for exports.
const BINARY: [(&[u8], &str); 6] = [
    (
        b"\x1F\x8B",
        "packed with gzip; unpack it and give the file or folder",
    ),
    (b"%PDF", "a PDF document, not an export of reviews"),
    (
        b"SQLite format 3\0",
        "a database; `reviews restore FILE` takes a backup of this service, not an export of reviews",
    ),
    (b"\x89PNG", "an image, not an export of reviews"),
    (b"\x7FELF", "a program, not an export of reviews"),
    (
        b"\xD0\xCF\x11\xE0",
        "an old Excel workbook (.xls) or another document of Microsoft Office; save it as XLSX or CSV, not an export of reviews",
    ),
];

/// The UTF-16 encoding of a text, if it has one.
const fn wide(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether the first bytes beyond ASCII are UTF-8: text in another encoding hardly ever is.
fn is_utf8(text: &[u8]) -> bool {
    let Err(error) = std::str::from_utf8(text) else {
        return true;
    };
    !text[..error.valid_up_to()].is_ascii()
}

/// Whether a text is a list or an object of JSON, or has lines of such.
fn is_json(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    text.trim_ascii_start().starts_with(b"[")
        || lines.any(|line| line.trim_ascii_start().starts_with(b"{"))
}

/// The encoding that the letters of a text suggest. What programs write in the business's country goes before, as long as it gives
/// words: next month's file should be read in the same way, and one letter proves little.
fn guess(text: &[u8], country: Option<&str>) -> &'static Encoding {
    let western = || {
        if is_of_mac(text) {
            MACINTOSH
        } else {
            WINDOWS_1252
        }
    };
    let read = |encoding: &'static Encoding| encoding.decode_without_bom_handling(text).0;
    let usual = country.map(of_country);
    if let Some(usual) = usual.filter(|usual| has_words(&read(usual))) {
        return if usual == WINDOWS_1252 {
            western()
        } else {
            usual
        };
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(text, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let (decoded, in_western) = (read(guess), read(WINDOWS_1252));
    // In `£50` and `5°` a sign stands alone, which is no letter of another alphabet.
    let has_letters = !guess.is_single_byte() || has_other_word(&decoded, &in_western);
    let letters: HashSet<u8> = text.iter().copied().filter(|byte| *byte >= 0xC0).collect();
    let is_western = letters.len() < LETTERS_MIN && has_words(&in_western);
    if [ISO_8859_4, WINDOWS_1252].contains(&guess) || !has_letters || is_western {
        return western();
    }
    guess
}

/// Whether a word of several letters is another one in `western`, the same bytes in another encoding of one byte for each letter.
fn has_other_word(text: &str, western: &str) -> bool {
    let (mut length, mut is_other) = (0, false);
    let mut letters = text.chars().chain([' ']).zip(western.chars().chain([' ']));
    letters.any(|(letter, other)| {
        if letter.is_alphabetic() {
            (length, is_other) = (length + 1, is_other || letter != other);
            return false;
        }
        let is_found = is_other && length > 1;
        (length, is_other) = (0, false);
        is_found
    })
}

/// Number of different letters beyond ASCII that prove another encoding than that of western Europe.
const LETTERS_MIN: usize = 2;

/// The encoding in which Windows writes tables in a country.
fn of_country(country: &str) -> &'static Encoding {
    let mut encodings = WORDS.encodings.iter();
    let encoding = encodings
        .find(|(_, countries)| is_in(countries, country))
        .and_then(|(name, _)| Encoding::for_label(name.as_bytes()));
    encoding.unwrap_or(WINDOWS_1252)
}

/// Whether a decoded text has words as people write them: no sign between letters or before one, and no word of letters beyond ASCII
/// alone, if others have some of both.
fn has_words(text: &str) -> bool {
    let mut last = [' '; 2];
    let has_odd_sign = text.chars().any(|after| {
        let [before, sign] = last;
        last = [sign, after];
        let is_inside = before.is_alphabetic() && "¿‚„¨¯¸".contains(sign);
        after.is_alphabetic() && (is_inside || "£¥¦§¬±¶¹²³¤×÷¼½¾¢".contains(sign))
    });
    let is_odd = |c: char| c == '\u{fffd}' || ('\u{80}'..='\u{9f}').contains(&c);
    let is_latin = text.contains(|c: char| ('À'..='ž').contains(&c));
    let is_foreign =
        |word: &str| word.chars().count() > 3 && !word.contains(|c: char| c.is_ascii());
    let mut words = text.split(|c: char| !c.is_alphabetic());
    !(has_odd_sign || text.contains(is_odd) || is_latin && words.any(is_foreign))
}

/// Whether more letters beyond ASCII are those of old Macs than those of Windows-1252.
fn is_of_mac(text: &[u8]) -> bool {
    let letters = text.iter().enumerate().filter(|(_, byte)| !byte.is_ascii());
    let (mut mac, mut windows) = (0_usize, 0_usize);
    for (at, byte) in letters {
        let is_inside = || {
            let around = [at.checked_sub(1), Some(at + 1)];
            let mut around = around.map(|at| at.and_then(|at| text.get(at))).into_iter();
            around.all(|byte| byte.is_some_and(u8::is_ascii_lowercase))
        };
        match byte {
            // Letters with accents; in Windows-1252 mostly signs or nothing.
            0x81 | 0x83 | 0x87 | 0x88 | 0x8A..=0x90 | 0x98 | 0x9A | 0x9D..=0x9F => mac += 1,
            // An apostrophe; in Windows-1252 a capital letter.
            0xD5 if is_inside() => mac += 1,
            _ => windows += 1,
        }
    }
    mac > windows
}

/// A sentence for the owner about an encoding that was not named; `kept_of` is the source whose earlier import used it.
pub fn describe(encoding: &'static Encoding, text: &str, kept_of: Option<&str>) -> String {
    let mut cells = text.split([',', ';', '\t', '|', '"', '\r', '\n']);
    let example = cells.find(|cell| !cell.is_ascii()).unwrap_or_default();
    let kept = kept_of.map(|source| format!(", as in an earlier import of {source}"));
    format!(
        "the file is not UTF-8 and is read as {}{}, for example {}; if letters are wrong, name its encoding, such as \
         --encoding windows-1250, or save it as UTF-8",
        encoding.name(),
        kept.unwrap_or_default(),
        quoted(example.trim())
    )
}

/// A sentence for the owner if some of the text was in UTF-8 and read as Windows-1252 before: spreadsheets do so with a CSV
/// file that they open by a double click, and Facebook's downloads have it in the escapes of their JSON.
pub fn describe_damage(text: &str) -> Option<String> {
    const SIGNS: [&str; 6] = ["â€™", "â€œ", "Ã©", "Ã¼", "Ã±", "\\u00e2\\u0080"];
    let find = |sign: &str| memchr::memmem::find(text.as_bytes(), sign.as_bytes());
    let at = SIGNS.into_iter().find_map(find)?;
    let is_end = |c: char| c.is_whitespace() || ",;\"".contains(c);
    let (before, after) = text.split_at(at);
    let (before, after) = (before.rsplit(is_end).next()?, after.split(is_end).next()?);
    Some(format!(
        "the file was probably saved after another program read its UTF-8 as Windows-1252, for example {}; export it again, and \
         import it without opening it",
        quoted(&format!("{before}{after}"))
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (String, Option<&'static str>) {
        let decoded = decode(bytes, None, None, &mut Limits::new(None)).unwrap();
        let name = decoded.encoding.map(Encoding::name);
        (decoded.text.into_owned(), name)
    }

    #[test]
    fn the_letters_of_a_text_suggest_its_encoding() {
        for (bytes, encoding, text) in [
            (&b"a\nJos\xe9\n\x80 5"[..], "windows-1252", "a\nJosé\n€ 5"),
            (b"price \xa350 ok", "windows-1252", "price £50 ok"),
            (b"na\xefve", "windows-1252", "naïve"),
            (b"\x93Great\x94 \x96 ok", "windows-1252", "“Great” – ok"),
            (b"don\x92t", "windows-1252", "don’t"),
            (
                b"Data;\xa3ucja;Za\xbf\xf3\xb3\xe6",
                "windows-1250",
                "Data;Łucja;Zażółć",
            ),
            (b"Dvo\xf8\xe1k", "windows-1250", "Dvořák"),
            (
                b"\xce\xf7\xe5\xed\xfc \xf5\xee\xf0\xee\xf8\xee",
                "windows-1251",
                "Очень хорошо",
            ),
            (
                b"\x82\xc6\x82\xc4\x82\xe0\x97\xc7\x82\xa9\x82\xc1\x82\xbd",
                "Shift_JIS",
                "とても良かった",
            ),
            (
                b"a\rJos\x8e\rIt\xd5s fine",
                "macintosh",
                "a\rJosé\rIt’s fine",
            ),
        ] {
            assert_eq!(read(bytes), (text.to_owned(), Some(encoding)));
        }
    }

    #[test]
    fn the_encoding_of_the_country_wins_if_it_gives_words() {
        for (bytes, country, text) in [
            (&b"Ana\xefs"[..], "US", "Anaïs"),
            (b"\xa1Hola!", "US", "¡Hola!"),
            (b"Main d\x92\x9cuvre", "FR", "Main d’œuvre"),
            (b"c\x9cur", "FR", "cœur"),
            (b"Na\xefve me, Trane\x99", "US", "Naïve me, Trane™"),
            (b"Polecam gor\xb9co", "PL", "Polecam gorąco"),
            (b"a\rJos\x8e\rIt\xd5s fine", "US", "a\rJosé\rIt’s fine"),
            (
                b"Data;\xa3ucja;Za\xbf\xf3\xb3\xe6",
                "US",
                "Data;Łucja;Zażółć",
            ),
            (
                b"\x82\xc6\x82\xc4\x82\xe0\x97\xc7\x82\xa9\x82\xc1\x82\xbd",
                "US",
                "とても良かった",
            ),
            (
                b"\xce\xf7\xe5\xed\xfc \xf5\xee\xf0\xee\xf8\xee",
                "DE",
                "Очень хорошо",
            ),
        ] {
            let decoded = decode(bytes, None, Some(country), &mut Limits::new(None)).unwrap();
            assert_eq!(decoded.text, text, "{country}");
        }
        for (bytes, text) in [
            (&b"Ana\xefs"[..], "Anaïs"),
            (b"\xa1Hola!", "¡Hola!"),
            (b"c\x9cur", "cœur"),
        ] {
            assert_eq!(read(bytes).0, text);
        }
    }

    #[test]
    fn utf_8_and_utf_16_are_recognised() {
        for bytes in [
            &b"\xEF\xBB\xBFJos\xc3\xa9"[..],
            b"Jos\xc3\xa9",
            b"\xFF\xFEJ\0o\0s\0\xe9\0",
        ] {
            assert_eq!(read(bytes), ("José".to_owned(), None));
        }
        // What is broken later stays broken.
        assert_eq!(
            read(b"Jos\xc3\xa9\nJos\xe9"),
            ("José\nJos\u{fffd}".to_owned(), None)
        );
        assert_eq!(
            read(b"[\"Jos\xe9\"]"),
            ("[\"Jos\u{fffd}\"]".to_owned(), None)
        );
    }

    #[test]
    fn a_named_encoding_is_used_or_refused() {
        let read = |bytes, name: &str| {
            let named = Encoding::for_label(name.as_bytes());
            decode(bytes, named, None, &mut Limits::new(None)).map(|it| it.text.into_owned())
        };
        assert_eq!(read(b"Szyma\xf1ski", "windows-1250").unwrap(), "Szymański");
        let refusal = read(b"Szyma\xf1 ski", "shift_jis").unwrap_err().to_string();
        assert!(
            refusal.contains("is not in the encoding Shift_JIS"),
            "{refusal}"
        );
    }
}
