//! What speaks against a name: that it is the customer's husband, another firm's plumber, a street, or the author's own. Each
//! guard is a question of the name's surroundings; one yes is enough.

use super::place::Place;
use super::words::Class;

/// How far behind a name another firm is looked for, in words.
const FIRM_REACH: usize = 5;

/// Whether this is somebody who does not work for the firm, whatever they are called.
pub fn is_stranger(place: &Place<'_>) -> bool {
    is_kin_before(place) || is_kin_after(place) || is_of_another_firm(place) || sends_another_firm(place) || is_self(place)
}

/// Whether this is no person at all: a street, a firm, a school.
pub fn is_thing(place: &Place<'_>) -> bool {
    let next = place.word_after(1);
    let is_numbered = place.before(1).is_some_and(|at| place.page.text.word(at).starts_with(|first: char| first.is_ascii_digit()));
    if next.is(Class::Street) && (place.is_capital_after(1) || is_numbered) && !next.is(Class::Deed) {
        return true;
    }
    if is_numbered && place.is_capital_after(1) && !place.word_after(1).is(Class::Deed) {
        return true;
    }
    next.is(Class::Trade) && place.is_capital_after(1)
        || matches!(place.text_after(1), "'s" | "&") && place.word_after(2).is(Class::Trade) && place.is_capital_after(2)
        || place.has_s() && place.text_after(1) == "&" && place.is_capital_after(2)
}

/// `my husband Mike`, `our neighbor, Will`, `my son's name is Grant`, `my friends Mike and Will`
fn is_kin_before(place: &Place<'_>) -> bool {
    let mut n = 1 + usize::from(matches!(place.text_before(1), "," | "(" | "\u{2014}" | "\"" | "-"));
    if matches!(place.text_before(n), "is" | "was") && (place.word_before(n + 1).is(Class::Called) || is_kin(place, n + 1)) {
        n += 1;
    }
    if place.word_before(n).is(Class::Called) {
        n += 1;
    }
    if is_kin(place, n) {
        return true;
    }
    // Back over a list: names and what joins them.
    let mut n = 1;
    while n <= FIRM_REACH && place.word_before(n).is(Class::Pair) && place.is_capital_before(n + 1) {
        n += 2;
        if place.word_before(n).is(Class::KinMany) {
            return true;
        }
    }
    false
}

fn is_kin(place: &Place<'_>, n: usize) -> bool {
    let word = place.word_before(n);
    // `the kid, Will,` is the firm's; `my kid Will` is not.
    (word.is(Class::Kin) || word.is(Class::KinMany)) && (!word.is(Class::Role) || place.word_before(n + 1).is(Class::Own))
}

/// `Mike, my husband,` `Grant (our neighbor)`, `Mike is my brother`
fn is_kin_after(place: &Place<'_>) -> bool {
    let is_link = matches!(place.text_after(1), "," | "(" | "\u{2014}" | "-" | "is" | "was" | "being");
    let n = 1 + usize::from(is_link);
    if !(is_link || place.has_s()) || !place.word_after(n).is(Class::Own) {
        return false;
    }
    (n + 1..=n + 3).any(|n| {
        let is_closed =
            place.after(n + 1).is_none_or(|at| place.page.is_mark(at)) || matches!(place.text_after(n + 1), "who" | "so" | "but");
        let word = place.word_after(n);
        (word.is(Class::Kin) || word.is(Class::KinMany))
            && !word.is(Class::Role)
            && (is_closed || !matches!(place.text_after(1), "," | "-"))
    })
}

