//! Evidence for and against a name from its context. For it, by kind of name: a title, a role, a typical predicate.
//! Against it: it is the customer's husband, another company's plumber, a street, or the author; each guard tests the
//! name's context, and one positive test is sufficient.

use std::ops::Range;

use super::words::WordClass::{
    self, Adverb, Ask, Bare, Be, BeforeMonth, CalendarName, Called, Closing, Common, Deed,
    Determiner, Elsewhere, Firm, FirstName, Kin, KinMany, Link, Modal, Money, Near, OfThings,
    Other, OtherTrade, Own, Pair, Paying, Pronoun, Rank, Role, Staff, Street, Sundry, Thanks,
    ThingName, Title, Toward, Trade, With, WordName,
};
use super::words::{DictionaryWord, NameTrie, TaggedText};
use crate::insights::analysis::Mention;
use crate::insights::text::Capitalisation;
use crate::model::MentionKind;

/// How certain it is that a member of the staff is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// A full name, an initial, a title.
    Sure,
    /// A first name in a typical context.
    Named,
    /// Too little evidence: the name counts only with a recorded mention.
    Weak,
    /// Another person is named.
    Stranger,
}

/// The certainty that a full name names a staff member: if its last word is also an ordinary word, it needs a capital.
pub fn full_name(context: &TokenContext<'_>) -> Certainty {
    let last = context.name.end - 1;
    let is_ordinary = context.tagged.word(last).is_ordinary();
    if !is_ordinary || context.tagged.is_capital(last) && !context.is_shouted() {
        Certainty::Sure
    } else {
        Certainty::Weak
    }
}

/// `Mike Johnson`, `Cary Grant`: beside a word that is not part of a staff member's name.
pub fn is_part_of_another_name(context: &TokenContext<'_>) -> bool {
    if !context.is_capital() {
        return false;
    }
    let tokens = context.tagged.text.tokens();
    let is_name_like = |at: usize| {
        let word = context.tagged.word(at);
        let is_ordinary = word.is_any(&[Firm, Common, Deed, Be, Adverb]);
        let is_name = word.is(FirstName) || word.is(WordName) || word.id != 0;
        tokens[at].shape == Capitalisation::Capitalised
            && (word.is_unknown() || is_name && !is_ordinary)
    };
    // `Danielle Steel novels`, but not `Mike Great Job`
    let is_lone_capital = |at: usize| {
        let word = context.tagged.word(at);
        let is_function = word.is_any(&[Deed, Be, Adverb, Link, Pair, Near, Toward, Pronoun, Firm]);
        tokens[at].shape == Capitalisation::Capitalised
            && word.is(Common)
            && !is_function
            && context.at(2).is_some_and(|next| {
                !context.tagged.is_capital(next) && !context.tagged.is_mark(next)
            })
    };
    let follows = context
        .at(1)
        .filter(|_| !context.has_s() && context.name.len() == 1);
    if follows
        .is_some_and(|at| !tokens[at].begins_line && (is_name_like(at) || is_lone_capital(at)))
    {
        return true;
    }
    let Some(before) = context.at(-1).filter(|at| is_name_like(*at)) else {
        return false;
    };
    let word = context.tagged.word(before);
    // A capital at the beginning of the sentence is no evidence, except in `Jersey Mike's`. A plural or possessive is
    // not a first name.
    let is_surname = word.is(WordName) && !context.word(0).is(FirstName);
    !word.has_s && (word.is(FirstName) || is_surname || word.is_unknown())
}

/// The certainty that a surname without a first name names a staff member.
pub fn surname(context: &TokenContext<'_>) -> Certainty {
    let word = context.word(0);
    let is_ordinary = word.is_ordinary() || word.is(FirstName);
    let is_told = context.acts() || context.is_announced();
    let is_thing = context.word(-1).begins_noun();
    let is_short = word.is_misspelled && context.text(0).len() < 7;
    let is_lower = !context.is_capital() && !is_ordinary && (is_told || context.is_subject());
    if is_lower || context.is_capital() && !is_thing && !is_short && (is_told || !is_ordinary) {
        Certainty::Named
    } else {
        Certainty::Weak
    }
}

