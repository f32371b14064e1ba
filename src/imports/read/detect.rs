//! Detects a file's format by its content, never by its name, because half of all exports are named `reviews.json`.
//! Detection reads only the beginning of the file, and only names, never values but the format of rejected rows.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::imports::export::is_export;
use crate::imports::file_error::FileError;
use crate::imports::map::fields::names;
use crate::imports::map::plan::Columns;
use crate::imports::map::values::same_name;
use crate::imports::map::{Rename, ReviewField};
use crate::imports::platforms::{
    Format, Reader, all_formats, find_format, format_names, google, native, schema_org, table,
};
use crate::imports::read::json::walk;
use crate::imports::read::table::{SheetHeader, TablePlace, has_row, no_such_row, sniff};
use crate::imports::request::ImportRequest;

#[derive(Debug)]
pub enum ContentKind {
    /// Empty or only whitespace.
    Nothing,
    /// JSON, or text that begins like JSON.
    Json(JsonLayout),
    /// A page or another document with tags.
    Markup,
    /// In text or in a workbook.
    Table(TablePlace, Columns),
    /// Neither JSON nor markup nor a table.
    Text,
}

/// The layout of JSON values in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonLayout {
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
pub struct FileShape {
    pub kind: ContentKind,
    /// Paths of the fields: `reviews`, `reviews[].rating`, `[].rating`.
    paths: BTreeSet<String>,
    /// The format of the rows, if `--rejects` wrote the file.
    rejected: Option<&'static Format>,
}

/// Maximum depth of fields: objects in the reviews inside a document inside an API answer.
const DEEP_MAX: usize = 5;
/// Maximum length of a path in bytes: longer than any path of a format.
const PATH_BYTES_MAX: usize = 96;
const PATHS_MAX: usize = 2_000;
/// Maximum number of lines that are read, because a field may be missing in the first line.
const LINES_MAX: usize = 50;

impl FileShape {
    /// `head` is the beginning of a text, in UTF-8 without a byte order mark.
    pub fn of(head: &[u8], request: &ImportRequest) -> Result<Self, FileError> {
        let text = head.trim_ascii();
        let (mut paths, mut rejected) = (BTreeSet::new(), None);
        let kind = match text.first() {
            None => ContentKind::Nothing,
            Some(b'{' | b'[') => {
                let layout = JsonLayout::of(text);
                look(text, layout, &mut paths);
                rejected = rejected_format(text);
                ContentKind::Json(layout)
            }
            Some(b'<') => ContentKind::Markup,
            Some(_) => match sniff(head, request) {
                Some((dialect, columns)) => {
                    paths.extend(columns.0.iter().take(PATHS_MAX).cloned());
                    ContentKind::Table(TablePlace::Text(dialect), columns)
                }
                // The first line may be broken.
                None if text
                    .split(|byte| *byte == b'\n')
                    .any(|line| line.trim_ascii_start().starts_with(b"{")) =>
                {
                    look(text, JsonLayout::Line, &mut paths);
                    ContentKind::Json(JsonLayout::Line)
                }
                None => match request.header_row {
                    Some(row) if !has_row(head, row) => return Err(no_such_row(row)),
                    Some(_) | None => ContentKind::Text,
                },
            },
        };
        Ok(Self {
            kind,
            paths,
            rejected,
        })
    }

