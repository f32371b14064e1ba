//! Whether a review or its answer is public at its source, by columns that no platform's entry names. The column's name
//! identifies them, and the words in them decide. What is hidden at the source is never published, so unknown words are
//! refused.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::imports::map::values::{
    Names, Says, WORDS, flag, is_in, letters, names, quoted, shown, words,
};
use crate::imports::report::FieldError;

/// Reason for withholding a review that its source hides.
pub const NOT_PUBLISHED: &str = "not published at the source";

/// What a column of visibility is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Review,
    Answer,
}

impl Subject {
    pub const BOTH: [Self; 2] = [Self::Review, Self::Answer];

    /// The field with which `--map` names its column, or ignores all.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Review => "status",
            Self::Answer => "response.status",
        }
    }
}

static COLUMN_NAMES: LazyLock<HashMap<&str, Says>> = LazyLock::new(|| {
    let columns = WORDS.columns.iter();
    columns
        .flat_map(|(says, list)| names(list).map(move |name| (name, *says)))
        .collect()
});

/// What a column shows, and of what. `answer` is the column of the answer's text, and `reviews` are the objects that hold
/// the rating or the text; both as paths.
pub fn find(column: &str, answer: Option<&str>, reviews: &[&str]) -> Option<(Subject, Says)> {
    let column_words = name_words(column);
    // `comment_status` is about the answer in `comment_content`.
    let mut answer_words = answer.map(name_words).unwrap_or_default();
    let is_part = |word: &mut String| is_in(&WORDS.parts, singular(word));
    if answer_words.len() > 1 {
        answer_words.pop_if(is_part);
    }
    let rest = column_words.strip_prefix(answer_words.as_slice());
    if let Some(says) = rest.filter(|_| answer.is_some()).and_then(says_of) {
        return Some((Subject::Answer, says));
    }
    if let Some((outer, inner)) = column.rsplit_once('.') {
        let inner = name_words(inner);
        let last = name_words(outer.rsplit('.').next().unwrap_or_default());
        let is_beside = answer.is_some_and(|answer| {
            answer
                .rsplit_once('.')
                .is_some_and(|(of_answer, _)| of_answer == outer)
        });
        if without_answer(&last).is_some_and(|rest| rest.iter().all(|word| is_owner(word)))
            || is_beside && !reviews.contains(&outer)
        {
            return of_answer(&inner);
        }
        // `status.name` is a word of `status`.
        let says = says_of(&inner).filter(|_| reviews.contains(&outer));
        let says = says.or_else(|| says_of(&name_words(outer)));
        return says.map(|says| (Subject::Review, says));
    }
    if let Some(says) = says_of(&column_words) {
        return Some((Subject::Review, says));
    }
    // `reply_public`, `owner_response_status`, `is_reply_public`, `hide_reply`, `Antwortstatus`.
    let mut rest = without_answer(&column_words)?;
    of_answer(&rest).or_else(|| {
        rest.retain(|word| !is_owner(word));
        of_answer(&rest)
    })
}

/// What the name of an answer's member or column shows, without the words for the answer.
fn of_answer(name: &[String]) -> Option<(Subject, Says)> {
    let is_kind = matches!(name, [word] if is_in(&WORDS.kinds, word));
    let says = says_of(name).or(is_kind.then_some(Says::Kind))?;
    Some((Subject::Answer, says))
}

/// The words of a name, without accents: `isReviewHidden` and `Is review hidden?` have the same ones.
fn name_words(name: &str) -> Vec<String> {
    let mut parts = String::new();
    let mut is_lower = false;
    for letter in name.chars() {
        if is_lower && letter.is_uppercase() {
            parts.push(' ');
        }
        is_lower = letter.is_lowercase();
        parts.push(letter);
    }
    words(&parts)
        .split_whitespace()
        .map(str::to_owned)
        .collect()
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
        let mut answers = names(&WORDS.answers);
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
    is_in(&WORDS.owners, word)
}

