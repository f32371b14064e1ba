//! Hexadecimal digests and the short hash for keys. Everything derived from them (`ETag`s, blocks, weights, notes in
//! the database) must stay stable.

/// The FNV-1a offset basis for 64 bits: the initial `hash` of [`fnv1a`].
pub const FNV_OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

/// Two lower-case digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}

/// FNV-1a of 64 bits, continuing from `hash`.
pub fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

/// Both halves combined by XOR.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves are folded into one"
)]
pub const fn folded(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}
