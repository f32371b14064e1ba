//! Tests of large logs and of many faults; `.ci/quick` leaves them out.

mod log;
mod rows;
mod schema;

use super::*;
