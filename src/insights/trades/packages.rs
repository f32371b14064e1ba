//! The packages: the built-in ones and the choice among them for a business, custom ones in a folder of the same format,
//! and their measured quality.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use thiserror::Error;

use super::background::Background;
use super::errors::{TradeError, TradeErrors, read_table};
use super::parse::{is_among, parse, parse_language, types_of};
use super::trade::{Measured, PackageLanguage, Trade};
use crate::config::{read_file, read_text};
use crate::insights::analysis::LanguageCode;
use crate::insights::classifier::{NgramModel, WeightsError};

/// A file's name and its text.
type ShippedFile = (&'static str, &'static str);

/// The package for homes and their installations.
pub const HOME_SERVICES: &str = "home_services";
/// The package for any other business.
pub const GENERAL: &str = "general";
/// The ids of all packages, the general one last.
pub const IDS: [&str; 3] = [HOME_SERVICES, "food", GENERAL];

/// Includes files of a folder beside this file, by their names.
macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$((concat!($folder, "/", $name), include_str!(concat!($folder, "/", $name)))),+]
    };
}

/// Includes a file beside this file, by its name.
macro_rules! named {
    ($name:literal) => {
        ($name, include_str!($name))
    };
}

/// Files used by every trade, unless it contains `shared = false`.
const SHARED: &[ShippedFile] = files!("shared":
    "words.toml", "opinions.toml", "punctuality.toml", "communication.toml", "professionalism.toml",
    "honesty.toml", "price.toml", "cleanliness.toml", "overall.toml", "complaints.toml");

/// The shared files of another language.
struct SharedLanguage {
    /// The language's code, which is its folder's name.
    code: &'static str,
    words: ShippedFile,
    files: &'static [ShippedFile],
    polarity: &'static [u8],
}

/// The languages besides English.
const LANGUAGES: [&SharedLanguage; 1] = [&SPANISH];

const SPANISH: SharedLanguage = SharedLanguage {
    code: "es",
    words: named!("shared/es/language.toml"),
    files: files!("shared/es":
        "words.toml", "opinions.toml", "punctuality.toml", "communication.toml", "professionalism.toml",
        "honesty.toml", "price.toml", "cleanliness.toml", "overall.toml"),
    polarity: include_bytes!("shared/es/polarity.weights"),
};

impl SharedLanguage {
    /// # Errors
    /// An error in its file; a test verifies that there is none.
    fn language(&self) -> Result<PackageLanguage, TradeErrors> {
        let (name, text) = self.words;
        PackageLanguage::read(name, text, Some(Cow::Borrowed(self.polarity)))
    }
}

struct ShippedLanguage {
    shared: &'static SharedLanguage,
    files: &'static [ShippedFile],
    quality: ShippedFile,
}

struct Shipped {
    id: &'static str,
    /// The files of the package, `trade.toml` first.
    files: &'static [ShippedFile],
    quality: ShippedFile,
    classifier: &'static [u8],
    languages: &'static [ShippedLanguage],
}

const SHIPPED: [Shipped; 3] = [
    Shipped {
        id: HOME_SERVICES,
        files: files!("home_services":
            "trade.toml", "words.toml", "punctuality.toml", "scheduling.toml", "response_time.toml",
            "communication.toml", "professionalism.toml", "workmanship.toml", "price.toml",
            "honesty.toml", "cleanliness.toml", "warranty.toml", "overall.toml", "complaints.toml"),
        quality: named!("home_services/quality.tsv"),
        classifier: include_bytes!("home_services/classifier.weights"),
        languages: &[ShippedLanguage {
            shared: &SPANISH,
            files: files!("home_services/es":
                "words.toml", "punctuality.toml", "scheduling.toml", "response_time.toml", "communication.toml",
                "professionalism.toml", "workmanship.toml", "price.toml", "honesty.toml", "cleanliness.toml",
                "warranty.toml", "overall.toml"),
            quality: named!("home_services/es/quality.tsv"),
        }],
    },
    Shipped {
        id: "food",
        files: files!("food":
            "trade.toml", "words.toml", "food.toml", "waiting.toml", "professionalism.toml",
            "communication.toml", "order_accuracy.toml", "price.toml", "cleanliness.toml",
            "atmosphere.toml", "honesty.toml", "overall.toml"),
        quality: named!("food/quality.tsv"),
        classifier: include_bytes!("food/classifier.weights"),
        languages: &[],
    },
    Shipped {
        id: GENERAL,
        files: files!("general": "trade.toml", "aspects.toml"),
        quality: named!("general/quality.tsv"),
        classifier: include_bytes!("general/classifier.weights"),
        languages: &[ShippedLanguage {
            shared: &SPANISH,
            files: files!("general/es": "words.toml"),
            quality: named!("general/es/quality.tsv"),
        }],
    },
];