/// The certainty that a first name without a surname names a staff member.
pub fn first_name(context: &TokenContext<'_>) -> Certainty {
    let word = context.word(0);
    let is_told = context.is_announced() || context.acts() || context.is_listed();
    // Words that often precede people: `with Will`, `had Will out`.
    let is_accompanied = context.word(-1).is(With);
    let is_hinted = is_told || is_accompanied || context.is_subject() || context.has_s();
    if word.is_ordinary() {
        word_name(context, is_told, is_hinted)
    } else if is_hinted || context.is_capital() && !word.is_misspelled {
        Certainty::Named
    } else {
        Certainty::Weak
    }
}

/// The same for names that are also ordinary words.
fn word_name(context: &TokenContext<'_>, is_told: bool, is_hinted: bool) -> Certainty {
    let (word, next) = (context.word(0), context.word(1));
    // A recorded mention does not turn an ordinary word into a name.
    let named = |is_named: bool| {
        if is_named {
            Certainty::Named
        } else {
            Certainty::Stranger
        }
    };
    let is_plain_deed = !next.is(Bare) && (context.acts() || context.is_subject());
    if !context.is_capital() {
        // `chase did great`, `ask for grant`
        let is_name = context.is_called()
            || context.at(-1).is_none() && is_plain_deed && !is_thing_subject(context);
        return named(is_name && !word.is(CalendarName));
    }
    let is_bare = |word: DictionaryWord| word.is(Bare) && !word.is(Deed);
    let is_verb = next.is(Bare) && (word.is(Modal) || !next.is(Deed) && context.is_at_start());
    let follows_preposition = context.word(-1).is(Toward) && context.text(-1) != "and"
        || context.word(-1).is(BeforeMonth);
    let is_spoken_to = (is_hinted || follows_preposition)
        && !context.is_at_start()
        && !context.acts()
        && !context.is_shouted();
    let is_month = word.is(CalendarName) && context.word(-1).is(BeforeMonth);
    if is_month
        || is_verb && !is_spoken_to && !context.has_s()
        || context.text(1) == "," && word.is(Modal) && is_bare(context.verb())
    {
        return Certainty::Stranger;
    }
    if word.is(CalendarName) {
        return named(is_told);
    }
    if context.is_at_start() {
        let is_aside =
            matches!(context.text(1), "," | "(") && !word.is(Modal) || context.is_addressed();
        let is_told = is_told || is_aside || context.is_subject() || context.has_s();
        return named(
            is_hinted && !word.is(ThingName)
                || is_told && !(word.is(ThingName) && is_thing_subject(context)),
        );
    }
    let is_introduced = context.is_announced() || context.is_listed();
    if context.is_shouted() {
        return named(is_introduced);
    }
    // `Modern Art hangs there`, `the electric Bill`, `my Living Will`, `an SRP Grant`
    let is_usual = (context.word(-1)).is_any(&[Role, With, Adverb]);
    let is_titled = !is_usual
        && context.is_capital_at(-1)
        && context.word(-1).is(Common)
        && (context.at(-2).is_some() || word.is(ThingName));
    let is_thing = context.word(-1).begins_noun()
        || context.text(-1) == "at"
        || word.is(ThingName)
            && context.word(-2).begins_noun()
            && !context.is_capital_at(-1)
            && !is_usual
        || is_titled
        || context.at(-1).is_some_and(|at| {
            context.tagged.text.tokens()[at].shape == Capitalisation::Upper
                && !context.tagged.word(at).is(Firm)
                && context.tagged.text.word(at).len() > 1
        });
    named(!is_thing || is_introduced)
}

/// `Bill was higher than quoted`, `Grant was approved`: the predicate is typical of things.
fn is_thing_subject(context: &TokenContext<'_>) -> bool {
    !context.acts() && (1..=3).any(|n| context.word(n).is(OfThings))
}

// The context of a name within its sentence, and the evidence for the name. The evidence against it is further below.

/// Maximum length of an aside between a name and its verb, in tokens.
const ASIDE_MAX: isize = 9;

/// A range of tokens that may be a name.
#[derive(Debug, Clone)]
pub struct TokenContext<'a> {
    /// The whole text with the dictionary's data.
    pub tagged: &'a TaggedText<'a>,
    /// Index of the sentence in the text.
    pub number: usize,
    /// The sentence's tokens, as a range of the text's.
    pub sentence: Range<usize>,
    /// The name's tokens, within those of the sentence.
    pub name: Range<usize>,
}

