//! Names of those who work for another firm than the one reviewed.

use crate::insights::linking::token_context::TokenContext;
use crate::insights::linking::words::Class;

/// How far behind a name another firm is looked for, in words.
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
            && (firm.is(Class::WordName) || firm.is(Class::FirstName))
            && !firm.is(Class::Firm);
    let is_named = is_name && context.is_capital_after(n);
    let is_any = matches!(context.text_after(n), "a" | "another");
    n += usize::from(
        context.word_after(n).is(Class::Determiner) && context.text_after(n) != "another"
            || context.word_after(n).is(Class::Own),
    );
    let (word, next) = (context.word_after(n), context.word_after(n + 1));
    let is_other = match context.text_after(n) {
        "another" => true,
        "other" | "last" | "first" | "old" => {
            next.is(Class::Elsewhere) || context.text_after(n + 1) == "one"
        }
        _ => word.is(Class::Other),
    };
    let is_depot =
        context.is_capital_after(n) && next.is(Class::Elsewhere) && context.is_capital_after(n + 1);
    let is_elsewhere = word.is(Class::Elsewhere) && (is_any || !is_ours(context.text_after(n)));
    is_named || is_other || is_depot || is_elsewhere
}

/// `the previous plumber, Mike`, `the other company's tech Mike`,
/// `the guy from the other company, Mike,`
pub fn is_of_another_firm(context: &TokenContext<'_>) -> bool {
    let is_aside = matches!(context.text_before(1), "," | "(" | "-" | "\u{2014}");
    let mut n = 1 + usize::from(is_aside);
    n += usize::from(context.word_before(n).is(Class::Called));
    let is_role = context.word_before(n).is(Class::Role);
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
            && context.word_before(n + 1).is(Class::OtherTrade)
            && context.word_before(n + 1).id == 0
            && !context.word_before(n + 1).is(Class::Firm)
    {
        return true;
    }
    n += usize::from(is_role);
    let word = context.word_before(n);
    let is_theirs = is_role && word.has_s && (word.is(Class::Kin) || word.is(Class::KinMany));
    is_theirs
        || word.is(Class::Other)
        || word.is(Class::Elsewhere)
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
        word.is(Class::Elsewhere)
            && (!is_ours(context.text_before(n))
                || context.word_before(n + 1).is(Class::Other)
                || matches!(context.text_before(n + 1), "other" | "another" | "last"))
    })
}

/// `the company` is the one reviewed.
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

/// Whether the word `n` before the name means the firm reviewed.
fn is_ours_before(context: &TokenContext<'_>, n: usize) -> bool {
    is_ours(context.text_before(n))
        && !(context.word_before(n + 1).is(Class::Other)
            || matches!(context.text_before(n + 1), "other" | "another" | "last"))
}
