//! Tests that analyse many texts, or with several trades; `.ci/quick` leaves them out.

mod commands;
mod long_texts;
mod mentions;
mod stored_analyses;
mod trades;

use super::*;
