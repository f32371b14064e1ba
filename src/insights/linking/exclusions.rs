//! Evidence against a name: it is the customer's husband, another company's plumber, a street, or the author. Each
//! guard tests the name's context; one positive test is sufficient.

use super::certainty::TokenContext;
use super::words::WordClass;
use crate::compute::steps;
use crate::insights::text::Capitalisation;

/// Whether the person does not work for the business.
pub fn is_stranger(context: &TokenContext<'_>) -> bool {
    is_kin_before(context)
        || is_kin_after(context)
        || is_of_the_household(context)
        || is_from_elsewhere(context)
        || is_of_another_firm(context)
        || sends_another_firm(context)
        || is_self(context)
        || is_in_public_life(context)
}

/// `Danielle and I`, `Will lives next door`, `Grant is five`, `little Chase`, `a Curtis myself`
fn is_of_the_household(context: &TokenContext<'_>) -> bool {
    let is_child = matches!(context.text_after(1), "is" | "turned" | ",")
        && (2..=3).any(|n| {
            is_age(context, n)
                && (n == 2 || matches!(context.text_after(2), "only" | "just" | "almost"))
        });
    let is_watching = matches!(context.text_after(1), "loved" | "loves" | "enjoyed")
        && context.text_after(2) == "watching";
    let is_any = matches!(
        context.text_before(1),
        "a" | "an" | "fellow" | "every" | "my"
    ) && context.name.len() == 1;
    // `Will's mom`
    let is_child = is_child
        || context.has_s()
            && matches!(
                context.text_after(1),
                "mom" | "dad" | "mother" | "father" | "teacher" | "daycare"
            );
    // `Thomas the Tank Engine`
    let is_any = is_any
        || context.text_after(1) == "the" && context.is_capital_after(2) && !context.is_shouted();
    let is_quoted = matches!(
        context.text_after(1),
        "said" | "wrote" | "mentioned" | "says"
    ) && (2..=5).any(|n| {
        matches!(
            context.text_after(n),
            "review" | "reviews" | "below" | "above"
        )
    });
    let is_couple = matches!(context.text_after(1), "and" | "&") && context.text_after(2) == "i";
    is_child
        || is_watching
        || is_any
        || is_couple
        || is_quoted
        || matches!(context.text_before(1), "little" | "lil" | "baby")
        || context.word_after(1).is(WordClass::Sundry)
        || matches!(context.text_before(1), "and") && matches!(context.text_before(2), "i" | "me")
}

/// `five`, `5 years old`, but not `5 minutes`
fn is_age(context: &TokenContext<'_>, n: usize) -> bool {
    let is_number = context
        .text_after(n)
        .starts_with(|first: char| first.is_ascii_digit())
        || matches!(
            context.text_after(n),
            "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten"
        );
    is_number
        && (context
            .after(n + 1)
            .is_none_or(|at| context.tagged.is_mark(at))
            || matches!(
                context.text_after(n + 1),
                "years" | "and" | "year" | "months"
            ))
}

/// Whether the name is not that of a person but of a street, a company or a school.
pub fn is_thing(context: &TokenContext<'_>) -> bool {
    let next = context.word_after(1);
    let is_numbered = context
        .text_before(1)
        .starts_with(|first: char| first.is_ascii_digit())
        && !next.is(WordClass::Deed);
    let tokens = context.tagged.text.tokens();
    let is_proper = context.after(1).is_some_and(|at| {
        tokens[at].shape == Capitalisation::Capitalised && !tokens[at].begins_line
    });
    if context.name.len() > 1 {
        return context.has_s() && is_proper && next.id == 0;
    }
    // `my Chase card`, `paid with Chase`, `the Grant residence`
    let is_paid = context.word_before(1).is(WordClass::Toward)
        || matches!(context.text_before(1), "with" | "by" | "at");
    if next.is(WordClass::Money)
        || is_paid && (2..=4).any(|n| context.word_before(n).is(WordClass::Paying))
        || matches!(
            context.text_after(1),
            "family" | "families" | "household" | "residence" | "estate" | "clan"
        )
    {
        return true;
    }
    if next.is(WordClass::Street)
        && !next.is(WordClass::Deed)
        && (context.is_capital_after(1) || is_numbered)
    {
        return true;
    }
    // `Chase Bank`, `Will County`, `Mike's Hard Lemonade`
    let is_firm = next.is(WordClass::Trade)
        || next.is(WordClass::Elsewhere)
        || context.has_s() && next.id == 0 && !next.is(WordClass::FirstName);
    // `Hale & Sons`
    let is_house = matches!(context.text_after(1), "and" | "&")
        && matches!(
            context.text_after(2),
            "sons" | "co" | "associates" | "partners" | "brothers" | "daughters"
        )
        && context.is_capital_after(2);
    is_proper && (is_firm || is_numbered) || is_house
}

