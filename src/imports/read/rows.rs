//! The rows of a file, by its format.

use crate::imports::file_error::FileError;
use crate::imports::map::table::Table;
use crate::imports::platforms::{Format, Reader, find_format, native, schema_org};
use crate::imports::read::detect::{Content, FileShape, Place, detect};
use crate::imports::read::json::{self, Objects, RowValue};
use crate::imports::read::{header, page, text, workbook};
use crate::imports::report::Position;
use crate::imports::request::ImportRequest;

const NOT_UTF8: &str = "is not UTF-8; save it as UTF-8, or convert it, for example from Windows-1252 with `iconv -f WINDOWS-1252 \
     -t UTF-8`";
/// Maximum size of a page, or of a file of linked data, in bytes.
const PAGE_BYTES_MAX: usize = 16 << 20;

/// A file that was read.
pub struct InputFile {
    /// For messages.
    pub name: String,
    /// Its rows by format; one, unless it is a file of rejected rows.
    pub parts: Vec<Part>,
}

pub struct Part {
    pub format: &'static Format,
    pub rows: Rows,
}

pub enum Rows {
    Table(Table),
    /// Native records of a table.
    NativeTable(Table),
    /// Native records, one per line.
    NativeLines(Vec<u8>),
    /// A document of native records: the text, and the path of their array.
    NativeDocument(String, Option<String>),
    NativeValues(Vec<(Position, RowValue)>),
}

fn one(format: &'static Format, rows: Rows) -> Vec<Part> {
    vec![Part { format, rows }]
}

/// The rows of a file, in UTF-8 or an encoding of one byte.
pub fn read_file(bytes: &[u8], request: &ImportRequest) -> Result<Vec<Part>, FileError> {
    if request.is_sample {
        return Ok(one(&native::FORMAT, Rows::NativeLines(bytes.to_vec())));
    }
    let trimmed = bytes.trim_ascii();
    let utf8 = || std::str::from_utf8(bytes).map_err(|_| FileError::new(NOT_UTF8));
    let is_object = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
    let content = match trimmed.first() {
        None => Content::Nothing,
        Some(b'[') => Content::Json(serde_json::from_str(utf8()?)?),
        Some(b'{') => match std::str::from_utf8(bytes) {
            Ok(text) => match serde_json::from_str(text) {
                Ok(document) if json::is_rejected(document) => Content::JsonLines,
                Ok(document) => Content::Json(document),
                Err(_) if json::is_lines(text.trim()) => Content::JsonLines,
                Err(_) => Content::JsonValues(json::values(text)?),
            },
            // Each line may be broken for itself.
            Err(_) if memchr::memchr(b'\n', trimmed).is_some() => Content::JsonLines,
            Err(_) => return Err(FileError::new(NOT_UTF8)),
        },
        Some(b'<') => Content::Markup,
        Some(_) => match text::sniff(bytes, request) {
            Some((dialect, columns)) => Content::Text(dialect, columns),
            // The first line may be broken.
            None if trimmed.split(|byte| *byte == b'\n').any(is_object) => Content::JsonLines,
            None => match request.header_row {
                Some(row) if !text::has_row(bytes, row) => return Err(header::no_such_row(row)),
                Some(_) | None => Content::Other,
            },
        },
    };
    let shape = FileShape::of(content, trimmed);
    let found = detect(&shape, request)?;
    let format = found.format;
    if format.reader == Reader::LinkedData && !shape.is_rejected() {
        let is_page = matches!(shape.content, Content::Markup);
        return Ok(one(format, Rows::Table(linked_data(is_page, trimmed)?)));
    }
    let is_native = matches!(format.reader, Reader::Native | Reader::Document);
    let rows = match &shape.content {
        Content::Text(dialect, columns) => {
            let table = text::read_text(bytes, *dialect, columns.clone())?;
            if is_native {
                Rows::NativeTable(table)
            } else {
                Rows::Table(table)
            }
        }
        Content::Nothing if is_native => Rows::NativeLines(Vec::new()),
        Content::JsonLines if shape.is_rejected() => {
            return Ok(rejected(bytes, format, request));
        }
        Content::JsonLines if is_native => Rows::NativeLines(bytes.to_vec()),
        Content::JsonLines => {
            let mut objects = Objects::default();
            for line in json::lines(bytes, false) {
                objects.add(line.at, line.row);
            }
            Rows::Table(objects.table)
        }
        Content::Json(document) if is_native => {
            let path = shape.array(found.place).map(|array| array.path.clone());
            let path = path.or_else(|| document.get().starts_with('[').then(String::new));
            Rows::NativeDocument(document.get().to_owned(), path)
        }
        Content::Json(_) | Content::JsonValues(_) => {
            let text = utf8()?;
            match (&shape.content, shape.array(found.place)) {
                (_, Some(array)) => Rows::Table(array.table(text)),
                (Content::Json(document), None) if found.place == Place::Top => {
                    let mut objects = Objects::default();
                    let row = json::parsed(document.get(), text);
                    objects.add(Position::line(1), row);
                    Rows::Table(objects.table)
                }
                _ => Rows::Table(Table::default()),
            }
        }
        Content::Sheet(_) | Content::Nothing | Content::Markup | Content::Other => {
            Rows::Table(Table::default())
        }
    };
    Ok(one(format, rows))
}

