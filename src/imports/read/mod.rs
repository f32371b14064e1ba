//! Reads files: opens them, detects their format by its content, and keeps their rows in memory.

pub(crate) mod archive;
pub(crate) mod below;
pub(crate) mod detect;
pub(crate) mod encoding;
pub(crate) mod json;
mod linked_data;
mod text;
pub(crate) mod workbook;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

use encoding_rs::Encoding;

use crate::imports::limits::Limits;
use crate::imports::read::below::open_below;
use crate::imports::read::detect::read_file;
pub use crate::imports::read::detect::{InputFile, Rows};
use crate::imports::read::encoding::{decode, describe, describe_damage};
use crate::imports::report::{FileError, INPUT_BYTES_MAX, ImportError};
use crate::imports::request::{DoubtfulChoice, ImportRequest};
use crate::owner::fault::listed;
use crate::storage::columns::KeptColumns;

/// The name of `-` in messages.
const STDIN: &str = "standard input";

/// Reads all files of `request`; `kept` has the encodings of earlier files. Returns the files, and what the import may still take.
///
/// # Errors
/// With every file that cannot be read.
pub fn read(
    request: &ImportRequest,
    kept: &KeptColumns,
    limits: Limits<'_>,
) -> Result<(Vec<InputFile>, Limits<'static>), ImportError> {
    let stdin = request.files.iter().filter(|file| *file == Path::new("-"));
    if stdin.count() > 1 {
        return Err(ImportError::Refused(
            "-: standard input can be read only once; give `-` only once".to_owned(),
        ));
    }
    let is_unclear = |choice: &&DoubtfulChoice| matches!(choice.row, Some((None, _)));
    let unclear = request.doubtful.iter().find(is_unclear);
    if let Some(choice) = unclear.filter(|_| request.files.len() > 1) {
        return Err(ImportError::Refused(format!(
            "--doubtful {choice}: there are several files; name the row's file too, as FILE:{choice}"
        )));
    }
    let mut opener = Opener::new(request, kept, limits);
    for file in &request.files {
        opener.open(file);
    }
    if !opener.faults.is_empty() {
        let faults = listed(opener.faults.into_iter(), "files cannot be imported");
        return Err(ImportError::Refused(faults));
    }
    for file in &mut opener.files {
        file.apply_mask(&request.mask);
    }
    Ok((opener.files, opener.limits.unwatched()))
}

/// Opens files, and keeps their rows.
struct Opener<'o> {
    request: &'o ImportRequest,
    kept: &'o KeptColumns,
    /// The number of bytes that the import may still read, over all its files and all ways of opening them.
    bytes_left: u64,
    limits: Limits<'o>,
    files: Vec<InputFile>,
    /// The files that cannot be imported, each with the reason.
    faults: Vec<String>,
}

