//! Delimited text: CSV (RFC 4180) with any delimiter. The first row is the header and gives the delimiter, or the format's `header_row`;
//! no later cell decides how a file is read.
//!
//! `csv-core`, the parser of the `csv` crate, reads one cell after the other into a buffer, whose size bounds a row. So it is known
//! where in the file each cell stands: the line of a row, and whether a cell ends where its quotation mark closes.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use encoding_rs::{Encoding, MACINTOSH, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::memchr2_iter;

use crate::imports::fault::{FileError, Position};
use crate::imports::read::{
    Bounds, COLUMNS_MAX, Cells, ROW_BYTES_MAX, Row, Table, too_many_columns,
};
use crate::imports::value::text::TEXT_BYTES_MAX;
use crate::model::text::quoted;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Number of bytes at the beginning of a file in which the header stands.
const HEAD_BYTES: usize = 256 << 10;

/// The header of a text: its delimiter, its line, and its cells.
#[derive(Debug, Clone)]
pub struct Header {
    delimiter: u8,
    line: u64,
    /// Without blank cells at the end.
    pub cells: Vec<String>,
}

/// The header: the first row that is not empty, or the row `number`. It is cut by the delimiter that gives most cells; Excel's `sep=;`
/// above it names one.
pub fn find_header(text: &str, number: Option<u64>) -> Option<Header> {
    let named = text.strip_prefix("sep=");
    let named = named.and_then(|rest| rest.bytes().next().filter(u8::is_ascii));
    let delimiters = named.map_or(DELIMITERS.to_vec(), |delimiter| vec![delimiter]);
    // Of equal ones `max_by_key` takes the last, so the delimiters are reversed.
    let headers = delimiters.into_iter().rev().filter_map(|delimiter| {
        let mut rows = first_rows(text, delimiter);
        let (line, mut cells) = match number {
            Some(number) => rows.find(|(line, _)| *line == number)?,
            None => rows.nth(usize::from(named.is_some()))?,
        };
        while cells.last().is_some_and(|cell| cell.trim().is_empty()) {
            cells.pop();
        }
        Some(Header {
            delimiter,
            line,
            cells,
        })
    });
    headers.max_by_key(|header| header.cells.len())
}

/// The first rows of a text, each with its line.
pub fn first_rows(text: &str, delimiter: u8) -> impl Iterator<Item = (u64, Vec<String>)> {
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    let rows = TextRows::new(head, delimiter).map_while(Result::ok);
    let texts = |cells: &Cells| -> Vec<String> {
        let cells = (0..cells.there.end).map(|column| cells.get(column).unwrap_or_default());
        cells.map(str::to_owned).collect()
    };
    rows.map(move |row| (row.line, texts(&row.cells)))
}

impl Header {
    /// The rows that stand near the header, by any delimiter, for advice.
    pub fn rows_near<'t>(
        &self,
        text: &'t str,
    ) -> impl Iterator<Item = (u64, Vec<String>)> + use<'t> {
        let delimiters = [self.delimiter].into_iter().chain(DELIMITERS);
        delimiters.flat_map(move |delimiter| first_rows(text, delimiter).take(20))
    }
}

/// The table below a header, in a text in which U+FFFD stands for what is no UTF-8 if it `is_damaged`.
///
/// # Errors
/// When the text ends in the middle of a cell, or has more than an import may hold.
pub fn read_text(
    text: &str,
    is_damaged: bool,
    header: &Header,
    bounds: &mut Bounds<'_>,
) -> Result<Table, FileError> {
    let headers = header.cells.iter().map(|cell| cell.trim().to_owned());
    let mut table = Table {
        columns: headers.collect(),
        ..Table::default()
    };
    if header.line > 1 {
        table.place = format!(", header in row {}", header.line);
    }
    let columns = table.columns.len();
    if columns > COLUMNS_MAX {
        return Err(too_many_columns());
    }
    for row in TextRows::new(text, header.delimiter) {
        let TextRow {
            line,
            mut cells,
            fault,
        } = row?;
        let last = cells.all().rfind(|(_, cell)| !cell.trim().is_empty());
        let filled = last.map_or(0, |(column, _)| column + 1);
        if fault.is_none() && filled == 0 || line <= header.line {
            continue;
        }
        let is_garbled = |(_, cell): &(usize, &str)| is_damaged && cell.contains('\u{fffd}');
        let garbled = cells.all().find(is_garbled);
        let garbled = garbled.map(|(at, _)| {
            let name = table.columns.get(at).map_or("", String::as_str);
            format!(
                "the cell under {name:?} is not UTF-8, which the rows before are; save the file as UTF-8"
            )
        });
        let count = cells.there.end;
        let misfit = (filled > columns || count < columns).then(|| {
            format!(
                "has {} cells under {columns} headers; put a cell that holds the delimiter or a line break in \"quotes\"",
                count.max(filled)
            )
        });
        let fault = fault.or(garbled).or(misfit).map(|message| (message, None));
        cells.there.end = columns;
        bounds.row(cells.count(), cells.bytes())?;
        table
            .rows
            .push(Row::new(Position::Line(line), cells, fault));
    }
    table.name_columns();
    Ok(table)
}

