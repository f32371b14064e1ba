//! Reads the rows of a file whose format is known, whatever they came in, and hands the reviews
//! made of them to the sink.
//!
//! Apart from the formats: where rows stand and what they mean are two questions.

use std::io::BufRead;
use std::sync::Arc;

use serde_json::Value;

use crate::imports::file_error::{FileError, reason};
use crate::imports::map::fields::{Fields, Problem};
use crate::imports::map::plan::{Columns, Plan, Row};
use crate::imports::map::visibility::NOT_PUBLISHED;
use crate::imports::map::{self, Comment, Format, Incoming, Reader, Rename, business, visibility};
use crate::imports::merge::collector::{Collector, Raw};
use crate::imports::platforms::{native, schema_org};
use crate::imports::read::detect::{Detected, Rows};
use crate::imports::read::json::{ELEMENT_BYTES_MAX, Element, Met};
use crate::imports::read::table::Cells;
use crate::imports::report::{Position, TableColumns};
use crate::imports::{ImportRequest, export};
use crate::model::business::Business;
use crate::model::{ReviewId, Stated, Status};

pub mod detect;
pub mod json;
pub mod open;
pub mod table;
pub mod workbook;

/// What a row says.
enum Said {
    Review(Box<Incoming>),
    /// That the owner deleted this review.
    Deleted(ReviewId),
    /// What answers a review.
    Comment(Box<Comment>),
}

/// Hands every row of `input` to `sink`.
pub fn read(
    found: &Detected,
    input: &mut dyn BufRead,
    request: &ImportRequest,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    if matches!(found.format.reader, Reader::LinkedData(_)) {
        return linked_data(&found.rows, input, sink);
    }
    match &found.rows {
        Rows::Lines { rejected } => {
            let maker = Maker::new(found.format, None, request);
            json::lines(input, *rejected, &mut |line, read| {
                if let (Maker::Native(_), Ok(value)) = (&maker, &read.value)
                    && is_about_business(value)
                {
                    return sink.about_business(value);
                }
                hand_over(
                    &maker,
                    Position::Line {
                        line,
                        column: read.column(),
                    },
                    read.value,
                    sink,
                )
            })
        }
        Rows::Array(path) => array(&Maker::new(found.format, None, request), path, input, sink),
        Rows::Table(dialect, columns) if matches!(found.format.reader, Reader::Native(_)) => {
            let maker = Maker::new(found.format, None, request);
            table::read(input, *dialect, columns, &mut |line, cells| {
                let value = match cells {
                    Ok(cells) => Ok(export::of_cells(columns, cells)),
                    Err((message, cells)) => Err((message, export::of_cells(columns, cells))),
                };
                hand_over(&maker, Position::Line { line, column: None }, value, sink)
            })
        }
        Rows::Table(dialect, columns) => {
            let plan = plan(
                found.format,
                columns,
                &Place::Line(dialect.line),
                request,
                sink,
            )?;
            table::read(input, *dialect, columns, &mut |line, cells| {
                row(&plan, columns, line, cells, sink)
            })
        }
        Rows::Workbook(header, columns) => {
            let place = &Place::Sheet(header);
            let plan = plan(found.format, columns, place, request, sink)?;
            let mut packed = Vec::new();
            input.read_to_end(&mut packed).map_err(FileError::reading)?;
            workbook::read(&packed, header, columns, &mut |line, cells| {
                row(&plan, columns, line, cells, sink)
            })
        }
        Rows::Page => Err(FileError::Misfit {
            format: found.format.name,
            said: "a page of HTML or XML".to_owned(),
        }),
    }
}

/// Where the headers of a table are.
enum Place<'p> {
    Line(u64),
    Sheet(&'p workbook::Header),
}

/// Whether a line has the business and the editorial texts, and no review.
fn is_about_business(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some_and(Value::is_object);
    (has("business") || has("editorial"))
        && value.get("id").is_none()
        && value.get("rating").is_none()
}

fn plan<'o>(
    format: &'static Format,
    columns: &Columns,
    place: &Place<'_>,
    request: &'o ImportRequest,
    sink: &mut Collector<'_>,
) -> Result<Plan<'o>, FileError> {
    let Reader::Platform(platform) = format.reader else {
        return Err(FileError::Misfit {
            format: format.name,
            said: format!("a table with the columns {}", columns.listed()),
        });
    };
    let plan = Plan::new(format.name, platform, Some(columns), request);
    let (sheet, other_sheets, row) = match place {
        Place::Line(line) => (None, Vec::new(), *line),
        Place::Sheet(header) => (
            Some(header.sheet.clone()),
            header.others.clone(),
            header.row,
        ),
    };
    let used = TableColumns {
        sheet,
        other_sheets,
        row,
        ..plan.columns(columns)
    };
    sink.table(&used);
    plan.complete(columns, &used).map(|()| plan)
}

