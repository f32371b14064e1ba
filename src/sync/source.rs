//! A source: what is fetched, when, with which headers, and how its answer is read. Its row names secrets as `${VARIABLE}`;
//! literal ones are refused, also in a row that a shell wrote.

use clap::{Args as _, Command, FromArgMatches as _};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use super::error::SyncError;
use super::schedule::SourceSchedule;
use super::secret::reference;
use crate::imports::ImportRequest;
use crate::storage::sync::SyncSource;

/// The options of `import` that say how an answer is read; `--withdraw-missing` is a source's own.
const READING_OPTIONS: &str = "format map scale date-format source encoding sheet header-row no-text location skip-duplicates full-names";
/// A parameter or header whose name contains one of these may have a secret as its value.
const SECRET_NAMES: &str = "key token secret password signature auth cookie";
/// Parameters of paging, without separators and in lower case.
const PAGING_NAMES: &str =
    "pagetoken nextpagetoken nexttoken continuationtoken paginationtoken pagingtoken";

/// Whether an option of `import` says how an answer is read.
pub fn reads(option: &str) -> bool {
    READING_OPTIONS.split(' ').any(|name| name == option)
}

/// The source of a row.
#[derive(Debug, Clone)]
pub struct Source {
    /// As it is stored.
    pub row: SyncSource,
    pub schedule: SourceSchedule,
    pub options: SourceOptions,
}

/// The column `options`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceOptions {
    pub headers: Vec<(String, String)>,
    /// `USER:PASSWORD`.
    pub basic: Option<String>,
    /// Whether the answer has only the newest reviews.
    pub partial: bool,
    pub allow_http: bool,
    pub withdraw_missing: bool,
    /// Options of `reviews import`, as `--scale=10`.
    pub import: Vec<String>,
}

impl SourceOptions {
    /// As words of a command line.
    pub fn words(&self) -> Vec<String> {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| format!("--header={name}: {value}"));
        let basic = self.basic.iter().map(|basic| format!("--basic={basic}"));
        let flags = [
            (self.partial, "--partial"),
            (self.allow_http, "--allow-http"),
            (self.withdraw_missing, "--withdraw-missing"),
        ];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
        let flags = flags.map(|(_, flag)| flag.to_owned());
        let own = headers.chain(basic).chain(flags);
        own.chain(self.import.iter().cloned()).collect()
    }
}

impl Source {
    /// Reads a row.
    ///
    /// # Errors
    /// If a value is invalid, or a secret is written in it.
    pub fn read(row: &SyncSource) -> Result<Self, SyncError> {
        let options: SourceOptions = serde_json::from_str(&row.options).map_err(|error| {
            SyncError::failed(format!(
                "the column options cannot be read ({error}); add the source again"
            ))
        })?;
        refuse_literal_secrets(&row.url, &options)?;
        if options.partial && options.withdraw_missing {
            return Err(SyncError::failed(
                "--withdraw-missing needs all reviews of a source, and --partial says that it gives only some",
            ));
        }
        let source = Self {
            schedule: row.schedule.parse().map_err(SyncError::failed)?,
            row: row.clone(),
            options,
        };
        source.import_request()?;
        Ok(source)
    }

    pub fn name(&self) -> &str {
        &self.row.name
    }

    /// Whether it is a file or folder.
    pub fn is_path(&self) -> bool {
        !self.row.url.contains("://") && !self.row.url.starts_with("${")
    }

    /// The request of an import, without files.
    ///
    /// # Errors
    /// If an option is invalid or says more than how to read.
    pub fn import_request(&self) -> Result<ImportRequest, SyncError> {
        let options = &self.options.import;
        let is_reading = |option: &String| {
            let name = option
                .strip_prefix("--")
                .and_then(|option| option.split('=').next());
            name.is_some_and(reads)
        };
        if !options.iter().all(is_reading) {
            return Err(SyncError::failed(
                "the column options has one that does not say how to read an answer",
            ));
        }
        let command = ImportRequest::augment_args(Command::new("import").no_binary_name(true));
        let arguments = options.iter().map(String::as_str).chain(["-"]);
        let matches = command.try_get_matches_from(arguments);
        let request = matches.and_then(|matches| ImportRequest::from_arg_matches(&matches));
        let mut request = request.map_err(|error| SyncError::failed(error.to_string()))?;
        request.files.clear();
        Ok(request)
    }
}

// Secrets belong in the environment: anybody who may read the database would read them.

/// Refuses a value that may be a secret, with the way to write it, and without the value.
fn refuse_literal_secrets(url: &str, options: &SourceOptions) -> Result<(), SyncError> {
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let parameters = query.split(['&', '#']).filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let name = percent_decode_str(name).decode_utf8_lossy();
        may_be_secret(&name).then(|| (format!("the parameter {name}"), value))
    });
    let headers = options
        .headers
        .iter()
        .filter(|(name, _)| may_be_secret(name));
    let headers = headers.map(|(name, value)| (format!("the header {name}"), value.as_str()));
    let authority = address
        .split_once("://")
        .and_then(|(_, rest)| rest.split(['/', '#']).next());
    let credentials = authority
        .and_then(|authority| authority.rsplit_once('@'))
        .map(|(user, _)| user);
    let credentials = [credentials, options.basic.as_deref()]
        .into_iter()
        .flatten();
    let passwords = credentials.filter_map(|credentials| {
        let (_, password) = credentials.split_once(':')?;
        Some(("the password".to_owned(), password))
    });
    let mut values = parameters.chain(headers).chain(passwords);
    let literal = |(_, value): &(String, &str)| !value.is_empty() && reference(value).is_none();
    let Some((place, _)) = values.find(literal) else {
        return Ok(());
    };
    Err(SyncError::failed(format!(
        "{place} may be a secret, which is not stored; write it as ${{VARIABLE}} in single quotes, and set that variable in the \
         environment of the service, for example in /etc/reviews.env"
    )))
}

fn may_be_secret(name: &str) -> bool {
    let low = name.to_ascii_lowercase();
    let plain = low.replace(['-', '_', '.'], "");
    !PAGING_NAMES.split(' ').any(|paging| paging == plain)
        && SECRET_NAMES.split(' ').any(|secret| low.contains(secret))
}
