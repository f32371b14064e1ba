//! The reviewed business: its name and contact data, services, staff and areas.

use chrono_tz::Tz;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::{DisplayFromStr, serde_as, skip_serializing_none};

use super::text::{NAME_CHARACTERS_MAX, nearest, shorten};

/// A database without a business publishes [`Business::default`].
#[serde_as]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Business {
    /// Id chosen by the owner, for example `desert-peak`.
    pub id: String,
    pub name: String,
    /// A schema.org `LocalBusiness` subtype. A database of an older release, or one edited by another program, may have
    /// any text.
    #[serde(rename = "type")]
    pub kind: String,
    /// Time zone that determines the calendar days of the business.
    #[serde_as(as = "DisplayFromStr")]
    pub time_zone: Tz,
    /// Whether technicians are shown.
    pub publish_staff: PublishStaff,
    /// BCP 47 tag for pages and feeds.
    pub language: Option<String>,
    /// Country for the format of dates and numbers: ISO 3166-1 alpha-2 in capitals.
    pub country: Option<String>,
    /// One or two sentences.
    pub description: Option<String>,
    pub url: Option<String>,
    /// As written by the owner.
    pub telephone: Option<String>,
    /// Parts of the postal address, published as given.
    pub address: Option<Map<String, Value>>,
    pub geo: Option<Geo>,
    /// A day without an entry is closed.
    pub hours: Vec<OpeningHours>,
    /// URLs of its pages on other platforms (schema.org `sameAs`).
    pub same_as: Vec<String>,
    /// In the owner's order.
    pub review_links: Vec<ReviewLink>,
    pub review_policy: ReviewPolicy,
    /// In the owner's order.
    pub services: Vec<Service>,
    /// In the owner's order.
    pub technicians: Vec<Technician>,
    /// Names of places, in the owner's order.
    pub service_areas: Vec<String>,
}

/// Maximum size in bytes of each text of the business, its lists and its editorial texts, because every document
/// contains these texts. The SQL of `storage::business` has the same number.
pub const TEXT_BYTES_MAX: usize = 65_536;

/// A place on Earth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Geo {
    /// Latitude in degrees, -90 to 90; north is positive.
    pub latitude: f64,
    /// Longitude in degrees, -180 to 180; east is positive.
    pub longitude: f64,
}

/// From when until when a business is open on some days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct OpeningHours {
    /// On which days it opens.
    pub days: Vec<DayOfWeek>,
    /// `HH:MM` of 24 hours.
    pub opens: String,
    /// `HH:MM` of 24 hours; before `opens`, it is on the next day.
    pub closes: String,
}

named! {
    /// A day of the week.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
    #[serde(rename_all = "snake_case")]
    #[oai(rename_all = "snake_case")]
    pub enum DayOfWeek {
        /// The first day of the week (ISO 8601).
        Monday = "monday",
        /// The second day.
        Tuesday = "tuesday",
        /// The third day.
        Wednesday = "wednesday",
        /// The fourth day.
        Thursday = "thursday",
        /// The fifth day.
        Friday = "friday",
        /// The sixth day.
        Saturday = "saturday",
        /// The seventh day.
        Sunday = "sunday",
    }
}

/// A page on which customers can write a review of the business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ReviewLink {
    /// What customers call the site, for example `Google`.
    pub name: String,
    /// An https URL.
    pub url: String,
}

/// What only the business can say about its reviews, in its own words; what it does not state is left out.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Object)]
#[serde(default, deny_unknown_fields, expecting = "an object")]
pub struct ReviewPolicy {
    /// How it collects reviews.
    pub collection: Option<String>,
    /// How it checks that reviews are from customers.
    pub verification: Option<String>,
    /// Which reviews it does not publish.
    pub moderation: Option<String>,
    /// Whether customers get something for a review.
    pub incentives: Option<String>,
    /// Where anybody can report a review: a `mailto:` or `https:` URL.
    pub contact: Option<String>,
}