/// `my husband Mike`, `our neighbor, Will`, `my son's name is Grant`, `my friends Mike and Will`
fn is_kin_before(context: &TokenContext<'_>) -> bool {
    let mut n = if context.is_titled() {
        2 + usize::from(context.text_before(1) == ".")
    } else {
        1
    };
    n += usize::from(matches!(
        context.text_before(n),
        "," | "(" | "\u{2014}" | "\"" | "-"
    ));
    if matches!(context.text_before(n), "is" | "was")
        && (context.word_before(n + 1).is(WordClass::Called) || is_kin(context, n + 1))
    {
        n += 1;
    }
    if context.word_before(n).is(WordClass::Called) {
        n += 1;
        n += usize::from(matches!(context.text_before(n), "is" | "was") && is_kin(context, n + 1));
    }
    if is_kin(context, n)
        || context.text_before(n) == "law"
            && context.text_before(n + 1) == "in"
            && is_kin(context, n + 2)
    {
        return true;
    }
    // Skips a list of names and conjunctions before the name.
    let mut n = 1;
    while n <= FIRM_REACH
        && context.word_before(n).is(WordClass::Pair)
        && context.is_capital_before(n + 1)
    {
        n += 2;
        if context
            .word_before(n + usize::from(context.text_before(n) == ","))
            .is(WordClass::KinMany)
        {
            return true;
        }
    }
    false
}

fn is_kin(context: &TokenContext<'_>, n: usize) -> bool {
    let word = context.word_before(n);
    if word.is(WordClass::Role) {
        // In `the kid, Will,` the name is a staff member's; in `my kid Will` and `our property manager Will` it is not.
        return word.is(WordClass::Kin) && context.word_before(n + 1).is(WordClass::Own)
            || context.text_before(n) == "partner"
                && matches!(context.text_before(n + 1), "my" | "our")
            || matches!(
                context.text_before(n + 1),
                "property" | "apartment" | "building" | "bank" | "hotel" | "hoa"
            );
    }
    word.is(WordClass::Kin) || word.is(WordClass::KinMany)
}

/// `Mike, my husband,` `Grant (our neighbor)`, `Curtis, a friend,` `Mike is my brother`,
/// `Chase the dog`
fn is_kin_after(context: &TokenContext<'_>) -> bool {
    let is_link = matches!(
        context.text_after(1),
        "," | "(" | "\u{2014}" | "-" | "is" | "was" | "being"
    );
    let n = 1 + usize::from(is_link);
    let is_owned = context.word_after(n).is(WordClass::Own) && (is_link || context.has_s());
    if !(is_owned || context.word_after(n).is(WordClass::Determiner)) {
        return false;
    }
    let is_aside = matches!(context.text_after(1), "," | "-");
    (n + 1..=n + 3).take_while(|n| context.after(*n).is_some_and(|at| !context.tagged.is_mark(at))).any(|n| {
        let word = context.word_after(n);
        let is_closed = context.after(n + 1).is_none_or(|at| context.tagged.is_mark(at))
            || matches!(context.text_after(n + 1), "who" | "so" | "but" | "of" | "from" | "and" if context.text_after(n + 2) != "i");
        (word.is(WordClass::Kin) || word.is(WordClass::KinMany)) && !word.is(WordClass::Role) && (is_closed || !is_aside)
    })
}

/// `President Grant`, `Dr. Hale`, `Ulysses S. Grant`
fn is_in_public_life(context: &TokenContext<'_>) -> bool {
    let n = 1 + usize::from(context.text_before(1) == ".");
    let is_letter = n == 2
        && context.text_before(2).chars().count() == 1
        && context.is_capital_before(2)
        && context.is_capital_before(3);
    context.word_before(n).is(WordClass::Rank)
        && context.is_capital_before(n)
        && !context.is_shouted()
        || is_letter
}

