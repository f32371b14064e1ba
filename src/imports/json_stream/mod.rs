//! Walks a JSON file and hands over the elements of one array as bytes, one at a time, so that
//! neither a large file nor a single endless element ever stands in memory.
//!
//! Apart from `serde_json`, which judges each element, because its streaming has no bound for one
//! value. Knows only where values begin and end (RFC 8259 §2): what is in them is judged by who
//! parses them. Knows nothing of reviews.

#[cfg(test)]
mod tests;
mod within;

use std::io::BufRead;

use within::Within;

use super::file_error::FileError;

/// How many bytes an element may have: as many as a line of JSON Lines.
pub(super) const ELEMENT_BYTES_MAX: usize = 1 << 20;
/// How many bytes the name of a member may have where the path is looked for.
const NAME_BYTES_MAX: usize = 64 << 10;

/// A value of the file.
#[derive(Debug)]
pub(super) struct Element<'e> {
    /// Its number in the array, from 0.
    pub(super) index: u64,
    /// The line on which it begins, from 1.
    pub(super) line: u64,
    /// Its text, or only its beginning where it is longer than allowed.
    pub(super) text: &'e [u8],
    /// Whether that is all of it.
    pub(super) is_whole: bool,
}

/// What is met on the way.
pub(super) enum Met<'e> {
    /// An element of the array.
    Element(Element<'e>),
    /// The value of the member that was to be brought along.
    Beside(&'e [u8]),
}

type Take<'t> = &'t mut dyn FnMut(Met<'_>) -> Result<(), FileError>;

/// Hands the elements of the array at `path` in `input` to `take`, and the value of the outermost
/// member `beside`, in the order in which they stand there. An empty path is the outermost array;
/// outermost values that are none are elements themselves.
pub(super) fn each(
    input: &mut dyn BufRead,
    path: &[String],
    beside: Option<&str>,
    take: Take<'_>,
) -> Result<(), FileError> {
    let mut scan = Scan {
        input,
        line: 1,
        column: 0,
        text: Vec::new(),
        beside,
    };
    let mut index = 0;
    let mut any = false;
    while scan.peek()?.is_some() {
        any = true;
        scan.descend(path, true, &mut index, take)?;
        // Values may follow each other, blanks between: somebody pretty-printed JSON Lines.
    }
    if any {
        Ok(())
    } else {
        Err(scan.broken("nothing but blanks"))
    }
}

struct Scan<'i> {
    input: &'i mut dyn BufRead,
    line: u64,
    column: u64,
    text: Vec<u8>,
    beside: Option<&'i str>,
}

impl Scan<'_> {
    /// Takes the value that comes next: goes on to the rest of the path, or hands over what stands
    /// at its end.
    fn descend(
        &mut self,
        path: &[String],
        response_policy: bool,
        index: &mut u64,
        take: Take<'_>,
    ) -> Result<(), FileError> {
        let next = self.peek()?;
        match (path.split_first(), next) {
            (None, Some(b'[')) => self.elements(index, take),
            (None, Some(_)) => self.element(index, take),
            (Some((name, rest)), Some(b'{')) => {
                self.members(name, rest, response_policy, index, take)
            }
            // Another kind of value stands where the path leads through: there are no elements in
            // it.
            (Some(_), Some(_)) => self.value(0).map(|_| ()),
            (_, None) => Err(self.broken("a value is missing")),
        }
    }

    fn members(
        &mut self,
        wanted: &str,
        rest: &[String],
        response_policy: bool,
        index: &mut u64,
        take: Take<'_>,
    ) -> Result<(), FileError> {
        self.expect(b'{')?;
        if self.peek()? == Some(b'}') {
            return self.expect(b'}');
        }
        loop {
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
                self.descend(rest, false, index, take)?;
            } else if response_policy && self.beside == Some(name.as_str()) {
                if !self.value(ELEMENT_BYTES_MAX)? {
                    return Err(
                        self.broken(&format!("`{name}` has more than {ELEMENT_BYTES_MAX} bytes"))
                    );
                }
                take(Met::Beside(&self.text))?;
            } else {
                self.value(0)?;
            }
            if !self.goes_on(b'}')? {
                return Ok(());
            }
        }
    }

    fn elements(&mut self, index: &mut u64, take: Take<'_>) -> Result<(), FileError> {
        self.expect(b'[')?;
        if self.peek()? == Some(b']') {
            return self.expect(b']');
        }
        loop {
            self.element(index, take)?;
            if !self.goes_on(b']')? {
                return Ok(());
            }
        }
    }

    fn element(&mut self, index: &mut u64, take: Take<'_>) -> Result<(), FileError> {
        self.peek()?;
        let line = self.line;
        let is_whole = self.value(ELEMENT_BYTES_MAX)?;
        take(Met::Element(Element {
            index: *index,
            line,
            text: &self.text,
            is_whole,
        }))?;
        *index += 1;
        Ok(())
    }

    /// Whether another follows after a comma, or the container ends with `end`.
    fn goes_on(&mut self, end: u8) -> Result<bool, FileError> {
        match self.peek()? {
            Some(b',') => self.expect(b',').map(|()| true),
            Some(byte) if byte == end => self.expect(end).map(|()| false),
            _ => Err(self.broken(&format!("`,` or `{}` is missing", char::from(end)))),
        }
    }

    /// Takes one value into `text`, at most `keep` bytes of it. Says whether that is all of it.
    fn value(&mut self, keep: usize) -> Result<bool, FileError> {
        self.text.clear();
        let first = self
            .peek()?
            .ok_or_else(|| self.broken("a value is missing"))?;
        let mut within = Within::new(first).ok_or_else(|| self.broken("a value is missing"))?;
        let mut is_whole = true;
        loop {
            let ready = self.input.fill_buf().map_err(FileError::reading)?;
            if ready.is_empty() {
                return if within.may_end() {
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

    /// The next byte that is no blank.
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
        let (line, column) = (
            usize::try_from(self.line).unwrap_or(usize::MAX),
            usize::try_from(self.column + 1).unwrap_or(usize::MAX),
        );
        FileError::Json {
            line,
            column,
            reason: reason.to_owned(),
        }
    }
}

fn count(bytes: &[u8], line: &mut u64, column: &mut u64) {
    *line += memchr::memchr_iter(b'\n', bytes).count() as u64;
    *column = memchr::memrchr(b'\n', bytes).map_or(*column + bytes.len() as u64, |at| {
        (bytes.len() - at - 1) as u64
    });
}
