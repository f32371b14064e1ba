//! What speaks against a name: that it is the customer's husband, another firm's plumber, a street, or the author's own. Each
//! guard is a question of the name's surroundings; one yes is enough.

use super::place::Place;
use super::words::Class;
use crate::insights::text::Shape;
use crate::steps;

/// How far behind a name another firm is looked for, in words.
const FIRM_REACH: usize = 5;
/// How many words may follow a signature's first name.
const SIGNATURE_REST_MAX: usize = 4;

/// Whether this is somebody who does not work for the firm, whatever they are called.
pub fn is_stranger(place: &Place<'_>) -> bool {
    is_kin_before(place)
        || is_kin_after(place)
        || is_of_the_household(place)
        || is_from_elsewhere(place)
        || is_of_another_firm(place)
        || sends_another_firm(place)
        || is_self(place)
        || is_in_public_life(place)
}

/// `Danielle and I`, `Will lives next door`, `Grant is five`, `little Chase`, `a Curtis myself`
fn is_of_the_household(place: &Place<'_>) -> bool {
    let is_child = matches!(place.text_after(1), "is" | "turned" | ",")
        && (2..=3).any(|n| is_age(place, n) && (n == 2 || matches!(place.text_after(2), "only" | "just" | "almost")));
    let is_watching = matches!(place.text_after(1), "loved" | "loves" | "enjoyed") && place.text_after(2) == "watching";
    let is_any = matches!(place.text_before(1), "a" | "an" | "fellow" | "every" | "my") && place.name.len() == 1;
    // `Will's mom`
    let is_child =
        is_child || place.has_s() && matches!(place.text_after(1), "mom" | "dad" | "mother" | "father" | "teacher" | "daycare");
    // `Thomas the Tank Engine`
    let is_any = is_any || place.text_after(1) == "the" && place.is_capital_after(2) && !place.is_shouted();
    let is_quoted = matches!(place.text_after(1), "said" | "wrote" | "mentioned" | "says")
        && (2..=5).any(|n| matches!(place.text_after(n), "review" | "reviews" | "below" | "above"));
    let is_couple = matches!(place.text_after(1), "and" | "&") && place.text_after(2) == "i";
    is_child
        || is_watching
        || is_any
        || is_couple
        || is_quoted
        || matches!(place.text_before(1), "little" | "lil" | "baby")
        || place.word_after(1).is(Class::Sundry)
        || matches!(place.text_before(1), "and") && matches!(place.text_before(2), "i" | "me")
}

/// `five`, `5 years old`, and no `5 minutes`
fn is_age(place: &Place<'_>, n: usize) -> bool {
    let is_number = place.text_after(n).starts_with(|first: char| first.is_ascii_digit())
        || matches!(place.text_after(n), "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten");
    is_number
        && (place.after(n + 1).is_none_or(|at| place.page.is_mark(at))
            || matches!(place.text_after(n + 1), "years" | "and" | "year" | "months"))
}

/// Whether this is no person at all: a street, a firm, a school.
pub fn is_thing(place: &Place<'_>) -> bool {
    let next = place.word_after(1);
    let is_numbered = place.text_before(1).starts_with(|first: char| first.is_ascii_digit()) && !next.is(Class::Deed);
    let tokens = place.page.text.tokens();
    let is_proper = place.after(1).is_some_and(|at| tokens[at].shape == Shape::Capitalised && !tokens[at].begins_line);
    if place.name.len() > 1 {
        return place.has_s() && is_proper && next.id == 0;
    }
    // `my Chase card`, `paid with Chase`, `the Grant residence`
    let is_paid = place.word_before(1).is(Class::Toward) || matches!(place.text_before(1), "with" | "by" | "at");
    if next.is(Class::Money)
        || is_paid && (2..=4).any(|n| place.word_before(n).is(Class::Paying))
        || matches!(place.text_after(1), "family" | "families" | "household" | "residence" | "estate" | "clan")
    {
        return true;
    }
    if next.is(Class::Street) && !next.is(Class::Deed) && (place.is_capital_after(1) || is_numbered) {
        return true;
    }
    // `Chase Bank`, `Will County`, `Mike's Hard Lemonade`
    let is_firm = next.is(Class::Trade) || next.is(Class::Elsewhere) || place.has_s() && next.id == 0 && !next.is(Class::FirstName);
    // `Hale & Sons`
    let is_house = matches!(place.text_after(1), "and" | "&")
        && matches!(place.text_after(2), "sons" | "co" | "associates" | "partners" | "brothers" | "daughters")
        && place.is_capital_after(2);
    is_proper && (is_firm || is_numbered) || is_house
}

