//! The only source of randomness, so that a test can replay it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cloning shares the same source.
#[derive(Debug, Clone)]
pub struct Random(RandomSource);

#[derive(Debug, Clone)]
enum RandomSource {
    System,
    Seeded(Arc<AtomicU64>),
}

impl Random {
    pub const fn system() -> Self {
        Self(RandomSource::System)
    }

    /// A reproducible generator, for tests only.
    pub fn seeded(seed: u64) -> Self {
        Self(RandomSource::Seeded(Arc::new(AtomicU64::new(seed))))
    }

    /// 128 random bits as 32 hexadecimal digits.
    pub fn hex_128(&self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.bytes_16()))
    }

    /// 16 random bytes. A system without randomness is too broken to go on.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that asks the system"
    )]
    pub fn bytes_16(&self) -> [u8; 16] {
        let mut bytes = [0_u8; 16];
        match &self.0 {
            RandomSource::System => getrandom::fill(&mut bytes)
                .unwrap_or_else(|error| unreachable!("the system has no randomness: {error}")),
            RandomSource::Seeded(state) => {
                for chunk in bytes.chunks_mut(8) {
                    chunk.copy_from_slice(&split_mix(state).to_le_bytes());
                }
            }
        }
        bytes
    }

    /// A number from 0 to 1 for jitter.
    pub fn fraction(&self) -> f64 {
        let [a, b, c, d, ..] = self.bytes_16();
        f64::from(u32::from_be_bytes([a, b, c, d])) / f64::from(u32::MAX)
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): reproducible and predictable, so only for tests.
fn split_mix(state: &AtomicU64) -> u64 {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut z = state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
