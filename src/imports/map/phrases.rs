//! What the words of a header or a cell say about publication: `Is this review hidden from the site?`, `May we publish it?`,
//! `Not published`. The words are in `visibility.toml`, each with one role.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::imports::map::values::{Says, is_in, names, words};
use crate::imports::map::visibility::{Evidence, LISTS, Subject};

/// The role of a word in `visibility.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    Publish,
    Publication,
    Public,
    Hidden,
    CommonPublic,
    CommonHidden,
    Answer,
    State,
    Not,
    Refuse,
    Consent,
    Leave,
    Use,
    Used,
    Keep,
    About,
    Testimonial,
    This,
    Anonymous,
    Name,
    Thing,
    Place,
    Medium,
    Online,
    House,
    We,
    You,
    Person,
    Moderator,
    Preposition,
    By,
    End,
    Time,
    Article,
    Neutral,
    /// Of something else.
    #[serde(skip)]
    Other,
}

pub type Lexicon = BTreeMap<Word, String>;

/// The roles of whole words, and of their beginnings.
static ROLES: LazyLock<[HashMap<&str, Word>; 2]> = LazyLock::new(|| {
    let mut roles = [HashMap::new(), HashMap::new()];
    let all = LISTS.words.iter();
    for (word, role) in all.flat_map(|(role, list)| names(list).map(move |word| (word, *role))) {
        match word.strip_suffix('*') {
            Some(beginning) => roles[1].insert(beginning, role),
            None => roles[0].insert(word, role),
        };
    }
    roles
});

fn role(word: &str) -> Word {
    let [whole, beginnings] = &*ROLES;
    let ends = word
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    let mut ends = ends.rev();
    let known = whole.get(word);
    let known = known.or_else(|| ends.find_map(|end| beginnings.get(&word[..end])));
    known.copied().unwrap_or(Word::Other)
}

/// The words of a name, without accents: `isReviewHidden` and `Is review hidden?` have the same ones. A choice such as
/// `(yes/no)` is left out.
pub fn name_words(name: &str) -> Vec<String> {
    let mut parts = String::new();
    let mut is_lower = false;
    for letter in name.chars() {
        if is_lower && letter.is_uppercase() {
            parts.push(' ');
        }
        is_lower = letter.is_lowercase();
        match letter {
            '/' => parts.push_str(" or "),
            letter => parts.push(letter),
        }
    }
    let mut name = words(&parts);
    for choice in names(&LISTS.choices) {
        name = name.replace(&words(choice), " ");
    }
    name.split_whitespace().map(str::to_owned).collect()
}

/// A header of several words, or of one.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Phrase<'n> {
    name: &'n [String],
    words: Vec<Word>,
    subject: Subject,
    /// Whether it names the answer, as a whole.
    names_answer: bool,
    /// Whether a page or site is named, as the place or as something else.
    has_place: bool,
    has_other_place: bool,
    /// Whether it says who did it, and whether that is a moderator.
    has_doer: bool,
    has_moderator: bool,
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "few of the roles matter in each rule"
)]
impl<'n> Phrase<'n> {
    pub fn new(name: &'n [String], subject: Subject, names_answer: bool) -> Self {
        let mut phrase = Self {
            name,
            words: name.iter().map(|word| role(word)).collect(),
            subject,
            names_answer,
            has_place: false,
            has_other_place: false,
            has_doer: false,
            has_moderator: false,
        };
        let is_leave = phrase.has_consent();
        let is_use = phrase.has(Word::Use) || phrase.has(Word::Used);
        let mut before = Word::Other;
        for (word, text) in phrase.words.iter_mut().zip(name) {
            let is_after_preposition = matches!(before, Word::Preposition | Word::By);
            match *word {
                // `Visible to the public`, `Removed by author`.
                Word::Person | Word::Public
                    if is_after_preposition && (*word == Word::Person || text == "public") =>
                {
                    phrase.has_doer |= before == Word::By;
                    *word = Word::Person;
                }
                Word::Person if !is_leave => *word = Word::Other,
                // `Blocked by moderation`.
                Word::Moderator | Word::State if before == Word::By => {
                    (phrase.has_doer, phrase.has_moderator) = (true, true);
                    *word = Word::Moderator;
                }
                Word::Medium if is_after_preposition && is_use => phrase.has_place = true,
                Word::Medium | Word::Moderator => *word = Word::Other,
                // `Shown on our site`, but not `Public site`.
                Word::Place | Word::House => {
                    phrase.has_place |= is_after_preposition;
                    phrase.has_other_place |= !is_after_preposition;
                }
                Word::Online => phrase.has_place = true,
                Word::Answer if subject == Subject::Review => *word = Word::Other,
                _ => {}
            }
            if *word != Word::Article {
                before = *word;
            }
        }
        phrase
    }

