//! schema.org JSON-LD (Google's review snippet guidelines): the business by its subtype, its published rating, and
//! reviews, with the owner's response as `Comment`, because schema.org has no property for it.

use std::fmt::Write;

use chrono::NaiveDate;
use serde_json::{Map, Value, json};

use crate::links::Links;
use crate::model::RatingCounts;
use crate::model::business::{Business, local_business_type};
use crate::wire;

/// Platforms that publish reviews, by the names that sources have.
const PLATFORMS: [&str; 38] = [
    "Airbnb",
    "Amazon",
    "Angi",
    "Apple Maps",
    "BBB",
    "Better Business Bureau",
    "Bing",
    "Birdeye",
    "Booking.com",
    "Capterra",
    "Checkatrade",
    "eKomi",
    "Facebook",
    "Feefo",
    "Foursquare",
    "G2",
    "Google",
    "Healthgrades",
    "HomeAdvisor",
    "Houzz",
    "Judge.me",
    "Loox",
    "Nextdoor",
    "Okendo",
    "OpenTable",
    "Podium",
    "PowerReviews",
    "ProvenExpert",
    "Reviews.io",
    "ServiceTitan",
    "Stamped",
    "Thumbtack",
    "Tripadvisor",
    "Trusted Shops",
    "Trustpilot",
    "Yelp",
    "Yotpo",
    "Zocdoc",
];

/// The business with its rating and the newest reviews.
#[must_use]
pub fn business(
    business: &Business,
    rating_counts: &RatingCounts,
    reviews: &[wire::Review],
    links: &Links,
) -> String {
    let mut node = firm(business, rating_counts, links);
    if !reviews.is_empty() {
        node.insert(
            "review".to_owned(),
            reviews
                .iter()
                .map(|review| Value::from(node_of(review, business)))
                .collect(),
        );
    }
    script(node)
}

/// One review and the business.
#[must_use]
pub fn review(
    review: &wire::Review,
    business: &Business,
    rating_counts: &RatingCounts,
    links: &Links,
) -> String {
    let mut node = node_of(review, business);
    let mut item = firm(business, rating_counts, links);
    item.remove("@context");
    node.insert("@context".to_owned(), "https://schema.org".into());
    node.insert("itemReviewed".to_owned(), item.into());
    script(node)
}

fn firm(business: &Business, rating_counts: &RatingCounts, links: &Links) -> Map<String, Value> {
    let mut node = Map::new();
    let mut set = |name: &str, value: Value| {
        if !value.is_null() {
            node.insert(name.to_owned(), value);
        }
    };
    set("@context", "https://schema.org".into());
    // A type that schema.org does not have makes the whole node invalid.
    let kind = local_business_type(&business.kind).unwrap_or("LocalBusiness");
    set("@type", kind.into());
    set("@id", format!("{}#business", links.home()).into());
    set("name", business.name.clone().into());
    set(
        "url",
        business.url.clone().unwrap_or_else(|| links.home()).into(),
    );
    set("description", business.description.clone().into());
    set("telephone", business.telephone.clone().into());
    set("address", business.address.as_ref().map(address).into());
    set(
        "geo",
        business
            .geo
            .map(|(latitude, longitude)| json!({"@type": "GeoCoordinates", "latitude": latitude, "longitude": longitude}))
            .into(),
    );
    if !business.same_as.is_empty() {
        set("sameAs", business.same_as.clone().into());
    }
    if !business.service_areas.is_empty() {
        set("areaServed", business.service_areas.clone().into());
    }
    let rating = wire::AggregateRating::from(rating_counts);
    if let Some(value) = rating.rating_value {
        let rating = json!({
            "@type": "AggregateRating",
            "ratingValue": value,
            "reviewCount": rating.review_count,
            "bestRating": rating.best_rating,
            "worstRating": rating.worst_rating,
        });
        set("aggregateRating", rating);
    }
    node
}

/// The parts of the address by the names of `PostalAddress`.
fn address(parts: &Map<String, Value>) -> Value {
    const NAMES: [(&str, &str); 5] = [
        ("street_address", "streetAddress"),
        ("locality", "addressLocality"),
        ("region", "addressRegion"),
        ("postal_code", "postalCode"),
        ("country", "addressCountry"),
    ];
    let mut address = Map::from_iter([("@type".to_owned(), Value::from("PostalAddress"))]);
    for (ours, theirs) in NAMES {
        if let Some(value) = parts.get(ours).filter(|value| value.is_string()) {
            address.insert(theirs.to_owned(), value.clone());
        }
    }
    address.into()
}

fn node_of(review: &wire::Review, business: &Business) -> Map<String, Value> {
    let mut node = Map::new();
    let mut set = |name: &str, value: Value| {
        node.insert(name.to_owned(), value);
    };
    set("@type", "Review".into());
    set("@id", review.url.clone().into());
    set("url", review.url.clone().into());
    set("author", json!({"@type": "Person", "name": review.author}));
    set("datePublished", review.date.to_string().into());
    set(
        "reviewRating",
        json!({"@type": "Rating", "ratingValue": review.rating, "bestRating": 5, "worstRating": 1}),
    );
    if let Some(title) = &review.title {
        set("name", title.clone().into());
    }
    if !review.text.is_empty() {
        set("reviewBody", review.text.clone().into());
    }
    if let Some(language) = &review.language {
        set("inLanguage", language.clone().into());
    }
    if is_platform(&review.source.name) {
        set(
            "publisher",
            json!({"@type": "Organization", "name": review.source.name}),
        );
    }
    if let Some(response) = &review.response {
        let author = response
            .author
            .clone()
            .unwrap_or_else(|| business.name.clone());
        let mut comment = json!({"@type": "Comment", "author": {"@type": "Organization", "name": author}, "text": response.text});
        if let Some(date) = response.date {
            comment["dateCreated"] = NaiveDate::to_string(&date).into();
        }
        set("comment", comment);
    }
    node
}

/// Whether a source is a platform that published the review first. Others say how the review was received (`Direct`,
/// `Invitation`, `Website`).
fn is_platform(source: &str) -> bool {
    PLATFORMS
        .iter()
        .any(|platform| platform.eq_ignore_ascii_case(source.trim()))
}

/// JSON for a `script` element: `<`, `>` and `&` are escaped, so that a review's text cannot end the element or begin
/// a comment (HTML §4.12.1.3), and so are line separators, which end strings in older parsers.
fn script(node: Map<String, Value>) -> String {
    let json = Value::from(node).to_string();
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            c if c.is_control() => drop(write!(text, "\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::script;

    #[test]
    fn no_text_ends_the_element() {
        let text = "</script><!--<script>&amp;\u{2028}";
        let json = script(Map::from_iter([(
            "reviewBody".to_owned(),
            Value::from(text),
        )]));
        assert!(!json.contains(['<', '>', '&', '\u{2028}']), "{json}");
        assert_eq!(
            serde_json::from_str::<Value>(&json).unwrap()["reviewBody"],
            text
        );
    }
}
