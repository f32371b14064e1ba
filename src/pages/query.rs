//! The query of a page's address: the given values, their errors, and addresses of the same page with changed
//! parameters. The parameters' own types parse the values.

use poem::Request;

use crate::model::parameters::{InvalidParameter, Parameter, ParameterSource, ParameterValue};
use crate::web::UrlParameters;
use crate::wire::Issue;

/// The decoded pairs, and the errors found so far.
#[derive(Debug, Default)]
pub struct PageQuery {
    /// In order, without empty values: a browser's form sends every field.
    pub pairs: Vec<(String, String)>,
    pub issues: Vec<Issue>,
    /// The parameters that were read.
    known: Vec<&'static str>,
}

impl PageQuery {
    /// Decodes the query of `request` without reading parameters.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        let given = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes());
        Self {
            pairs: given
                .into_owned()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
            issues: Vec::new(),
            known: Vec::new(),
        }
    }

    /// `request` must be the one of this query.
    #[must_use]
    pub const fn source<'a>(&'a mut self, request: &'a Request) -> PageSource<'a> {
        PageSource {
            query: self,
            request,
        }
    }

    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        let given = self.pairs.iter().find(|(key, _)| key == name);
        given.map(|(_, value)| value.as_str())
    }

    #[must_use]
    pub fn issue(&self, name: &str) -> Option<&Issue> {
        let mut issues = self.issues.iter();
        issues.find(|issue| issue.path.first().is_some_and(|key| key == name))
    }

    /// `path` with the known parameters except `without`, and with `added`.
    #[must_use]
    pub fn address(&self, path: &str, without: &[&str], added: &[(&str, &str)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(
            self.pairs
                .iter()
                .filter(|(name, _)| self.known.contains(&name.as_str()))
                .filter(|(name, _)| !without.contains(&name.as_str())),
        );
        query.extend_pairs(added);
        let query = query.finish();
        if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{query}")
        }
    }
}

/// Reads a page's parameters. Empty values count as absent, unlike in the API, because a browser's form sends every
/// field.
#[derive(Debug)]
pub struct PageSource<'a> {
    query: &'a mut PageQuery,
    request: &'a Request,
}

impl ParameterSource for PageSource<'_> {
    fn take<P: Parameter>(&mut self) -> Option<ParameterValue<P>> {
        self.query.known.push(P::NAME);
        UrlParameters::query::<P>(self.request).unwrap_or_else(|invalid| {
            if !invalid.received.is_empty() {
                self.refuse(invalid);
            }
            None
        })
    }

    fn require<P: Parameter>(&mut self) -> Option<ParameterValue<P>> {
        let wrong_before = self.query.issues.len();
        let value = self.take::<P>();
        if value.is_none() && self.query.issues.len() == wrong_before {
            self.refuse(InvalidParameter::missing::<P>());
        }
        value
    }

    fn refuse(&mut self, invalid: InvalidParameter) {
        self.query.issues.push(invalid.into());
    }

    fn is_wrong(&self) -> bool {
        !self.query.issues.is_empty()
    }
}
