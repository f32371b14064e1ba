//! Walks a whole JSON document with a `reviews` array, one element at a time, so that a large one never stands in
//! memory as JSON.
//!
//! Apart from the two formats that are such documents. Knows nothing of what the elements are.

use std::fmt;
use std::io::BufRead;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::fault::Fault;

/// A part of a document.
pub(super) enum Part {
    /// An element of `reviews`, with its number from 0.
    Review(u64, Value),
    /// The value of `business`.
    Business(Value),
}

/// Hands every part of the document `input` to `take`, in the order in which they stand there.
pub(super) fn each(input: &mut dyn BufRead, take: &mut dyn FnMut(Part) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut stopped = None;
    let mut hand_over = |part| match take(part) {
        Ok(()) => true,
        Err(fault) => {
            stopped = Some(fault);
            false
        }
    };
    let mut json = serde_json::Deserializer::from_reader(input);
    let walked = Document(&mut hand_over).deserialize(&mut json).and_then(|()| json.end());
    match (stopped, walked) {
        (Some(fault), _) => Err(fault),
        (None, walked) => walked.map_err(Fault::json),
    }
}

/// Says whether to go on.
type HandOver<'h> = &'h mut dyn FnMut(Part) -> bool;

fn go_on<E: Error>(goes_on: bool) -> Result<(), E> {
    // The fault itself is kept beside; serde has no place for it.
    if goes_on { Ok(()) } else { Err(E::custom("stopped")) }
}

struct Document<'h>(HandOver<'h>);

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `reviews`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "reviews" => map.next_value_seed(Reviews(&mut *self.0))?,
                "business" => go_on((self.0)(Part::Business(map.next_value()?)))?,
                _ => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }
}

struct Reviews<'h>(HandOver<'h>);

impl<'de> DeserializeSeed<'de> for Reviews<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Reviews<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of reviews")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let mut index = 0;
        while let Some(review) = elements.next_element()? {
            go_on((self.0)(Part::Review(index, review)))?;
            index += 1;
        }
        Ok(())
    }
}
