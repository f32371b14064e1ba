//! The search form: the filters of `/api/reviews/search` as fields, with what was asked and, beside each field, what is wrong
//! with it.

use askama::Template;

use super::escape::escaped;
use super::frame::Site;
use crate::business::Business;
use crate::wire::Issue;

/// The form, to be shown on `/` and beside the results.
#[derive(Debug, Clone, Template)]
#[template(path = "search_form.html")]
pub struct Form {
    root: String,
    query: Field,
    rating: Field,
    service: Field,
    technician: Field,
    since: Field,
    until: Field,
    services: Vec<(String, String)>,
    technicians: Vec<String>,
}

/// What was given for a parameter, and what is wrong with it.
#[derive(Debug, Clone)]
struct Field {
    name: &'static str,
    value: String,
    fault: Option<String>,
}

impl Field {
    fn is(&self, value: impl AsRef<str>) -> bool {
        self.value == value.as_ref()
    }

    /// What tells a reader's software about a fault. HTML, of names that are ours.
    fn attributes(&self) -> String {
        if self.fault.is_none() {
            String::new()
        } else {
            format!(" aria-invalid=\"true\" aria-describedby=\"{}-fault\"", self.name)
        }
    }

    /// The fault below the field. HTML.
    fn note(&self) -> String {
        let Some(fault) = &self.fault else { return String::new() };
        format!("<p class=\"fault\" id=\"{}-fault\">{}</p>", self.name, escaped(fault))
    }
}

impl Form {
    /// The form with nothing filled in.
    #[must_use]
    pub fn empty(business: &Business, site: &Site) -> Self {
        Self::filled(business, site, &[], &[])
    }

    /// The form as it was sent: the decoded pairs of the query, and the issues they have.
    #[must_use]
    pub fn filled(business: &Business, site: &Site, pairs: &[(String, String)], issues: &[Issue]) -> Self {
        let field = |name: &'static str| Field {
            name,
            value: pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()).unwrap_or_default(),
            fault: issues.iter().find(|issue| issue.path.first().is_some_and(|key| key == name)).map(|issue| issue.message.clone()),
        };
        Self {
            root: site.root.clone(),
            query: field("query"),
            rating: field("rating"),
            service: field("mentions_service"),
            technician: field("mentions_technician"),
            since: field("since"),
            until: field("until"),
            services: business.services.iter().map(|service| (service.id.clone(), service.name.clone())).collect(),
            technicians: business.technicians.iter().map(|technician| technician.name.clone()).collect(),
        }
    }
}
