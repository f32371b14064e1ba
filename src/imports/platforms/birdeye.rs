//! Birdeye: reviews from its API and its reports, collected from many sites. Reviews without stars have 0.

use crate::imports::map::{Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "birdeye",
    label: "Birdeye",
    authors_public: false,
    source: "Birdeye",
    keys: &[
        "source_type, comments, review_date",
        "reviewer.firstName, comments, reviewDate",
        "reviewer_first_name, comments",
        "Business Name, Review Date, Reviewer Name",
        "Reviewer Name, Review Date, Source, Response Date",
    ],
    fields: &[
        (Field::Id, "review_id, id"),
        (Field::Rating, "rating"),
        (Field::Recommended, "recommendation_type, recommended"),
        (Field::Date, "review_date, rdate"),
        (
            Field::Author,
            "reviewer_nick_name, reviewer.nickName, reviewer_name",
        ),
        (Field::FirstName, "reviewer_first_name, reviewer.firstName"),
        (Field::LastName, "reviewer_last_name, reviewer.lastName"),
        (Field::Title, "title"),
        (Field::Text, "comments, review"),
        (Field::SourceName, "source_type, source"),
        (Field::Url, "review_url"),
        (Field::Location, "business_name"),
        (Field::ResponseText, "response"),
        (Field::ResponseDate, "response_date"),
        (Field::Technicians, "assisted_users"),
    ],
    hidden: &[Hidden {
        names: "status",
        when: When::NoneOf("published, approved, active"),
        reason: "hidden at the source",
    }],
    was_table: true,
    ..Format::PLAIN
};
