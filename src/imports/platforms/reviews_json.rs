//! Our own `/reviews.json`: what another instance publishes can be taken over as it is. Its
//! business comes along where the database has none; its counts are made anew.

use crate::imports::map::{Format, Reader};
use crate::imports::platforms::native;

pub const FORMAT: Format = Format {
    name: "reviews-json",
    label: "/reviews.json of this service",
    renames: false,
    // The business of a large firm may fill all that is looked at, so its own parts must do.
    document: "business, aggregate_rating",
    reader: Reader::Json(native::review),
    ..Format::PLAIN
};