    fn has(&self, word: Word) -> bool {
        self.words.contains(&word)
    }

    fn has_consent(&self) -> bool {
        self.has(Word::Consent) || self.has(Word::Leave)
    }

    fn is_about_review(&self) -> bool {
        self.has(Word::About) || self.has(Word::Testimonial)
    }

    /// Whether every word has a role here.
    fn is_whole(&self) -> bool {
        ![Word::Other, Word::Thing, Word::Name, Word::Anonymous]
            .iter()
            .any(|word| self.has(*word))
    }

    fn is_not(&self) -> bool {
        turns(&self.words)
    }

    /// Whether it is the name of a time, or of the one who did it.
    fn has_end(&self) -> bool {
        let last = self.words.last();
        self.has(Word::Time) || matches!(last, Some(Word::End | Word::By | Word::Preposition))
    }

    pub fn meaning(&self) -> Option<(Says, Evidence)> {
        if is_in(&LISTS.not_phrases, &self.name.join(" ")) {
            return None;
        }
        self.single()
            .or_else(|| self.anonymity())
            .or_else(|| self.publication())
            .or_else(|| self.use_of_review())
            .or_else(|| self.state())
            .or_else(|| self.consent())
    }

    /// `Published`, `Is it hidden?`, `Active`.
    fn single(&self) -> Option<(Says, Evidence)> {
        let mut words = self.words.iter();
        let is_around = |word: &Word| matches!(word, Word::Neutral | Word::This);
        let word = words.find(|word| !is_around(word))?;
        if !words.all(is_around) {
            return None;
        }
        Some(match word {
            Word::Publish | Word::Public => (Says::Public, Evidence::Name),
            Word::Hidden => (Says::Hidden, Evidence::Name),
            Word::CommonPublic => (Says::Public, Evidence::AnyCell),
            Word::CommonHidden => (Says::Hidden, Evidence::AnyCell),
            _ => return None,
        })
    }

    /// Whether it is about the author's name: `Show my name`, `Publish anonymously`.
    pub fn is_about_name(&self) -> bool {
        self.has(Word::Anonymous) || self.has(Word::Name) && !self.is_about_review()
    }

    /// `Anonymous`, `Publish anonymously`, `Stay anonymous?`; what we may publish so is another question.
    fn anonymity(&self) -> Option<(Says, Evidence)> {
        let is_of_other = |word: &Word| matches!(word, Word::Other | Word::Thing | Word::We);
        let is_anonymous = self.has(Word::Anonymous) && !self.words.iter().any(is_of_other);
        let says = if self.is_not() {
            Says::Public
        } else {
            Says::Hidden
        };
        is_anonymous.then_some((says, Evidence::MostCells))
    }

    /// `Do not publish`, `Consent to publication`, `Dürfen wir Ihre Bewertung veröffentlichen?`
    fn publication(&self) -> Option<(Says, Evidence)> {
        let is_verb = self.has(Word::Publish);
        let is_whole = self.is_whole();
        // An answer has no consent of its own: `Reply published on the forum` may be anything.
        let is_of_other = !is_whole
            && (self.subject == Subject::Answer || self.names_answer && !self.has_consent());
        let is_thing = self.has(Word::Thing) && !self.is_about_review();
        if !is_verb && !self.has(Word::Publication) || is_of_other || is_thing {
            return None;
        }
        if self.has_end() {
            // `Published at`; the one who published it is no time.
            return Some((Says::Filled, Evidence::Wording));
        }
        if self.has(Word::State) {
            return Some((Says::State, Evidence::AnyCell));
        }
        let is_hidden = self.has(Word::Hidden) || self.has(Word::CommonHidden);
        let says = match self.is_not() {
            true => Says::Hidden,
            // `Consent to publish withdrawn`.
            false if is_hidden && (!is_verb || self.has_consent()) => Says::Hidden,
            false => Says::Public,
        };
        let is_clear = is_verb || self.has_consent() || self.is_not() || self.has_word("for");
        let is_consent = self.has_consent() || self.is_about_review();
        let evidence = if is_verb && is_consent && self.subject == Subject::Review {
            Evidence::Consent
        } else if is_clear {
            Evidence::Question
        } else {
            Evidence::MostCells
        };
        Some((says, evidence))
    }

