//! Opens the paths given by the user: standard input, files, zip archives and folders, with each file inside of them.
//! The formats get only a bounded reader.

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use serde_json::Value;
use zip::ZipArchive;

use crate::imports::file_error::{FILES_MAX, FailedFile, FileError, INPUT_BYTES_MAX};
use crate::imports::read::detect::FileShape;
use crate::imports::read::table::{WORKBOOK_BYTES_MAX, find_sheet};
use crate::imports::request::ImportRequest;

/// Maximum number of bytes of a file that detection reads.
const HEAD_BYTES: u64 = 64 << 10;

/// The name of `-` in messages.
const STDIN: &str = "standard input";

/// An opened file.
pub struct Input<'a> {
    /// The name in messages.
    pub name: String,
    /// Structure of its first 64 KiB.
    pub shape: FileShape,
    /// The whole content, in UTF-8 without a byte order mark, or a workbook's archive.
    pub all: Box<dyn BufRead + 'a>,
}

pub enum Opened<'a> {
    /// A file of reviews.
    Reviews(Input<'a>),
    /// The name of a location.
    Listing(Listing),
}

type TakeFile<'t> = &'t mut dyn FnMut(Opened<'_>) -> Result<(), FileError>;

/// Passes every file at `path` to `take`; records files that cannot be opened or that `take` refuses.
pub fn open(
    path: &Path,
    request: &ImportRequest,
    budget: &Budget,
    take: TakeFile<'_>,
    faults: &mut Vec<FailedFile>,
) {
    let stdin = path == Path::new("-");
    let name = if stdin {
        STDIN.to_owned()
    } else {
        path.display().to_string()
    };
    let mut visit = Opener {
        request,
        budget,
        take,
        faults,
    };
    let opened = if stdin {
        visit.stdin()
    } else if path.is_dir() {
        visit.folder(path)
    } else {
        let file = budget.open(path);
        file.and_then(|file| visit.file(&name, file))
    };
    if let Err(fault) = opened {
        visit.faults.push(FailedFile { file: name, fault });
    }
}

struct Opener<'v, 't> {
    request: &'v ImportRequest,
    budget: &'v Budget,
    take: TakeFile<'t>,
    faults: &'v mut Vec<FailedFile>,
}

impl Opener<'_, '_> {
    fn stdin(&mut self) -> Result<(), FileError> {
        let mut input = BufReader::new(io::stdin().lock());
        if !is_zip(input.fill_buf().map_err(FileError::Unreadable)?) {
            return self.one(STDIN.to_owned(), input);
        }
        // A zip archive is read from its end, which a pipe has only when it is over, so the archive is first stored on
        // disk.
        let mut packed = tempfile::tempfile().map_err(FileError::staging)?;
        let mut input = BufReader::new(self.budget.bound(input));
        loop {
            let part = input.fill_buf().map_err(FileError::reading)?;
            if part.is_empty() {
                break;
            }
            packed.write_all(part).map_err(FileError::staging)?;
            let used = part.len();
            input.consume(used);
        }
        packed.rewind().map_err(FileError::staging)?;
        self.archive(STDIN, BufReader::new(packed))
    }

    fn file(&mut self, name: &str, file: impl Read + Seek) -> Result<(), FileError> {
        let mut input = BufReader::new(file);
        if is_zip(input.fill_buf().map_err(FileError::Unreadable)?) {
            return self.archive(name, input);
        }
        self.one(name.to_owned(), input)
    }

    /// Passes on a location's name, if it can be read.
    fn listing(&mut self, location: &str, input: impl Read) -> Result<(), FileError> {
        let mut json = Vec::new();
        self.budget
            .bound(input)
            .take(LISTING_BYTES_MAX)
            .read_to_end(&mut json)
            .map_err(FileError::reading)?;
        match listed(location, &json) {
            Some(listing) => (self.take)(Opened::Listing(listing)),
            None => Ok(()),
        }
    }

    /// Opens a file of a folder or archive whose path is `path`; records its error.
    fn member(&mut self, file: String, path: &str, input: Result<impl Read, FileError>) {
        let taken = input.and_then(|input| match location(path) {
            Some(location) => self.listing(location, input),
            None => self.one(file.clone(), input),
        });
        if let Err(fault) = taken {
            self.faults.push(FailedFile { file, fault });
        }
    }

    fn one(&mut self, name: String, input: impl Read) -> Result<(), FileError> {
        let mut input: Box<dyn Read + '_> = Box::new(self.budget.bound(input));
        let mut head = head_of(&mut input)?;
        if let Some(wide) = wide(&head)? {
            let decoded = DecodeReaderBytesBuilder::new()
                .encoding(Some(wide))
                .bom_override(true)
                .build(Cursor::new(head).chain(input));
            input = Box::new(decoded);
            head = head_of(&mut input)?;
        }
        if head.starts_with(b"\xEF\xBB\xBF") {
            head.drain(..3);
        }
        let shape = FileShape::of(&head, self.request)?;
        (self.take)(Opened::Reviews(Input {
            name,
            shape,
            all: Box::new(Cursor::new(head).chain(BufReader::new(input))),
        }))
    }
}

/// The beginning of a file, which detection reads.
fn head_of(input: &mut dyn Read) -> Result<Vec<u8>, FileError> {
    let mut head = Vec::new();
    let read = input.take(HEAD_BYTES).read_to_end(&mut head);
    read.map_err(FileError::reading)?;
    Ok(head)
}

// The number of bytes that one import may still read, over all its files and all ways of opening them.

/// The rest of [`INPUT_BYTES_MAX`], and the progress of reading.
pub struct Budget {
    left: Cell<u64>,
    /// Number of bytes read from files, before unpacking.
    read: Cell<u64>,
    /// Size of all files; `None` if unknown.
    total: Option<u64>,
}

impl Budget {
    pub fn new(files: &[PathBuf]) -> Self {
        let size = |file: &PathBuf| {
            let metadata = fs::metadata(file).ok().filter(Metadata::is_file);
            metadata.map(|its| its.len())
        };
        Self {
            left: Cell::new(INPUT_BYTES_MAX),
            read: Cell::new(0),
            total: files.iter().map(size).sum(),
        }
    }

    /// Bytes read, and the total.
    pub fn progress(&self) -> Option<(u64, u64)> {
        let total = self.total?;
        // The end of an archive is read twice, so the number is limited to the total.
        Some((self.read.get().min(total), total))
    }

    /// A reader over `inner` that fails when the budget is used up.
    fn bound<R: Read>(&self, inner: R) -> Bounded<'_, R> {
        Bounded {
            inner,
            budget: self,
        }
    }

    fn open(&self, path: &Path) -> Result<CountedFile<'_>, FileError> {
        let file = File::open(path).map_err(FileError::Unreadable)?;
        Ok(CountedFile { file, budget: self })
    }
}

