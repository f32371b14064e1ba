//! Whether a review, its answer or its author's name is public at its source, by columns that no platform's entry names.
//! What is hidden there is never published, so unknown words are refused.
//!
//! A header is read as a bag of words, each with one role in `visibility.toml`, which also has the rules for them (`docs/IMPORT.md`
//! tells these). Only what is sure is decided; for a header of publication whose yes may mean either, the file is refused, and the
//! owner says which.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::imports::map::ReviewField;
use crate::imports::map::header::{Header, split_words};
use crate::imports::map::table::Table;
use crate::imports::map::values::{Names, Says, WORDS, flag, is_empty, is_in, names};
use crate::imports::platforms::TABLE;
use crate::model::parse_toml;
use crate::model::text::words;
use crate::storage::imports::VISIBILITY;

/// Reason for withholding a review that its source hides.
pub const NOT_PUBLISHED: &str = "not published at the source";

/// What a column of visibility is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Review,
    Answer,
    /// The name of the author.
    Author,
}

impl Subject {
    pub const ALL: [Self; 3] = [Self::Review, Self::Answer, Self::Author];

    /// The field with which `--map` names its column, or ignores all.
    pub const fn field(self) -> &'static str {
        VISIBILITY[self as usize]
    }

    /// The same of a column in which yes means hidden.
    pub const fn hidden_field(self) -> &'static str {
        VISIBILITY[Self::ALL.len() + self as usize]
    }

    /// The subject of a field of `--map`.
    pub fn of_field(field: &str) -> Option<Self> {
        let is_of = |subject: &Self| [subject.field(), subject.hidden_field()].contains(&field);
        Self::ALL.into_iter().find(is_of)
    }
}

/// The file `visibility.toml`. Lists of words are separated by `, `.
static LISTS: LazyLock<Lists> = LazyLock::new(|| parse_toml(include_str!("visibility.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Lists {
    answers: String,
    owners: String,
    parts: String,
    kinds: String,
    private_kinds: String,
    not_values: String,
    groups: String,
    nothing: String,
    ends: String,
    time_ends: String,
    short: String,
    times: String,
    states: String,
    styles: String,
    places: String,
    work: String,
    cells: Cells,
    words: BTreeMap<String, String>,
    review_rules: HeaderRules,
    name_rules: HeaderRules,
}

/// Words for a state in cells.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cells {
    begins: String,
    yes: String,
    no: String,
    public: String,
    hidden: String,
    channels: String,
    drafts: String,
    answered: String,
    unanswered: String,
}

/// What a header says by the roles of its words. A condition is a list of facts that all hold: `a|b` is one of two, `!a` none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct HeaderRules {
    /// A header that meets one of these is of something else.
    never: Vec<String>,
    /// Any other meets one of these.
    columns: Vec<String>,
    /// Then its words are used for nothing else.
    sure: Vec<String>,
    /// The first one counts.
    says: Vec<HeaderRule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct HeaderRule {
    when: String,
    /// `None` for nothing.
    says: Option<Says>,
    /// If it does not follow from the rules for it.
    evidence: Option<Evidence>,
}

/// The roles of whole words and phrases, and of their beginnings.
static ROLES: LazyLock<[HashMap<&str, &str>; 2]> = LazyLock::new(|| {
    let mut roles = [HashMap::new(), HashMap::new()];
    let all = LISTS.words.iter();
    for (word, role) in all.flat_map(|(role, list)| names(list).map(move |word| (word, role))) {
        match word.strip_suffix('*') {
            Some(beginning) => roles[1].insert(beginning, role.as_str()),
            None => roles[0].insert(word, role.as_str()),
        };
    }
    roles
});

fn role(word: &str) -> &'static str {
    let [whole, beginnings] = &*ROLES;
    if word == "," {
        return "mark";
    }
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return "neutral";
    }
    let mut ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let known = whole
        .get(word)
        .or_else(|| ends.find_map(|end| beginnings.get(&word[..end])));
    known.copied().unwrap_or("unknown")
}

