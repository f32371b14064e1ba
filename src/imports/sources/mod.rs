//! Opens what the user names: standard input, a file, a zip archive, a folder; each file in it in
//! turn.
//!
//! Apart from the formats, which only ever see a bounded reader.

mod archive;
pub mod folder;

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::io::{BufRead, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;

use super::file_error::{FailedFile, FileError, TooLarge};
use super::shape::Shape;
use super::table::Wanted;
use folder::Listing;

pub use folder::is_taken_from_folders;

/// How many bytes one import may read, unpacked, over all its files: 1 GiB.
pub const INPUT_BYTES_MAX: u64 = 1 << 30;
/// How many files of reviews a folder or archive may hold.
pub(super) const FILES_MAX: usize = 10_000;

/// How many bytes of a file are looked at to find its format.
const HEAD_BYTES: u64 = 64 << 10;

/// What messages call `-`.
const STDIN: &str = "standard input";

/// A file that was opened: its first bytes, and all of it.
pub(super) struct Input<'a> {
    /// What messages call it.
    pub(super) name: String,
    /// What can be seen of its first 64 KiB.
    pub(super) shape: Shape,
    /// Everything, in UTF-8 without a byte order mark, or a workbook's archive.
    pub(super) all: Box<dyn BufRead + 'a>,
}

/// What is found where the user points to.
pub(super) enum Opened<'a> {
    /// A file of reviews, to judge by its shape.
    Reviews(Input<'a>),
    /// What a location is called.
    Listing(Listing),
}

type Take<'t> = &'t mut dyn FnMut(Opened<'_>) -> Result<(), FileError>;

/// Hands every file that `path` stands for to `take`; notes those that cannot be opened, or that
/// `take` refuses.
pub(super) fn open(
    path: &Path,
    wanted: &Wanted<'_>,
    budget: &Budget,
    take: Take<'_>,
    faults: &mut Vec<FailedFile>,
) {
    let stdin = path == Path::new("-");
    let name = if stdin {
        STDIN.to_owned()
    } else {
        path.display().to_string()
    };
    let mut visit = Visit {
        wanted,
        budget,
        take,
        faults,
    };
    let opened = if stdin {
        visit.stdin()
    } else if path.is_dir() {
        visit.folder(path)
    } else {
        File::open(path)
            .map_err(FileError::Unreadable)
            .and_then(|file| visit.file(&name, file))
    };
    if let Err(fault) = opened {
        visit.faults.push(FailedFile { file: name, fault });
    }
}

struct Visit<'v, 't> {
    wanted: &'v Wanted<'v>,
    budget: &'v Budget,
    take: Take<'t>,
    faults: &'v mut Vec<FailedFile>,
}

impl Visit<'_, '_> {
    fn stdin(&mut self) -> Result<(), FileError> {
        let mut input = BufReader::new(io::stdin().lock());
        if !is_zip(input.fill_buf().map_err(FileError::Unreadable)?) {
            return self.one(STDIN.to_owned(), input);
        }
        // A zip archive is read from its end, which a pipe does not have before it is over; until
        // then it is kept on disk.
        let mut packed = tempfile::tempfile().map_err(FileError::Staging)?;
        let mut input = BufReader::new(self.budget.bound(input));
        loop {
            let part = input.fill_buf().map_err(FileError::reading)?;
            if part.is_empty() {
                break;
            }
            packed.write_all(part).map_err(FileError::Staging)?;
            let used = part.len();
            input.consume(used);
        }
        packed.rewind().map_err(FileError::Staging)?;
        self.archive(STDIN, BufReader::new(packed))
    }

    fn file(&mut self, name: &str, file: File) -> Result<(), FileError> {
        let mut input = BufReader::new(file);
        if is_zip(input.fill_buf().map_err(FileError::Unreadable)?) {
            return self.archive(name, input);
        }
        self.one(name.to_owned(), input)
    }

    /// Hands over what a location is called, where that can be read.
    fn listing(&mut self, location: &str, input: impl Read) -> Result<(), FileError> {
        let mut json = Vec::new();
        self.budget
            .bound(input)
            .take(folder::BYTES_MAX)
            .read_to_end(&mut json)
            .map_err(FileError::reading)?;
        match folder::read(location, &json) {
            Some(listing) => (self.take)(Opened::Listing(listing)),
            None => Ok(()),
        }
    }

    fn note(&mut self, file: String, taken: Result<(), FileError>) {
        if let Err(fault) = taken {
            self.faults.push(FailedFile { file, fault });
        }
    }

    fn one(&mut self, name: String, input: impl Read) -> Result<(), FileError> {
        let mut input = self.budget.bound(input);
        let mut head = Vec::new();
        input
            .by_ref()
            .take(HEAD_BYTES)
            .read_to_end(&mut head)
            .map_err(FileError::reading)?;
        if let Some(wide) = wide(&head)? {
            let all = Cursor::new(head).chain(input);
            let decoded = DecodeReaderBytesBuilder::new()
                .encoding(Some(wide))
                .bom_override(true)
                .build(all);
            return self.text(name, decoded, Vec::new());
        }
        self.text(name, input, head)
    }

    /// A text in UTF-8, or in an encoding of one byte a letter, of which `head` was read already.
    fn text(
        &mut self,
        name: String,
        mut input: impl Read,
        mut head: Vec<u8>,
    ) -> Result<(), FileError> {
        let missing = HEAD_BYTES.saturating_sub(head.len() as u64);
        input
            .by_ref()
            .take(missing)
            .read_to_end(&mut head)
            .map_err(FileError::reading)?;
        if head.starts_with(b"\xEF\xBB\xBF") {
            head.drain(..3);
        }
        let shape = Shape::of(&head, self.wanted);
        (self.take)(Opened::Reviews(Input {
            name,
            shape,
            all: Box::new(Cursor::new(head).chain(BufReader::new(input))),
        }))
    }
}

// How much one import may still read, over all its files. Apart, because every way of opening one
// draws on the same. Rows are judged elsewhere.

/// What is left of [`INPUT_BYTES_MAX`].
pub(in crate::imports) struct Budget(Cell<u64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Cell::new(INPUT_BYTES_MAX))
    }
}

