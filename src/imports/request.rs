//! What an import is asked to do: the arguments of the command, which tests and the seed give as values.

use std::convert::Infallible;
use std::fmt;
use std::num::NonZeroU8;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, FromArgMatches as _};
use encoding_rs::Encoding;

use crate::imports::map::fields::Mapping;
use crate::imports::map::incoming::SOURCE_DEFAULT;
use crate::imports::mask::Mask;
use crate::imports::platforms::{Format, find_format, format_names};
use crate::imports::report::Position;
use crate::model::business::Business;
use crate::model::compose;

/// The files and options of an import.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag by itself")]
pub struct ImportRequest {
    /// An export of any known platform, a table (CSV, TSV, XLSX), JSON Lines, a Takeout zip or folder; - reads standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The format of every FILE [default: detected from the content]
    #[arg(long, value_name = "F", value_parser = PossibleValuesParser::new(format_names()).try_map(|name| find_format(&name).ok_or("unknown")))]
    pub format: Option<&'static Format>,
    #[command(flatten)]
    pub columns: ColumnChoices,
    /// None of the columns that are not decided yet says whether a review, your answer or the author's name may be published
    #[arg(long)]
    pub ignore_others: bool,
    /// Highest value of the rating scale, for example 10; if given, halves are rounded up [default: 5]
    #[arg(long, value_name = "N", value_parser = |text: &str| text.parse::<NonZeroU8>()
        .map_err(|_| "write a whole number from 1 to 255, such as 10"))]
    pub scale: Option<NonZeroU8>,
    /// Date format (strftime), for example %d/%m/%Y [default: detected; where a column may be read both ways, the order of the business's country]
    #[arg(long, value_name = "F")]
    pub date_format: Option<String>,
    /// Source of the reviews if FILE does not name one, and of all in our own format, for example Facebook [default: the platform of
    /// the export, else Direct]
    #[arg(long, value_name = "NAME", value_parser = composed)]
    pub source: Option<String>,
    /// The sheet of a workbook [default: the first one with reviews]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Encoding of FILE, for example windows-1250 [default: detected]
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    pub encoding: Option<&'static Encoding>,
    /// Number of the header row of a table, counted from 1 [default: detected]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    pub header_row: Option<u64>,
    /// Accept a table without a text column: ratings only
    #[arg(long)]
    pub no_text: bool,
    /// Report what the import would do, without changing the database
    #[arg(long)]
    pub dry_run: bool,
    /// Withhold reviews that their source and location no longer lists, and publish them again when they return
    #[arg(long)]
    pub withdraw_missing: bool,
    /// With --withdraw-missing: proceed even if more than 10 % of a source's reviews are missing
    #[arg(long, requires = "withdraw_missing")]
    pub yes: bool,
    /// Restore reviews of FILE that you deleted
    #[arg(long)]
    pub restore: bool,
    /// Import doubtful rows as new reviews, or take a row as the one review that it may be; `LINE=` (`FILE:LINE=` with several files)
    /// decides one row; may be repeated
    #[arg(long, value_name = "[LINE=]new|same")]
    pub doubtful: Vec<DoubtfulChoice>,
    /// FILE has only some of the reviews: only equal rows are reviews that are there
    #[arg(long, conflicts_with = "withdraw_missing")]
    pub partial: bool,
    /// Take an import that changes text or stars of more than half of a source's reviews
    #[arg(long)]
    pub accept_changes: bool,
    /// Withhold reviews that another source or format already gave: same author, day, rating and text
    #[arg(long)]
    pub skip_duplicates: bool,
    /// Keep full names of authors that were never public; otherwise they become "Jane D."
    #[arg(long)]
    pub full_names: bool,
    /// Add your own reviews to a database that holds the sample data
    #[arg(long)]
    pub with_sample: bool,
    /// Import only the reviews of this location, if FILE has several
    #[arg(long, value_name = "L", value_parser = composed)]
    pub location: Option<String>,
    /// Whether the files are sample data, in lines; they cannot be undone.
    #[arg(skip)]
    pub is_sample: bool,
    /// The sync source whose run this import is.
    #[arg(skip)]
    pub run_of: Option<String>,
    /// The stored business, whose country, people and name help to read the files; the import itself looks it up.
    #[arg(skip)]
    pub business: Option<Business>,
    /// The secrets of the request whose answer the files are.
    #[arg(skip)]
    pub mask: Mask,
    /// The folder below which files are opened without following links, if others may write there.
    #[arg(skip)]
    pub below: Option<Arc<OwnedFd>>,
}