/// The words of a header or a cell by their roles: those in `visibility.toml`, `mark` between parts of a text, or `unknown`.
struct Phrase(Vec<&'static str>);

impl Phrase {
    fn new(name: &[String]) -> Self {
        let name = name.iter().filter(|word| role(word) != "article");
        let name: Vec<&str> = name.map(String::as_str).collect();
        let (mut roles, mut at) = (Vec::new(), 0);
        while at < name.len() {
            let phrase = (2..=3).rev().find_map(|count| {
                let phrase = name.get(at..at + count)?.join(" ");
                Some((count, *ROLES[0].get(phrase.as_str())?))
            });
            let (count, role) = phrase.unwrap_or_else(|| (1, role(name[at])));
            roles.push(role);
            at += count;
        }
        Self(roles)
    }

    fn of_cell(text: &str) -> Self {
        Self::new(&split_words(text))
    }

    /// Whether it has one of these roles, which a bar separates.
    fn has(&self, any: &str) -> bool {
        any.split('|').any(|role| self.0.contains(&role))
    }

    fn hides(&self) -> bool {
        self.has("hidden|common_hidden")
    }

    fn refuses(&self) -> bool {
        self.has("not|no|refuse")
    }

    /// Whether it speaks of the author's name, and not of the review.
    fn is_about_name(&self) -> bool {
        self.has("anonymous|name") && !self.has("review")
    }

    /// Whether yes means public; `None` if it may mean either.
    fn sense(&self) -> Option<bool> {
        let refusals = self.0.iter();
        let refusals = refusals.filter(|role| matches!(**role, "not" | "no" | "refuse"));
        // `May we use your comments anonymously?` asks for two things, and `Publicar no site` is Portuguese.
        let is_open = self.has("unknown|condition|mark")
            || self.has("anonymous") && self.has("review")
            || self.0.iter().skip(1).any(|role| *role == "no");
        match (refusals.count(), self.hides()) {
            _ if is_open => None,
            (0, false) => Some(true),
            // `Keep private`, but not `Consent to delete`.
            (0, true) if !self.has("publish|public|consent|use") => Some(false),
            // `Do not publish`, but not `Would you mind if we publish it?`
            (1, false) if !self.has("ask") => Some(false),
            _ => None,
        }
    }

    /// What rules are about: its roles, and what follows from them.
    fn facts(mut self, subject: Subject, is_time: bool, is_by: bool) -> Vec<&'static str> {
        let sense = match self.sense() {
            Some(true) => "shows",
            Some(false) => "hides",
            None => "open",
        };
        // `Opted out`
        let is_plain = |role: &&str| matches!(*role, "refuse" | "neutral" | "person");
        let facts = [
            ("refuses", self.refuses()),
            ("refusal", self.has("refuse") && self.0.iter().all(is_plain)),
            ("of_answer", subject == Subject::Answer),
            ("timed", is_time),
            ("by", is_by),
            (sense, true),
        ];
        let facts = facts.into_iter().filter(|(_, is_so)| *is_so);
        self.0.extend(facts.map(|(fact, _)| fact));
        self.0
    }
}

impl HeaderRules {
    fn apply(&self, facts: &[&str], subject: Subject) -> Option<Visibility> {
        let is_met = |condition: &String| {
            condition.split_whitespace().all(|part| {
                let any = part.trim_start_matches('!');
                any.split('|').any(|fact| facts.contains(&fact)) == (any == part)
            })
        };
        if self.never.iter().any(is_met) || !self.columns.iter().any(is_met) {
            return None;
        }
        let rule = self.says.iter().find(|rule| is_met(&rule.when))?;
        let says = rule.says?.of(subject);
        let evidence = Evidence::new(self.sure.iter().any(is_met));
        Some(Visibility::new(
            subject,
            says,
            rule.evidence.unwrap_or(evidence),
        ))
    }
}

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visibility {
    pub subject: Subject,
    pub says: Says,
    pub evidence: Evidence,
}

impl Visibility {
    const fn new(subject: Subject, says: Says, evidence: Evidence) -> Self {
        Self {
            subject,
            says,
            evidence,
        }
    }
}

/// How sure a column's name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Unknown cells are errors.
    Sure,
    /// Its words are used for other things, too, so a cell must be known.
    Likely,
    /// Yes may mean public or hidden: the owner has to say which.
    Unclear,
}

impl Evidence {
    const fn new(is_sure: bool) -> Self {
        if is_sure { Self::Sure } else { Self::Likely }
    }
}

/// What a name of these words shows.
fn meaning(name: &[String], subject: Subject) -> Option<Visibility> {
    let letters = name.concat();
    let is_answer = subject == Subject::Answer;
    let found = |says: Says, evidence| Some(Visibility::new(subject, says.of(subject), evidence));
    if is_in(&LISTS.times, &letters) {
        return found(Says::HiddenSince, Evidence::Sure);
    }
    if is_in(&LISTS.states, &letters) {
        return found(Says::State, Evidence::Sure);
    }
    if is_in(&LISTS.places, &letters) {
        // An answer has no place.
        return found(Says::State, Evidence::new(is_answer));
    }
    if !is_answer && is_in(&LISTS.styles, &letters) {
        return Some(Visibility::new(
            Subject::Author,
            Says::Public,
            Evidence::Likely,
        ));
    }
    let phrase = Phrase::new(name);
    if let Some(mark) = name.iter().position(|word| word == ",") {
        // `Reviewer: Is Anonymous`
        let mut object = name[..mark].iter().map(|word| role(word));
        let member = meaning(&name[mark + 1..], subject)
            .filter(|found| found.subject == Subject::Author)
            .filter(|_| object.all(|role| matches!(role, "person" | "review")));
        if let Some(found) = member {
            return Some(Visibility {
                evidence: Evidence::Likely,
                ..found
            });
        }
        let parts: Vec<_> = name
            .split(|word| word == ",")
            .filter_map(|part| meaning(part, subject))
            .collect();
        let is_question =
            |part: &Visibility| part.says == Says::Public && part.evidence != Evidence::Unclear;
        // `E-mail (will not be published)`
        let is_other = phrase.has("other") && !parts.iter().any(is_question);
        let part = parts.first().filter(|_| !is_other)?;
        return Some(Visibility {
            evidence: Evidence::Unclear,
            ..*part
        });
    }
    let last = name.last()?;
    let is_time = phrase.has("time") || is_in(&LISTS.time_ends, last);
    // `Approved by`: what nobody approved may be hidden.
    let is_by = is_in(&LISTS.nothing, &letters) || is_in(&LISTS.ends, last);
    let (rules, subject) = if !is_answer && !is_by && phrase.is_about_name() {
        (&LISTS.name_rules, Subject::Author)
    } else {
        (&LISTS.review_rules, subject)
    };
    rules.apply(&phrase.facts(subject, is_time, is_by), subject)
}

