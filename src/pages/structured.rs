//! schema.org JSON-LD (Google's review snippet guidelines): the business by its subtype, its published rating, and
//! reviews, with the owner's reply as `Comment`, because schema.org has no property for it.

use serde_json::{Map, Value, json};

use crate::links::Links;
use crate::model::business::{Business, OpeningHours, local_business_type};
use crate::model::json::without_nulls;
use crate::model::text::escaped_json;
use crate::model::{Method, PublishedReview, RatingCounts};
use crate::wire;

/// The business with its rating and the newest reviews.
pub fn business(
    business: &Business,
    rating_counts: &RatingCounts,
    reviews: &[PublishedReview],
    links: &Links,
) -> String {
    let mut node = firm(business, rating_counts, links);
    if !reviews.is_empty() {
        let reviews = reviews.iter();
        node["review"] = reviews.map(|review| node_of(review, business)).collect();
    }
    script(node)
}

pub fn review(
    review: &PublishedReview,
    business: &Business,
    rating_counts: &RatingCounts,
    links: &Links,
) -> String {
    let mut node = node_of(review, business);
    node["itemReviewed"] = firm(business, rating_counts, links);
    script(node)
}

fn firm(business: &Business, rating_counts: &RatingCounts, links: &Links) -> Value {
    let geo = business.geo.map(|geo| {
        json!({"@type": "GeoCoordinates", "latitude": geo.latitude, "longitude": geo.longitude})
    });
    let hours = business.hours.iter();
    let hours: Vec<Value> = hours.map(opening_hours).collect();
    let rating = wire::AggregateRating::from(rating_counts);
    let aggregate_rating = rating.rating_value.map(|value| {
        json!({
            "@type": "AggregateRating",
            "ratingValue": value,
            "reviewCount": rating.review_count,
            "bestRating": rating.best_rating,
            "worstRating": rating.worst_rating,
        })
    });
    without_nulls(json!({
        // A type that schema.org does not have makes the whole node invalid.
        "@type": local_business_type(&business.kind).unwrap_or("LocalBusiness"),
        "@id": format!("{}#business", links.home()),
        "name": business.name,
        "url": business.url.clone().unwrap_or_else(|| links.home()),
        "description": business.description,
        "telephone": business.telephone,
        "address": business.address.as_ref().map(address),
        "geo": geo,
        "openingHoursSpecification": Some(hours).filter(|hours| !hours.is_empty()),
        "sameAs": Some(&business.same_as).filter(|urls| !urls.is_empty()),
        "areaServed": Some(&business.service_areas).filter(|areas| !areas.is_empty()),
        "aggregateRating": aggregate_rating,
    }))
}

fn opening_hours(hours: &OpeningHours) -> Value {
    let days = hours.days.iter();
    let days = days.map(|day| format!("https://schema.org/{day:?}"));
    json!({
        "@type": "OpeningHoursSpecification",
        "dayOfWeek": days.collect::<Vec<_>>(),
        "opens": hours.opens,
        "closes": hours.closes,
    })
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

fn node_of(review: &PublishedReview, business: &Business) -> Value {
    let is_on_platform = review.verification == Method::SourcePlatform;
    let comment = review.owner_reply.as_ref().map(|reply| {
        let author = reply.author.as_ref().unwrap_or(&business.name);
        without_nulls(json!({
            "@type": "Comment",
            "author": {"@type": "Organization", "name": author},
            "text": reply.text,
            "dateCreated": reply.date.map(|date| date.to_string()),
        }))
    });
    without_nulls(json!({
        "@type": "Review",
        "@id": review.url,
        "url": review.url,
        "author": {"@type": "Person", "name": review.author},
        "datePublished": review.date.to_string(),
        "reviewRating": {"@type": "Rating", "ratingValue": review.rating, "bestRating": 5, "worstRating": 1},
        "name": review.title,
        "reviewBody": Some(&review.text).filter(|text| !text.is_empty()),
        "inLanguage": review.language,
        "publisher": is_on_platform.then(|| json!({"@type": "Organization", "name": review.source})),
        "comment": comment,
    }))
}

/// JSON for a `script` element: `<`, `>` and `&` are escaped, so that a review's text cannot end the element or begin
/// a comment (HTML §4.12.1.3), and so are hidden characters, among them line separators, which end strings in older parsers.
fn script(mut node: Value) -> String {
    node["@context"] = "https://schema.org".into();
    let escapes = [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026")];
    let escapes = escapes.into_iter();
    escapes.fold(escaped_json(&node), |json, (c, escape)| {
        json.replace(c, escape)
    })
}
