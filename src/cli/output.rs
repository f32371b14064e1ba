//! Files that commands write. They never overwrite the database, and another file only if their command allows it: with `--force`, or as its
//! own former output.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tempfile::TempPath;

use crate::config::Environment;
use crate::storage;

/// Readable only by the owner: rows of reviews may contain unpublished data.
const MODE: u32 = 0o600;

/// Rejects an argument that is the database or one of the files next to it; returns its path and the metadata of an existing file.
///
/// # Errors
/// If the path is protected or cannot be read.
pub(super) fn protect(
    name: &str,
    argument: &Path,
    database: &Path,
    environment: &Environment,
) -> anyhow::Result<(PathBuf, Option<Metadata>)> {
    ensure!(
        argument != Path::new("-"),
        "{name} is no file; name one, or write ./- for a file of that name"
    );
    let path = environment.resolve(argument);
    let there = match fs::metadata(&path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be written")),
    };
    let (place, files) = (find_place(&path), storage::files(database));
    ensure!(
        place.is_none() || files.iter().all(|file| find_place(file) != place),
        "{name} is a file of the database; name another one"
    );
    Ok((path, there))
}

/// A file that a command writes. Until [`Output::keep`], it has a temporary name beside the final one, so a command that
/// fails leaves what was there before.
pub(super) struct Output {
    name: String,
    file: BufWriter<File>,
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
    argument: &Path,
    database: &Path,
    environment: &Environment,
    may_replace: impl FnOnce(&Path) -> anyhow::Result<()>,
) -> anyhow::Result<Output> {
    let name = format!("{flag} {}", argument.display());
    let unwritable = || format!("{name} cannot be written");
    let (path, there) = protect(&name, argument, database, environment)?;
    let is_new = there.is_none();
    let target = match there {
        None => {
            ensure!(
                !path.is_symlink(),
                "{name} is a symbolic link to a missing file; name another file"
            );
            path
        }
        Some(there) => {
            ensure!(there.is_file(), "{name} is no file; name one");
            may_replace(&path)?;
            path.canonicalize().with_context(unwritable)?
        }
    };
    let path = storage::unused_name(&target);
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(MODE).open(&path);
    let file = file.with_context(unwritable)?;
    Ok(Output {
        name,
        file: BufWriter::new(file),
        path: TempPath::try_from_path(path)?,
        target,
        is_new,
    })
}

impl Output {
    /// Completes the file, which then has its final name.
    ///
    /// # Errors
    /// If it cannot be written; a former file is then as before.
    pub(super) fn keep(self) -> anyhow::Result<()> {
        let kept = self.file.into_inner().map_err(IntoInnerError::into_error);
        let kept = kept.and_then(|file| {
            file.sync_all()?;
            if self.is_new {
                self.path.persist_noclobber(self.target)?;
            } else {
                self.path.persist(self.target)?;
            }
            Ok(())
        });
        kept.with_context(|| format!("{} cannot be written", self.name))
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

/// The path without links; that of a missing file in its folder. A hard link is another file: outputs are renamed into place.
fn find_place(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}
