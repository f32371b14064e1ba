//! The units of a review: what its source and its owner can each change by itself.

use serde::{Deserialize, Serialize};

use super::review::{Review, Status};

/// A unit of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// The number of stars.
    Rating,
    /// The day of the review.
    Date,
    /// The author's public name.
    Author,
    /// The headline of the review.
    Title,
    /// The text of the review.
    Text,
    /// The language tag of the text.
    Language,
    /// Where it was written, name and URL together.
    Source,
    /// Whether it appears, with the reason.
    Status,
    /// How it is known to be from a customer.
    Verification,
    /// The owner's answer, with its day and author.
    Response,
    /// What it is recorded to be about.
    Mentions,
}

impl Unit {
    /// Every unit. Their order is stored: new ones are added at the end.
    pub const ALL: [Self; 11] = [
        Self::Rating,
        Self::Date,
        Self::Author,
        Self::Title,
        Self::Text,
        Self::Language,
        Self::Source,
        Self::Status,
        Self::Verification,
        Self::Response,
        Self::Mentions,
    ];

    /// Its name in reports and in exports: that of the native record's field.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rating => "rating",
            Self::Date => "date",
            Self::Author => "author",
            Self::Title => "title",
            Self::Text => "text",
            Self::Language => "language",
            Self::Source => "source",
            Self::Status => "status",
            Self::Verification => "verification",
            Self::Response => "response",
            Self::Mentions => "mentions",
        }
    }

    /// The unit of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// Whether `review` has nothing there, so that a source without a base fills it.
    #[must_use]
    pub const fn is_unset(self, review: &Review) -> bool {
        match self {
            Self::Title => review.title.is_none(),
            Self::Text => review.text.is_empty(),
            Self::Language => review.language.is_none(),
            Self::Response => review.response.is_none(),
            Self::Mentions => {
                let mentions = &review.mentions;
                mentions.technicians.is_empty()
                    && mentions.services.is_empty()
                    && mentions.service_areas.is_empty()
            }
            Self::Rating
            | Self::Date
            | Self::Author
            | Self::Source
            | Self::Status
            | Self::Verification => false,
        }
    }

    /// Takes this unit over from another review.
    pub fn copy(self, from: &Review, to: &mut Review) {
        match self {
            Self::Rating => to.rating = from.rating,
            Self::Date => to.date = from.date,
            Self::Author => to.author.clone_from(&from.author),
            Self::Title => to.title.clone_from(&from.title),
            Self::Text => to.text.clone_from(&from.text),
            Self::Language => to.language.clone_from(&from.language),
            Self::Source => to.source.clone_from(&from.source),
            Self::Status => to.status.clone_from(&from.status),
            Self::Verification => to.verification.clone_from(&from.verification),
            Self::Response => to.response.clone_from(&from.response),
            Self::Mentions => to.mentions.clone_from(&from.mentions),
        }
    }

    /// Calls `part` with every part of the unit as `review` has it; `None` for what is not there.
    pub(super) fn each_part(self, review: &Review, mut part: impl FnMut(Option<&[u8]>)) {
        let mut text = |text: Option<&str>| part(text.map(str::as_bytes));
        match self {
            Self::Rating => part(Some(&[review.rating.stars()])),
            Self::Date => part(Some(&review.date.number().to_be_bytes())),
            Self::Author => text(Some(&review.author)),
            Self::Title => text(review.title.as_deref()),
            Self::Text => text(Some(&review.text)),
            Self::Language => text(review.language.as_deref()),
            Self::Source => {
                text(Some(&review.source.name));
                text(review.source.url.as_deref());
            }
            Self::Status => {
                let reason = match &review.status {
                    Status::Published => None,
                    Status::Withheld { reason } => reason.as_deref(),
                };
                text(Some(review.status.name()));
                text(reason);
            }
            Self::Verification => {
                let its = &review.verification;
                part(Some(&[u8::from(its.verified)]));
                part(Some(its.method.name().as_bytes()));
                // As it is stored, whatever fraction of a second it has.
                let at = its
                    .verified_at
                    .map(|at| (at.timestamp(), at.timestamp_subsec_nanos()));
                part(
                    at.map(|(s, _)| s.to_be_bytes())
                        .as_ref()
                        .map(|bytes| &bytes[..]),
                );
                part(
                    at.map(|(_, ns)| ns.to_be_bytes())
                        .as_ref()
                        .map(|bytes| &bytes[..]),
                );
            }
            Self::Response => {
                let its = review.response.as_ref();
                text(its.map(|its| its.text.as_str()));
                text(its.and_then(|its| its.author.as_deref()));
                part(
                    its.and_then(|its| its.date)
                        .map(|day| day.number().to_be_bytes())
                        .as_ref()
                        .map(|bytes| &bytes[..]),
                );
            }
            Self::Mentions => {
                let its = &review.mentions;
                for list in [&its.technicians, &its.services, &its.service_areas] {
                    part(Some(&(list.len() as u64).to_be_bytes()));
                    list.iter().for_each(|value| part(Some(value.as_bytes())));
                }
            }
        }
    }
}

