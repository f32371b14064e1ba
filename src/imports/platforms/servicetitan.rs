//! `ServiceTitan`: its Reputation API and its report as CSV. The reviews have no ids; a review matched to a job is
//! verified.

use crate::imports::map::date::DateOrder;
use crate::imports::map::{Field, Format};

pub const FORMAT: Format = Format {
    name: "servicetitan",
    label: "ServiceTitan",
    authors_public: false,
    source: "ServiceTitan",
    keys: &[
        "authorName, publishDate, technicianFullName",
        "authorName, publishDate, recommendationStatus",
        "authorName, verificationStatus, reviewResponse",
    ],
    fields: &[
        (Field::Rating, "rating"),
        (Field::Recommended, "recommendationStatus"),
        (Field::Date, "publishDate"),
        (Field::Author, "authorName"),
        (Field::Text, "review"),
        (Field::SourceName, "platform"),
        (Field::ResponseText, "reviewResponse"),
        (Field::Technicians, "technicianFullName"),
        (Field::Matched, "verificationStatus"),
        (Field::VerifiedAt, "verifiedOn"),
    ],
    date_order: Some(DateOrder::MonthFirst),
    matched: Some("verified"),
    ..Format::PLAIN
};
