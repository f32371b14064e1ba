//! Resolves ambiguous names by a full name in the same review, or by the recorded mention. Without these, the name
//! stays ambiguous. Also determines the last sentence in which a text continues about a person.

use super::certainty::Certainty;
use super::people::{People, PersonCandidate};
use super::words::{TaggedText, WordClass};
use crate::compute::steps;
use crate::insights::analysis::{Mention, MentionKind};

/// The mentions of people, in order.
pub fn people(
    people: &People,
    seen: &[PersonCandidate],
    tagged: &TaggedText<'_>,
    recorded: &[String],
) -> Vec<Mention> {
    if seen.is_empty() {
        return Vec::new();
    }
    let recorded: Vec<u32> = (0..)
        .zip(&people.names)
        .filter(|(_, name)| recorded.contains(name))
        .map(|(person, _)| person)
        .collect();
    let mut sure: Vec<u32> = Vec::new();
    let tells = |one: &&PersonCandidate| {
        one.certainty == Certainty::Sure
            || one.certainty == Certainty::Named && one.rule == "surname"
    };
    for one in seen.iter().filter(tells) {
        if let [person] = one.people.as_slice() {
            sure.push(*person);
        }
    }
    sure.sort_unstable();
    sure.dedup();
    let mut mentions = Vec::new();
    for one in seen {
        let Some((who, rule)) = people_meant_by(one, &sure, &recorded) else {
            continue;
        };
        let mut names: Vec<String> = who
            .iter()
            .map(|person| people.names[*person as usize].clone())
            .collect();
        names.sort();
        names.dedup();
        let mention = |candidates: Vec<String>| Mention {
            kind: MentionKind::Technician,
            candidates,
            sentence: u32::try_from(one.sentence).unwrap_or(u32::MAX),
            through: u32::try_from(through(one, seen, tagged)).unwrap_or(u32::MAX),
            span: tagged.text.span(one.tokens.clone()),
            rule,
        };
        if one.count == names.len() {
            mentions.extend(names.into_iter().map(|name| mention(vec![name])));
        } else {
            mentions.push(mention(names));
        }
    }
    mentions
}

fn people_meant_by(
    one: &PersonCandidate,
    sure: &[u32],
    recorded: &[u32],
) -> Option<(Vec<u32>, &'static str)> {
    let among = |people: &[u32], known: &[u32]| -> Vec<u32> {
        people
            .iter()
            .copied()
            .filter(|person| known.contains(person))
            .collect()
    };
    let on_record = || {
        among(
            if one.wider.is_empty() {
                &one.people
            } else {
                &one.wider
            },
            recorded,
        )
    };
    match one.certainty {
        Certainty::Stranger => None,
        Certainty::Weak => {
            let mut confirmed = among(&one.people, sure);
            confirmed.extend(
                among(&one.people, recorded)
                    .into_iter()
                    .filter(|person| !sure.contains(person)),
            );
            (confirmed.len() == 1 && one.count == 1).then_some((confirmed, "recorded"))
        }
        Certainty::Sure | Certainty::Named if one.count > 1 => {
            (one.people.len() > 1).then(|| (one.people.clone(), one.rule))
        }
        Certainty::Sure | Certainty::Named => Some(match one.people.as_slice() {
            [person]
                if one.certainty == Certainty::Sure
                    || recorded.contains(person)
                    || sure.contains(person) =>
            {
                (vec![*person], one.rule)
            }
            [_] => match on_record().as_slice() {
                [person] => (vec![*person], "recorded"),
                _ => (one.people.clone(), one.rule),
            },
            _ => match (among(&one.people, sure).as_slice(), on_record().as_slice()) {
                ([person], _) => (vec![*person], "same_review"),
                (_, [person]) => (vec![*person], "recorded"),
                _ => (one.people.clone(), one.rule),
            },
        }),
    }
}

/// The last sentence that continues about the person.
fn through(one: &PersonCandidate, seen: &[PersonCandidate], tagged: &TaggedText<'_>) -> usize {
    let names = |sentence: usize| {
        let from = seen.partition_point(|other| other.sentence < sentence);
        let its = seen[from..]
            .iter()
            .inspect(|_| steps::one())
            .take_while(move |other| other.sentence == sentence);
        its.filter(|other| other.certainty != Certainty::Weak)
    };
    let is_alone = names(one.sentence).all(|other| other.people == one.people);
    let mut last = one.sentence;
    while let Some(sentence) = tagged.text.sentences().get(last + 1) {
        let start = sentence
            .clone()
            .inspect(|_| steps::one())
            .find(|at| !tagged.is_mark(*at) && !tagged.word(*at).is(WordClass::Link));
        let Some(start) = start.filter(|at| tagged.word(*at).is(WordClass::Pronoun)) else {
            break;
        };
        let is_they = matches!(
            tagged.text.word(start),
            "they" | "their" | "they're" | "they'd" | "they'll"
        );
        if !(is_alone || is_they)
            || names(last + 1).next().is_some()
            || matches!(tagged.text.word(start), "it" | "its" | "it's")
        {
            break;
        }
        last += 1;
    }
    last
}
