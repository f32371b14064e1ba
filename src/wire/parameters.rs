//! The arguments of requests, and how each parameter is read and documented, so that HTTP and MCP have the same value or
//! the same issue for the same text. The bounds are in `config::bounds`. And the hub's form.

use std::fmt::Display;
use std::ops::RangeInclusive;

use percent_encoding::percent_decode_str;
use poem_openapi::{Enum, Object};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::problem::{Issue, IssueCode};
use crate::config::bounds::{ECHO_CHARACTERS_MAX, IGNORED_MAX, LIMIT_MAX, QUERY_CHARACTERS_MAX};
use crate::links::with_query;
use crate::model::{Day, Vote, named};

/// Default number of reviews on a page.
const LIMIT_DEFAULT: u8 = 20;
pub const STARS: RangeInclusive<u8> = 1..=5;
pub const DAY_ALLOWED: &str = "must be a day written YYYY-MM-DD, such as 2024-02-29";

/// The parameters of one operation. `parse` is the one list of them: a parameter that it reads is documented, because the
/// documentation is made by calling it.
pub trait Parameters: Sized {
    /// Reads each parameter, in the order of the documentation and of issues. An invalid one is absent, with an issue in
    /// `arguments`.
    fn parse(arguments: &mut Arguments) -> Self;

    /// The description of each parameter.
    fn describe() -> Vec<ParameterDescription> {
        let mut arguments = Arguments {
            descriptions: Some(Vec::new()),
            ..Arguments::default()
        };
        Self::parse(&mut arguments);
        arguments.descriptions.unwrap_or_default()
    }
}

/// A parameter as the OpenAPI document and the list of tools have it.
#[derive(Debug)]
pub struct ParameterDescription {
    pub name: &'static str,
    pub description: &'static str,
    /// With the default.
    pub schema: Value,
    pub is_required: bool,
    pub example: Option<&'static str>,
    /// Whether an empty value counts as absent, although the schema does not allow it.
    pub allows_empty: bool,
}

/// A name, or what the documentation says; a page has none.
type Text = &'static str;

/// Where arguments come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ArgumentOrigin {
    #[default]
    Query,
    /// The query of a page: empty values count as absent, because a browser's form sends every field.
    Form,
    /// The arguments of a tool call: `null` and the empty string count as absent, because strict clients send every
    /// argument; numbers may be strings.
    Tool,
}

/// What an argument's text was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentForm {
    Text,
    /// With U+FFFD in place of bytes that are not UTF-8.
    Bytes,
    /// Another JSON value than a string.
    Json,
}

#[derive(Debug, Clone)]
struct Argument {
    name: String,
    text: String,
    written: ArgumentForm,
}

/// What applies to the next parameter only.
#[derive(Debug, Default)]
struct Notes {
    is_required: bool,
    example: Option<&'static str>,
    default: Option<u8>,
}

