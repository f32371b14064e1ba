//! Finds a file's format by its content, never by its name: people rename files, and half of them
//! are `reviews.json`.

use std::fmt::Write as _;
use std::iter;

use super::export::is_export;
use super::file_error::FileError;
use super::format::{Format, Reader};
use super::lines::Rename;
use super::platform::Field;
use super::platforms::{google, native, schema_org, table};
use super::row::Columns;
use super::shape::{Kind, Layout, Shape};
use super::table::delimited::Dialect;

/// A file's format, and where in the file its rows are.
#[derive(Debug)]
pub(super) struct Detected {
    pub(super) format: &'static Format,
    pub(super) rows: Rows,
}

/// Where a file's rows are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rows {
    /// One in each line; of rejected rows, in each line's `row`.
    Lines {
        /// Whether it is a file that `--rejects` wrote.
        rejected: bool,
    },
    /// In the array at that path; the outermost where it is empty.
    Array(Vec<String>),
    /// In delimited text with these headers.
    Table(Dialect, Columns),
    /// In a workbook with these headers.
    Workbook(Columns),
    /// In a page's linked data.
    Page,
}

/// The format of a file of that shape, or the `wanted` one where somebody says so.
pub(super) fn detect(
    shape: Shape,
    wanted: Option<&'static Format>,
    renames: &[Rename],
) -> Result<Detected, FileError> {
    // GeoJSON's FeatureCollection (RFC 7946 §3.3): Google Maps writes the reviews of a user so.
    if shape.has("features") && shape.has("type") && !shape.has("rating") {
        return Err(FileError::MapsReviews);
    }
    let candidates = wanted.map_or_else(|| Format::ALL.to_vec(), |format| vec![format]);
    if let Kind::Table(_, columns) = &shape.kind
        && is_export(columns)
        && wanted.is_none_or(|format| matches!(format.reader, Reader::Native(_)))
    {
        return Ok(Detected {
            format: &native::FORMAT,
            rows: rows(shape, ""),
        });
    }
    if is_lines_with_business(&shape)
        && wanted.is_none_or(|format| matches!(format.reader, Reader::Native(_)))
    {
        return Ok(Detected {
            format: &native::FORMAT,
            rows: Rows::Lines { rejected: false },
        });
    }
    if let Some((format, prefix)) = matching(&shape, &candidates) {
        return Ok(Detected {
            format,
            rows: rows(shape, &prefix),
        });
    }
    if let Some(format) = wanted {
        return insisted(shape, format, renames);
    }
    let said = described(&shape);
    match &shape.kind {
        Kind::Json(Layout::Bare) => Ok(Detected {
            format: &google::FORMAT,
            rows: Rows::Array(vec!["reviews".to_owned()]),
        }),
        Kind::Nothing => Ok(Detected {
            format: &native::FORMAT,
            rows: Rows::Lines { rejected: false },
        }),
        Kind::Markup => Ok(Detected {
            format: &schema_org::FORMAT,
            rows: Rows::Page,
        }),
        Kind::Json(Layout::Line)
            if !renames.is_empty() || shape.below("").next().is_none() || looks_native(&shape) =>
        {
            Ok(Detected {
                format: &native::FORMAT,
                rows: Rows::Lines { rejected: false },
            })
        }
        Kind::Table(..) | Kind::Workbook(_) => Ok(Detected {
            format: &table::FORMAT,
            rows: rows(shape, ""),
        }),
        Kind::Json(_) | Kind::Text => Err(FileError::Unknown {
            said,
            known: Format::names().collect(),
            advice: advice(&shape),
        }),
    }
}

/// How a file of no known format can be read: JSON as a table, whose columns are the fields of its objects.
fn advice(shape: &Shape) -> String {
    let (Kind::Json(_), Reader::Platform(table)) = (&shape.kind, &table::FORMAT.reader) else {
        return "convert it to a table (CSV) with a header line".to_owned();
    };
    let array = shape.arrays().into_iter().next();
    // Whether the array in a line has the rows, or each line is one, is seen by the names in --map.
    let is_sure = array.is_none() || !matches!(shape.kind, Kind::Json(Layout::Line));
    let prefix = array.map_or_else(String::new, |array| format!("{array}."));
    let is_needed = |field: &Field| {
        matches!(
            field,
            Field::Rating | Field::Date | Field::Author | Field::Text
        )
    };
    let is_known = |name: &&'static str| is_sure && shape.has_below(&prefix, name);
    let mut advice = "to read it all the same, take --format table".to_owned();
    for (field, names) in table.fields {
        if is_needed(field) && !names.iter().any(is_known) {
            // Writing to a String cannot fail.
            let _ = write!(
                advice,
                " --map {}=THEIR_FIELD",
                names.first().unwrap_or(&"")
            );
        }
    }
    advice
}

/// Whether the first line is that of an export, which has the business and the editorial texts. How technicians are shown is
/// said nowhere else.
fn is_lines_with_business(shape: &Shape) -> bool {
    matches!(shape.kind, Kind::Json(Layout::Line))
        && (shape.has("editorial") || shape.has("business.publish_staff"))
        && !shape.has("reviews")
}