/// `my husband Mike`, `our neighbor, Will`, `my son's name is Grant`, `my friends Mike and Will`
fn is_kin_before(place: &Place<'_>) -> bool {
    let mut n = if place.is_titled() { 2 + usize::from(place.text_before(1) == ".") } else { 1 };
    n += usize::from(matches!(place.text_before(n), "," | "(" | "\u{2014}" | "\"" | "-"));
    if matches!(place.text_before(n), "is" | "was") && (place.word_before(n + 1).is(Class::Called) || is_kin(place, n + 1)) {
        n += 1;
    }
    if place.word_before(n).is(Class::Called) {
        n += 1;
        n += usize::from(matches!(place.text_before(n), "is" | "was") && is_kin(place, n + 1));
    }
    if is_kin(place, n) || place.text_before(n) == "law" && place.text_before(n + 1) == "in" && is_kin(place, n + 2) {
        return true;
    }
    // Back over a list: names and what joins them.
    let mut n = 1;
    while n <= FIRM_REACH && place.word_before(n).is(Class::Pair) && place.is_capital_before(n + 1) {
        n += 2;
        if place.word_before(n + usize::from(place.text_before(n) == ",")).is(Class::KinMany) {
            return true;
        }
    }
    false
}

fn is_kin(place: &Place<'_>, n: usize) -> bool {
    let word = place.word_before(n);
    if word.is(Class::Role) {
        // `the kid, Will,` is the firm's; `my kid Will` is not, nor is `our property manager Will`.
        return word.is(Class::Kin) && place.word_before(n + 1).is(Class::Own)
            || place.text_before(n) == "partner" && matches!(place.text_before(n + 1), "my" | "our")
            || matches!(place.text_before(n + 1), "property" | "apartment" | "building" | "bank" | "hotel" | "hoa");
    }
    word.is(Class::Kin) || word.is(Class::KinMany)
}

/// `Mike, my husband,` `Grant (our neighbor)`, `Curtis, a friend,` `Mike is my brother`, `Chase the dog`
fn is_kin_after(place: &Place<'_>) -> bool {
    let is_link = matches!(place.text_after(1), "," | "(" | "\u{2014}" | "-" | "is" | "was" | "being");
    let n = 1 + usize::from(is_link);
    let is_owned = place.word_after(n).is(Class::Own) && (is_link || place.has_s());
    if !(is_owned || place.word_after(n).is(Class::Determiner)) {
        return false;
    }
    let is_aside = matches!(place.text_after(1), "," | "-");
    (n + 1..=n + 3).take_while(|n| place.after(*n).is_some_and(|at| !place.page.is_mark(at))).any(|n| {
        let word = place.word_after(n);
        let is_closed = place.after(n + 1).is_none_or(|at| place.page.is_mark(at))
            || matches!(place.text_after(n + 1), "who" | "so" | "but" | "of" | "from" | "and" if place.text_after(n + 2) != "i");
        (word.is(Class::Kin) || word.is(Class::KinMany)) && !word.is(Class::Role) && (is_closed || !is_aside)
    })
}

/// `President Grant`, `Dr. Hale`, `Ulysses S. Grant`
fn is_in_public_life(place: &Place<'_>) -> bool {
    let n = 1 + usize::from(place.text_before(1) == ".");
    let is_letter = n == 2 && place.text_before(2).chars().count() == 1 && place.is_capital_before(2) && place.is_capital_before(3);
    place.word_before(n).is(Class::Rank) && place.is_capital_before(n) && !place.is_shouted() || is_letter
}

/// `Mike next door`, `Art across the street`, `Danielle from church`
fn is_from_elsewhere(place: &Place<'_>) -> bool {
    let n = 1 + usize::from(matches!(place.text_after(1), "from" | "," | "(" | "who"));
    match (place.text_after(n), place.text_after(n + 1)) {
        ("next", "door") | ("across", "the") => return true,
        ("up" | "down", "the") if matches!(place.text_after(n + 2), "street" | "road" | "block" | "hall" | "hill") => return true,
        _ => {}
    }
    matches!(place.text_after(1), "from" | "at") && matches!(place.text_after(2), "church" | "work" | "school" | "nextdoor" | "my")
        || is_with_another_firm(place)
}

/// `Joe from the other company`, `Mike with Acme`, `Roberto at Home Depot`, `Grant, who works for the city`
fn is_with_another_firm(place: &Place<'_>) -> bool {
    let mut n = 1 + usize::from(matches!(place.text_after(1), "," | "("));
    n += usize::from(place.text_after(n) == "who");
    let is_at_work = matches!(place.text_after(n), "works" | "worked" | "working");
    n += usize::from(is_at_work);
    if !(matches!(place.text_after(n), "from" | "at" | "with" | "of" | "over") || is_at_work && place.text_after(n) == "for") {
        return false;
    }
    n += 1 + usize::from(matches!(place.text_after(n + 1), "at" | "with"));
    let firm = place.word_after(n);
    let is_name =
        firm.is_unknown() || firm.id == 0 && (firm.is(Class::WordName) || firm.is(Class::FirstName)) && !firm.is(Class::Firm);
    let is_named = is_name && place.is_capital_after(n);
    let is_any = matches!(place.text_after(n), "a" | "another");
    n += usize::from(
        place.word_after(n).is(Class::Determiner) && place.text_after(n) != "another" || place.word_after(n).is(Class::Own),
    );
    let (word, next) = (place.word_after(n), place.word_after(n + 1));
    let is_other = match place.text_after(n) {
        "another" => true,
        "other" | "last" | "first" | "old" => next.is(Class::Elsewhere) || place.text_after(n + 1) == "one",
        _ => word.is(Class::Other),
    };
    let is_depot = place.is_capital_after(n) && next.is(Class::Elsewhere) && place.is_capital_after(n + 1);
    let is_elsewhere = word.is(Class::Elsewhere) && (is_any || !is_ours(place.text_after(n)));
    is_named || is_other || is_depot || is_elsewhere
}