/// A set of units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Units(u16);

impl Units {
    /// The set without any unit.
    pub const NONE: Self = Self(0);

    /// The set whose bits these are.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// One bit for each unit, in their order.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Adds `unit` to the set; what is there already stays.
    pub const fn insert(&mut self, unit: Unit) {
        self.0 |= 1 << unit as u16;
    }

    /// Takes a unit out.
    pub const fn remove(&mut self, unit: Unit) {
        self.0 &= !(1 << unit as u16);
    }

    /// Whether it has that unit.
    #[must_use]
    pub const fn has(self, unit: Unit) -> bool {
        self.0 & (1 << unit as u16) != 0
    }

    /// Whether it has none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its units, in their order.
    pub fn iter(self) -> impl Iterator<Item = Unit> {
        Unit::ALL.into_iter().filter(move |unit| self.has(*unit))
    }
}

impl FromIterator<Unit> for Units {
    fn from_iter<I: IntoIterator<Item = Unit>>(units: I) -> Self {
        let mut set = Self::NONE;
        units.into_iter().for_each(|unit| set.insert(unit));
        set
    }
}

// What a source says about a field: something, that there is nothing, or not a word. Apart,
// because imports carry the difference from the file to the merge, and `Option` has no place for
// it.

/// A field as a source states it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stated<T> {
    /// The file does not state it: overwrites nothing.
    #[default]
    Unsaid,
    /// The file says that there is none.
    None,
    /// The file says this.
    Given(T),
}

impl<T> Stated<T> {
    /// What is there when nothing was before.
    #[must_use]
    pub fn value(self) -> Option<T> {
        match self {
            Self::Given(value) => Some(value),
            Self::None | Self::Unsaid => None,
        }
    }

    /// Whether the file says anything about it.
    #[must_use]
    pub const fn is_stated(&self) -> bool {
        !matches!(self, Self::Unsaid)
    }

    /// For files that state a field only where they have it.
    #[must_use]
    pub fn or_unsaid(value: Option<T>) -> Self {
        value.map_or(Self::Unsaid, Self::Given)
    }

    /// For files that state a field always.
    #[must_use]
    pub fn or_none(value: Option<T>) -> Self {
        value.map_or(Self::None, Self::Given)
    }

    /// The same, by reference.
    #[must_use]
    pub const fn as_ref(&self) -> Stated<&T> {
        match self {
            Self::Unsaid => Stated::Unsaid,
            Self::None => Stated::None,
            Self::Given(value) => Stated::Given(value),
        }
    }

    /// The same about what `map` makes of it.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Stated<U> {
        match self {
            Self::Unsaid => Stated::Unsaid,
            Self::None => Stated::None,
            Self::Given(value) => Stated::Given(map(value)),
        }
    }
}
