//! Reads files: opens them, detects their format by its content, and keeps their rows in memory.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use encoding_rs::Encoding;
use rustix::fs::{CWD, Mode, OFlags, openat};
use zip::ZipArchive;

use crate::imports::limits::ImportLimits;
use crate::imports::read::detect::{format_of_text, read_file, read_workbook};
use crate::imports::read::text::{decode, describe, describe_damage};
use crate::imports::read::workbook::{WORKBOOK_BYTES_MAX, WORKBOOK_TOO_LARGE};
use crate::imports::report::{FileError, INPUT_BYTES_MAX, ImportError};
use crate::imports::request::ImportRequest;
use crate::storage::columns::KeptColumns;

pub(crate) mod detect;
pub(crate) mod json;
mod linked_data;
pub(crate) mod text;
pub(crate) mod workbook;

pub use crate::imports::read::detect::{InputFile, Rows};

/// The name of `-` in messages.
const STDIN: &str = "standard input";

/// Reads all files of `request`; `kept` has the encodings of earlier files. Returns the files, and what the import may still take.
///
/// # Errors
/// With every file that cannot be read.
pub fn read(
    request: &ImportRequest,
    kept: &KeptColumns,
    limits: ImportLimits<'_>,
) -> Result<(Vec<InputFile>, ImportLimits<'static>), ImportError> {
    let stdin = request.files.iter().filter(|file| *file == Path::new("-"));
    if stdin.count() > 1 {
        return Err(ImportError::Refused(
            "-: standard input can be read only once; give `-` only once".to_owned(),
        ));
    }
    let mut opener = Opener::new(request, kept, limits);
    for file in &request.files {
        opener.open(file);
    }
    ImportError::refuse_files(opener.faults)?;
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
    limits: ImportLimits<'o>,
    files: Vec<InputFile>,
    /// The files that cannot be imported, each with the reason.
    faults: Vec<String>,
}

impl<'o> Opener<'o> {
    const fn new(
        request: &'o ImportRequest,
        kept: &'o KeptColumns,
        limits: ImportLimits<'o>,
    ) -> Self {
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
        let (request, limits) = (self.request, &mut self.limits);
        let mut decoded = decode(bytes, request.encoding, request.country(), limits)?;
        let mut note = None;
        if let (Some(guess), None) = (decoded.encoding, request.encoding) {
            // The letters of one month may suggest another encoding than those of the next.
            let before = *limits;
            let source = request.source_of(format_of_text(&decoded.text, request, limits)?);
            *limits = before;
            let kept = kept_encoding(self.kept, source);
            if let Some(kept) = kept.filter(|kept| *kept != guess)
                && let Ok(again) = decode(bytes, Some(kept), request.country(), limits)
            {
                limits.give(decoded.text.len());
                decoded = again;
            }
            let encoding = decoded.encoding.unwrap_or(guess);
            let kept_of = (kept == Some(encoding)).then_some(source);
            note = Some(describe(encoding, &decoded.text, kept_of));
        }
        let mut file = read_file(&decoded, request, limits)?;
        let text = decoded.encoding.is_none().then_some(&decoded.text);
        let damage = text.and_then(|text| describe_damage(text));
        let notes: Vec<String> = note.or(file.note).into_iter().chain(damage).collect();
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

// Files below a folder that others may write are opened without following links.

const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);

/// Opens the folder itself, which may be a link.
///
/// # Errors
/// The operating system's error.
pub fn open_root(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, path, READ | OFlags::DIRECTORY, Mode::empty())?)
}

/// Opens the file or folder at `path` below `root`, one name after the other. Opening a pipe does not wait.
///
/// # Errors
/// The operating system's error; [`io::ErrorKind::PermissionDenied`] if the path leads out of the folder, or a name of it is a
/// link.
pub fn open_below(root: impl AsFd, path: &Path) -> io::Result<File> {
    let mut opened = openat(&root, ".", READ | OFlags::DIRECTORY, Mode::empty())?;
    for component in path.components() {
        let name = match component {
            Component::CurDir => continue,
            Component::Normal(name) => name,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                let message = "it leads out of that folder";
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
            }
        };
        let flags = READ | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        opened = openat(&opened, name, flags, Mode::empty()).map_err(|error| match error {
            rustix::io::Errno::LOOP => {
                io::Error::new(io::ErrorKind::PermissionDenied, "it is a link")
            }
            error => error.into(),
        })?;
    }
    Ok(opened.into())
}

