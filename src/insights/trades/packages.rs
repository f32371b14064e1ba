//! The packages: the built-in ones and the choice among them for a business, custom ones in a folder of the same format,
//! and their measured quality.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use thiserror::Error;

use super::parse::{Parts, is_among, parse, parse_language, types_of};
use super::trade::{FileText, Measured, Trade, TradeError, TradeErrors};
use crate::config::read_file;
use crate::insights::analysis::LanguageCode;
use crate::insights::classifier::{self, NgramModel, WeightsError};

/// The package for homes and their installations.
pub const HOME_SERVICES: &str = "home_services";
/// The package for any other business.
pub const GENERAL: &str = "general";
/// The ids of all packages, the general one last.
pub const IDS: [&str; 3] = [HOME_SERVICES, "food", GENERAL];
/// The folder of the files that every trade uses, unless it contains `shared = false`.
pub const SHARED: &str = "shared";

/// Includes files of folders beside this file, each with its path.
macro_rules! files {
    ($($folder:literal: $($name:literal)+;)+) => {
        &[$($((concat!($folder, "/", $name), include_bytes!(concat!($folder, "/", $name)) as &[u8]),)+)+]
    };
}

/// The files of the built-in packages.
const FILES: &[(&str, &[u8])] = files! {
    "shared": "words.toml" "opinions.toml" "punctuality.toml" "communication.toml" "professionalism.toml" "honesty.toml"
        "price.toml" "cleanliness.toml" "overall.toml" "complaints.toml";
    "shared/es": "language.toml" "words.toml" "opinions.toml" "punctuality.toml" "communication.toml" "professionalism.toml"
        "honesty.toml" "price.toml" "cleanliness.toml" "overall.toml" "polarity.weights";
    "home_services": "trade.toml" "words.toml" "punctuality.toml" "scheduling.toml" "response_time.toml"
        "communication.toml" "professionalism.toml" "workmanship.toml" "price.toml" "honesty.toml" "cleanliness.toml"
        "warranty.toml" "overall.toml" "complaints.toml" "quality.tsv" "classifier.weights";
    "home_services/es": "words.toml" "punctuality.toml" "scheduling.toml" "response_time.toml" "communication.toml"
        "professionalism.toml" "workmanship.toml" "price.toml" "honesty.toml" "cleanliness.toml" "warranty.toml"
        "overall.toml" "quality.tsv";
    "food": "trade.toml" "words.toml" "food.toml" "waiting.toml" "professionalism.toml" "communication.toml"
        "order_accuracy.toml" "price.toml" "cleanliness.toml" "atmosphere.toml" "honesty.toml" "overall.toml" "quality.tsv"
        "classifier.weights";
    "general": "trade.toml" "aspects.toml" "quality.tsv" "classifier.weights";
    "general/es": "words.toml" "quality.tsv";
};

/// Maximum size of a package's file in MiB.
const FILE_MIB_MAX: u64 = 16;
/// The file that identifies the package; it is read first.
const HEAD: &str = "trade.toml";
const QUALITY: &str = "quality.tsv";
const CLASSIFIER: &str = "classifier.weights";
const POLARITY: &str = "polarity.weights";
/// The file with the data of a language.
const LANGUAGE: &str = "language.toml";
/// The files that are not phrases.
const OTHERS: [&str; 4] = [QUALITY, CLASSIFIER, POLARITY, LANGUAGE];

/// Errors of reading a package.
#[derive(Debug, Error)]
pub enum PackageError {
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    /// There is no `trade.toml`.
    #[error("{0} has no file trade.toml, which says whose package it is")]
    Headless(String),
    /// The language is not built in, and the folder has no `language.toml`.
    #[error("{0} has no file language.toml, which says how that language is read")]
    Languageless(String),
    /// Invalid weights.
    #[error("{name}: {error}")]
    Weights { name: String, error: WeightsError },
    /// Faults in the content of the files.
    #[error(transparent)]
    Faults(#[from] TradeErrors),
}

/// The files of a package, and of its languages in folders that are named by their codes.
#[derive(Default)]
pub struct Package {
    /// As in errors.
    path: PathBuf,
    /// By their paths within the package: `words.toml`, `es/words.toml`.
    files: BTreeMap<String, Cow<'static, [u8]>>,
}

impl Package {
    pub fn shipped(id: &str) -> Self {
        let files = FILES.iter().filter_map(|(path, bytes)| {
            let name = path.strip_prefix(id)?.strip_prefix('/')?;
            Some((name.to_owned(), Cow::Borrowed(*bytes)))
        });
        Self {
            path: id.into(),
            files: files.collect(),
        }
    }

