//! Whether a review, its answer or its author's name is public at its source, by columns that no platform's entry names.
//! What is hidden there is never published, so unknown words are refused.
//!
//! A header is read as a bag of words, each with one role in `visibility.toml` (`docs/IMPORT.md` has the rule). Only what is sure
//! is decided; for a header of publication whose yes may mean either, the file is refused, and the owner says which.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::imports::map::table::Table;
use crate::imports::map::values::{Says, flag, is_in, names, shown, words};
use crate::imports::report::FieldError;

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
        match self {
            Self::Review => "status",
            Self::Answer => "response.status",
            Self::Author => "author.status",
        }
    }

    /// The same of a column in which yes means hidden.
    pub const fn hidden_field(self) -> &'static str {
        match self {
            Self::Review => "hidden",
            Self::Answer => "response.hidden",
            Self::Author => "author.hidden",
        }
    }
}

/// The file `visibility.toml`. Lists of words are separated by `, `.
static LISTS: LazyLock<Lists> =
    LazyLock::new(|| match toml::from_str(include_str!("visibility.toml")) {
        Ok(lists) => lists,
        // A test reads the file.
        Err(error) => unreachable!("visibility.toml: {error}"),
    });

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    answers: String,
    owners: String,
    parts: String,
    kinds: String,
    private_kinds: String,
    containers: String,
    not_values: String,
    groups: String,
    choices: String,
    nothing: String,
    ends: String,
    time_ends: String,
    short: String,
    times: String,
    states: String,
    places: String,
    work: String,
    cells: Cells,
    words: BTreeMap<Word, String>,
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
    drafts: String,
    answered: String,
    unanswered: String,
}

/// The role of a word in `visibility.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Publish,
    Public,
    Hidden,
    CommonPublic,
    CommonHidden,
    Sent,
    State,
    Not,
    No,
    Refuse,
    Condition,
    Consent,
    Ask,
    Use,
    Used,
    Place,
    Medium,
    Review,
    Anonymous,
    Name,
    Only,
    Time,
    Other,
    Person,
    Neutral,
    Article,
    /// The end of a part of a text.
    #[serde(skip)]
    Mark,
    #[serde(skip)]
    Unknown,
}

/// The roles of whole words and phrases, and of their beginnings.
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
    if word == "," {
        return Word::Mark;
    }
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Word::Neutral;
    }
    let mut ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
    let known = whole
        .get(word)
        .or_else(|| ends.find_map(|end| beginnings.get(&word[..end])));
    known.copied().unwrap_or(Word::Unknown)
}

/// Choices in a header, as words with blanks around them.
static CHOICES: LazyLock<Vec<String>> =
    LazyLock::new(|| names(&LISTS.choices).map(words).collect());

/// The words of a name or a cell, without accents: `isReviewHidden` and `Is review hidden?` have the same ones. A comma stands for
/// any mark between them. A choice such as `(yes/no)` is left out.
fn name_words(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    // `[required]`, but not `replies[]`
    let name = name.replace(" [", " (");
    for part in name.split([',', ';', ':', '(', ')', '!', '?', '–', '—']) {
        let mut spaced = String::new();
        let mut is_lower = false;
        for letter in part.chars() {
            if is_lower && letter.is_uppercase() {
                spaced.push(' ');
            }
            is_lower = letter.is_lowercase();
            match letter {
                '/' => spaced.push_str(" or "),
                letter => spaced.push(letter),
            }
        }
        let mut part = words(&spaced);
        for choice in CHOICES.iter() {
            part = part.replace(choice, " ");
        }
        if !part.trim().is_empty() {
            parts.push(part);
        }
    }
    let all = parts.join(",").replace(',', " , ");
    all.split_whitespace().map(str::to_owned).collect()
}

/// The words of a header or a cell by their roles.
struct Phrase(Vec<Word>);

impl Phrase {
    fn new(name: &[String]) -> Self {
        let is_article = |word: &&String| role(word) == Word::Article;
        let name: Vec<&str> = name
            .iter()
            .filter(|word| !is_article(word))
            .map(String::as_str)
            .collect();
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
        Self::new(&name_words(text))
    }

