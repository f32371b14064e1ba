//! Any table: columns are found by the names that people give them, or by `--map`. Whoever imports
//! it vouches for it.

use crate::imports::format::Format;
use crate::imports::platform::{Field, Platform};

pub(in crate::imports) const FORMAT: Format =
    Format::platform("table", "table (CSV, TSV, XLSX)", &PLATFORM);

const PLATFORM: Platform = Platform {
    keys: &[],
    fields: &[
        (Field::Id, &["id", "review_id", "uid", "external_id"]),
        (
            Field::Rating,
            &[
                "rating",
                "stars",
                "star_rating",
                "score",
                "review_score",
                "review_rating",
            ],
        ),
        (
            Field::Date,
            &[
                "date",
                "review_date",
                "created",
                "created_at",
                "create_time",
                "publish_date",
                "published_date",
                "date_published",
                "time_created",
                "occurred_at",
            ],
        ),
        (
            Field::Author,
            &[
                "author",
                "author_name",
                "reviewer",
                "reviewer_name",
                "name",
                "display_name",
                "nickname",
                "consumer",
            ],
        ),
        (Field::FirstName, &["first_name", "reviewer_first_name"]),
        (Field::LastName, &["last_name", "reviewer_last_name"]),
        (
            Field::Title,
            &["title", "headline", "review_title", "subject"],
        ),
        (
            Field::Text,
            &[
                "text",
                "body",
                "comment",
                "comments",
                "content",
                "review",
                "review_text",
                "review_content",
                "message",
            ],
        ),
        (Field::Language, &["language", "lang"]),
        (
            Field::SourceName,
            &["source.name", "source", "platform", "site"],
        ),
        (Field::Url, &["source.url", "review_url"]),
        (Field::Location, &["location", "store"]),
        (Field::UpdatedAt, &["updated_at", "updated"]),
        (
            Field::Verified,
            &[
                "verification.verified",
                "verified",
                "is_verified",
                "verified_buyer",
            ],
        ),
        (Field::Method, &["verification.method"]),
        (Field::VerifiedAt, &["verification.verified_at"]),
        (
            Field::Technicians,
            &[
                "mentions.technicians",
                "technicians",
                "technician",
                "employee",
            ],
        ),
        (Field::Services, &["mentions.services"]),
        (Field::ServiceAreas, &["mentions.service_areas"]),
        (
            Field::ResponseText,
            &[
                "response.text",
                "response",
                "reply",
                "owner_response",
                "company_reply",
                "review_reply",
                "review_response",
            ],
        ),
        (Field::ResponseDate, &["response.date", "reply_date"]),
        (Field::ResponseAuthor, &["response.author"]),
        (Field::Reason, &["withheld_reason"]),
    ],
    vouches: false,
    ..Platform::PLAIN
};
