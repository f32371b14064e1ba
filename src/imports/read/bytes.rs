//! The bytes of files, and of the files in an archive, which is unpacked while it is read, never to disk.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use crate::config::open_regular;
use crate::imports::fault::FileError;

/// The name of `-` in messages.
pub const STDIN: &str = "standard input";
/// Maximum size of a file in bytes, and of all files of one import, unpacked.
pub const FILE_BYTES_MAX: u64 = 64 << 20;
pub const INPUT_BYTES_MAX: u64 = 256 << 20;
/// Maximum number of files in an archive, all of whose names the parser keeps in memory.
const ARCHIVE_FILES_MAX: usize = 20_000;

/// Of the files in an archive that are read beside others.
const TABLE_EXTENSIONS: [&str; 7] = ["csv", "tsv", "xlsx", "ods", "json", "jsonl", "ndjson"];

/// All bytes of a file, which are taken from the number that the import may still read.
pub fn read_all(input: impl Read, bytes_left: &mut u64) -> Result<Vec<u8>, FileError> {
    let mut all = Vec::new();
    let (limit, advice) = if *bytes_left < FILE_BYTES_MAX {
        let advice = "the files of one import may have, unpacked, at most 256 MiB";
        (*bytes_left, advice)
    } else {
        (FILE_BYTES_MAX, "a file may have at most 64 MiB")
    };
    let read = input.take(limit + 1).read_to_end(&mut all)? as u64;
    if read > limit {
        return Err(FileError::new(format!(
            "{advice}; split it, and import one part after the other"
        )));
    }
    *bytes_left -= read;
    Ok(all)
}

/// The bytes of a file that is not named `-`; of a pipe, too, if a command `may_wait` for it.
pub fn read_file(path: &Path, may_wait: bool, bytes_left: &mut u64) -> Result<Vec<u8>, FileError> {
    if path.is_dir() {
        return Err(FileError::new(
            "is a folder; give its files, for example FOLDER/*.csv",
        ));
    }
    let file = if may_wait {
        File::open(path)?
    } else {
        open_regular(path)?
    };
    read_all(file, bytes_left)
}

pub fn is_zip(head: &[u8]) -> bool {
    // A local file, or the end of an empty archive (APPNOTE.TXT §4.3).
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// Whether an archive is a document of an office program.
pub fn is_office_document(archive: &ZipArchive<Cursor<&[u8]>>) -> bool {
    archive.file_names().flatten().any(|name| {
        let is_part = ["[Content_Types].xml", "content.xml", "mimetype"].contains(&&*name);
        is_part || has_extension(&name, &["iwa"])
    })
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(name).extension();
    let extension = extension.and_then(|it| it.to_str()).unwrap_or_default();
    let mut extensions = extensions.iter();
    extensions.any(|it| it.eq_ignore_ascii_case(extension))
}

/// # Errors
/// If it cannot be read, or has too many files.
pub fn open_archive(bytes: &[u8]) -> Result<ZipArchive<Cursor<&[u8]>>, FileError> {
    // Each file has a header in the directory (APPNOTE.TXT §4.3.12).
    let headers = memchr::memmem::find_iter(bytes, b"PK\x01\x02");
    if headers.count() > ARCHIVE_FILES_MAX {
        return Err(broken_archive("it has too many files"));
    }
    ZipArchive::new(Cursor::new(bytes)).map_err(broken_archive)
}

pub fn broken_archive(error: impl Display) -> FileError {
    FileError::new(format!(
        "the zip archive cannot be read ({error}); unpack it and give the file"
    ))
}

/// The members of an archive that are read, sorted by name: those of a Takeout (`reviews.json` with its further pages
/// `reviews-<token>.json`, `reviews_001.json`), otherwise the only file, otherwise all tables and JSON.
pub fn choose_members(archive: &ZipArchive<Cursor<&[u8]>>) -> Result<Vec<String>, FileError> {
    let members = archive.file_names().flatten().map(Cow::into_owned);
    let mut members: Vec<String> = members.collect();
    members.retain(|name| !name.ends_with('/') && !name.contains("__MACOSX/"));
    members.sort();
    let mut chosen = members.clone();
    chosen.retain(|path| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        // By case: `Reviews.json` of Google Maps has what a user wrote.
        let stem = name.strip_suffix(".json");
        stem.is_some_and(|stem| stem.starts_with("reviews"))
    });
    if chosen.is_empty() {
        chosen.clone_from(&members);
        chosen.retain(|name| has_extension(name, &TABLE_EXTENSIONS));
    }
    if chosen.is_empty() && members.len() != 1 {
        return Err(FileError::new(
            "holds no reviews*.json and no table; export `Google Business Profile` with https://takeout.google.com, or give the file of another \
             export itself, unpacked",
        ));
    }
    Ok(if chosen.is_empty() { members } else { chosen })
}

