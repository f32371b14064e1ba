//! Text columns, and the instants in them. A shell can write bytes that are not UTF-8, and one such row must not stop the
//! others: they become U+FFFD.

use std::collections::HashSet;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{Sqlite, SqliteTypeInfo, SqliteValueRef};
use sqlx::{Decode, Type, ValueRef as _};

use crate::model::ReviewId;

/// A text column that accepts any bytes. Name it in queries: `name as "name: Text"`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text(String);

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.0
    }
}

/// The elements of a JSON array (the tables check that it is one); what is no `T` is left out.
impl<T: DeserializeOwned> From<Text> for Vec<T> {
    fn from(text: Text) -> Self {
        let elements: Vec<Value> = serde_json::from_str(&text.0).unwrap_or_default();
        let elements = elements.into_iter();
        elements
            .filter_map(|element| serde_json::from_value(element).ok())
            .collect()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Type<Sqlite> for Text {
    fn type_info() -> SqliteTypeInfo {
        <str as Type<Sqlite>>::type_info()
    }

    fn compatible(kind: &SqliteTypeInfo) -> bool {
        <[u8] as Type<Sqlite>>::compatible(kind)
    }
}

impl<'r> Decode<'r, Sqlite> for Text {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        // The strict conversion is faster, and nearly all values are valid.
        let text = String::from_utf8(<Vec<u8> as Decode<Sqlite>>::decode(value)?);
        Ok(Self(text.unwrap_or_else(|error| {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        })))
    }
}

/// Like [`Text`], and null is absent: `title as "title!: NullableText"`.
#[derive(Debug)]
pub struct NullableText(Option<String>);

impl From<NullableText> for Option<String> {
    fn from(text: NullableText) -> Self {
        text.0
    }
}

impl Type<Sqlite> for NullableText {
    fn type_info() -> SqliteTypeInfo {
        Text::type_info()
    }
}

impl<'r> Decode<'r, Sqlite> for NullableText {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        let text: Option<Text> = (!value.is_null())
            .then(|| Text::decode(value))
            .transpose()?;
        Ok(Self(text.map(String::from)))
    }
}

pub(super) fn strings<C: FromIterator<String>>(texts: Vec<Text>) -> C {
    texts.into_iter().map(String::from).collect()
}

/// The IDs among these texts; a shell may have written others.
pub(super) fn review_ids(texts: &[Text]) -> HashSet<ReviewId> {
    let ids = texts.iter().map(|text| text.as_ref().parse());
    ids.filter_map(Result::ok).collect()
}

/// RFC 3339 in UTC, with the fraction of a second if there is one.
pub(super) fn utc(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// RFC 3339 in UTC, in whole seconds.
pub fn utc_seconds(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// RFC 3339 in UTC, with milliseconds. All texts have the same length, so that they sort like instants.
pub fn utc_milliseconds(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The instant of an RFC 3339 text.
pub(super) fn instant(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|instant| instant.to_utc())
}

/// The instant of an RFC 3339 text; an invalid one becomes the Unix epoch, so it counts as past.
pub fn instant_or_epoch(text: &str) -> DateTime<Utc> {
    instant(text).unwrap_or_default()
}
