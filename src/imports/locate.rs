//! Finds the line and column at which a path of a JSON text stands.
//!
//! Apart, because complaints are made about parsed values, which no longer know where they stood,
//! and only hand-written files need the place. Knows nothing of reviews.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Line and column (both from 1) of the value at `path` in `json`, or of the object that lacks it.
pub(super) fn locate(json: &str, path: &str) -> Option<(usize, usize)> {
    let steps = steps(path);
    let found = Seek(&steps)
        .deserialize(&mut serde_json::Deserializer::from_str(json))
        .err()?;
    // serde_json adds the place to an error that a visitor makes: so an error at the goal is the
    // answer.
    (found.line() > 0).then(|| (found.line(), found.column()))
}

#[derive(Debug, PartialEq, Eq)]
enum Step<'a> {
    Field(&'a str),
    Element(usize),
}

fn steps(path: &str) -> Vec<Step<'_>> {
    let split = path.split(['.', '[']).filter(|part| !part.is_empty());
    split
        .map(
            |part| match part.strip_suffix(']').and_then(|index| index.parse().ok()) {
                Some(index) => Step::Element(index),
                None => Step::Field(part),
            },
        )
        .collect()
}

struct Seek<'a>(&'a [Step<'a>]);

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.0.is_empty() {
            Err(D::Error::custom("here"))
        } else {
            deserializer.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what the path leads through")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match self.0.split_first() {
                Some((Step::Field(field), rest)) if *field == name => {
                    return map.next_value_seed(Seek(rest));
                }
                Some(_) | None => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Err(A::Error::custom("the field is missing here"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Some((Step::Element(index), rest)) = self.0.split_first() else {
            return Err(A::Error::custom("no object"));
        };
        for _ in 0..*index {
            elements.next_element::<IgnoredAny>()?;
        }
        elements.next_element_seed(Seek(rest)).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn a_path_is_found_where_it_stands() {
        let json = "{\n \"id\": \"a\",\n \"services\": [\n  {\"id\": 1},\n  {\"id\": 2}\n ]\n}";
        assert_eq!(locate(json, "id").map(|at| at.0), Some(2));
        assert_eq!(locate(json, "services[1].id").map(|at| at.0), Some(5));
        assert_eq!(locate(json, "services[0].name").map(|at| at.0), Some(4));
        assert_eq!(locate(json, "name").map(|at| at.0), Some(7));
    }
}
