//! The names in a cell of technicians, services or areas, and the technicians on the roster that they mean.

use crate::imports::map::text::clean;
use crate::imports::map::values::{ANONYMOUS, WORDS, names, without_address};
use crate::model::business::Technician;
use crate::model::text::words;

/// The names in an array, or separated by semicolons, bars or line breaks.
pub fn mentioned(text: &str) -> Result<Vec<String>, String> {
    let separated = || text.split([';', '|', '\n', '\r']).map(str::to_owned);
    let listed: Vec<String> = serde_json::from_str(text).unwrap_or_else(|_| separated().collect());
    // Mentions are read packed between control characters.
    let is_broken = |name: &String| name.trim().contains(char::is_control);
    if listed.iter().any(is_broken) {
        return Err("has a control character; remove it".to_owned());
    }
    let names = listed.iter().map(|name| clean(name.trim(), false, false));
    Ok(names.filter(|name| !name.is_empty()).collect())
}

/// The technicians that one name stands for, by their names on the roster: `Alvarez, Mike` is one, and `Mike Alvarez & Jo Poe` are two
/// if both are on it. Addresses are no names.
pub fn people(name: &str, roster: &[Technician]) -> Vec<String> {
    let find = |name: &str| {
        let turned = name
            .split_once(',')
            .map(|(last, first)| words(&format!("{first} {last}")));
        let name = words(name);
        let is_named = |known: &str| {
            let known = words(known);
            known == name || turned.as_ref() == Some(&known)
        };
        let is_alias = |person: &&Technician| person.aliases.iter().any(|it| is_named(it));
        let mut aliased = roster.iter().filter(is_alias);
        let alias = aliased.next().filter(|_| aliased.next().is_none());
        let person = roster.iter().find(|it| is_named(&it.name)).or(alias)?;
        Some(person.name.clone())
    };
    let without = without_address(name);
    let mut listed = format!(" {without} ");
    for word in names(&WORDS.and) {
        listed = listed.replace(&format!(" {word} "), "&");
    }
    let split = |marks: &[char]| {
        let parts = listed.split(marks).filter(|part| !part.trim().is_empty());
        parts.map(find).collect::<Option<Vec<String>>>()
    };
    let found = find(&without).map(|name| vec![name]);
    let found = found
        .or_else(|| split(&['&', '/', '+']))
        .or_else(|| split(&['&', '/', '+', ',']));
    let is_private = without == ANONYMOUS && name != ANONYMOUS;
    found.unwrap_or_else(|| Some(without).filter(|_| !is_private).into_iter().collect())
}
