//! The query of a page's address: the given values, their errors, and addresses of the same page with changed
//! parameters. The parameters' own types parse the values.

use poem::Request;

use crate::web::UrlParameters;
use crate::wire::Issue;
use crate::wire::parameters::{Parameter, ParameterSource, Parsed, parse_all};

/// The decoded pairs, and the errors found so far. Empty values count as absent, unlike in the API, because a browser's
/// form sends every field.
#[derive(Debug, Default)]
pub struct PageQuery {
    /// In order; `Err` if the bytes are not UTF-8.
    given: Vec<(String, Result<String, String>)>,
    pub issues: Vec<Issue>,
    /// The parameters that were read.
    known: Vec<&'static str>,
}

impl PageQuery {
    /// Decodes the query of `request` without reading parameters.
    pub fn of(request: &Request) -> Self {
        let owned = |value: Result<&str, &str>| value.map(str::to_owned).map_err(str::to_owned);
        let given = UrlParameters::pairs(request);
        Self {
            given: given
                .map(|(name, value)| (name.to_owned(), owned(value)))
                .collect(),
            ..Self::default()
        }
    }

    /// The same query without the parameters `without`, and with `added`, before any parameter is read.
    pub fn with(&self, without: &[&str], added: &[(&str, &str)]) -> Self {
        let given = self.given.iter();
        let kept = given.filter(|(name, _)| !without.contains(&name.as_str()));
        let added = added.iter();
        let added = added.map(|(name, value)| ((*name).to_owned(), Ok((*value).to_owned())));
        Self {
            given: kept.cloned().chain(added).collect(),
            ..Self::default()
        }
    }

    /// Names and values, without empty ones.
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.given.iter().map(|(name, value)| {
            let (Ok(text) | Err(text)) = value;
            (name.as_str(), text.as_str())
        });
        pairs.filter(|(_, value)| !value.is_empty())
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        let given = self.pairs().find(|(key, _)| *key == name);
        given.map(|(_, value)| value)
    }

    pub fn issue(&self, name: &str) -> Option<&Issue> {
        let mut issues = self.issues.iter();
        issues.find(|issue| issue.path.first().is_some_and(|key| key == name))
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
}

impl ParameterSource for PageQuery {
    fn read<P: Parameter>(&mut self) -> Parsed<P> {
        self.known.push(P::NAME);
        let given = self.given.iter().filter(|(name, _)| name == P::NAME);
        let given = given.map(|(_, value)| value.as_deref().map_err(String::as_str));
        parse_all::<P>(given).or_else(|invalid| {
            if invalid.received.is_empty() {
                Ok(None)
            } else {
                Err(invalid)
            }
        })
    }

    fn issues(&mut self) -> &mut Vec<Issue> {
        &mut self.issues
    }
}