    fn has_word(&self, word: &str) -> bool {
        self.name.iter().any(|other| other == word)
    }

    /// `Can we share this on our website?`, `Use as testimonial`, but not `Do you use our website?`
    fn use_of_review(&self) -> Option<(Says, Evidence)> {
        let is_verb = self.has(Word::Use);
        let is_about = self.is_about_review() || self.has(Word::This) || self.has(Word::Name);
        let is_ours = !self.has(Word::You) || self.has(Word::We);
        let is_thing = self.has(Word::Thing) && !self.is_about_review();
        if !is_verb && !self.has(Word::Used) || !is_ours || self.has_end() || is_thing {
            return None;
        }
        let is_whole = self.is_whole();
        let is_short = is_whole && !self.has_other_place;
        let is_question = self.has_consent()
            && (is_about
                || self.has_place
                || is_short && (is_verb || self.has(Word::We) || self.has_word("be")));
        let is_order = is_short && (is_verb || self.has_place) && !self.has(Word::We);
        if !is_question && !is_order {
            return None;
        }
        // `For internal use only`.
        let says = if self.is_not() || self.has(Word::CommonHidden) {
            Says::Hidden
        } else {
            Says::Public
        };
        let is_bare = !is_question && !is_about && !self.has_place && !self.is_not();
        let is_of_review = self.is_about_review() && self.subject == Subject::Review;
        let evidence = if is_bare {
            Evidence::MostCells
        } else if is_question && is_of_review && self.has(Word::We) {
            Evidence::Consent
        } else {
            Evidence::Question
        };
        Some((says, evidence))
    }

    /// `Hidden from the site`, `Keep private`, `Removed by author`, `Date removed`.
    fn state(&self) -> Option<(Says, Evidence)> {
        let says_of = |word: &Word| match word {
            Word::Public | Word::CommonPublic | Word::Answer => Some(Says::Public),
            Word::Hidden | Word::CommonHidden => Some(Says::Hidden),
            Word::State => Some(Says::State),
            _ => None,
        };
        let roots: Vec<Says> = self.words.iter().filter_map(says_of).collect();
        let last = *roots.last()?;
        let is_used = self.has(Word::Use) || self.has(Word::Used);
        let is_name = self.is_about_name() && !self.has(Word::Other) && !self.has(Word::Thing);
        if !self.is_whole() && !is_name || is_used || self.has_other_place {
            return None;
        }
        let is_common = self.has(Word::CommonPublic) || self.has(Word::CommonHidden);
        let is_for_review = self.has_word("for") && self.has(Word::About);
        let is_sure = self.is_about_review()
            || self.has(Word::Time)
            || self.has_doer
            || self.has(Word::Keep)
            || is_name
            || self.is_plain();
        // `Removed from our website`, but not `Trash removed from the site`.
        let is_taken_off = last == Says::Hidden && !self.has(Word::House);
        let is_of_other = self.has_place && !is_taken_off
            || roots.len() > 1
            || self.has_word("for")
            || !(is_sure || self.has_place);
        if is_common && is_of_other
            || is_for_review && last != Says::State && is_common
            || last == Says::State && (self.has_place || self.has_word("feedback"))
        {
            return None;
        }
        let says = if roots.contains(&Says::Hidden) && last != Says::State {
            Says::Hidden
        } else {
            last
        };
        let is_by = matches!(self.words.last(), Some(Word::By));
        let evidence = match says {
            Says::State => Evidence::AnyCell,
            _ if is_common || is_name || self.has_doer => Evidence::MostCells,
            _ => Evidence::Wording,
        };
        let says = match (says, self.is_not()) {
            _ if is_by => return None,
            (Says::Hidden, _) if self.has_end() => Says::HiddenSince,
            (Says::Public, false) if self.has_end() && !is_common => Says::Filled,
            _ if self.has_end() => return None,
            (Says::Hidden, true) => Says::Public,
            // `Approved by the customer` is an offer.
            (Says::Public, _) if self.has_doer && !self.has_moderator => return None,
            (Says::Public, true) => Says::Hidden,
            (says, _) => says,
        };
        Some((says, evidence))
    }