// Archives and folders: the review files of a Takeout, in a zip archive or unpacked, and workbooks. Archives are unpacked while they are
// read, never to disk, so a member's path is never used as a file name.

/// Maximum number of review files in a folder or archive: the import would not end in reasonable time.
const FILES_MAX: usize = 10_000;
/// Maximum size of an archive's directory in bytes, which the parser keeps in memory, and what that takes for each of them.
const DIRECTORY_BYTES_MAX: usize = 16 << 20;
const KEPT_OF_DIRECTORY: usize = 8;
/// Maximum depth to which a Takeout is searched.
const FOLDERS_DEEP_MAX: usize = 12;

impl Opener<'_> {
    /// Opens every file of reviews in the folder at `path`, sorted by name.
    pub fn folder(&mut self, path: &Path) -> Result<(), FileError> {
        let mut files = Vec::new();
        walk(path, FOLDERS_DEEP_MAX, &mut files)?;
        for (name, file) in takeout_files(files)? {
            let input = File::open(&file).map_err(FileError::unreadable);
            self.member(&name, input);
        }
        Ok(())
    }

    /// Opens the members of a zip archive.
    pub fn archive(&mut self, name: &str, mut packed: impl Read + Seek) -> Result<(), FileError> {
        let fault = |error: zip::result::ZipError| {
            FileError::new(format!(
                "the zip archive cannot be read ({error}); unpack it and give the folder"
            ))
        };
        let mut directory = Directory {
            archive: &mut packed,
            bytes_left: DIRECTORY_BYTES_MAX,
        };
        ZipArchive::new(&mut directory).map_err(fault)?;
        let kept = KEPT_OF_DIRECTORY * (DIRECTORY_BYTES_MAX - directory.bytes_left);
        self.limits.take(kept)?;
        let mut archive = ZipArchive::new(packed).map_err(fault)?;
        if archive.index_for_name("xl/workbook.xml").is_some() {
            self.limits.give(kept);
            return self.workbook(name, archive.into_inner());
        }
        let members = (0..archive.len()).filter_map(|index| {
            let name = archive.name_for_index(index)?.ok()?;
            Some((name.into_owned(), index))
        });
        let members: Vec<_> = members.collect();
        if archive.index_for_name("content.xml").is_some() {
            let content = "is a document of OpenDocument; save its table as XLSX or CSV";
            return Err(FileError::new(content));
        }
        let mut members = takeout_files(members)?;
        // Members are sorted by name, so that the result does not depend on the archive's order.
        members.sort();
        for (member, index) in members {
            let input = archive.by_index(index).map_err(fault);
            self.member(&format!("{name}: {member}"), input);
        }
        self.limits.give(kept);
        Ok(())
    }

    fn workbook(&mut self, name: &str, mut packed: impl Read + Seek) -> Result<(), FileError> {
        packed.rewind().map_err(FileError::unreadable)?;
        let bytes = self.bytes(packed.take(WORKBOOK_BYTES_MAX + 1))?;
        if bytes.len() as u64 > WORKBOOK_BYTES_MAX {
            return Err(FileError::new(WORKBOOK_TOO_LARGE));
        }
        let mut file = read_workbook(&bytes, self.request, &mut self.limits)?;
        self.limits.give(bytes.len());
        name.clone_into(&mut file.name);
        self.files.push(file);
        Ok(())
    }

    /// Opens a file of a folder or archive; records its error.
    fn member(&mut self, file: &str, input: Result<impl Read, FileError>) {
        let before = self.limits;
        let read = input.and_then(|input| self.one(file.to_owned(), input));
        if let Err(fault) = read {
            self.limits = before;
            self.faults.push(format!("{file}: {fault}"));
        }
    }
}

/// An archive of which only the directory is read, and not too much.
struct Directory<R> {
    archive: R,
    bytes_left: usize,
}

