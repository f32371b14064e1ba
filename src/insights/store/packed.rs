//! A packed analysis in binary form: what every start loads for each review, so it is small and
//! quickly read. Numbers are little-endian; what does not fit this form is as good as none.

use crate::insights::analysis::{Language, MentionKind, Polarity};
use crate::insights::packed_analysis::{
    Backing, PackedAnalysis, PackedFinding, PackedHead, PackedName,
};

/// Raised when the form changes.
const FORM: u8 = 3;
const LANGUAGES: [Language; 3] = [Language::None, Language::English, Language::Other];
const POLARITIES: [Polarity; 4] = [
    Polarity::Positive,
    Polarity::Negative,
    Polarity::Neutral,
    Polarity::Uncertain,
];
const BACKINGS: [Backing; 3] = [Backing::One, Backing::Both, Backing::Withdrawn];
const KINDS: [MentionKind; 3] = [
    MentionKind::Technician,
    MentionKind::Service,
    MentionKind::ServiceArea,
];

/// The packed analysis in binary form, but for the day and the stars, which the review has.
pub(super) fn pack(packed_analysis: &PackedAnalysis) -> Vec<u8> {
    let PackedAnalysis {
        head,
        findings,
        names,
        phrases,
    } = packed_analysis;
    let mut bytes = vec![
        FORM,
        code(&LANGUAGES, &head.language),
        code(&POLARITIES, &head.overall),
    ];
    bytes.extend(head.sentences.to_le_bytes());
    // A text of the length that is read has far fewer of each.
    let counts = [findings.len(), names.len(), phrases.len()]
        .map(|count| u16::try_from(count).unwrap_or(u16::MAX));
    counts
        .iter()
        .for_each(|count| bytes.extend(count.to_le_bytes()));
    for finding in findings.iter().take(counts[0].into()) {
        let PackedFinding {
            aspect,
            polarity,
            backing,
            is_quotable,
            sentence,
            score,
        } = finding;
        bytes.extend([*aspect, code(&POLARITIES, polarity)]);
        bytes.extend([code(&BACKINGS, backing), u8::from(*is_quotable)]);
        bytes.extend(sentence.to_le_bytes());
        bytes.extend(score.to_le_bytes());
    }
    for name in names.iter().take(counts[1].into()) {
        let PackedName {
            key,
            finding_mask,
            near_mask,
            kind,
            is_linked,
            mentions,
            ambiguous,
        } = name;
        bytes.extend(key.to_le_bytes());
        bytes.extend(finding_mask.to_le_bytes());
        bytes.extend(near_mask.to_le_bytes());
        bytes.extend([
            code(&KINDS, kind),
            u8::from(*is_linked),
            *mentions,
            *ambiguous,
        ]);
    }
    phrases
        .iter()
        .take(counts[2].into())
        .for_each(|phrase| bytes.extend(phrase.to_le_bytes()));
    bytes
}

/// The place of `one` among all.
fn code<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter()
        .position(|other| other == one)
        .and_then(|at| u8::try_from(at).ok())
        .unwrap_or(u8::MAX)
}

/// The packed analysis of these bytes, of a review of that day and so many stars.
pub(super) fn unpack(bytes: &[u8], day: i32, stars: u8) -> Option<PackedAnalysis> {
    let mut bytes = Bytes(bytes);
    let [form, language, overall] = bytes.take()?;
    let sentences = bytes.u16()?;
    let [findings, names, phrases] = [bytes.u16()?, bytes.u16()?, bytes.u16()?];
    let head = PackedHead {
        day,
        stars,
        language: of(&LANGUAGES, language)?,
        overall: of(&POLARITIES, overall)?,
        sentences,
    };
    let packed_analysis = PackedAnalysis {
        head,
        findings: (0..findings)
            .map(|_| bytes.finding())
            .collect::<Option<_>>()?,
        names: (0..names).map(|_| bytes.name()).collect::<Option<_>>()?,
        phrases: (0..phrases)
            .map(|_| bytes.take().map(u32::from_le_bytes))
            .collect::<Option<_>>()?,
    };
    (form == FORM && bytes.0.is_empty()).then_some(packed_analysis)
}

fn of<T: Copy>(all: &[T], code: u8) -> Option<T> {
    all.get(usize::from(code)).copied()
}

/// What is still to be analyzed.
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

    fn finding(&mut self) -> Option<PackedFinding> {
        let [aspect, polarity, backing, is_quotable] = self.take()?;
        Some(PackedFinding {
            aspect,
            polarity: of(&POLARITIES, polarity)?,
            backing: of(&BACKINGS, backing)?,
            is_quotable: is_quotable == 1,
            sentence: self.u16()?,
            score: self.take().map(i16::from_le_bytes)?,
        })
    }

    fn name(&mut self) -> Option<PackedName> {
        let key = self.take().map(u64::from_le_bytes)?;
        let finding_mask = self.take().map(u32::from_le_bytes)?;
        let near_mask = self.take().map(u32::from_le_bytes)?;
        let [kind, is_linked, mentions, ambiguous] = self.take()?;
        Some(PackedName {
            key,
            finding_mask,
            near_mask,
            kind: of(&KINDS, kind)?,
            is_linked: is_linked == 1,
            mentions,
            ambiguous,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};
    use crate::insights::analysis::{Language, MentionKind, Polarity};
    use crate::insights::packed_analysis::{
        Backing, PackedAnalysis, PackedFinding, PackedHead, PackedName,
    };

    #[test]
    fn a_packed_analysis_comes_back_as_it_was_and_a_broken_one_not_at_all() {
        let head = PackedHead {
            day: 7,
            stars: 4,
            language: Language::English,
            overall: Polarity::Uncertain,
            sentences: 3,
        };
        let finding = PackedFinding {
            aspect: 10,
            polarity: Polarity::Negative,
            backing: Backing::Withdrawn,
            is_quotable: true,
            sentence: 2,
            score: -300,
        };
        let name = PackedName {
            key: u64::MAX - 5,
            finding_mask: 1 << 31,
            near_mask: 5,
            kind: MentionKind::ServiceArea,
            is_linked: true,
            mentions: 3,
            ambiguous: 1,
        };
        let packed_analysis = PackedAnalysis {
            head,
            findings: [finding, finding].into(),
            names: [name].into(),
            phrases: [1, u32::MAX].into(),
        };
        let bytes = pack(&packed_analysis);
        assert_eq!(unpack(&bytes, 7, 4), Some(packed_analysis));
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
