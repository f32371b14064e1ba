//! The only source of randomness: the system's, through the generator of the TLS library.

use rustls::crypto::ring;

/// 128 random bits as 32 hexadecimal digits.
pub fn hex_128() -> String {
    format!("{:032x}", u128::from_be_bytes(bytes_16()))
}

/// 16 random bytes. A system without randomness is too broken to go on.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that asks the system"
)]
pub fn bytes_16() -> [u8; 16] {
    let mut bytes = [0_u8; 16];
    let filled = ring::default_provider().secure_random.fill(&mut bytes);
    filled.unwrap_or_else(|_| unreachable!("the system has no randomness"));
    bytes
}

/// A number from 0 to 1 for jitter.
pub fn fraction() -> f64 {
    let [a, b, c, d, ..] = bytes_16();
    f64::from(u32::from_be_bytes([a, b, c, d])) / f64::from(u32::MAX)
}