/// The first format whose names are all there, and before what.
fn matching(shape: &Shape, formats: &[&'static Format]) -> Option<(&'static Format, String)> {
    let mut prefixes = vec![String::new()];
    if is_rejected(shape) {
        prefixes = vec!["row.".to_owned()];
    } else if matches!(shape.kind, Kind::Json(_)) {
        prefixes.extend(shape.arrays().into_iter().map(|array| format!("{array}.")));
    }
    let is_table = matches!(shape.kind, Kind::Table(..) | Kind::Workbook(_));
    // A table has the columns of ours when it was made for us, and is one all the same.
    let fits =
        |format: &&&'static Format| !is_table || matches!(format.reader, Reader::Platform(_));
    formats.iter().filter(fits).find_map(|format| {
        if matches!(shape.kind, Kind::Json(_))
            && format.document.iter().any(|name| shape.has(name))
            && format.document_alone(shape)
        {
            return Some((*format, "reviews[].".to_owned()));
        }
        let all = |prefix: &&String| {
            format
                .keys()
                .iter()
                .any(|set| set.iter().all(|name| shape.has_below(prefix, name)))
        };
        prefixes
            .iter()
            .find(all)
            .map(|prefix| (*format, prefix.clone()))
    })
}

/// Lines `{file, line, error, row}`, as `--rejects` writes them.
fn is_rejected(shape: &Shape) -> bool {
    matches!(shape.kind, Kind::Json(Layout::Line))
        && ["file", "error", "row"].iter().all(|name| shape.has(name))
}

/// Where the rows of a file are whose fields were found before `prefix`.
fn rows(shape: Shape, prefix: &str) -> Rows {
    let rejected = is_rejected(&shape);
    match shape.kind {
        Kind::Table(dialect, columns) => Rows::Table(dialect, columns),
        Kind::Workbook(columns) => Rows::Workbook(columns),
        Kind::Markup => Rows::Page,
        Kind::Json(Layout::Line) if prefix.is_empty() || rejected => Rows::Lines { rejected },
        Kind::Json(_) | Kind::Nothing | Kind::Text => {
            let path = prefix.trim_end_matches("[].");
            Rows::Array(
                path.split('.')
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect(),
            )
        }
    }
}

/// The format that somebody insists on, as far as the file can be read so at all.
fn insisted(
    shape: Shape,
    format: &'static Format,
    renames: &[Rename],
) -> Result<Detected, FileError> {
    let is_json = matches!(shape.kind, Kind::Json(_) | Kind::Nothing);
    let is_table = matches!(shape.kind, Kind::Table(..) | Kind::Workbook(_));
    let fits = match format.reader {
        Reader::Json(..) | Reader::Native(_) => is_json,
        Reader::Platform(_) => is_json || is_table,
        Reader::LinkedData(_) => is_json || matches!(shape.kind, Kind::Markup),
    };
    if !fits {
        return Err(FileError::Misfit {
            format: format.name,
            said: described(&shape),
        });
    }
    let inner = if format.document.is_empty() {
        shape.arrays().into_iter().next()
    } else {
        Some("reviews[]".to_owned())
    };
    // The rows are where the fields are that --map names: a document may be a line like one of JSON Lines.
    let has_mapped = |prefix: &String| {
        let has = |rename: &Rename| shape.has_below(prefix, rename.theirs());
        !renames.is_empty() && renames.iter().all(has)
    };
    let arrays = shape.arrays().into_iter().map(|array| format!("{array}."));
    let mapped = iter::once(String::new()).chain(arrays).find(has_mapped);
    let prefix = match (&shape.kind, mapped) {
        (Kind::Json(_), Some(prefix)) => prefix,
        (Kind::Json(Layout::Line), None) if format.document.is_empty() => String::new(),
        (Kind::Json(_), None) => inner.map_or_else(String::new, |array| format!("{array}.")),
        (Kind::Table(..) | Kind::Workbook(_) | Kind::Markup | Kind::Nothing | Kind::Text, _) => {
            String::new()
        }
    };
    Ok(Detected {
        format,
        rows: rows(shape, &prefix),
    })
}

/// Whether the lines are meant to be ours, though much be wrong with them.
fn looks_native(shape: &Shape) -> bool {
    let ours = ["id", "rating", "date", "author", "text", "deleted"];
    ours.iter().filter(|name| shape.has(name)).count() >= 2
}

/// How many names a description lists.
const NAMES_SHOWN_MAX: usize = 12;

/// What was seen, in words.
pub(super) fn described(shape: &Shape) -> String {
    let listed = |prefix: &str| {
        let names: Vec<&str> = shape
            .below(prefix)
            .filter(|name| !name.contains(['.', '[']))
            .collect();
        let more = if names.len() > NAMES_SHOWN_MAX {
            ", …"
        } else {
            ""
        };
        format!(
            "{}{more}",
            names
                .iter()
                .take(NAMES_SHOWN_MAX)
                .copied()
                .collect::<Vec<_>>()
                .join(", ")
        )
    };
    let array = shape.arrays().into_iter().next();
    match (&shape.kind, array) {
        (Kind::Nothing, _) => "an empty file".to_owned(),
        (Kind::Json(Layout::Bare), _) => "an empty JSON object".to_owned(),
        (Kind::Json(Layout::Array), Some(array)) => format!(
            "a JSON array of objects with keys {}",
            listed(&format!("{array}."))
        ),
        (Kind::Json(Layout::Array), None) => "a JSON array without objects".to_owned(),
        (Kind::Json(_), Some(array)) => {
            let inside = listed(&format!("{array}."));
            format!(
                "a JSON object with keys {}, whose {} has objects with keys {inside}",
                listed(""),
                array.trim_end_matches("[]")
            )
        }
        (Kind::Json(Layout::Line), None) => {
            format!("JSON Lines of objects with keys {}", listed(""))
        }
        (Kind::Json(Layout::Spread), None) => format!("a JSON object with keys {}", listed("")),
        (Kind::Markup, _) => "a page of HTML or XML".to_owned(),
        (Kind::Table(_, columns), _) => format!("a table with the columns {}", columns.listed()),
        (Kind::Workbook(columns), _) => format!("a workbook with the columns {}", columns.listed()),
        (Kind::Text, _) => "a text without a header line of several columns".to_owned(),
    }
}