/// The allowed texts of a parameter: for its schema, and for the message about another text.
enum ParameterRule<'a> {
    /// `[0-9]+`, of any length.
    Whole(&'a RangeInclusive<u8>),
    /// `[0-9]+(\.[0-9]+)?`, of any length.
    Decimal(&'a RangeInclusive<u8>),
    /// Exactly `YYYY-MM-DD`.
    Day,
    /// Of at most [`QUERY_CHARACTERS_MAX`] characters.
    Text,
    /// `true` or `false`.
    Flag,
    /// Its names, which are made for the schema and for an issue only.
    OneOf(&'a dyn Fn() -> Vec<String>),
    /// What it says: `must be …`.
    Syntax(&'a str),
}

impl ParameterRule<'_> {
    /// Whether its values are texts, so that a JSON value of another type is certainly wrong.
    const fn is_text(&self) -> bool {
        match self {
            Self::Text | Self::OneOf(_) | Self::Syntax(_) => true,
            Self::Whole(_) | Self::Decimal(_) | Self::Day | Self::Flag => false,
        }
    }

    fn allowed(&self) -> String {
        match self {
            Self::Whole(bounds) => {
                let (least, most) = (bounds.start(), bounds.end());
                format!("must be a whole number from {least} to {most}")
            }
            Self::Decimal(bounds) => {
                let (least, most) = (bounds.start(), bounds.end());
                format!("must be a decimal number from {least} to {most}")
            }
            Self::Day => DAY_ALLOWED.to_owned(),
            Self::Text => {
                format!("must be a text of at most {QUERY_CHARACTERS_MAX} characters in UTF-8")
            }
            Self::Flag => "must be one of: true, false".to_owned(),
            Self::OneOf(names) => format!("must be one of: {}", names().join(", ")),
            Self::Syntax(allowed) => (*allowed).to_owned(),
        }
    }

    fn schema(&self) -> Value {
        match self {
            Self::Whole(bounds) => {
                json!({ "type": "integer", "minimum": bounds.start(), "maximum": bounds.end() })
            }
            Self::Decimal(bounds) => json!({
                "type": "number", "format": "double", "minimum": bounds.start(), "maximum": bounds.end(),
            }),
            Self::Day => json!({ "type": "string", "format": "date" }),
            Self::Text => json!({ "type": "string", "maxLength": QUERY_CHARACTERS_MAX }),
            Self::Syntax(_) => json!({ "type": "string" }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::OneOf(names) => json!({ "type": "string", "enum": names() }),
        }
    }
}

/// The arguments of a request: the pairs of a query string (`application/x-www-form-urlencoded`, WHATWG URL §5.1), or the
/// members of a tool call's object. The methods named after a kind of value read one parameter each.
#[derive(Debug, Default)]
pub struct Arguments {
    /// In the order of the request.
    list: Vec<Argument>,
    origin: ArgumentOrigin,
    pub issues: Vec<Issue>,
    /// The parameters that were read.
    pub known: Vec<&'static str>,
    notes: Notes,
    /// `Some` if the parameters are described instead of read.
    descriptions: Option<Vec<ParameterDescription>>,
}

impl Arguments {
    /// Those of a query string, of which no parameter is read yet.
    pub fn query(query: &str) -> Self {
        let has_other_bytes = percent_decode_str(query).decode_utf8().is_err();
        let list = form_urlencoded::parse(query.as_bytes()).map(|(name, text)| Argument {
            name: name.into_owned(),
            written: if has_other_bytes && text.contains(char::REPLACEMENT_CHARACTER) {
                ArgumentForm::Bytes
            } else {
                ArgumentForm::Text
            },
            text: text.into_owned(),
        });
        Self {
            list: list.collect(),
            ..Self::default()
        }
    }

    /// Those of a page's query string: empty values count as absent.
    pub fn form(query: &str) -> Self {
        Self {
            origin: ArgumentOrigin::Form,
            ..Self::query(query)
        }
    }

    /// Those of a tool call.
    pub fn tool(values: &Map<String, Value>) -> Self {
        let list = values.iter().filter(|(_, value)| !value.is_null());
        let list = list.map(|(name, value)| {
            let (text, written) = match value.as_str() {
                Some(text) => (text.to_owned(), ArgumentForm::Text),
                None => (decimal(value), ArgumentForm::Json),
            };
            Argument {
                name: name.clone(),
                text,
                written,
            }
        });
        Self {
            list: list.collect(),
            origin: ArgumentOrigin::Tool,
            ..Self::default()
        }
    }

    /// Empty values count as absent from now on.
    pub fn omit_empty(&mut self) {
        self.origin = ArgumentOrigin::Form;
    }

    pub fn remove(&mut self, name: &str) {
        self.list.retain(|argument| argument.name != name);
    }

    /// Whether they are those of a page.
    pub fn is_form(&self) -> bool {
        self.origin == ArgumentOrigin::Form
    }

    /// Those that do not count as absent.
    fn present(&self) -> impl Iterator<Item = &Argument> {
        let omits_empty = self.origin != ArgumentOrigin::Query;
        let list = self.list.iter();
        list.filter(move |argument| !(omits_empty && argument.text.is_empty()))
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        let argument = self.present().find(|argument| argument.name == name)?;
        Some(&argument.text)
    }

    /// The names that were not read, with their texts.
    pub fn unknown(&self) -> impl Iterator<Item = (&str, &str)> {
        self.list
            .iter()
            .map(|argument| (argument.name.as_str(), argument.text.as_str()))
            .filter(|(name, _)| !self.known.contains(name))
    }

    /// The names that were not read, without duplicates.
    pub fn ignored_names(&self) -> Vec<String> {
        let mut ignored = Vec::new();
        for (name, _) in self.unknown() {
            let name: String = name.chars().take(ECHO_CHARACTERS_MAX).collect();
            if ignored.len() < IGNORED_MAX && !ignored.contains(&name) {
                ignored.push(name);
            }
        }
        ignored
    }

    /// `path` with the known parameters except `without`, and with `added`.
    pub fn address(&self, path: &str, without: &[&str], added: &[(&str, &str)]) -> String {
        let kept = self.present();
        let kept = kept.map(|argument| (argument.name.as_str(), argument.text.as_str()));
        let kept = kept.filter(|(name, _)| self.known.contains(name) && !without.contains(name));
        with_query(path, kept.chain(added.iter().copied()))
    }

    /// The next parameter is required; with an example as below.
    pub const fn required(&mut self, example: Text) -> &mut Self {
        self.notes.is_required = true;
        self.example(example)
    }

    /// A value of the next parameter for the documentation, which works with every database.
    pub const fn example(&mut self, example: Text) -> &mut Self {
        self.notes.example = Some(example);
        self
    }

    pub fn whole(&mut self, name: Text, bounds: RangeInclusive<u8>, about: Text) -> Option<u8> {
        self.read(name, &ParameterRule::Whole(&bounds), about, |text| {
            parse_whole(text, &bounds).map(Some)
        })
    }

    pub fn decimal(&mut self, name: Text, bounds: RangeInclusive<u8>, about: Text) -> Option<f64> {
        self.read(name, &ParameterRule::Decimal(&bounds), about, |text| {
            parse_decimal(text, &bounds).map(Some)
        })
    }

    pub fn day(&mut self, name: Text, about: Text) -> Option<Day> {
        self.read(name, &ParameterRule::Day, about, |text| {
            text.parse().map(Some).map_err(|_| IssueCode::InvalidDate)
        })
    }

    /// A text; an empty one counts as absent.
    pub fn text(&mut self, name: Text, about: Text) -> Option<String> {
        self.read(name, &ParameterRule::Text, about, |text| {
            if text.chars().count() > QUERY_CHARACTERS_MAX {
                return Err(IssueCode::TooBig);
            }
            Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
        })
    }

    /// `true` or `false`; an empty text counts as absent.
    pub fn flag(&mut self, name: Text, about: Text) -> Option<bool> {
        self.read(name, &ParameterRule::Flag, about, |text| match text {
            "" => Ok(None),
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => Err(IssueCode::InvalidType),
        })
    }

    /// One of the values of an enum by its name; an empty text counts as absent.
    pub fn one_of<T: Display>(
        &mut self,
        name: Text,
        all: &[T],
        find: fn(&str) -> Option<T>,
        about: Text,
    ) -> Option<T> {
        let names = || all.iter().map(T::to_string).collect();
        self.find(name, &ParameterRule::OneOf(&names), about, find)
    }

    /// A text that `find` accepts: `allowed` says which, `must be …`. An empty text counts as absent.
    pub fn syntax<T>(
        &mut self,
        name: Text,
        allowed: &str,
        find: fn(&str) -> Option<T>,
        about: Text,
    ) -> Option<T> {
        self.find(name, &ParameterRule::Syntax(allowed), about, find)
    }

    fn find<T>(
        &mut self,
        name: Text,
        rule: &ParameterRule<'_>,
        about: Text,
        find: fn(&str) -> Option<T>,
    ) -> Option<T> {
        self.read(name, rule, about, |text| match text {
            "" => Ok(None),
            _ => find(text).map(Some).ok_or(IssueCode::InvalidString),
        })
    }

    /// `limit`, the number of reviews on a page; 20 by default.
    pub fn limit(&mut self) -> u8 {
        self.notes.default = Some(LIMIT_DEFAULT);
        let limit = self.whole("limit", 1..=LIMIT_MAX, "Maximum number of reviews.");
        limit.unwrap_or(LIMIT_DEFAULT)
    }

    /// `polarity`, a vote on an aspect.
    pub fn polarity(&mut self, about: Text) -> Option<Vote> {
        self.one_of("polarity", &Vote::ALL, Vote::find, about)
    }

    /// The value of a parameter; `None` if it is absent or invalid. An issue is recorded about an invalid one, and about an
    /// absent one that is required.
    fn read<T>(
        &mut self,
        name: Text,
        rule: &ParameterRule<'_>,
        about: Text,
        parse: impl FnOnce(&str) -> Result<Option<T>, IssueCode>,
    ) -> Option<T> {
        self.known.push(name);
        let notes = std::mem::take(&mut self.notes);
        if let Some(descriptions) = &mut self.descriptions {
            let mut schema = rule.schema();
            if let Some(default) = notes.default {
                schema["default"] = json!(default);
            }
            let is_choice = matches!(rule, ParameterRule::Flag | ParameterRule::OneOf(_));
            descriptions.push(ParameterDescription {
                name,
                description: about,
                schema,
                is_required: notes.is_required,
                example: notes.example,
                allows_empty: self.origin == ArgumentOrigin::Form
                    || is_choice && !notes.is_required,
            });
            return None;
        }
        let of_name = self.present().filter(|argument| argument.name == name);
        let of_name: Vec<&Argument> = of_name.collect();
        let parsed = match of_name[..] {
            [] => Ok(None),
            [one] if one.written == ArgumentForm::Json && rule.is_text() => {
                let (code, message) = (IssueCode::InvalidType, "must be a JSON string");
                Err(Issue::new(name, code, message, &one.text))
            }
            [one] => {
                let value = if one.written == ArgumentForm::Bytes && rule.is_text() {
                    Err(IssueCode::InvalidString)
                } else {
                    parse(&one.text)
                };
                value.map_err(|code| Issue::new(name, code, rule.allowed(), &one.text))
            }
            [..] => {
                let texts: Vec<&str> = of_name.iter().map(|one| one.text.as_str()).collect();
                let (code, message) = (IssueCode::Duplicate, "must be given only once");
                Err(Issue::new(name, code, message, &texts.join(", ")))
            }
        };
        let issue = match parsed {
            Ok(None) if notes.is_required => {
                let message = format!("{REQUIRED}, and {}", rule.allowed());
                Issue::new(name, IssueCode::InvalidType, message, "")
            }
            Ok(value) => return value,
            Err(issue) => issue,
        };
        self.issues.push(issue);
        None
    }
}

/// The beginning of the message about a missing argument.
pub const REQUIRED: &str = "is required";

fn parse_whole(text: &str, bounds: &RangeInclusive<u8>) -> Result<u8, IssueCode> {
    if !is_digits(text) {
        return Err(IssueCode::InvalidType);
    }
    match text.parse() {
        Ok(number) if number < *bounds.start() => Err(IssueCode::TooSmall),
        Ok(number) if number <= *bounds.end() => Ok(number),
        // A number that does not fit exceeds every bound.
        Ok(_) | Err(_) => Err(IssueCode::TooBig),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_decimal(text: &str, bounds: &RangeInclusive<u8>) -> Result<f64, IssueCode> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(fraction) {
        return Err(IssueCode::InvalidType);
    }
    let whole = parse_whole(whole, bounds)?;
    // The digits decide, because 5.00000000000000000001 is 5 as a float.
    if whole == *bounds.end() && fraction.bytes().any(|digit| digit != b'0') {
        return Err(IssueCode::TooBig);
    }
    text.parse().map_err(|_| IssueCode::InvalidType)
}

/// A JSON value in the form of a query string: numbers as plain decimals, 4.0 as 4.
fn decimal(value: &Value) -> String {
    match value.as_f64() {
        // A float's `Display` has no exponent.
        Some(float) if !value.is_i64() && !value.is_u64() => float.to_string(),
        _ => value.to_string(),
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
        /// Distinctive phrases, with votes.
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
