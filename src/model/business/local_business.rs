//! The schema.org types of local businesses (<https://schema.org/LocalBusiness>), the only ones that search engines
//! recognize.

use thiserror::Error;

/// `LocalBusiness` and all its subtypes, one per line.
const TYPES: &str = include_str!("local_business_types.txt");
/// Maximum number of characters of an unknown name that are compared and shown in the error.
const NAME_CHARACTERS_MAX: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{name}` is not schema.org's LocalBusiness or one of its subtypes; the nearest is {nearest}"
)]
pub struct UnknownType {
    /// Truncated if long.
    pub name: String,
    /// The known type with the most similar name.
    pub nearest: &'static str,
}

/// The type as schema.org writes it; `name` may be a URL and is case-insensitive.
///
/// # Errors
/// [`UnknownType`].
pub fn local_business_type(name: &str) -> Result<&'static str, UnknownType> {
    let last = name.trim().rsplit('/').next().unwrap_or_default();
    let known = TYPES.lines().find(|known| known.eq_ignore_ascii_case(last));
    known.ok_or_else(|| UnknownType {
        name: name.chars().take(NAME_CHARACTERS_MAX).collect(),
        nearest: nearest(last, TYPES.lines()).unwrap_or_default(),
    })
}

/// The most similar of `names`; the first one if several are equally similar.
pub fn nearest<'n>(asked: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let asked: String = asked.chars().take(NAME_CHARACTERS_MAX).collect();
    let asked = asked.to_lowercase();
    // The first measure finds misspellings, the second also abbreviations: `HVAC`.
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        strsim::normalized_damerau_levenshtein(&asked, &name) + strsim::jaro_winkler(&asked, &name)
    };
    let rated = names.into_iter().map(|name| (likeness(name), name));
    rated
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, name)| name)
}
