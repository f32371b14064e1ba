//! Our own `/reviews.json`: what another instance publishes can be taken over as it is. Its business comes along where
//! the database has none; its counts are made anew.

use std::io::BufRead;

use super::detect::Shape;
use super::elements::{Part, each};
use super::fault::Fault;
use super::format::Format;
use super::report::Position;
use super::sink::{RowSink, take};
use super::{profile, record};

pub(super) const FORMAT: Format = Format {
    name: "reviews-json",
    label: "/reviews.json of this service",
    excerpts: false,
    authors_public: true,
    renames: false,
    recognises,
    read,
};

fn recognises(shape: &Shape) -> bool {
    // The business of a large firm may fill all that is looked at, so its own parts must do.
    let ours = shape.has("business.time_zone") || shape.has("business.services") || shape.has("aggregate_rating");
    shape.has("reviews[].rating") || (shape.has("business") && (shape.has("reviews") || ours))
}

fn read(input: &mut dyn BufRead, sink: &mut dyn RowSink) -> Result<(), Fault> {
    each(input, &mut |part| match part {
        Part::Business(business) => sink.business(&mut || profile::business(&business).map_err(Fault::Business)),
        Part::Review(index, review) => take(sink, Position::Element(index), record::review(&review), &|| review.clone()),
    })
}