impl<'a> TokenContext<'a> {
    /// Calls `take` with every longest match of `names` in a text, in order, and its values. A match that `take` extends
    /// is passed as a whole.
    pub fn each<V: Clone + PartialEq>(
        tagged: &'a TaggedText<'a>,
        names: &NameTrie<V>,
        mut take: impl FnMut(&mut Self, &[V]),
    ) {
        for (number, sentence) in tagged.text.sentences().iter().enumerate() {
            let mut at = sentence.start;
            while at < sentence.end {
                let Some((end, values)) = names.longest(tagged, at, sentence.end) else {
                    at += 1;
                    continue;
                };
                let mut context = Self {
                    tagged,
                    number,
                    sentence: sentence.clone(),
                    name: at..end,
                };
                take(&mut context, values);
                at = context.name.end;
            }
        }
    }

    /// The name as a mention that ends with its sentence.
    pub fn mention(
        &self,
        kind: MentionKind,
        candidates: Vec<String>,
        rule: &'static str,
    ) -> Mention {
        let sentence = u32::try_from(self.number).unwrap_or(u32::MAX);
        Mention {
            kind,
            candidates,
            sentence,
            through: sentence,
            span: self.tagged.text.span(self.name.clone()),
            rule,
        }
    }

    /// The token at a distance from the name, within the sentence: 1 is the token after it, -1 the one before it, and 0
    /// its first.
    pub fn at(&self, n: isize) -> Option<usize> {
        let at = if n <= 0 {
            self.name.start.checked_add_signed(n)
        } else {
            self.name.end.checked_add_signed(n - 1)
        };
        at.filter(|at| self.sentence.contains(at))
    }

    /// The word in lower case; empty if there is none.
    pub fn text(&self, n: isize) -> &str {
        self.at(n).map_or("", |at| self.tagged.text.word(at))
    }

    pub fn word(&self, n: isize) -> DictionaryWord {
        self.at(n)
            .map(|at| self.tagged.word(at))
            .unwrap_or_default()
    }

    pub fn is_capital_at(&self, n: isize) -> bool {
        self.at(n).is_some_and(|at| self.tagged.is_capital(at))
    }

    /// Whether there is a mark or no token.
    pub fn is_end(&self, n: isize) -> bool {
        self.at(n).is_none_or(|at| self.tagged.is_mark(at))
    }

    /// The words of the name.
    pub fn words(&self) -> impl Iterator<Item = DictionaryWord> {
        self.name.clone().map(|at| self.tagged.word(at))
    }

    /// Whether all words of the name are capitalised.
    pub fn is_capital(&self) -> bool {
        self.name.clone().all(|at| self.tagged.is_capital(at))
    }

    /// Whether most words of the sentence are upper case, so that capitals are no evidence.
    pub fn is_shouted(&self) -> bool {
        use Capitalisation::{Capitalised, Lower, Mixed, Upper};
        let tokens = &self.tagged.text.tokens()[self.sentence.clone()];
        let shapes = || tokens.iter().map(|token| token.shape);
        let upper = shapes().filter(|shape| *shape == Upper).count();
        let others = shapes().filter(|shape| matches!(shape, Lower | Capitalised | Mixed));
        upper >= 2 && upper > others.count()
    }

    /// Whether a capital is usual at this position: at the beginning of the sentence or of a quotation, or after a
    /// colon.
    pub fn is_at_start(&self) -> bool {
        self.at(-1).is_none_or(|at| {
            self.tagged.text.tokens()[self.name.start].begins_line
                || self.tagged.is_mark(at) && !matches!(self.text(-1), "," | ")" | "&" | "/")
        })
    }

    /// Whether the name is a possessive or a plural.
    pub fn has_s(&self) -> bool {
        self.tagged.word(self.name.end - 1).has_s
    }

    /// Whether a title precedes the name: `Mr. Hale`.
    pub fn is_titled(&self) -> bool {
        let n = if self.text(-1) == "." { -2 } else { -1 };
        self.word(n).is(Title) && (self.is_capital_at(n) || self.name.len() == 1)
    }

