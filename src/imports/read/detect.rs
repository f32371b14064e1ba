//! Detects a file's format by its content, never by its name, because half of all exports are named `reviews.json`.
//! Detection reads only the beginning of the file, and only names, never values.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::iter;

use serde::de::IgnoredAny;

use crate::imports::ImportRequest;
use crate::imports::export::is_export;
use crate::imports::file_error::FileError;
use crate::imports::map::plan::Columns;
use crate::imports::map::values::same_name;
use crate::imports::map::{Field, Format, Reader, Rename, names};
use crate::imports::platforms::{google, native, schema_org, table};
use crate::imports::read::Place;
use crate::imports::read::json::walk;
use crate::imports::read::table::{has_row, sniff};
use crate::imports::read::workbook;

#[derive(Debug)]
pub enum Kind {
    /// Empty or only whitespace.
    Nothing,
    /// JSON, or text that begins like JSON.
    Json(Layout),
    /// A page or another document with tags.
    Markup,
    /// In text or in a workbook.
    Table(Place, Columns),
    /// Neither JSON nor markup nor a table.
    Text,
}

/// The layout of JSON values in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A single empty object, `{}`, without any field.
    Bare,
    /// A top-level array.
    Array,
    /// An object over several lines.
    Spread,
    /// An object on one line, or a broken one.
    Line,
}

/// The structure of a file, detected from its beginning.
#[derive(Debug)]
pub struct Shape {
    pub kind: Kind,
    /// Paths of the fields: `reviews`, `reviews[].rating`, `[].rating`.
    paths: BTreeSet<String>,
}

/// Maximum depth of fields: objects in the reviews inside a document inside an API answer.
const DEEP_MAX: usize = 5;
/// Maximum length of a path in bytes: longer than any path of a format.
const PATH_BYTES_MAX: usize = 96;
const PATHS_MAX: usize = 2_000;
/// Maximum number of lines that are read, because a field may be missing in the first line.
const LINES_MAX: usize = 50;

impl Shape {
    /// `head` is the beginning of a text, in UTF-8 without a byte order mark.
    pub fn of(head: &[u8], request: &ImportRequest) -> Result<Self, FileError> {
        let text = head.trim_ascii();
        let mut paths = BTreeSet::new();
        let kind = match text.first() {
            None => Kind::Nothing,
            Some(b'{' | b'[') => {
                let layout = Layout::of(text);
                look(text, layout, &mut paths);
                Kind::Json(if layout == Layout::Line && text == b"{}" {
                    Layout::Bare
                } else {
                    layout
                })
            }
            Some(b'<') => Kind::Markup,
            Some(_) => match sniff(head, request) {
                Some((dialect, columns)) => {
                    paths.extend(columns.0.iter().take(PATHS_MAX).cloned());
                    Kind::Table(Place::Text(dialect), columns)
                }
                // The first line may be broken.
                None if text
                    .split(|byte| *byte == b'\n')
                    .any(|line| line.trim_ascii_start().starts_with(b"{")) =>
                {
                    look(text, Layout::Line, &mut paths);
                    Kind::Json(Layout::Line)
                }
                None => match request.header_row {
                    Some(row) if !has_row(head, row) => return Err(FileError::NoSuchRow(row)),
                    Some(_) | None => Kind::Text,
                },
            },
        };
        Ok(Self { kind, paths })
    }

    pub fn of_workbook(header: workbook::Header, columns: Columns) -> Self {
        let paths = columns.0.iter().cloned().collect();
        Self {
            kind: Kind::Table(Place::Workbook(header), columns),
            paths,
        }
    }

    pub fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether the object at `prefix` (empty, or ending in a dot) has a field with that name, exactly or except for
    /// case and punctuation.
    pub fn has_below(&self, prefix: &str, name: &str) -> bool {
        let is_keyword = name.starts_with('@');
        self.has(&format!("{prefix}{name}"))
            || (!is_keyword && self.below(prefix).any(|its| same_name(its, name)))
    }

    /// The names directly below `prefix`.
    pub fn below<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = &'s str> {
        self.paths
            .iter()
            .filter_map(move |path| path.strip_prefix(prefix))
    }

    /// The arrays of objects that are not inside another array, the outermost first: `[]`, `reviews[]`,
    /// `result.reviews[]`.
    pub fn arrays(&self) -> Vec<String> {
        let array = |path: &String| {
            path.split_once("[].")
                .filter(|(before, _)| !before.contains("[]"))
                .map(|(before, _)| format!("{before}[]"))
        };
        let mut arrays: Vec<String> = self.paths.iter().filter_map(array).collect();
        arrays.sort_by_key(|path| (path.matches('.').count(), path.clone()));
        arrays.dedup();
        arrays
    }
}