impl Budget {
    #[cfg(test)]
    const fn of(bytes: u64) -> Self {
        Self(Cell::new(bytes))
    }

    /// `inner`, which fails when the budget is used up.
    fn bound<R: Read>(&self, inner: R) -> Bounded<'_, R> {
        Bounded {
            inner,
            budget: self,
        }
    }
}

/// A reader that draws on the import's budget and fails when it is used up.
struct Bounded<'a, R> {
    inner: R,
    budget: &'a Budget,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self
            .budget
            .0
            .get()
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other(TooLarge))?;
        self.budget.0.set(left);
        Ok(read)
    }
}

// What a file is by its first bytes, before anything reads it as text: an archive, a text of two
// bytes a letter, or no text at all.

/// Whether it is a zip archive.
fn is_zip(head: &[u8]) -> bool {
    // A local file, or the end of an empty archive (APPNOTE.TXT §4.3).
    head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
}

/// The encoding of a text of two bytes a letter. Refuses what is no text at all.
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

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
        // Either member fits; both together do not.
        let (budget, mut faults, mut read) = (Budget::of(1 << 20), Vec::new(), 0);
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
            &Wanted::default(),
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
        let (budget, mut faults, mut read) = (Budget::of(1 << 20), Vec::new(), 0);
        let mut take = |opened: Opened<'_>| {
            let Opened::Reviews(mut input) = opened else {
                return Ok(());
            };
            read += io::copy(&mut input.all, &mut io::sink()).map_err(FileError::reading)?;
            Ok(())
        };
        let mut visit = Visit {
            wanted: &Wanted::default(),
            budget: &budget,
            take: &mut take,
            faults: &mut faults,
        };
        let ended = visit.one("-".to_owned(), io::repeat(b'\n'));
        assert!(matches!(ended, Err(FileError::TooLarge)), "{ended:?}");
        assert_eq!(read, 0, "nothing of it counts");
    }
}
