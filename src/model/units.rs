//! Sets of the units of a review.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::review::Unit;

/// A set of units. A bit for each, because an import holds several sets for each row.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Units(u16);

impl Units {
    pub const fn new() -> Self {
        Self(0)
    }

    const fn bit(unit: Unit) -> u16 {
        1 << unit as u16
    }

    pub const fn contains(&self, unit: &Unit) -> bool {
        self.0 & Self::bit(*unit) != 0
    }

    /// Returns whether the unit was not in the set.
    pub const fn insert(&mut self, unit: Unit) -> bool {
        let is_new = !self.contains(&unit);
        self.0 |= Self::bit(unit);
        is_new
    }

    pub const fn remove(&mut self, unit: &Unit) {
        self.0 &= !Self::bit(*unit);
    }

    pub const fn clear(&mut self) {
        self.0 = 0;
    }

    pub const fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// In the order of [`Unit::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = &'static Unit> {
        const ALL: &[Unit] = &Unit::ALL;
        ALL.iter().filter(|unit| self.contains(unit))
    }
}

impl IntoIterator for Units {
    type Item = Unit;
    type IntoIter = std::vec::IntoIter<Unit>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied().collect::<Vec<_>>().into_iter()
    }
}

impl<'u> Extend<&'u Unit> for Units {
    fn extend<I: IntoIterator<Item = &'u Unit>>(&mut self, units: I) {
        self.extend(units.into_iter().copied());
    }
}

impl Extend<Unit> for Units {
    fn extend<I: IntoIterator<Item = Unit>>(&mut self, units: I) {
        for unit in units {
            self.insert(unit);
        }
    }
}

impl FromIterator<Unit> for Units {
    fn from_iter<I: IntoIterator<Item = Unit>>(units: I) -> Self {
        let mut set = Self::new();
        set.extend(units);
        set
    }
}

impl fmt::Debug for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Units {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Units {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Unit>::deserialize(deserializer)?
            .into_iter()
            .collect())
    }
}
