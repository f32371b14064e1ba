//! A package that a firm brings: a folder in the form of those that the program brings.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::config::bounded_read::{read, read_text};
use crate::insights::classifier::{NgramModel, WeightsError};

use super::{Background, Trade, TradeErrors, shipped};

/// How many MiB a file of a package may have.
pub const FILE_MIB_MAX: u64 = 16;
/// The file that says whose package it is; it is read first.
const HEAD: &str = "trade.toml";
const QUALITY: &str = "quality.tsv";
const BACKGROUND: &str = "background.tsv";
const CLASSIFIER: &str = "classifier.weights";

/// Why a folder is no package.
#[derive(Debug, Error)]
pub enum FolderError {
    /// Something cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// What cannot be read.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// There is no `trade.toml`.
    #[error("{} has no file trade.toml, which says whose package it is", .0.display())]
    Headless(PathBuf),
    /// The weights are none.
    #[error("{}: {error}", path.display())]
    Weights {
        /// Their file.
        path: PathBuf,
        /// What is wrong with them.
        error: WeightsError,
    },
    /// What the files say is not as it should be.
    #[error(transparent)]
    Faults(#[from] TradeErrors),
}

/// Reads a package: `trade.toml`, every other `.toml`, and where they are there `quality.tsv`,
/// `background.tsv` and `classifier.weights`.
///
/// # Errors
/// What cannot be read, or all that is wrong in the files.
pub fn read_folder(folder: &Path) -> Result<Trade, FolderError> {
    let mut paths = Vec::new();
    let fault = |error| FolderError::Read {
        path: folder.to_owned(),
        error,
    };
    for entry in folder.read_dir().map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.extension().is_some_and(|end| end == "toml") {
            paths.push(path);
        }
    }
    if !paths.iter().any(|path| path.ends_with(HEAD)) {
        return Err(FolderError::Headless(folder.to_owned()));
    }
    paths.sort_by_key(|path| (!path.ends_with(HEAD), path.clone()));
    let mut texts = Vec::with_capacity(paths.len());
    for path in &paths {
        let text = read_text(path, FILE_MIB_MAX).map_err(|error| FolderError::Read {
            path: path.clone(),
            error,
        })?;
        texts.push((path.display().to_string(), text));
    }
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let quality = optional(folder, QUALITY, read_text)?;
    let quality = quality.filter(|text| !text.is_empty()).map_or_else(
        || Ok(Vec::new()),
        |text| shipped::read_measured(&folder.join(QUALITY).display().to_string(), &text),
    );
    let background = optional(folder, BACKGROUND, read_text)?.map(|text| {
        let name = folder.join(BACKGROUND).display().to_string();
        Background::parse(&name, &text)
    });
    let (mut trade, quality, background) =
        match (Trade::parse_all(&files), quality, background.transpose()) {
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
    if let Some(weights) = optional(folder, CLASSIFIER, read)? {
        NgramModel::parse(&weights).map_err(|error| FolderError::Weights {
            path: folder.join(CLASSIFIER),
            error,
        })?;
        trade.classifier = Some(Cow::Owned(weights));
    }
    Ok(trade)
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
