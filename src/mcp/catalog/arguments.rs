//! Parses a tool call's arguments with the parameters' own types, so that MCP and REST give the same errors, all at
//! once.
//!
//! Unlike in a query string, unknown arguments are errors, because a model means every argument that it sends, and a
//! text must be a JSON string. `null` and the empty string count as absent, because strict clients send every
//! argument; numbers may be strings.

use serde_json::{Map, Value};

use crate::mcp::escape::escaped_json;
use crate::wire::parameters::{
    self, Parameter, ParameterKind, ParameterSource, ParameterSpec, Parsed,
};
use crate::wire::{Issue, IssueCode, RECEIVED_CHARACTERS_MAX};

/// Maximum number of invalid arguments that an error names; no tool has as many.
const NAMED_MAX: usize = 40;

/// The beginning of the message about a missing argument.
const REQUIRED: &str = "is required";

/// A JSON object: a schema, or the arguments of a call.
pub type Object = Map<String, Value>;

/// The reason for a failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallError {
    /// No tool has that name.
    Unknown,
    /// The arguments are invalid; the text lists each with the allowed values.
    Arguments(String),
}

/// The arguments of a call, and the errors found so far.
#[derive(Debug)]
pub struct ToolArguments<'a> {
    pub tool: &'a str,
    pub known: Vec<ParameterSpec>,
    /// Those of the call.
    pub values: &'a Object,
    pub issues: Vec<Issue>,
}

impl<'a> ToolArguments<'a> {
    /// Returns `taken` if every argument is known and valid.
    ///
    /// # Errors
    /// If any is not; [`CallError::Arguments`] lists all of them.
    pub fn finish<T>(mut self, taken: Option<T>) -> Result<T, CallError> {
        let names: Vec<&str> = self.known.iter().map(|known| known.name).collect();
        self.issues.extend(unknown(self.tool, &names, self.values));
        taken
            .filter(|_| self.issues.is_empty())
            .ok_or_else(|| refusal(&self.issues))
    }

    /// The value of `P`; `None` if it counts as absent.
    fn value<P: Parameter>(&self) -> Option<&'a Value> {
        let value = self.values.get(P::NAME);
        value.filter(|value| !value.is_null() && value.as_str() != Some(""))
    }
}

impl ParameterSource for ToolArguments<'_> {
    fn read<P: Parameter>(&mut self) -> Parsed<P> {
        self.value::<P>().map_or(Ok(None), parse::<P>)
    }

    fn missing<P: Parameter>(&self) -> Issue {
        let known = self.known.iter().find(|known| known.name == P::NAME);
        let meaning = known.map_or("", |known| known.description.trim_end_matches('.'));
        let message = format!("{REQUIRED}: {meaning}");
        Issue::new(P::NAME, IssueCode::InvalidType, message, "")
    }

    fn issues(&mut self) -> &mut Vec<Issue> {
        &mut self.issues
    }
}

/// An issue for each of `values` that is not among the `known` arguments of `tool`.
fn unknown(tool: &str, known: &[&str], values: &Object) -> Vec<Issue> {
    let message = match known {
        [] => format!("is not an argument; {tool} takes none"),
        known => format!("is not an argument of {tool}; known: {}", known.join(", ")),
    };
    (values.iter())
        .filter(|(name, _)| !known.contains(&name.as_str()))
        .map(|(name, value)| {
            let received = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            Issue::new(
                &shorten(name),
                IssueCode::InvalidString,
                message.as_str(),
                &received,
            )
        })
        .collect()
}

fn parse<P: Parameter>(value: &Value) -> Parsed<P> {
    match value.as_str() {
        Some(text) => parameters::parse::<P>(text),
        // Any string may be valid, so another JSON type is an error.
        None if P::Kind::NOT_UTF8 == IssueCode::InvalidString => {
            let message = "must be a JSON string";
            let received = decimal(value);
            Err(Issue::new(
                P::NAME,
                IssueCode::InvalidType,
                message,
                &received,
            ))
        }
        None => parameters::parse::<P>(&decimal(value)),
    }
}

/// An error that lists every issue with the allowed and the given values.
pub fn refusal(issues: &[Issue]) -> CallError {
    let count = match issues.len() {
        1 => "1 argument is wrong".to_owned(),
        count => format!("{count} arguments are wrong"),
    };
    let line = |issue: &Issue| {
        let name = escaped_json(&Value::String(issue.path.concat()));
        let line = format!("\n- {}: {}", name.trim_matches('"'), issue.message);
        // A missing argument has no received value.
        if issue.message.starts_with(REQUIRED) {
            return line;
        }
        format!(
            "{line}; received {}",
            escaped_json(&Value::String(issue.received.clone()))
        )
    };
    let lines: String = issues.iter().take(NAMED_MAX).map(line).collect();
    let more = match issues.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!("\n- and {more} more"),
    };
    CallError::Arguments(format!("{count}. Change and call again:{lines}{more}"))
}

/// A JSON value in the form of a query string: numbers as plain decimals, 4.0 as 4.
fn decimal(value: &Value) -> String {
    match value.as_f64() {
        // A float's `Display` has no exponent.
        Some(float) if !value.is_i64() && !value.is_u64() => float.to_string(),
        _ => value.to_string(),
    }
}

/// The beginning of what a client sent, in an issue.
fn shorten(text: &str) -> String {
    text.chars().take(RECEIVED_CHARACTERS_MAX).collect()
}