/// What the owner says of columns, for `import`, `sync add` and `source columns`; it is kept for the source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct ColumnChoices {
    /// Fill a field of a review from a column, for example text=Review; repeat it to join two columns; FIELD= if there is no such field
    #[arg(long = "map", value_name = "FIELD=COLUMN", allow_hyphen_values = true)]
    pub maps: Vec<Mapping>,
    /// A review may be published only where COLUMN has VALUE (empty: an empty cell; *: any other); repeat it for more values
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = with_value, allow_hyphen_values = true)]
    pub public: Vec<String>,
    /// The same of your answer
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = with_value, allow_hyphen_values = true)]
    pub public_answer: Vec<String>,
    /// The same of the author's name, which is Anonymous otherwise
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = with_value, allow_hyphen_values = true)]
    pub public_name: Vec<String>,
    /// COLUMN says nothing of what may be published; several with commas
    #[arg(long, value_name = "COLUMN")]
    pub ignore: Vec<String>,
}

fn with_value(text: &str) -> Result<String, &'static str> {
    if text.contains('=') {
        return Ok(text.to_owned());
    }
    Err("write it as COLUMN=VALUE, for example Publish=yes; Publish= means an empty cell")
}

/// A name as files give it: composed (NFC), without blanks around it.
///
/// # Errors
/// Never.
pub fn composed(name: &str) -> Result<String, Infallible> {
    Ok(compose(name.trim()).into_owned())
}

fn encoding(label: &str) -> Result<&'static Encoding, &'static str> {
    let unknown = "use a name such as utf-8, windows-1250, macintosh or shift_jis";
    Encoding::for_label(label.as_bytes()).ok_or(unknown)
}

/// What the owner decided about doubtful rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulChoice {
    /// File and line of the row, or its place in an array; `None` decides all others.
    pub row: Option<(Option<String>, u64)>,
    /// Whether the row is the review that it may be; otherwise it is a new one.
    pub is_same: bool,
}

impl DoubtfulChoice {
    /// The choice for a row, if there is one.
    pub fn of<'c>(choices: &'c [Self], file: &str, at: &Position) -> Option<&'c Self> {
        let own = choices.iter().find(|choice| choice.names(file, at));
        own.or_else(|| choices.iter().find(|choice| choice.row.is_none()))
    }

    /// Whether it decides this row alone.
    pub fn names(&self, name: &str, at: &Position) -> bool {
        let (Position::Line(number) | Position::Element { index: number, .. }) = at;
        self.row.as_ref().is_some_and(|(file, line)| {
            let is_end = |file: &String| {
                let rest = name.strip_suffix(file.as_str());
                rest.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
            };
            line == number && file.as_ref().is_none_or(is_end)
        })
    }
}

impl FromStr for DoubtfulChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const USAGE: &str =
            "write new, same, LINE=new, LINE=same or, with several files, FILE:LINE=new";
        let (place, choice) = text
            .rsplit_once('=')
            .map_or((None, text), |(place, choice)| (Some(place), choice));
        let row = place.map(|place| {
            let (file, line) = place
                .rsplit_once(':')
                .map_or((None, place), |(file, line)| (Some(file.to_owned()), line));
            // Reports show a row of an array as `[2]`.
            let number = line.trim_end_matches(']').rsplit('[').next();
            let number = number.unwrap_or_default().parse();
            number.map(|line| (file, line)).map_err(|_| USAGE)
        });
        let is_same = match choice {
            "new" => false,
            "same" => true,
            _ => return Err(USAGE),
        };
        Ok(Self {
            row: row.transpose()?,
            is_same,
        })
    }
}

impl fmt::Display for DoubtfulChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.row {
            if let Some(file) = file {
                write!(f, "{file}:")?;
            }
            write!(f, "{line}=")?;
        }
        f.write_str(if self.is_same { "same" } else { "new" })
    }
}

impl ImportRequest {
    /// A request with these options, as words of a command line, without files.
    ///
    /// # Errors
    /// If an option is invalid.
    pub fn parse(words: &[String]) -> clap::error::Result<Self> {
        let command = Self::augment_args(clap::Command::new("import").no_binary_name(true));
        let words = words.iter().map(String::as_str).chain(["-"]);
        let mut request = Self::from_arg_matches(&command.try_get_matches_from(words)?)?;
        request.files.clear();
        Ok(request)
    }

    /// Adds what another request decides about columns.
    pub fn add_decisions(&mut self, other: Self) {
        self.columns.maps.extend(other.columns.maps);
        self.columns.public.extend(other.columns.public);
        self.columns
            .public_answer
            .extend(other.columns.public_answer);
        self.columns.public_name.extend(other.columns.public_name);
        self.columns.ignore.extend(other.columns.ignore);
        self.ignore_others |= other.ignore_others;
        self.no_text |= other.no_text;
        self.scale = self.scale.or(other.scale);
        self.date_format = self.date_format.take().or(other.date_format);
    }

    /// Of the business, ISO 3166-1 alpha-2.
    pub fn country(&self) -> Option<&str> {
        self.business.as_ref()?.country.as_deref()
    }

    /// Source of the rows that name none, of a file of that format.
    pub fn source_of(&self, format: &Format) -> &str {
        let requested = self.source.as_deref();
        requested.or(format.source).unwrap_or(SOURCE_DEFAULT)
    }
}