    fn has(&self, any: &[Word]) -> bool {
        self.0.iter().any(|word| any.contains(word))
    }

    fn hides(&self) -> bool {
        self.has(&[Word::Hidden, Word::CommonHidden])
    }

    fn refuses(&self) -> bool {
        self.has(&[Word::Not, Word::No, Word::Refuse])
    }

    /// Whether it speaks of the author's name, and not of the review.
    fn is_about_name(&self) -> bool {
        self.has(&[Word::Anonymous, Word::Name]) && !self.has(&[Word::Review])
    }

    /// Whether yes means public; `None` if it may mean either.
    fn sense(&self) -> Option<bool> {
        let refusals = self
            .0
            .iter()
            .filter(|word| matches!(word, Word::Not | Word::No | Word::Refuse));
        let is_open = self.has(&[Word::Unknown, Word::Condition, Word::Mark]);
        // `May we use your comments anonymously?` asks for two things, and `Publicar no site` is Portuguese.
        let is_open = is_open || self.has(&[Word::Anonymous]) && self.has(&[Word::Review]);
        let is_open = is_open || self.0.iter().skip(1).any(|word| *word == Word::No);
        let is_shown = self.has(&[Word::Publish, Word::Public, Word::Consent, Word::Use]);
        match (refusals.count(), self.hides()) {
            _ if is_open => None,
            (0, false) => Some(true),
            // `Keep private`, but not `Consent to delete`.
            (0, true) if !is_shown => Some(false),
            // `Do not publish`, but not `Would you mind if we publish it?`
            (1, false) if !self.has(&[Word::Ask]) => Some(false),
            _ => None,
        }
    }
}

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visibility {
    pub subject: Subject,
    pub says: Says,
    pub evidence: Evidence,
}

/// How sure a column's name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Unknown cells are errors.
    Sure,
    /// Its words are used for other things, too, so a cell must be known.
    Likely,
    /// Yes may mean public or hidden: the owner has to say which.
    Unclear,
}

