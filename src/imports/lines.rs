//! JSON Lines (<https://jsonlines.org>), read line by line, so that one that is broken, or endless,
//! costs no other.
//!
//! Apart from what the values mean: our own records stand so, and other platforms' rows in a file
//! of rejected ones.

use std::io;
use std::io::BufRead;
use std::str::FromStr;

use serde_json::{Map, Value};
use thiserror::Error;

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

// `--map text=Review`: JSON Lines whose fields have other names than ours.

/// The fields of a native record that can be filled from a field of another name.
const FIELDS: [&str; 22] = [
    "id",
    "rating",
    "date",
    "author",
    "title",
    "text",
    "language",
    "source.name",
    "source.url",
    "verification.verified",
    "verification.method",
    "verification.verified_at",
    "response.text",
    "response.date",
    "response.author",
    "location",
    "mentions.technicians",
    "mentions.services",
    "mentions.service_areas",
    "status",
    "withheld_reason",
    "updated_at",
];

/// The one field that may be filled from nothing: `--map status=` ignores what a file says of it.
pub(super) const STATUS: &str = "status";

/// One field of ours, and what the file calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    ours: &'static str,
    theirs: String,
}

/// A `--map` that names nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenameError {
    /// There is no `=` with something on both sides.
    #[error("write it as FIELD=THEIR_FIELD, for example text=Review")]
    Shape,
    /// The field is none of ours.
    #[error("`{0}` is no field of a review; take one of {known}", known = FIELDS.join(", "))]
    Field(String),
}

impl Rename {
    /// The field of the native record that it fills.
    pub(super) const fn ours(&self) -> &'static str {
        self.ours
    }

    /// Whether it says that nothing of the file is the status.
    pub(super) fn ignores_status(&self) -> bool {
        self.ours == STATUS && self.theirs.is_empty()
    }

    /// What the file calls it; empty where nothing of the file is to fill it, which only a status can be.
    pub(super) fn theirs(&self) -> &str {
        &self.theirs
    }
}

impl FromStr for Rename {
    type Err = RenameError;

    fn from_str(text: &str) -> Result<Self, RenameError> {
        let (ours, theirs) = text.split_once('=').ok_or(RenameError::Shape)?;
        if ours.is_empty() || (theirs.is_empty() && ours != STATUS) {
            return Err(RenameError::Shape);
        }
        let known = FIELDS.into_iter().find(|field| *field == ours);
        Ok(Self {
            ours: known.ok_or_else(|| RenameError::Field(ours.to_owned()))?,
            theirs: theirs.to_owned(),
        })
    }
}

/// Moves the fields of `record` to our names. A field that it does not have leaves ours as it is.
pub(super) fn apply(renames: &[Rename], record: &mut Value) {
    let Value::Object(fields) = record else {
        return;
    };
    // All are taken out before any is put in, so that two names can change places.
    let taken: Vec<_> = renames
        .iter()
        .filter_map(|rename| {
            let theirs = match rename.theirs.as_str() {
                "" => rename.ours,
                theirs => theirs,
            };
            let value = fields.remove(theirs)?;
            (!rename.theirs.is_empty()).then_some((rename.ours, value))
        })
        .collect();
    for (ours, value) in taken {
        put(fields, ours, value);
    }
}

fn put(fields: &mut Map<String, Value>, path: &str, value: Value) {
    // An absent part stays absent: an empty object would lack what it must have.
    if value.is_null() {
        return;
    }
    match path.split_once('.') {
        None => {
            fields.insert(path.to_owned(), value);
        }
        Some((outer, inner)) => {
            let part = fields
                .entry(outer)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(part) = part {
                put(part, inner, value);
            }
        }
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

#[cfg(test)]
mod rename_tests {
    use serde_json::json;

    use super::{Rename, apply};

    #[test]
    fn names_can_change_places_and_reach_inside() {
        let renames: Vec<Rename> = ["text=title", "title=text", "source.name=From", "author=Who"]
            .iter()
            .map(|map| map.parse().unwrap())
            .collect();
        let mut record = json!({"text": "a", "title": "b", "From": "Yelp", "id": "1"});
        apply(&renames, &mut record);
        assert_eq!(
            record,
            json!({"text": "b", "title": "a", "source": {"name": "Yelp"}, "id": "1"})
        );
    }

    #[test]
    fn a_field_that_is_none_of_ours_is_refused() {
        assert!(
            "review=Review"
                .parse::<Rename>()
                .unwrap_err()
                .to_string()
                .contains("text")
        );
        assert!("text".parse::<Rename>().is_err());
        assert!("text=".parse::<Rename>().is_err());
        assert!("status=".parse::<Rename>().is_ok());
    }
}