impl ReviewPolicy {
    /// The names of the members without a value.
    pub fn not_stated(&self) -> Vec<&'static str> {
        let members = [
            ("collection", &self.collection),
            ("verification", &self.verification),
            ("moderation", &self.moderation),
            ("incentives", &self.incentives),
            ("contact", &self.contact),
        ];
        let missing = members.into_iter().filter(|(_, value)| value.is_none());
        missing.map(|(name, _)| name).collect()
    }
}

/// Something that the business offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Service {
    /// The id that reviews and filters use.
    pub id: String,
    /// Name of the service as customers read it.
    pub name: String,
    /// Other words for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub synonyms: Vec<String>,
}

/// A person who works there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Technician {
    /// The firm's own id of the person.
    pub id: String,
    /// Full name of the person, which mentions and filters use.
    pub name: String,
    /// Other names that customers use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub aliases: Vec<String>,
}

/// The command that names the business.
pub const SET_UP_COMMAND: &str =
    "reviews init --name NAME --type TYPE --time-zone ZONE --country CC";

/// The name in documents until the owner sets one.
const UNNAMED: &str = "Unnamed business";

impl Default for Business {
    fn default() -> Self {
        Self {
            id: "unnamed".to_owned(),
            name: UNNAMED.to_owned(),
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
            hours: Vec::new(),
            same_as: Vec::new(),
            review_links: Vec::new(),
            review_policy: ReviewPolicy::default(),
            services: Vec::new(),
            technicians: Vec::new(),
            service_areas: Vec::new(),
        }
    }
}

impl Business {
    /// Whether the owner has named the business; before, pages show no reviews.
    pub fn is_set_up(&self) -> bool {
        self.name != UNNAMED && !self.name.trim().is_empty()
    }

    /// The name of a listed service; the ID of another one.
    pub fn service_name<'a>(&'a self, id: &'a str) -> &'a str {
        let mut services = self.services.iter();
        let listed = services.find(|service| service.id == id);
        listed.map_or(id, |service| &service.name)
    }

    /// The names and aliases of all technicians.
    pub fn staff_names(&self) -> impl Iterator<Item = &String> {
        let staff = self.technicians.iter();
        staff.flat_map(|one| one.aliases.iter().chain([&one.name]))
    }

    /// The names and synonyms of all services.
    pub fn service_names(&self) -> impl Iterator<Item = &String> {
        let services = self.services.iter();
        services.flat_map(|one| one.synonyms.iter().chain([&one.name]))
    }
}

// The owner's own texts.

#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Editorial {
    pub summary: Option<Summary>,
    /// In the owner's order.
    pub faq: Vec<FaqEntry>,
}

/// In place of the summary that a program makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Summary {
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct FaqEntry {
    /// Unique and stable; without one in a file, it is made of the question.
    #[serde(default)]
    pub id: String,
    pub question: String,
    /// Plain text.
    pub answer: String,
}

named! {
    /// Whether technicians are shown in the roster, mentions, filters, insights, to agents and on pages. What customers and the
    /// owner wrote stays as it was written.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PublishStaff {
        #[default]
        Full = "full",
        Off = "off",
    }
}

// The schema.org types of local businesses (<https://schema.org/LocalBusiness>), the only ones that search engines
// recognize.

/// `LocalBusiness` and all its subtypes, one per line.
const TYPES: &str = include_str!("local_business_types.txt");

/// The name of a type of schema.org, which may be written as a URL.
pub fn type_name(kind: &str) -> &str {
    kind.trim().rsplit('/').next().unwrap_or_default()
}

/// The type as schema.org writes it; `name` may be a URL and is case-insensitive.
pub fn find_local_business_type(name: &str) -> Option<&'static str> {
    let last = type_name(name);
    let mut types = TYPES.lines();
    types.find(|known| known.eq_ignore_ascii_case(last))
}

/// As [`find_local_business_type`], with the nearest in the error.
pub fn local_business_type(name: &str) -> Result<&'static str, String> {
    find_local_business_type(name).ok_or_else(|| {
        let near = nearest(type_name(name), TYPES.lines()).unwrap_or_default();
        format!(
            "`{}` is not schema.org's LocalBusiness or one of its subtypes; the nearest is {near}",
            shorten(name, NAME_CHARACTERS_MAX)
        )
    })
}
