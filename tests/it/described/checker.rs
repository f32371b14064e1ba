//! A model of parameter checks: it interprets the API document, and the service must answer in the same way.

use std::borrow::Cow;
use std::collections::HashMap;

use percent_encoding::percent_decode;
use serde_json::Value;
use thiserror::Error;

use super::rule::Rule;
use reviews_service::wire::{Issue, IssueCode};

/// The maximum length of a repeated invalid value.
const RECEIVED_CHARACTERS_MAX: usize = 200;
/// The members of a path item that are operations (OAS 3.1.0 §4.8.9.1).
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// Checks parameters against the API document.
#[derive(Debug)]
pub struct Checker {
    operations: HashMap<String, Vec<Parameter>>,
}

/// The API document has a keyword for a parameter that the checker does not know.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the parameter `{parameter}` of `{operation}` has `{keyword}`, which nothing checks")]
pub struct UnknownKeyword {
    /// The operation's ID, or its method and path if it has none.
    pub operation: String,
    /// The parameter's name in the API document.
    pub parameter: String,
    /// The keyword, with its value if only the value is unknown.
    pub keyword: String,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    place: Place,
    is_required: bool,
    may_be_empty: bool,
    rule: Rule,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Query,
    Path,
}

/// A value as received; an error if it is not UTF-8.
type Given<'a> = Result<Cow<'a, str>, Cow<'a, str>>;

impl Checker {
    /// The checker of every operation's query and path parameters.
    ///
    /// # Errors
    ///
    /// If a schema has an unknown keyword, or an operation with parameters has no ID.
    pub fn new(document: &Value) -> Result<Self, UnknownKeyword> {
        let mut operations = HashMap::new();
        let paths = document.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flatten() {
            for (method, operation) in METHODS
                .iter()
                .filter_map(|method| item.get(method).map(|operation| (method, operation)))
            {
                let id = operation.get("operationId").and_then(Value::as_str);
                let name = id.map_or_else(|| format!("{method} {path}"), str::to_owned);
                let mut parameters = Vec::new();
                for parameter in list(item).chain(list(operation)) {
                    parameters.extend(Parameter::read(document, &name, parameter)?);
                }
                if let (None, Some(first)) = (id, parameters.first()) {
                    let keyword = "no operationId".to_owned();
                    return Err(UnknownKeyword {
                        operation: name,
                        parameter: first.name.clone(),
                        keyword,
                    });
                }
                operations.insert(name, parameters);
            }
        }
        Ok(Self { operations })
    }

    /// The issues of a query string, one for each invalid parameter, in the document's order. Unknown names are ignored.
    #[must_use]
    pub fn check_query(&self, operation_id: &str, raw_query: &str) -> Vec<Issue> {
        let pairs = raw_query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let pairs: Vec<(Cow<str>, &str)> = pairs
            .map(|(name, value)| (text(decode(name)), value))
            .collect();
        let parameters = self
            .parameters(operation_id)
            .filter(|parameter| parameter.place == Place::Query);
        let issues = parameters.filter_map(|parameter| {
            let values = pairs.iter().filter(|(name, _)| *name == parameter.name);
            parameter.check(&values.map(|(_, value)| decode(value)).collect::<Vec<_>>())
        });
        issues.collect()
    }

    /// The issue of one percent-decoded part of a path.
    #[must_use]
    pub fn check_path(&self, operation_id: &str, name: &str, value: &str) -> Vec<Issue> {
        let parameters = self
            .parameters(operation_id)
            .filter(|parameter| parameter.place == Place::Path && parameter.name == name);
        parameters
            .filter_map(|parameter| parameter.check(&[Ok(Cow::Borrowed(value))]))
            .collect()
    }

    fn parameters(&self, operation_id: &str) -> impl Iterator<Item = &Parameter> {
        self.operations.get(operation_id).into_iter().flatten()
    }
}

impl Parameter {
    /// `None` for parameters outside query and path.
    fn read(
        document: &Value,
        operation: &str,
        parameter: &Value,
    ) -> Result<Option<Self>, UnknownKeyword> {
        let name = parameter
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let unknown = |keyword: String| UnknownKeyword {
            operation: operation.to_owned(),
            parameter: name.clone(),
            keyword,
        };
        let place = match parameter.get("in").and_then(Value::as_str) {
            Some("query") => Place::Query,
            Some("path") => Place::Path,
            Some("header" | "cookie") => return Ok(None),
            // A reference, for example, could be to a parameter that must be checked.
            _ => return Err(unknown("in".to_owned())),
        };
        let schema = parameter
            .get("schema")
            .ok_or_else(|| unknown("no schema".to_owned()))?;
        let rule = Rule::read(document, schema).map_err(unknown)?;
        let is_required = parameter
            .get("required")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        let may_be_empty = parameter
            .get("allowEmptyValue")
            .is_some_and(|allowed| allowed == true);
        Ok(Some(Self {
            name,
            place,
            is_required,
            may_be_empty,
            rule,
        }))
    }

    fn check(&self, values: &[Given]) -> Option<Issue> {
        let (code, message) = match values {
            [] if self.is_required => (
                IssueCode::InvalidType,
                format!("is required, and {}", self.rule.allowed()),
            ),
            [] => return None,
            [Ok(value)] if self.may_be_empty && value.is_empty() => return None,
            [Ok(value)] => (self.rule.check(value).err()?, self.rule.allowed()),
            [Err(_)] => (self.rule.garbled(), self.rule.allowed()),
            [..] => (IssueCode::Duplicate, "must be given only once".to_owned()),
        };
        let received = values
            .iter()
            .map(|value| value.as_ref().unwrap_or_else(|garbled| garbled).as_ref())
            .collect::<Vec<_>>();
        let received = received
            .join(", ")
            .chars()
            .take(RECEIVED_CHARACTERS_MAX)
            .collect();
        Some(Issue {
            path: vec![self.name.clone()],
            code,
            message,
            received,
        })
    }
}

fn list(holder: &Value) -> impl Iterator<Item = &Value> {
    holder
        .get("parameters")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Decodes a name or value of `application/x-www-form-urlencoded` (WHATWG URL §5.1). A `%` without two hexadecimal digits
/// is kept.
fn decode(raw: &str) -> Given<'_> {
    let spaced = if raw.contains('+') {
        Cow::Owned(raw.replace('+', " "))
    } else {
        Cow::Borrowed(raw)
    };
    let bytes: Vec<u8> = percent_decode(spaced.as_bytes()).collect();
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err(error) => Err(Cow::Owned(
            String::from_utf8_lossy(error.as_bytes()).into_owned(),
        )),
    }
}

fn text(given: Given<'_>) -> Cow<'_, str> {
    given.unwrap_or_else(|garbled| garbled)
}
