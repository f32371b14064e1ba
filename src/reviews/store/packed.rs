//! The reviews that the queries of `read` pack into one value for speed, taken apart again.

use crate::db::unpack_value as value;

/// A review's values as they are stored. One whose texts are too long has its id and its day alone.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) review_id: Option<&'a [u8]>,
    pub(super) reviewed_on: Option<&'a [u8]>,
    /// The other columns, in the order of the query.
    pub(super) others: [Option<&'a [u8]>; 16],
    /// Its row of `review_change`.
    pub(super) review_no: Option<&'a [u8]>,
    /// When the publisher first saw what somebody else wrote.
    pub(super) observed_at: Option<&'a [u8]>,
    /// `b` bound, `n` new, `f` changed by somebody else.
    pub(super) binding: Option<&'a [u8]>,
    /// Mentions as pairs of kind and value.
    pub(super) mentions: Vec<(&'a [u8], &'a [u8])>,
}

/// Stands in the place of mentions that are too long.
const OVERSIZED: &[u8] = b"!;";

/// The rows that were packed one behind the other.
pub(super) fn unpack(mut packed: &[u8]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    while !packed.is_empty()
        && let Some(row) = unpack_one(&mut packed)
    {
        rows.push(row);
    }
    rows
}

fn unpack_one<'a>(packed: &mut &'a [u8]) -> Option<Row<'a>> {
    let (review_id, reviewed_on) = (value(packed)?, value(packed)?);
    let mut others = [None; 16];
    for other in &mut others {
        *other = value(packed)?;
    }
    let (review_no, observed_at, binding) = (value(packed)?, value(packed)?, value(packed)?);
    let mut mentions = Vec::new();
    loop {
        if let Some(rest) = packed.strip_prefix(OVERSIZED) {
            *packed = rest;
            return Some(Row {
                review_id,
                reviewed_on,
                others: [None; 16],
                review_no,
                observed_at,
                binding,
                mentions: Vec::new(),
            });
        }
        if let Some(rest) = packed.strip_prefix(b";") {
            *packed = rest;
            return Some(Row {
                review_id,
                reviewed_on,
                others,
                review_no,
                observed_at,
                binding,
                mentions,
            });
        }
        mentions.push((value(packed)??, value(packed)??));
    }
}