impl<'o> Opener<'o> {
    const fn new(request: &'o ImportRequest, kept: &'o KeptColumns, limits: Limits<'o>) -> Self {
        Self {
            request,
            kept,
            bytes_left: INPUT_BYTES_MAX,
            limits,
            files: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Reads every file at `path`.
    fn open(&mut self, path: &Path) {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin {
            STDIN.to_owned()
        } else {
            path.display().to_string()
        };
        let before = self.limits;
        let opened = if is_stdin {
            self.stdin(io::stdin().lock())
        } else if let Some(folder) = &self.request.below {
            let file = open_below(folder, path).map_err(FileError::unreadable);
            file.and_then(|file| self.file(&name, file))
        } else if path.is_dir() {
            self.folder(path)
        } else {
            let file = File::open(path).map_err(FileError::unreadable);
            file.and_then(|file| self.file(&name, file))
        };
        if let Err(fault) = opened {
            self.limits = before;
            self.faults.push(format!("{name}: {fault}"));
        }
    }

    fn stdin(&mut self, input: impl Read) -> Result<(), FileError> {
        let bytes = self.bytes(input)?;
        if !is_zip(&bytes) {
            return self.content(STDIN.to_owned(), &bytes);
        }
        // Only what is unpacked counts, as in any archive.
        self.bytes_left += bytes.len() as u64;
        let packed = bytes.len();
        self.archive(STDIN, Cursor::new(bytes))?;
        self.limits.give(packed);
        Ok(())
    }

    fn file(&mut self, name: &str, file: impl Read + Seek) -> Result<(), FileError> {
        let mut input = BufReader::new(file);
        if is_zip(input.fill_buf().map_err(FileError::unreadable)?) {
            return self.archive(name, input);
        }
        self.one(name.to_owned(), input)
    }

    fn one(&mut self, name: String, input: impl Read) -> Result<(), FileError> {
        let bytes = self.bytes(input)?;
        self.content(name, &bytes)
    }

    fn content(&mut self, name: String, bytes: &[u8]) -> Result<(), FileError> {
        let request = self.request;
        let read = |named, limits: &mut Limits<'_>| {
            let decoded = decode(bytes, named, request.country(), limits)?;
            let file = read_file(&decoded, request, limits)?;
            Ok::<_, FileError>((file, decoded))
        };
        let limits = &mut self.limits;
        let before = limits.bytes_left();
        let (mut file, mut decoded) = read(request.encoding, limits)?;
        let first = before - limits.bytes_left();
        if let (Some(guess), None) = (decoded.encoding, request.encoding) {
            // The letters of one month may suggest another encoding than those of the next.
            let source = request.source_of(file.format);
            let kept = kept_encoding(self.kept, source);
            if let Some(kept) = kept.filter(|kept| *kept != guess)
                && let Ok(again) = read(Some(kept), limits)
            {
                (file, decoded) = again;
                limits.give(first);
            }
            let encoding = decoded.encoding.unwrap_or(guess);
            let kept_of = (kept == Some(encoding)).then_some(source);
            file.note = Some(describe(encoding, &decoded.text, kept_of));
        }
        let text = decoded.encoding.is_none().then_some(&decoded.text);
        let damage = text.and_then(|text| describe_damage(text));
        let notes: Vec<String> = file.note.into_iter().chain(damage).collect();
        file.note = (!notes.is_empty()).then(|| notes.join("; "));
        file.encoding = decoded.encoding;
        file.name = name;
        if let Cow::Owned(text) = &decoded.text {
            limits.give(text.len());
        }
        limits.give(bytes.len());
        self.files.push(file);
        Ok(())
    }

    /// All bytes of `input`.
    fn bytes(&mut self, input: impl Read) -> Result<Vec<u8>, FileError> {
        let mut all = Vec::new();
        let read = input
            .take(self.bytes_left.min(self.limits.bytes_left() as u64) + 1)
            .read_to_end(&mut all)
            .map_err(FileError::unreadable)? as u64;
        self.bytes_left = self.bytes_left.checked_sub(read).ok_or_else(|| {
            FileError::new(format!(
                "the files of one import may have at most {} MiB in total, unpacked; split it into several imports",
                INPUT_BYTES_MAX >> 20
            ))
        })?;
        self.limits.take(all.len())?;
        Ok(all)
    }
}

fn is_zip(head: &[u8]) -> bool {
    // A local file, or the end of an empty archive (APPNOTE.TXT §4.3).
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Before the name of the encoding of a source's files that are not in Unicode.
const ENCODING: &str = "encoding ";

fn kept_encoding(kept: &KeptColumns, source: &str) -> Option<&'static Encoding> {
    let mut kept = kept.at(source, "");
    kept.find_map(|it| Encoding::for_label(it.field.strip_prefix(ENCODING)?.as_bytes()))
}

/// Keeps the encoding for the source's next file.
pub fn keep_encoding(kept: &mut KeptColumns, source: &str, encoding: &'static Encoding) {
    kept.retain(|it| it.source != source || !it.field.starts_with(ENCODING));
    kept.entry(source, "", &format!("{ENCODING}{}", encoding.name()));
}