fn row(
    plan: &Plan<'_>,
    columns: &Columns,
    line: u64,
    cells: Cells<'_>,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let at = Position::Line { line, column: None };
    if let Ok(cells) = cells
        && let Some(comment) = plan.comment(Row::Cells(columns, cells))
    {
        let raw = || plan.raw(Row::Cells(columns, cells));
        return match comment {
            Ok(comment) => sink.comment(at, comment, &raw),
            Err(problems) => sink.reject(at, &raw, &problems),
        };
    }
    let (made, cells) = match cells {
        Ok(cells) => (plan.review(Row::Cells(columns, cells)), cells),
        Err((message, cells)) => (Err(vec![Problem::of_all(message)]), cells),
    };
    if let Some(evidence) = plan.scale_of_ten(Row::Cells(columns, cells)) {
        return Err(FileError::Scale {
            line,
            found: evidence,
        });
    }
    take(sink, at, made, &|| plan.raw(Row::Cells(columns, cells)))
}

fn array(
    maker: &Maker<'_>,
    path: &[String],
    input: &mut dyn BufRead,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let array: Arc<str> = path.join(".").into();
    json::elements(input, path, maker.beside(), &mut |met| match met {
        Met::Beside(text) => sink.business(&mut || {
            let value: Value = serde_json::from_slice(text).map_err(FileError::json)?;
            business::business(&value, Business::default(), true).map_err(FileError::Business)
        }),
        Met::Element(element) => {
            let index = element.index;
            let at = if &*array == "reviews" {
                Position::Element(index)
            } else {
                Position::Within {
                    array: Arc::clone(&array),
                    index,
                }
            };
            hand_over(maker, at, parsed(&element), sink)
        }
    })
}

fn parsed(element: &Element<'_>) -> Result<Value, (String, Value)> {
    let text = || {
        Value::from(String::from_utf8_lossy(
            &element.text[..element.text.len().min(json::BYTES_SHOWN)],
        ))
    };
    if !element.is_whole {
        return Err((
            format!(
                "line {}: longer than {ELEMENT_BYTES_MAX} bytes; shorten it",
                element.line
            ),
            text(),
        ));
    }
    serde_json::from_slice(element.text).map_err(|error| {
        // The element's first line is cut at its beginning: its columns are counted from there.
        let line = element.line + error.line() as u64 - 1;
        (
            format!(
                "line {line}: the JSON is broken ({}); correct it",
                reason(&error)
            ),
            text(),
        )
    })
}

fn hand_over(
    maker: &Maker<'_>,
    at: Position,
    value: Result<Value, (String, Value)>,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    match value {
        Err((message, raw)) => take(sink, at, Err(vec![Problem::of_all(message)]), &|| {
            raw.clone()
        }),
        Ok(value) => match maker.said(&value) {
            Ok(Said::Review(incoming)) => take(sink, at, Ok(*incoming), &|| maker.raw(&value)),
            Ok(Said::Deleted(id)) => sink.deleted(at, id),
            Ok(Said::Comment(comment)) => sink.comment(at, *comment, &|| maker.raw(&value)),
            Err(problems) => take(sink, at, Err(problems), &|| maker.raw(&value)),
        },
    }
}

fn linked_data(
    rows: &Rows,
    input: &mut dyn BufRead,
    sink: &mut Collector<'_>,
) -> Result<(), FileError> {
    let texts = match rows {
        Rows::Page => schema_org::linked_data(input)?,
        Rows::Lines { .. } | Rows::Array(_) | Rows::Table(..) | Rows::Workbook(..) => {
            vec![
                String::from_utf8(schema_org::whole(input)?)
                    .map_err(|_| FileError::Encoding("not UTF-8"))?,
            ]
        }
    };
    let mut reviews = Vec::new();
    for text in &texts {
        schema_org::collect(
            &serde_json::from_str(text).map_err(FileError::json)?,
            &mut reviews,
        );
    }
    if reviews.is_empty() {
        return Err(FileError::NoLinkedReviews {
            elements: texts.len(),
            is_page: *rows == Rows::Page,
        });
    }
    for (index, review) in (0..).zip(&reviews) {
        take(
            sink,
            Position::Element(index),
            schema_org::review(review)
                .and_then(|incoming| held(review, incoming, &|_| false, false)),
            &|| schema_org::raw(review),
        )?;
    }
    Ok(())
}

