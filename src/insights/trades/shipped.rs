//! The built-in packages, and the choice of a package for a business.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use super::parse::{TradeHeader, is_among};
use super::{PackageLanguage, Trade, TradeError, TradeErrors, parse};

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

/// Files used by every trade, unless it contains `shared = false`.
pub const SHARED: &[ShippedFile] = files!("shared":
    "words.toml", "opinions.toml", "punctuality.toml", "communication.toml", "professionalism.toml",
    "honesty.toml", "price.toml", "cleanliness.toml", "overall.toml");

/// The shared files of another language.
pub struct SharedLanguage {
    /// The language's code, which is its folder's name.
    pub code: &'static str,
    words: ShippedFile,
    pub files: &'static [ShippedFile],
    polarity: Option<&'static [u8]>,
}

/// The languages besides English.
static LANGUAGES: [SharedLanguage; 1] = [SharedLanguage {
    code: "es",
    words: (
        "shared/es/language.toml",
        include_str!("shared/es/language.toml"),
    ),
    files: files!("shared/es":
        "words.toml", "opinions.toml", "punctuality.toml", "communication.toml", "professionalism.toml",
        "honesty.toml", "price.toml", "cleanliness.toml", "overall.toml"),
    polarity: Some(include_bytes!("shared/es/polarity.weights")),
}];

impl SharedLanguage {
    pub fn find(code: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|one| one.code == code)
    }

    /// # Errors
    /// An error in its file; a test verifies that there is none.
    pub fn language(&self) -> Result<PackageLanguage, TradeErrors> {
        let (name, text) = self.words;
        PackageLanguage::read(name, text, self.polarity.map(Cow::Borrowed))
    }
}

struct ShippedLanguage {
    code: &'static str,
    files: &'static [ShippedFile],
    quality: ShippedFile,
}

struct Shipped {
    id: &'static str,
    /// The files of the package, `trade.toml` first.
    files: &'static [ShippedFile],
    quality: Option<ShippedFile>,
    classifier: Option<&'static [u8]>,
    languages: &'static [ShippedLanguage],
}

const SHIPPED: [Shipped; 3] = [
    Shipped {
        id: HOME_SERVICES,
        files: files!("home_services":
            "trade.toml", "words.toml", "punctuality.toml", "scheduling.toml", "response_time.toml",
            "communication.toml", "professionalism.toml", "workmanship.toml", "price.toml",
            "honesty.toml", "cleanliness.toml", "warranty.toml", "overall.toml"),
        quality: Some((
            "home_services/quality.tsv",
            include_str!("home_services/quality.tsv"),
        )),
        classifier: Some(include_bytes!("home_services/classifier.weights")),
        languages: &[ShippedLanguage {
            code: "es",
            files: files!("home_services/es":
                "words.toml", "punctuality.toml", "scheduling.toml", "response_time.toml", "communication.toml",
                "professionalism.toml", "workmanship.toml", "price.toml", "honesty.toml", "cleanliness.toml",
                "warranty.toml", "overall.toml"),
            quality: (
                "home_services/es/quality.tsv",
                include_str!("home_services/es/quality.tsv"),
            ),
        }],
    },
    Shipped {
        id: "food",
        files: files!("food":
            "trade.toml", "words.toml", "food.toml", "waiting.toml", "professionalism.toml",
            "communication.toml", "order_accuracy.toml", "price.toml", "cleanliness.toml",
            "atmosphere.toml", "honesty.toml", "overall.toml"),
        quality: Some(("food/quality.tsv", include_str!("food/quality.tsv"))),
        classifier: Some(include_bytes!("food/classifier.weights")),
        languages: &[],
    },
    Shipped {
        id: GENERAL,
        files: files!("general": "trade.toml", "aspects.toml"),
        quality: Some(("general/quality.tsv", include_str!("general/quality.tsv"))),
        classifier: Some(include_bytes!("general/classifier.weights")),
        languages: &[ShippedLanguage {
            code: "es",
            files: files!("general/es": "words.toml"),
            quality: (
                "general/es/quality.tsv",
                include_str!("general/es/quality.tsv"),
            ),
        }],
    },
];

/// The package with that id; for any other id, the general one.
pub fn read(id: &str) -> Result<Trade, TradeErrors> {
    let [.., last] = &SHIPPED;
    let found = SHIPPED.iter().find(|one| one.id == id).unwrap_or(last);
    let mut trade = Trade::parse_all(found.files)?;
    if let Some((name, text)) = found.quality {
        trade.quality = read_measured(name, text).map_err(TradeErrors)?;
    }
    trade.classifier = found.classifier.map(Cow::Borrowed);
    for one in found.languages {
        let Some(shared) = SharedLanguage::find(one.code) else {
            continue;
        };
        let language = Arc::new(shared.language()?);
        let mut translated = trade.translated(language, one.files, shared.files)?;
        let (name, text) = one.quality;
        translated.quality = read_measured(name, text).map_err(TradeErrors)?;
        trade.languages.push(translated);
    }
    Ok(trade)
}

/// The id of the package for a schema.org type: the first package that lists the type, otherwise the general one.
#[must_use]
pub fn id_for(kind: &str) -> &'static str {
    static TYPES: LazyLock<Vec<(&str, Vec<String>)>> = LazyLock::new(|| {
        let heads = SHIPPED.iter().filter_map(|one| {
            let (name, text) = one.files.first()?;
            let TradeHeader { types, .. } = parse::head(name, text).ok()?;
            Some((one.id, types))
        });
        heads.collect()
    });
    TYPES
        .iter()
        .find(|(_, types)| is_among(types, kind))
        .map_or(GENERAL, |(id, _)| id)
}

// The measured quality of a trade: `quality.tsv` beside its rules.

/// The first line of the file.
pub const HEADER: &str = "task\tset\tmeasure\tn\tpart\twhole";

/// One measure of one task on one set of annotated texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// For example `aspect`.
    pub task: String,
    /// Name of the set, for example `ordinary_held_out`.
    pub set: String,
    /// For example `f1` or `accuracy`.
    pub measure: String,
    /// Number of rows in the set.
    pub n: usize,
    /// Numerator.
    pub part: usize,
    /// Denominator.
    pub whole: usize,
}

/// Parses the figures of a file.
///
/// # Errors
/// Every invalid line.
pub fn read_measured(name: &str, text: &str) -> Result<Vec<Measured>, Vec<TradeError>> {
    let (mut figures, mut faults) = (Vec::new(), Vec::new());
    let mut tell = |line: usize, message: String| {
        faults.push(TradeError {
            file: name.to_owned(),
            line,
            message,
        });
    };
    if text.lines().next() != Some(HEADER) {
        tell(
            1,
            format!("the first line must be `{HEADER}`, tabs between"),
        );
    }
    for (line, number) in text.lines().zip(1..).skip(1) {
        match figure(line) {
            Some(figure) => figures.push(figure),
            None => tell(
                number,
                "write task, set, measure, n, part and whole, tabs between; the part is no more than the whole"
                    .to_owned(),
            ),
        }
    }
    if faults.is_empty() {
        Ok(figures)
    } else {
        Err(faults)
    }
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