/// What a name of these words shows.
fn meaning(name: &[String], subject: Subject) -> Option<Visibility> {
    let letters = name.concat();
    let found = |subject, says, evidence| {
        Some(Visibility {
            subject,
            says,
            evidence,
        })
    };
    let state = match subject {
        Subject::Answer => Says::AnswerState,
        Subject::Review | Subject::Author => Says::State,
    };
    if is_in(&LISTS.times, &letters) {
        return found(subject, Says::HiddenSince, Evidence::Sure);
    }
    // An answer has no place.
    if is_in(&LISTS.states, &letters)
        || subject == Subject::Answer && is_in(&LISTS.places, &letters)
    {
        return found(subject, state, Evidence::Sure);
    }
    if is_in(&LISTS.places, &letters) {
        return found(subject, state, Evidence::Likely);
    }
    let phrase = Phrase::new(name);
    if phrase.has(&[Word::Mark]) {
        let parts: Vec<_> = name
            .split(|word| word == ",")
            .filter_map(|part| meaning(part, subject))
            .collect();
        let has_question = parts
            .iter()
            .any(|part| part.says == Says::Public && part.evidence != Evidence::Unclear);
        // `E-mail (will not be published)`
        let is_other = phrase.has(&[Word::Other]) && !has_question;
        let part = parts.first().filter(|_| !is_other);
        return part.map(|part| Visibility {
            evidence: Evidence::Unclear,
            ..*part
        });
    }
    let last = name.last()?;
    if is_in(&LISTS.nothing, &letters) || is_in(&LISTS.ends, last) {
        return None;
    }
    if subject == Subject::Review && phrase.is_about_name() {
        return of_name(&phrase);
    }
    let is_whole = !phrase.has(&[Word::Unknown]);
    let is_publish = phrase.has(&[Word::Publish]);
    let is_review = phrase.has(&[Word::Review]);
    let is_consent = phrase.has(&[Word::Consent]);
    let is_ask = is_consent || phrase.has(&[Word::Ask]);
    let is_strong = phrase.has(&[Word::Public, Word::Hidden]);
    let is_common = phrase.has(&[Word::CommonPublic, Word::CommonHidden]);
    let is_state = phrase.has(&[Word::State]);
    let is_use = phrase.has(&[Word::Use]);
    if phrase.has(&[Word::Other]) {
        // `May we publish your review with a photo?`, `OK to publish without photo`
        let is_open = is_review || phrase.refuses() || phrase.has(&[Word::Condition]);
        let unclear = found(subject, Says::Public, Evidence::Unclear);
        return unclear.filter(|_| is_publish && is_open);
    }
    if (is_common || is_state) && phrase.has(&[Word::Person]) && !is_ask {
        return None;
    }
    // `Opted out`
    let is_plain = |word: &Word| matches!(word, Word::Refuse | Word::Neutral | Word::Person);
    let is_refusal = phrase.has(&[Word::Refuse]) && phrase.0.iter().all(is_plain);
    let is_root = is_publish || is_strong || is_common || is_state;
    let is_open = is_ask || phrase.refuses() || !is_review;
    let is_column = if subject == Subject::Answer {
        is_whole && (is_root || phrase.has(&[Word::Sent]))
    } else if is_whole {
        is_root
            || is_consent
            || (is_use || phrase.has(&[Word::Place])) && is_open
            || phrase.has(&[Word::Used]) && (is_ask || phrase.refuses())
            || is_refusal
    } else {
        // `Can we show the review to others?` may ask for it.
        let shows = is_strong || is_use || phrase.has(&[Word::CommonHidden, Word::Used]);
        is_publish || shows && (is_ask || is_review || phrase.has(&[Word::Place]))
    };
    if !is_column {
        return None;
    }
    let is_time = phrase.has(&[Word::Time]) || is_in(&LISTS.time_ends, last);
    let sense = phrase.sense();
    let is_clear = sense == Some(false)
        || is_publish
        || is_strong && !phrase.has(&[Word::Medium])
        || is_use && is_ask && is_review;
    let evidence = if is_clear {
        Evidence::Sure
    } else {
        Evidence::Likely
    };
    match (is_time, sense) {
        (_, Some(true)) if is_state && !is_strong && !is_common => found(subject, state, evidence),
        _ if is_refusal => found(subject, Says::Hidden, Evidence::Unclear),
        (_, None) => found(subject, Says::Public, Evidence::Unclear),
        (true, Some(true)) if is_publish || is_strong || is_consent => {
            found(subject, Says::Filled, evidence)
        }
        // `Posted on` is the review's date.
        (true, Some(true)) => None,
        (true, Some(false)) if is_strong => found(subject, Says::HiddenSince, Evidence::Sure),
        (true, Some(false)) => found(subject, Says::HiddenSince, Evidence::Likely),
        (false, Some(true)) => found(subject, Says::Public, evidence),
        (false, Some(false)) => found(subject, Says::Hidden, evidence),
    }
}

/// What a name shows that is about the author's: `Anonymous`, `Show my name`, `First name only`.
fn of_name(phrase: &Phrase) -> Option<Visibility> {
    let is_anonymous = phrase.has(&[Word::Anonymous]);
    let asks = [
        Word::Public,
        Word::Use,
        Word::Only,
        Word::Ask,
        Word::Consent,
    ];
    let has_request = phrase.has(&asks) || phrase.has(&[Word::Condition]);
    let is_sure = is_anonymous || phrase.has(&[Word::Publish]);
    let is_whole = !phrase.has(&[Word::Unknown]);
    let is_question = phrase.refuses() || phrase.hides() || has_request;
    if phrase.has(&[Word::Other]) || !(is_sure || is_whole && is_question) {
        return None;
    }
    let is_hidden = is_anonymous || phrase.hides() || phrase.has(&[Word::Only]);
    let (says, evidence) = match phrase.sense() {
        _ if is_hidden && phrase.refuses() => (Says::Public, Evidence::Unclear),
        Some(true) if !is_hidden => (Says::Public, Evidence::Likely),
        Some(true | false) if is_anonymous => (Says::Hidden, Evidence::Sure),
        Some(true | false) => (Says::Hidden, Evidence::Likely),
        None if is_whole && phrase.hides() && !phrase.has(&[Word::Condition]) => {
            (Says::Hidden, Evidence::Likely)
        }
        None => (Says::Public, Evidence::Unclear),
    };
    Some(Visibility {
        subject: Subject::Author,
        says,
        evidence,
    })
}

