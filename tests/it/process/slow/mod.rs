//! All tests of the binary start processes; `.ci/quick` leaves them out.

mod access;
mod advice;
mod agents;
mod anonymized;
mod backup;
mod business;
mod closed_outputs;
mod commands;
mod decisions;
mod deletions;
mod erasure;
mod export;
mod failed;
mod first_start;
mod growth;
mod inputs;
mod open_files;
mod outputs;
mod panics;
mod probes;
mod questions;
mod readme;
mod restore;
mod serving;
mod settings;
mod signals;
mod streams;
mod sync;
mod terminal;
mod undo;

use super::*;
