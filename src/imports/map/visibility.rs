//! Whether a review or its answer is public at its source, by columns that no platform's entry names. The column's name
//! identifies them, and the words in them decide. What is hidden at the source is never published, so unknown words are
//! refused.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::imports::map::phrases::{self, Lexicon, Phrase, name_words};
use crate::imports::map::values::{Names, Says, flag, is_in, names, shown, words};
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
}

/// The file `visibility.toml`. Lists of words are separated by `, `.
pub static LISTS: LazyLock<Lists> =
    LazyLock::new(|| match toml::from_str(include_str!("visibility.toml")) {
        Ok(lists) => lists,
        // A test reads the file.
        Err(error) => unreachable!("visibility.toml: {error}"),
    });

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lists {
    answers: String,
    owners: String,
    parts: String,
    kinds: String,
    private_kinds: String,
    containers: String,
    not_values: String,
    groups: String,
    things: String,
    privacy: String,
    pub choices: String,
    pub not_phrases: String,
    times: String,
    states: String,
    common_states: String,
    places: String,
    work: String,
    cells: Cells,
    pub words: Lexicon,
}

/// Words for a state in cells.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cells {
    public: String,
    hidden: String,
    drafts: String,
    answered: String,
    unanswered: String,
    yes: String,
    no: String,
    begins: String,
}

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visibility {
    pub subject: Subject,
    pub says: Says,
    pub evidence: Evidence,
}

/// How sure a column's name is: what its cells must be besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It is a name of visibility: nothing.
    Name,
    /// By its wording. If its cells are sentences, it is another column.
    Wording,
    /// It asks whether the review may be published. If its cells are sentences, a tenth must be known.
    Consent,
    /// By some of its words: a quarter of the cells must be known.
    Question,
    /// By words that are used for other things too: most cells must be known, and at least one.
    MostCells,
    /// It is one of visibility or of a place: at least one cell must be known.
    AnyCell,
    /// It is one of visibility or of a list of work: at least one cell must be known, or most are no words for work.
    NoWork,
}

impl Visibility {
    /// Whether the cells of a column bear out its name.
    pub fn is_borne_out<'c>(
        &self,
        cells: impl Iterator<Item = &'c str>,
        has_sentences: bool,
    ) -> bool {
        let (mut all, mut known, mut work) = (0_usize, 0_usize, 0_usize);
        for cell in cells {
            all += 1;
            // `200` is a code of HTTP.
            let is_code = cell.trim().parse().is_ok_and(|code: u32| code >= 100);
            work += usize::from(is_code || is_in(&LISTS.work, words(cell).trim()));
            // `OK` is Oklahoma, too.
            let is_long = self.says != Says::State || cell.trim().len() > 2;
            known += usize::from(is_long && self.says.is_public(cell).is_some());
        }
        match (self.evidence, self.subject) {
            (Evidence::Name, Subject::Review) => true,
            (Evidence::Name | Evidence::Wording | Evidence::Consent, _) => {
                !has_sentences || known * 10 >= all
            }
            (Evidence::Question, _) => known * 4 >= all,
            (Evidence::MostCells, _) => known > 0 && known * 2 >= all,
            (Evidence::AnyCell, _) => known > 0,
            (Evidence::NoWork, _) => known > 0 || work * 2 < all,
        }
    }
}

/// What a column shows. `answers` are the columns of the answer's text, and `reviews` are the objects that hold the rating or the
/// text, of which the row itself has an empty path; all as paths. A table has no objects.
pub fn find(column: &str, answers: &[&str], reviews: &[&str]) -> Option<Visibility> {
    // The object around the review is the place.
    if column.starts_with("^.") {
        return None;
    }
    // `reply.meta.private` is `reply.private`.
    let parts = column.split('.');
    let parts = parts.filter(|part| !is_in(&LISTS.containers, part.trim_end_matches("[]")));
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
        let rest = column_words.strip_prefix(answer_words.as_slice())?;
        says_of(rest, Subject::Answer)
    });
    if beside_answer.is_some() {
        return beside_answer;
    }
    let (outer, inner) = column.rsplit_once('.').unwrap_or(("", column));
    let of_review =
        |name: &[String]| says_of(name, Subject::Review).or_else(|| kind_of(name, Subject::Review));
    if outer.is_empty() {
        let says = if reviews.contains(&outer) {
            of_review(&column_words)
        } else {
            says_of(&column_words, Subject::Review)
        };
        return says.or_else(|| of_answer_name(&column_words));
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
    // `moderation.flagged` is a flag of its own.
    let flag = says_of(&inner, found.subject).filter(|flag| flag.says == Says::Hidden);
    Some(flag.unwrap_or(found))
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
    says_of(name, Subject::Answer).or_else(|| kind_of(name, Subject::Answer))
}

