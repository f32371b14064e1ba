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
use crate::wire::{Issue, IssueCode};

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

impl ToolArguments<'_> {
    /// Returns `taken` if every argument is known and valid.
    ///
    /// # Errors
    /// If any is not; [`CallError::Arguments`] lists all of them.
    pub fn finish<T>(mut self, taken: Option<T>) -> Result<T, CallError> {
        let known: Vec<&str> = self.known.iter().map(|known| known.name).collect();
        let message = match known.join(", ").as_str() {
            "" => format!("is not an argument; {} takes none", self.tool),
            known => format!("is not an argument of {}; known: {known}", self.tool),
        };
        let values = self.values.iter();
        for (name, value) in values.filter(|(name, _)| !known.contains(&name.as_str())) {
            let received = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let code = IssueCode::InvalidString;
            (self.issues).push(Issue::new(name, code, message.as_str(), &received));
        }
        taken
            .filter(|_| self.issues.is_empty())
            .ok_or_else(|| refusal(&self.issues))
    }
}

impl ParameterSource for ToolArguments<'_> {
    fn read<P: Parameter>(&mut self) -> Parsed<P> {
        match self.values.get(P::NAME) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => parse::<P>(value),
        }
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

fn parse<P: Parameter>(value: &Value) -> Parsed<P> {
    match value.as_str() {
        Some("") => Ok(None),
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
