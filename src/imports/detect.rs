//! Finds a file's format by its content, never by its name: people rename files, and half of them are `reviews.json`.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::fault::Fault;
use super::format::Format;
use super::jsonl;

/// The format of a file that begins with `head`, or the `wanted` one where somebody says so.
pub(super) fn detect(head: &[u8], wanted: Option<&'static Format>) -> Result<&'static Format, Fault> {
    let shape = Shape::of(head);
    // GeoJSON's FeatureCollection (RFC 7946 §3.3): Google Maps writes the reviews of a user so.
    if shape.has("features") && shape.has("type") && !shape.has("rating") {
        return Err(Fault::MapsReviews);
    }
    if let Some(format) = wanted {
        return Ok(format);
    }
    if shape.first == First::Array {
        return Err(Fault::Array);
    }
    let format = Format::ALL.into_iter().find(|format| (format.recognises)(&shape));
    match format {
        Some(format) if format.name == jsonl::FORMAT.name && shape.first == First::Spread => Err(Fault::Spread),
        Some(format) => Ok(format),
        None => Err(Fault::Unknown(Format::names().collect())),
    }
}

/// What can be seen of a file from its beginning.
#[derive(Debug)]
pub(super) struct Shape {
    /// The paths of the first value's fields, as far as they were met: `reviews`, `reviews[].rating`.
    paths: BTreeSet<String>,
    first: First,
    /// Whether some line begins like an object.
    objects: bool,
}

/// What the first value looks like from afar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// There is nothing but blanks.
    Nothing,
    /// There is nothing but `{}`.
    Bare,
    /// It is an array.
    Array,
    /// It is whole, and goes over several lines.
    Spread,
    /// It is whole on its line, or broken, or goes on beyond the head.
    Other,
}

/// How deep fields are looked at: those of the reviews inside a document.
const DEEP_MAX: usize = 2;
/// How long a path may be to be remembered, in bytes: longer than any that a format asks for.
const PATH_BYTES_MAX: usize = 64;

impl Shape {
    fn of(head: &[u8]) -> Self {
        let text = head.trim_ascii();
        let mut paths = BTreeSet::new();
        // The head may end anywhere: what was seen until then is what counts.
        let _ = Look { paths: &mut paths, path: "", deep: 0 }.deserialize(&mut serde_json::Deserializer::from_slice(text));
        let objects = text.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b"{"));
        let first = First::of(text, paths.is_empty());
        Self { paths, first, objects }
    }

    /// Whether the first value has a field there.
    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether there is nothing but an object without any field.
    pub(super) fn is_bare(&self) -> bool {
        self.first == First::Bare
    }

    /// Whether some line begins like an object, or none has anything.
    pub(super) fn may_be_lines(&self) -> bool {
        self.objects || self.first == First::Nothing
    }
}

impl First {
    fn of(text: &[u8], fieldless: bool) -> Self {
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
        let whole = matches!(values.next(), Some(Ok(_)));
        let end = values.byte_offset();
        match text.first() {
            None => Self::Nothing,
            Some(b'[') => Self::Array,
            Some(b'{') if whole && fieldless && end == text.len() => Self::Bare,
            Some(_) if whole && text[..end].contains(&b'\n') => Self::Spread,
            Some(_) => Self::Other,
        }
    }
}

struct Look<'a> {
    paths: &'a mut BTreeSet<String>,
    path: &'a str,
    deep: usize,
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.deep < DEEP_MAX {
            deserializer.deserialize_any(self)
        } else {
            deserializer.deserialize_ignored_any(IgnoredAny).map(drop)
        }
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let path = if self.path.is_empty() { name } else { format!("{}.{name}", self.path) };
            if path.len() <= PATH_BYTES_MAX {
                self.paths.insert(path.clone());
            }
            map.next_value_seed(Look { paths: self.paths, path: &path, deep: self.deep + 1 })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let path = format!("{}[]", self.path);
        while elements.next_element_seed(Look { paths: self.paths, path: &path, deep: self.deep })?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