    /// `In trash`, `is_internal`, but not `Live in`.
    fn is_plain(&self) -> bool {
        let is_plain = |word: &Word| {
            matches!(
                word,
                Word::Neutral
                    | Word::This
                    | Word::Not
                    | Word::Preposition
                    | Word::CommonPublic
                    | Word::CommonHidden
                    | Word::Answer
            )
        };
        self.words.iter().all(is_plain)
    }

    /// `Consent given`, `Website OK`, `Online`.
    fn consent(&self) -> Option<(Says, Evidence)> {
        let has_house = self.has(Word::House);
        let is_alone = self.has(Word::Consent) && !self.has_other_place
            || self.has(Word::Testimonial) && (self.has_consent() || self.name.len() == 1)
            || self.has_consent() && self.has(Word::Place) && !self.has(Word::You)
            || self.has_place && !self.is_about_review() && !self.has(Word::You);
        let is_of_other = self.words.iter().any(|word| {
            matches!(
                word,
                Word::Use
                    | Word::Used
                    | Word::State
                    | Word::Public
                    | Word::CommonPublic
                    | Word::Hidden
                    | Word::CommonHidden
                    | Word::Answer
            )
        });
        let says = if self.is_not() {
            Says::Hidden
        } else {
            Says::Public
        };
        (is_alone && self.is_whole() && !has_house && !is_of_other && !self.has_end())
            .then_some((says, Evidence::MostCells))
    }
}

/// Whether these words turn the meaning round: `Do not publish`, `Refuses publication`, but not `No objection`.
fn turns(words: &[Word]) -> bool {
    let turning = words
        .iter()
        .filter(|word| matches!(word, Word::Not | Word::Refuse));
    turning.count() % 2 == 1
}

/// Whether a cell of these words means public: `Not published`, `Hidden by a moderator`. `None` if it has other words.
/// Words of consent count only in a column in which yes means public.
pub fn is_public_cell(text: &str, says: Says) -> Option<bool> {
    let text = words(text);
    let roles: Vec<Word> = text.split_whitespace().map(role).collect();
    let has = |any: &[Word]| roles.iter().any(|word| any.contains(word));
    if has(&[
        Word::Other,
        Word::Thing,
        Word::Name,
        Word::Anonymous,
        Word::Time,
    ]) {
        return None;
    }
    let is_not = turns(&roles);
    let is_public = has(&[Word::Publish, Word::Public, Word::CommonPublic]);
    let is_consent = has(&[Word::Consent, Word::Publication, Word::Use]) && says == Says::Public;
    if has(&[Word::Hidden, Word::CommonHidden]) {
        Some(is_not && !is_public)
    } else {
        (is_public || is_consent).then_some(!is_not)
    }
}

/// Whether a cell has a word that says surely that its column is one of states.
pub fn has_sure_word(text: &str) -> bool {
    let words = words(text);
    let mut roles = words.split_whitespace().map(role);
    roles.any(|role| matches!(role, Word::Publish | Word::Hidden))
}

/// Whether a word of a header is one for the state of a row.
pub fn is_state(word: &str) -> bool {
    role(word) == Word::State
}

/// Whether the answer in a cell is for a review without the author's name: `Yes, but anonymously`, `Yes, without my name`.
pub fn hides_name(text: &str) -> bool {
    let words = words(text);
    let roles: Vec<Word> = words.split_whitespace().map(role).collect();
    let is_without = words.contains(" without ") || roles.contains(&Word::Not);
    roles.contains(&Word::Anonymous) || roles.contains(&Word::Name) && is_without
}

/// Whether a text has a word that turns the meaning round or hides.
pub fn has_not(text: &str) -> bool {
    let words = words(text);
    let mut roles = words.split_whitespace().map(role);
    roles.any(|role| matches!(role, Word::Not | Word::Hidden | Word::CommonHidden))
}
