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

/// Whether the content is a former file of rejected rows, which may be overwritten.
pub(super) type IsFormer = fn(&mut dyn BufRead) -> io::Result<bool>;

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
    if let Some(what) = protected.item(path, there.as_ref()) {
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
    is_former: Option<IsFormer>,
) -> anyhow::Result<File> {
    let name = format!("{flag} {}", path.display());
    let unwritable = || format!("{name} cannot be written");
    let there = protect(&name, path, protected)?;
    match there {
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
                .with_context(unwritable)
        }
        Some(there) if there.is_file() => {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .open(path)
                .with_context(unwritable)?;
            let Some(is_former) = is_former else {
                bail!("{name} already exists; name another file, or overwrite it with --force")
            };
            let is_empty = file.metadata().with_context(unwritable)?.len() == 0;
            ensure!(
                is_empty || is_former(&mut BufReader::new(&file)).with_context(unwritable)?,
                "{name} exists and is not a file of rejected rows; name another file, or move this one away"
            );
            empty(&mut file).with_context(unwritable)?;
            Ok(file)
        }
        Some(there) if there.is_dir() || there.file_type().is_block_device() => {
            bail!("{name} is a folder or a disk; name a file")
        }
        Some(_) => OpenOptions::new()
            .write(true)
            .open(path)
            .with_context(unwritable),
    }
}

fn empty(file: &mut File) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(MODE))?;
    file.rewind()?;
    file.set_len(0)
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
            let folders = self
                .inputs
                .iter()
                .filter_map(|input| input.canonicalize().ok());
            let mut folders = folders.filter(|input| input.is_dir());
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