/// A member that may call its object private.
fn kind_of(name: &[String], subject: Subject) -> Option<Visibility> {
    let [word] = name else {
        return None;
    };
    is_in(&LISTS.kinds, word).then_some(Visibility {
        subject,
        says: Says::Kind,
        evidence: Evidence::Wording,
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

/// The meaning of a column with a name of these words: a listed name, or a phrase that speaks of the subject and not of the
/// work or the house.
fn says_of(name: &[String], subject: Subject) -> Option<Visibility> {
    let letters = name.concat();
    let (says, evidence) = if is_in(&LISTS.times, &letters) {
        (Says::HiddenSince, Evidence::Name)
    } else if is_in(&LISTS.states, &letters) {
        (Says::State, Evidence::Name)
    } else if is_in(&LISTS.places, &letters) {
        (Says::State, Evidence::AnyCell)
    } else if is_in(&LISTS.common_states, &letters) {
        (Says::State, Evidence::NoWork)
    } else if is_of_privacy(name) {
        (Says::State, Evidence::MostCells)
    } else {
        let phrase = Phrase::new(name, subject, without_answer(name).is_some());
        let (says, evidence) = phrase.meaning()?;
        if subject == Subject::Review && phrase.is_about_name() {
            return Some(Visibility {
                subject: Subject::Author,
                says,
                evidence: Evidence::MostCells,
            });
        }
        (says, evidence)
    };
    let (says, evidence) = match (says, evidence, subject) {
        // An answer has neither a place nor work to do.
        (Says::State, Evidence::AnyCell | Evidence::NoWork, Subject::Answer) => {
            (Says::AnswerState, Evidence::Name)
        }
        (Says::State, _, Subject::Answer) => (Says::AnswerState, evidence),
        _ => (says, evidence),
    };
    Some(Visibility {
        subject,
        says,
        evidence,
    })
}

/// Whether a column of a table of `rows` is one of states by its cells, whatever its header: all are words for a state, and one
/// surely hides. Under a header that does not end with a word for a state, others must publish, and half of the rows have one.
/// Under a header such as `Type`, both kinds are enough.
pub fn is_state_by_cells<'c>(
    header: &str,
    rows: usize,
    cells: impl Iterator<Item = &'c str>,
) -> bool {
    let name = name_words(header);
    let is_thing = |word: &String| is_in(&LISTS.things, singular(word));
    // The rows of a list in the review are other people's.
    if header.contains("[]") || name.iter().any(is_thing) {
        return false;
    }
    let is_state = name.last().is_some_and(|word| phrases::is_state(word));
    let is_group = is_in(&LISTS.groups, &name.join(" "));
    let (mut filled, mut is_sure, mut has) = (0_usize, false, [false, false]);
    for cell in cells {
        let Some(is_public) = Says::State
            .is_public(cell)
            .filter(|_| cell.trim().len() > 2)
        else {
            return false;
        };
        filled += 1;
        has[usize::from(is_public)] = true;
        let word = words(cell);
        is_sure |= phrases::has_sure_word(cell) || is_in(&LISTS.cells.drafts, word.trim());
    }
    let has_both = has == [true, true];
    let is_mostly_filled = filled * 2 >= rows;
    is_sure && has[0] && (is_state || has_both && is_mostly_filled) || is_group && has_both
}

/// `Public/Private`, `Privacy`, `Review type`.
fn is_of_privacy(name: &[String]) -> bool {
    let has = |list: Names| name.iter().any(|word| is_in(list, word));
    let is_one = has("privacy") || has("public") && has("private");
    let is_kind = name.len() > 1 && has(&LISTS.kinds);
    (is_one || is_kind) && name.iter().all(|word| is_in(&LISTS.privacy, word))
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
            // `Yes, but not my name`.
            let is_restricted = is_public == Some(true) && phrases::has_not(rest);
            is_public.filter(|_| !first.trim().is_empty() && !is_restricted)
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
            Self::Filled => (!phrases::has_not(text)).then_some(true),
            _ if is_in(&cells.public, word) => Some(true),
            _ if is_in(&cells.hidden, word) => Some(false),
            Self::AnswerState if is_in(&cells.unanswered, word) => Some(false),
            Self::AnswerState if is_in(&cells.answered, word) => Some(true),
            // In a column in which yes means public, an empty value means hidden.
            Self::Public if word.is_empty() && text.trim().is_empty() => Some(false),
            Self::Kind => Some(
                phrases::is_public_cell(text, self).unwrap_or(!is_in(&LISTS.private_kinds, word)),
            ),
            Self::State | Self::AnswerState => phrases::is_public_cell(text, self),
            Self::Public | Self::Hidden => flag(text).ok().map_or_else(
                || phrases::is_public_cell(text, self),
                |is_yes| Some(is_yes == (self == Self::Public)),
            ),
        }
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
    let inner = record.get("response").and_then(Value::as_object);
    let inner = inner.into_iter().flatten();
    let inner = inner.map(|(name, value)| (format!("response.{name}"), value));
    let outer = record.as_object().into_iter().flatten();
    let outer = outer.map(|(name, value)| (name.clone(), value));
    let mut public = None;
    for (name, value) in outer.chain(inner).filter(|(name, _)| !is_taken(name)) {
        let found = find(&name, &["response.text"], &[""]);
        let Some(found) = found.filter(|found| found.subject == subject) else {
            continue;
        };
        let is_sure = matches!(found.evidence, Evidence::Name | Evidence::Wording)
            && found.says != Says::Kind;
        let text = plain(value);
        match text.as_ref().map(|text| found.says.is_public(text)) {
            Some(Some(true)) if found.says == Says::Kind => {}
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