impl<R: Read> Read for Directory<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.archive.read(bytes)?;
        let left = self.bytes_left.checked_sub(count);
        self.bytes_left = left.ok_or_else(|| io::Error::other("it names too many files"))?;
        Ok(count)
    }
}

impl<R: Seek> Seek for Directory<R> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.archive.seek(place)
    }
}

/// The files of a Takeout among these: reviews.json with its further pages (`reviews-<token>.json`, `reviews_001.json`).
fn takeout_files<T>(mut files: Vec<(String, T)>) -> Result<Vec<(String, T)>, FileError> {
    let is_review = |path: &str| {
        let name = path.rsplit(['/', '\\']).next();
        name.is_some_and(is_taken_from_folders)
    };
    let reviews = files.iter().filter(|(path, _)| is_review(path)).count();
    if reviews > FILES_MAX {
        return Err(FileError::new(format!(
            "holds more than {FILES_MAX} files of reviews; give the folders in it one by one"
        )));
    }
    if reviews == 0 {
        return Err(FileError::new(
            "holds no reviews*.json; export `Google Business Profile` with https://takeout.google.com, or name the file of another \
             export itself, unpacked",
        ));
    }
    files.retain(|(path, _)| is_review(path));
    Ok(files)
}

/// Whether a file of that name is read from a folder or archive.
pub fn is_taken_from_folders(name: &str) -> bool {
    name.strip_suffix(".json")
        .is_some_and(|stem| stem.starts_with("reviews"))
}

/// Adds every file below `path`, sorted by name. Links are not followed.
fn walk(path: &Path, deep: usize, files: &mut Vec<(String, PathBuf)>) -> Result<(), FileError> {
    let mut entries = fs::read_dir(path)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(FileError::unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(FileError::unreadable)?;
        let path = entry.path();
        if kind.is_file() {
            files.push((path.display().to_string(), path));
        } else if kind.is_dir() && deep > 0 {
            walk(&path, deep - 1, files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::limits::ImportLimits;
    use crate::imports::request::ImportRequest;
    use crate::storage::columns::KeptColumns;
    use std::io::{Cursor, Write};

    const TOO_LARGE: &str = "the files of one import may have at most 256 MiB in total, unpacked; split it into several imports";

    /// What `work` does with at most 1 MiB: the errors of files, and the number of files.
    fn opened(work: impl FnOnce(&mut Opener<'_>)) -> (Vec<String>, usize) {
        let (request, kept) = (ImportRequest::default(), KeptColumns::default());
        let mut opener = Opener::new(&request, &kept, ImportLimits::new(None));
        opener.bytes_left = 1 << 20;
        work(&mut opener);
        (opener.faults, opener.files.len())
    }

    #[test]
    fn a_zip_bomb_is_refused_above_the_byte_budget() {
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
        let (faults, files) = opened(|opener| opener.open(path.path()));
        assert_eq!((files, faults.len()), (1, 1));
        assert!(faults[0].ends_with(TOO_LARGE), "{}", faults[0]);
    }

    #[test]
    fn an_archive_on_standard_input_counts_once() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let stored = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        archive.start_file("reviews.json", stored).unwrap();
        archive.write_all(&vec![b' '; 600 << 10]).unwrap();
        let packed = archive.finish().unwrap().into_inner();
        let (faults, files) = opened(|opener| opener.stdin(&packed[..]).unwrap());
        assert_eq!((files, faults), (1, Vec::new()));
        // What is not unpacked is bounded, too.
        let endless = Cursor::new(packed).chain(io::repeat(b' '));
        let mut ended = Ok(());
        opened(|opener| ended = opener.stdin(endless));
        assert_eq!(ended.unwrap_err().to_string(), TOO_LARGE);
    }

    #[test]
    fn an_endless_input_is_refused_above_the_byte_budget() {
        let mut ended = Ok(());
        let (_, files) = opened(|opener| ended = opener.one("-".to_owned(), io::repeat(b'\n')));
        assert_eq!(ended.unwrap_err().to_string(), TOO_LARGE);
        assert_eq!(files, 0, "nothing of it counts");
    }
}
