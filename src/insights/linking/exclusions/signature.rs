//! The author's own name below a review.

use crate::insights::linking::token_context::TokenContext;
use crate::insights::linking::words::Class;
use crate::steps;

/// How many words may follow a signature's first name.
const SIGNATURE_REST_MAX: usize = 4;

/// Whether the author signs with it: `- Mike` at the end, `Sincerely, Mike`, or a name alone on the
/// last line. `Thanks, Mike` thanks somebody, unless the author is called so.
pub fn is_signature(context: &TokenContext<'_>, author: &str) -> bool {
    let tokens = context.tagged.text.tokens();
    let at = context.name.start;
    if at == 0 || context.has_s() {
        return false;
    }
    // A surname, an initial or a second author may follow.
    let is_name =
        |at: &usize| context.tagged.is_capital(*at) || context.tagged.word(*at).is(Class::Pair);
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
    // A last sentence of nothing but the name.
    if at == context.sentence.start && followers == 0 && context.tagged.is_capital(at) {
        return true;
    }
    let word = |back: usize| {
        at.checked_sub(back)
            .map_or("", |at| context.tagged.text.word(at))
    };
    let is = |back: usize, class: Class| {
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
        || is(1, Class::Closing)
        || matches!(word(1), "says" | "said" | "from");
    word(1) == "," && is(2, Class::Closing)
        || is_said && followers <= 1 && is_author(context, author)
}

fn is_author(context: &TokenContext<'_>, author: &str) -> bool {
    let name = context.tagged.text.word(context.name.start);
    author
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| word.to_lowercase() == name)
}
