//! The valid values of a parameter, read from its schema in the API document; part of the model in `checker`.

use serde_json::{Map, Value};

use reviews_service::model::{Day, ReviewId};
use reviews_service::wire::IssueCode;

/// The only known pattern: that of a [`ReviewId`].
const ID_PATTERN: &str = "^[A-Za-z0-9._~=-]{1,128}$";
/// The maximum length of a chain of references.
const REFERENCES_MAX: usize = 8;
/// Keywords that do not restrict values.
const ANNOTATIONS: [&str; 5] = ["title", "description", "default", "examples", "deprecated"];

/// The valid values of a parameter.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// `[0-9]+`, of any length.
    Integer { least: Option<String>, most: String },
    /// `[0-9]+(\.[0-9]+)?`, of any length.
    Number {
        least: Option<String>,
        most: Option<String>,
    },
    /// A calendar day, as `YYYY-MM-DD`.
    Day,
    /// A review's ID, as in [`ID_PATTERN`].
    Id,
    /// `true` or `false`, in lower case.
    Flag,
    /// One of these texts, case-sensitive.
    Choice(Vec<String>),
    /// Any text within these bounds.
    Text {
        characters_min: usize,
        characters_max: Option<usize>,
    },
}

impl Rule {
    /// The rule of `schema`; the error is its first unknown keyword.
    pub(super) fn read(document: &Value, schema: &Value) -> Result<Self, String> {
        let mut schema = resolve(document, schema, 0)?;
        schema.retain(|keyword, _| !ANNOTATIONS.contains(&keyword.as_str()));
        let kind = kind(schema.remove("type"))?;
        let format = text(&mut schema, "format")?;
        let rule = match (kind.as_str(), format.as_deref()) {
            ("integer", format) => {
                let largest = largest(format).ok_or_else(|| named("format", format))?;
                let (least, most) = bounds(&mut schema)?;
                let most = most.filter(|most| Decimal::read(most) < Decimal::read(largest));
                Self::Integer {
                    least,
                    most: most.unwrap_or_else(|| largest.to_owned()),
                }
            }
            ("number", None | Some("float" | "double")) => {
                let (least, most) = bounds(&mut schema)?;
                Self::Number { least, most }
            }
            ("boolean", None) => Self::Flag,
            ("string", Some("date")) => Self::Day,
            ("string", None) => Self::read_text(&mut schema)?,
            ("number" | "string", format) => return Err(named("format", format)),
            (other, _) => return Err(named("type", Some(other))),
        };
        // The remaining keywords would be promised but not checked.
        schema
            .into_iter()
            .next()
            .map_or(Ok(rule), |(keyword, _)| Err(keyword))
    }

    fn read_text(schema: &mut Map<String, Value>) -> Result<Self, String> {
        if let Some(pattern) = text(schema, "pattern")? {
            return if pattern == ID_PATTERN {
                Ok(Self::Id)
            } else {
                Err(named("pattern", Some(&pattern)))
            };
        }
        if let Some(choices) = schema.remove("enum") {
            return serde_json::from_value(choices)
                .map(Self::Choice)
                .map_err(|_| "enum".to_owned());
        }
        let characters_min = count(schema, "minLength")?.unwrap_or(0);
        Ok(Self::Text {
            characters_min,
            characters_max: count(schema, "maxLength")?,
        })
    }

    /// The issue of `value`, if any.
    pub(super) fn check(&self, value: &str) -> Result<(), IssueCode> {
        match self {
            Self::Integer { least, most } => {
                let number = Decimal::read(value)
                    .filter(|_| !value.contains('.'))
                    .ok_or(IssueCode::InvalidType)?;
                number.check(least.as_deref(), Some(most))
            }
            Self::Number { least, most } => Decimal::read(value)
                .ok_or(IssueCode::InvalidType)?
                .check(least.as_deref(), most.as_deref()),
            Self::Day => value
                .parse::<Day>()
                .map(drop)
                .map_err(|_| IssueCode::InvalidDate),
            Self::Id => value
                .parse::<ReviewId>()
                .map(drop)
                .map_err(|_| IssueCode::InvalidString),
            Self::Flag if ["true", "false"].contains(&value) => Ok(()),
            Self::Flag => Err(IssueCode::InvalidType),
            Self::Choice(choices) if choices.iter().any(|choice| choice == value) => Ok(()),
            Self::Choice(_) => Err(IssueCode::InvalidString),
            Self::Text {
                characters_min,
                characters_max,
            } => {
                let characters = value.chars().count();
                if characters < *characters_min {
                    return Err(IssueCode::TooSmall);
                }
                if characters_max.is_some_and(|most| characters > most) {
                    Err(IssueCode::TooBig)
                } else {
                    Ok(())
                }
            }
        }
    }

    /// The code of a value that is not UTF-8.
    pub(super) fn garbled(&self) -> IssueCode {
        match self {
            Self::Integer { .. } | Self::Number { .. } | Self::Flag => IssueCode::InvalidType,
            Self::Day => IssueCode::InvalidDate,
            Self::Id | Self::Choice(_) | Self::Text { .. } => IssueCode::InvalidString,
        }
    }

