//! Streams the elements of one array in a JSON file as bytes, one at a time, so that neither a large file nor an
//! endless element fills the memory. It is separate from `serde_json`, which parses each element, because that has no
//! size limit for a streamed value.

use std::io::{BufRead, Read as _};
use std::{fmt, io};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::imports::file_error::{FileError, reason};
use crate::imports::report::Position;

/// Maximum size of an element in bytes: as much as a line of JSON Lines.
pub const ELEMENT_BYTES_MAX: usize = 1 << 20;
/// Maximum size in bytes of a member name on the path.
const NAME_BYTES_MAX: usize = 64 << 10;

#[derive(Debug)]
pub struct Element<'e> {
    /// From 0.
    pub index: u64,
    /// Line on which the element begins, from 1.
    pub line: usize,
    /// Truncated if too long.
    pub text: &'e [u8],
    /// Whether `text` is the whole element.
    pub is_whole: bool,
}

pub enum Met<'e> {
    Element(Element<'e>),
    /// The value of the member `beside`.
    Beside(&'e [u8]),
}

type TakeElement<'t> = &'t mut dyn FnMut(Met<'_>) -> Result<(), FileError>;

/// Calls `take` with the elements of the array at `path` in `input` and with the value of the top-level member
/// `beside`, in file order. An empty path means the top-level array; top-level values that are no arrays are elements
/// themselves.
pub fn elements(
    input: &mut dyn BufRead,
    path: &str,
    beside: Option<&str>,
    take: TakeElement<'_>,
) -> Result<(), FileError> {
    let mut scan = Scan {
        input,
        line: 1,
        column: 0,
        text: Vec::new(),
        beside,
        index: 0,
        take,
    };
    if scan.peek()?.is_none() {
        return Err(scan.broken("only white space"));
    }
    // Several values may follow each other, like in pretty-printed JSON Lines.
    while scan.peek()?.is_some() {
        scan.descend(path, true)?;
    }
    Ok(())
}

struct Scan<'i> {
    input: &'i mut dyn BufRead,
    line: usize,
    column: usize,
    text: Vec<u8>,
    beside: Option<&'i str>,
    index: u64,
    take: TakeElement<'i>,
}

impl Scan<'_> {
    /// Reads the next value: follows the rest of the path, or takes the elements at the end of the path.
    fn descend(&mut self, path: &str, is_outermost: bool) -> Result<(), FileError> {
        let next = self.peek()?;
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        match next {
            Some(b'[') if path.is_empty() => self.container(b'[', b']', &mut Self::element),
            Some(_) if path.is_empty() => self.element(),
            Some(b'{') => self.container(b'{', b'}', &mut |scan| {
                scan.member(name, rest, is_outermost)
            }),
            // The path leads through a value of another kind, which has no elements.
            Some(_) => self.value(0).map(drop),
            None => Err(self.broken("a value is missing")),
        }
    }

    /// Reads the content between two brackets, separated by commas.
    fn container(
        &mut self,
        begin: u8,
        end: u8,
        one: &mut dyn FnMut(&mut Self) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        self.expect(begin)?;
        if self.peek()? == Some(end) {
            return self.expect(end);
        }
        loop {
            one(self)?;
            match self.peek()? {
                Some(b',') => self.expect(b',')?,
                Some(byte) if byte == end => return self.expect(end),
                _ => {
                    let end = char::from(end);
                    return Err(self.broken(&format!("`,` or `{end}` is missing")));
                }
            }
        }
    }

    fn member(&mut self, wanted: &str, rest: &str, is_outermost: bool) -> Result<(), FileError> {
        if self.peek()? != Some(b'"') {
            return Err(self.broken("a member's name in \"quotes\" is missing"));
        }
        if !self.value(NAME_BYTES_MAX)? {
            return Err(self.broken("a member's name is too long"));
        }
        let name: String = serde_json::from_slice(&self.text)
            .map_err(|_| self.broken("a member's name is broken"))?;
        self.expect(b':')?;
        if name == wanted {
            return self.descend(rest, false);
        }
        if !is_outermost || self.beside != Some(name.as_str()) {
            return self.value(0).map(drop);
        }
        if self.value(ELEMENT_BYTES_MAX)? {
            (self.take)(Met::Beside(&self.text))
        } else {
            let message = format!("`{name}` has more than {ELEMENT_BYTES_MAX} bytes");
            Err(self.broken(&message))
        }
    }

    fn element(&mut self) -> Result<(), FileError> {
        self.peek()?;
        let line = self.line;
        let is_whole = self.value(ELEMENT_BYTES_MAX)?;
        (self.take)(Met::Element(Element {
            index: self.index,
            line,
            text: &self.text,
            is_whole,
        }))?;
        self.index += 1;
        Ok(())
    }

    /// Reads one value into `text`, at most `keep` bytes; returns whether `text` is the whole value.
    fn value(&mut self, keep: usize) -> Result<bool, FileError> {
        self.text.clear();
        let within = self.peek()?.and_then(Within::new);
        let mut within = within.ok_or_else(|| self.broken("a value is missing"))?;
        let mut is_whole = true;
        loop {
            let ready = self.input.fill_buf().map_err(FileError::reading)?;
            if ready.is_empty() {
                // A number or word may end at the end of the file.
                return if within.is_scalar {
                    Ok(is_whole)
                } else {
                    Err(self.broken("the file ends in the middle of a value"))
                };
            }
            let (used, ended) = within.take(ready);
            let fits = used.min(keep.saturating_sub(self.text.len()));
            is_whole &= fits == used;
            self.text.extend_from_slice(&ready[..fits]);
            count(&ready[..used], &mut self.line, &mut self.column);
            self.input.consume(used);
            if ended {
                return Ok(is_whole);
            }
        }
    }

    /// The next byte that is not whitespace.
    fn peek(&mut self) -> Result<Option<u8>, FileError> {
        loop {
            let ready = self.input.fill_buf().map_err(FileError::reading)?;
            if ready.is_empty() {
                return Ok(None);
            }
            let blanks = ready
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
                .count();
            let next = ready.get(blanks).copied();
            count(&ready[..blanks], &mut self.line, &mut self.column);
            self.input.consume(blanks);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), FileError> {
        if self.peek()? != Some(byte) {
            return Err(self.broken(&format!("`{}` is missing", char::from(byte))));
        }
        self.input.consume(1);
        self.column += 1;
        Ok(())
    }

    fn broken(&self, reason: &str) -> FileError {
        FileError::json(self.line, self.column + 1, reason)
    }
}

fn count(bytes: &[u8], line: &mut usize, column: &mut usize) {
    *line += memchr::memchr_iter(b'\n', bytes).count();
    let feed = memchr::memrchr(b'\n', bytes);
    *column = feed.map_or(*column + bytes.len(), |at| bytes.len() - at - 1);
}

// Finds the end of a JSON value (RFC 8259 §2) by its brackets and quotes, in constant memory for any depth and length.

/// State of the scan within a value.
struct Within {
    depth: u64,
    in_string: bool,
    escaped: bool,
    is_scalar: bool,
}

impl Within {
    /// `None` if no value begins with that byte.
    fn new(first: u8) -> Option<Self> {
        let is_scalar = !matches!(first, b'{' | b'[' | b'"');
        let begins =
            !is_scalar || first.is_ascii_alphanumeric() || matches!(first, b'-' | b'+' | b'.');
        begins.then_some(Self {
            depth: 0,
            in_string: false,
            escaped: false,
            is_scalar,
        })
    }

    /// The number of these bytes that belong to the value, and whether the value ends with them.
    fn take(&mut self, bytes: &[u8]) -> (usize, bool) {
        if self.is_scalar {
            let end = bytes.iter().position(|byte| {
                matches!(
                    byte,
                    b',' | b']' | b'}' | b':' | b' ' | b'\t' | b'\n' | b'\r'
                )
            });
            return (end.unwrap_or(bytes.len()), end.is_some());
        }
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    at += 1;
                    continue;
                }
                let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) else {
                    return (bytes.len(), false);
                };
                at += found + 1;
                self.escaped = bytes[at - 1] == b'\\';
                self.in_string = self.escaped;
                if !self.in_string && self.depth == 0 {
                    return (at, true);
                }
                continue;
            }
            match bytes[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return (at + 1, true);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (bytes.len(), false)
    }
}