/// Where the rows of a file have their answers and reviews.
#[derive(Debug, Default)]
pub struct Places {
    /// The columns of the answer's text.
    pub answers: Vec<Header>,
    /// The paths of the objects that hold the rating or the text, of which the row itself has an empty one. A table has no objects.
    pub reviews: Vec<String>,
}

/// What a column shows by its name.
pub fn find(header: &Header, places: &Places) -> Option<Visibility> {
    let path = header.path.as_str();
    // The object around the review is the place; `reply.status.id` is no word of the status.
    let member = path.rsplit_once('.').map(|(_, member)| member);
    if path.starts_with("^.") || member.is_some_and(|member| is_in(&LISTS.not_values, member)) {
        return None;
    }
    let has_reviews = |path: &str| places.reviews.iter().any(|review| review == path);
    let around = |answer: &Header| Some(answer.path.rsplit_once('.')?.0.to_owned());
    // `comment_status` is about the answer in `comment_content`.
    let beside_answer = places.answers.iter().find_map(|answer| {
        let mut words = answer.words.clone();
        if words.len() > 1 && !around(answer).is_some_and(|around| has_reviews(&around)) {
            words.pop_if(|word| is_in(&LISTS.parts, singular(word)));
        }
        let is_own = |word: &String| role(word) != "review" || word.starts_with("comment");
        let rest = header.words.strip_prefix(words.as_slice())?;
        // `Review Status` beside `Review Text` is the review's.
        words.iter().any(is_own).then_some(())?;
        meaning(rest, Subject::Answer)
    });
    if beside_answer.is_some() {
        return beside_answer;
    }
    let Some((outer, inner)) = path.rsplit_once('.') else {
        let says = of(&header.words, Subject::Review)
            .filter(|found| found.says != Says::Kind || has_reviews(""));
        // `OK to publish reply?`, but not `May we publish your response?`
        let is_yours = header.words.iter().any(|word| word == "your");
        let is_clear = says.is_some_and(|found| found.evidence != Evidence::Unclear || is_yours);
        return says
            .filter(|_| is_clear)
            .or_else(|| of_answer_name(&header.words))
            .or(says);
    };
    let inner = split_words(inner);
    let last = split_words(outer.rsplit('.').next().unwrap_or_default());
    let is_beside = places
        .answers
        .iter()
        .any(|answer| around(answer).is_some_and(|around| around == outer));
    let is_around = |word: &String| is_in(&LISTS.owners, word) || is_in(&WORDS.containers, word);
    let is_answer = without_answer(&last).is_some_and(|rest| rest.iter().all(is_around));
    if is_answer || is_beside && !has_reviews(outer) {
        return of(&inner, Subject::Answer);
    }
    if has_reviews(outer) {
        return of(&inner, Subject::Review).or_else(|| of_answer_name(&inner));
    }
    // `reviewer.isAnonymous`
    let about_name =
        meaning(&inner, Subject::Review).filter(|found| found.subject == Subject::Author);
    if about_name.is_some() {
        return about_name;
    }
    // `status.name` is a word of `status`, and `status.id` is none.
    if inner
        .last()
        .is_none_or(|word| is_in(&LISTS.not_values, word))
    {
        return None;
    }
    let found = find(&Header::new(outer), places).filter(|found| found.says != Says::Kind)?;
    if matches!(found.says, Says::State | Says::AnswerState) {
        // `moderation.flagged` is a flag of its own.
        let flag = meaning(&inner, found.subject).filter(|flag| flag.says == Says::Hidden);
        return Some(flag.unwrap_or(found));
    }
    // `consent.publish`, but not `consent.marketing`.
    meaning(&[last, inner].concat(), found.subject)
}

/// What a name shows of a subject; a member such as `type` may call its object private.
fn of(name: &[String], subject: Subject) -> Option<Visibility> {
    meaning(name, subject).or_else(|| {
        let is_kind = matches!(name, [word] if is_in(&LISTS.kinds, word));
        is_kind.then_some(Visibility::new(subject, Says::Kind, Evidence::Sure))
    })
}

/// Whether a column has the name of an answer or is inside one.
pub fn is_of_answer(column: &str) -> bool {
    let mut parts = column.split('.');
    parts.any(|part| without_answer(&split_words(part)).is_some())
}

