//! Tests that wait for locks and readers, or try many random edits; `.ci/quick` leaves them out.

mod compute;
mod laws;
mod readers;
mod replaced;

use super::*;
