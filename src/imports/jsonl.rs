//! JSON Lines (<https://jsonlines.org>): our native format, one record in a line. Read line by line, so that one that
//! is broken, or endless, costs no other.

use std::io::{self, BufRead};

use serde_json::Value;

use super::detect::Shape;
use super::fault::{Fault, reason};
use super::fields::{Fields, Problem};
use super::format::Format;
use super::incoming::Incoming;
use super::rename::Rename;
use super::report::Position;
use super::sink::{RowSink, take};
use super::{record, rename};
use crate::reviews::ReviewId;

/// How many bytes a line may have.
const LINE_BYTES_MAX: usize = 1 << 20;
/// How many bytes of a line that is too long are noted.
const LINE_BYTES_SHOWN: usize = 1 << 10;

pub(super) const FORMAT: Format = Format {
    name: "jsonl",
    label: "JSON Lines",
    excerpts: false,
    authors_public: true,
    renames: true,
    recognises: Shape::may_be_lines,
    read,
};

/// What a line says.
enum Line {
    Review(Box<Incoming>),
    /// That the owner deleted this review (CONTRACT §1, `export`).
    Deleted(ReviewId),
}

fn read(input: &mut dyn BufRead, sink: &mut dyn RowSink) -> Result<(), Fault> {
    let mut line = Vec::new();
    let mut number = 0;
    while let Some(whole) = next_line(input, &mut line).map_err(Fault::reading)? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let said = if whole { said(&line, sink.renames()) } else { Err((None, vec![Problem::of_all(too_long())])) };
        let column = said.as_ref().err().and_then(|(column, _)| *column);
        let at = Position::Line { line: number, column };
        match said {
            Ok(Line::Review(incoming)) => take(sink, at, Ok(*incoming), &|| row(&line))?,
            Ok(Line::Deleted(id)) => sink.deleted(at, id)?,
            Err((_, problems)) => take(sink, at, Err(problems), &|| row(&line))?,
        }
    }
    Ok(())
}

/// Reads a line into `line`. `Some(false)` says that it was longer than allowed and only its beginning is there.
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

/// What `line` says, or what is wrong with it, with the column where the JSON is broken.
fn said(line: &[u8], renames: &[Rename]) -> Result<Line, (Option<usize>, Vec<Problem>)> {
    let whole = |message: &str| vec![Problem::of_all(message)];
    let text = std::str::from_utf8(line)
        .map_err(|error| (Some(error.valid_up_to() + 1), whole("not UTF-8 from here on; save the file as UTF-8")))?;
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| (Some(error.column()), whole(&format!("the JSON is broken ({}); correct the line", reason(&error)))))?;
    rename::apply(renames, &mut value);
    if value.get("deleted").is_some_and(|deleted| *deleted == Value::Bool(true)) {
        return deleted(&value).map(Line::Deleted).map_err(|problem| (None, vec![problem]));
    }
    record::review(&value).map(|incoming| Line::Review(Box::new(incoming))).map_err(|problems| (None, problems))
}

fn deleted(value: &Value) -> Result<ReviewId, Problem> {
    let fields = Fields::of(value, String::new())?;
    fields.parsed("id")?.ok_or_else(|| fields.missing("id"))
}

fn too_long() -> String {
    format!("longer than {LINE_BYTES_MAX} bytes; shorten it, or write one review in a line")
}

/// The row as somebody who mends it wants it.
fn row(line: &[u8]) -> Value {
    let cut = if line.len() < LINE_BYTES_MAX { line } else { &line[..LINE_BYTES_SHOWN] };
    serde_json::from_slice(cut).unwrap_or_else(|_| Value::from(String::from_utf8_lossy(cut)))
}
