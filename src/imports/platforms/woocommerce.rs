//! `WooCommerce`: product reviews are comments with a rating. A comment below one, by another logged-in user, is the
//! shop's answer. `comment_date` is in the shop's own time zone.

use crate::imports::map::visibility::NOT_PUBLISHED;
use crate::imports::map::{Comments, Field, Format, Hidden, When};

pub const FORMAT: Format = Format {
    name: "woocommerce",
    label: "WooCommerce",
    source: "WooCommerce",
    keys: &[
        "comment_ID, comment_author, comment_content, rating",
        "comment_ID, comment_content, comment_parent",
    ],
    fields: &[
        (Field::Id, "comment_ID"),
        (Field::Rating, "rating"),
        (Field::Date, "comment_date"),
        (Field::Author, "comment_author"),
        (Field::Text, "comment_content"),
    ],
    hidden: &[Hidden {
        names: "comment_approved",
        when: When::NoneOf("1, approve, approved"),
        reason: NOT_PUBLISHED,
    }],
    comments: Some(Comments {
        parent: "comment_parent",
        writer: "user_id",
    }),
    was_table: true,
    ..Format::PLAIN
};