/// What a column shows. `answers` are the columns of the answer's text, and `reviews` are the objects that hold the rating or the
/// text, of which the row itself has an empty path; all as paths. A table has no objects.
pub fn find(column: &str, answers: &[&str], reviews: &[&str]) -> Option<Visibility> {
    // The object around the review is the place.
    if column.starts_with("^.") {
        return None;
    }
    let question = without_number(column);
    if question != column {
        return find(question, answers, reviews);
    }
    // A header of several words is no path.
    if column.contains(". ") {
        return find(&column.replace(". ", ", "), answers, reviews);
    }
    if column.contains(' ') && column.contains('.') {
        return find(&column.replace('.', " "), answers, reviews);
    }
    // `reply.meta.private` is `reply.private`.
    let parts = column
        .split('.')
        .filter(|part| !is_in(&LISTS.containers, part.trim_end_matches("[]")));
    let path = parts.collect::<Vec<_>>().join(".");
    if path != column && !path.is_empty() {
        return find(&path, answers, reviews);
    }
    let column_words = name_words(column);
    // `comment_status` is about the answer in `comment_content`.
    let beside_answer = answers.iter().find_map(|answer| {
        let mut answer_words = name_words(answer);
        let around = answer.rsplit_once('.').map(|(around, _)| around);
        let is_of_review = around.is_some_and(|around| reviews.contains(&around));
        if answer_words.len() > 1 && !is_of_review {
            answer_words.pop_if(|word| is_in(&LISTS.parts, singular(word)));
        }
        let is_own = |word: &String| role(word) != Word::Review || word.starts_with("comment");
        let rest = column_words.strip_prefix(answer_words.as_slice())?;
        // `Review Status` beside `Review Text` is the review's.
        answer_words.iter().any(is_own).then_some(())?;
        meaning(rest, Subject::Answer)
    });
    if beside_answer.is_some() {
        return beside_answer;
    }
    let (outer, inner) = column.rsplit_once('.').unwrap_or(("", column));
    let of_review =
        |name: &[String]| meaning(name, Subject::Review).or_else(|| kind_of(name, Subject::Review));
    if outer.is_empty() {
        let says = if reviews.contains(&outer) {
            of_review(&column_words)
        } else {
            meaning(&column_words, Subject::Review)
        };
        // `OK to publish reply?`, but not `May we publish your response?`
        let is_yours = column_words.iter().any(|word| word == "your");
        let is_clear = says.is_some_and(|found| found.evidence != Evidence::Unclear || is_yours);
        return says
            .filter(|_| is_clear)
            .or_else(|| of_answer_name(&column_words))
            .or(says);
    }
    let inner = name_words(inner);
    let last = name_words(outer.rsplit('.').next().unwrap_or_default());
    let is_beside = answers.iter().any(|answer| {
        let around = answer.rsplit_once('.');
        around.is_some_and(|(around, _)| around == outer)
    });
    let is_around = |word: &String| is_owner(word) || is_in(&LISTS.containers, word);
    if without_answer(&last).is_some_and(|rest| rest.iter().all(is_around))
        || is_beside && !reviews.contains(&outer)
    {
        return of_answer(&inner);
    }
    if reviews.contains(&outer) {
        return of_review(&inner).or_else(|| of_answer_name(&inner));
    }
    // `status.name` is a word of `status`, and `status.id` is none.
    if inner
        .last()
        .is_none_or(|word| is_in(&LISTS.not_values, word))
    {
        return None;
    }
    let found = find(outer, answers, reviews).filter(|found| found.says != Says::Kind)?;
    if matches!(found.says, Says::State | Says::AnswerState) {
        // `moderation.flagged` is a flag of its own.
        let flag = meaning(&inner, found.subject).filter(|flag| flag.says == Says::Hidden);
        return Some(flag.unwrap_or(found));
    }
    // `consent.publish`, but not `consent.marketing`.
    meaning(&[last, inner].concat(), found.subject)
}

