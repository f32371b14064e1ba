//! Files that commands write. They never overwrite the database, an input of the same command, or anything but a
//! former output of the same kind.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

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

/// Which existing files a command may overwrite.
pub(super) enum Overwrite {
    /// Files with content of one kind.
    Former {
        /// The kind's name in messages.
        name: &'static str,
        /// Whether a file's content is of that kind.
        is_former: fn(&mut dyn BufRead) -> io::Result<bool>,
    },
    Nothing,
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
    let there = match fs::metadata(path) {
        Ok(there) => Some(there),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be written")),
    };
    // By name before opening anything: a database may not exist yet, and closing a file of an existing one would
    // release this process's locks on it (POSIX).
    if let Some(what) = protected.names(path) {
        bail!("{name} is {what}; name another one");
    }
    if let Some(what) = there.as_ref().and_then(|there| protected.holds(there)) {
        bail!("{name} is {what}; name another one");
    }
    Ok(there)
}

/// Opens the file of the flag, truncated: a new one, or one that may be overwritten. Pipes and devices are used as
/// they are.
///
/// # Errors
/// If the file may not be overwritten or cannot be written; it is then unchanged.
pub(super) fn create(
    flag: &str,
    path: &Path,
    protected: &Protected<'_>,
    overwrite: &Overwrite,
) -> anyhow::Result<(PathBuf, File)> {
    let name = format!("{flag} {}", path.display());
    let unwritable = || format!("{name} cannot be written");
    let there = protect(&name, path, protected)?;
    let file = match there {
        None => {
            ensure!(
                !path.is_symlink(),
                "{name} is a symbolic link to a missing file; name another file"
            );
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(MODE)
                .open(path)
                .with_context(unwritable)?
        }
        Some(there) if there.is_file() => {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .open(path)
                .with_context(unwritable)?;
            match overwrite {
                Overwrite::Nothing => {
                    bail!("{name} already exists; name another file, or overwrite it with --force")
                }
                Overwrite::Former {
                    name: kind,
                    is_former,
                } => {
                    let is_empty = file.metadata().with_context(unwritable)?.len() == 0;
                    let is_former = is_empty
                        || is_former(&mut BufReader::new(&file)).with_context(unwritable)?;
                    ensure!(
                        is_former,
                        "{name} exists and is not a {kind}; name another file, or move this one away"
                    );
                }
            }
            empty(&mut file).with_context(unwritable)?;
            file
        }
        Some(there) if there.is_dir() || there.file_type().is_block_device() => {
            bail!("{name} is a folder or a disk; name a file")
        }
        Some(_) => OpenOptions::new()
            .write(true)
            .open(path)
            .with_context(unwritable)?,
    };
    Ok((path.to_owned(), file))
}

fn empty(file: &mut File) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(MODE))?;
    file.rewind()?;
    file.set_len(0)
}

impl Protected<'_> {
    /// The protected item at this path, even if it does not exist yet.
    fn names(&self, path: &Path) -> Option<String> {
        let place = place(path)?;
        let names: Vec<PathBuf> = storage::files(self.database);
        if let Some(file) = names
            .iter()
            .find(|file| self::place(file).as_ref() == Some(&place))
        {
            return Some(self.called(file));
        }
        let is_taken = place
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(is_taken_from_folders);
        let folders = self
            .inputs
            .iter()
            .filter_map(|input| input.canonicalize().ok())
            .filter(|input| input.is_dir());
        let is_within = is_taken && folders.into_iter().any(|folder| place.starts_with(folder));
        is_within.then(|| "one of the files to import".to_owned())
    }

    /// The protected item that is this file under any name: links share device and inode.
    fn holds(&self, there: &Metadata) -> Option<String> {
        let is_it = |other: &Metadata| (other.dev(), other.ino()) == (there.dev(), there.ino());
        let files = storage::files(self.database);
        if let Some(file) = files
            .iter()
            .find(|file| file.metadata().is_ok_and(|other| is_it(&other)))
        {
            return Some(self.called(file));
        }
        let is_input = |input: &PathBuf| input_metadata(input).is_ok_and(|other| is_it(&other));
        (there.is_file() && self.inputs.iter().any(is_input))
            .then(|| "one of the files to import".to_owned())
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