impl Layout {
    fn of(text: &[u8]) -> Self {
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
        let is_whole = matches!(values.next(), Some(Ok(_)));
        let end = values.byte_offset();
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match text.first() {
            Some(b'[') => Self::Array,
            _ if is_whole && text[..end].contains(&b'\n') => Self::Spread,
            // The object continues beyond the head, and its first line is not a complete value.
            _ if !is_whole
                && serde_json::from_slice::<IgnoredAny>(line)
                    .is_err_and(|error| error.is_eof())
                && line.len() < text.len() =>
            {
                Self::Spread
            }
            _ => Self::Line,
        }
    }
}

/// Collects the paths in a text, which may be truncated anywhere.
fn look(text: &[u8], layout: Layout, paths: &mut BTreeSet<String>) {
    let mut note = |path: &str, is_end: bool| {
        let is_member = !is_end && !path.ends_with(']');
        if is_member && path.len() <= PATH_BYTES_MAX && paths.len() < PATHS_MAX {
            paths.insert(path.to_owned());
        }
        false
    };
    if layout == Layout::Line {
        let lines = text.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| line.trim_ascii_start().starts_with(b"{"));
        for line in lines.take(LINES_MAX) {
            walk(line, DEEP_MAX, false, &mut note);
        }
    } else {
        walk(text, DEEP_MAX, false, &mut note);
    }
}

/// A file's format and the position of its rows.
#[derive(Debug)]
pub struct Detected {
    pub format: &'static Format,
    pub rows: Rows,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// In lines, one row per line; in a file of rejected rows, in the `row` of each line.
    Lines {
        /// Whether the file was written with `--rejects`.
        rejected: bool,
    },
    /// In the array at that path; the top-level array if empty.
    Array(Vec<String>),
    Table(Place, Columns),
    /// In a page's linked data.
    Page,
}

/// The requested format, or the detected one.
pub fn detect(shape: Shape, request: &ImportRequest) -> Result<Detected, FileError> {
    refuse_options_of_tables(&shape, request)?;
    // GeoJSON's FeatureCollection (RFC 7946 §3.3): Google Maps exports a user's reviews as such.
    if shape.has("features") && shape.has("type") && !shape.has("rating") {
        return Err(FileError::MapsReviews);
    }
    let found = |format, rows| Ok(Detected { format, rows });
    let lines = Rows::Lines { rejected: false };
    if request.format.is_none_or(Format::is_own) {
        if matches!(&shape.kind, Kind::Table(_, columns) if is_export(columns)) {
            return found(&native::FORMAT, rows(shape, ""));
        }
        if is_lines_with_business(&shape) {
            return found(&native::FORMAT, lines);
        }
    }
    if let Some((format, prefix)) = matching(&shape, request.format) {
        return found(format, rows(shape, &prefix));
    }
    if let Some(format) = request.format {
        return insisted(shape, format, &request.renames);
    }
    match &shape.kind {
        Kind::Json(Layout::Bare) => found(&google::FORMAT, Rows::Array(vec!["reviews".to_owned()])),
        Kind::Nothing => found(&native::FORMAT, lines),
        Kind::Markup => found(&schema_org::FORMAT, Rows::Page),
        Kind::Json(Layout::Line)
            if !request.renames.is_empty()
                || shape.below("").next().is_none()
                || looks_native(&shape) =>
        {
            found(&native::FORMAT, lines)
        }
        // Rejected rows of an unknown platform come from a table.
        Kind::Json(_) if is_rejected(&shape) => found(&table::FORMAT, rows(shape, "")),
        Kind::Table(..) => found(&table::FORMAT, rows(shape, "")),
        Kind::Json(_) | Kind::Text => Err(FileError::Unknown {
            said: described(&shape),
            advice: advice(&shape),
        }),
    }
}

/// Refuses options for tables if the file is not a table.
fn refuse_options_of_tables(shape: &Shape, request: &ImportRequest) -> Result<(), FileError> {
    let is_table = matches!(shape.kind, Kind::Table(..));
    let is_workbook = matches!(shape.kind, Kind::Table(Place::Workbook(_), _));
    for (what, is_given, is_there) in [
        ("sheet", request.sheet.is_some(), is_workbook),
        ("header-row", request.header_row.is_some(), is_table),
    ] {
        if is_given && !is_there {
            let said = described(shape);
            return Err(FileError::NoTable { said, what });
        }
    }
    Ok(())
}

/// Advice on importing a file of an unknown format: JSON as a table whose columns are the fields of its objects.
fn advice(shape: &Shape) -> String {
    if !matches!(shape.kind, Kind::Json(_)) {
        return "convert it to a table (CSV) with a header line".to_owned();
    }
    let array = shape.arrays().into_iter().next();
    // The names in `--map` determine whether a line is one row or contains an array of rows.
    let is_sure = array.is_none() || !matches!(shape.kind, Kind::Json(Layout::Line));
    let prefix = array.map_or_else(String::new, |array| format!("{array}."));
    let is_needed = |field: &Field| {
        matches!(
            field,
            Field::Rating | Field::Date | Field::Author | Field::Text
        )
    };
    let is_known = |name: &str| is_sure && shape.has_below(&prefix, name);
    let mut advice = "to read it anyway, pass --format table".to_owned();
    for (field, list) in table::FORMAT.fields {
        if is_needed(field) && !names(list).any(is_known) {
            let ours = names(list).next().unwrap_or_default();
            // Writing to a `String` cannot fail.
            let _ = write!(advice, " --map {ours}=THEIR_FIELD");
        }
    }
    advice
}

