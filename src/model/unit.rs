//! The units of a review: the parts that its source and its owner can change independently.

use serde::{Deserialize, Serialize};

use super::review::{Review, Status};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    Rating,
    Date,
    Author,
    Title,
    Text,
    Language,
    /// Name and URL together.
    Source,
    /// With the reason.
    Status,
    Verification,
    /// With its day and author.
    Response,
    Mentions,
}

impl Unit {
    /// The order is stored: new units are added at the end.
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

    /// The name of the native record's field, used in reports and exports.
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

    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// Whether the unit has no value in `review`, so that a source without a base may fill it.
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

    /// Calls `part` with every part of the unit; `None` for an absent part.
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
                // As stored, with any fraction of a second.
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Units(u16);

impl Units {
    pub const NONE: Self = Self(0);

    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// One bit for each unit, in their order.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    pub const fn insert(&mut self, unit: Unit) {
        self.0 |= 1 << unit as u16;
    }

    pub const fn remove(&mut self, unit: Unit) {
        self.0 &= !(1 << unit as u16);
    }

    #[must_use]
    pub const fn has(self, unit: Unit) -> bool {
        self.0 & (1 << unit as u16) != 0
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of the units.
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

// A source's value for a field: a value, explicitly none, or unstated. `Option` cannot distinguish the last two, but
// the merge must.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stated<T> {
    /// Not stated: overwrites nothing.
    #[default]
    Unsaid,
    /// Stated to be absent.
    None,
    Given(T),
}

impl<T> Stated<T> {
    /// The value for a new review.
    #[must_use]
    pub fn value(self) -> Option<T> {
        match self {
            Self::Given(value) => Some(value),
            Self::None | Self::Unsaid => None,
        }
    }

    #[must_use]
    pub const fn is_stated(&self) -> bool {
        !matches!(self, Self::Unsaid)
    }

    /// For files that have a field only if it has a value.
    #[must_use]
    pub fn or_unsaid(value: Option<T>) -> Self {
        value.map_or(Self::Unsaid, Self::Given)
    }

    /// For files that always have a field.
    #[must_use]
    pub fn or_none(value: Option<T>) -> Self {
        value.map_or(Self::None, Self::Given)
    }

    #[must_use]
    pub const fn as_ref(&self) -> Stated<&T> {
        match self {
            Self::Unsaid => Stated::Unsaid,
            Self::None => Stated::None,
            Self::Given(value) => Stated::Given(value),
        }
    }

    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Stated<U> {
        match self {
            Self::Unsaid => Stated::Unsaid,
            Self::None => Stated::None,
            Self::Given(value) => Stated::Given(map(value)),
        }
    }
}
