//! Every way to write a person's name: full, short, by alias or surname, without accents.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::nicknames::Nicknames;
use crate::insights::text::{Shape, Text};

/// How a form names a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// First name and surname, or an alias of several words.
    Full,
    /// An alias of one word that the firm gives.
    Alias,
    /// The first name alone.
    First,
    /// A short or long form, or another spelling, of the first name.
    Nickname,
    /// The surname alone.
    Surname,
}

/// The words of a name, without marks and generation suffixes.
pub fn parts(name: &str) -> Vec<String> {
    let text = Text::new(name);
    let words = (0..text.tokens().len())
        .filter(|token| text.tokens()[*token].shape != Shape::Mark)
        .map(|token| text.word(token));
    words
        .filter(|word| !matches!(*word, "jr" | "sr" | "ii" | "iii"))
        .map(str::to_owned)
        .collect()
}

/// Every way to name a person.
pub fn forms(
    name: &[String],
    aliases: &[String],
    nicknames: &Nicknames,
) -> Vec<(Vec<String>, How)> {
    let mut forms = vec![(
        name.to_vec(),
        if name.len() > 1 {
            How::Full
        } else {
            How::First
        },
    )];
    let Some(first) = name.first() else {
        return Vec::new();
    };
    let mut firsts = vec![(first.clone(), How::First)];
    firsts.extend(
        Some(without_accents(first))
            .filter(|plain| plain != first)
            .map(|plain| (plain, How::First)),
    );
    let surnames: Vec<String> = name.iter().skip(1).rev().take(2).cloned().collect();
    for alias in aliases.iter().map(|alias| parts(alias)) {
        match alias.as_slice() {
            [] => {}
            [one] => {
                firsts.push((one.clone(), How::Alias));
                firsts.extend(
                    nicknames
                        .spellings(one)
                        .iter()
                        .map(|other| ((*other).to_owned(), How::Nickname)),
                );
            }
            [one, .., last] if surnames.contains(last) => firsts.push((one.clone(), How::Alias)),
            [_, ..] => forms.push((alias.clone(), How::Full)),
        }
    }
    for other in nicknames
        .forms(first)
        .iter()
        .chain(nicknames.spellings(first))
    {
        if firsts.iter().all(|(known, _)| known != other) {
            firsts.push(((*other).to_owned(), How::Nickname));
        }
    }
    for (first, how) in firsts {
        for surname in &surnames {
            forms.push((vec![first.clone(), surname.clone()], How::Full));
        }
        forms.push((vec![first], how));
    }
    if let Some(surname) = surnames.into_iter().next() {
        forms.push((vec![surname], How::Surname));
    }
    forms
}

/// As somebody without that keyboard writes it: letters without their marks.
pub fn without_accents(word: &str) -> String {
    word.nfd()
        .filter(|letter| !is_combining_mark(*letter))
        .map(|letter| match letter {
            // Of these the stroke is no mark of its own.
            'ø' => 'o',
            'ł' => 'l',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::without_accents;

    #[test]
    fn a_name_is_known_without_its_accents() {
        assert_eq!(
            ["josé", "zoë", "łukasz", "søren", "ðan"].map(without_accents),
            ["jose", "zoe", "lukasz", "soren", "ðan"]
        );
    }
}