// Visits the values of a JSON text by their paths; the text may be truncated.

/// Called with the path of each value before it is read, as `services[1].id` or, without numbers, `services[].id`, and
/// with `true` at the end of each object; returns whether to stop.
pub type VisitPath<'v> = &'v mut dyn FnMut(&str, bool) -> bool;

/// Visits the values of `text` down to `deep_max`; returns the line and column, both from 1, at which the visit stopped
/// or the text is broken.
pub fn walk(
    text: &[u8],
    deep_max: usize,
    is_numbered: bool,
    visit: VisitPath<'_>,
) -> Option<(usize, usize)> {
    let walk = PathWalk {
        path: "",
        deep_max,
        is_numbered,
        visit,
    };
    let ended = walk.deserialize(&mut serde_json::Deserializer::from_slice(text));
    // serde_json adds the position to a visitor's error.
    let error = ended.err().filter(|error| error.line() > 0)?;
    Some((error.line(), error.column()))
}

struct PathWalk<'w> {
    path: &'w str,
    deep_max: usize,
    is_numbered: bool,
    visit: VisitPath<'w>,
}

impl<'de> DeserializeSeed<'de> for PathWalk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if !self.path.is_empty() && (self.visit)(self.path, false) {
            Err(D::Error::custom("here"))
        } else if self.deep_max > 0 {
            deserializer.deserialize_any(self)
        } else {
            deserializer.deserialize_ignored_any(IgnoredAny).map(drop)
        }
    }
}

