//! JSON Lines (<https://jsonlines.org>): our native format, one record in a line. Read line by line, so that one that
//! is broken, or endless, costs no other.

use std::io::{self, BufRead};

use serde_json::Value;

use super::detect::{Format, Shape};
use super::fault::{Fault, reason};
use super::intake::Intake;
use super::report::Position;
use super::{record, rename};
use crate::reviews::Review;

/// How many bytes a line may have.
const LINE_BYTES_MAX: usize = 1 << 20;
/// How many bytes of a line that is too long are noted.
const LINE_BYTES_SHOWN: usize = 1 << 10;

pub(super) const FORMAT: Format =
    Format { name: "jsonl", label: "JSON Lines", recognises: Shape::may_be_lines, renames: true, read };

fn read(input: &mut dyn BufRead, intake: &mut Intake<'_>) -> Result<(), Fault> {
    let mut line = Vec::new();
    let mut number = 0;
    while let Some(whole) = next_line(input, &mut line).map_err(Fault::reading)? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let made = if whole { review(&line, intake) } else { Err((None, too_long())) };
        let column = made.as_ref().err().and_then(|(column, _)| *column);
        intake.take(Position::Line { line: number, column }, made.map_err(|(_, error)| error), || row(&line))?;
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

/// The review in `line`, or what is wrong with it, with the column where the JSON is broken.
fn review(line: &[u8], intake: &Intake<'_>) -> Result<Review, (Option<usize>, String)> {
    let text = std::str::from_utf8(line)
        .map_err(|error| (Some(error.valid_up_to() + 1), "not UTF-8 from here on; save the file as UTF-8".to_owned()))?;
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| (Some(error.column()), format!("the JSON is broken ({}); correct the line", reason(&error))))?;
    rename::apply(intake.renames(), &mut value);
    record::review(&value, intake.rules()).map_err(|problem| (None, problem.to_string()))
}

fn too_long() -> String {
    format!("longer than {LINE_BYTES_MAX} bytes; shorten it, or write one review in a line")
}

/// The row as somebody who mends it wants it.
fn row(line: &[u8]) -> Value {
    let cut = if line.len() < LINE_BYTES_MAX { line } else { &line[..LINE_BYTES_SHOWN] };
    serde_json::from_slice(cut).unwrap_or_else(|_| Value::from(String::from_utf8_lossy(cut)))
}
