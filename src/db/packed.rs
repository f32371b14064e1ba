//! Values packed by a query into one, for speed: each row and column that SQLite hands over costs
//! much, whatever is in it. A value is its length in bytes, a colon, and its bytes; for null the
//! length is left out.

/// Takes one value off `packed`; `Some(None)` for null, `None` where nothing can be taken off.
#[must_use]
pub fn unpack_value<'a>(packed: &mut &'a [u8]) -> Option<Option<&'a [u8]>> {
    let colon = packed.iter().position(|byte| *byte == b':')?;
    let length = std::str::from_utf8(&packed[..colon]).ok()?;
    let rest = &packed[colon + 1..];
    *packed = rest;
    if length.is_empty() {
        return Some(None);
    }
    let (value, rest) = rest.split_at_checked(length.parse().ok()?)?;
    *packed = rest;
    Some(Some(value))
}
