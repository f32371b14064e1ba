//! The promises, kept: one binary, a file for each feature, and each test a sentence.

mod change;
mod egress;
mod imports;
mod support;