/// Whether the first line is that of an export, with the business and the editorial texts. Only exports contain the
/// setting `publish_staff`.
fn is_lines_with_business(shape: &Shape) -> bool {
    matches!(shape.kind, Kind::Json(Layout::Line))
        && (shape.has("editorial") || shape.has("business.publish_staff"))
        && !shape.has("reviews")
}

/// The first format whose names are all present (only `wanted`, if given), and the prefix of their paths.
fn matching(shape: &Shape, wanted: Option<&'static Format>) -> Option<(&'static Format, String)> {
    let is_json = matches!(shape.kind, Kind::Json(_));
    let mut prefixes = vec![String::new()];
    if is_rejected(shape) {
        prefixes = vec!["row.".to_owned()];
    } else if is_json {
        prefixes.extend(shape.arrays().into_iter().map(|array| format!("{array}.")));
    }
    // A table made for this program may have our columns, but it is still a table.
    let is_table = matches!(shape.kind, Kind::Table(..));
    let formats = Format::ALL.into_iter().filter(|format| {
        wanted.is_none_or(|wanted| wanted.name == format.name)
            && (!is_table || matches!(format.reader, Reader::Columns))
    });
    for format in formats {
        let has_keys = |prefix: &str| {
            let mut keys = format.keys.iter();
            keys.any(|set| names(set).all(|name| shape.has_below(prefix, name)))
        };
        // Either no row identifies another format, or the members beside the rows suffice.
        let is_document = || {
            names(format.document).any(|name| shape.has(name))
                && (names(format.document).any(|name| name == "business")
                    || shape.below("reviews[].").next().is_none()
                    || has_keys("reviews[]."))
        };
        if is_json && is_document() {
            return Some((format, "reviews[].".to_owned()));
        }
        if let Some(prefix) = prefixes.iter().find(|prefix| has_keys(prefix)) {
            return Some((format, prefix.clone()));
        }
    }
    None
}

/// Lines `{file, line, error, row}`, as `--rejects` writes them.
fn is_rejected(shape: &Shape) -> bool {
    matches!(shape.kind, Kind::Json(Layout::Line))
        && ["file", "error", "row"].iter().all(|name| shape.has(name))
}

/// The position of rows whose fields are at `prefix`.
fn rows(shape: Shape, prefix: &str) -> Rows {
    let rejected = is_rejected(&shape);
    match shape.kind {
        Kind::Table(place, columns) => Rows::Table(place, columns),
        Kind::Markup => Rows::Page,
        Kind::Json(Layout::Line) if prefix.is_empty() || rejected => Rows::Lines { rejected },
        Kind::Json(_) | Kind::Nothing | Kind::Text => {
            let names = prefix.trim_end_matches("[].").split('.');
            let names = names.filter(|name| !name.is_empty());
            Rows::Array(names.map(str::to_owned).collect())
        }
    }
}

/// The requested format, if the file can be read as such.
fn insisted(
    shape: Shape,
    format: &'static Format,
    renames: &[Rename],
) -> Result<Detected, FileError> {
    let is_json = matches!(shape.kind, Kind::Json(_) | Kind::Nothing);
    let is_table = matches!(shape.kind, Kind::Table(..));
    let fits = match format.reader {
        Reader::Json(_) | Reader::Native => is_json,
        Reader::Columns => is_json || is_table,
        Reader::LinkedData => is_json || matches!(shape.kind, Kind::Markup),
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
    // The rows are in the object that has the fields of `--map`, because a document may be on a single line, like JSON
    // Lines.
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
        (Kind::Table(..) | Kind::Markup | Kind::Nothing | Kind::Text, _) => String::new(),
    };
    Ok(Detected {
        format,
        rows: rows(shape, &prefix),
    })
}

/// Whether the lines are probably native records, even if faulty.
fn looks_native(shape: &Shape) -> bool {
    let ours = ["id", "rating", "date", "author", "text", "deleted"];
    ours.iter().filter(|name| shape.has(name)).count() >= 2
}

/// Maximum number of names in a description.
const NAMES_SHOWN_MAX: usize = 12;

/// A description of the file for messages.
pub fn described(shape: &Shape) -> String {
    let listed = |prefix: &str| {
        let names = shape.below(prefix);
        let mut names: Vec<&str> = names.filter(|name| !name.contains(['.', '['])).collect();
        if names.len() > NAMES_SHOWN_MAX {
            names.truncate(NAMES_SHOWN_MAX);
            names.push("…");
        }
        names.join(", ")
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
        (Kind::Table(place, columns), _) => {
            let what = match place {
                Place::Text(_) => "table",
                Place::Workbook(_) => "workbook",
            };
            format!("a {what} with the columns {}", columns.listed())
        }
        (Kind::Text, _) => "a text without a header line of several columns".to_owned(),
    }
}
