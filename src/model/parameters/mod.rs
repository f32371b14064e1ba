//! The search parameters: each is a type with a name, bounds and one parser, so that HTTP and MCP return the same value
//! or the same fault for the same text. `wire` derives schemas and issues from them. Codes and bounds:
//! `docs/REFERENCE.md`.

mod kinds;

pub use kinds::{
    Date, Decimal, Flag, InsightsPart, OneOf, Opaque, ParameterKind, StarsKind, TextKind, Whole,
};
use thiserror::Error;

use super::review::Vote;
use super::sort::Sort;
use super::words::TextMatch;

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
    /// `None` if the parameter is absent or invalid; an error is recorded.
    fn take<P: Parameter>(&mut self) -> Option<ParameterValue<P>>;

    /// `None` if the parameter is absent or invalid; both are recorded as errors.
    fn require<P: Parameter>(&mut self) -> Option<ParameterValue<P>>;

    /// Records an error about a combination of values that are valid individually.
    fn refuse(&mut self, invalid: InvalidParameter);

    /// Whether an error was recorded.
    fn is_wrong(&self) -> bool;
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
    #[must_use]
    pub fn new<P: Parameter>(fault: ParameterFault, message: String, received: &str) -> Self {
        Self {
            name: P::NAME,
            fault,
            message,
            received: received.chars().take(RECEIVED_CHARACTERS_MAX).collect(),
        }
    }

    /// An error about the value of `P`, with the default message of its kind.
    #[must_use]
    pub fn of<P: Parameter>(fault: ParameterFault, received: &str) -> Self {
        Self::new::<P>(fault, P::KIND.allowed(), received)
    }

    #[must_use]
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

const POLARITIES: OneOf<Vote> = OneOf(&[
    (Vote::Positive.name(), Vote::Positive),
    (Vote::Negative.name(), Vote::Negative),
    (Vote::Neutral.name(), Vote::Neutral),
    (Vote::Mixed.name(), Vote::Mixed),
    (Vote::Uncertain.name(), Vote::Uncertain),
]);

const PARTS: OneOf<InsightsPart> = OneOf(&[
    (InsightsPart::Overview.name(), InsightsPart::Overview),
    (InsightsPart::Aspects.name(), InsightsPart::Aspects),
    (InsightsPart::Technicians.name(), InsightsPart::Technicians),
    (InsightsPart::Services.name(), InsightsPart::Services),
    (InsightsPart::Areas.name(), InsightsPart::Areas),
    (InsightsPart::Topics.name(), InsightsPart::Topics),
    (InsightsPart::Faq.name(), InsightsPart::Faq),
    (InsightsPart::Summary.name(), InsightsPart::Summary),
    (InsightsPart::Method.name(), InsightsPart::Method),
]);

const MATCHES: OneOf<TextMatch> = OneOf(&[
    (TextMatch::Substring.name(), TextMatch::Substring),
    (TextMatch::Words.name(), TextMatch::Words),
]);

const SORTS: OneOf<Sort> = OneOf(&[
    (Sort::Newest.name(), Sort::Newest),
    (Sort::Oldest.name(), Sort::Oldest),
    (Sort::Highest.name(), Sort::Highest),
    (Sort::Lowest.name(), Sort::Lowest),
]);

parameters! {
    Rating = "rating", StarsKind: StarsKind;
    /// Inclusive.
    MinRating = "min_rating", Decimal: Decimal { least: "1", most: "5" };
    /// Inclusive.
    MaxRating = "max_rating", Decimal: Decimal { least: "1", most: "5" };
    /// Inclusive.
    Since = "since", Date: Date;
    /// Inclusive.
    Until = "until", Date: Date;
    /// Text that must occur.
    Query = "query", TextKind: TextKind { characters_max: Some(super::QUERY_CHARACTERS_MAX) };
    MatchRule = "match", OneOf<TextMatch>: MATCHES;
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
    Limit = "limit", Whole: Whole { least: 1, most: super::LIMIT_MAX }, default super::LIMIT_DEFAULT;
    /// The first day, as a path parameter.
    DateOfPath = "date", Date: Date;
    /// Id of a review or of an aspect, as a path parameter; it need not exist.
    Id = "id", TextKind: TextKind::ANY;
    /// Aspect id.
    Aspect = "aspect", TextKind: TextKind::ANY;
    /// Sentiment of an aspect.
    Polarity = "polarity", OneOf<Vote>: POLARITIES;
    SortOrder = "sort", OneOf<Sort>: SORTS;
    /// Published name of the technician whom a sentence is about.
    Technician = "technician", TextKind: TextKind::ANY;
    /// Service id.
    Service = "service", TextKind: TextKind::ANY;
    /// Place name.
    Area = "area", TextKind: TextKind::ANY;
    Part = "part", OneOf<InsightsPart>: PARTS;
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
