//! The encoding of a file: UTF-8, UTF-16, or the one that `--encoding` names or that the letters suggest. Everything else is
//! refused as binary.

use std::borrow::Cow;
use std::collections::HashSet;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, MACINTOSH, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::imports::limits::Limits;
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
    let is_unicode = || is_utf8(bytes) || is_json(bytes);
    let encoding = named
        .or_else(|| wide(bytes))
        .or_else(|| is_unicode().then_some(UTF_8))
        .unwrap_or_else(|| guess(bytes, country));
    // A letter has up to three bytes.
    let room = 3 * bytes.len() * usize::from(std::str::from_utf8(bytes).is_err());
    limits.take(room)?;
    let (text, has_errors) = encoding.decode_with_bom_removal(bytes);
    limits.give(room);
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
const BINARY: [(&[u8], &str); 7] = [
    (
        b"PK\x03\x04",
        "an archive in an archive; unpack it and give the file or folder",
    ),
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

/// The encoding that the letters of a text suggest. The country counts as a browser's address would: one letter proves little, and next
/// month's file should be read in the same way. Against western Europe's encoding several letters prove more than the country.
fn guess(text: &[u8], country: Option<&str>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(text, true);
    let country = country.filter(|it| it.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let domain = country.unwrap_or("US").to_ascii_lowercase();
    let of_country = detector.guess(Some(domain.as_bytes()), Utf8Detection::Deny);
    let letters: HashSet<&u8> = text.iter().filter(|byte| **byte >= 0xC0).collect();
    if of_country != WINDOWS_1252 {
        of_country
    } else if is_of_mac(text) {
        MACINTOSH
    } else if letters.len() < LETTERS_MIN {
        WINDOWS_1252
    } else {
        detector.guess(None, Utf8Detection::Deny)
    }
}

/// Number of different letters beyond ASCII that prove another encoding than that of western Europe.
const LETTERS_MIN: usize = 2;

/// Whether more bytes beyond ASCII are letters of old Macs, which `chardetng` does not know, than others.
fn is_of_mac(text: &[u8]) -> bool {
    let (mut mac, mut others) = (0_usize, 0_usize);
    for around in text.windows(3) {
        // Letters with accents; in Windows-1252 mostly signs or nothing.
        let is_letter = matches!(
            around[1],
            0x81 | 0x83 | 0x87 | 0x88 | 0x8A..=0x90 | 0x98 | 0x9A | 0x9D..=0x9F
        );
        // In Windows-1252 a capital letter.
        let is_apostrophe = matches!(around, [b'a'..=b'z', 0xD5, b'a'..=b'z']);
        if is_letter || is_apostrophe {
            mac += 1;
        } else {
            others += usize::from(!around[1].is_ascii());
        }
    }
    mac > others
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
    let is_end = |c: char| c.is_whitespace() || ",;\"".contains(c);
    // The first byte of a letter in UTF-8.
    let is_first = |c: char| matches!(c, '\u{c2}'..='\u{f4}');
    let may_be = |part: &&str| part.contains(is_first) || part.contains("\\u00");
    let words = text.lines().filter(may_be);
    let words = words.flat_map(|line| line.split(is_end)).filter(may_be);
    let mut words = words.map(|word| {
        let unescaped = serde_json::from_str(&format!("\"{word}\""));
        unescaped.unwrap_or_else(|_| word.to_owned())
    });
    let word = words.find(|word| is_damaged(word))?;
    Some(format!(
        "the file was probably saved after another program read its UTF-8 as Windows-1252, for example {}; export it again, and \
         import it without opening it",
        quoted(&word)
    ))
}

/// Whether neighbouring letters of a word are, as bytes of Windows-1252, the UTF-8 of others. A capital letter before a closing mark
/// looks like a letter of another alphabet, too; so one letter counts only if it is Latin, a sign, or an emoji.
fn is_damaged(word: &str) -> bool {
    let byte = |c: char| {
        u8::try_from(u32::from(c)).ok().or_else(|| {
            let letter = c.to_string();
            let (bytes, _, has_errors) = WINDOWS_1252.encode(&letter);
            (!has_errors).then(|| bytes[0])
        })
    };
    let bytes: Vec<u8> = word.chars().map(|c| byte(c).unwrap_or(b' ')).collect();
    let runs = bytes.split(u8::is_ascii);
    let mut texts = runs.filter_map(|run| std::str::from_utf8(run).ok());
    texts.any(|text| {
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => {
                matches!(letter, '\u{80}'..='\u{17f}' | '\u{2000}'..='\u{2bff}' | '\u{10000}'..)
            }
            (first, _) => first.is_some(),
        }
    })
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
            (
                b"\x8cwietnie, gor\xb9co polecam",
                "PL",
                "Świetnie, gorąco polecam",
            ),
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
