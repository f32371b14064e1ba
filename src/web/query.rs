//! The query string of a request as a source of parameters, and addresses with the same parameters.

use poem::{Request, Response};

use super::problem::invalid_parameters;
use super::request::UrlParameters;
use crate::wire::parameters::{Parameter, ParameterSource, Parsed, parse_all};
use crate::wire::{Issue, RECEIVED_CHARACTERS_MAX};

/// Maximum number of ignored names in a response.
const IGNORED_MAX: usize = 20;

/// The decoded pairs, and the issues found so far.
#[derive(Debug, Default)]
pub struct QueryParameters<'a> {
    /// In order; `Err` if the bytes are not UTF-8.
    given: Vec<(&'a str, Result<&'a str, &'a str>)>,
    /// Whether empty values count as absent.
    is_form: bool,
    pub issues: Vec<Issue>,
    /// The parameters that were read.
    known: Vec<&'static str>,
}

impl<'a> QueryParameters<'a> {
    /// The query of `request`, of which no parameter is read yet.
    pub fn of(request: &'a Request) -> Self {
        Self {
            given: UrlParameters::pairs(request).collect(),
            ..Self::default()
        }
    }

    /// Like [`Self::of`], for a page: empty values count as absent, because a browser's form sends every field.
    pub fn of_form(request: &'a Request) -> Self {
        Self {
            is_form: true,
            ..Self::of(request)
        }
    }

    /// The same query without the parameters `without`, and with `added`, before any parameter is read.
    pub fn with<'b>(
        &'b self,
        without: &[&str],
        added: &[(&'b str, &'b str)],
    ) -> QueryParameters<'b> {
        let kept = self.given.iter();
        let kept = kept.filter(|(name, _)| !without.contains(name));
        let added = added.iter().map(|(name, value)| (*name, Ok(*value)));
        QueryParameters {
            given: kept.copied().chain(added).collect(),
            is_form: self.is_form,
            ..QueryParameters::default()
        }
    }

    /// The pairs that count as given.
    fn filled(&self) -> impl Iterator<Item = (&'a str, Result<&'a str, &'a str>)> {
        let given = self.given.iter().copied();
        given.filter(|(_, value)| !self.is_form || *value != Ok(""))
    }

    fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.filled().map(|(name, value)| {
            let (Ok(text) | Err(text)) = value;
            (name, text)
        })
    }

    pub fn value(&self, name: &str) -> Option<&'a str> {
        let given = self.pairs().find(|(key, _)| *key == name);
        given.map(|(_, value)| value)
    }

    pub fn issue(&self, name: &str) -> Option<&Issue> {
        let mut issues = self.issues.iter();
        issues.find(|issue| issue.path.first().is_some_and(|key| key == name))
    }

    /// The names of given parameters that were not read, without duplicates.
    pub fn ignored_names(&self) -> Vec<String> {
        let mut ignored = Vec::new();
        for (name, _) in &self.given {
            let is_known = self.known.contains(name);
            let name: String = name.chars().take(RECEIVED_CHARACTERS_MAX).collect();
            if !is_known && ignored.len() < IGNORED_MAX && !ignored.contains(&name) {
                ignored.push(name);
            }
        }
        ignored
    }

    /// `path` with the known parameters except `without`, and with `added`.
    pub fn address(&self, path: &str, without: &[&str], added: &[(&str, &str)]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let kept = self.pairs();
        query.extend_pairs(
            kept.filter(|(name, _)| self.known.contains(name) && !without.contains(name)),
        );
        query.extend_pairs(added);
        let query = query.finish();
        if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{query}")
        }
    }

    /// The error response if there are issues.
    pub fn problem(&mut self) -> Option<Response> {
        let issues = std::mem::take(&mut self.issues);
        (!issues.is_empty()).then(|| invalid_parameters(issues))
    }
}

impl ParameterSource for QueryParameters<'_> {
    fn read<P: Parameter>(&mut self) -> Parsed<P> {
        self.known.push(P::NAME);
        let given = self.filled().filter(|(name, _)| *name == P::NAME);
        parse_all::<P>(given.map(|(_, value)| value))
    }

    fn issues(&mut self) -> &mut Vec<Issue> {
        &mut self.issues
    }
}