/// A row of a text.
struct TextRow {
    /// On which it begins, from 1.
    line: u64,
    cells: Cells,
    /// That a cell is too long, or that a quotation mark opens a cell and closes before its end: one is missing, and the cell may have
    /// swallowed other rows.
    fault: Option<String>,
}

/// The rows of a text that are not empty.
struct TextRows<'t> {
    text: &'t str,
    parser: Reader,
    /// Where the parser is.
    at: usize,
    /// Where the last row begins, and on which line.
    row_at: usize,
    line: u64,
    /// For the cells of a row.
    buffer: Vec<u8>,
}

impl<'t> TextRows<'t> {
    fn new(text: &'t str, delimiter: u8) -> Self {
        Self {
            text,
            parser: ReaderBuilder::new().delimiter(delimiter).build(),
            at: 0,
            row_at: 0,
            line: 1,
            buffer: vec![0; ROW_BYTES_MAX],
        }
    }

    /// The line at a place in the last row.
    fn line_at(&self, at: usize) -> u64 {
        self.line + line_ends(&self.text[self.row_at..at])
    }

    fn read_row(&mut self) -> Result<TextRow, FileError> {
        let (mut cells, mut is_last, mut is_whole) = (Cells::default(), false, true);
        let (mut length, mut fault) = (0, None);
        while !is_last {
            let start = self.at;
            let bytes = self.text.as_bytes();
            let (result, read, written) = self
                .parser
                .read_field(&bytes[start..], &mut self.buffer[length..]);
            self.at += read;
            let mut raw = &bytes[start..self.at];
            is_last = match result {
                ReadFieldResult::Field { record_end } => {
                    raw = raw.split_last().map_or(raw, |(_, raw)| raw);
                    record_end
                }
                ReadFieldResult::OutputFull => return Err(row_too_long(self.line_at(start))),
                // The text does not end with a line end. One more belongs to its last cell only if that is open.
                ReadFieldResult::InputEmpty | ReadFieldResult::End => {
                    if self.parser.read_field(b"\n", &mut [0; 2]).2 > 0 {
                        return Err(never_closed(self.line_at(start)));
                    }
                    true
                }
            };
            let cell = String::from_utf8_lossy(&self.buffer[length..length + written]);
            // A quoted cell is as long as its text, its two marks, and one more for each mark in the text.
            let quoted = written + 2 + cell.matches('"').count();
            let is_quoted = raw.starts_with(b"\"");
            is_whole &= !is_quoted || raw.ends_with(b"\"") && raw.len() == quoted;
            length += written;
            let column = cells.there.end;
            if written > TEXT_BYTES_MAX {
                fault = Some(too_long(column + 1));
            } else if written > 0 {
                let formula = formula_text(&cell);
                cells.put(column, formula.as_deref().unwrap_or(&cell));
            }
            cells.there.end += 1;
        }
        let row = self.text[self.row_at..self.at].trim_end_matches(['\r', '\n']);
        if !is_whole && row.contains("\\\"") {
            return Err(FileError::new(format!(
                "is a dump of a database, which writes \\\" for a quotation mark (line {}); export it as CSV that doubles them \
                 (RFC 4180), or as JSON",
                self.line
            )));
        }
        let broken = (!is_whole).then(|| {
            format!(
                "a quotation mark opens a cell in this row and is not closed where the cell ends; close or remove the mark, and \
                 double those inside of a cell; nothing up to line {} is imported",
                self.line + line_ends(row)
            )
        });
        Ok(TextRow {
            line: self.line,
            cells,
            fault: broken.or(fault),
        })
    }
}

impl Iterator for TextRows<'_> {
    type Item = Result<TextRow, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.as_bytes()[self.at..].iter();
        self.at += rest.take_while(|byte| b"\r\n".contains(byte)).count();
        self.line = self.line_at(self.at);
        self.row_at = self.at;
        (self.at < self.text.len()).then(|| self.read_row())
    }
}

/// That a cell, counted from 1, has more than a text may.
pub fn too_long(cell: usize) -> String {
    format!(
        "cell {cell} has more than {} KiB; shorten it",
        TEXT_BYTES_MAX >> 10
    )
}

/// The number of lines that end with CR LF, LF or, in files of old Macs, CR.
fn line_ends(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let ends = memchr2_iter(b'\r', b'\n', bytes);
    let ends = ends.filter(|at| !bytes[*at..].starts_with(b"\r\n"));
    ends.count() as u64
}