    /// Reads the files in a folder of the package: in its own, which is empty, or in that of a language, `es/`.
    fn read(&mut self, folder: &str) -> Result<(), PackageError> {
        let path = self.path.join(folder);
        for entry in path.read_dir().map_err(read_error(&path))? {
            let path = entry.map_err(read_error(&path))?.path();
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            if folder.is_empty() && LanguageCode::find(name).is_some() && path.is_dir() {
                self.read(&format!("{name}/"))?;
            } else if OTHERS.contains(&name) || path.extension() == Some("toml".as_ref()) {
                self.add(&path, format!("{folder}{name}"))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, name: String) -> Result<(), PackageError> {
        let bytes = read_file(path, FILE_MIB_MAX).map_err(read_error(path))?;
        if !name.ends_with(".weights") && std::str::from_utf8(&bytes).is_err() {
            let error = io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
            return Err(read_error(path)(error));
        }
        self.files.insert(name, Cow::Owned(bytes));
        Ok(())
    }

    /// The name of a file in errors, and its text.
    fn text(&self, folder: &str, file: &str) -> Option<FileText<'_>> {
        let name = format!("{folder}{file}");
        // Every text was read as UTF-8.
        let text = std::str::from_utf8(self.files.get(&name)?).ok()?;
        Some((self.name(&name), text))
    }

    fn name(&self, file: &str) -> String {
        self.path.join(file).display().to_string()
    }

    /// The files with phrases in a folder; `trade.toml` comes first.
    pub fn phrases(&self, folder: &str) -> Vec<FileText<'_>> {
        let names = self.files.keys();
        let mut names: Vec<&str> = names
            .filter_map(|name| name.strip_prefix(folder))
            .filter(|name| !name.contains('/') && !OTHERS.contains(name))
            .collect();
        names.sort_by_key(|name| *name != HEAD);
        let texts = names.into_iter().filter_map(|name| self.text(folder, name));
        texts.collect()
    }

    /// Checks the weights in a file, if present.
    fn weights(
        &self,
        file: &str,
        parse: fn(&[u8]) -> Result<NgramModel, WeightsError>,
    ) -> Result<NgramModel, PackageError> {
        let weights = self.files.get(file);
        let model = weights.map_or_else(|| Ok(NgramModel::default()), |weights| parse(weights));
        model.map_err(|error| PackageError::Weights {
            name: self.name(file),
            error,
        })
    }

    /// Adds the figures and the weights in a folder to the trade that the phrases describe. Weights of aspects that the
    /// package does not have are an error.
    fn complete(
        &self,
        folder: &str,
        trade: Result<Trade, TradeErrors>,
        parts: Parts,
        faults: &mut Vec<TradeError>,
    ) -> Result<Trade, PackageError> {
        let mut trade = trade.unwrap_or_else(|TradeErrors(found)| {
            faults.extend(found);
            Trade::default()
        });
        if let Some((name, text)) = self
            .text(folder, QUALITY)
            .filter(|(_, text)| !text.is_empty())
        {
            trade.quality = read_measured(&name, text, faults);
        }
        let [classifier, polarity] = [CLASSIFIER, POLARITY].map(|file| format!("{folder}{file}"));
        trade.classifier = self.files.get(&classifier).cloned();
        trade.polarity = self.files.get(&polarity).cloned();
        if parts == Parts::Head {
            return Ok(trade);
        }
        self.weights(&polarity, NgramModel::parse_polarity)?;
        let heads = self.weights(&classifier, NgramModel::parse)?.heads;
        let ids = heads.iter().filter_map(|head| head.split(':').next());
        let foreign: BTreeSet<&str> = ids.filter(|id| trade.aspect(id).is_none()).collect();
        faults.extend(foreign.into_iter().map(|id| {
            let message =
                format!("knows `{id}`, which is not an aspect here; train it for this trade");
            TradeError::new(&self.name(&classifier), 1, message)
        }));
        Ok(trade)
    }

    /// The trade with all its languages.
    fn trade(&self, parts: Parts) -> Result<Trade, PackageError> {
        let mut faults = Vec::new();
        let mut trade = self.english(parts, &mut faults)?;
        // A language is read with the aspects of the package.
        if !trade.aspects.is_empty() {
            let folders = self.files.keys().filter_map(|name| name.split_once('/'));
            for code in folders.map(|(code, _)| code).collect::<BTreeSet<_>>() {
                let language = self.language(&trade, code, parts, &mut faults)?;
                trade.languages.push(language);
            }
        }
        if faults.is_empty() {
            Ok(trade)
        } else {
            Err(TradeErrors(faults).into())
        }
    }

    /// The trade in English. Adds the errors in its files to `faults`.
    fn english(&self, parts: Parts, faults: &mut Vec<TradeError>) -> Result<Trade, PackageError> {
        let trade = parse(&self.phrases(""), &Self::shipped(SHARED).phrases(""), parts);
        Ok(Trade {
            polarity: Some(Cow::Borrowed(classifier::POLARITY)),
            ..self.complete("", trade, parts, faults)?
        })
    }

