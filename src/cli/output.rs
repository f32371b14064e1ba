//! Files that commands write. They never overwrite the database, an input of the same command, or anything but a
//! former output of the same kind.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use tempfile::TempPath;

use crate::imports::is_taken_from_folders;
use crate::storage;

/// Readable only by the owner: rows of reviews may contain unpublished data.
const MODE: u32 = 0o600;

/// Paths that an output must not have, regardless of their content.
pub(super) struct Protected<'a> {
    /// The database, including the files next to it.
    pub database: &'a Path,
    /// Inputs of the command: files, folders, `-`.
    pub inputs: &'a [PathBuf],
}

/// Rejects a path that is the database, one of the files next to it, or an input, under any name; returns the metadata
/// of an existing file.
///
/// # Errors
/// If the path is protected or cannot be read.
pub(super) fn protect(
    name: &str,
    path: &Path,
    protected: &Protected<'_>,
) -> anyhow::Result<Option<Metadata>> {
    ensure!(
        path != Path::new("-"),
        "{name} is no file; name one, or write ./- for a file of that name"
    );
    let there = match fs::metadata(path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be written")),
    };
    if let Some(item) = protected.item(path, there.as_ref()) {
        bail!("{name} is {item}; name another one");
    }
    Ok(there)
}

/// A file that a command writes. Until [`Output::keep`], a regular file has a temporary name beside the final one, so a
/// command that fails leaves what was there before. Pipes and devices are written directly.
pub(super) struct Output {
    name: String,
    file: BufWriter<File>,
    /// `None` for pipes and devices.
    begun: Option<Begun>,
}

struct Begun {
    /// The temporary name, removed on drop.
    path: TempPath,
    /// The final name, without symbolic links if there was a file.
    target: PathBuf,
    is_new: bool,
}

/// Begins the file of the flag. `may_replace` returns an error if the existing file at that path may not be replaced.
///
/// # Errors
/// If the file may not be replaced or cannot be written.
pub(super) fn begin(
    flag: &str,
    path: &Path,
    protected: &Protected<'_>,
    may_replace: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<Output> {
    let name = format!("{flag} {}", path.display());
    let unwritable = || format!("{name} cannot be written");
    let open = |options: &mut OpenOptions, path| {
        let file = options.write(true).open(path).with_context(unwritable);
        file.map(BufWriter::new)
    };
    let there = protect(&name, path, protected)?;
    let is_new = there.is_none();
    let target = match there {
        None => {
            ensure!(
                !path.is_symlink(),
                "{name} is a symbolic link to a missing file; name another file"
            );
            path.to_owned()
        }
        Some(there) if there.is_file() => {
            // A file that may not be written is not replaced, either.
            open(&mut OpenOptions::new(), path)?;
            may_replace(path)?;
            path.canonicalize().with_context(unwritable)?
        }
        Some(there) if there.is_dir() || there.file_type().is_block_device() => {
            bail!("{name} is a folder or a disk; name a file")
        }
        Some(_) => {
            let file = open(&mut OpenOptions::new(), path)?;
            let begun = None;
            return Ok(Output { name, file, begun });
        }
    };
    let path = storage::unused_name(&target)?;
    let file = open(OpenOptions::new().create_new(true).mode(MODE), &path)?;
    let begun = Some(Begun {
        path: TempPath::try_from_path(path)?,
        target,
        is_new,
    });
    Ok(Output { name, file, begun })
}

impl Output {
    /// Completes the file, which then has its final name.
    ///
    /// # Errors
    /// If it cannot be written; a regular file is then as before.
    pub(super) fn keep(self) -> anyhow::Result<()> {
        let Self { name, file, begun } = self;
        let kept = file
            .into_inner()
            .map_err(IntoInnerError::into_error)
            .and_then(|file| {
                let Some(begun) = begun else { return Ok(()) };
                file.sync_all()?;
                if begun.is_new {
                    begun.path.persist_noclobber(begun.target)?;
                } else {
                    begun.path.persist(begun.target)?;
                }
                Ok(())
            });
        kept.with_context(|| format!("{name} cannot be written"))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Protected<'_> {
    /// The protected item at this path, even if it does not exist yet, or under another name: links share device and
    /// inode. Opens nothing, because closing a file of the database would release this process's locks on it (POSIX).
    fn item(&self, path: &Path, there: Option<&Metadata>) -> Option<String> {
        let place = place(path);
        let is_there = |other: io::Result<Metadata>| {
            let other = other.ok().zip(there);
            other.is_some_and(|(one, other)| (one.dev(), one.ino()) == (other.dev(), other.ino()))
        };
        let files = storage::files(self.database);
        let is_at = |file: &&PathBuf| place.is_some() && self::place(file) == place;
        let found = files.iter().find(is_at);
        if let Some(file) = found.or_else(|| files.iter().find(|file| is_there(file.metadata()))) {
            return Some(self.called(file));
        }
        let is_file = there.is_some_and(Metadata::is_file);
        let is_input = is_file
            && self
                .inputs
                .iter()
                .any(|input| is_there(input_metadata(input)));
        let is_within = |place: PathBuf| {
            let name = place.file_name().and_then(|name| name.to_str());
            let mut folders = self
                .inputs
                .iter()
                .filter_map(|input| input.canonicalize().ok())
                .filter(|input| input.is_dir());
            name.is_some_and(is_taken_from_folders)
                && folders.any(|folder| place.starts_with(folder))
        };
        (is_input || place.is_some_and(is_within)).then(|| "one of the files to import".to_owned())
    }

    fn called(&self, file: &Path) -> String {
        let is_itself =
            file == self.database || self.database.canonicalize().is_ok_and(|real| real == file);
        if is_itself {
            "the database".to_owned()
        } else {
            format!("the database's file {}", file.display())
        }
    }
}

/// The canonical folder of a file, and its name.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

fn input_metadata(input: &Path) -> io::Result<Metadata> {
    if input == Path::new("-") {
        return File::from(io::stdin().as_fd().try_clone_to_owned()?).metadata();
    }
    input.metadata()
}
