//! Merges the rows of an import with the stored reviews. `collector` gathers the rows, `known` loads what the database
//! knows of them, `outcome` merges as a pure function, and `apply` writes the result. The rules for one review are in
//! `model::merge`.

pub(crate) mod apply;
pub(crate) mod collector;
mod copies;
mod identity;
pub(crate) mod known;
pub(crate) mod outcome;
pub(crate) mod rename;
pub(crate) mod time_zone;
pub(crate) mod undo;
