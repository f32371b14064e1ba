//! Fingerprints of words: one fast hash for all word tables. The tables are fixed before a text arrives, so no text can
//! cause collisions on purpose. A word has the same fingerprint on every platform.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values by the fingerprints of words.
pub type WordMap<T> = HashMap<u64, T, BuildHasherDefault<Fingerprint>>;

/// A hasher for words, and for keys that already are fingerprints.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Mixes 64 more bits into a key.
    pub const fn mix(key: u64, piece: u64) -> u64 {
        let key = (key ^ piece).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        key ^ key >> 29
    }

    /// The fingerprint of a word. It has 64 bits: two of a few thousand words collide in one of 10^12 dictionaries.
    pub fn of(word: &str) -> u64 {
        Self::mix_all(word.len() as u64, word.as_bytes())
    }

    fn mix_all(key: u64, bytes: &[u8]) -> u64 {
        let (eights, rest) = bytes.as_chunks::<8>();
        let key = eights
            .iter()
            .fold(key, |key, eight| Self::mix(key, u64::from_le_bytes(*eight)));
        Self::mix(
            key,
            rest.iter()
                .fold(0, |last, byte| last << 8 | u64::from(*byte)),
        )
    }
}

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = Self::mix_all(self.0, bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