/// By a name with a word for the answer: `reply_public`, `owner_response_status`, `is_reply_public`, `hide_reply`,
/// `Antwortstatus`.
fn of_answer_name(name: &[String]) -> Option<Visibility> {
    let rest = without_answer(name)?;
    let is_other = |word: &&String| !is_in(&LISTS.owners, word);
    let others: Vec<String> = rest.iter().filter(is_other).cloned().collect();
    let found = of(&rest, Subject::Answer).or_else(|| of(&others, Subject::Answer))?;
    // A `Private reply` may be a text.
    let is_text =
        found.says == Says::Hidden && name.last().is_some_and(|word| find_answer(word).is_some());
    let evidence = if is_text {
        Evidence::Likely
    } else {
        found.evidence
    };
    Some(Visibility { evidence, ..found })
}

fn singular(word: &str) -> &str {
    match word.strip_suffix("ies") {
        // `replies`
        Some("repl") => "reply",
        _ => word.strip_suffix('s').unwrap_or(word),
    }
}

/// The word for an answer with which a word begins.
fn find_answer(word: &str) -> Option<&'static str> {
    names(&LISTS.answers).find(|answer| singular(word) == *answer || word.starts_with(answer))
}

/// The words of a name besides that of an answer; `None` if it names none.
fn without_answer(name: &[String]) -> Option<Vec<String>> {
    let answer = name.iter().find_map(|word| find_answer(word))?;
    let others = name
        .iter()
        .filter_map(|word| match word.strip_prefix(answer) {
            Some("" | "s") => None,
            Some(rest) => Some(rest.to_owned()),
            None => (singular(word) != answer).then(|| word.clone()),
        });
    Some(others.collect())
}

// What the cells of a column say.

/// What a column shows by its name, if its cells bear it out.
pub fn by_name(
    table: &Table,
    column: usize,
    header: &Header,
    places: &Places,
) -> Option<Visibility> {
    let found = find(header, places)?;
    let Visibility {
        subject,
        says,
        mut evidence,
    } = found;
    // `Testimonial` may have the texts.
    let is_text = |name: &str| !header.is_question && header.is(name);
    if evidence == Evidence::Sure && names(&TABLE.fields[&ReviewField::Text]).any(is_text) {
        evidence = Evidence::Likely;
    }
    let is_sure = evidence == Evidence::Sure;
    let cells = || table.cells(column).map(|(_, cell)| cell);
    let count = |is_so: &dyn Fn(&str) -> bool| cells().filter(|cell| is_so(cell)).count();
    let all = cells().count();
    let found = |says| Some(Visibility { says, ..found });
    if table.are_dates(column) {
        // Something was published, or removed, on each of the dates, and nothing where there is none.
        let has_empty = all < table.rows.len();
        let says = match says {
            Says::Public | Says::Filled => Says::Filled,
            Says::Hidden | Says::HiddenSince => Says::HiddenSince,
            Says::State | Says::AnswerState | Says::Kind | Says::NoneOf(_) => return None,
        };
        let is_sign = has_empty || says == Says::HiddenSince && is_sure;
        return found(says).filter(|_| is_sign);
    }
    if says == Says::Public && evidence != Evidence::Unclear && is_box(table, column) {
        return found(Says::Filled);
    }
    let says = read_flags(table, column, says);
    // `OK` is Oklahoma, too, and a number is the code of a state.
    let known = count(&|cell| {
        if says == Says::State && cell.len() <= 2 {
            cell.parse::<u8>().is_ok()
        } else {
            says.is_public(cell).is_some()
        }
    });
    // `Public/Private`, `Show or hide?`: words say by themselves which way.
    let is_word = |cell: &str| {
        let word = words(cell);
        let lists = [&LISTS.cells.yes, &LISTS.cells.no];
        let is_answer = flag(cell).is_ok() || lists.iter().any(|list| is_in(list, word.trim()));
        !is_answer && Says::State.is_public(cell).is_some()
    };
    let word_count = count(&is_word);
    if evidence == Evidence::Unclear
        && subject == Subject::Review
        && word_count > 0
        && word_count * 2 >= all
    {
        return STATE;
    }
    // `200` is a code of HTTP.
    let is_work = |cell: &str| {
        cell.parse().is_ok_and(|code: u32| code >= 100) || is_in(&LISTS.work, words(cell).trim())
    };
    let phrase = Phrase::new(&header.words);
    let asks = header.is_question || phrase.has("ask|consent");
    // `Not at all` and `With my name` answer a question; `Public feedback` asks none.
    let is_text = subject == Subject::Answer || !asks && phrase.has("review");
    let words_min = if says == Says::State {
        4
    } else if is_text {
        3
    } else {
        5
    };
    let has_texts = table.has_sentences(column, words_min) && known * 10 < all;
    let is_column = match (says, evidence) {
        (Says::Filled, Evidence::Unclear) => all > 0 && all < table.rows.len(),
        (_, Evidence::Unclear) => {
            let is_note = all > 0 && all * 2 <= table.rows.len();
            known > 0 && known * 2 >= all || phrase.refuses() && is_note
        }
        // Of the names of those who approve, some are missing.
        (Says::Filled, _) => subject == Subject::Answer && is_sure && all > 0,
        (Says::HiddenSince, _) => is_sure,
        (Says::State, Evidence::Sure) if count(&is_work) * 2 > all => {
            // A list of work; of its words only those for a state count.
            return found(Says::Kind).filter(|_| known > 0);
        }
        // A refusal counts whatever its cells are; other such headers are those of texts, too.
        (Says::Hidden, Evidence::Sure) if subject != Subject::Answer => true,
        (_, Evidence::Sure) => !has_texts,
        (_, Evidence::Likely) if subject == Subject::Author => known > 0 && known * 2 >= all,
        (_, Evidence::Likely) if subject == Subject::Answer => known * 2 > all,
        (_, Evidence::Likely) => known > 0 && !has_texts,
    };
    found(says).filter(|_| is_column)
}

