//! Reads a custom package: a folder in the same format as the built-in ones.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::config::{read_file, read_text};
use crate::insights::analysis::LanguageCode;
use crate::insights::classifier::{NgramModel, WeightsError};

use super::shipped::SharedLanguage;
use super::{Background, Measured, PackageLanguage, Trade, TradeError, TradeErrors, shipped};

/// Maximum size of a package's file in MiB.
pub const FILE_MIB_MAX: u64 = 16;
/// The file that identifies the package; it is read first.
const HEAD: &str = "trade.toml";
const QUALITY: &str = "quality.tsv";
const BACKGROUND: &str = "background.tsv";
const CLASSIFIER: &str = "classifier.weights";
const POLARITY: &str = "polarity.weights";
/// The file with the data of a language.
const LANGUAGE: &str = "language.toml";

/// Errors of reading a package from a folder.
#[derive(Debug, Error)]
pub enum FolderError {
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    /// There is no `trade.toml`.
    #[error("{} has no file trade.toml, which says whose package it is", .0.display())]
    Headless(PathBuf),
    /// The language is not built in, and the folder has no `language.toml`.
    #[error("{} has no file language.toml, which says how that language is read", .0.display())]
    Languageless(PathBuf),
    /// Invalid weights.
    #[error("{}: {error}", path.display())]
    Weights { path: PathBuf, error: WeightsError },
    /// Faults in the content of the files.
    #[error(transparent)]
    Faults(#[from] TradeErrors),
}

/// Reads a package: `trade.toml`, every other `.toml`, and if present `quality.tsv`, `background.tsv` and
/// `classifier.weights`; then its languages, each a folder named by its code.
///
/// # Errors
/// A file that cannot be read, or all errors in the files.
pub fn read_folder(folder: &Path) -> Result<Trade, FolderError> {
    let (mut files, folders) = contents(folder)?;
    if !files.iter().any(|path| path.ends_with(HEAD)) {
        return Err(FolderError::Headless(folder.to_owned()));
    }
    files.sort_by_key(|path| (!path.ends_with(HEAD), path.clone()));
    let texts = texts(&files)?;
    let background = optional(folder, BACKGROUND, read_text)?.map(|text| {
        let name = folder.join(BACKGROUND).display().to_string();
        Background::parse(&name, &text)
    });
    let (mut trade, quality, background) = match (
        Trade::parse_all(&borrowed(&texts)),
        quality(folder)?,
        background.transpose(),
    ) {
        (Ok(trade), Ok(quality), Ok(background)) => (trade, quality, background),
        (trade, quality, background) => {
            let mut faults = trade
                .err()
                .map(|TradeErrors(faults)| faults)
                .unwrap_or_default();
            faults.extend(quality.err().unwrap_or_default());
            faults.extend(background.err().unwrap_or_default());
            return Err(TradeErrors(faults).into());
        }
    };
    (trade.quality, trade.background) = (quality, background);
    trade.classifier = weights(folder, CLASSIFIER)?;
    for (code, folder) in folders {
        let language = read_language(&trade, &code, &folder)?;
        trade.languages.push(language);
    }
    Ok(trade)
}

/// Reads a language of a package: `language.toml` (required if the language is not built in), every other `.toml`, and
/// if present `quality.tsv`, `classifier.weights` and `polarity.weights`.
fn read_language(trade: &Trade, code: &str, folder: &Path) -> Result<Trade, FolderError> {
    let (mut files, _) = contents(folder)?;
    files.retain(|path| !path.ends_with(LANGUAGE));
    files.sort();
    let texts = texts(&files)?;
    let shared = SharedLanguage::find(code);
    let polarity = weights(folder, POLARITY)?;
    let path = folder.join(LANGUAGE);
    let name = path.display().to_string();
    let language = match (optional(folder, LANGUAGE, read_text)?, shared) {
        (Some(text), _) => PackageLanguage::read(&name, &text, polarity)?,
        (None, Some(shared)) => {
            let mut language = shared.language()?;
            language.polarity = polarity.or(language.polarity);
            language
        }
        (None, None) => return Err(FolderError::Languageless(folder.to_owned())),
    };
    if language.words.code.as_str() != code {
        let message = format!("the folder is called `{code}`, and `code` must be the same");
        let fault = TradeError {
            file: name,
            line: 1,
            message,
        };
        return Err(TradeErrors(vec![fault]).into());
    }
    let shared = shared.map_or(&[][..], |shared| shared.files);
    let mut translated = trade.translated(Arc::new(language), &borrowed(&texts), shared)?;
    translated.quality = quality(folder)?.map_err(TradeErrors)?;
    translated.classifier = weights(folder, CLASSIFIER)?;
    Ok(translated)
}

/// The `.toml` files of a folder, and those of its subfolders named by a language code, sorted by name.
fn contents(folder: &Path) -> Result<(Vec<PathBuf>, BTreeMap<String, PathBuf>), FolderError> {
    let fault = |error| FolderError::Read {
        path: folder.to_owned(),
        error,
    };
    let (mut files, mut folders) = (Vec::new(), BTreeMap::new());
    for entry in folder.read_dir().map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if path.extension().is_some_and(|end| end == "toml") {
            files.push(path);
        } else if let Some(name) = name.filter(|name| LanguageCode::find(name).is_some())
            && path.is_dir()
        {
            folders.insert(name.to_owned(), path);
        }
    }
    Ok((files, folders))
}

fn texts(paths: &[PathBuf]) -> Result<Vec<(String, String)>, FolderError> {
    let text = |path: &PathBuf| {
        let text = read_text(path, FILE_MIB_MAX).map_err(|error| FolderError::Read {
            path: path.clone(),
            error,
        })?;
        Ok((path.display().to_string(), text))
    };
    paths.iter().map(text).collect()
}

fn borrowed(texts: &[(String, String)]) -> Vec<(&str, &str)> {
    let texts = texts.iter();
    texts
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect()
}

/// The figures in a folder, if there are any, or the errors in them.
fn quality(folder: &Path) -> Result<Result<Vec<Measured>, Vec<TradeError>>, FolderError> {
    let text = optional(folder, QUALITY, read_text)?;
    Ok(text.filter(|text| !text.is_empty()).map_or_else(
        || Ok(Vec::new()),
        |text| shipped::read_measured(&folder.join(QUALITY).display().to_string(), &text),
    ))
}

/// The weights with that name, if present; an error if they are invalid.
fn weights(folder: &Path, name: &str) -> Result<Option<Cow<'static, [u8]>>, FolderError> {
    let Some(weights) = optional(folder, name, read_file)? else {
        return Ok(None);
    };
    NgramModel::parse(&weights).map_err(|error| FolderError::Weights {
        path: folder.join(name),
        error,
    })?;
    Ok(Some(Cow::Owned(weights)))
}

fn optional<T>(
    folder: &Path,
    name: &str,
    read: impl Fn(&Path, u64) -> io::Result<T>,
) -> Result<Option<T>, FolderError> {
    let path = folder.join(name);
    match read(&path, FILE_MIB_MAX) {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FolderError::Read { path, error }),
    }
}
