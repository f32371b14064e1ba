//! The search parameters: each is a type with a name, bounds and one parser, so that HTTP and MCP return the same value
//! or the same fault for the same text. `wire` derives schemas and issues from them. Codes and bounds:
//! `docs/REFERENCE.md`.

use thiserror::Error;

use super::review::{self, Day, Vote};
use super::words::TextMatch;

/// Default number of reviews on a page.
pub const LIMIT_DEFAULT: u8 = 20;
/// Maximum number of reviews on a page.
pub const LIMIT_MAX: u8 = 100;
/// Maximum number of characters of `query`.
pub const QUERY_CHARACTERS_MAX: usize = 1_000;

/// Maximum number of characters of an invalid value that are returned to the client.
pub const RECEIVED_CHARACTERS_MAX: usize = 200;

pub trait Parameter {
    /// Determines values, syntax and bounds.
    type Kind: ParameterKind;
    /// The name in query strings and in agents' arguments.
    const NAME: &'static str;
    /// The kind, from which the schema is derived.
    const KIND: Self::Kind;
    /// Default value, if absence does not mean "no bound".
    const DEFAULT: Option<u8> = None;
    /// Path parameters are always required.
    const IS_REQUIRED: bool = false;
}

pub type ParameterValue<P> = <<P as Parameter>::Kind as ParameterKind>::Value;
/// `None` if the parameter is absent.
pub type Parsed<P> = Result<Option<ParameterValue<P>>, InvalidParameter>;

/// Parameters of a request: a query string, or the arguments of a tool call.
pub trait ParameterSource {
    /// The given value of `P`; `None` if it is absent.
    ///
    /// # Errors
    /// If it is invalid.
    fn read<P: Parameter>(&mut self) -> Parsed<P>;

    /// Records an error, also one about a combination of values that are valid individually.
    fn refuse(&mut self, invalid: InvalidParameter);

    /// Whether an error was recorded.
    fn is_wrong(&self) -> bool;

    /// The error about an absent parameter that is required.
    fn missing<P: Parameter>(&self) -> InvalidParameter {
        InvalidParameter::missing::<P>()
    }

    /// `None` if the parameter is absent or invalid; an error is recorded.
    fn take<P: Parameter>(&mut self) -> Option<ParameterValue<P>> {
        self.read::<P>().unwrap_or_else(|invalid| {
            self.refuse(invalid);
            None
        })
    }

    /// `None` if the parameter is absent or invalid; both are recorded as errors.
    fn require<P: Parameter>(&mut self) -> Option<ParameterValue<P>> {
        let parsed = self.read::<P>();
        self.keep_required::<P>(parsed)
    }

