//! Which of the firm's locations the rows are of: counted, named where a Takeout names them, and
//! refused where they are of several and nobody has said which is meant.

use std::collections::BTreeMap;

use crate::imports::file_error::FileError;
use crate::imports::listing::Listing;

/// How many locations are told apart.
const LOCATIONS_MAX: usize = 1000;

/// The locations that were met so far.
pub(super) struct Locations<'a> {
    /// The only one whose reviews are meant, by its number or its name.
    meant: Option<&'a str>,
    /// How many rows each has.
    rows: BTreeMap<String, u64>,
    /// What they are called.
    names: BTreeMap<String, String>,
}

impl<'a> Locations<'a> {
    pub(super) const fn new(meant: Option<&'a str>) -> Self {
        Self {
            meant,
            rows: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }

    /// Takes in what a location is called.
    pub(super) fn name(&mut self, listing: Listing) {
        if self.names.len() < LOCATIONS_MAX {
            self.names.insert(listing.location, listing.name);
        }
    }

    /// Counts a row of that location; says whether its review is meant.
    pub(super) fn is_meant(&mut self, location: &str) -> bool {
        if self.rows.len() < LOCATIONS_MAX || self.rows.contains_key(location) {
            *self.rows.entry(location.to_owned()).or_default() += 1;
        }
        self.meant
            .is_none_or(|meant| self.is_called(location, meant))
    }

    /// What the location is called that the reviews are of, where that is known.
    ///
    /// # Errors
    /// Where they are of several and nobody has said which is meant, or of none that was meant.
    pub(super) fn listing(&self) -> Result<Option<String>, FileError> {
        let taken = match self.meant {
            None if self.rows.len() > 1 => {
                let counted = |(location, count): (&String, &u64)| (self.called(location), *count);
                return Err(FileError::Locations(
                    self.rows.iter().map(counted).collect(),
                ));
            }
            None => self.rows.keys().next(),
            Some(meant) => {
                let taken = self.rows.keys().find(|its| self.is_called(its, meant));
                if taken.is_none() && !self.rows.is_empty() {
                    return Err(FileError::NoSuchLocation {
                        meant: meant.to_owned(),
                        there: self.rows.keys().map(|its| self.called(its)).collect(),
                    });
                }
                taken
            }
        };
        Ok(taken.and_then(|location| self.names.get(location)).cloned())
    }

    /// Whether the location has that number or that name.
    fn is_called(&self, location: &str, meant: &str) -> bool {
        let name = self.names.get(location);
        location == meant || name.is_some_and(|name| name == meant)
    }

    /// The location with its name, where that is known.
    fn called(&self, location: &str) -> String {
        match self.names.get(location) {
            Some(name) => format!("{location} {name}"),
            None => location.to_owned(),
        }
    }
}
