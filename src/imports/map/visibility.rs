//! Whether a review or its answer is public at its source, by columns that no platform's entry names. The column's name
//! identifies them, and the words in them decide. What is hidden at the source is never published, so unknown words are
//! refused.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::imports::map::values::{Names, Says, WORDS, flag, letters, names, quoted, shown, words};
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
    let letters_of = |path: &str| letters(path).collect::<String>();
    let named = |name: &str| COLUMN_NAMES.get(name).copied();
    let name = letters_of(column);
    // `comment.content` or `comment_content` is the text of the answer `comment`.
    let prefix = answer.map(|answer| {
        let answer = letters_of(answer);
        let end = names(&WORDS.parts).find_map(|part| {
            answer
                .strip_suffix(part)
                .filter(|rest| !rest.is_empty())
                .map(str::len)
        });
        answer[..end.unwrap_or(answer.len())].to_owned()
    });
    let of_answer = |prefix: &str| name.strip_prefix(prefix).and_then(named);
    if let Some(says) = prefix.as_deref().and_then(of_answer) {
        return Some((Subject::Answer, says));
    }
    if let Some((outer, inner)) = column.rsplit_once('.') {
        let inner = letters_of(inner);
        let last = outer.rsplit('.').next().unwrap_or_default();
        if is_answer(&letters_of(last)) || prefix.is_some_and(|prefix| prefix == letters_of(outer))
        {
            let says = named(&inner).or_else(|| {
                names(&WORDS.kinds)
                    .any(|kind| kind == inner)
                    .then_some(Says::Kind)
            });
            return says.map(|says| (Subject::Answer, says));
        }
        // `status.name` is a word of `status`.
        let says = named(&inner).filter(|_| reviews.contains(&outer));
        return says
            .or_else(|| named(&letters_of(outer)))
            .map(|says| (Subject::Review, says));
    }
    if let Some(says) = named(&name) {
        return Some((Subject::Review, says));
    }
    // `reply_public`, `owner_response_status`, `is_reply_public`, `hide_reply`.
    let mut answers: Vec<&str> = names(&WORDS.answers).collect();
    answers.sort_by_key(|answer| std::cmp::Reverse(answer.len()));
    let answer = answers.into_iter().find(|answer| name.contains(*answer))?;
    let rest = name.replacen(answer, "", 1);
    let without_owner = names(&WORDS.owners).fold(rest.as_str(), |rest, owner| {
        rest.strip_prefix(owner).unwrap_or(rest)
    });
    let says = named(&rest).or_else(|| named(without_owner));
    says.map(|says| (Subject::Answer, says))
}

/// Whether this name is that of an answer.
fn is_answer(name: &str) -> bool {
    let rest =
        names(&WORDS.owners).fold(name, |rest, owner| rest.strip_prefix(owner).unwrap_or(rest));
    names(&WORDS.answers).any(|answer| rest == answer || rest == format!("{answer}s"))
}

/// Whether a member of this name shows whether a review is public.
pub fn is_state(name: &str) -> bool {
    COLUMN_NAMES.contains_key(letters(name).collect::<String>().as_str())
}

/// Whether the members of an object let it be public; known words only.
pub fn is_public_object(value: &Value) -> bool {
    let shows = |(name, value): (&String, &Value)| {
        let name: String = letters(name).collect();
        let says = COLUMN_NAMES.get(name.as_str());
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
        let is_in = |list: Names| names(list).any(|known| known == word);
        match self {
            // A time at which something was hidden; none is written in many ways.
            Self::HiddenSince => Some(matches!(word, "" | "0" | "false" | "no")),
            _ if is_in(&WORDS.public) => Some(true),
            _ if is_in(&WORDS.hidden) => Some(false),
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