/// `Joe from the other company`, `Mike with Acme`, `the previous plumber, Mike`, `the other company's tech Mike`
fn is_of_another_firm(place: &Place<'_>) -> bool {
    if matches!(place.text_after(1), "from" | "at" | "with" | "of" | "over") {
        let mut n = 2 + usize::from(place.text_after(2) == "at" || place.text_after(2) == "with");
        let is_named = place.word_after(n).is_unknown() && place.is_capital_after(n);
        n += usize::from(place.word_after(n).is(Class::Determiner) || place.word_after(n).is(Class::Own));
        let word = place.word_after(n);
        let is_other = word.is(Class::Other)
            || matches!(place.text_after(n), "other" | "another" | "last" | "first" | "old")
                && (place.word_after(n + 1).is(Class::Elsewhere)
                    || place.text_after(n + 1) == "one"
                    || place.text_after(n) == "another");
        if is_named || is_other || word.is(Class::Elsewhere) && !is_ours(place.text_after(n)) {
            return true;
        }
    }
    let mut n = 1 + usize::from(matches!(place.text_before(1), "," | "(" | "-" | "\u{2014}"));
    n += usize::from(place.word_before(n).is(Class::Called));
    let is_role = place.word_before(n).is(Class::Role);
    n += usize::from(is_role);
    place.word_before(n).is(Class::Other)
        || place.word_before(n).is(Class::Elsewhere) && (place.word_before(n).has_s || is_role) && !is_ours_before(place, n)
}

/// `the other company sent Mike`
fn sends_another_firm(place: &Place<'_>) -> bool {
    if !matches!(place.text_before(1), "sent" | "had" | "send" | "of" | "and") {
        return false;
    }
    (2..=FIRM_REACH).any(|n| {
        let word = place.word_before(n);
        word.is(Class::Elsewhere)
            && (!is_ours(place.text_before(n))
                || place.word_before(n + 1).is(Class::Other)
                || matches!(place.text_before(n + 1), "other" | "another" | "last"))
    })
}

/// `the company` is the one reviewed.
fn is_ours(word: &str) -> bool {
    matches!(word, "company" | "company's" | "firm" | "outfit" | "store" | "contractor" | "contractors" | "companies")
}

fn is_ours_before(place: &Place<'_>, n: usize) -> bool {
    is_ours(place.text_before(n))
        && !(place.word_before(n + 1).is(Class::Other) || matches!(place.text_before(n + 1), "other" | "another" | "last"))
}

/// `I'm Mike`, `this is Mike`, `my name is Mike`
fn is_self(place: &Place<'_>) -> bool {
    match place.text_before(1) {
        "i'm" | "im" => true,
        "am" => place.text_before(2) == "i",
        "is" => {
            place.text_before(2) == "this" && place.before(3).is_none()
                || place.text_before(2) == "name" && place.text_before(3) == "my"
        }
        _ => false,
    }
}

/// Whether the author signs with it: `- Mike` at the end, `Sincerely, Mike`, or a name alone on the last line.
pub fn is_signature(place: &Place<'_>, author: &str) -> bool {
    let tokens = place.page.text.tokens();
    let rest = place.name.end..tokens.len();
    // An initial or a surname may follow: `- Mike B.`
    let is_last = rest.clone().filter(|at| !place.page.is_mark(*at)).count()
        <= usize::from(!place.has_s() && rest.clone().next().is_some_and(|at| place.page.is_capital(at)));
    let at = place.name.start;
    if !is_last || at == 0 {
        return false;
    }
    let before = place.page.text.word(at - 1);
    let is_dashed = matches!(before, "-" | "\u{2014}" | "~" | "*")
        && (at < 2 || tokens[at - 1].begins_line || place.before(2).is_none() || ends_sentence(place, at - 2));
    let is_alone = tokens[at].begins_line;
    let closes = before == ","
        && at > 1
        && matches!(place.page.text.word(at - 2), "sincerely" | "regards" | "cheers" | "best" | "respectfully" | "yours");
    let is_author = before == "," && at > 1 && place.page.text.word(at - 2) == "thanks" && is_author(place, author);
    is_dashed || is_alone || closes || is_author
}

fn ends_sentence(place: &Place<'_>, at: usize) -> bool {
    place.page.is_mark(at) && matches!(place.page.text.word(at), "." | "!" | "?" | ")" | "\"")
}

fn is_author(place: &Place<'_>, author: &str) -> bool {
    let name = place.page.text.word(place.name.start);
    author.split(|letter: char| !letter.is_alphanumeric()).any(|word| word.to_lowercase() == name)
}
