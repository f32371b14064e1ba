//! Opens what the user names: standard input, a file, a zip archive, a folder; each file in it in
//! turn.
//!
//! Apart from the formats, which only ever see a bounded reader.

mod archive;
mod budget;
mod folder;
mod signature;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, Write};
use std::path::Path;

use encoding_rs_io::DecodeReaderBytesBuilder;

pub(super) use budget::Budget;
pub use folder::is_taken_from_folders;
use signature::{is_zip, wide};

use super::file_error::{FailedFile, FileError};
use super::listing::{self, Listing};
use super::shape::Shape;

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
pub(super) fn open(path: &Path, budget: &Budget, take: Take<'_>, faults: &mut Vec<FailedFile>) {
    let stdin = path == Path::new("-");
    let name = if stdin {
        STDIN.to_owned()
    } else {
        path.display().to_string()
    };
    let mut visit = Visit {
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
            .take(listing::BYTES_MAX)
            .read_to_end(&mut json)
            .map_err(FileError::reading)?;
        match listing::read(location, &json) {
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
        let shape = Shape::of(&head);
        (self.take)(Opened::Reviews(Input {
            name,
            shape,
            all: Box::new(Cursor::new(head).chain(BufReader::new(input))),
        }))
    }
}
