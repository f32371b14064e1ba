//! What commands take from the process that runs them, or from a test in its place: variables, the folder of relative paths, and the
//! file of settings, in which variables may be set, too.
#![expect(clippy::disallowed_methods, reason = "other modules read no variable")]

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use clap::Command;
use clap::error::{ContextKind, ContextValue};

use super::files::read_text;

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

/// A value without the blanks and control characters around it: editors and scripts leave a line end there.
fn trim_value(value: &str) -> &str {
    value.trim_matches(|c: char| c.is_whitespace() || c.is_control())
}

// The file of settings that systemd and containers load for the service. Other commands read it too, so that they use
// the same database. The environment has precedence.

/// The path that packages use.
const SETTINGS_FILE: &str = "/etc/reviews.env";

/// The settings of the file by the names of their variables.
pub(crate) struct SettingsFile(BTreeMap<String, String>);

impl SettingsFile {
    /// Empty if the file does not exist or may not be read.
    ///
    /// # Errors
    /// If it cannot be read for another reason.
    pub(crate) fn read() -> io::Result<Self> {
        match read_text(Path::new(SETTINGS_FILE)) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                ) =>
            {
                Ok(Self::parse(""))
            }
            Err(error) => {
                let message = format!("{SETTINGS_FILE}: {error}");
                Err(io::Error::new(error.kind(), message))
            }
        }
    }

    /// Parses `NAME=VALUE` lines with optional quotes, like systemd (systemd.exec(5), `EnvironmentFile=`).
    fn parse(text: &str) -> Self {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.starts_with(['#', ';']));
        let settings = lines.filter_map(|line| {
            let (name, value) = line.split_once('=')?;
            let value = trim_value(value);
            let quoted = ['"', '\''].into_iter().find_map(|quote| {
                value
                    .strip_prefix(quote)
                    .and_then(|value| value.strip_suffix(quote))
            });
            let value = trim_value(quoted.unwrap_or(value));
            (!value.is_empty()).then(|| (name.trim().to_owned(), value.to_owned()))
        });
        Self(settings.collect())
    }

    /// Sets the file's values as defaults; the help hides them, because they may contain a password. So it does with the trimmed
    /// values of environment variables. Empty ones are removed: environment files and containers use an empty value for "not set".
    pub(crate) fn apply(&self, command: Command, environment: &Environment) -> Command {
        command
            .mut_args(|argument| {
                let Some(name) = argument.get_env() else {
                    return argument;
                };
                // What clap reads by itself.
                let own = std::env::var_os(name);
                let set = environment.variable(name);
                let trimmed = set.and_then(OsStr::to_str).map(trim_value);
                let trimmed = trimmed.filter(|value| !value.is_empty());
                if trimmed.is_some() && trimmed.map(OsStr::new) == set && own.as_deref() == set {
                    return argument;
                }
                let files = || name.to_str().and_then(|name| self.0.get(name)).cloned();
                let value = trimmed.map(str::to_owned).or_else(files);
                let argument = match set.or(own.as_deref()) {
                    Some(_) => argument.env(None::<&'static str>),
                    None => argument,
                };
                match value {
                    Some(value) => argument.default_value(value).hide_default_value(true),
                    None => argument,
                }
            })
            .mut_subcommands(|command| self.apply(command, environment))
    }
}

/// Names the variable of an invalid argument; `command` is the program.
pub(crate) fn note_variable(error: &clap::Error, mut command: Command) -> Option<String> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    // Only built arguments have the names that errors use.
    command.build();
    let name = variable_of(&command, argument)?;
    Some(format!(
        "note: this is the setting {name}, which the environment or {SETTINGS_FILE} may set"
    ))
}

/// The variable of an argument, as errors name it.
fn variable_of(command: &Command, argument: &str) -> Option<String> {
    let own = command
        .get_arguments()
        .find(|own| own.get_env().is_some() && own.to_string() == argument);
    let own = own.and_then(|own| Some(own.get_env()?.to_str()?.to_owned()));
    own.or_else(|| {
        let mut subcommands = command.get_subcommands();
        subcommands.find_map(|command| variable_of(command, argument))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_file_has_the_syntax_of_systemd() {
        let text = "# The service\n; and more\n\nDATABASE_URL=sqlite:///var/lib/reviews.db\r\n  A = b c \nB=\"x = y\"\nC='z'\nD=\nno setting\n";
        let settings: Vec<_> = SettingsFile::parse(text).0.into_iter().collect();
        let expected = [
            ("A", "b c"),
            ("B", "x = y"),
            ("C", "z"),
            ("DATABASE_URL", "sqlite:///var/lib/reviews.db"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(settings, expected);
    }

    #[test]
    fn a_setting_of_the_file_is_a_default_that_a_flag_replaces() {
        let argument = clap::Arg::new("database")
            .long("database")
            .env("REVIEWS_TEST_OF_THE_FILE")
            .default_value("here");
        let program = Command::new("t").subcommand(Command::new("s").arg(argument));
        let program = SettingsFile::parse("REVIEWS_TEST_OF_THE_FILE=there")
            .apply(program, &Environment::default());
        let database = |words: &[&str]| {
            let matches = program.clone().get_matches_from(words);
            let (_, matches) = matches.subcommand().unwrap();
            matches.get_one::<String>("database").unwrap().clone()
        };
        assert_eq!(database(&["t", "s"]), "there");
        assert_eq!(database(&["t", "s", "--database", "flag"]), "flag");
    }

    #[test]
    fn an_invalid_value_is_named_with_the_variable() {
        let argument = clap::Arg::new("n")
            .long("n")
            .env("REVIEWS_TEST_OF_A_VALUE")
            .value_parser(clap::value_parser!(u8));
        let other = clap::Arg::new("m")
            .long("m")
            .value_parser(clap::value_parser!(u8));
        let settings = SettingsFile::parse("REVIEWS_TEST_OF_A_VALUE=many");
        let program = Command::new("t").subcommand(Command::new("s").arg(argument).arg(other));
        let program = settings.apply(program, &Environment::default());
        let message = |words: &[&str]| {
            let error = program.clone().try_get_matches_from(words).unwrap_err();
            note_variable(&error, program.clone())
        };
        let note = message(&["t", "s"]).unwrap();
        assert!(note.contains("REVIEWS_TEST_OF_A_VALUE"), "{note}");
        assert_eq!(message(&["t", "s", "--n", "1", "--m", "many"]), None);
    }
}
