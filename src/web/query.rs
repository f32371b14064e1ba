//! The query string of a request as a source of parameters (`application/x-www-form-urlencoded`, WHATWG URL §5.1), and
//! addresses with the same parameters.

use percent_encoding::percent_decode_str;
use poem::Request;
use url::form_urlencoded;

use super::problem::HttpProblem;
use crate::links::with_query;
use crate::wire::parameters::{Parameter, ParameterKind, ParameterSource, Parsed, parse};
use crate::wire::{Issue, IssueCode, RECEIVED_CHARACTERS_MAX};

/// Maximum number of ignored names in a response.
const IGNORED_MAX: usize = 20;

/// The decoded pairs, and the issues found so far.
#[derive(Debug, Default)]
pub struct QueryParameters {
    /// In order, with U+FFFD in place of bytes that are not UTF-8.
    pairs: Vec<(String, String)>,
    has_other_bytes: bool,
    /// Whether empty values count as absent.
    is_form: bool,
    pub issues: Vec<Issue>,
    /// The parameters that were read.
    known: Vec<&'static str>,
}

impl QueryParameters {
    /// The query of `request`, of which no parameter is read yet.
    pub fn new(request: &Request) -> Self {
        let query = request.uri().query().unwrap_or_default();
        Self {
            pairs: form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
            has_other_bytes: percent_decode_str(query).decode_utf8().is_err(),
            ..Self::default()
        }
    }

    /// Like [`Self::new`], for a page: empty values count as absent, because a browser's form sends every field.
    pub fn of_form(request: &Request) -> Self {
        Self::new(request).as_form(&[])
    }

    /// The same query as that of a form, without the parameters `without`, before any parameter is read.
    pub fn as_form(&self, without: &[&str]) -> Self {
        Self {
            is_form: true,
            ..self.with(without, &[])
        }
    }

    /// The same query without the parameters `without`, and with `added`, before any parameter is read.
    pub fn with(&self, without: &[&str], added: &[(&str, &str)]) -> Self {
        let kept = self
            .pairs
            .iter()
            .filter(|(name, _)| !without.contains(&name.as_str()));
        let added = added
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            pairs: kept.cloned().chain(added).collect(),
            has_other_bytes: self.has_other_bytes,
            is_form: self.is_form,
            ..Self::default()
        }
    }

    /// The pairs that count as present.
    fn present(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs
            .iter()
            .filter(|(_, value)| !self.is_form || !value.is_empty())
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        Some(self.present().find(|(key, _)| *key == name)?.1)
    }

    pub fn issue(&self, name: &str) -> Option<&Issue> {
        self.issues.iter().find(|issue| issue.path == [name])
    }

    /// The names that were not read, without duplicates.
    pub fn ignored_names(&self) -> Vec<String> {
        let mut ignored = Vec::new();
        for (name, _) in &self.pairs {
            let is_known = self.known.contains(&name.as_str());
            let name: String = name.chars().take(RECEIVED_CHARACTERS_MAX).collect();
            if !is_known && ignored.len() < IGNORED_MAX && !ignored.contains(&name) {
                ignored.push(name);
            }
        }
        ignored
    }

    /// `path` with the known parameters except `without`, and with `added`.
    pub fn address(&self, path: &str, without: &[&str], added: &[(&str, &str)]) -> String {
        let kept = self
            .present()
            .filter(|(name, _)| self.known.contains(name) && !without.contains(name));
        with_query(path, kept.chain(added.iter().copied()))
    }

    /// # Errors
    /// 400 if there are issues.
    pub fn check(&mut self) -> Result<(), HttpProblem> {
        let issues = std::mem::take(&mut self.issues);
        if issues.is_empty() {
            Ok(())
        } else {
            Err(HttpProblem::invalid_parameters(issues))
        }
    }
}

impl ParameterSource for QueryParameters {
    fn read<P: Parameter>(&mut self) -> Parsed<P> {
        self.known.push(P::NAME);
        let values: Vec<&str> = self
            .present()
            .filter_map(|(name, value)| (name == P::NAME).then_some(value))
            .collect();
        match values[..] {
            [] => Ok(None),
            [value] if self.has_other_bytes && value.contains(char::REPLACEMENT_CHARACTER) => {
                Err(Issue::of::<P>(P::Kind::NOT_UTF8, value))
            }
            [value] => parse::<P>(value),
            _ => {
                let (code, message) = (IssueCode::Duplicate, "must be given only once");
                Err(Issue::new(P::NAME, code, message, &values.join(", ")))
            }
        }
    }

    fn issues(&mut self) -> &mut Vec<Issue> {
        &mut self.issues
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::parameters::{
        Limit, MentionsService, MinRating, Rating, Since, SortOrder, TextKind,
    };

    /// A bounded text like `query`.
    struct Short;
    impl Parameter for Short {
        type Kind = TextKind;
        const NAME: &'static str = "query";
        const KIND: TextKind = TextKind(Some(4));
    }

    fn request(query: &str) -> Request {
        Request::builder()
            .uri(format!("/x?{query}").parse().unwrap())
            .finish()
    }

    /// The errors of a query, in the order in which a handler takes its parameters.
    fn faults(query: &str) -> Vec<Issue> {
        fn fault<P: Parameter>(request: &Request) -> Option<Issue> {
            QueryParameters::new(request).read::<P>().err()
        }
        let request = request(query);
        let faults = [
            fault::<Rating>(&request),
            fault::<MinRating>(&request),
            fault::<Since>(&request),
            fault::<Short>(&request),
            fault::<MentionsService>(&request),
            fault::<Limit>(&request),
            fault::<SortOrder>(&request),
        ];
        faults.into_iter().flatten().collect()
    }

    #[test]
    fn an_issue_has_the_allowed_and_the_received_value() {
        let cases = [
            (
                "limit=500",
                "limit must be a whole number from 1 to 100: 500",
            ),
            (
                "min_rating=9",
                "min_rating must be a decimal number from 1 to 5: 9",
            ),
            (
                "since=today",
                "since must be a day written YYYY-MM-DD, such as 2024-02-29: today",
            ),
            (
                "query=a+b%21c",
                "query must be a text of at most 4 characters in UTF-8: a b!c",
            ),
            (
                "query=a%FF",
                "query must be a text of at most 4 characters in UTF-8: a\u{fffd}",
            ),
            (
                "mentions_service=%FF",
                "mentions_service must be a text in UTF-8, percent-encoded: \u{fffd}",
            ),
            (
                "sort=up",
                "sort must be one of: newest, oldest, highest, lowest: up",
            ),
            ("limit=5&limit=6", "limit must be given only once: 5, 6"),
        ];
        for (query, expected) in cases {
            let invalid = faults(query).remove(0);
            let name = invalid.path.concat();
            assert_eq!(
                format!("{name} {}: {}", invalid.message, invalid.received),
                expected
            );
        }
        assert_eq!(
            faults(&format!("query={}", "%C3%A9".repeat(1_000)))[0].received,
            "é".repeat(RECEIVED_CHARACTERS_MAX)
        );
    }
}
