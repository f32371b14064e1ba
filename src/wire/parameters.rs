//! The parameters of requests: each is a type with a name, bounds, a schema and one parser, so that HTTP and MCP return
//! the same value or the same issue for the same text. Codes and bounds: `docs/REFERENCE.md`. And the hub's form.

use std::fmt::Display;

pub use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::Type;
use poem_openapi::{Enum, Object};
use serde_json::{Value, json};

use super::insights;
use super::problem::{Issue, IssueCode};
use crate::model::{Day, Sort, TextMatch, Vote, named};

/// Default number of reviews on a page.
pub const LIMIT_DEFAULT: u8 = 20;
/// Maximum number of reviews on a page.
pub const LIMIT_MAX: u8 = 100;
/// Maximum number of characters of `query`.
const QUERY_CHARACTERS_MAX: usize = 1_000;
pub const STARS: Whole = Whole { least: 1, most: 5 };

pub trait Parameter {
    /// Determines values, syntax, bounds and schema.
    type Kind: ParameterKind;
    /// The name in query strings and in agents' arguments.
    const NAME: &'static str;
    const KIND: Self::Kind;
    /// Default value, if absence does not mean "no bound".
    const DEFAULT: Option<u8> = None;
    const IS_REQUIRED: bool = false;
    /// A value that works with every database.
    const EXAMPLE: Option<&'static str> = None;
}

pub type ParameterValue<P> = <<P as Parameter>::Kind as ParameterKind>::Value;
/// `None` if the parameter is absent.
pub type Parsed<P> = Result<Option<ParameterValue<P>>, Issue>;

/// Parameters of a request: a query string, or the arguments of a tool call.
pub trait ParameterSource {
    /// The given value of `P`; `None` if it is absent.
    ///
    /// # Errors
    /// If it is invalid.
    fn read<P: Parameter>(&mut self) -> Parsed<P>;

    /// The issues so far, also about combinations of values that are valid individually.
    fn issues(&mut self) -> &mut Vec<Issue>;

    /// The issue about an absent parameter that is required.
    fn missing<P: Parameter>(&self) -> Issue {
        Issue::missing::<P>()
    }

    /// `None` if the parameter is absent or invalid. An issue is recorded about an invalid one, and about an absent one
    /// that is required.
    fn take<P: Parameter>(&mut self) -> Option<ParameterValue<P>> {
        let value = match self.read::<P>() {
            Ok(None) if P::IS_REQUIRED => Err(self.missing::<P>()),
            parsed => parsed,
        };
        value.unwrap_or_else(|issue| {
            self.issues().push(issue);
            None
        })
    }
}

impl Issue {
    /// An issue about the value of `P`, with the message of its kind.
    pub fn of<P: Parameter>(code: IssueCode, received: &str) -> Self {
        Self::new(P::NAME, code, P::KIND.allowed(), received)
    }

    pub fn missing<P: Parameter>() -> Self {
        let message = format!("is required, and {}", P::KIND.allowed());
        Self::new(P::NAME, IssueCode::InvalidType, message, "")
    }
}

/// # Errors
/// The issue.
pub fn parse<P: Parameter>(text: &str) -> Parsed<P> {
    P::KIND
        .parse(text)
        .map_err(|code| Issue::of::<P>(code, text))
}

/// A parameter as the OpenAPI document and the list of tools have it.
#[derive(Debug)]
pub struct ParameterSpec {
    pub name: &'static str,
    pub description: &'static str,
    /// With the default and the example.
    pub schema: MetaSchema,
    /// The component that the document refers to instead; responses register it.
    pub component: Option<MetaSchemaRef>,
    pub is_required: bool,
}

impl ParameterSpec {
    pub fn new<P: Parameter>(description: &'static str) -> Self {
        Self {
            name: P::NAME,
            description,
            schema: MetaSchema {
                default: P::DEFAULT.map(|default| json!(default)),
                example: P::EXAMPLE.map(|example| json!(example)),
                ..P::KIND.schema()
            },
            component: P::KIND.component(),
            is_required: P::IS_REQUIRED,
        }
    }
}

/// The parameters of one operation, declared with [`arguments!`]: parsed together, and documented from the same list.
pub trait Arguments: Sized {
    /// In the order of the declaration, in which issues are listed too.
    fn specs() -> Vec<ParameterSpec>;

    /// The values; invalid ones are absent, with an issue in `source`.
    fn take_from(source: &mut impl ParameterSource) -> Self;

    /// The present parameters as in a query string, in the order of the declaration.
    fn pairs(&self) -> Vec<(&'static str, String)>;
}

/// Declares [`Arguments`]: a struct whose fields have a description and the type of their parameter.
macro_rules! arguments {
    ($(#[doc = $about:literal])* pub struct $name:ident {
        $(#[doc = $description:literal] $field:ident: $parameter:ty,)*
    }) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Default)]
        pub struct $name {
            $(#[doc = $description] pub $field: Option<$crate::wire::parameters::ParameterValue<$parameter>>,)*
        }

