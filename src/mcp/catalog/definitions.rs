//! What can be listed, read and refused, as plain values: the transport puts them into the
//! protocol's words.

use serde_json::{Map, Value};

/// A JSON object: a schema, or the arguments of a call.
pub type Object = Map<String, Value>;

/// A tool, as it is listed.
#[derive(Debug, Clone)]
pub struct Tool {
    /// What it is called by.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// When to use it, when not, what comes back.
    pub description: String,
    /// JSON Schema 2020-12 of the arguments, an object.
    pub input_schema: Object,
    /// JSON Schema 2020-12 of the result, an object.
    pub output_schema: Object,
}

/// A resource, as it is listed.
#[derive(Debug, Clone)]
pub struct Resource {
    /// What it is read by.
    pub uri: String,
    /// A short name for programs; of a linked resource, the id of its subject.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// What it holds, for models and people to choose by.
    pub description: String,
    /// The media type of its text.
    pub mime_type: &'static str,
}

/// Resources of one kind.
#[derive(Debug, Clone)]
pub struct Template {
    /// The template of their URIs (RFC 6570).
    pub uri_template: &'static str,
    /// A short name for programs, such as `review`.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What each holds, for models and people to choose by.
    pub description: String,
    /// The media type of their text.
    pub mime_type: &'static str,
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// As it was asked for.
    pub uri: String,
    /// The media type of the text.
    pub mime_type: &'static str,
    /// The resource itself: one JSON value.
    pub text: String,
}

/// A prompt, as it is listed.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// What it is called by.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What its messages ask for, in one sentence.
    pub description: String,
    /// What it is made of.
    pub arguments: Vec<Argument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// What it is called.
    pub name: &'static str,
    /// Which values it takes, in one sentence.
    pub description: &'static str,
    /// Whether the prompt needs it.
    pub required: bool,
}

/// Who is to have said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person who asks.
    User,
    /// The model that answers.
    Assistant,
}

/// A message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who is to have said it.
    pub role: Role,
    /// Plain text: the task, or the data as one line of JSON.
    pub text: String,
}

/// Of what an argument is to be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference<'a> {
    /// Of the prompt of that name.
    Prompt(&'a str),
    /// Of the resource template of that URI template.
    Resource(&'a str),
}

/// What could be meant by what was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// At most 100, best first.
    pub values: Vec<String>,
    /// How many there are in all.
    pub total: usize,
    /// Whether there are more than these.
    pub has_more: bool,
}

/// Why a call was not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallError {
    /// There is nothing of that name.
    Unknown,
    /// The arguments are wrong; the text tells the agent of each and what is allowed.
    Arguments(String),
}