impl<'de> Visitor<'de> for PathWalk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let path = if self.path.is_empty() {
                name
            } else {
                format!("{}.{name}", self.path)
            };
            map.next_value_seed(PathWalk {
                path: &path,
                deep_max: self.deep_max - 1,
                is_numbered: self.is_numbered,
                visit: self.visit,
            })?;
        }
        if (self.visit)(self.path, true) {
            return Err(A::Error::custom("it ends here"));
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            let path = if self.is_numbered {
                format!("{}[{index}]", self.path)
            } else {
                format!("{}[]", self.path)
            };
            let element = PathWalk {
                path: &path,
                deep_max: self.deep_max,
                is_numbered: self.is_numbered,
                visit: self.visit,
            };
            if elements.next_element_seed(element)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

// JSON Lines (<https://jsonlines.org>), read line by line, so that a broken or endless line does not affect the others.

const LINE_BYTES_MAX: usize = 1 << 20;
/// Number of bytes that are kept of an overlong line.
pub const BYTES_SHOWN: usize = 1 << 10;

/// A row; or an error message with the row as text, truncated if it is too long.
pub type RowValue = Result<Value, (String, Value)>;

/// Called with the position of a row, the name of its format if the line gives it, and the row.
type TakeLine<'t> = &'t mut dyn FnMut(Position, Option<String>, RowValue) -> Result<(), FileError>;

/// Calls `take` with every line of `input` that is not blank; of a file of `rejected` rows, with the rows.
pub fn lines(input: &mut dyn BufRead, rejected: bool, take: TakeLine<'_>) -> Result<(), FileError> {
    let mut line = Vec::new();
    let mut number = 0;
    while let Some(is_whole) = next_line(input, &mut line).map_err(FileError::reading)? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (mut column, mut read) = if is_whole {
            value(&line)
        } else {
            (None, Err((too_long(), shown(&line))))
        };
        let mut format = None;
        // Lines `{file, line, format, error, row}`, in which a row of broken JSON is a text, which the owner may have
        // corrected.
        if rejected && let Ok(Value::Object(members)) = &mut read {
            let named = members.remove("format");
            format = named.and_then(|name| name.as_str().map(str::to_owned));
            match members.remove("row") {
                Some(Value::String(text)) => (column, read) = value(text.as_bytes()),
                Some(row) => read = Ok(row),
                None => {}
            }
        }
        let at = Position::Line {
            line: number,
            column,
        };
        take(at, format, read)?;
    }
    Ok(())
}

/// Reads a line into `line`; `Some(false)` if the line was too long and is truncated.
fn next_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let mut bounded = (&mut *input).take(LINE_BYTES_MAX as u64 + 1);
    if bounded.read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|last| *last == b'\n').is_some() || line.len() <= LINE_BYTES_MAX {
        return Ok(Some(true));
    }
    line.truncate(LINE_BYTES_MAX);
    input.skip_until(b'\n')?;
    Ok(Some(false))
}

/// The row in a line, and the column of broken JSON, in bytes from 1.
fn value(line: &[u8]) -> (Option<usize>, RowValue) {
    let (column, message) = match std::str::from_utf8(line).map(serde_json::from_str) {
        Ok(Ok(value)) => return (None, Ok(value)),
        Ok(Err(error)) => (
            error.column(),
            format!("the JSON is broken ({}); correct the line", reason(&error)),
        ),
        Err(error) => (
            error.valid_up_to() + 1,
            "not UTF-8 from here on; save the file as UTF-8".to_owned(),
        ),
    };
    (Some(column), Err((message, shown(line))))
}

fn too_long() -> String {
    format!("longer than {LINE_BYTES_MAX} bytes; shorten it, or write one review in a line")
}