    /// The trade in another language: the language's data (required if it is not built in), and its phrases and weights.
    fn language(
        &self,
        trade: &Trade,
        code: &str,
        parts: Parts,
        faults: &mut Vec<TradeError>,
    ) -> Result<Trade, PackageError> {
        let (folder, shared) = (format!("{code}/"), Self::shipped(SHARED));
        let description = self.text(&folder, LANGUAGE);
        let description = description
            .or_else(|| shared.text(&folder, LANGUAGE))
            .ok_or_else(|| PackageError::Languageless(self.name(code)))?;
        let (own, others) = (self.phrases(&folder), shared.phrases(&folder));
        let read = parse_language(trade, code, &description, &own, &others, parts);
        let mut read = self.complete(&folder, read, parts, faults)?;
        let polarity = shared.files.get(&format!("{folder}{POLARITY}"));
        read.polarity = read.polarity.or_else(|| polarity.cloned());
        Ok(read)
    }
}

fn read_error(path: &Path) -> impl Fn(io::Error) -> PackageError {
    move |error| PackageError::Read {
        path: path.to_owned(),
        error,
    }
}

/// The built-in package with that id (one of [`IDS`]); for any other id, the general package. The published figures
/// were measured for [`HOME_SERVICES`].
///
/// # Errors
/// An error in one of its files; a test verifies that there is none.
pub fn shipped(id: &str) -> Result<Trade, PackageError> {
    let id = IDS.iter().find(|one| **one == id).unwrap_or(&GENERAL);
    Package::shipped(id).trade(Parts::All)
}

/// The same package without its phrases.
///
/// # Errors
/// An error in one of its files; a test verifies that there is none.
pub fn shipped_head(id: &str) -> Result<Trade, PackageError> {
    Package::shipped(id).trade(Parts::Head)
}

/// The same package in one of its languages.
///
/// # Errors
/// An error in one of its files; a test verifies that there is none.
pub fn shipped_in(id: &str, code: LanguageCode) -> Result<Trade, PackageError> {
    let (package, mut faults) = (Package::shipped(id), Vec::new());
    if code == LanguageCode::ENGLISH {
        return package.english(Parts::All, &mut faults);
    }
    let trade = package.english(Parts::Head, &mut faults)?;
    package.language(&trade, code.as_str(), Parts::All, &mut faults)
}

/// Reads a package: a file with its phrases, or a folder with `trade.toml`, every other `.toml`, and if present
/// `quality.tsv` and `classifier.weights`, and its languages, each a folder named by its code.
///
/// # Errors
/// A file that cannot be read, or all errors in the files.
pub fn read_package(path: &Path) -> Result<Trade, PackageError> {
    let is_folder = path.is_dir();
    let folder = path.parent().filter(|_| !is_folder).unwrap_or(path);
    let mut package = Package {
        path: folder.to_owned(),
        ..Package::default()
    };
    if is_folder {
        package.read("")?;
        if !package.files.contains_key(HEAD) {
            return Err(PackageError::Headless(path.display().to_string()));
        }
    } else {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        package.add(path, name.into_owned())?;
    }
    package.trade(Parts::All)
}

/// The id of the package for a schema.org type: the first package that lists the type, otherwise the general one.
pub fn id_for(kind: &str) -> &'static str {
    static TYPES: LazyLock<Vec<(&str, Vec<String>)>> = LazyLock::new(|| {
        let heads = IDS.iter().filter_map(|id| {
            let package = Package::shipped(id);
            let (name, text) = package.text("", HEAD)?;
            Some((*id, types_of(&name, text)?))
        });
        heads.collect()
    });
    let mut types = TYPES.iter();
    let found = types.find(|(_, types)| is_among(types, kind));
    found.map_or(GENERAL, |(id, _)| id)
}

// The measured quality of a trade: `quality.tsv` beside its rules.

/// The first line of the file.
pub const HEADER: &str = "task\tset\tmeasure\tn\tpart\twhole";

/// Parses the figures of a file, and adds its invalid lines to `faults`.
fn read_measured(name: &str, text: &str, faults: &mut Vec<TradeError>) -> Vec<Measured> {
    let mut rows = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        match figure(line) {
            None if number == 1 && line == HEADER => {}
            Some(row) if number > 1 => rows.push(row),
            _ => {
                let message = format!(
                    "the first line must be `{HEADER}`, and every other one its values, tabs between; the part is no more than the whole"
                );
                faults.push(TradeError::new(name, number, message));
            }
        }
    }
    rows
}

fn figure(line: &str) -> Option<Measured> {
    let [task, set, measure, n, part, whole] =
        <[&str; 6]>::try_from(line.split('\t').collect::<Vec<_>>()).ok()?;
    let (n, part, whole) = (n.parse().ok()?, part.parse().ok()?, whole.parse().ok()?);
    (part <= whole && whole > 0).then(|| Measured {
        task: task.to_owned(),
        set: set.to_owned(),
        measure: measure.to_owned(),
        n,
        part,
        whole,
    })
}
