//! The promises, kept: one binary, a file for each feature, and each test a sentence.

mod change;
mod conditional;
mod documents;
mod feeds;
mod imports;
mod openapi;
mod routing;
mod search;
mod server;
mod since;
mod support;
