//! Tests of large files and of many imports; `.ci/quick` leaves them out.

mod exported;
mod guards;
mod hostile;
mod publication;

use super::*;