/// `Mike next door`, `Art across the street`, `Danielle from church`
fn is_from_elsewhere(context: &TokenContext<'_>) -> bool {
    let n = 1 + usize::from(matches!(context.text_after(1), "from" | "," | "(" | "who"));
    match (context.text_after(n), context.text_after(n + 1)) {
        ("next", "door") | ("across", "the") => return true,
        ("up" | "down", "the")
            if matches!(
                context.text_after(n + 2),
                "street" | "road" | "block" | "hall" | "hill"
            ) =>
        {
            return true;
        }
        _ => {}
    }
    matches!(context.text_after(1), "from" | "at")
        && matches!(
            context.text_after(2),
            "church" | "work" | "school" | "nextdoor" | "my"
        )
        || is_with_another_firm(context)
}

/// `I'm Mike`, `this is Mike`, `my name is Mike`
fn is_self(context: &TokenContext<'_>) -> bool {
    match context.text_before(1) {
        "i'm" | "im" => true,
        "am" => context.text_before(2) == "i",
        "name's" => context.text_before(2) == "my" || context.before(2).is_none(),
        "" if context.text_after(1) == "here" => {
            !matches!(context.text_after(2), "within" | "in" | "by" | "the")
        }
        "is" => {
            context.text_before(2) == "this" && context.before(3).is_none()
                || context.text_before(2) == "name" && context.text_before(3) == "my"
        }
        _ => false,
    }
}

// Names of people who work for a company other than the reviewed one.

/// Maximum distance in words between a name and another company after it.
pub const FIRM_REACH: usize = 5;
/// `Joe from the other company`, `Mike with Acme`, `Roberto at Home Depot`,
/// `Grant, who works for the city`
pub fn is_with_another_firm(context: &TokenContext<'_>) -> bool {
    let mut n = 1 + usize::from(matches!(context.text_after(1), "," | "("));
    n += usize::from(context.text_after(n) == "who");
    let is_at_work = matches!(context.text_after(n), "works" | "worked" | "working");
    n += usize::from(is_at_work);
    if !(matches!(
        context.text_after(n),
        "from" | "at" | "with" | "of" | "over"
    ) || is_at_work && context.text_after(n) == "for")
    {
        return false;
    }
    n += 1 + usize::from(matches!(context.text_after(n + 1), "at" | "with"));
    let firm = context.word_after(n);
    let is_name = firm.is_unknown()
        || firm.id == 0
            && (firm.is(WordClass::WordName) || firm.is(WordClass::FirstName))
            && !firm.is(WordClass::Firm);
    let is_named = is_name && context.is_capital_after(n);
    let is_any = matches!(context.text_after(n), "a" | "another");
    n += usize::from(
        context.word_after(n).is(WordClass::Determiner) && context.text_after(n) != "another"
            || context.word_after(n).is(WordClass::Own),
    );
    let (word, next) = (context.word_after(n), context.word_after(n + 1));
    let is_other = match context.text_after(n) {
        "another" => true,
        "other" | "last" | "first" | "old" => {
            next.is(WordClass::Elsewhere) || context.text_after(n + 1) == "one"
        }
        _ => word.is(WordClass::Other),
    };
    let is_depot = context.is_capital_after(n)
        && next.is(WordClass::Elsewhere)
        && context.is_capital_after(n + 1);
    let is_elsewhere = word.is(WordClass::Elsewhere) && (is_any || !is_ours(context.text_after(n)));
    is_named || is_other || is_depot || is_elsewhere
}