/// A column of words for the review's state.
const STATE: Option<Visibility> = Some(Visibility::new(
    Subject::Review,
    Says::State,
    Evidence::Sure,
));

/// The meaning of a column's cells: they may be yes and no instead of words for a state.
fn read_flags(table: &Table, column: usize, says: Says) -> Says {
    let is_state = matches!(says, Says::State | Says::AnswerState);
    if is_state && table.has_only_flags(column) {
        Says::Public
    } else {
        says
    }
}

/// Whether all cells that are not empty have the same sentence, as a form writes the words of a box that is ticked.
fn is_box(table: &Table, column: usize) -> bool {
    let mut cells = table.cells(column).map(|(_, cell)| cell);
    cells.next().is_some_and(|first| {
        first.split_whitespace().count() >= 3
            && Says::Public.is_public(first).is_none()
            && !Phrase::of_cell(first).refuses()
            && cells.all(|cell| cell == first)
    })
}

/// What a column shows in which yes means public because the owner says so.
pub fn by_owner(table: &Table, column: usize, header: &Header) -> Says {
    let says = match find(header, &Places::default()) {
        None => Says::State,
        Some(found) if found.evidence == Evidence::Unclear && found.says == Says::Hidden => {
            Says::Public
        }
        Some(found) => found.says,
    };
    // The words of the question, or the same ones in several cells.
    let mut cells = table.cells(column);
    let is_own = cells.next().is_some_and(|(_, cell)| header.is(cell)) || cells.next().is_some();
    if is_own && matches!(says, Says::State | Says::Public) && is_box(table, column) {
        Says::Filled
    } else {
        read_flags(table, column, says)
    }
}

/// Whether a header asks for publication, whatever its cells are.
pub fn is_question(header: &Header) -> bool {
    find(header, &Places::default()).is_some_and(|found| {
        found.subject == Subject::Review && matches!(found.says, Says::Public | Says::Hidden)
    })
}

/// Whether a column is one of states by its cells, whatever its header: most are words for a state, and one surely hides. If the
/// header does not end with a word for a state, others must publish, and half of the rows have one. Under a header such as
/// `Type`, both kinds are enough. A cell such as `Do not publish` counts in any column.
pub fn by_cells(table: &Table, column: usize, header: &Header) -> Option<Visibility> {
    // Objects in the review have states of their own.
    if header.path.contains('.')
        || is_of_answer(&header.path)
        || Phrase::new(&header.words).has("other")
    {
        return None;
    }
    let counts = table.few_cells(column).unwrap_or_default();
    let mut known = [0, 0];
    let mut is_sure = false;
    for (cell, count) in &counts {
        let word = words(cell);
        let may_be_state = cell.len() > 2 && !is_in(&LISTS.cells.channels, word.trim());
        if let Some(is_public) = Says::State.is_public(cell).filter(|_| may_be_state) {
            known[usize::from(is_public)] += count;
            let is_word = Phrase::of_cell(cell).has("publish|hidden");
            is_sure |= is_word || is_in(&LISTS.cells.drafts, word.trim());
        }
    }
    let [hidden, public] = known;
    let all: usize = counts.values().sum();
    let is_most = (hidden + public) * 2 > all;
    let has_both = hidden > 0 && public > 0;
    let last = header.words.last();
    let is_state = last.is_some_and(|word| role(word) == "state");
    let is_group = is_in(&LISTS.groups, &header.words.join(" "));
    let is_filled = all * 2 >= table.rows.len();
    let is_column =
        is_sure && hidden > 0 && (is_state || has_both && is_filled) || is_group && has_both;
    if is_most && is_column {
        return STATE;
    }
    let kind = Visibility::new(Subject::Review, Says::Kind, Evidence::Sure);
    refuses_publication(table, column).then_some(kind)
}

/// Maximum length in bytes of a note such as `Do not publish on the website`.
const NOTE_BYTES_MAX: usize = 40;

/// Whether a cell is nothing but a refusal of publication.
fn refuses_publication(table: &Table, column: usize) -> bool {
    let is_note = |cell: &&str| cell.len() <= NOTE_BYTES_MAX && cell.contains(' ');
    let notes = table.cells(column).map(|(_, cell)| cell).filter(is_note);
    notes.collect::<BTreeSet<_>>().into_iter().any(|note| {
        let phrase = Phrase::of_cell(note);
        phrase.has("publish") && phrase.refuses() && phrase.sense() == Some(false)
    })
}