    /// A description of the valid values: `must be …`.
    pub(super) fn allowed(&self) -> String {
        match self {
            Self::Integer { least, most } => {
                format!(
                    "must be a whole number from {} to {most}",
                    least.as_deref().unwrap_or("0")
                )
            }
            Self::Number { least, most } => match (least, most) {
                (Some(least), Some(most)) => {
                    format!("must be a decimal number from {least} to {most}")
                }
                (Some(least), None) => format!("must be a decimal number of at least {least}"),
                (None, Some(most)) => format!("must be a decimal number from 0 to {most}"),
                (None, None) => "must be a decimal number, such as 4.5".to_owned(),
            },
            Self::Day => "must be a day written YYYY-MM-DD, such as 2024-02-29".to_owned(),
            Self::Id => {
                "must be an id: 1 to 128 of the characters A-Z a-z 0-9 . _ ~ = -".to_owned()
            }
            Self::Flag => "must be one of: true, false".to_owned(),
            Self::Choice(choices) => format!("must be one of: {}", choices.join(", ")),
            Self::Text {
                characters_min: 0,
                characters_max: None,
            } => "must be a text in UTF-8, percent-encoded".to_owned(),
            Self::Text {
                characters_min: least,
                characters_max: None,
            } => format!("must be a text of at least {least} characters"),
            Self::Text {
                characters_min: 0,
                characters_max: Some(most),
            } => {
                format!("must be a text of at most {most} characters in UTF-8")
            }
            Self::Text {
                characters_min: least,
                characters_max: Some(most),
            } => {
                format!("must be a text of {least} to {most} characters in UTF-8")
            }
        }
    }
}

/// A plain decimal, compared digit by digit: as a float, `5.00000000000000000001` would equal 5.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Decimal<'a> {
    /// Without leading zeros; the longer one is larger. Fields are compared in this order.
    whole_digits: usize,
    whole: &'a str,
    /// The digits after the point, without trailing zeros.
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let is_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        if !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        Some(Self {
            whole_digits: whole.len(),
            whole,
            fraction: fraction.trim_end_matches('0'),
        })
    }

    fn check(&self, least: Option<&str>, most: Option<&str>) -> Result<(), IssueCode> {
        if least
            .and_then(Decimal::read)
            .is_some_and(|least| *self < least)
        {
            return Err(IssueCode::TooSmall);
        }
        if most
            .and_then(Decimal::read)
            .is_some_and(|most| *self > most)
        {
            Err(IssueCode::TooBig)
        } else {
            Ok(())
        }
    }
}

/// The schema merged with the one that it refers to; its own keywords have priority.
fn resolve(document: &Value, schema: &Value, depth: usize) -> Result<Map<String, Value>, String> {
    let mut own = schema.as_object().ok_or("schema")?.clone();
    let Some(reference) = own.remove("$ref") else {
        return Ok(own);
    };
    let pointer = reference
        .as_str()
        .and_then(|reference| reference.strip_prefix('#'));
    let target = pointer
        .and_then(|pointer| document.pointer(pointer))
        .filter(|_| depth < REFERENCES_MAX);
    let mut resolved = resolve(document, target.ok_or("$ref")?, depth + 1)?;
    resolved.extend(own);
    Ok(resolved)
}

/// The only type except null.
fn kind(value: Option<Value>) -> Result<String, String> {
    let kinds = match value {
        Some(Value::Array(kinds)) => kinds,
        Some(one) => vec![one],
        None => Vec::new(),
    };
    let mut kinds = kinds
        .iter()
        .filter_map(Value::as_str)
        .filter(|kind| *kind != "null");
    match (kinds.next(), kinds.next()) {
        (Some(kind), None) => Ok(kind.to_owned()),
        (_, _) => Err("type".to_owned()),
    }
}

/// The maximum of a whole number of this format.
fn largest(format: Option<&str>) -> Option<&'static str> {
    match format.unwrap_or("int64") {
        "uint8" => Some("255"),
        "uint16" => Some("65535"),
        "int32" => Some("2147483647"),
        "uint32" => Some("4294967295"),
        "int64" => Some("9223372036854775807"),
        "uint64" => Some("18446744073709551615"),
        _ => None,
    }
}

/// `minimum` and `maximum` as plain decimals. Negative bounds are refused, because parameters cannot be negative.
fn bounds(schema: &mut Map<String, Value>) -> Result<(Option<String>, Option<String>), String> {
    let mut bound = |keyword: &str| {
        let Some(value) = schema.remove(keyword) else {
            return Ok(None);
        };
        // A float's `Display` has no exponent, and 5.0 is shown as 5.
        let digits = value
            .as_u64()
            .map(|whole| whole.to_string())
            .or_else(|| value.as_f64().map(|float| float.to_string()));
        match digits.filter(|digits| Decimal::read(digits).is_some()) {
            Some(digits) => Ok(Some(digits)),
            None => Err(named(keyword, Some(&value.to_string()))),
        }
    };
    Ok((bound("minimum")?, bound("maximum")?))
}

fn text(schema: &mut Map<String, Value>, keyword: &str) -> Result<Option<String>, String> {
    match schema.remove(keyword) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(named(keyword, Some(&other.to_string()))),
    }
}

fn count(schema: &mut Map<String, Value>, keyword: &str) -> Result<Option<usize>, String> {
    let Some(value) = schema.remove(keyword) else {
        return Ok(None);
    };
    let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
    count
        .map(Some)
        .ok_or_else(|| named(keyword, Some(&value.to_string())))
}

fn named(keyword: &str, value: Option<&str>) -> String {
    value.map_or_else(|| keyword.to_owned(), |value| format!("{keyword}: {value}"))
}