    /// The value of a required parameter; `None` if it is absent or invalid, which is recorded.
    fn keep_required<P: Parameter>(&mut self, parsed: Parsed<P>) -> Option<ParameterValue<P>> {
        match parsed {
            Ok(Some(value)) => Some(value),
            Ok(None) => {
                self.refuse(self.missing::<P>());
                None
            }
            Err(invalid) => {
                self.refuse(invalid);
                None
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterFault {
    /// Wrong type, for example letters for a number.
    Type,
    /// Below the minimum.
    TooSmall,
    /// Above the maximum, or too long.
    TooBig,
    /// Not a day of the form YYYY-MM-DD.
    Date,
    /// Not a usable text.
    Text,
    /// Given more than once.
    Duplicate,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name} {message}")]
pub struct InvalidParameter {
    pub name: &'static str,
    pub fault: ParameterFault,
    /// The allowed values: `must be …`.
    pub message: String,
    /// The value given, truncated to [`RECEIVED_CHARACTERS_MAX`] characters.
    pub received: String,
}

impl InvalidParameter {
    /// An error that depends on more than the value of `P`; `message` describes the allowed values.
    pub fn new<P: Parameter>(fault: ParameterFault, message: String, received: &str) -> Self {
        Self {
            name: P::NAME,
            fault,
            message,
            received: received.chars().take(RECEIVED_CHARACTERS_MAX).collect(),
        }
    }

    /// An error about the value of `P`, with the default message of its kind.
    pub fn of<P: Parameter>(fault: ParameterFault, received: &str) -> Self {
        Self::new::<P>(fault, P::KIND.allowed(), received)
    }

    pub fn missing<P: Parameter>() -> Self {
        Self::new::<P>(
            ParameterFault::Type,
            format!("is required, and {}", P::KIND.allowed()),
            "",
        )
    }
}

/// # Errors
/// [`InvalidParameter`].
pub fn parse<P: Parameter>(text: &str) -> Parsed<P> {
    P::KIND
        .parse(text)
        .map_err(|fault| InvalidParameter::of::<P>(fault, text))
}

/// Parses all texts given for `P`; an `Err` holds a text that is not UTF-8, in printable form.
///
/// # Errors
/// [`InvalidParameter`], also for more than one text.
pub fn parse_all<'a, P: Parameter>(
    mut texts: impl Iterator<Item = Result<&'a str, &'a str>>,
) -> Parsed<P> {
    let Some(first) = texts.next() else {
        return Ok(None);
    };
    let Some(second) = texts.next() else {
        return match first {
            Ok(text) => parse::<P>(text),
            Err(shown) => Err(InvalidParameter::of::<P>(P::KIND.not_utf8(), shown)),
        };
    };
    let shown = |text: Result<&'a str, &'a str>| text.unwrap_or_else(|shown| shown);
    let all: Vec<&str> = [first, second]
        .into_iter()
        .chain(texts)
        .map(shown)
        .collect();
    Err(InvalidParameter::new::<P>(
        ParameterFault::Duplicate,
        "must be given only once".to_owned(),
        &all.join(", "),
    ))
}

/// Declares parameters: type, name, kind, and optionally a default.
macro_rules! parameters {
    (@required) => {
        true
    };
    ($($(#[$meaning:meta])* $parameter:ident = $name:literal $($required:ident)?, $kind:ty: $bounds:expr $(, default $default:expr)?;)*) => {$(
        $(#[$meaning])*
        #[derive(Debug)]
        pub struct $parameter;

        impl Parameter for $parameter {
            type Kind = $kind;
            const NAME: &'static str = $name;
            const KIND: $kind = $bounds;
            $(const DEFAULT: Option<u8> = Some($default);)?
            $(const IS_REQUIRED: bool = parameters!(@$required);)?
        }
    )*};
}

parameters! {
    Rating = "rating", StarsKind: StarsKind;
    /// Inclusive.
    MinRating = "min_rating", Decimal: Decimal(StarsKind::BOUNDS);
    /// Inclusive.
    MaxRating = "max_rating", Decimal: Decimal(StarsKind::BOUNDS);
    /// Inclusive.
    Since = "since", Date: Date;
    /// Inclusive.
    Until = "until", Date: Date;
    /// Text that must occur.
    Query = "query", TextKind: TextKind { characters_max: Some(QUERY_CHARACTERS_MAX) };
    MatchRule = "match", OneOf<TextMatch>: OneOf(&TextMatch::ALL, TextMatch::name);
    /// Published name of the technician.
    MentionsTechnician = "mentions_technician", TextKind: TextKind::ANY;
    /// Service id.
    MentionsService = "mentions_service", TextKind: TextKind::ANY;
    /// BCP 47.
    Language = "language", TextKind: TextKind::ANY;
    Source = "source", TextKind: TextKind::ANY;
    /// Whether the text is not empty.
    HasText = "has_text", Flag: Flag;
    HasResponse = "has_response", Flag: Flag;
    /// Page size.
    Limit = "limit", Whole: Whole { least: 1, most: LIMIT_MAX }, default LIMIT_DEFAULT;
    /// The first day, as a path parameter.
    DateOfPath = "date", Date: Date;
    /// Id of a review or of an aspect, as a path parameter; it need not exist.
    Id = "id", TextKind: TextKind::ANY;
    /// Aspect id.
    Aspect = "aspect", TextKind: TextKind::ANY;
    /// Sentiment of an aspect.
    Polarity = "polarity", OneOf<Vote>: OneOf(&Vote::ALL, Vote::name);
    SortOrder = "sort", OneOf<Sort>: OneOf(&Sort::ALL, Sort::name);
    /// Published name of the technician whom a sentence is about.
    Technician = "technician", TextKind: TextKind::ANY;
    /// Service id.
    Service = "service", TextKind: TextKind::ANY;
    /// Place name.
    Area = "area", TextKind: TextKind::ANY;
    Part = "part", OneOf<InsightsPart>: OneOf(&InsightsPart::ALL, InsightsPart::name);
    /// Whether findings include their reasons.
    Hits = "hits", Flag: Flag;
    /// Whether an agent requests links to resources in addition to the answer.
    ResourceLinks = "links", Flag: Flag;
    /// First day of the first period.
    FirstSince = "first_since" required, Date: Date;
    /// Last day of the first period.
    FirstUntil = "first_until" required, Date: Date;
    /// First day of the second period.
    SecondSince = "second_since" required, Date: Date;
    /// Last day of the second period.
    SecondUntil = "second_until" required, Date: Date;
}

// The kinds of parameters: their parsers, and the errors for invalid texts.

pub trait ParameterKind: Copy {
    /// The parsed value.
    type Value: Send;
    /// Whether any text may be valid, so that a JSON value of another type is certainly wrong.
    const IS_TEXT: bool;

    /// `None` if the text counts as absent.
    ///
    /// # Errors
    /// The error for an invalid text.
    fn parse(self, text: &str) -> Result<Option<Self::Value>, ParameterFault>;

    /// The error for bytes that are not UTF-8.
    fn not_utf8(self) -> ParameterFault {
        if Self::IS_TEXT {
            ParameterFault::Text
        } else {
            ParameterFault::Type
        }
    }

    /// The allowed values: `must be …`.
    fn allowed(self) -> String;
}

/// `[0-9]+`, of any length.
#[derive(Debug, Clone, Copy)]
pub struct Whole {
    pub least: u8,
    pub most: u8,
}

impl ParameterKind for Whole {
    type Value = u8;
    const IS_TEXT: bool = false;

    fn parse(self, text: &str) -> Result<Option<u8>, ParameterFault> {
        if !is_digits(text) {
            return Err(ParameterFault::Type);
        }
        match text.parse() {
            Ok(number) if number < self.least => Err(ParameterFault::TooSmall),
            Ok(number) if number <= self.most => Ok(Some(number)),
            // A number that does not fit exceeds every bound.
            Ok(_) | Err(_) => Err(ParameterFault::TooBig),
        }
    }

    fn allowed(self) -> String {
        format!(
            "must be a whole number from {} to {}",
            self.least, self.most
        )
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// One to five stars.
#[derive(Debug, Clone, Copy)]
pub struct StarsKind;

impl StarsKind {
    /// The bounds of [`review::Rating`].
    pub const BOUNDS: Whole = Whole { least: 1, most: 5 };
}

impl ParameterKind for StarsKind {
    type Value = review::Rating;
    const IS_TEXT: bool = false;

    fn parse(self, text: &str) -> Result<Option<review::Rating>, ParameterFault> {
        let stars = Self::BOUNDS.parse(text)?;
        stars
            .map(|stars| {
                review::Rating::try_from(i64::from(stars)).map_err(|_| ParameterFault::Type)
            })
            .transpose()
    }

    fn allowed(self) -> String {
        Self::BOUNDS.allowed()
    }
}

/// `[0-9]+(\.[0-9]+)?`, of any length, within these bounds.
#[derive(Debug, Clone, Copy)]
pub struct Decimal(pub Whole);

impl ParameterKind for Decimal {
    type Value = f64;
    const IS_TEXT: bool = false;

    fn parse(self, text: &str) -> Result<Option<f64>, ParameterFault> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if !is_digits(fraction) {
            return Err(ParameterFault::Type);
        }
        let whole = self.0.parse(whole)?;
        // The digits decide, because 5.00000000000000000001 is 5 as a float.
        if whole == Some(self.0.most) && fraction.bytes().any(|digit| digit != b'0') {
            return Err(ParameterFault::TooBig);
        }
        text.parse().map(Some).map_err(|_| ParameterFault::Type)
    }

    fn allowed(self) -> String {
        format!(
            "must be a decimal number from {} to {}",
            self.0.least, self.0.most
        )
    }
}

/// A day, exactly `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy)]
pub struct Date;

impl ParameterKind for Date {
    type Value = Day;
    const IS_TEXT: bool = false;

    fn parse(self, text: &str) -> Result<Option<Day>, ParameterFault> {
        text.parse().map(Some).map_err(|_| ParameterFault::Date)
    }

    fn not_utf8(self) -> ParameterFault {
        ParameterFault::Date
    }

    fn allowed(self) -> String {
        "must be a day written YYYY-MM-DD, such as 2024-02-29".to_owned()
    }
}

/// Any text; the empty text counts as absent.
#[derive(Debug, Clone, Copy)]
pub struct TextKind {
    /// Maximum number of characters.
    pub characters_max: Option<usize>,
}

impl TextKind {
    /// Without a maximum length.
    pub const ANY: Self = Self {
        characters_max: None,
    };
}

impl ParameterKind for TextKind {
    type Value = String;
    const IS_TEXT: bool = true;

    fn parse(self, text: &str) -> Result<Option<String>, ParameterFault> {
        // No text has more characters than bytes.
        let is_too_long = |most: usize| text.len() > most && text.chars().count() > most;
        if self.characters_max.is_some_and(is_too_long) {
            return Err(ParameterFault::TooBig);
        }
        Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
    }

    fn allowed(self) -> String {
        match self.characters_max {
            Some(most) => format!("must be a text of at most {most} characters in UTF-8"),
            None => "must be a text in UTF-8, percent-encoded".to_owned(),
        }
    }
}

/// `true` or `false`; the empty text counts as absent.
#[derive(Debug, Clone, Copy)]
pub struct Flag;

impl ParameterKind for Flag {
    type Value = bool;
    const IS_TEXT: bool = false;

    fn parse(self, text: &str) -> Result<Option<bool>, ParameterFault> {
        match text {
            "" => Ok(None),
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => Err(ParameterFault::Type),
        }
    }

    fn allowed(self) -> String {
        "must be one of: true, false".to_owned()
    }
}

/// One of these values by its name; the empty text counts as absent.
#[derive(Debug, Clone, Copy)]
pub struct OneOf<T: 'static>(pub &'static [T], pub fn(T) -> &'static str);

impl<T: Copy + Send> ParameterKind for OneOf<T> {
    type Value = T;
    const IS_TEXT: bool = true;

    fn parse(self, text: &str) -> Result<Option<T>, ParameterFault> {
        if text.is_empty() {
            return Ok(None);
        }
        let found = self.0.iter().find(|value| (self.1)(**value) == text);
        found.map(|value| Some(*value)).ok_or(ParameterFault::Text)
    }

    fn allowed(self) -> String {
        let names: Vec<&str> = self.0.iter().map(|value| (self.1)(*value)).collect();
        format!("must be one of: {}", names.join(", "))
    }
}

named! {
    /// An order of reviews. Reviews with equal stars are ordered newest first, and reviews of one day by id.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Sort {
        #[default]
        Newest = "newest",
        Oldest = "oldest",
        /// 5 to 1 stars.
        Highest = "highest",
        /// 1 to 5 stars.
        Lowest = "lowest",
    }
}

impl Sort {
    /// The stars (1 to 5) in this order; `None` for an order by date.
    pub const fn stars(self) -> Option<[u8; 5]> {
        match self {
            Self::Newest | Self::Oldest => None,
            Self::Highest => Some([5, 4, 3, 2, 1]),
            Self::Lowest => Some([1, 2, 3, 4, 5]),
        }
    }
}

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum InsightsPart {
        /// A digest of all parts, at most 8 KiB.
        Overview = "overview",
        /// Aspects with sentiment.
        Aspects = "aspects",
        /// Technicians named in reviews, with counts.
        Technicians = "technicians",
        /// Services named in reviews.
        Services = "services",
        /// Places named in reviews.
        Areas = "areas",
        /// Distinctive phrases, with quotes.
        Topics = "topics",
        /// Questions with answers and the quoted reviews.
        Faq = "faq",
        /// The summary with its sources.
        Summary = "summary",
        /// Method and quality.
        Method = "method",
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, ParameterFault, ParameterKind as _, StarsKind, Whole};

    #[test]
    fn decimals_compare_by_their_digits() {
        let parsed = |text: &str| Decimal(StarsKind::BOUNDS).parse(text);
        for (text, number) in [
            ("1", 1.0),
            ("1.0000000000000000001", 1.0),
            ("4.51", 4.51),
            ("5", 5.0),
            ("005.000", 5.0),
        ] {
            assert_eq!(parsed(text), Ok(Some(number)), "{text:?}");
        }
        for text in ["0", "00.00", "0.09", "0.99999999999999999999999"] {
            assert_eq!(parsed(text), Err(ParameterFault::TooSmall), "{text:?}");
        }
        for text in [
            "5.00000000000000000001",
            "05.1",
            "6",
            "10",
            "256",
            "99999999999999999999999.5",
        ] {
            assert_eq!(parsed(text), Err(ParameterFault::TooBig), "{text:?}");
        }
        for text in [
            "", ".", "1.", ".5", "+1", "-1", "1e3", " 1", "1 ", "1,5", "0x1", "\u{661}", "inf",
            "1.2.3", "1_000", "9.x", "x.9",
        ] {
            assert_eq!(parsed(text), Err(ParameterFault::Type), "{text:?}");
        }
    }

    #[test]
    fn whole_numbers_may_have_any_length() {
        let parsed = |text: &str| {
            Whole {
                least: 1,
                most: 100,
            }
            .parse(text)
        };
        assert_eq!(parsed("0000000000000000000000100"), Ok(Some(100)));
        assert_eq!(parsed("000"), Err(ParameterFault::TooSmall));
        assert_eq!(parsed("18446744073709551617"), Err(ParameterFault::TooBig));
        assert_eq!(parsed("+1"), Err(ParameterFault::Type));
    }
}
