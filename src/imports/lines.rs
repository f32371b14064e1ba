//! JSON Lines (<https://jsonlines.org>), read line by line, so that one that is broken, or endless,
//! costs no other.
//!
//! Apart from what the values mean: our own records stand so, and other platforms' rows in a file
//! of rejected ones.

use std::io::{self, BufRead};

use serde_json::Value;

use super::file_error::{FileError, reason};

/// How many bytes a line may have.
const LINE_BYTES_MAX: usize = 1 << 20;
/// How many bytes of a line that is too long are noted.
pub(super) const BYTES_SHOWN: usize = 1 << 10;

/// What was read of a line: its value, or what is wrong with it and the line itself for whoever
/// mends it.
#[derive(Debug)]
pub(super) struct Read {
    /// The value; or the message, and the line as text, cut where it is too long.
    pub(super) value: Result<Value, (String, Value)>,
    /// Where the JSON is broken, in bytes from 1.
    broken_at: Option<usize>,
}

impl Read {
    /// Where the JSON is broken, in bytes from 1.
    pub(super) const fn column(&self) -> Option<usize> {
        self.broken_at
    }

    fn broken(column: Option<usize>, message: impl Into<String>, line: &[u8]) -> Self {
        let cut = if line.len() < LINE_BYTES_MAX {
            line
        } else {
            &line[..BYTES_SHOWN]
        };
        Self {
            value: Err((message.into(), Value::from(String::from_utf8_lossy(cut)))),
            broken_at: column,
        }
    }
}

type TakeLine<'t> = &'t mut dyn FnMut(u64, Read) -> Result<(), FileError>;

/// Hands every line of `input` that is not blank to `take`, with its number from 1. Of a file of
/// `rejected` rows, the rows.
pub(super) fn each(
    input: &mut dyn BufRead,
    rejected: bool,
    take: TakeLine<'_>,
) -> Result<(), FileError> {
    let mut line = Vec::new();
    let mut number = 0;
    while let Some(is_whole) = next_line(input, &mut line).map_err(FileError::reading)? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let message = || {
            format!("longer than {LINE_BYTES_MAX} bytes; shorten it, or write one review in a line")
        };
        let read = if is_whole {
            value(&line)
        } else {
            Read::broken(None, message(), &line)
        };
        take(number, if rejected { unwrapped(read) } else { read })?;
    }
    Ok(())
}

/// Reads a line into `line`. `Some(false)` says that it was longer than allowed and only its
/// beginning is there.
fn next_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let mut whole = true;
    let mut any = false;
    loop {
        let ready = input.fill_buf()?;
        if ready.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = memchr::memchr(b'\n', ready);
        let part = &ready[..end.unwrap_or(ready.len())];
        let fits = part.len().min(LINE_BYTES_MAX - line.len());
        whole &= fits == part.len();
        line.extend_from_slice(&part[..fits]);
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}

fn value(line: &[u8]) -> Read {
    if let Err(error) = std::str::from_utf8(line) {
        return Read::broken(
            Some(error.valid_up_to() + 1),
            "not UTF-8 from here on; save the file as UTF-8",
            line,
        );
    }
    match serde_json::from_slice(line) {
        Ok(value) => Read {
            value: Ok(value),
            broken_at: None,
        },
        Err(error) => Read::broken(
            Some(error.column()),
            format!("the JSON is broken ({}); correct the line", reason(&error)),
            line,
        ),
    }
}

/// The row in a line `{file, line, error, row}`. A row that was broken JSON stands there as a text,
/// which may have been mended.
fn unwrapped(read: Read) -> Read {
    let Ok(Value::Object(mut members)) = read.value else {
        return read;
    };
    match members.remove("row") {
        Some(Value::String(text)) => value(text.as_bytes()),
        Some(row) => Read {
            value: Ok(row),
            broken_at: None,
        },
        None => Read {
            value: Ok(Value::Object(members)),
            broken_at: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufRead, Read as _};

    use super::{LINE_BYTES_MAX, each, next_line};

    /// Gives the same bytes again and again, without a line end.
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
        each(&mut input, false, &mut |number, read| {
            seen.push((number, read.value.is_ok()));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [(1, true)]);
    }
}