/// What makes reviews of JSON values.
#[expect(clippy::large_enum_variant, reason = "there is one for each file")]
enum Maker<'o> {
    Native(&'o ImportRequest),
    Json(
        &'static Format,
        fn(&Value) -> Result<Incoming, Vec<Problem>>,
    ),
    Plan(Plan<'o>),
}

impl<'o> Maker<'o> {
    fn new(format: &'static Format, columns: Option<&Columns>, request: &'o ImportRequest) -> Self {
        match format.reader {
            Reader::Native(_) | Reader::LinkedData(_) => Self::Native(request),
            Reader::Json(_, review) => Self::Json(format, review),
            Reader::Platform(platform) => {
                Self::Plan(Plan::new(format.name, platform, columns, request))
            }
        }
    }

    /// The member of a document that is brought along.
    fn beside(&self) -> Option<&'static str> {
        match self {
            Self::Json(format, _) if format.document.contains(&"business") => Some("business"),
            Self::Json(..) | Self::Native(_) | Self::Plan(_) => None,
        }
    }

    fn said(&self, value: &Value) -> Result<Said, Vec<Problem>> {
        match self {
            Self::Native(request) => {
                let mut value = value.clone();
                map::apply(&request.renames, &mut value);
                if value
                    .get("deleted")
                    .is_some_and(|deleted| *deleted == Value::Bool(true))
                {
                    return deleted(&value)
                        .map(Said::Deleted)
                        .map_err(|problem| vec![problem]);
                }
                let is_ignored = request.renames.iter().any(Rename::ignores_status);
                // These two our own record has, with a meaning of their own.
                let is_taken = |name: &str| is_ignored || matches!(name, "status" | "deleted");
                native::review(&value)
                    .and_then(|incoming| held(&value, incoming, &is_taken, true))
                    .map(|incoming| Said::Review(Box::new(incoming)))
            }
            Self::Json(_, review) => {
                let is_taken = |name: &str| matches!(name, "status" | "deleted");
                review(value)
                    .and_then(|incoming| held(value, incoming, &is_taken, false))
                    .map(|incoming| Said::Review(Box::new(incoming)))
            }
            Self::Plan(plan) => {
                let Value::Object(map) = value else {
                    return Fields::of(value, String::new())
                        .map_err(|problem| vec![problem])
                        .and(Err(Vec::new()));
                };
                if let Some(comment) = plan.comment(Row::Json(map)) {
                    return comment.map(|comment| Said::Comment(Box::new(comment)));
                }
                plan.review(Row::Json(map))
                    .map(|incoming| Said::Review(Box::new(incoming)))
            }
        }
    }

    /// The row for whoever mends it.
    fn raw(&self, value: &Value) -> Value {
        match (self, value) {
            (Self::Plan(plan), Value::Object(map)) => plan.raw(Row::Json(map)),
            _ => value.clone(),
        }
    }
}

/// The review, withheld where a member of its row says that it is not public at its source.
fn held(
    row: &Value,
    mut incoming: Incoming,
    is_taken: &dyn Fn(&str) -> bool,
    may_ignore: bool,
) -> Result<Incoming, Vec<Problem>> {
    let Value::Object(members) = row else {
        return Ok(incoming);
    };
    let public = visibility::of_members(members, is_taken, may_ignore);
    if public.map_err(|problem| vec![problem])? == Some(false)
        && !matches!(incoming.status, Stated::Given(Status::Withheld { .. }))
    {
        incoming.status = Stated::Given(Status::Withheld {
            reason: Some(NOT_PUBLISHED.to_owned()),
        });
    }
    Ok(incoming)
}

fn deleted(value: &Value) -> Result<ReviewId, Problem> {
    let fields = Fields::of(value, String::new())?;
    fields.parsed("id")?.ok_or_else(|| fields.missing("id"))
}

/// Hands over what was made of a row.
fn take(
    sink: &mut Collector<'_>,
    at: Position,
    made: Result<Incoming, Vec<Problem>>,
    raw: Raw<'_>,
) -> Result<(), FileError> {
    match made {
        Ok(incoming) => sink.review(at, incoming, raw),
        Err(problems) => sink.reject(at, raw, &problems),
    }
}