/// A header without the number before a question and the marks after it: `4. May we publish it?`, `Q4) Do not publish.`
fn without_number(header: &str) -> &str {
    let header = header
        .trim()
        .trim_end_matches(['.', '?', '!', '*', ':', ' ']);
    let (number, rest) = header.split_once(' ').unwrap_or(("", header));
    let is_number = number.len() <= 5
        && number.ends_with(['.', ')', ':'])
        && (number.len() == 2 || number.contains(|c: char| c.is_ascii_digit()));
    if is_number || number.parse::<f64>().is_ok() {
        rest.trim_start()
    } else {
        header
    }
}

/// Whether a column has the name of an answer or is inside one.
pub fn is_of_answer(column: &str) -> bool {
    let mut parts = column.split('.');
    parts.any(|part| without_answer(&name_words(part)).is_some())
}

/// By a name with a word for the answer: `reply_public`, `owner_response_status`, `is_reply_public`, `hide_reply`,
/// `Antwortstatus`.
fn of_answer_name(name: &[String]) -> Option<Visibility> {
    let mut rest = without_answer(name)?;
    of_answer(&rest).or_else(|| {
        rest.retain(|word| !is_owner(word));
        of_answer(&rest)
    })
}

/// What the name of an answer's member or column shows, without the words for the answer.
fn of_answer(name: &[String]) -> Option<Visibility> {
    meaning(name, Subject::Answer).or_else(|| kind_of(name, Subject::Answer))
}

/// A member that may call its object private.
fn kind_of(name: &[String], subject: Subject) -> Option<Visibility> {
    let [word] = name else {
        return None;
    };
    is_in(&LISTS.kinds, word).then_some(Visibility {
        subject,
        says: Says::Kind,
        evidence: Evidence::Sure,
    })
}

fn singular(word: &str) -> &str {
    match word.strip_suffix("ies") {
        // `replies`
        Some("repl") => "reply",
        _ => word.strip_suffix('s').unwrap_or(word),
    }
}

/// The words of a name besides that of an answer; `None` if it names none.
fn without_answer(name: &[String]) -> Option<Vec<String>> {
    let answer = name.iter().find_map(|word| {
        let mut answers = names(&LISTS.answers);
        answers.find(|answer| singular(word) == *answer || word.starts_with(answer))
    })?;
    let others = name
        .iter()
        .filter_map(|word| match word.strip_prefix(answer) {
            Some("" | "s") => None,
            Some(rest) => Some(rest.to_owned()),
            None => (singular(word) != answer).then(|| word.clone()),
        });
    Some(others.collect())
}

fn is_owner(word: &str) -> bool {
    is_in(&LISTS.owners, word)
}

// What the cells of a column say.

/// What a column shows by its name, if its cells bear it out.
pub fn by_name(
    table: &Table,
    column: usize,
    answers: &[&str],
    reviews: &[&str],
) -> Option<Visibility> {
    let found = find(&table.columns[column], answers, reviews)?;
    confirm(table, column, found)
}

/// The meaning of a column's cells: they may be yes and no instead of words for a state.
pub fn read_cells(table: &Table, column: usize, says: Says) -> Says {
    let is_state = matches!(says, Says::State | Says::AnswerState);
    if is_state && table.has_only_flags(column) {
        Says::Public
    } else {
        says
    }
}

/// Whether a header asks for publication, whatever its cells are.
pub fn is_question(header: &str) -> bool {
    let found = find(header, &[], &[]).filter(|found| found.subject == Subject::Review);
    found.is_some_and(|found| matches!(found.says, Says::Public | Says::Hidden))
}

