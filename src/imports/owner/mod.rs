//! What the owner states about the business: business.json and editorial.json.
//!
//! `shape` reads JSON objects by tables of their members, `business` has the tables of the business and the editorial texts, and
//! `file` reads the files. Exports begin with the same objects, so `imports` reads them with `business`, and its own records with
//! `shape`.

pub mod business;
pub mod fault;
mod file;
pub mod shape;

pub use file::{OwnerFile, OwnerFileError};