        impl $crate::wire::parameters::Arguments for $name {
            fn specs() -> Vec<$crate::wire::parameters::ParameterSpec> {
                vec![$($crate::wire::parameters::ParameterSpec::new::<$parameter>($description.trim_ascii()),)*]
            }

            fn take_from(source: &mut impl $crate::wire::parameters::ParameterSource) -> Self {
                Self { $($field: $crate::wire::parameters::ParameterSource::take::<$parameter>(source),)* }
            }

            fn pairs(&self) -> Vec<(&'static str, String)> {
                let mut pairs = Vec::new();
                $(if let Some(value) = &self.$field {
                    pairs.push((<$parameter as $crate::wire::parameters::Parameter>::NAME, value.to_string()));
                })*
                pairs
            }
        }
    };
}

pub(crate) use arguments;

/// Declares parameters: type, name, kind, and optionally a default and an example.
macro_rules! parameters {
    (@required) => {
        true
    };
    ($($(#[$meaning:meta])* $parameter:ident = $name:literal $($required:ident)?, $kind:ty: $bounds:expr $(, default $default:expr)? $(, example $example:literal)?;)*) => {$(
        $(#[$meaning])*
        #[derive(Debug)]
        pub struct $parameter;

        impl $crate::wire::parameters::Parameter for $parameter {
            type Kind = $kind;
            const NAME: &'static str = $name;
            const KIND: $kind = $bounds;
            $(const DEFAULT: Option<u8> = Some($default);)?
            $(const IS_REQUIRED: bool = $crate::wire::parameters::parameters!(@$required);)?
            $(const EXAMPLE: Option<&'static str> = Some($example);)?
        }
    )*};
}

pub(crate) use parameters;

parameters! {
    /// One to five stars.
    Rating = "rating", Whole: STARS;
    /// Inclusive.
    MinRating = "min_rating", Decimal: Decimal(STARS);
    /// Inclusive.
    MaxRating = "max_rating", Decimal: Decimal(STARS);
    /// Inclusive.
    Since = "since", Date: Date;
    /// Inclusive.
    Until = "until", Date: Date;
    /// Text that must occur.
    Query = "query", TextKind: TextKind(Some(QUERY_CHARACTERS_MAX)), example "on time";
    MatchRule = "match", OneOf<TextMatch>: OneOf(&TextMatch::ALL, TextMatch::find, None);
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
    /// Page size of an agent, without a default.
    PageSize = "limit", Whole: Whole { least: 1, most: LIMIT_MAX };
    /// The first day.
    FirstDay = "date" required, Date: Date, example "2026-01-01";
    /// Id of a review; it need not exist.
    ReviewKey = "id" required, TextKind: TextKind::ANY;
    /// Id of an aspect; it need not exist.
    AspectKey = "id" required, TextKind: TextKind::ANY, example "punctuality";
    /// Aspect id.
    Aspect = "aspect", TextKind: TextKind::ANY;
    /// Aspect id or label.
    AspectName = "aspect" required, TextKind: TextKind::ANY;
    /// Sentiment of an aspect.
    Polarity = "polarity", OneOf<Vote>: OneOf(&Vote::ALL, Vote::find, Some(insights::Polarity::schema_ref));
    SortOrder = "sort", OneOf<Sort>: OneOf(&Sort::ALL, Sort::find, None);
    /// Published name of the technician whom a sentence is about.
    Technician = "technician", TextKind: TextKind::ANY;
    /// Service id.
    Service = "service", TextKind: TextKind::ANY;
    /// Place name.
    Area = "area", TextKind: TextKind::ANY;
    Part = "part", OneOf<InsightsPart>: OneOf(&InsightsPart::ALL, InsightsPart::find, None), example "overview";
    /// Whether findings include their reasons.
    Hits = "hits", Flag: Flag;
    /// First day of the first period.
    FirstSince = "first_since" required, Date: Date, example "2025-01-01";
    /// Last day of the first period.
    FirstUntil = "first_until" required, Date: Date, example "2025-12-31";
    /// First day of the second period.
    SecondSince = "second_since" required, Date: Date, example "2026-01-01";
    /// Last day of the second period.
    SecondUntil = "second_until" required, Date: Date, example "2026-12-31";
}

// The kinds of parameters: their parsers, the messages about invalid texts, and their schemas.

pub trait ParameterKind: Sized {
    /// The parsed value, displayed as a text that parses to it.
    type Value: Send + Display;
    /// The code of bytes that are not UTF-8: [`IssueCode::InvalidString`] if any text may be valid, so that a JSON value
    /// of another type is certainly wrong.
    const NOT_UTF8: IssueCode = IssueCode::InvalidType;

    /// `None` if the text counts as absent.
    ///
    /// # Errors
    /// The code of the issue.
    fn parse(self, text: &str) -> Result<Option<Self::Value>, IssueCode>;

    /// The allowed values: `must be …`.
    fn allowed(self) -> String;

    /// The OpenAPI schema, including the bounds.
    fn schema(self) -> MetaSchema;

    /// The component with the same schema, if there is one.
    fn component(self) -> Option<MetaSchemaRef> {
        None
    }
}

/// `[0-9]+`, of any length.
#[derive(Debug, Clone, Copy)]
pub struct Whole {
    pub least: u8,
    pub most: u8,
}

impl ParameterKind for Whole {
    type Value = u8;

    fn parse(self, text: &str) -> Result<Option<u8>, IssueCode> {
        if !is_digits(text) {
            return Err(IssueCode::InvalidType);
        }
        match text.parse() {
            Ok(number) if number < self.least => Err(IssueCode::TooSmall),
            Ok(number) if number <= self.most => Ok(Some(number)),
            // A number that does not fit exceeds every bound.
            Ok(_) | Err(_) => Err(IssueCode::TooBig),
        }
    }

    fn allowed(self) -> String {
        format!(
            "must be a whole number from {} to {}",
            self.least, self.most
        )
    }

    fn schema(self) -> MetaSchema {
        MetaSchema {
            minimum: Some(self.least.into()),
            maximum: Some(self.most.into()),
            ..MetaSchema::new("integer")
        }
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `[0-9]+(\.[0-9]+)?`, of any length, within these bounds.
#[derive(Debug, Clone, Copy)]
pub struct Decimal(pub Whole);

impl ParameterKind for Decimal {
    type Value = f64;

    fn parse(self, text: &str) -> Result<Option<f64>, IssueCode> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if !is_digits(fraction) {
            return Err(IssueCode::InvalidType);
        }
        let whole = self.0.parse(whole)?;
        // The digits decide, because 5.00000000000000000001 is 5 as a float.
        if whole == Some(self.0.most) && fraction.bytes().any(|digit| digit != b'0') {
            return Err(IssueCode::TooBig);
        }
        text.parse().map(Some).map_err(|_| IssueCode::InvalidType)
    }

    fn allowed(self) -> String {
        format!(
            "must be a decimal number from {} to {}",
            self.0.least, self.0.most
        )
    }

    fn schema(self) -> MetaSchema {
        MetaSchema {
            ty: "number",
            format: Some("double"),
            ..self.0.schema()
        }
    }
}

/// A day, exactly `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy)]
pub struct Date;

impl ParameterKind for Date {
    type Value = Day;
    const NOT_UTF8: IssueCode = IssueCode::InvalidDate;

    fn parse(self, text: &str) -> Result<Option<Day>, IssueCode> {
        text.parse().map(Some).map_err(|_| IssueCode::InvalidDate)
    }

    fn allowed(self) -> String {
        "must be a day written YYYY-MM-DD, such as 2024-02-29".to_owned()
    }

    fn schema(self) -> MetaSchema {
        MetaSchema::new_with_format("string", "date")
    }
}

/// Any text of at most this many characters; the empty text counts as absent.
#[derive(Debug, Clone, Copy)]
pub struct TextKind(pub Option<usize>);

impl TextKind {
    /// Without a maximum length.
    pub const ANY: Self = Self(None);
}

impl ParameterKind for TextKind {
    type Value = String;
    const NOT_UTF8: IssueCode = IssueCode::InvalidString;

    fn parse(self, text: &str) -> Result<Option<String>, IssueCode> {
        // No text has more characters than bytes.
        let is_too_long = |most: usize| text.len() > most && text.chars().count() > most;
        if self.0.is_some_and(is_too_long) {
            return Err(IssueCode::TooBig);
        }
        Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
    }

    fn allowed(self) -> String {
        match self.0 {
            Some(most) => format!("must be a text of at most {most} characters in UTF-8"),
            None => "must be a text in UTF-8, percent-encoded".to_owned(),
        }
    }

    fn schema(self) -> MetaSchema {
        MetaSchema {
            max_length: self.0,
            ..MetaSchema::new("string")
        }
    }
}

/// A text with a syntax: its parser, and what it accepts; the empty text counts as absent.
#[derive(Debug)]
pub struct TextOf<T>(pub fn(&str) -> Option<T>, pub &'static str);

impl<T: Send + Display> ParameterKind for TextOf<T> {
    type Value = T;
    const NOT_UTF8: IssueCode = IssueCode::InvalidString;

    fn parse(self, text: &str) -> Result<Option<T>, IssueCode> {
        if text.is_empty() {
            return Ok(None);
        }
        (self.0)(text).map(Some).ok_or(IssueCode::InvalidString)
    }

    fn allowed(self) -> String {
        self.1.to_owned()
    }

    fn schema(self) -> MetaSchema {
        TextKind::ANY.schema()
    }
}

/// `true` or `false`; the empty text counts as absent.
#[derive(Debug, Clone, Copy)]
pub struct Flag;

impl ParameterKind for Flag {
    type Value = bool;

    fn parse(self, text: &str) -> Result<Option<bool>, IssueCode> {
        match text {
            "" => Ok(None),
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => Err(IssueCode::InvalidType),
        }
    }

    fn allowed(self) -> String {
        "must be one of: true, false".to_owned()
    }

    fn schema(self) -> MetaSchema {
        MetaSchema::new("boolean")
    }
}

/// One of these values by its name; the empty text counts as absent. A published enum has its own schema.
#[derive(Debug, Clone, Copy)]
pub struct OneOf<T: 'static>(
    pub &'static [T],
    pub fn(&str) -> Option<T>,
    pub Option<fn() -> MetaSchemaRef>,
);

impl<T: Display> OneOf<T> {
    fn names(self) -> Vec<String> {
        self.0.iter().map(T::to_string).collect()
    }
}

impl<T: Copy + Send + Display> ParameterKind for OneOf<T> {
    type Value = T;
    const NOT_UTF8: IssueCode = IssueCode::InvalidString;

    fn parse(self, text: &str) -> Result<Option<T>, IssueCode> {
        if text.is_empty() {
            return Ok(None);
        }
        (self.1)(text).map(Some).ok_or(IssueCode::InvalidString)
    }

    fn allowed(self) -> String {
        format!("must be one of: {}", self.names().join(", "))
    }

    fn schema(self) -> MetaSchema {
        MetaSchema {
            enum_items: self.names().into_iter().map(Value::from).collect(),
            ..MetaSchema::new("string")
        }
    }

    fn component(self) -> Option<MetaSchemaRef> {
        self.2.map(|component| component())
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

// The form of a subscriber's request to the hub (W3C WebSub §5.1).

/// A request to the hub, as a form.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
pub struct HubRequest {
    /// Where to deliver: an `https` URL of at most 2,048 bytes with a public host, port 443 or from 1024 up, no user and no
    /// fragment.
    #[oai(rename = "hub.callback", validator(max_length = 2048))]
    pub callback: String,
    /// Whether to start or renew a subscription, or to end one.
    #[oai(rename = "hub.mode")]
    pub mode: HubMode,
    /// The topic: the URL of `/reviews.json`, `/api/feed.json` or `/feed.xml`, as given in its `Link` header (`self`).
    #[oai(rename = "hub.topic")]
    pub topic: String,
    /// Requested lease in seconds, in digits and above 0; the hub grants the nearest value within its bounds. Ignored on
    /// `unsubscribe`.
    #[oai(rename = "hub.lease_seconds")]
    pub lease_seconds: Option<String>,
    /// Secret that signs the deliveries; less than 200 bytes in UTF-8.
    #[oai(rename = "hub.secret", validator(max_length = 199))]
    pub secret: Option<String>,
}

named! {
    /// Whether to subscribe or to unsubscribe.
    // By its name in requests, verifications and the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
    #[oai(rename_all = "snake_case")]
    pub enum HubMode {
        /// Start a subscription, or renew one.
        Subscribe = "subscribe",
        /// End an existing subscription.
        Unsubscribe = "unsubscribe",
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, IssueCode, ParameterKind as _, STARS, Whole};

    #[test]
    fn decimals_are_compared_by_digits_without_rounding() {
        let parsed = |text: &str| Decimal(STARS).parse(text);
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
            assert_eq!(parsed(text), Err(IssueCode::TooSmall), "{text:?}");
        }
        for text in [
            "5.00000000000000000001",
            "05.1",
            "6",
            "10",
            "256",
            "99999999999999999999999.5",
        ] {
            assert_eq!(parsed(text), Err(IssueCode::TooBig), "{text:?}");
        }
        for text in [
            "", ".", "1.", ".5", "+1", "-1", "1e3", " 1", "1 ", "1,5", "0x1", "\u{661}", "inf",
            "1.2.3", "1_000", "9.x", "x.9",
        ] {
            assert_eq!(parsed(text), Err(IssueCode::InvalidType), "{text:?}");
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
        assert_eq!(parsed("000"), Err(IssueCode::TooSmall));
        assert_eq!(parsed("18446744073709551617"), Err(IssueCode::TooBig));
        assert_eq!(parsed("+1"), Err(IssueCode::InvalidType));
    }
}
