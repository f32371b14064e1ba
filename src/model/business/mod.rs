//! The business whose reviews these are: who it is, what it offers, who works there, and where.

mod local_business;

use chrono_tz::Tz;
use serde_json::{Map, Value};

pub use local_business::{UnknownType, local_business_type, nearest};

/// The one business. A database without one publishes [`Business::default`].
#[derive(Debug, Clone, PartialEq)]
pub struct Business {
    /// The firm's own id, for example `desert-peak`.
    pub id: String,
    /// The name under which the business is published.
    pub name: String,
    /// A schema.org `LocalBusiness` subtype; another database's, or an older release's, may be any text.
    pub kind: String,
    /// Where its calendar days begin and end.
    pub time_zone: Tz,
    /// How its technicians are shown, everywhere at once; never published itself.
    pub publish_staff: PublishStaff,
    /// The language of its pages and feeds, where it has said: BCP 47.
    pub language: Option<String>,
    /// The country whose dates and numbers its pages write, where it has said: ISO 3166-1 alpha-2 in capitals.
    pub country: Option<String>,
    /// A sentence or two about it.
    pub description: Option<String>,
    /// The URL of the firm's own site.
    pub url: Option<String>,
    /// Its number, as it is written.
    pub telephone: Option<String>,
    /// The parts of its postal address, published as given.
    pub address: Option<Map<String, Value>>,
    /// Latitude and longitude, in degrees.
    pub geo: Option<(f64, f64)>,
    /// URLs of the firm's pages on other platforms (schema.org `sameAs`).
    pub same_as: Vec<String>,
    /// Where customers can write a review, in its own order.
    pub review_links: Vec<ReviewLink>,
    /// What it offers, in its own order.
    pub services: Vec<Service>,
    /// Who works there, in its own order.
    pub technicians: Vec<Technician>,
    /// The names of the places it serves, in its own order.
    pub service_areas: Vec<String>,
}

/// How many bytes each text of the business, its lists and its editorial texts may have: every reader of every document
/// gets them. The queries of `store` say the same number.
pub const TEXT_BYTES_MAX: usize = 65_536;

/// A page on which customers can write a review of the business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewLink {
    /// What customers call the site, for example `Google`.
    pub name: String,
    /// An https URL.
    pub url: String,
}

/// Something that the business offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// The id that reviews and filters use.
    pub id: String,
    /// The service's name as customers read it.
    pub name: String,
    /// Other words for it.
    pub synonyms: Vec<String>,
}

/// Somebody who works there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Technician {
    /// The firm's id of the person.
    pub id: String,
    /// The full name, which reviews and filters use.
    pub name: String,
    /// Other names that customers use.
    pub aliases: Vec<String>,
}

impl Default for Business {
    fn default() -> Self {
        Self {
            id: "unnamed".to_owned(),
            name: "Unnamed business".to_owned(),
            kind: "LocalBusiness".to_owned(),
            time_zone: Tz::UTC,
            publish_staff: PublishStaff::Full,
            language: None,
            country: None,
            description: None,
            url: None,
            telephone: None,
            address: None,
            geo: None,
            same_as: Vec::new(),
            review_links: Vec::new(),
            services: Vec::new(),
            technicians: Vec::new(),
            service_areas: Vec::new(),
        }
    }
}

// What the firm itself writes beside its reviews.

/// What the firm writes beside its reviews: a summary and an FAQ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Editorial {
    /// A summary in the firm's own words.
    pub summary: Option<String>,
    /// Questions and answers, in the firm's own order.
    pub faq: Vec<FaqEntry>,
}

/// One question that customers ask, with the firm's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaqEntry {
    /// Its id, unique and stable.
    pub id: String,
    /// The question as a customer asks it.
    pub question: String,
    /// The firm's answer to it, plain text.
    pub answer: String,
}

// How the business's technicians are shown.

/// How the business's technicians are shown: in rosters, mentions, filters, insights, to agents and on pages alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PublishStaff {
    /// By their full names.
    #[default]
    Full,
    /// By their first names, with an initial where two have the same one.
    FirstName,
    /// Not at all.
    Off,
}

impl PublishStaff {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Full, Self::FirstName, Self::Off];

    /// Its name in the database and in `business.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::FirstName => "first_name",
            Self::Off => "off",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}
