//! Tests of many exchanges with receivers; `.ci/quick` leaves them out.

mod changes;
mod deliveries;
mod floods;
mod hanging_receivers;
mod kills;
mod own_failures;
mod verifications;
mod worker;

use super::*;