    /// Whether the words before the name announce a person: `our tech Will`, `ask for Will`, `thanks to Will`.
    pub fn is_announced(&self) -> bool {
        let n = match self.text(-1) {
            "," | "(" | ":" | "\u{2014}" | "\"" | "-" => -2,
            _ => -1,
        };
        let announces = [Role, Title, Called, Thanks];
        self.word(n).is_any(&announces)
            || matches!(self.text(-1), "is" | "was" | "is," | "were") && self.word(-2).is(Called)
            || self.text(n) == "you" && self.text(n - 1) == "thank"
            || self.is_called()
            || matches!(self.text(-1), "requested" | "request")
    }

    /// Whether the name is the subject of a typical predicate of people: `Will explained`, `Will, who came`,
    /// `Will himself`.
    pub fn acts(&self) -> bool {
        if self.has_s() {
            return false;
        }
        // An unknown word that ends like a past tense counts as an action: `Grant re-pitched the drains`.
        let is_past = |at: usize| {
            self.tagged.word(at).is_unknown()
                && self.tagged.text.word(at).ends_with("ed")
                && !self.tagged.is_capital(at)
        };
        let is_done =
            |at: usize| is_past(at) || self.tagged.text.word(at) == "re" && is_past(at + 1);
        if self.verb().is(Deed) || self.predicate().is_some_and(is_done) {
            return true;
        }
        // `Will and his helper came`
        self.text(1) == "and"
            && (matches!(self.text(2), "his" | "her")
                || self.word(3).is(Deed) && self.is_capital_at(2))
    }

    /// Whether the name is the subject of a predicate that is also possible for things: `Will was great`.
    pub fn is_subject(&self) -> bool {
        !self.has_s() && self.verb().is(Be)
    }

    fn verb(&self) -> DictionaryWord {
        self.predicate()
            .map_or_else(DictionaryWord::default, |at| self.tagged.word(at))
    }

    /// The position of the verb after `, who`, `, the tech,`, `(from Mesa)`, `at the front desk` and adverbs.
    pub fn predicate(&self) -> Option<usize> {
        let mut n = 1;
        let close = match self.text(1) {
            "(" => ")",
            "," | "\u{2014}" => self.text(1),
            _ => "",
        };
        if matches!(self.text(2), "who" | "whose") && !close.is_empty() {
            n = 3;
        } else if let Some(end) =
            (3..=ASIDE_MAX).find(|n| !close.is_empty() && self.text(*n) == close)
        {
            n = end + 1;
        } else if matches!(self.text(1), "from" | "at" | "in" | "with")
            && let Some(end) = (2..=4)
                .rev()
                .find(|n| self.word(*n).is(Firm) || self.word(*n).is(Staff))
        {
            n = end + 1;
        }
        n += isize::from(self.word(n).is(Adverb));
        self.at(n)
    }

    /// Whether the text addresses the person, as in `Will, thank you`, or adds the company, as in `Will from Saltbush`.
    pub fn is_addressed(&self) -> bool {
        let next = self.word(2);
        match self.text(1) {
            "," => {
                next.is(Thanks) || matches!(self.text(2), "you" | "the" | "our" | "your" | "their")
            }
            "from" | "at" | "with" => next.is(Firm) || self.word(3).is(Firm),
            _ => false,
        }
    }

    /// Whether only a person can follow the words before the name: `ask for will`, `thanks to chase`, `named grant`.
    pub fn is_called(&self) -> bool {
        match self.text(-1) {
            "to" => (-4..=-2).any(|n| self.word(n).is(Thanks)),
            "for" => (-3..=-2).any(|n| self.word(n).is(Ask)),
            "named" => true,
            "thanks" | "you" if self.text(-1) == "thanks" || self.text(-2) == "thank" => {
                self.is_end(1) || self.text(1) == "for"
            }
            _ => false,
        }
    }