/// The built-in package with that id (one of [`IDS`]); for any other id, the general package. The published figures
/// were measured for [`HOME_SERVICES`].
///
/// # Errors
/// An error in one of its files; a test verifies that there is none.
pub fn shipped(id: &str) -> Result<Trade, TradeErrors> {
    let [.., last] = &SHIPPED;
    let found = SHIPPED.iter().find(|one| one.id == id).unwrap_or(last);
    let mut trade = parse_all(found.files)?;
    let (name, text) = found.quality;
    trade.quality = read_measured(name, text)?;
    trade.classifier = Some(Cow::Borrowed(found.classifier));
    for one in found.languages {
        let language = Arc::new(one.shared.language()?);
        let mut translated = parse_language(&trade, language, one.files, one.shared.files)?;
        let (name, text) = one.quality;
        translated.quality = read_measured(name, text)?;
        trade.languages.push(translated);
    }
    Ok(trade)
}

/// Parses several files, each a name and its text, as if they were one file. They use the shared words, unless they
/// contain `shared = false`.
///
/// # Errors
/// All errors, with their files and lines.
pub fn parse_all(files: &[(&str, &str)]) -> Result<Trade, TradeErrors> {
    parse(files, SHARED)
}

/// The id of the package for a schema.org type: the first package that lists the type, otherwise the general one.
pub fn id_for(kind: &str) -> &'static str {
    static TYPES: LazyLock<Vec<(&str, Vec<String>)>> = LazyLock::new(|| {
        let heads = SHIPPED.iter().filter_map(|one| {
            let (name, text) = one.files.first()?;
            Some((one.id, types_of(name, text)?))
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

/// Parses the figures of a file.
///
/// # Errors
/// Every invalid line.
pub fn read_measured(name: &str, text: &str) -> Result<Vec<Measured>, TradeErrors> {
    let is_headed = text.lines().next() == Some(HEADER);
    let fault = (!is_headed).then(|| format!("the first line must be `{HEADER}`, tabs between"));
    let expected = "write task, set, measure, n, part and whole, tabs between; the part is no more than the whole";
    read_table(name, text, fault, expected, figure)
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

impl FolderError {
    fn read(path: &Path, error: io::Error) -> Self {
        Self::Read {
            path: path.to_owned(),
            error,
        }
    }
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
    let mut faults = Vec::new();
    let mut trade = keep(parse_all(&as_strs(&texts)), &mut faults);
    // A language is read with the aspects of the package.
    let is_parsed = faults.is_empty();
    trade.quality = keep(quality(folder)?, &mut faults);
    trade.background = keep(background.transpose(), &mut faults);
    for (code, folder) in folders.into_iter().filter(|_| is_parsed) {
        let language = read_language(&trade, &code, &folder, &mut faults)?;
        trade.languages.push(language);
    }
    if !faults.is_empty() {
        return Err(TradeErrors(faults).into());
    }
    trade.classifier = read_weights(folder, CLASSIFIER, NgramModel::parse)?;
    check_weights(&trade, folder)?;
    Ok(trade)
}

/// What was read, or nothing of it with its errors among `faults`.
fn keep<T: Default>(read: Result<T, TradeErrors>, faults: &mut Vec<TradeError>) -> T {
    read.unwrap_or_else(|TradeErrors(its)| {
        faults.extend(its);
        T::default()
    })
}

/// Reads a language of a package: `language.toml` (required if the language is not built in), every other `.toml`, and
/// if present `quality.tsv`, `classifier.weights` and `polarity.weights`. Adds the errors in them to `faults`.
fn read_language(
    trade: &Trade,
    code: &str,
    folder: &Path,
    faults: &mut Vec<TradeError>,
) -> Result<Trade, FolderError> {
    let (mut files, _) = contents(folder)?;
    files.retain(|path| !path.ends_with(LANGUAGE));
    files.sort();
    let texts = texts(&files)?;
    let shared = LANGUAGES.into_iter().find(|one| one.code == code);
    let polarity = read_weights(folder, POLARITY, NgramModel::parse_polarity)?;
    let path = folder.join(LANGUAGE);
    let name = path.display().to_string();
    let language = match (optional(folder, LANGUAGE, read_text)?, shared) {
        (Some(text), _) => PackageLanguage::read(&name, &text, polarity),
        (None, Some(shared)) => shared.language().map(|mut language| {
            language.polarity = polarity.or(language.polarity);
            language
        }),
        (None, None) => return Err(FolderError::Languageless(folder.to_owned())),
    };
    let shared = shared.map_or(&[][..], |shared| shared.files);
    let translated = language.and_then(|language| {
        if language.words.code.as_str() != code {
            let message = format!("the folder is called `{code}`, and `code` must be the same");
            return Err(TradeErrors(vec![TradeError::new(&name, 1, message)]));
        }
        parse_language(trade, Arc::new(language), &as_strs(&texts), shared)
    });
    let mut translated = keep(translated, faults);
    translated.quality = keep(quality(folder)?, faults);
    translated.classifier = read_weights(folder, CLASSIFIER, NgramModel::parse)?;
    check_weights(&translated, folder)?;
    Ok(translated)
}

/// # Errors
/// If the weights of a package are of an aspect that it does not have.
fn check_weights(trade: &Trade, folder: &Path) -> Result<(), TradeErrors> {
    let weights = trade.classifier.as_deref().map(NgramModel::parse);
    let heads = weights.and_then(Result::ok).unwrap_or_default().heads;
    let name = folder.join(CLASSIFIER).display().to_string();
    let foreign = heads.iter().filter(|id| trade.aspect(id).is_none());
    let fault = |id: &String| {
        let message = format!("knows `{id}`, which is not an aspect here; train it for this trade");
        TradeError::new(&name, 1, message)
    };
    let faults: Vec<TradeError> = foreign.map(fault).collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(TradeErrors(faults))
    }
}

/// The `.toml` files of a folder, and those of its subfolders named by a language code, sorted by name.
fn contents(folder: &Path) -> Result<(Vec<PathBuf>, BTreeMap<String, PathBuf>), FolderError> {
    let fault = |error| FolderError::read(folder, error);
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
        let text = read_text(path, FILE_MIB_MAX).map_err(|error| FolderError::read(path, error))?;
        Ok((path.display().to_string(), text))
    };
    paths.iter().map(text).collect()
}

fn as_strs(texts: &[(String, String)]) -> Vec<(&str, &str)> {
    let texts = texts.iter();
    texts
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect()
}

/// The figures in a folder, if there are any, or the errors in them.
fn quality(folder: &Path) -> Result<Result<Vec<Measured>, TradeErrors>, FolderError> {
    let text = optional(folder, QUALITY, read_text)?.filter(|text| !text.is_empty());
    let name = folder.join(QUALITY).display().to_string();
    Ok(text.map_or_else(|| Ok(Vec::new()), |text| read_measured(&name, &text)))
}

/// The weights with that name, if present; an error if `parse` refuses them.
fn read_weights(
    folder: &Path,
    name: &str,
    parse: fn(&[u8]) -> Result<NgramModel, WeightsError>,
) -> Result<Option<Cow<'static, [u8]>>, FolderError> {
    let Some(weights) = optional(folder, name, read_file)? else {
        return Ok(None);
    };
    parse(&weights).map_err(|error| FolderError::Weights {
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
        Err(error) => Err(FolderError::read(&path, error)),
    }
}
