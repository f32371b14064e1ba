//! Opens files below a folder that others may write, without following links.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, openat};

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
