//! Keyed digests of the units of a review. They record the last values of a source without their text, so that an
//! erased review leaves nothing readable behind. The key is in the database, whose owner can read both; it prevents
//! comparing digests of different databases.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::review::Review;
use super::unit::{Unit, Units};

/// Stored bytes of a digest: enough that two values of one field of a review never collide by chance.
const BYTES: usize = 8;
/// Used in place of the length of an absent value.
const ABSENT: u64 = u64::MAX;

/// Digest of a unit that the owner decided. It matches no value, so the unit remains the owner's decision.
const DECIDED: UnitDigest = [0; BYTES];

/// Secret key of the database: without the key, the digests of a field cannot be guessed.
#[derive(Clone)]
pub struct DigestKey(Hmac<Sha256>);

impl std::fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DigestKey")
    }
}

pub type UnitDigest = [u8; BYTES];

impl DigestKey {
    /// # Errors
    /// Never: HMAC takes keys of every length (RFC 2104 §2).
    pub fn new(key: &[u8]) -> Result<Self, hmac::digest::InvalidLength> {
        Hmac::new_from_slice(key).map(Self)
    }

    #[must_use]
    pub fn digest(&self, unit: Unit, review: &Review) -> UnitDigest {
        let mut mac = self.0.clone();
        mac.update(&[unit as u8]);
        let mut add = |part: Option<&[u8]>| {
            mac.update(&part.map_or(ABSENT, |part| part.len() as u64).to_be_bytes());
            mac.update(part.unwrap_or_default());
        };
        add(Some(review.id.as_str().as_bytes()));
        unit.each_part(review, add);
        cut(&mac.finalize().into_bytes())
    }

    /// A digest of author, day, rating and text, but not of the id: copies of a review from two sources have the same
    /// digest.
    #[must_use]
    pub fn fingerprint(&self, review: &Review) -> i64 {
        let mut mac = self.0.clone();
        mac.update(b"fingerprint");
        let mut add = |part: Option<&[u8]>| {
            mac.update(&part.map_or(ABSENT, |part| part.len() as u64).to_be_bytes());
            mac.update(part.unwrap_or_default());
        };
        for unit in [Unit::Author, Unit::Date, Unit::Rating, Unit::Text] {
            unit.each_part(review, &mut add);
        }
        i64::from_be_bytes(cut(&mac.finalize().into_bytes()))
    }
}

fn cut(digest: &[u8]) -> UnitDigest {
    let mut kept = [0; BYTES];
    kept.iter_mut()
        .zip(digest)
        .for_each(|(kept, byte)| *kept = *byte);
    kept
}

/// Digests of the last known values of a source, by unit: the base of the next merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Base([Option<UnitDigest>; Unit::ALL.len()]);

impl Base {
    /// The base for a source that gave a value for every unit except the units `but`.
    #[must_use]
    pub fn of(key: &DigestKey, review: &Review, but: Units) -> Self {
        let mut base = Self::default();
        for unit in Unit::ALL.into_iter().filter(|unit| !but.has(*unit)) {
            base.set(unit, key.digest(unit, review));
        }
        base
    }

    #[must_use]
    pub const fn get(&self, unit: Unit) -> Option<UnitDigest> {
        self.0[unit as usize]
    }

    pub const fn set(&mut self, unit: Unit, digest: UnitDigest) {
        self.0[unit as usize] = Some(digest);
    }

    /// Marks a unit as the owner's decision, regardless of the source's value.
    pub const fn set_decided(&mut self, unit: Unit) {
        self.set(unit, DECIDED);
    }

    /// The number and the digest of each unit with a known digest.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        let known = (0_u8..)
            .zip(&self.0)
            .filter_map(|(unit, digest)| Some((unit, (*digest)?)));
        known
            .flat_map(|(unit, digest)| std::iter::once(unit).chain(digest))
            .collect()
    }

    /// Reads the output of [`Base::pack`]. Invalid parts, which a shell may have written, count as unknown.
    #[must_use]
    pub fn unpack(packed: &[u8]) -> Self {
        let mut base = Self::default();
        for entry in packed.chunks_exact(BYTES + 1) {
            if let Some(place) = base.0.get_mut(usize::from(entry[0])) {
                *place = Some(cut(&entry[1..]));
            }
        }
        base
    }

    /// The units of `review` that the owner decided: units that differ from the source's last value, and units with a
    /// value that the source never gave.
    #[must_use]
    pub fn decisions(&self, key: &DigestKey, review: &Review) -> Units {
        let is_decided = |unit: &Unit| match self.get(*unit) {
            Some(said) => said != key.digest(*unit, review),
            None => !unit.is_unset(review),
        };
        Unit::ALL.into_iter().filter(is_decided).collect()
    }
}