/// A file that counts the bytes read.
struct CountedFile<'a> {
    file: File,
    budget: &'a Budget,
}

impl Read for CountedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.budget.read.update(|before| before + read as u64);
        Ok(read)
    }
}

impl Seek for CountedFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A reader that uses the import's budget and fails when it is used up.
struct Bounded<'a, R> {
    inner: R,
    budget: &'a Budget,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self.budget.left.get().checked_sub(read as u64);
        let left = left.ok_or(io::ErrorKind::FileTooLarge)?;
        self.budget.left.set(left);
        Ok(read)
    }
}

// Recognizes a file by its first bytes, before it is read as text: an archive, UTF-16, or binary.

fn is_zip(head: &[u8]) -> bool {
    // A local file, or the end of an empty archive (APPNOTE.TXT §4.3).
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// The UTF-16 encoding of a text, if it has one; refuses binary files.
fn wide(head: &[u8]) -> Result<Option<&'static Encoding>, FileError> {
    match head {
        [0x1F, 0x8B, ..] => Err(FileError::Packed("gzip")),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Err(FileError::Packed("zstd")),
        [b'B', b'Z', b'h', ..] => Err(FileError::Packed("bzip2")),
        [0xFD, b'7', b'z', b'X', b'Z', ..] => Err(FileError::Packed("xz")),
        [b'7', b'z', 0xBC, 0xAF, ..] => Err(FileError::Packed("7-Zip")),
        [b'%', b'P', b'D', b'F', ..] => Err(FileError::Binary("a PDF document")),
        [0xD0, 0xCF, 0x11, 0xE0, ..] => Err(FileError::Binary(
            "an old Excel workbook (.xls) or another document of Microsoft Office; save it as XLSX or CSV",
        )),
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Ok(Some(UTF_16LE)),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Ok(Some(UTF_16BE)),
        _ => Ok(None),
    }
}

// The review files in a folder, such as an unpacked Takeout. Members of an archive are chosen by the same rule.

/// Maximum depth to which a Takeout is searched.
const FOLDERS_DEEP_MAX: usize = 12;

impl Opener<'_, '_> {
    /// Opens every file of reviews in the folder at `path`, sorted by name.
    pub fn folder(&mut self, path: &Path) -> Result<(), FileError> {
        let mut found = TakeoutFiles::default();
        let mut files = Vec::new();
        walk(path, FOLDERS_DEEP_MAX, &mut |file| {
            let wanted = found.wants(&file.file_name().unwrap_or_default().to_string_lossy())?;
            if wanted || location(&file.to_string_lossy()).is_some() {
                files.push(file.to_owned());
            }
            Ok(())
        })?;
        found.any()?;
        for file in files {
            let name = file.display().to_string();
            self.member(name.clone(), &name, self.budget.open(&file));
        }
        Ok(())
    }
}