    pub fn of_workbook(header: SheetHeader, columns: Columns) -> Self {
        let paths = columns.0.iter().cloned().collect();
        Self {
            kind: ContentKind::Table(TablePlace::Workbook(header), columns),
            paths,
            rejected: None,
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

    /// Where rows may be: at the top level, and in the arrays of a JSON file.
    fn prefixes(&self) -> Vec<String> {
        let mut prefixes = vec![String::new()];
        if matches!(self.kind, ContentKind::Json(_)) {
            prefixes.extend(self.arrays().iter().map(|array| format!("{array}.")));
        }
        prefixes
    }
}

impl JsonLayout {
    fn of(text: &[u8]) -> Self {
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
        let is_whole = matches!(values.next(), Some(Ok(_)));
        let end = values.byte_offset();
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match text.first() {
            Some(b'[') => Self::Array,
            _ if text == b"{}" => Self::Bare,
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
fn look(text: &[u8], layout: JsonLayout, paths: &mut BTreeSet<String>) {
    let mut note = |path: &str, is_end: bool| {
        let is_member = !is_end && !path.ends_with(']');
        if is_member && path.len() <= PATH_BYTES_MAX && paths.len() < PATHS_MAX {
            paths.insert(path.to_owned());
        }
        false
    };
    if layout == JsonLayout::Line {
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

impl Detected {
    /// Native records, one per line.
    pub fn lines() -> Self {
        Self {
            format: &native::FORMAT,
            rows: Rows::Lines { rejected: false },
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// In lines, one row per line; in a file of rejected rows, in the `row` of each line.
    Lines {
        /// Whether the file was written with `--rejects`.
        rejected: bool,
    },
    /// In the array at that path, as `result.reviews`; the top-level array if empty.
    Array(String),
    Table(TablePlace, Columns),
    /// In linked data.
    LinkedData {
        /// Whether the linked data are in a page.
        is_page: bool,
    },
}

/// Of a file whose reviews were written by one Google Maps user, and are not about the business.
pub const MAPS_REVIEWS: &str = "holds the places that a Google Maps user has reviewed, not the reviews of a business; \
     export `Google Business Profile` with https://takeout.google.com and give its reviews.json, or the whole archive";

/// The requested format, or the detected one.
pub fn detect(shape: FileShape, request: &ImportRequest) -> Result<Detected, FileError> {
    refuse_options_of_tables(&shape, request)?;
    // GeoJSON's FeatureCollection (RFC 7946 §3.3): Google Maps exports a user's reviews as such.
    if shape.has("features") && shape.has("type") && !shape.has("rating") {
        return Err(FileError::new(MAPS_REVIEWS));
    }
    let found = |format: &'static Format, shape, prefix: &str| {
        let rows = rows(shape, format, prefix);
        Ok(Detected { format, rows })
    };
    if request.format.is_none_or(Format::is_own) {
        if matches!(&shape.kind, ContentKind::Table(_, columns) if is_export(columns)) {
            return found(&native::FORMAT, shape, "");
        }
        if is_lines_with_business(&shape) {
            return Ok(Detected::lines());
        }
    }
    if let Some(format) = shape.rejected.filter(|_| is_rejected(&shape))
        && request
            .format
            .is_none_or(|wanted| wanted.name == format.name)
    {
        return found(format, shape, "row.");
    }
    if let Some((format, prefix)) = matching(&shape, request.format) {
        return found(format, shape, &prefix);
    }
    if let Some(format) = request.format {
        let prefix = insisted(&shape, format, &request.renames)?;
        return found(format, shape, &prefix);
    }
    match &shape.kind {
        ContentKind::Json(JsonLayout::Bare) => found(&google::FORMAT, shape, "reviews[]."),
        ContentKind::Nothing => Ok(Detected::lines()),
        ContentKind::Markup => found(&schema_org::FORMAT, shape, ""),
        ContentKind::Json(JsonLayout::Line)
            if !request.renames.is_empty()
                || shape.below("").next().is_none()
                || looks_native(&shape) =>
        {
            Ok(Detected::lines())
        }
        // Rejected rows of an unknown platform come from a table.
        ContentKind::Json(_) if is_rejected(&shape) => found(&table::FORMAT, shape, ""),
        ContentKind::Table(..) => found(&table::FORMAT, shape, ""),
        ContentKind::Json(_) | ContentKind::Text => Err(FileError::new(format!(
            "is {}: none of the known formats ({}); {}",
            described(&shape),
            format_names().collect::<Vec<_>>().join(", "),
            advice(&shape)
        ))),
    }
}

/// Refuses options for tables if the file is not a table.
fn refuse_options_of_tables(shape: &FileShape, request: &ImportRequest) -> Result<(), FileError> {
    let is_table = matches!(shape.kind, ContentKind::Table(..));
    let is_workbook = matches!(shape.kind, ContentKind::Table(TablePlace::Workbook(_), _));
    for (what, is_given, is_there) in [
        ("sheet", request.sheet.is_some(), is_workbook),
        ("header-row", request.header_row.is_some(), is_table),
    ] {
        if is_given && !is_there && shape.rejected.is_none() {
            let said = described(shape);
            return Err(FileError::new(format!(
                "is {said}, which has no {what}; leave --{what} out"
            )));
        }
    }
    Ok(())
}

/// Advice on importing a file of an unknown format: JSON as a table whose columns are the fields of its objects.
fn advice(shape: &FileShape) -> String {
    if !matches!(shape.kind, ContentKind::Json(_)) {
        return "convert it to a table (CSV) with a header line".to_owned();
    }
    let array = shape.arrays().into_iter().next();
    // The names in `--map` determine whether a line is one row or contains an array of rows.
    let is_sure = array.is_none() || !matches!(shape.kind, ContentKind::Json(JsonLayout::Line));
    let prefix = array.map_or_else(String::new, |array| format!("{array}."));
    let is_needed = |field: &ReviewField| {
        matches!(
            field,
            ReviewField::Rating | ReviewField::Date | ReviewField::Author | ReviewField::Text
        )
    };
    let is_known = |name: &str| is_sure && shape.has_below(&prefix, name);
    let mut advice = "to read it anyway, pass --format table".to_owned();
    for (field, list) in &table::FORMAT.fields {
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
fn is_lines_with_business(shape: &FileShape) -> bool {
    matches!(shape.kind, ContentKind::Json(JsonLayout::Line))
        && (shape.has("editorial") || shape.has("business.publish_staff"))
        && !shape.has("reviews")
}

/// The first format whose names are all present (only `wanted`, if given), and the prefix of their paths.
fn matching(
    shape: &FileShape,
    wanted: Option<&'static Format>,
) -> Option<(&'static Format, String)> {
    let is_json = matches!(shape.kind, ContentKind::Json(_));
    let prefixes = if is_rejected(shape) {
        vec!["row.".to_owned()]
    } else {
        shape.prefixes()
    };
    // A table made for this program may have our columns, but it is still a table.
    let is_table = matches!(shape.kind, ContentKind::Table(..));
    let formats = all_formats().filter(|format| {
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

/// The format that the first line of a file of rejected rows names.
fn rejected_format(text: &[u8]) -> Option<&'static Format> {
    #[derive(Deserialize)]
    struct Line {
        format: String,
    }
    let first = text.split(|byte| *byte == b'\n').next()?;
    find_format(&serde_json::from_slice::<Line>(first).ok()?.format)
}

/// Lines `{file, line, format, error, row}`, as `--rejects` writes them.
fn is_rejected(shape: &FileShape) -> bool {
    matches!(shape.kind, ContentKind::Json(JsonLayout::Line))
        && ["file", "error", "row"].iter().all(|name| shape.has(name))
}

/// The position of rows whose fields are at `prefix`.
fn rows(shape: FileShape, format: &Format, prefix: &str) -> Rows {
    let rejected = is_rejected(&shape);
    if matches!(format.reader, Reader::LinkedData) && !rejected {
        let is_page = matches!(shape.kind, ContentKind::Markup);
        return Rows::LinkedData { is_page };
    }
    match shape.kind {
        ContentKind::Table(place, columns) => Rows::Table(place, columns),
        ContentKind::Json(JsonLayout::Line) if prefix.is_empty() || rejected => {
            Rows::Lines { rejected }
        }
        ContentKind::Json(_) | ContentKind::Markup | ContentKind::Nothing | ContentKind::Text => {
            Rows::Array(prefix.trim_end_matches("[].").to_owned())
        }
    }
}

/// The prefix of the rows' paths, if the file can be read as the requested format.
fn insisted(shape: &FileShape, format: &Format, renames: &[Rename]) -> Result<String, FileError> {
    let is_json = matches!(shape.kind, ContentKind::Json(_) | ContentKind::Nothing);
    let is_table = matches!(shape.kind, ContentKind::Table(..));
    let fits = match format.reader {
        Reader::Json(_) | Reader::Native => is_json,
        Reader::Columns => is_json || is_table,
        Reader::LinkedData => is_json || matches!(shape.kind, ContentKind::Markup),
    };
    if !fits {
        let (said, format) = (described(shape), format.name);
        return Err(FileError::new(format!(
            "is {said}, which cannot be read as {format}; leave --format out, or pass --format table for a table"
        )));
    }
    if !matches!(shape.kind, ContentKind::Json(_)) {
        return Ok(String::new());
    }
    // The rows are in the object that has the fields of `--map`, because a document may be on a single line, like JSON
    // Lines.
    let has_mapped = |prefix: &&String| {
        let has = |rename: &Rename| shape.has_below(prefix, &rename.theirs);
        !renames.is_empty() && renames.iter().all(has)
    };
    let prefixes = shape.prefixes();
    Ok(match prefixes.iter().find(has_mapped) {
        Some(prefix) => prefix.clone(),
        None if !format.document.is_empty() => "reviews[].".to_owned(),
        None if matches!(shape.kind, ContentKind::Json(JsonLayout::Line)) => String::new(),
        None => prefixes.get(1).cloned().unwrap_or_default(),
    })
}

/// Whether the lines are probably native records, even if faulty.
fn looks_native(shape: &FileShape) -> bool {
    let ours = ["id", "rating", "date", "author", "text", "deleted"];
    ours.iter().filter(|name| shape.has(name)).count() >= 2
}

/// Maximum number of names in a description.
const NAMES_SHOWN_MAX: usize = 12;

/// A description of the file for messages.
pub fn described(shape: &FileShape) -> String {
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
        (ContentKind::Nothing, _) => "an empty file".to_owned(),
        (ContentKind::Json(JsonLayout::Bare), _) => "an empty JSON object".to_owned(),
        (ContentKind::Json(JsonLayout::Array), Some(array)) => format!(
            "a JSON array of objects with keys {}",
            listed(&format!("{array}."))
        ),
        (ContentKind::Json(JsonLayout::Array), None) => "a JSON array without objects".to_owned(),
        (ContentKind::Json(_), Some(array)) => {
            let inside = listed(&format!("{array}."));
            format!(
                "a JSON object with keys {}, whose {} has objects with keys {inside}",
                listed(""),
                array.trim_end_matches("[]")
            )
        }
        (ContentKind::Json(JsonLayout::Line), None) => {
            format!("JSON Lines of objects with keys {}", listed(""))
        }
        (ContentKind::Json(JsonLayout::Spread), None) => {
            format!("a JSON object with keys {}", listed(""))
        }
        (ContentKind::Markup, _) => "a page of HTML or XML".to_owned(),
        (ContentKind::Table(place, columns), _) => {
            let what = match place {
                TablePlace::Text(_) => "table",
                TablePlace::Workbook(_) => "workbook",
            };
            format!("a {what} with the columns {}", columns.listed())
        }
        (ContentKind::Text, _) => "a text without a header line of several columns".to_owned(),
    }
}