fn confirm(table: &Table, column: usize, found: Visibility) -> Option<Visibility> {
    let says = read_cells(table, column, found.says);
    let evidence = found.evidence;
    let is_sure = evidence == Evidence::Sure;
    let cells = || table.cells(column).map(|(_, cell)| cell);
    let count = |is_so: &dyn Fn(&str) -> bool| cells().filter(|cell| is_so(cell)).count();
    let all = cells().count();
    let subject = found.subject;
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
    // A form writes the words of a box that is ticked.
    let is_box = |text: &str| {
        text.split_whitespace().count() >= 3
            && says.is_public(text).is_none()
            && !Phrase::of_cell(text).refuses()
            && cells().all(|cell| cell == text)
    };
    if says == Says::Public && evidence != Evidence::Unclear && cells().next().is_some_and(is_box) {
        return found(Says::Filled);
    }
    // `OK` is Oklahoma, too.
    let is_long = |cell: &str| says != Says::State || cell.len() > 2;
    let known = count(&|cell| is_long(cell) && says.is_public(cell).is_some());
    // `200` is a code of HTTP.
    let is_work = |cell: &str| {
        cell.parse().is_ok_and(|code: u32| code >= 100) || is_in(&LISTS.work, words(cell).trim())
    };
    // `Public/Private`, `Show or hide?`: words say by themselves which way.
    let is_word = |cell: &str| {
        let word = words(cell);
        let is_answer = [&LISTS.cells.yes, &LISTS.cells.no]
            .iter()
            .any(|list| is_in(list, word.trim()));
        flag(cell).is_err() && !is_answer && Says::State.is_public(cell).is_some()
    };
    let word_count = count(&is_word);
    if evidence == Evidence::Unclear
        && subject == Subject::Review
        && word_count > 0
        && word_count * 2 >= all
    {
        return Some(Visibility {
            subject,
            says: Says::State,
            evidence: Evidence::Sure,
        });
    }
    // `Not at all` and `With my name` answer a question.
    let words_min = if subject == Subject::Answer { 3 } else { 5 };
    let has_texts = table.has_sentences(column, words_min) && known * 10 < all;
    let is_column = match (says, evidence) {
        (_, Evidence::Unclear) => {
            let header = Phrase::of_cell(&table.columns[column]);
            let is_note = all > 0 && all * 2 <= table.rows.len();
            known > 0 && known * 2 >= all || header.refuses() && is_note
        }
        (Says::Filled, _) => false,
        (Says::HiddenSince, _) => is_sure,
        (Says::State, Evidence::Sure) => known > 0 || count(&is_work) * 2 <= all,
        // A refusal counts whatever its cells are; other such headers are those of texts, too.
        (Says::Hidden, Evidence::Sure) if subject != Subject::Answer => true,
        (_, Evidence::Sure) => !has_texts,
        (_, Evidence::Likely) if subject == Subject::Author => known > 0 && known * 2 >= all,
        (_, Evidence::Likely) => known > 0 && !has_texts,
    };
    found(says).filter(|_| is_column)
}

/// Whether a column is one of states by its cells, whatever its header: most are words for a state, and one surely hides. If the
/// header does not end with a word for a state, others must publish, and half of the rows have one. Under a header such as
/// `Type`, both kinds are enough.
pub fn by_cells(table: &Table, column: usize) -> Option<Visibility> {
    let header = &table.columns[column];
    let name = name_words(header);
    // Objects in the review have states of their own.
    if header.contains('.') || is_of_answer(header) || Phrase::new(&name).has(&[Word::Other]) {
        return None;
    }
    let counts = table.few_cells(column)?;
    let mut known = [0, 0];
    let mut is_sure = false;
    for (cell, count) in &counts {
        let is_public = Says::State.is_public(cell).filter(|_| cell.len() > 2);
        if let Some(is_public) = is_public {
            known[usize::from(is_public)] += count;
            let is_word = Phrase::of_cell(cell).has(&[Word::Publish, Word::Hidden]);
            is_sure |= is_word || is_in(&LISTS.cells.drafts, words(cell).trim());
        }
    }
    let [hidden, public] = known;
    let all: usize = counts.values().sum();
    let is_most = (hidden + public) * 2 > all;
    let has_both = hidden > 0 && public > 0;
    let is_state = name.last().is_some_and(|word| role(word) == Word::State);
    let is_group = is_in(&LISTS.groups, &name.join(" "));
    let is_filled = all * 2 >= table.rows.len();
    let is_column =
        is_sure && hidden > 0 && (is_state || has_both && is_filled) || is_group && has_both;
    (is_most && is_column).then_some(Visibility {
        subject: Subject::Review,
        says: Says::State,
        evidence: Evidence::Sure,
    })
}