    /// Whether it is listed with another first name: `Mike and Will`.
    pub fn is_listed(&self) -> bool {
        let is_name = |word: DictionaryWord, is_capital: bool| {
            is_capital && (word.is(FirstName) || word.id != 0)
        };
        self.word(-1).is(Pair) && is_name(self.word(-2), self.is_capital_at(-2))
            || self.word(1).is(Pair) && is_name(self.word(2), self.is_capital_at(2))
    }
}

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
    let is_child = matches!(context.text(1), "is" | "turned" | ",")
        && (2..=3).any(|n| {
            is_age(context, n) && (n == 2 || matches!(context.text(2), "only" | "just" | "almost"))
        });
    let is_watching =
        matches!(context.text(1), "loved" | "loves" | "enjoyed") && context.text(2) == "watching";
    let is_any = matches!(context.text(-1), "a" | "an" | "fellow" | "every" | "my")
        && context.name.len() == 1;
    // `Will's mom`
    let is_child = is_child
        || context.has_s()
            && matches!(
                context.text(1),
                "mom" | "dad" | "mother" | "father" | "teacher" | "daycare"
            );
    // `Thomas the Tank Engine`
    let is_any =
        is_any || context.text(1) == "the" && context.is_capital_at(2) && !context.is_shouted();
    let is_quoted = matches!(context.text(1), "said" | "wrote" | "mentioned" | "says")
        && (2..=5).any(|n| matches!(context.text(n), "review" | "reviews" | "below" | "above"));
    let is_couple = matches!(context.text(1), "and" | "&") && context.text(2) == "i";
    is_child
        || is_watching
        || is_any
        || is_couple
        || is_quoted
        || matches!(context.text(-1), "little" | "lil" | "baby")
        || context.word(1).is(Sundry)
        || matches!(context.text(-1), "and") && matches!(context.text(-2), "i" | "me")
}

/// `five`, `5 years old`, but not `5 minutes`
fn is_age(context: &TokenContext<'_>, n: isize) -> bool {
    let is_number = context
        .text(n)
        .starts_with(|first: char| first.is_ascii_digit())
        || matches!(
            context.text(n),
            "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten"
        );
    is_number
        && (context.is_end(n + 1)
            || matches!(context.text(n + 1), "years" | "and" | "year" | "months"))
}

/// Whether the name is not that of a person but of a street, a company or a school.
pub fn is_thing(context: &TokenContext<'_>) -> bool {
    let next = context.word(1);
    let is_numbered = context
        .text(-1)
        .starts_with(|first: char| first.is_ascii_digit())
        && !next.is(Deed);
    let tokens = context.tagged.text.tokens();
    let is_proper = context.at(1).is_some_and(|at| {
        tokens[at].shape == Capitalisation::Capitalised && !tokens[at].begins_line
    });
    if context.name.len() > 1 {
        return context.has_s() && is_proper && next.id == 0;
    }
    // `my Chase card`, `paid with Chase`, `the Grant residence`
    let is_paid = context.word(-1).is(Toward) || matches!(context.text(-1), "with" | "by" | "at");
    if next.is(Money)
        || is_paid && (-4..=-2).any(|n| context.word(n).is(Paying))
        || matches!(
            context.text(1),
            "family" | "families" | "household" | "residence" | "estate" | "clan"
        )
    {
        return true;
    }
    if next.is(Street) && !next.is(Deed) && (context.is_capital_at(1) || is_numbered) {
        return true;
    }
    // `Chase Bank`, `Will County`, `Mike's Hard Lemonade`
    let is_firm = next.is(Trade)
        || next.is(Elsewhere)
        || context.has_s() && next.id == 0 && !next.is(FirstName);
    // `Hale & Sons`
    let is_house = matches!(context.text(1), "and" | "&")
        && matches!(
            context.text(2),
            "sons" | "co" | "associates" | "partners" | "brothers" | "daughters"
        )
        && context.is_capital_at(2);
    is_proper && (is_firm || is_numbered) || is_house
}

/// `my husband Mike`, `our neighbor, Will`, `my son's name is Grant`, `my friends Mike and Will`
fn is_kin_before(context: &TokenContext<'_>) -> bool {
    let mut n = if !context.is_titled() {
        -1
    } else if context.text(-1) == "." {
        -3
    } else {
        -2
    };
    let is_be = |n: isize| matches!(context.text(n), "is" | "was");
    n -= isize::from(matches!(
        context.text(n),
        "," | "(" | "\u{2014}" | "\"" | "-"
    ));
    if is_be(n) && (context.word(n - 1).is(Called) || is_kin(context, n - 1)) {
        n -= 1;
    }
    if context.word(n).is(Called) {
        n -= 1;
        n -= isize::from(is_be(n) && is_kin(context, n - 1));
    }
    if is_kin(context, n)
        || context.text(n) == "law" && context.text(n - 1) == "in" && is_kin(context, n - 2)
    {
        return true;
    }
    // Skips a list of names and conjunctions before the name.
    let mut n = -1;
    while n >= -FIRM_REACH && context.word(n).is(Pair) && context.is_capital_at(n - 1) {
        n -= 2;
        let before_list = if context.text(n) == "," { n - 1 } else { n };
        if context.word(before_list).is(KinMany) {
            return true;
        }
    }
    false
}

