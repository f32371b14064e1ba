//! Reads the values of cells: dates, stars, texts, names. Each function is pure; its error contains the value, what is allowed, and
//! advice for the user.

pub mod date;
pub mod names;
pub mod rating;
pub mod text;
