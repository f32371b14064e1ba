//! Keyed digests of a review's units: what a source said last, without a word of it, so that an
//! erased review leaves nothing readable behind. The key stands in the database, whose owner may
//! read both anyhow; it keeps digests of one database from being compared with those of another.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::review::Review;
use super::unit::{Unit, Units};

/// How many bytes of a digest are kept: enough that two values of one field of one review never
/// have the same by chance.
const BYTES: usize = 8;
/// What stands for a length where there is no value.
const ABSENT: u64 = u64::MAX;

/// In place of a digest that is not known of a unit that the owner decided: like none, so that it
/// stays a decision.
const DECIDED: UnitDigest = [0; BYTES];

/// The database's key: digests of a field cannot be guessed without it.
#[derive(Clone)]
pub struct DigestKey(Hmac<Sha256>);

impl std::fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DigestKey")
    }
}

/// The digest of one unit.
pub type UnitDigest = [u8; BYTES];

impl DigestKey {
    /// The key of these bytes.
    ///
    /// # Errors
    /// Never: HMAC takes keys of every length (RFC 2104 §2).
    pub fn new(key: &[u8]) -> Result<Self, hmac::digest::InvalidLength> {
        Hmac::new_from_slice(key).map(Self)
    }

    /// The digest of a unit of this review.
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

    /// One number for author, day, rating and text, whatever the review's id: two sources' copies
    /// of a review have the same.
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

/// What a source said last of each unit, as far as that is known: the base of the next merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Base([Option<UnitDigest>; Unit::ALL.len()]);

impl Base {
    /// The base where the source said all of this, but for those units.
    #[must_use]
    pub fn of(key: &DigestKey, review: &Review, but: Units) -> Self {
        let mut base = Self::default();
        for unit in Unit::ALL.into_iter().filter(|unit| !but.has(*unit)) {
            base.set(unit, key.digest(unit, review));
        }
        base
    }

    /// What the source said of a unit.
    #[must_use]
    pub const fn get(&self, unit: Unit) -> Option<UnitDigest> {
        self.0[unit as usize]
    }

    /// Notes what the source says of a unit.
    pub const fn set(&mut self, unit: Unit, digest: UnitDigest) {
        self.0[unit as usize] = Some(digest);
    }

    /// Notes that a unit is the owner's, whatever the source says of it.
    pub const fn set_decided(&mut self, unit: Unit) {
        self.set(unit, DECIDED);
    }

    /// As it is stored: for each unit whose digest is known its number, then the digest.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        let known = (0_u8..)
            .zip(&self.0)
            .filter_map(|(unit, digest)| Some((unit, (*digest)?)));
        known
            .flat_map(|(unit, digest)| std::iter::once(unit).chain(digest))
            .collect()
    }

    /// Reads what [`Base::pack`] wrote. What is none of that (anybody with a shell may write there)
    /// is as if unknown.
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

    /// The units of `review` that are its owner's: they differ from what the source said, or are
    /// set where it said nothing that is known.
    #[must_use]
    pub fn decisions(&self, key: &DigestKey, review: &Review) -> Units {
        let is_decided = |unit: &Unit| match self.get(*unit) {
            Some(said) => said != key.digest(*unit, review),
            None => !unit.is_unset(review),
        };
        Unit::ALL.into_iter().filter(is_decided).collect()
    }
}