/// Whether the word at `n` is a relation of the customer.
fn is_kin(context: &TokenContext<'_>, n: isize) -> bool {
    let (word, before) = (context.word(n), context.text(n - 1));
    if word.is(Role) {
        // In `the kid, Will,` the name is a staff member's; in `my kid Will` and `our property manager Will` it is not.
        return word.is(Kin) && context.word(n - 1).is(Own)
            || context.text(n) == "partner" && matches!(before, "my" | "our")
            || matches!(
                before,
                "property" | "apartment" | "building" | "bank" | "hotel" | "hoa"
            );
    }
    word.is_any(&[Kin, KinMany])
}

/// `Mike, my husband,` `Grant (our neighbor)`, `Curtis, a friend,` `Mike is my brother`,
/// `Chase the dog`
fn is_kin_after(context: &TokenContext<'_>) -> bool {
    let is_link = matches!(
        context.text(1),
        "," | "(" | "\u{2014}" | "-" | "is" | "was" | "being"
    );
    let n = 1 + isize::from(is_link);
    let is_owned = context.word(n).is(Own) && (is_link || context.has_s());
    if !(is_owned || context.word(n).is(Determiner)) {
        return false;
    }
    let is_aside = matches!(context.text(1), "," | "-");
    let is_closed = |n: isize| {
        context.is_end(n)
            || matches!(
                context.text(n),
                "who" | "so" | "but" | "of" | "from" | "and"
            ) && context.text(n + 1) != "i"
    };
    (n + 1..=n + 3)
        .take_while(|n| !context.is_end(*n))
        .any(|n| {
            let word = context.word(n);
            word.is_any(&[Kin, KinMany]) && !word.is(Role) && (!is_aside || is_closed(n + 1))
        })
}

/// `President Grant`, `Dr. Hale`, `Ulysses S. Grant`
fn is_in_public_life(context: &TokenContext<'_>) -> bool {
    let n = if context.text(-1) == "." { -2 } else { -1 };
    let is_letter = n == -2
        && context.text(-2).chars().count() == 1
        && context.is_capital_at(-2)
        && context.is_capital_at(-3);
    let is_rank = context.word(n).is(Rank);
    is_rank && context.is_capital_at(n) && !context.is_shouted() || is_letter
}

/// `Mike next door`, `Art across the street`, `Danielle from church`
fn is_from_elsewhere(context: &TokenContext<'_>) -> bool {
    let n = 1 + isize::from(matches!(context.text(1), "from" | "," | "(" | "who"));
    let is_near = match (context.text(n), context.text(n + 1)) {
        ("next", "door") | ("across", "the") => true,
        ("up" | "down", "the") => matches!(
            context.text(n + 2),
            "street" | "road" | "block" | "hall" | "hill"
        ),
        _ => false,
    };
    is_near
        || matches!(context.text(1), "from" | "at")
            && matches!(
                context.text(2),
                "church" | "work" | "school" | "nextdoor" | "my"
            )
        || is_with_another_firm(context)
}

/// `I'm Mike`, `this is Mike`, `my name is Mike`
fn is_self(context: &TokenContext<'_>) -> bool {
    match context.text(-1) {
        "i'm" | "im" => true,
        "am" => context.text(-2) == "i",
        "name's" => context.text(-2) == "my" || context.at(-2).is_none(),
        "" if context.text(1) == "here" => {
            !matches!(context.text(2), "within" | "in" | "by" | "the")
        }
        "is" => {
            context.text(-2) == "this" && context.at(-3).is_none()
                || context.text(-2) == "name" && context.text(-3) == "my"
        }
        _ => false,
    }
}

// Names of people who work for a company other than the reviewed one.

