//! Reviews packed into one value each by the queries of `read`, for speed, and unpacked again.

use crate::storage::unpack_value as value;

/// A query for packed reviews: the SQL before and after the one list of columns; [`unpack`] is its inverse. A value is
/// packed as its length in bytes, a colon, and its bytes; null has no length. The mentions come last, as pairs of kind
/// and value, and a semicolon ends the review. Of a review with more than 1 MiB of text (the bound of a JSON line in
/// imports) only id and day are read: SQLite's values have at most 10^9 bytes, and a row holds 256 reviews.
macro_rules! packed {
    ($before:tt, $after:tt $(, $argument:expr)*) => {
        sqlx::query_scalar!(
            $before + r#" concat(octet_length(r.review_id), ':', r.review_id, octet_length(reviewed_on), ':', reviewed_on,
                 iif(octet_length(author) + coalesce(octet_length(title), 0) + octet_length(text)
                       + coalesce(octet_length(withheld_reason), 0) + coalesce(octet_length(language), 0)
                       + octet_length(source_name) + coalesce(octet_length(source_url), 0)
                       + coalesce(octet_length(response_text), 0) + coalesce(octet_length(response_author), 0) > 1048576,
                     '::::::::::::::::',
                     concat(octet_length(rating), ':', rating, octet_length(author), ':', author, octet_length(title), ':', title,
                       octet_length(text), ':', text, octet_length(status), ':', status,
                       octet_length(withheld_reason), ':', withheld_reason, octet_length(language), ':', language,
                       octet_length(source_name), ':', source_name, octet_length(source_url), ':', source_url,
                       octet_length(verified), ':', verified, octet_length(verification_method), ':', verification_method,
                       octet_length(verified_at), ':', verified_at, octet_length(response_text), ':', response_text,
                       octet_length(response_on), ':', response_on, octet_length(response_author), ':', response_author,
                       octet_length(updated_at), ':', updated_at)),
                 coalesce((select concat(octet_length(n.review_no), ':', n.review_no, octet_length(n.observed_at), ':', n.observed_at,
                             '1:', iif(n.bound_change_no is n.change_no, 'b', iif(n.bound_change_no is null, 'n', 'f')))
                           from review_change as n where n.review_id = r.review_id), '::1:b'),
                 (select iif(sum(octet_length(value)) > 1048576, '!',
                    group_concat(concat(octet_length(kind), ':', kind, octet_length(value), ':', value), ''))
                  from mention as m where m.review_id = r.review_id),
                 ';') "# + $after
            $(, $argument)*
        )
    };
}
pub(super) use packed;

/// A review's stored values. A review whose texts are too long has only its id and day.
#[derive(Debug)]
pub(super) struct PackedRow<'a> {
    pub(super) review_id: Option<&'a [u8]>,
    pub(super) reviewed_on: Option<&'a [u8]>,
    /// The other columns, in the order of the query.
    pub(super) others: [Option<&'a [u8]>; 16],
    pub(super) review_no: Option<&'a [u8]>,
    /// When the publisher first saw another program's change.
    pub(super) observed_at: Option<&'a [u8]>,
    /// `b` bound, `n` new, `f` changed by another program.
    pub(super) binding: Option<&'a [u8]>,
    /// Pairs of kind and value.
    pub(super) mentions: Vec<(&'a [u8], &'a [u8])>,
}

/// Replaces mentions that are too long.
const OVERSIZED: &[u8] = b"!;";

pub(super) fn unpack(mut packed: &[u8]) -> Vec<PackedRow<'_>> {
    let mut rows = Vec::new();
    while !packed.is_empty()
        && let Some(row) = unpack_one(&mut packed)
    {
        rows.push(row);
    }
    rows
}

fn unpack_one<'a>(packed: &mut &'a [u8]) -> Option<PackedRow<'a>> {
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
            return Some(PackedRow {
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
            return Some(PackedRow {
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
