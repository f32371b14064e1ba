//! The whole service: one route table, and the document that describes it.

pub mod openapi;
