//! Tests of tools on the sample business; `.ci/quick` leaves them out.

mod tools;