/// The rows of a workbook.
pub fn read_workbook(packed: &[u8], request: &ImportRequest) -> Result<Vec<Part>, FileError> {
    let (place, columns) = workbook::find_sheet(packed, request)?;
    let found = detect(
        &FileShape::of(Content::Sheet(columns.clone()), &[]),
        request,
    )?;
    let table = workbook::read_sheet(packed, place, columns)?;
    let rows = if found.format.is_own() {
        Rows::NativeTable(table)
    } else {
        Rows::Table(table)
    };
    Ok(one(found.format, rows))
}

/// A format, and its rows: as objects, or as native records.
type RejectedPart = (&'static Format, Objects, Vec<(Position, RowValue)>);

/// The rows in a file of rejected rows, which may have several formats.
fn rejected(bytes: &[u8], format: &'static Format, request: &ImportRequest) -> Vec<Part> {
    let mut parts: Vec<RejectedPart> = Vec::new();
    for line in json::lines(bytes, true) {
        let named = line.format.filter(|_| request.format.is_none());
        let format = named.and_then(|name| find_format(&name)).unwrap_or(format);
        let known = parts.iter().position(|(its, ..)| its.name == format.name);
        let part = known.unwrap_or(parts.len());
        if known.is_none() {
            parts.push((format, Objects::default(), Vec::new()));
        }
        let (_, objects, values) = &mut parts[part];
        if matches!(format.reader, Reader::Native | Reader::Document) {
            values.push((line.at, line.row));
        } else {
            objects.add(line.at, line.row);
        }
    }
    let part = |(format, objects, values): RejectedPart| Part {
        format,
        rows: if values.is_empty() {
            Rows::Table(objects.table)
        } else {
            Rows::NativeValues(values)
        },
    };
    parts.into_iter().map(part).collect()
}

/// The reviews in linked data, or in a page that contains some.
fn linked_data(is_page: bool, bytes: &[u8]) -> Result<Table, FileError> {
    if bytes.len() > PAGE_BYTES_MAX {
        return Err(FileError::new(
            "the page, or the file of linked data, has more than 16 MiB; take the JSON-LD out of it and split it",
        ));
    }
    let texts = if is_page {
        page::linked_data(bytes)
    } else {
        let text = String::from_utf8(bytes.to_vec());
        vec![text.map_err(|_| FileError::new(NOT_UTF8))?]
    };
    let mut reviews = Vec::new();
    for text in &texts {
        for value in serde_json::Deserializer::from_str(text).into_iter() {
            schema_org::collect(value?, schema_org::DEEP_MAX, &mut reviews);
        }
    }
    if reviews.is_empty() {
        let what = match (is_page, texts.len()) {
            (true, 0) => "a page of HTML or XML without structured data (no <script type=\"application/ld+json\">)".to_owned(),
            (true, elements) => format!("a page whose structured data has no Review ({elements} elements were looked at)"),
            (false, _) => "linked data without a Review".to_owned(),
        };
        return Err(FileError::new(format!(
            "is {what}; give the export of the platform, or a page whose source has schema.org reviews as JSON-LD"
        )));
    }
    let mut objects = Objects::default();
    for (index, review) in (0..).zip(reviews) {
        let array = "reviews".into();
        objects.add(Position::Element { array, index }, Ok(review));
    }
    Ok(objects.table)
}
