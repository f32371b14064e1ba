//! A note in binary form: what every start loads for each review, so it is small and quickly read. Numbers are
//! little-endian; what does not fit this form is as good as none.

use crate::insights::note::{Head, Mark, Name, Note};
use crate::insights::reading::{Kind, Language, Polarity};

/// Raised when the form changes.
const FORM: u8 = 1;
const LANGUAGES: [Language; 3] = [Language::None, Language::English, Language::Other];
const POLARITIES: [Polarity; 4] = [Polarity::Positive, Polarity::Negative, Polarity::Neutral, Polarity::Uncertain];
const KINDS: [Kind; 3] = [Kind::Technician, Kind::Service, Kind::ServiceArea];

/// The note in binary form, but for the day and the stars, which the review has.
pub(super) fn pack(note: &Note) -> Vec<u8> {
    let Note { head, marks, names, phrases } = note;
    let mut bytes = vec![FORM, code(&LANGUAGES, &head.language), code(&POLARITIES, &head.overall)];
    bytes.extend(head.sentences.to_le_bytes());
    // A text of the length that is read has far fewer of each.
    let counts = [marks.len(), names.len(), phrases.len()].map(|count| u16::try_from(count).unwrap_or(u16::MAX));
    counts.iter().for_each(|count| bytes.extend(count.to_le_bytes()));
    for mark in marks.iter().take(counts[0].into()) {
        let Mark { aspect, polarity, sentence, start, len, score } = mark;
        bytes.extend([*aspect, code(&POLARITIES, polarity)]);
        bytes.extend(sentence.to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend(len.to_le_bytes());
        bytes.extend(score.to_le_bytes());
    }
    for name in names.iter().take(counts[1].into()) {
        let Name { key, told, kind, is_linked, mentions, ambiguous } = name;
        bytes.extend(key.to_le_bytes());
        bytes.extend(told.to_le_bytes());
        bytes.extend([code(&KINDS, kind), u8::from(*is_linked), *mentions, *ambiguous]);
    }
    phrases.iter().take(counts[2].into()).for_each(|phrase| bytes.extend(phrase.to_le_bytes()));
    bytes
}

/// The place of `one` among all.
fn code<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|other| other == one).and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

/// The note of these bytes, of a review of that day and so many stars.
pub(super) fn unpack(bytes: &[u8], day: i32, stars: u8) -> Option<Note> {
    let mut bytes = Bytes(bytes);
    let [form, language, overall] = bytes.take()?;
    let sentences = bytes.u16()?;
    let [marks, names, phrases] = [bytes.u16()?, bytes.u16()?, bytes.u16()?];
    let head = Head { day, stars, language: of(&LANGUAGES, language)?, overall: of(&POLARITIES, overall)?, sentences };
    let note = Note {
        head,
        marks: (0..marks).map(|_| bytes.mark()).collect::<Option<_>>()?,
        names: (0..names).map(|_| bytes.name()).collect::<Option<_>>()?,
        phrases: (0..phrases).map(|_| bytes.take().map(u32::from_le_bytes)).collect::<Option<_>>()?,
    };
    (form == FORM && bytes.0.is_empty()).then_some(note)
}

fn of<T: Copy>(all: &[T], code: u8) -> Option<T> {
    all.get(usize::from(code)).copied()
}

/// What is still to be read.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn mark(&mut self) -> Option<Mark> {
        let [aspect, polarity] = self.take()?;
        Some(Mark {
            aspect,
            polarity: of(&POLARITIES, polarity)?,
            sentence: self.u16()?,
            start: self.take().map(u32::from_le_bytes)?,
            len: self.u16()?,
            score: self.take().map(i16::from_le_bytes)?,
        })
    }

    fn name(&mut self) -> Option<Name> {
        let (key, told) = (self.take().map(u64::from_le_bytes)?, self.take().map(u32::from_le_bytes)?);
        let [kind, is_linked, mentions, ambiguous] = self.take()?;
        Some(Name { key, told, kind: of(&KINDS, kind)?, is_linked: is_linked == 1, mentions, ambiguous })
    }
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};
    use crate::insights::note::{Head, Mark, Name, Note};
    use crate::insights::reading::{Kind, Language, Polarity};

    #[test]
    fn a_note_comes_back_as_it_was_and_a_broken_one_not_at_all() {
        let head = Head { day: 7, stars: 4, language: Language::English, overall: Polarity::Uncertain, sentences: 3 };
        let mark = Mark { aspect: 10, polarity: Polarity::Negative, sentence: 2, start: 70_000, len: 9, score: -300 };
        let name = Name { key: u64::MAX - 5, told: 1 << 31, kind: Kind::ServiceArea, is_linked: true, mentions: 3, ambiguous: 1 };
        let note = Note { head, marks: [mark, mark].into(), names: [name].into(), phrases: [1, u32::MAX].into() };
        let bytes = pack(&note);
        assert_eq!(unpack(&bytes, 7, 4), Some(note));
        for end in 0..bytes.len() {
            assert_eq!(unpack(&bytes[..end], 7, 4), None);
        }
        assert_eq!(unpack(&[&bytes[..], &[0]].concat(), 7, 4), None);
        for at in [0, 1, 2] {
            let mut wrong = bytes.clone();
            wrong[at] = 200;
            assert_eq!(unpack(&wrong, 7, 4), None);
        }
    }
}
