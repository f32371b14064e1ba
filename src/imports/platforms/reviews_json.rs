//! Another instance's `/reviews.json`. Its business is imported if the database has none; its counts are ignored.

use crate::imports::map::{Format, Reader};
use crate::imports::platforms::native;

pub const FORMAT: Format = Format {
    name: "reviews-json",
    label: "/reviews.json of this service",
    renames: false,
    // A large business may fill all bytes that detection reads, so its own members must identify the format.
    document: "business, aggregate_rating",
    reader: Reader::Json(native::review),
    ..Format::PLAIN
};
