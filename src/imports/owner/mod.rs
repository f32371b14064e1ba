//! What the owner states about the business: business.json and editorial.json.
//!
//! `business` reads the business and the editorial texts, and `file` reads the files. Exports begin with the same objects, so `imports`
//! reads them with `business`.

pub mod business;
pub mod fault;
mod file;

pub use file::{OwnerFile, OwnerFileError};
