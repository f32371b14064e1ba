//! `/etc/reviews.env`, which systemd and containers load for the service. Other commands read it too, so that they use
//! the same database. The environment has precedence.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, Error};

use crate::config::read_text;

/// The path that packages use.
const PLACE: &str = "/etc/reviews.env";
const MIB_MAX: u64 = 1;

/// The settings of the file; empty if it does not exist or may not be read.
///
/// # Errors
/// If it cannot be read for another reason.
pub(super) fn read() -> io::Result<BTreeMap<String, String>> {
    match read_text(Path::new(PLACE), MIB_MAX) {
        Ok(text) => Ok(parse(&text)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(BTreeMap::new())
        }
        Err(error) => Err(io::Error::new(error.kind(), format!("{PLACE}: {error}"))),
    }
}

/// Parses `NAME=VALUE` lines with optional quotes, like systemd (systemd.exec(5), `EnvironmentFile=`).
fn parse(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim);
    let settings = lines.filter(|line| !line.starts_with(['#', ';']));
    let setting = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let value = value.trim();
        let quoted = ['"', '\''].into_iter().find_map(|quote| {
            value
                .strip_prefix(quote)
                .and_then(|value| value.strip_suffix(quote))
        });
        let value = quoted.unwrap_or(value);
        (!value.is_empty()).then(|| (name.trim().to_owned(), value.to_owned()))
    };
    settings.filter_map(setting).collect()
}

/// Sets the file's values as defaults; the help hides them, because they may contain a password. Removes empty
/// environment variables: environment files and containers use an empty value for "not set".
#[expect(
    clippy::disallowed_methods,
    reason = "clap reads the variables; this says which of them it reads"
)]
pub(super) fn apply(command: Command, settings: &BTreeMap<String, String>) -> Command {
    command
        .mut_args(|argument| {
            let Some(name) = argument.get_env() else {
                return argument;
            };
            if std::env::var_os(name).is_some_and(|value| value.is_empty()) {
                return argument.env(None::<&'static str>);
            }
            match name.to_str().and_then(|name| settings.get(name)).cloned() {
                Some(value) => argument.default_value(value).hide_default_value(true),
                None => argument,
            }
        })
        .mut_subcommands(|command| apply(command, settings))
}

/// A note that an invalid value is from the environment or the file; `command` is the program.
#[expect(
    clippy::disallowed_methods,
    reason = "clap reads the variables; this says which of them was read"
)]
pub(super) fn note(
    error: &Error,
    settings: &BTreeMap<String, String>,
    mut command: Command,
) -> Option<String> {
    let (Some(ContextValue::String(argument)), Some(ContextValue::String(value))) = (
        error.get(ContextKind::InvalidArg),
        error.get(ContextKind::InvalidValue),
    ) else {
        return None;
    };
    // Only built arguments have the names that errors use.
    command.build();
    let name = variable_of(&command, argument)?;
    if std::env::var(&name).is_ok_and(|its| its == *value) {
        return Some(format!("note: the environment variable {name} sets it"));
    }
    let is_files = settings.get(&name).is_some_and(|its| its == value);
    is_files.then(|| format!("note: {PLACE} sets {name} to it"))
}

/// The variable of an argument, as errors name it.
fn variable_of(command: &Command, argument: &str) -> Option<String> {
    let own = command
        .get_arguments()
        .find(|its| its.get_env().is_some() && its.to_string() == argument);
    let own = own.and_then(|its| Some(its.get_env()?.to_str()?.to_owned()));
    own.or_else(|| {
        let mut subcommands = command.get_subcommands();
        subcommands.find_map(|its| variable_of(its, argument))
    })
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::{apply, note, parse};

    #[test]
    fn settings_are_read_as_systemd_does() {
        let text = "# The service\n; and more\n\nDATABASE_URL=sqlite:///var/lib/reviews.db\r\n  A = b c \nB=\"x = y\"\nC='z'\nD=\nno setting\n";
        let settings: Vec<_> = parse(text).into_iter().collect();
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
        let argument = Arg::new("database")
            .long("database")
            .env("REVIEWS_TEST_OF_THE_FILE")
            .default_value("here");
        let program = Command::new("t").subcommand(Command::new("s").arg(argument));
        let program = apply(program, &parse("REVIEWS_TEST_OF_THE_FILE=there"));
        let database = |words: &[&str]| {
            let matches = program.clone().get_matches_from(words);
            let (_, matches) = matches.subcommand().unwrap();
            matches.get_one::<String>("database").unwrap().clone()
        };
        assert_eq!(database(&["t", "s"]), "there");
        assert_eq!(database(&["t", "s", "--database", "flag"]), "flag");
    }

    #[test]
    fn a_value_that_cannot_be_used_is_said_to_be_the_files() {
        let argument = Arg::new("n")
            .long("n")
            .env("REVIEWS_TEST_OF_A_VALUE")
            .value_parser(clap::value_parser!(u8));
        let other = Arg::new("m")
            .long("m")
            .value_parser(clap::value_parser!(u8));
        let settings = parse("REVIEWS_TEST_OF_A_VALUE=many");
        let program = Command::new("t").subcommand(Command::new("s").arg(argument).arg(other));
        let program = apply(program, &settings);
        let said = |words: &[&str]| {
            let error = program.clone().try_get_matches_from(words).unwrap_err();
            note(&error, &settings, program.clone())
        };
        assert_eq!(
            said(&["t", "s"]).unwrap(),
            "note: /etc/reviews.env sets REVIEWS_TEST_OF_A_VALUE to it"
        );
        assert_eq!(said(&["t", "s", "--n", "x"]), None);
        // Another argument has the same value.
        assert_eq!(said(&["t", "s", "--n", "1", "--m", "many"]), None);
    }
}