/// `the previous plumber, Mike`, `the other company's tech Mike`, `the guy from the other company, Mike,`
fn is_of_another_firm(place: &Place<'_>) -> bool {
    let is_aside = matches!(place.text_before(1), "," | "(" | "-" | "\u{2014}");
    let mut n = 1 + usize::from(is_aside);
    n += usize::from(place.word_before(n).is(Class::Called));
    let is_role = place.word_before(n).is(Class::Role);
    if is_role && place.text_before(n + 1) == "another" && !matches!(place.text_before(n), "tech" | "technician")
        || is_aside
            && matches!(
                place.text_before(2),
                "before"
                    | "previously"
                    | "earlier"
                    | "street"
                    | "door"
                    | "hall"
                    | "road"
                    | "block"
                    | "church"
                    | "school"
                    | "gym"
                    | "club"
                    | "neighborhood"
            )
        || is_role
            && place.word_before(n + 1).is(Class::OtherTrade)
            && place.word_before(n + 1).id == 0
            && !place.word_before(n + 1).is(Class::Firm)
    {
        return true;
    }
    n += usize::from(is_role);
    let word = place.word_before(n);
    let is_theirs = is_role && word.has_s && (word.is(Class::Kin) || word.is(Class::KinMany));
    is_theirs
        || word.is(Class::Other)
        || word.is(Class::Elsewhere) && (word.has_s || is_role || is_aside) && !is_ours_before(place, n)
}

/// `the other company sent Mike`
fn sends_another_firm(place: &Place<'_>) -> bool {
    if !matches!(place.text_before(1), "sent" | "had" | "send" | "of" | "and") {
        return false;
    }
    // `Acme sent Chase`
    if place.text_before(1) == "sent" && place.word_before(2).is_unknown() && place.is_capital_before(2) {
        return true;
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
        "name's" => place.text_before(2) == "my" || place.before(2).is_none(),
        "" if place.text_after(1) == "here" => !matches!(place.text_after(2), "within" | "in" | "by" | "the"),
        "is" => {
            place.text_before(2) == "this" && place.before(3).is_none()
                || place.text_before(2) == "name" && place.text_before(3) == "my"
        }
        _ => false,
    }
}

/// Whether the author signs with it: `- Mike` at the end, `Sincerely, Mike`, or a name alone on the last line. `Thanks, Mike` thanks
/// somebody, unless the author is called so.
pub fn is_signature(place: &Place<'_>, author: &str) -> bool {
    let tokens = place.page.text.tokens();
    let at = place.name.start;
    if at == 0 || place.has_s() {
        return false;
    }
    // A surname, an initial or a second author may follow.
    let is_name = |at: &usize| place.page.is_capital(*at) || place.page.word(*at).is(Class::Pair);
    let mut rest = (place.name.end..tokens.len()).inspect(|_| steps::one()).filter(|at| !place.page.is_mark(*at));
    let followers = rest.by_ref().take(SIGNATURE_REST_MAX).take_while(is_name).count();
    if (place.name.end..tokens.len()).inspect(|_| steps::one()).filter(|at| !place.page.is_mark(*at)).nth(followers).is_some() {
        return false;
    }
    // A last sentence of nothing but the name.
    if at == place.sentence.start && followers == 0 && place.page.is_capital(at) {
        return true;
    }
    let word = |back: usize| at.checked_sub(back).map_or("", |at| place.page.text.word(at));
    let is = |back: usize, class: Class| at.checked_sub(back).is_some_and(|at| place.page.word(at).is(class));
    let is_break = at == 1 || tokens[at - 1].begins_line || matches!(word(2), "." | "!" | "?" | ")" | "\"" | "thanks" | ",");
    if matches!(word(1), "-" | "\u{2014}" | "~" | "*") && is_break || tokens[at].begins_line {
        return true;
    }
    let is_said = place.page.is_mark(at - 1) || is(1, Class::Closing) || matches!(word(1), "says" | "said" | "from");
    word(1) == "," && is(2, Class::Closing) || is_said && followers <= 1 && is_author(place, author)
}

fn is_author(place: &Place<'_>, author: &str) -> bool {
    let name = place.page.text.word(place.name.start);
    author.split(|letter: char| !letter.is_alphanumeric()).any(|word| word.to_lowercase() == name)
}