/// The text of `="0123"`: programs write one so that a spreadsheet takes it for no number.
fn formula_text(cell: &str) -> Option<String> {
    let text = cell.strip_prefix("=\"")?.strip_suffix('"')?;
    let is_one = !text.replace("\"\"", "").contains('"');
    is_one.then(|| text.replace("\"\"", "\""))
}

fn never_closed(line: u64) -> FileError {
    FileError::new(format!(
        "line {line}: a quotation mark opens a cell and none closes it, so all that follows would be part of this row; \
         close it, or export the file again if its end is missing"
    ))
}

/// Usually because of an unclosed quote.
fn row_too_long(line: u64) -> FileError {
    FileError::new(format!(
        "line {line}: the row that starts here is larger than 1 MiB; close the quote that was opened in it, or shorten it"
    ))
}

// The encoding of a file.

/// A file as text.
pub struct Decoded<'b> {
    /// With U+FFFD in place of what cannot be read.
    pub text: Cow<'b, str>,
    /// Whether some of a file in UTF-8 is none.
    pub is_damaged: bool,
    /// Whether its encoding is not known: the text is as the first of [`encodings`] reads it.
    pub is_unknown: bool,
}

impl Decoded<'_> {
    /// # Errors
    /// If some of it is no UTF-8.
    pub fn check_whole(&self) -> Result<(), FileError> {
        check_utf8(self.is_damaged)
    }
}

pub fn check_utf8(is_damaged: bool) -> Result<(), FileError> {
    if is_damaged {
        return Err(FileError::new("is not UTF-8; save the file as UTF-8"));
    }
    Ok(())
}

/// The file as text. A byte order mark, and bytes that are UTF-8, override the format's encoding, which is `named`.
///
/// # Errors
/// When it is not in that encoding.
pub fn decode<'b>(
    bytes: &'b [u8],
    named: Option<&str>,
    country: Option<&str>,
) -> Result<Decoded<'b>, FileError> {
    let named = named.and_then(|label| Encoding::for_label(label.as_bytes()));
    let is_json =
        bytes.trim_ascii_start().starts_with(b"[") || bytes.trim_ascii_start().starts_with(b"{");
    let unicode = wide(bytes).or_else(|| std::str::from_utf8(bytes).is_ok().then_some(UTF_8));
    let encoding = unicode
        .or(named)
        .or_else(|| is_json.then_some(UTF_8))
        .unwrap_or_else(|| encodings(bytes, country)[0]);
    let (text, has_errors) = encoding.decode_with_bom_removal(bytes);
    if has_errors && unicode.is_none() && named == Some(encoding) && encoding != UTF_8 {
        return Err(FileError::new(format!(
            "is not in the encoding {}; name another one as `encoding` in the source's format, or save the file as UTF-8",
            encoding.name()
        )));
    }
    Ok(Decoded {
        text,
        is_damaged: has_errors && encoding == UTF_8,
        is_unknown: unicode.is_none() && named.is_none() && !is_json,
    })
}

/// The UTF-16 encoding of a text, if it has one.
const fn wide(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Up to three encodings that a text may have which is not UTF-8 throughout, the likeliest first: that is UTF-8 with a damaged cell, if
/// the first bytes beyond ASCII are.
pub fn encodings(text: &[u8], country: Option<&str>) -> Vec<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(text, true);
    let country = country.filter(|it| it.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let domain = country.unwrap_or("US").to_ascii_lowercase();
    let likeliest = detector.guess(Some(domain.as_bytes()), Utf8Detection::Deny);
    let damaged = std::str::from_utf8(text).err();
    let is_damaged = damaged.is_some_and(|error| !text[..error.valid_up_to()].is_ascii());
    let mut found = if is_damaged { vec![UTF_8] } else { Vec::new() };
    for other in [
        likeliest,
        WINDOWS_1252,
        MACINTOSH,
        detector.guess(None, Utf8Detection::Deny),
    ] {
        if !found.contains(&other) && found.len() < 3 {
            found.push(other);
        }
    }
    found
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
        let decoded = serde_json::from_str(&format!("\"{word}\""));
        decoded.unwrap_or_else(|_| word.to_owned())
    });
    let word = words.find(|word| is_garbled(word))?;
    Some(format!(
        "the file was probably saved after another program read its UTF-8 as Windows-1252, for example {}; export it again, and \
         import it without opening it",
        quoted(&word)
    ))
}

/// Whether neighbouring letters of a word are, as bytes of Windows-1252, the UTF-8 of others. A capital letter before a closing mark
/// looks like a letter of another alphabet, too; so one letter counts only if it is Latin, a sign, or an emoji.
fn is_garbled(word: &str) -> bool {
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