/// The files of a Takeout: reviews.json and its further pages (`reviews-<token>.json`, `reviews_001.json`).
#[derive(Default)]
pub struct TakeoutFiles {
    reviews: usize,
    maps: bool,
}

impl TakeoutFiles {
    pub fn wants(&mut self, name: &str) -> Result<bool, FileError> {
        let wanted = is_taken_from_folders(name);
        self.reviews += usize::from(wanted);
        // Google Maps capitalizes the name of its file of a user's reviews.
        self.maps |= name == "Reviews.json";
        if self.reviews > FILES_MAX {
            Err(FileError::TooMany)
        } else {
            Ok(wanted)
        }
    }

    /// Refuses a folder or archive without reviews.
    pub const fn any(&self) -> Result<(), FileError> {
        match (self.reviews, self.maps) {
            (1.., _) => Ok(()),
            (0, true) => Err(FileError::MapsReviews),
            (0, false) => Err(FileError::NoReviews),
        }
    }
}

/// Whether a file of that name is read from a folder or archive.
pub fn is_taken_from_folders(name: &str) -> bool {
    name.strip_suffix(".json")
        .is_some_and(|stem| stem.starts_with("reviews"))
}

/// Calls `take` with every file below `path`, sorted by name. Links are not followed.
fn walk(
    path: &Path,
    deep: usize,
    take: &mut dyn FnMut(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    let mut entries = fs::read_dir(path)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(FileError::Unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(FileError::Unreadable)?;
        if kind.is_file() {
            take(&entry.path())?;
        } else if kind.is_dir() && deep > 0 {
            walk(&entry.path(), deep - 1, take)?;
        }
    }
    Ok(())
}

// The business's name for one of its locations, in Google Takeout's `additionalData.json` beside the location's
// reviews.

/// Maximum number of bytes of such a file that are read; it usually has a few thousand.
const LISTING_BYTES_MAX: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The location as in the folder's name and in the `name` of its reviews.
    pub location: String,
    /// Trimmed name of 1 to 200 characters, without control characters.
    pub name: String,
}

/// The location in the path of such a file: `…/location-77/additionalData.json`.
fn location(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once(['/', '\\'])?;
    let folder = folder.rsplit(['/', '\\']).next()?;
    (file == "additionalData.json")
        .then(|| folder.strip_prefix("location-"))
        .flatten()
}

/// The listing in such a file; `None` if it cannot be read, because no review depends on it.
fn listed(location: &str, json: &[u8]) -> Option<Listing> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let value: Value = serde_json::from_slice(json).ok()?;
    let attributes = value.get("attributes")?.as_array()?;
    let is_name = |attribute: &&Value| {
        attribute
            .pointer("/id/attributeType")
            .and_then(Value::as_str)
            == Some("LISTING_NAME")
    };
    let name = attributes.iter().find(is_name).and_then(|attribute| {
        let first = attribute
            .pointer("/values/0")
            .or_else(|| attribute.get("value"))?;
        ["/datum/listingName/text", "/listingName/text", "/text", ""]
            .iter()
            .find_map(|path| first.pointer(path).and_then(Value::as_str))
    })?;
    let name = name.trim();
    (!name.is_empty() && !name.contains(char::is_control) && name.chars().count() <= 200).then(
        || Listing {
            location: location.to_owned(),
            name: name.to_owned(),
        },
    )
}

// Zip archives: a Takeout, whose members are read one by one, and workbooks. They are unpacked while they are read,
// never to disk, so a member's path is never used as a file name.

impl Opener<'_, '_> {
    /// Opens the members of a zip archive.
    pub fn archive(&mut self, name: &str, packed: impl Read + Seek) -> Result<(), FileError> {
        let fault = |error: zip::result::ZipError| FileError::Archive(error.to_string());
        let mut archive = ZipArchive::new(packed).map_err(fault)?;
        if archive.index_for_name("xl/workbook.xml").is_some() {
            return self.workbook(name, archive.into_inner());
        }
        let mut found = TakeoutFiles::default();
        let mut members = Vec::new();
        for index in 0..archive.len() {
            let Some(Ok(member)) = archive.name_for_index(index) else {
                continue;
            };
            let wanted = found.wants(member.rsplit(['/', '\\']).next().unwrap_or_default())?;
            if wanted || location(&member).is_some() {
                members.push((member.into_owned(), index));
            }
        }
        found
            .any()
            .map_err(|fault| other_archive(&archive).unwrap_or(fault))?;
        // Members are sorted by name, so that the result does not depend on the archive's order.
        members.sort();
        for (member, index) in members {
            let input = archive.by_index(index).map_err(fault);
            self.member(format!("{name}: {member}"), &member, input);
        }
        Ok(())
    }

