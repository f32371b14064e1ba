//! Finds people and places in texts in other languages: capitalised names from the business's lists beside a cue of the
//! language. The classes of words and the guards of the other files are English.

use super::areas::Areas;
use super::context::TokenContext;
use super::evidence::is_author;
use super::name_forms::How;
use super::people::People;
use super::words::TaggedText;
use crate::insights::analysis::Mention;
use crate::insights::text::{Capitalisation, WordSet};
use crate::model::MentionKind;

/// Maximum distance in words between a name and a preceding relation that makes it another person's name: `mi hermano
/// Luis`, `mi tío don Luis`.
const OTHERS_WITHIN: isize = 3;

/// The mentions in a text in another language, by position. Authors do not mention themselves.
pub fn cued_mentions(
    tagged: &TaggedText<'_>,
    people: &People,
    areas: &Areas,
    author: &str,
) -> Vec<Mention> {
    let mut mentions = Vec::new();
    TokenContext::each(tagged, &people.forms, |context, forms| {
        mentions.extend(cued_person(context, people, forms, author));
    });
    TokenContext::each(tagged, &areas.forms, |context, found| {
        let cues = &tagged.text.language_words().names.before_places;
        if is_written(context) && is_among(context, -1, cues) {
            let name = areas.names[found[0] as usize].clone();
            mentions.push(context.mention(MentionKind::ServiceArea, vec![name], "area"));
        }
    });
    // Of a person and a place with the same name, the person counts.
    mentions.sort_by_key(|mention| (mention.span, mention.kind));
    mentions.dedup_by(|place, person| place.span.start < person.span.end);
    mentions
}

fn cued_person(
    context: &TokenContext<'_>,
    people: &People,
    forms: &[(u32, How)],
    author: &str,
) -> Option<Mention> {
    let named = |how: How| -> Vec<String> {
        let forms = forms.iter().filter(|(_, one)| *one == how);
        let mut names: Vec<String> = forms
            .map(|(person, _)| people.names[*person as usize].clone())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    if !is_written(context) {
        return None;
    }
    let (full, given) = (named(How::Full), named(How::Given));
    if !full.is_empty() {
        return Some(context.mention(MentionKind::Technician, full, "full_name"));
    }
    let cues = &context.tagged.text.language_words().names;
    let is_cued =
        is_among(context, -1, &cues.before_people) || is_among(context, 1, &cues.after_people);
    let is_other = (1..=OTHERS_WITHIN).any(|back| is_among(context, -back, &cues.before_others));
    // `Luis Ortega` is not the technician Luis Prieto.
    let has_surname = context.at(1).is_some_and(|at| is_capitalised(context, at));
    let is_named = !given.is_empty() && is_cued && !is_other && !has_surname;
    (is_named && !is_author(context, author))
        .then(|| context.mention(MentionKind::Technician, given, "first_name"))
}

/// Whether the token at a distance from the name is one of these words.
fn is_among(context: &TokenContext<'_>, n: isize, words: &WordSet) -> bool {
    (context.at(n)).is_some_and(|at| context.tagged.text.is_among(at, words))
}

/// Whether the name is written as in the list, with capitals.
fn is_written(context: &TokenContext<'_>) -> bool {
    let mut words = context.words();
    words.all(|word| !word.is_misspelled && !word.has_s)
        && (context.name.clone()).all(|at| is_capitalised(context, at))
}

fn is_capitalised(context: &TokenContext<'_>, token: usize) -> bool {
    matches!(
        context.tagged.text.tokens()[token].shape,
        Capitalisation::Capitalised | Capitalisation::Mixed
    )
}
