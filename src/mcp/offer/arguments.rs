//! The door for agents: arguments become name-value pairs and pass the checker that requests pass, so that both are told
//! the same of the same value. All that is wrong is said at once, in words.
//!
//! Two things differ from a query string, because a model means every argument that it sends: one that is not known is
//! refused and not ignored, and a text must be a JSON string. `null` is as if absent; numbers may come as strings.

use serde_json::Value;

use super::listing::{Object, Refusal};
use super::text;
use crate::respond::{Checker, invalid_cursor};
use crate::reviews::Day;
use crate::search::Cursor;
use crate::wire::{Code, Issue};

/// How many wrong arguments are named: more than any tool has.
const NAMED_MAX: usize = 40;
/// How much of a wrong argument is given back.
const RECEIVED_CHARACTERS_MAX: usize = 200;

/// How the message about an argument that is missing begins.
pub const REQUIRED: &str = "is required";

/// An argument that a tool knows.
#[derive(Debug, Clone)]
pub struct Known {
    /// What it is called.
    pub name: String,
    /// Its schema, with a description.
    pub schema: Object,
    /// Whether it must be given.
    pub is_required: bool,
    /// What it may be.
    pub rule: Rule,
}

/// Who says what an argument may be.
#[derive(Debug, Clone)]
pub enum Rule {
    /// The API document, of the parameter of an operation.
    Parameter(&'static str, String),
    /// Nobody but the cursor itself.
    Cursor,
    /// The tool, which looks it up.
    Name,
}

/// The arguments of a call, each as its rule allows.
#[derive(Debug, Default)]
pub struct Given(Vec<(String, String)>);

impl Given {
    /// An argument's text, if it was given and is not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// An argument, read as what the door has made sure that it is.
    #[must_use]
    pub fn read<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// A day; of a required argument the door has made sure that there is one.
    #[must_use]
    pub fn day(&self, name: &str) -> Day {
        self.read(name).unwrap_or(Day::MIN)
    }
}

/// The arguments of `tool`, if none is wrong.
///
/// # Errors
/// [`Refusal::Arguments`], which names every one that is.
pub fn check(checker: &Checker, tool: &str, known: &[Known], arguments: &Object) -> Result<Given, Refusal> {
    let (mut given, mut issues) = (Given::default(), Vec::new());
    for argument in known {
        match arguments.get(&argument.name).filter(|value| !value.is_null()) {
            Some(value) => match argument.judge(checker, value) {
                Ok(value) => given.0.push((argument.name.clone(), value)),
                Err(issue) => issues.push(issue),
            },
            None if argument.is_required => issues.push(argument.issue(Code::InvalidType, argument.missing(), "")),
            None => {}
        }
    }
    let names: Vec<&str> = known.iter().map(|argument| argument.name.as_str()).collect();
    for (name, value) in arguments.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
        let message = match names.as_slice() {
            [] => format!("is no argument; {tool} takes none"),
            names => format!("is no argument of {tool}; known are {}", names.join(", ")),
        };
        issues.push(Issue { path: vec![shortened(name)], code: Code::InvalidString, message, received: shown(value) });
    }
    if issues.is_empty() { Ok(given) } else { Err(refusal(&issues)) }
}

/// The text that names every issue: what is allowed, and what was given.
#[must_use]
pub fn refusal(issues: &[Issue]) -> Refusal {
    let count = match issues.len() {
        1 => "1 argument is wrong".to_owned(),
        count => format!("{count} arguments are wrong"),
    };
    let line = |issue: &Issue| {
        let name = text(&Value::String(issue.path.concat()));
        let said = format!("\n- {}: {}", name.trim_matches('"'), issue.message);
        // What is missing was not received.
        if issue.message.starts_with(REQUIRED) && issue.received.is_empty() {
            return said;
        }
        format!("{said}; received {}", text(&Value::String(issue.received.clone())))
    };
    let lines: String = issues.iter().take(NAMED_MAX).map(line).collect();
    let more = match issues.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!("\n- and {more} more"),
    };
    Refusal::Arguments(format!("{count}. Change and call again:{lines}{more}"))
}

impl Known {
    /// The argument's text, or what is wrong with it.
    fn judge(&self, checker: &Checker, value: &Value) -> Result<String, Issue> {
        let is_string = value.is_string();
        let value = value.as_str().map_or_else(|| written(value), str::to_owned);
        if !is_string && self.is_plain_text() {
            return Err(self.issue(Code::InvalidType, "must be a JSON string".to_owned(), &value));
        }
        let issue = match &self.rule {
            Rule::Parameter(operation, parameter) => {
                let pairs = [(parameter.clone(), value.clone())];
                let issues = checker.check_pairs(operation, &pairs);
                issues.into_iter().find(|issue| issue.path.first() == Some(parameter))
            }
            Rule::Cursor if value.is_empty() => None,
            Rule::Cursor => value.parse::<Cursor>().is_err().then(|| invalid_cursor(&value)),
            Rule::Name => None,
        };
        match issue {
            Some(issue) => Err(Issue { path: vec![self.name.clone()], ..issue }),
            None if self.is_required && value.is_empty() => Err(self.issue(Code::InvalidType, self.missing(), &value)),
            None => Ok(value),
        }
    }

    /// Whether any text may do: then what is no text is not meant to be one.
    fn is_plain_text(&self) -> bool {
        self.schema.get("type").is_some_and(|kind| kind == "string") && !self.schema.contains_key("format")
    }

    fn missing(&self) -> String {
        let meaning = self.schema.get("description").and_then(Value::as_str).unwrap_or_default();
        format!("{REQUIRED}: {meaning}").trim_end_matches('.').to_owned()
    }

    fn issue(&self, code: Code, message: String, received: &str) -> Issue {
        Issue { path: vec![self.name.clone()], code, message, received: shortened(received) }
    }
}

/// What was given, for an issue: a string as it is, anything else as JSON.
#[must_use]
pub fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| shortened(&value.to_string()), shortened)
}

/// A JSON value as a query string would have it: numbers as plain decimals, 4.0 as 4.
fn written(value: &Value) -> String {
    match value.as_f64() {
        // A float's `Display` never has an exponent.
        Some(float) if !value.is_i64() && !value.is_u64() => float.to_string(),
        _ => value.to_string(),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(RECEIVED_CHARACTERS_MAX).collect()
}