/// The meaning of a column with a name of these words: a listed name, or a phrase around listed words that speaks of the review
/// and not of the work or the house.
fn says_of(name: &[String]) -> Option<Says> {
    if let Some(says) = COLUMN_NAMES.get(name.concat().as_str()) {
        return Some(*says);
    }
    let has = |list: Names| name.iter().any(|word| is_in(list, word));
    let (has_review, has_leave) = (has(&WORDS.about), has(&WORDS.leave));
    let (mut roots, mut is_not, mut is_weak, mut has_place) = (Vec::new(), false, false, false);
    for (at, word) in name.iter().enumerate() {
        let mut before = name[..at].iter().rev();
        let before = before.find(|word| !is_in(&WORDS.articles, word));
        let before = before.map_or("", String::as_str);
        if is_in(&WORDS.not, word) {
            is_not = !is_not;
        } else if let Some(says) = COLUMN_NAMES.get(word.as_str()) {
            roots.push(*says);
            is_weak |= is_in(&WORDS.weak, word);
        } else if is_in(&WORDS.consent, word) {
            // `Can we share this?`, but not `Do you use our website?`.
            roots.push(Says::Public);
            is_weak |= !has_leave || !has_review && !has("this, it");
        } else if is_in(&WORDS.places, word) {
            // `Shown on our site`, but not `Public site`.
            has_place = true;
            is_weak |= !is_in(&WORDS.prepositions, before);
        } else if is_in(&WORDS.about, word) {
            // `Flagged for review` is work to do.
            is_weak |= before == "for";
        } else if !is_in(&WORDS.neutral, word) && !is_in(&WORDS.prepositions, word) {
            return None;
        }
    }
    let last = *roots.last()?;
    // `In trash`, `is_internal`, but not `Live in`.
    let is_plain = || {
        let mut others = name
            .iter()
            .filter(|word| !COLUMN_NAMES.contains_key(word.as_str()));
        let ends = name
            .last()
            .is_some_and(|word| COLUMN_NAMES.contains_key(word.as_str()));
        ends && others.all(|word| is_in("is, in, on, as, marked, keep, make", word))
    };
    let is_bare = has_place || roots.len() > 1 || has("for");
    if is_weak && (is_bare || !has_review && !is_plain())
        || last == Says::State && (has_place || has("feedback"))
    {
        return None;
    }
    let says = if roots.contains(&Says::Hidden) && last != Says::State {
        Says::Hidden
    } else {
        last
    };
    let is_time = name.last().is_some_and(|word| is_in(&WORDS.times, word));
    match (says, is_not) {
        (Says::Hidden, _) if is_time && !is_weak => Some(Says::HiddenSince),
        _ if is_time => None,
        (Says::Hidden, true) => Some(Says::Public),
        (Says::Public, true) => Some(Says::Hidden),
        (says, _) => Some(says),
    }
}

/// Whether a name is one of those that always show whether a review is public, and not only a phrase about it.
pub fn is_listed(name: &str) -> bool {
    COLUMN_NAMES.contains_key(letters(name).collect::<String>().as_str())
}

/// Whether the members of an object let it be public; known words only.
pub fn is_public_object(value: &Value) -> bool {
    let shows = |(name, value): (&String, &Value)| {
        let says = says_of(&name_words(name));
        says.zip(plain(value))
            .is_none_or(|(says, text)| says.is_public(&text) != Some(false))
    };
    value.as_object().into_iter().flatten().all(shows)
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
        let word = words(text);
        let word = word.trim();
        match self {
            Self::NoneOf(list) => {
                Some(names(list).any(|word| word.eq_ignore_ascii_case(text.trim())))
            }
            // A time at which something was hidden; none is written in many ways.
            Self::HiddenSince => Some(matches!(word, "" | "0" | "false" | "no")),
            _ if is_in(&WORDS.public, word) => Some(true),
            _ if is_in(&WORDS.hidden, word) => Some(false),
            Self::Kind => Some(true),
            Self::State => None,
            // In a column in which yes means public, an empty value means hidden.
            Self::Public if word.is_empty() => Some(false),
            Self::Public => flag(text).ok(),
            Self::Hidden => flag(text).ok().map(|is_hidden| !is_hidden),
        }
    }
}

/// The error of a value that does not say whether its subject is public.
pub fn unknown(value: &str, subject: Subject) -> String {
    let (name, field) = match subject {
        Subject::Review => ("review", subject.field()),
        Subject::Answer => ("answer", subject.field()),
    };
    format!(
        "{value} does not say whether the {name} is public at its source; write published or withheld there, or ignore that \
         column with --map {field}="
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
        let says = match find(&name, Some("response.text"), &[]) {
            Some((found, says)) if found == subject => says,
            Some(_) | None => continue,
        };
        if value.is_array() || value.is_object() {
            return Err(FieldError::new(name, unknown(&shown(value), subject)));
        }
        let Some(text) = plain(value) else {
            continue;
        };
        let is_public = says.is_public(&text);
        let unknown = || FieldError::new(&name, unknown(&quoted(&text), subject));
        let is_public = is_public.ok_or_else(unknown)?;
        public = Some(is_public && public.unwrap_or(true));
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
            let (subject, says) = find(name, Some("reply"), &[]).unwrap();
            assert_eq!(
                (subject, says.is_public(value)),
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
            "published by",
            "Published on",
            "display_name",
            "order status",
            "private notes",
            "share",
            "reply_date",
        ] {
            assert_eq!(find(name, Some("reply"), &[]), None, "{name}");
        }
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
        ] {
            let (subject, says) = find(name, Some(answer), &[]).unwrap();
            assert_eq!(
                (subject, says.is_public(value)),
                (Subject::Answer, Some(false)),
                "{name}"
            );
        }
        assert_eq!(
            find("comment_approved", None, &[]).map(|found| found.0),
            Some(Subject::Review)
        );
        assert_eq!(
            find("review.status", Some("reply"), &["review"]).map(|found| found.0),
            Some(Subject::Review)
        );
    }
}
