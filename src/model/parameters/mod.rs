//! The parameters of questions about reviews: each is a type with its name, its bounds and its one
//! parse.
//!
//! Apart from HTTP and from MCP, so that both get the same value or the same fault for the same
//! text; `wire` makes schema and issue of it. It knows nothing of query strings, JSON or schemas.
//! Codes and bounds: `docs/REFERENCE.md`.

mod kinds;

pub use kinds::{
    Date, Decimal, Flag, InsightsPart, OneOf, Opaque, ParameterKind, StarsKind, TextKind, Whole,
};
use thiserror::Error;

use super::review::Vote;
use super::sort::Sort;

/// How many characters of a wrong value are given back.
pub const RECEIVED_CHARACTERS_MAX: usize = 200;

/// One parameter: its name, its bounds and how it is parsed.
pub trait Parameter {
    /// What it may be.
    type Kind: ParameterKind;
    /// What it is called, in a query string as in an agent's arguments.
    const NAME: &'static str;
    /// Its kind with its bounds, from which its schema is made.
    const KIND: Self::Kind;
    /// What holds where it is absent, if that is more than "no bound".
    const DEFAULT: Option<u8> = None;
    /// Whether it must be given. What stands in a path always is.
    const IS_REQUIRED: bool = false;
}

/// The value of a parameter that was read.
pub type ParameterValue<P> = <<P as Parameter>::Kind as ParameterKind>::Value;
/// A parameter's value, `None` where it is absent, or what is wrong with it.
pub type Parsed<P> = Result<Option<ParameterValue<P>>, InvalidParameter>;

/// Where the parameters of a question come from: a query string, or the arguments of a call.
pub trait ParameterSource {
    /// The value of `P`; `None` where it is absent or wrong. What is wrong is kept.
    fn take<P: Parameter>(&mut self) -> Option<ParameterValue<P>>;

    /// The value of `P`, which must be given; `None` where it is absent or wrong, which is kept.
    fn require<P: Parameter>(&mut self) -> Option<ParameterValue<P>>;

    /// Keeps what is wrong with values that are right each by itself.
    fn refuse(&mut self, invalid: InvalidParameter);

    /// Whether anything is wrong with what was taken so far.
    fn is_wrong(&self) -> bool;
}

/// What is wrong with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterFault {
    /// Not of the type, for example letters for a number.
    Type,
    /// Below the least that is allowed.
    TooSmall,
    /// Above the most that is allowed, or too long.
    TooBig,
    /// The value is no day of the form YYYY-MM-DD.
    Date,
    /// A text that cannot be used.
    Text,
    /// Given more than once.
    Duplicate,
}

/// A parameter that cannot be used as it was given.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name} {message}")]
pub struct InvalidParameter {
    /// The name of the parameter that is wrong.
    pub name: &'static str,
    /// In which way its value is wrong.
    pub fault: ParameterFault,
    /// What is allowed: `must be …`.
    pub message: String,
    /// What was given, at most [`RECEIVED_CHARACTERS_MAX`] characters of it.
    pub received: String,
}

impl InvalidParameter {
    /// A fault of `P` that no look at the value alone can find, with the words for what is allowed.
    #[must_use]
    pub fn new<P: Parameter>(fault: ParameterFault, message: String, received: &str) -> Self {
        Self {
            name: P::NAME,
            fault,
            message,
            received: received.chars().take(RECEIVED_CHARACTERS_MAX).collect(),
        }
    }

    /// That `P` has the fault, in the parameter's own words.
    #[must_use]
    pub fn of<P: Parameter>(fault: ParameterFault, received: &str) -> Self {
        Self::new::<P>(fault, P::KIND.allowed(), received)
    }

    /// That `P` is missing where it must be given.
    #[must_use]
    pub fn missing<P: Parameter>() -> Self {
        Self::new::<P>(
            ParameterFault::Type,
            format!("is required, and {}", P::KIND.allowed()),
            "",
        )
    }
}

/// Reads one text as `P`.
///
/// # Errors
/// [`InvalidParameter`].
pub fn parse<P: Parameter>(text: &str) -> Parsed<P> {
    P::KIND
        .parse(text)
        .map_err(|fault| InvalidParameter::of::<P>(fault, text))
}

/// Reads all the texts that were given for `P`; `Err` is one whose bytes are no UTF-8, as far as it
/// can be shown.
///
/// # Errors
/// [`InvalidParameter`], also where there are several.
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

/// Declares parameters: type, name, kind, and a default where there is one.
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

const SORTS: OneOf<Sort> = OneOf(&[
    (Sort::Newest.name(), Sort::Newest),
    (Sort::Oldest.name(), Sort::Oldest),
    (Sort::Highest.name(), Sort::Highest),
    (Sort::Lowest.name(), Sort::Lowest),
]);

parameters! {
    /// The exact number of stars.
    Rating = "rating", StarsKind: StarsKind;
    /// The least number of stars, inclusive.
    MinRating = "min_rating", Decimal: Decimal { least: "1", most: "5" };
    /// The greatest number of stars, inclusive.
    MaxRating = "max_rating", Decimal: Decimal { least: "1", most: "5" };
    /// The first day, inclusive.
    Since = "since", Date: Date;
    /// The last day, inclusive.
    Until = "until", Date: Date;
    /// Substring of the text.
    Query = "query", TextKind: TextKind { characters_max: Some(super::QUERY_CHARACTERS_MAX) };
    /// Name of a technician, as it is shown.
    MentionsTechnician = "mentions_technician", TextKind: TextKind::ANY;
    /// Id of a service.
    MentionsService = "mentions_service", TextKind: TextKind::ANY;
    /// The language tag of the text (BCP 47).
    Language = "language", TextKind: TextKind::ANY;
    /// Name of the source.
    Source = "source", TextKind: TextKind::ANY;
    /// Whether it says something.
    HasText = "has_text", Flag: Flag;
    /// Whether the owner answered.
    HasResponse = "has_response", Flag: Flag;
    /// Most reviews of a page.
    Limit = "limit", Whole: Whole { least: 1, most: super::LIMIT_MAX }, default super::LIMIT_DEFAULT;
    /// The first day, in a path.
    DateOfPath = "date", Date: Date;
    /// Id of a review or of an aspect, in a path: whether there is one of that id is another
    /// question.
    Id = "id", TextKind: TextKind::ANY;
    /// Id of an aspect.
    Aspect = "aspect", TextKind: TextKind::ANY;
    /// How an aspect is spoken of.
    Polarity = "polarity", OneOf<Vote>: POLARITIES;
    /// The order in which reviews are returned.
    SortOrder = "sort", OneOf<Sort>: SORTS;
    /// Name of a technician, as it is shown, whom a sentence is about.
    Technician = "technician", TextKind: TextKind::ANY;
    /// Id of a service.
    Service = "service", TextKind: TextKind::ANY;
    /// Name of a place.
    Area = "area", TextKind: TextKind::ANY;
    /// A part of the insights.
    Part = "part", OneOf<InsightsPart>: PARTS;
    /// Whether the reasons of findings are wanted too.
    Hits = "hits", Flag: Flag;
    /// Whether an agent wants links to resources beside the answer.
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