/// `the previous plumber, Mike`, `the other company's tech Mike`,
/// `the guy from the other company, Mike,`
pub fn is_of_another_firm(context: &TokenContext<'_>) -> bool {
    let is_aside = matches!(context.text_before(1), "," | "(" | "-" | "\u{2014}");
    let mut n = 1 + usize::from(is_aside);
    n += usize::from(context.word_before(n).is(WordClass::Called));
    let is_role = context.word_before(n).is(WordClass::Role);
    if is_role
        && context.text_before(n + 1) == "another"
        && !matches!(context.text_before(n), "tech" | "technician")
        || is_aside
            && matches!(
                context.text_before(2),
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
            && context.word_before(n + 1).is(WordClass::OtherTrade)
            && context.word_before(n + 1).id == 0
            && !context.word_before(n + 1).is(WordClass::Firm)
    {
        return true;
    }
    n += usize::from(is_role);
    let word = context.word_before(n);
    let is_theirs =
        is_role && word.has_s && (word.is(WordClass::Kin) || word.is(WordClass::KinMany));
    is_theirs
        || word.is(WordClass::Other)
        || word.is(WordClass::Elsewhere)
            && (word.has_s || is_role || is_aside)
            && !is_ours_before(context, n)
}

/// `the other company sent Mike`
pub fn sends_another_firm(context: &TokenContext<'_>) -> bool {
    if !matches!(
        context.text_before(1),
        "sent" | "had" | "send" | "of" | "and"
    ) {
        return false;
    }
    // `Acme sent Chase`
    if context.text_before(1) == "sent"
        && context.word_before(2).is_unknown()
        && context.is_capital_before(2)
    {
        return true;
    }
    (2..=FIRM_REACH).any(|n| {
        let word = context.word_before(n);
        word.is(WordClass::Elsewhere)
            && (!is_ours(context.text_before(n))
                || context.word_before(n + 1).is(WordClass::Other)
                || matches!(context.text_before(n + 1), "other" | "another" | "last"))
    })
}

/// Whether the word means the reviewed business, as in `the company`.
fn is_ours(word: &str) -> bool {
    matches!(
        word,
        "company"
            | "company's"
            | "firm"
            | "outfit"
            | "store"
            | "contractor"
            | "contractors"
            | "companies"
    )
}

/// Whether the word `n` before the name means the reviewed business.
fn is_ours_before(context: &TokenContext<'_>, n: usize) -> bool {
    is_ours(context.text_before(n))
        && !(context.word_before(n + 1).is(WordClass::Other)
            || matches!(context.text_before(n + 1), "other" | "another" | "last"))
}

// The author's own name at the end of a review.

/// Maximum number of words after the first name in a signature.
const SIGNATURE_REST_MAX: usize = 4;

/// Whether the name is a signature: `- Mike` at the end, `Sincerely, Mike`, or a name on the last line. `Thanks, Mike`
/// is a signature only if it is the author's name.
pub fn is_signature(context: &TokenContext<'_>, author: &str) -> bool {
    let tokens = context.tagged.text.tokens();
    let at = context.name.start;
    if at == 0 || context.has_s() {
        return false;
    }
    // A surname, an initial or a second author may follow.
    let is_name =
        |at: &usize| context.tagged.is_capital(*at) || context.tagged.word(*at).is(WordClass::Pair);
    let mut rest = (context.name.end..tokens.len())
        .inspect(|_| steps::one())
        .filter(|at| !context.tagged.is_mark(*at));
    let followers = rest
        .by_ref()
        .take(SIGNATURE_REST_MAX)
        .take_while(is_name)
        .count();
    if (context.name.end..tokens.len())
        .inspect(|_| steps::one())
        .filter(|at| !context.tagged.is_mark(*at))
        .nth(followers)
        .is_some()
    {
        return false;
    }
    // The last sentence consists only of the name.
    if at == context.sentence.start && followers == 0 && context.tagged.is_capital(at) {
        return true;
    }
    let word = |back: usize| {
        at.checked_sub(back)
            .map_or("", |at| context.tagged.text.word(at))
    };
    let is = |back: usize, class: WordClass| {
        at.checked_sub(back)
            .is_some_and(|at| context.tagged.word(at).is(class))
    };
    let is_break = at == 1
        || tokens[at - 1].begins_line
        || matches!(word(2), "." | "!" | "?" | ")" | "\"" | "thanks" | ",");
    if matches!(word(1), "-" | "\u{2014}" | "~" | "*") && is_break || tokens[at].begins_line {
        return true;
    }
    let is_said = context.tagged.is_mark(at - 1)
        || is(1, WordClass::Closing)
        || matches!(word(1), "says" | "said" | "from");
    word(1) == "," && is(2, WordClass::Closing)
        || is_said && followers <= 1 && is_author(context, author)
}

fn is_author(context: &TokenContext<'_>, author: &str) -> bool {
    let name = context.tagged.text.word(context.name.start);
    author
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| word.to_lowercase() == name)
}
