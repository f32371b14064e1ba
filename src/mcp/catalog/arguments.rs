//! The arguments of a tool call, parsed as those of REST, so that both give the same errors, all at once. Unlike in a query
//! string, unknown arguments are errors, because a model means every argument that it sends; those that its client adds to
//! every call are ignored.

use serde_json::{Map, Value};

use crate::mcp::escape::escaped_json;
use crate::wire::parameters::REQUIRED;
use crate::wire::{Arguments, Issue, IssueCode};

/// Maximum number of invalid arguments that an error names; no tool has as many.
const NAMED_MAX: usize = 40;

/// Arguments that clients add to the calls of every tool: Cline its list of tasks (cline/cline#10426), n8n the ID of the
/// call (n8n-io/n8n#21500). No model can leave them out, so an error would end every call.
const ADDED_BY_CLIENTS: [&str; 2] = ["task_progress", "toolCallId"];

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

/// A call of a tool, and the errors found so far.
#[derive(Debug)]
pub struct ToolCall {
    pub tool: &'static str,
    pub arguments: Arguments,
}

impl ToolCall {
    /// Returns `taken` if every argument is known and valid.
    ///
    /// # Errors
    /// If any is not; [`CallError::Arguments`] lists all of them.
    pub fn finish<T>(self, taken: Option<T>) -> Result<T, CallError> {
        let message = match self.arguments.known.join(", ").as_str() {
            "" => format!("is not an argument; {} takes none", self.tool),
            known => format!("is not an argument of {}; known: {known}", self.tool),
        };
        let unknown = self.arguments.unknown();
        let unknown = unknown.filter(|(name, _)| !ADDED_BY_CLIENTS.contains(name));
        let unknown = unknown.map(|(name, received)| {
            let code = IssueCode::InvalidString;
            Issue::new(name, code, message.as_str(), received)
        });
        let issues: Vec<Issue> = (self.arguments.issues.iter().cloned())
            .chain(unknown)
            .collect();
        taken
            .filter(|_| issues.is_empty())
            .ok_or_else(|| refusal(&issues))
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