/// File names without folders.
pub fn file_names(files: &[PathBuf]) -> Vec<String> {
    let names = files.iter().map(|file| match file.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        Some(_) | None => STDIN.to_owned(),
    });
    names.collect()
}

// What bytes are that are no text and no workbook, and what to give instead.

const OLD_OFFICE: &[u8] = b"\xD0\xCF\x11\xE0";
const PACKED: &str = "is packed; unpack it and give the file";
const PICTURE: &str =
    "is a picture or a PDF document, not an export of reviews; give the table as CSV";

/// The beginnings of files that are no text, and what they are.
const BINARY: [(&[u8], &str); 9] = [
    (
        OLD_OFFICE,
        "is an old workbook (.xls) or another document of Microsoft Office; save it as XLSX or CSV",
    ),
    (b"\x1F\x8B", PACKED),
    (b"BZh", PACKED),
    (b"7z\xBC\xAF", PACKED),
    (b"Rar!", PACKED),
    (b"%PDF", PICTURE),
    (b"\x89PNG", PICTURE),
    (b"\xFF\xD8\xFF", PICTURE),
    (
        b"SQLite format 3\0",
        "is a database; `reviews restore FILE` takes a backup of this service, and other tables are exported as CSV",
    ),
];

/// Refuses a file of bytes that are no text.
///
/// # Errors
/// With what it is and what to give instead.
pub fn refuse_binary(bytes: &[u8]) -> Result<(), FileError> {
    if bytes.starts_with(OLD_OFFICE) && has_wide(bytes, "EncryptedPackage") {
        return Err(FileError::new(
            "is a workbook with a password; save it without one, or as CSV",
        ));
    }
    let mut kinds = BINARY.iter();
    let found = kinds.find(|(begin, _)| bytes.starts_with(begin));
    found.map_or(Ok(()), |(_, refusal)| Err(FileError::new(*refusal)))
}

/// Refuses a document of an office program that is no workbook.
///
/// # Errors
/// With what it is and what to give instead.
pub fn check_workbook(bytes: &[u8]) -> Result<(), FileError> {
    let mut archive = open_archive(bytes)?;
    let mut mimetype = String::new();
    if let Ok(member) = archive.by_name("mimetype") {
        member.take(100).read_to_string(&mut mimetype)?;
    }
    let is_sheet = mimetype.contains("opendocument.spreadsheet");
    let has = |name: &str| archive.index_for_name(name).is_some();
    let mut names = archive.file_names().flatten();
    let refusal = if has("xl/workbook.xml") || has("content.xml") && is_sheet {
        return Ok(());
    } else if has("xl/workbook.bin") {
        "is a binary workbook (.xlsb); save it as XLSX or CSV"
    } else if names.any(|name| name.ends_with(".iwa")) {
        "is a document of Numbers or Pages; export it as CSV or Excel"
    } else {
        "is an archive or a document of an office program, but no spreadsheet; unpack it, or give the table as XLSX, ODS or CSV"
    };
    Err(FileError::new(refusal))
}

/// Whether bytes have a word in UTF-16.
fn has_wide(bytes: &[u8], word: &str) -> bool {
    let wide: Vec<u8> = word.bytes().flat_map(|byte| [byte, 0]).collect();
    memchr::memmem::find(bytes, &wide).is_some()
}