/// Whether the members of an answer let it be public; known words only.
pub fn is_public_answer(value: &Value, path: &str) -> bool {
    let is_public = |(name, value): (&String, &Value)| {
        let path = format!("{path}.{name}");
        let found = find(&path, &[], &[]).zip(plain(value));
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
                || is_public == Some(true)
                    && (rest.hides() || rest.has(&[Word::Condition, Word::Only, Word::Time]));
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
            Self::HiddenSince => Some(matches!(word, "" | "0" | "false" | "no")),
            Self::Filled if text.trim().is_empty() => Some(false),
            Self::Filled => (!Phrase::of_cell(text).refuses()).then_some(true),
            _ if is_in(&cells.public, word) => Some(true),
            _ if is_in(&cells.hidden, word) => Some(false),
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
        if phrase.has(&[Word::Unknown, Word::Other, Word::Time]) {
            return None;
        }
        if phrase.has(&[Word::Name, Word::Anonymous]) {
            let is_flag = matches!(self, Self::Public | Self::Hidden);
            let is_clear = phrase.is_about_name() && phrase.0.first() != Some(&Word::No);
            return (is_flag && is_clear).then_some(self == Self::Public);
        }
        let shown = [Word::Publish, Word::Public, Word::CommonPublic];
        let is_consent = self == Self::Public && phrase.has(&[Word::Consent, Word::Use]);
        let is_state = phrase.hides() || phrase.has(&shown) || is_consent;
        phrase.sense().filter(|_| is_state)
    }
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
    let is_without = phrase.refuses() || phrase.has(&[Word::Condition]);
    if phrase.has(&[Word::Anonymous]) || phrase.has(&[Word::Name]) && is_without {
        NameShown::Nothing
    } else if names(&LISTS.short).any(|short| words.contains(&format!(" {short} "))) {
        NameShown::Short
    } else {
        NameShown::Whole
    }
}

/// The error of a value that does not say whether its subject is public; `others` are the options that keep the other columns.
pub fn unknown(value: &str, subject: Subject, others: &[String]) -> String {
    let (name, field) = match subject {
        Subject::Review => ("review", subject.field()),
        Subject::Answer => ("answer", subject.field()),
        Subject::Author => ("author's name", subject.field()),
    };
    let ignore = if others.is_empty() {
        format!("--map {field}=")
    } else {
        let kept: Vec<String> = others
            .iter()
            .map(|other| format!("--map {field}={other}"))
            .collect();
        format!(
            "{} (--map {field}= would ignore {}, too)",
            kept.join(" "),
            others.join(" and ")
        )
    };
    format!(
        "{value} does not say whether the {name} is public at its source; write published or withheld there, or ignore that \
         column with {ignore}"
    )
}

/// Whether the members of a native record let its review or answer be public; `None` if no member says.
pub fn is_public_record(
    record: &Value,
    subject: Subject,
    is_taken: impl Fn(&str) -> bool,
) -> Result<Option<bool>, FieldError> {
    let inner = record
        .get("response")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (format!("response.{name}"), value));
    let outer = record
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), value));
    let mut public = None;
    for (name, value) in outer.chain(inner).filter(|(name, _)| !is_taken(name)) {
        let found = find(&name, &["response.text"], &[""]);
        let Some(found) = found.filter(|found| found.subject == subject) else {
            continue;
        };
        let is_sure = found.evidence == Evidence::Sure && found.says != Says::Kind;
        let text = plain(value);
        match text.as_ref().map(|text| found.says.is_public(text)) {
            Some(Some(true)) if found.says == Says::Kind => {}
            Some(Some(_)) if found.evidence == Evidence::Unclear => {
                return Err(FieldError::new(name, unknown(&shown(value), subject, &[])));
            }
            Some(Some(is_public)) => public = Some(is_public && public.unwrap_or(true)),
            Some(None) if is_sure => {
                return Err(FieldError::new(name, unknown(&shown(value), subject, &[])));
            }
            None if is_sure && (value.is_array() || value.is_object()) => {
                return Err(FieldError::new(name, unknown(&shown(value), subject, &[])));
            }
            Some(None) | None => {}
        }
    }
    Ok(public)
}

#[cfg(test)]
mod tests {
    use super::{Subject, find};

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
