//! Our own `/reviews.json`: what another instance publishes can be taken over as it is. Its business comes along where
//! the database has none; its counts are made anew.

use std::io::BufRead;

use super::detect::{Format, Shape};
use super::elements::{Part, each};
use super::fault::Fault;
use super::intake::Intake;
use super::report::Position;
use super::{profile, record};

pub(super) const FORMAT: Format =
    Format { name: "reviews-json", label: "/reviews.json of this service", recognises, renames: false, read };

fn recognises(shape: &Shape) -> bool {
    // The business of a large firm may fill all that is looked at, so its own parts must do.
    let ours = shape.has("business.time_zone") || shape.has("business.services") || shape.has("aggregate_rating");
    shape.has("reviews[].rating") || (shape.has("business") && (shape.has("reviews") || ours))
}

fn read(input: &mut dyn BufRead, intake: &mut Intake<'_>) -> Result<(), Fault> {
    each(input, &mut |part| match part {
        Part::Business(business) => intake.bring(|| profile::business(&business).map_err(Fault::Business)),
        Part::Review(index, review) => {
            let made = record::review(&review, intake.rules()).map_err(|problem| problem.to_string());
            intake.take(Position::Element(index), made, || review)
        }
    })
}