/// Maximum distance in words between a name and another company after it.
const FIRM_REACH: isize = 5;
/// `Joe from the other company`, `Mike with Acme`, `Roberto at Home Depot`,
/// `Grant, who works for the city`
fn is_with_another_firm(context: &TokenContext<'_>) -> bool {
    let mut n = 1 + isize::from(matches!(context.text(1), "," | "("));
    n += isize::from(context.text(n) == "who");
    let is_at_work = matches!(context.text(n), "works" | "worked" | "working");
    n += isize::from(is_at_work);
    if !(matches!(context.text(n), "from" | "at" | "with" | "of" | "over")
        || is_at_work && context.text(n) == "for")
    {
        return false;
    }
    n += 1 + isize::from(matches!(context.text(n + 1), "at" | "with"));
    let firm = context.word(n);
    let is_name = firm.is_unknown()
        || firm.id == 0 && (firm.is(WordName) || firm.is(FirstName)) && !firm.is(Firm);
    let is_named = is_name && context.is_capital_at(n);
    let is_any = matches!(context.text(n), "a" | "another");
    n += isize::from(context.word(n).begins_noun() && context.text(n) != "another");
    let (word, next) = (context.word(n), context.word(n + 1));
    let is_other = match context.text(n) {
        "another" => true,
        "other" | "last" | "first" | "old" => next.is(Elsewhere) || context.text(n + 1) == "one",
        _ => word.is(Other),
    };
    let is_depot = context.is_capital_at(n) && next.is(Elsewhere) && context.is_capital_at(n + 1);
    let is_elsewhere = word.is(Elsewhere) && (is_any || !is_ours(context.text(n)));
    is_named || is_other || is_depot || is_elsewhere
}

/// `the previous plumber, Mike`, `the other company's tech Mike`,
/// `the guy from the other company, Mike,`
fn is_of_another_firm(context: &TokenContext<'_>) -> bool {
    let is_aside = matches!(context.text(-1), "," | "(" | "-" | "\u{2014}");
    let mut n = if is_aside { -2 } else { -1 };
    n -= isize::from(context.word(n).is(Called));
    let (is_role, before) = (context.word(n).is(Role), context.word(n - 1));
    let is_of_another = is_role
        && context.text(n - 1) == "another"
        && !matches!(context.text(n), "tech" | "technician");
    let is_elsewhere = is_aside
        && matches!(
            context.text(-2),
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
        );
    let is_of_another_trade =
        is_role && before.is(OtherTrade) && before.id == 0 && !before.is(Firm);
    if is_of_another || is_elsewhere || is_of_another_trade {
        return true;
    }
    n -= isize::from(is_role);
    let word = context.word(n);
    let is_theirs = is_role && word.has_s && word.is_any(&[Kin, KinMany]);
    is_theirs || word.is(Other) || (word.has_s || is_role || is_aside) && is_other_firm(context, n)
}

/// `the other company sent Mike`
fn sends_another_firm(context: &TokenContext<'_>) -> bool {
    // `Acme sent Chase`
    let is_sent_by_name =
        context.text(-1) == "sent" && context.word(-2).is_unknown() && context.is_capital_at(-2);
    is_sent_by_name
        || matches!(context.text(-1), "sent" | "had" | "send" | "of" | "and")
            && (-FIRM_REACH..=-2).any(|n| is_other_firm(context, n))
}

/// Whether the word at `n`, before the name, means a company other than the reviewed one.
fn is_other_firm(context: &TokenContext<'_>, n: isize) -> bool {
    context.word(n).is(Elsewhere)
        && (!is_ours(context.text(n))
            || context.word(n - 1).is(Other)
            || matches!(context.text(n - 1), "other" | "another" | "last"))
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
    let is_name = |at: &usize| context.tagged.is_capital(*at) || context.tagged.word(*at).is(Pair);
    let rest = || (context.name.end..tokens.len()).filter(|at| !context.tagged.is_mark(*at));
    let followers = rest().take(SIGNATURE_REST_MAX).take_while(is_name).count();
    if rest().nth(followers).is_some() {
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
        || is(1, Closing)
        || matches!(word(1), "says" | "said" | "from");
    word(1) == "," && is(2, Closing) || is_said && followers <= 1 && is_author(context, author)
}

fn is_author(context: &TokenContext<'_>, author: &str) -> bool {
    author
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| word.to_lowercase() == context.text(0))
}