fn shown(line: &[u8]) -> Value {
    let cut = if line.len() < LINE_BYTES_MAX {
        line
    } else {
        &line[..BYTES_SHOWN]
    };
    Value::from(String::from_utf8_lossy(cut))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::{ELEMENT_BYTES_MAX, Met, elements};

    /// The elements found when reading through a buffer of `buffer` bytes.
    fn found(json: &str, path: &str, buffer: usize) -> Result<Vec<String>, String> {
        let mut input = BufReader::with_capacity(buffer, json.as_bytes());
        let mut found = Vec::new();
        let take = &mut |met: Met<'_>| {
            found.push(match met {
                Met::Element(element) => format!(
                    "{}@{} {}",
                    element.index,
                    element.line,
                    String::from_utf8_lossy(element.text)
                ),
                Met::Beside(text) => format!("beside {}", String::from_utf8_lossy(text)),
            });
            Ok(())
        };
        elements(&mut input, path, Some("business"), take).map_err(|fault| fault.to_string())?;
        Ok(found)
    }

    #[test]
    fn elements_are_found_whatever_the_size_of_the_buffer() {
        let json = "{\"a\": [1, {\"r\": \"}]\\\"\"}],\n \"business\": {\"n\": 1},\n \"d\": {\"x\": null, \"r\": [\n {\"t\": \"[\\\\\"}\n, 7, \"s\"]}}";
        for buffer in [1, 2, 7, 4096] {
            let expected = [
                "beside {\"n\": 1}",
                "0@4 {\"t\": \"[\\\\\"}",
                "1@5 7",
                "2@5 \"s\"",
            ];
            assert_eq!(found(json, "d.r", buffer).unwrap(), expected, "{buffer}");
            assert_eq!(
                found("[{}, [1]]", "", buffer).unwrap(),
                ["0@1 {}", "1@1 [1]"]
            );
            assert_eq!(
                found("{\"a\":\n1}\n\n{\"a\":2}", "", buffer).unwrap(),
                ["0@1 {\"a\":\n1}", "1@4 {\"a\":2}"]
            );
            assert_eq!(found("{\"d\": 5}", "d.r", buffer).unwrap(), [] as [&str; 0]);
        }
    }

    #[test]
    fn what_is_cut_off_or_broken_is_named_by_line_and_column() {
        for (json, said) in [
            (
                "{\"d\": {\"r\": [{\"a\": 1},\n {\"a\": ",
                "line 2, column 8: the JSON is broken (the file ends in the middle of a value)",
            ),
            ("{\"d\": {\"r\": [{} {}]}}", "`,` or `]` is missing"),
            ("{\"d\": {\"r\": [{}]", "`,` or `}` is missing"),
            ("{d: 1}", "a member's name in \"quotes\" is missing"),
            ("{\"d\" 1}", "`:` is missing"),
            ("  ", "only white space"),
        ] {
            let fault = found(json, "d.r", 4096).unwrap_err();
            assert!(fault.contains(said), "{json}: {fault}");
        }
    }

    #[test]
    fn an_element_is_kept_up_to_its_bound_and_the_next_is_whole() {
        let json = format!("[\"{}\", 2]", "x".repeat(3 * ELEMENT_BYTES_MAX));
        let mut seen = Vec::new();
        elements(&mut json.as_bytes(), "", None, &mut |met| {
            if let Met::Element(element) = met {
                seen.push((element.index, element.text.len(), element.is_whole));
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [(0, ELEMENT_BYTES_MAX, false), (1, 1, true)]);
    }
}

#[cfg(test)]
mod lines_tests {
    use std::io::{self, BufRead, Read as _};

    use super::{LINE_BYTES_MAX, lines, next_line};

    /// Repeats the same bytes without a line end.
    struct Endless {
        bytes: Vec<u8>,
        left: usize,
    }

    impl io::Read for Endless {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            unreachable!("lines are read from the buffer")
        }
    }

    impl BufRead for Endless {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            Ok(&self.bytes[..self.bytes.len().min(self.left)])
        }

        fn consume(&mut self, amount: usize) {
            self.left -= amount;
        }
    }

    #[test]
    fn a_line_of_a_gigabyte_takes_the_memory_of_the_longest_that_is_allowed_and_stops_no_other() {
        let line = Endless {
            bytes: vec![b'x'; 1 << 20],
            left: 1 << 30,
        };
        let mut input = line.chain(&b"\n{\"id\":1}\n"[..]);
        let mut held = Vec::new();
        assert_eq!(next_line(&mut input, &mut held).unwrap(), Some(false));
        assert!(held.len() == LINE_BYTES_MAX && held.capacity() <= 2 * LINE_BYTES_MAX);
        let mut seen = Vec::new();
        lines(&mut input, false, &mut |at, _, read| {
            seen.push((at.to_string(), read.is_ok()));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [("1".to_owned(), true)]);
    }
}