    fn workbook(&mut self, name: &str, mut packed: impl Read + Seek) -> Result<(), FileError> {
        packed.rewind().map_err(FileError::Unreadable)?;
        let mut bytes = Vec::new();
        self.budget
            .bound(packed)
            .take(WORKBOOK_BYTES_MAX + 1)
            .read_to_end(&mut bytes)
            .map_err(FileError::reading)?;
        if bytes.len() as u64 > WORKBOOK_BYTES_MAX {
            return Err(FileError::WorkbookTooLarge);
        }
        let (header, columns) = find_sheet(&bytes, self.request)?;
        let shape = FileShape::of_workbook(header, columns);
        (self.take)(Opened::Reviews(Input {
            name: name.to_owned(),
            shape,
            all: Box::new(&bytes[..]),
        }))
    }
}

/// The kind of an archive without reviews, if known.
fn other_archive<R: Read + Seek>(archive: &ZipArchive<R>) -> Option<FileError> {
    let known = [
        ("word/document.xml", "a document of Word"),
        ("ppt/presentation.xml", "a presentation of PowerPoint"),
        (
            "content.xml",
            "a document of OpenDocument; save a table as XLSX or CSV",
        ),
        ("META-INF/MANIFEST.MF", "a Java archive"),
        ("AndroidManifest.xml", "an Android app"),
    ];
    let mut known = known.into_iter();
    let (_, what) = known.find(|(name, _)| archive.index_for_name(name).is_some())?;
    Some(FileError::OtherArchive(what))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn budget(bytes: u64) -> Budget {
        let budget = Budget::new(&[]);
        budget.left.set(bytes);
        budget
    }

    #[test]
    fn a_zip_bomb_is_given_up_when_the_budget_is_used_up() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let mut archive = zip::ZipWriter::new(path.reopen().unwrap());
        for name in ["reviews.json", "reviews-2.json"] {
            archive
                .start_file(name, zip::write::SimpleFileOptions::default())
                .unwrap();
            archive.write_all(&vec![b' '; 600 << 10]).unwrap();
        }
        archive.finish().unwrap();
        // Each member fits into the budget, but not both together.
        let (budget, mut faults, mut read) = (budget(1 << 20), Vec::new(), 0);
        let mut take = |opened: Opened<'_>| {
            let Opened::Reviews(mut input) = opened else {
                return Ok(());
            };
            read += 1;
            io::copy(&mut input.all, &mut io::sink())
                .map(drop)
                .map_err(FileError::reading)
        };
        open(
            path.path(),
            &ImportRequest::default(),
            &budget,
            &mut take,
            &mut faults,
        );
        assert_eq!((read, faults.len()), (2, 1));
        assert!(
            matches!(faults[0].fault, FileError::TooLarge),
            "{}",
            faults[0]
        );
    }

    #[test]
    fn an_endless_input_is_given_up_when_the_budget_is_used_up() {
        let (budget, mut faults, mut read) = (budget(1 << 20), Vec::new(), 0);
        let mut take = |opened: Opened<'_>| {
            let Opened::Reviews(mut input) = opened else {
                return Ok(());
            };
            read += io::copy(&mut input.all, &mut io::sink()).map_err(FileError::reading)?;
            Ok(())
        };
        let mut visit = Opener {
            request: &ImportRequest::default(),
            budget: &budget,
            take: &mut take,
            faults: &mut faults,
        };
        let ended = visit.one("-".to_owned(), io::repeat(b'\n'));
        assert!(matches!(ended, Err(FileError::TooLarge)), "{ended:?}");
        assert_eq!(read, 0, "nothing of it counts");
    }
}

#[cfg(test)]
mod folder_tests {
    use super::{listed, location};

    #[test]
    fn the_name_of_a_listing_is_read_and_anything_else_is_none() {
        let named = r#"{"attributes": [{"id": {"attributeType": "PHONE"}, "values": [{"datum": {"phone": "5"}}]},
            {"id": {"attributeType": "LISTING_NAME"}, "values": [{"datum": {"listingName": {"text": " Desert Peak "}}}]}]}"#;
        assert_eq!(
            listed("77", named.as_bytes())
                .map(|its| its.name)
                .as_deref(),
            Some("Desert Peak")
        );
        for other in [
            "{}",
            "[",
            r#"{"attributes": [{"id": {"attributeType": "LISTING_NAME"}, "values": []}]}"#,
        ] {
            assert_eq!(listed("77", other.as_bytes()), None, "{other}");
        }
        let path = "Takeout/Google Business Profile/account-1/location-77/additionalData.json";
        assert_eq!(location(path), Some("77"));
        assert_eq!(location("location-77/reviews.json"), None);
        assert_eq!(location("elsewhere/additionalData.json"), None);
    }
}