/// Whether the members of an answer let it be public; known words only.
pub fn is_public_answer(value: &Value, path: &str) -> bool {
    let is_public = |(name, value): (&String, &Value)| {
        let path = format!("{path}.{name}");
        let found = find(&Header::new(&path), &Places::default()).zip(plain(value));
        let is_hidden = found.is_some_and(|(found, text)| {
            found.subject == Subject::Answer && found.says.is_public(&text) == Some(false)
        });
        !is_hidden && (!value.is_object() || is_public_answer(value, &path))
    };
    value.as_object().into_iter().flatten().all(is_public)
}

/// The text of a plain value that is not blank.
fn plain(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

impl Says {
    /// The words of an answer's state are others.
    fn of(self, subject: Subject) -> Self {
        match (self, subject) {
            (Self::State, Subject::Answer) => Self::AnswerState,
            (says, _) => says,
        }
    }

    /// `None` if the value is unknown.
    pub fn is_public(self, text: &str) -> Option<bool> {
        self.is_public_word(text).or_else(|| {
            // `Yes, with my first name`, `No – keep it private`, `Yes please`.
            let marks = [',', ';', ':', '.', '!', '(', '–', '—'];
            let (first, rest) = text.split_once(marks).or_else(|| {
                let (first, rest) = text.trim().split_once(' ')?;
                let word = words(first);
                (self == Self::Public && is_in(&LISTS.cells.begins, word.trim()))
                    .then_some((first, rest))
            })?;
            let is_public = self.is_public_word(first);
            // `Yes, but not the photo`; a name may stay away alone.
            let rest = Phrase::of_cell(rest);
            let is_open = rest.refuses()
                || is_public == Some(true) && (rest.hides() || rest.has("condition|only|time"));
            is_public.filter(|_| !first.trim().is_empty() && (!is_open || rest.is_about_name()))
        })
    }

    fn is_public_word(self, text: &str) -> Option<bool> {
        let word = words(text);
        let word = word.trim();
        let cells = &LISTS.cells;
        let (is_yes, is_no) = (is_in(&cells.yes, word), is_in(&cells.no, word));
        let has_flags = matches!(
            self,
            Self::State | Self::AnswerState | Self::Public | Self::Hidden
        );
        if has_flags && (is_yes || is_no) {
            return Some(is_yes == (self != Self::Hidden));
        }
        match self {
            Self::NoneOf(list) => {
                Some(names(list).any(|word| word.eq_ignore_ascii_case(text.trim())))
            }
            // A time at which something was hidden; none is written in many ways.
            Self::HiddenSince => {
                Some(is_empty(text, false) || matches!(word, "" | "0" | "false" | "no"))
            }
            Self::Filled if text.trim().is_empty() => Some(false),
            Self::Filled => (!Phrase::of_cell(text).refuses()).then_some(true),
            _ if is_in(&cells.public, word) => Some(true),
            _ if begins_with(&cells.hidden, word) => Some(false),
            Self::AnswerState if is_in(&cells.unanswered, word) => Some(false),
            Self::AnswerState if is_in(&cells.answered, word) => Some(true),
            // In a column in which yes means public, an empty value means hidden.
            Self::Public if text.trim().is_empty() => Some(false),
            Self::Kind => Some(
                self.is_public_phrase(text)
                    .unwrap_or(!is_in(&LISTS.private_kinds, word)),
            ),
            Self::State | Self::AnswerState => self.is_public_phrase(text),
            Self::Public | Self::Hidden => flag(text).ok().map_or_else(
                || self.is_public_phrase(text),
                |is_yes| Some(is_yes == (self == Self::Public)),
            ),
        }
    }

    /// Whether words such as `Not published` or `Hidden by a moderator` mean public; `None` if there are others. Words of consent
    /// count only in a column in which yes means public, and how to name the author in one of yes and no.
    fn is_public_phrase(self, text: &str) -> Option<bool> {
        let phrase = Phrase::of_cell(text);
        if phrase.has("unknown|other|time") {
            return None;
        }
        if phrase.has("name|anonymous") {
            let is_flag = matches!(self, Self::Public | Self::Hidden);
            let is_clear = phrase.is_about_name() && phrase.0.first() != Some(&"no");
            return (is_flag && is_clear).then_some(self == Self::Public);
        }
        let is_consent = self == Self::Public && phrase.has("consent|use");
        let is_state =
            is_consent || phrase.hides() || phrase.has("publish|public|common_public|moderated");
        phrase.sense().filter(|_| is_state)
    }
}

/// Whether the first words of a cell are one of these: `en attente de validation`.
fn begins_with(list: Names, cell: &str) -> bool {
    names(list).any(|words| {
        let rest = cell.strip_prefix(words);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// How much of an author's name a source shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameShown {
    Nothing,
    /// `Jane D.`
    Short,
    Whole,
}

/// How the author is named by an answer such as `Yes, but anonymously` or `First name only`, or by the header that it stands under.
pub fn name_shown(text: &str) -> NameShown {
    if flag(text).is_ok() {
        return NameShown::Whole;
    }
    let phrase = Phrase::of_cell(text);
    let words = words(text);
    let is_without = phrase.refuses() || phrase.has("condition");
    if phrase.has("anonymous") || phrase.has("name") && is_without {
        NameShown::Nothing
    } else if names(&LISTS.short).any(|short| words.contains(&format!(" {short} "))) {
        NameShown::Short
    } else {
        NameShown::Whole
    }
}

/// The error of a value that does not say whether its subject is public; `ignore` are the options that ignore its column.
pub fn unknown(value: &str, subject: Subject, ignore: &str) -> String {
    let name = match subject {
        Subject::Review => "review",
        Subject::Answer => "answer",
        Subject::Author => "author's name",
    };
    format!(
        "{value} does not say whether the {name} is public at its source; write published or withheld there, or, if it means \
         something else, ignore that column with {ignore}"
    )
}

#[cfg(test)]
mod tests {
    use super::{Header, LISTS, Places, Subject, Visibility};

    fn find(name: &str, answers: &[&str], reviews: &[&str]) -> Option<Visibility> {
        let places = Places {
            answers: answers.iter().map(|name| Header::new(name)).collect(),
            reviews: reviews.iter().map(|path| (*path).to_owned()).collect(),
        };
        super::find(&Header::new(name), &places)
    }

    #[test]
    fn every_fact_of_a_rule_is_a_role_or_follows_from_roles() {
        let derived = "unknown|shows|hides|open|refuses|refusal|of_answer|timed|by";
        for rules in [&LISTS.review_rules, &LISTS.name_rules] {
            let lists = [&rules.never, &rules.columns, &rules.sure];
            let says = rules.says.iter().map(|rule| &rule.when);
            let facts = lists.into_iter().flatten().chain(says);
            for fact in facts.flat_map(|when| when.split([' ', '|', '!'])) {
                let is_known = derived.split('|').any(|known| known == fact);
                let is_role = LISTS.words.contains_key(fact);
                assert!(fact.is_empty() || is_known || is_role, "{fact}");
            }
        }
    }

    #[test]
    fn visibility_columns_are_found_by_name_and_parsed_by_value() {
        for (name, value, is_public) in [
            ("state", "published", Some(true)),
            ("State", "Unpublished", Some(false)),
            ("Review Status", "Pending review", Some(false)),
            ("state", "AZ", None),
            ("status", "1", None),
            ("comment_approved", "1", Some(true)),
            ("comment_approved", "0", Some(false)),
            ("comment_approved", "post-trashed", Some(false)),
            ("isPublished", "no", Some(false)),
            ("published", "2026-10-01", None),
            ("visible", "", Some(false)),
            ("hidden", "yes", Some(false)),
            ("is_hidden", "false", Some(true)),
            ("deleted_at", "2026-10-01", Some(false)),
            ("deleted_at", "", Some(true)),
            ("Veröffentlicht", "nein", Some(false)),
            ("Statut", "Masqué", Some(false)),
            ("Ukryta", "tak", Some(false)),
            ("Estado", "Publicada", Some(true)),
            ("curated", "spam", Some(false)),
            ("Review Published", "no", Some(false)),
            ("displayOnSite", "false", Some(false)),
            ("is_visible_on_website", "1", Some(true)),
            ("Approved for publishing", "no", Some(false)),
            ("Can we share this on our website?", "No", Some(false)),
            ("Not public", "yes", Some(false)),
            ("Do not publish", "no", Some(true)),
            ("isReviewHidden", "true", Some(false)),
            ("marked_as_spam", "yes", Some(false)),
            ("Nicht öffentlich", "ja", Some(false)),
            ("Freigabe", "nein", Some(false)),
            ("hidden_from_site_on", "2026-10-01", Some(false)),
        ] {
            let found = find(name, &["reply"], &[]).unwrap();
            assert_eq!(
                (found.subject, found.says.is_public(value)),
                (Subject::Review, is_public),
                "{name}: {value}"
            );
        }
        for name in [
            "text",
            "états",
            "customer_status_of_the_year",
            "",
            "verified",
            "author.status",
            "order status",
            "private notes",
            "reply_date",
        ] {
            assert_eq!(find(name, &["reply"], &[]), None, "{name}");
        }
    }

    #[test]
    fn phrases_about_the_review_differ_from_those_about_the_work() {
        let find = |name| find(name, &["reply"], &[]);
        for name in [
            "Make public",
            "Visible to customers",
            "Visible to the public",
            "GDPR consent to publish",
            "Customer agrees to publish",
            "I agree that my review may be published",
            "Darf veröffentlicht werden",
            "Consent to publication",
            "Publishing allowed",
            "Accepted for publication",
            "Listed",
            "Posted",
            "Released",
            "is_moderated",
            "Publish online",
            "Share publicly",
            "Approved by moderator",
            "May we publish your review?",
            "Use on website",
            "Post to website",
            "Can we post this online?",
            "Can we feature this on our site?",
            "Would you like us to publish it?",
            "Happy for us to share?",
            "Do you want your review to be public?",
            "Can we share your comments?",
            "May we quote you?",
        ] {
            let found = find(name).map(|found| (found.subject, found.says.is_public("no")));
            assert_eq!(found, Some((Subject::Review, Some(false))), "{name}");
        }
        for name in [
            "Removed by author",
            "Hidden by owner",
            "Deleted by user",
            "Review removed by Google",
            "Blocked by moderation",
            "Gelöscht vom Kunden",
            "Keep private",
            "Please keep this private",
            "Customer wants to stay private",
            "Excluded",
            "Exclude from website",
            "hasBeenRemoved",
            "Hidden since",
            "Date hidden",
            "deleted_time",
            "Deletion date",
            "Unpublished date",
            "Gelöscht am",
            "Internal only",
            "Do not share",
            "Not for publication",
        ] {
            let found = find(name).map(|found| (found.subject, found.says.is_public("yes")));
            assert_eq!(found, Some((Subject::Review, Some(false))), "{name}");
        }
        for name in [
            "Was the trash removed?",
            "Trash removed",
            "Debris removed by crew",
            "Deleted by",
            "Posted by",
            "Listed on",
            "Is your home listed?",
            "Sign posted",
            "Excluded from warranty",
            "Feedback status",
            "Flagged for review",
            "Private site",
            "Public site",
            "Was a permit displayed?",
            "No show",
            "Approved by customer",
            "Approved by insurance",
            "Quote accepted",
            "Accepted",
            "GDPR consent",
            "I agree to the terms",
            "May we contact you?",
            "Do you use our website?",
            "Would use again",
            "Live in",
            "Date",
            "Review date",
            "Customer active",
            "Invoice sent",
            "Sent",
        ] {
            assert_eq!(find(name), None, "{name}");
        }
    }

    #[test]
    fn a_kind_hides_only_if_it_is_private() {
        for (name, reviews, subject) in [
            ("type", &[""][..], Subject::Review),
            ("review.audience", &["review"], Subject::Review),
            ("reply.kind", &[""], Subject::Answer),
            ("Reply type", &[], Subject::Answer),
        ] {
            let found = find(name, &["reply.text"], reviews).unwrap();
            let values = ["private", "internal", "comment", "GOOGLE"];
            assert_eq!(
                (
                    found.subject,
                    values.map(|value| found.says.is_public(value))
                ),
                (subject, [Some(false), Some(false), Some(true), Some(true)]),
                "{name}"
            );
        }
        // The kind of a customer in a table.
        assert_eq!(find("Type", &["reply"], &[]), None);
    }

    #[test]
    fn a_column_about_the_answer_does_not_hide_the_review() {
        for (name, answer, value) in [
            ("reply_public", "reply", "no"),
            ("Reply status", "reply", "draft"),
            ("reply.isPrivate", "reply.body", "true"),
            ("comment.public", "comment.content", "false"),
            ("comment_status", "comment_content", "pending"),
            (
                "reviewReply.reviewReplyState",
                "reviewReply.comment",
                "REJECTED",
            ),
            ("reviewReplyState", "reviewReply.comment", "PENDING"),
            ("is_reply_public", "reply", "0"),
            ("owner_response_visibility", "owner_response", "private"),
            ("Company Response Status", "Company Response", "Unpublished"),
            ("responses[].hidden", "responses[].body", "true"),
            ("reply.type", "reply.text", "private"),
            ("replies[].private", "replies[].comments", "1"),
            ("thread[].internal", "thread[].note", "true"),
            ("reply.is_internal", "reply.text", "true"),
            ("Antwortstatus", "Antwort", "Entwurf"),
            ("reply.deleted_at", "reply.text", "2026-10-01"),
            ("Reply sent", "reply", "no"),
            ("reply.state.name", "reply.text", "draft"),
            ("replies[].meta.private", "replies[].text", "true"),
            ("reply_meta.public", "reply", "false"),
            ("replyStatus.name", "reply", "draft"),
            ("Reply posted", "reply", "no"),
            ("Response sent", "response", "no"),
            ("Reply deleted by owner", "reply", "yes"),
        ] {
            let found = find(name, &[answer], &[]).unwrap();
            assert_eq!(
                (found.subject, found.says.is_public(value)),
                (Subject::Answer, Some(false)),
                "{name}"
            );
        }
        // The review is an object of its own.
        for (name, value) in [
            ("review.reply_private", "true"),
            ("review.replyPublic", "false"),
            ("review.response_status", "draft"),
        ] {
            let found = find(name, &["review.reply"], &["review"]).unwrap();
            assert_eq!(
                (found.subject, found.says.is_public(value)),
                (Subject::Answer, Some(false)),
                "{name}"
            );
        }
        for name in ["flags.hidden", "meta.state.name", "moderation.status"] {
            let found = find(name, &["reply"], &[""]).map(|found| found.subject);
            assert_eq!(found, Some(Subject::Review), "{name}");
        }
        assert_eq!(find("status.id", &["reply"], &[""]), None);
        assert_eq!(
            find("comment_approved", &[], &[]).map(|found| found.subject),
            Some(Subject::Review)
        );
        assert_eq!(
            find("review.status", &["reply"], &["review"]).map(|found| found.subject),
            Some(Subject::Review)
        );
    }
}
