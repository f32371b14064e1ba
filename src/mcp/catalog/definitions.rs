//! What can be listed, read and refused, as plain values: the transport puts them into the
//! protocol's words.

use serde_json::{Map, Value};

/// A JSON object.
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
    /// A short name.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// What it holds.
    pub description: String,
    /// Of its text.
    pub mime_type: &'static str,
}

/// Resources of one kind.
#[derive(Debug, Clone)]
pub struct Template {
    /// RFC 6570.
    pub uri_template: &'static str,
    /// A short name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What they hold.
    pub description: String,
    /// Of their text.
    pub mime_type: &'static str,
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// As it was asked for.
    pub uri: String,
    /// Of the text.
    pub mime_type: &'static str,
    /// The text.
    pub text: String,
}

/// A prompt, as it is listed.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// What it is called by.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it makes.
    pub description: String,
    /// What it is made of.
    pub arguments: Vec<Argument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// What it is called.
    pub name: &'static str,
    /// What it says.
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
    /// Who says it.
    pub role: Role,
    /// What is said.
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
