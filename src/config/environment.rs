//! What commands take from the process that runs them, or from a test in its place: variables and the folder of relative paths.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{SettingsFile, trim_value};

/// The variables and the folder of a process.
#[derive(Clone, Default)]
pub struct Environment {
    variables: Arc<HashMap<OsString, OsString>>,
    /// Empty for the process's own, so that relative paths stay as they were given.
    folder: PathBuf,
}

impl fmt::Debug for Environment {
    /// Without the variables, some of which are secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Self {
        Self {
            variables: Arc::new(std::env::vars_os().collect()),
            folder: PathBuf::new(),
        }
    }

    /// Only these variables, and another folder than the process's.
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        folder: impl Into<PathBuf>,
    ) -> Self {
        Self {
            variables: Arc::new(variables.into_iter().collect()),
            folder: folder.into(),
        }
    }

    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The value of a variable, if it is set.
    pub fn variable(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.variables.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// The value of a variable, else that in the file of settings, without blanks around it; `None` if it is empty.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn setting(&self, name: &str) -> io::Result<Option<String>> {
        let value = self.variable(name).and_then(OsStr::to_str);
        match value.map(trim_value) {
            Some(value) if !value.is_empty() => Ok(Some(value.to_owned())),
            Some(_) | None => Ok(SettingsFile::read()?.0.remove(name)),
        }
    }

    /// Where a path of the command line leads to.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}
