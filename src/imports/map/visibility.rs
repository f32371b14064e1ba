//! Whether a review or its answer is public at its source, by columns that no platform's entry names. The column's name
//! identifies them, and the words in them decide. What is hidden at the source is never published, so unknown words are
//! refused.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::imports::map::values::{Names, Says, WORDS, flag, is_in, names, shown, words};
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

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visibility {
    pub subject: Subject,
    pub says: Says,
    pub evidence: Evidence,
}

/// How a column's name shows that it is one of visibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It is a known name.
    Name,
    /// By its wording. If its cells are sentences, it is another column.
    Wording,
    /// By words that are used for other things too, so that all cells must have known values.
    CommonWords,
}

/// What a column shows. `answers` are the columns of the answer's text, and `reviews` are the objects that hold the rating or the
/// text, of which the row itself has an empty path; all as paths. A table has no objects.
pub fn find(column: &str, answers: &[&str], reviews: &[&str]) -> Option<Visibility> {
    // `reply.meta.private` is `reply.private`.
    let parts = column.split('.');
    let parts = parts.filter(|part| !is_in(&WORDS.containers, part.trim_end_matches("[]")));
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
            answer_words.pop_if(|word| is_in(&WORDS.parts, singular(word)));
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
    let is_around = |word: &String| is_owner(word) || is_in(&WORDS.containers, word);
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
        .is_none_or(|word| is_in(&WORDS.not_values, word))
    {
        return None;
    }
    find(outer, answers, reviews).filter(|found| found.says != Says::Kind)
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
    is_in(&WORDS.kinds, word).then_some(Visibility {
        subject,
        says: Says::Kind,
        evidence: Evidence::Wording,
    })
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

/// The meaning of a column with a name of these words: a listed name, or a phrase that speaks of the subject and not of the work or
/// the house.
fn says_of(name: &[String], subject: Subject) -> Option<Visibility> {
    let (says, evidence) = match COLUMN_NAMES.get(name.concat().as_str()) {
        Some(says) => (*says, Evidence::Name),
        None if is_of_privacy(name) => (Says::State, Evidence::CommonWords),
        None => Phrase::read(name, subject)?.meaning()?,
    };
    Some(Visibility {
        subject,
        says,
        evidence,
    })
}

/// `Public/Private`, `Privacy`, `Review type`.
fn is_of_privacy(name: &[String]) -> bool {
    let has = |list: Names| name.iter().any(|word| is_in(list, word));
    let is_one = has("privacy, access") || has("public") && has("private");
    let is_kind = name.len() > 1 && has(&WORDS.kinds);
    (is_one || is_kind) && name.iter().all(|word| is_in(&WORDS.privacy, word))
}

/// A name of several words, such as `Is this review hidden from the site?`.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
struct Phrase<'n> {
    name: &'n [String],
    /// The meanings of the words that say something.
    roots: Vec<Says>,
    is_not: bool,
    /// Whether one of them means the work or the house as often.
    is_weak: bool,
    is_common: bool,
    /// Whether a page or site is named.
    has_place: bool,
    /// Whether it says who did it.
    has_doer: bool,
}

impl<'n> Phrase<'n> {
    /// `None` if a word speaks of something else.
    fn read(name: &'n [String], subject: Subject) -> Option<Self> {
        let mut phrase = Self {
            name,
            roots: Vec::new(),
            is_not: false,
            is_weak: false,
            is_common: false,
            has_place: false,
            has_doer: false,
        };
        let is_other = is_in(&WORDS.phrases.other, &name.join(" "));
        let is_read = |at: usize| phrase.read_word(at, subject).is_some();
        (!is_other && (0..name.len()).all(is_read)).then_some(phrase)
    }

    fn has(&self, list: Names) -> bool {
        self.name.iter().any(|word| is_in(list, word))
    }

    fn read_word(&mut self, at: usize, subject: Subject) -> Option<()> {
        let (lists, word) = (&WORDS.phrases, self.name[at].as_str());
        let mut before = self.name[..at].iter().rev();
        let before = before.find(|word| !is_in(&lists.articles, word));
        let before = before.map_or("", String::as_str);
        let is_after_preposition = is_in(&lists.prepositions, before);
        let common = [
            (&lists.public, Says::Public),
            (&lists.hidden, Says::Hidden),
            (&lists.answer, Says::Public),
        ];
        let mut common = common.into_iter().filter(|(list, _)| is_in(list, word));
        self.is_weak |= is_in(&lists.weak, word);
        if is_in(&lists.not, word) {
            self.is_not = !self.is_not;
        } else if is_in(&lists.people, word) && is_after_preposition {
            // `Visible to the public`, `Removed by author`.
            self.has_doer |= is_in(&lists.by, before);
        } else if is_in(&lists.moderators, word) && is_in(&lists.by, before) {
            self.has_doer = true;
        } else if let Some(says) = COLUMN_NAMES.get(word) {
            self.roots.push(*says);
        } else if let Some((list, says)) = common.next()
            && (subject == Subject::Answer || *list != lists.answer)
        {
            self.roots.push(says);
            self.is_common = true;
        } else if is_in(&lists.publication, word) {
            // `Consent to publication`, but not `Publication`.
            if self.has(&lists.leave) || self.has(&lists.not) || before == "for" {
                self.roots.push(Says::Public);
            }
        } else if is_in(&lists.consent, word) {
            // `Can we share this?`, but not `Do you use our website?`.
            let has_review = self.has(&lists.about);
            let mut pairs = self.name.iter().zip(self.name.iter().skip(1));
            let is_shown = pairs.any(|(before, place)| {
                is_in(&lists.prepositions, before) && is_in(&lists.places, place)
            });
            let is_about_review =
                has_review || self.has("this, it") || self.has("us, you") && word != "use";
            let is_question = self.has(&lists.leave) && is_about_review
                || self.has("publicly")
                || is_shown
                || self.is_not && self.name.len() <= 3;
            if !is_question && !has_review {
                return None;
            }
            self.roots.push(Says::Public);
            self.is_weak |= !is_question;
        } else if is_in(&lists.places, word) {
            // `Shown on our site`, but not `Public site`.
            self.has_place = true;
            self.is_weak |= !is_after_preposition;
        } else if is_in(&lists.about, word) {
            // `Flagged for review` is work to do.
            self.is_weak |= before == "for";
        } else {
            let mut known = vec![
                &lists.leave,
                &lists.keep,
                &lists.prepositions,
                &lists.ends,
                &lists.times,
                &lists.neutral,
            ];
            if self.has(&lists.leave) {
                known.push(&lists.people);
            }
            return known
                .into_iter()
                .any(|list| is_in(list, word))
                .then_some(());
        }
        Some(())
    }

    fn meaning(&self) -> Option<(Says, Evidence)> {
        let lists = &WORDS.phrases;
        let last = *self.roots.last()?;
        let has_review = self.has(&lists.about);
        let is_bare = self.has_place || self.roots.len() > 1 || self.has("for");
        let is_sure = has_review || self.has_doer || self.has(&lists.keep) || self.is_plain();
        if self.is_weak && (is_bare || !is_sure)
            || last == Says::State && (self.has_place || self.has("feedback"))
        {
            return None;
        }
        let says = if self.roots.contains(&Says::Hidden) && last != Says::State {
            Says::Hidden
        } else {
            last
        };
        let is_end = self
            .name
            .last()
            .is_some_and(|word| is_in(&lists.ends, word))
            || self.has(&lists.times);
        let is_by = self.name.last().is_some_and(|word| is_in(&lists.by, word));
        // `Approved by the customer` is an offer.
        let is_offer = self.has_doer && !self.has(&lists.moderators);
        let says = match (says, self.is_not) {
            _ if is_by => return None,
            (Says::Hidden, _) if is_end => (!self.is_weak).then_some(Says::HiddenSince)?,
            _ if is_end => return None,
            (Says::Hidden, true) => Says::Public,
            (Says::Public, _) if is_offer => return None,
            (Says::Public, true) => Says::Hidden,
            (says, _) => says,
        };
        let evidence = if self.is_common || self.has_doer {
            Evidence::CommonWords
        } else {
            Evidence::Wording
        };
        Some((says, evidence))
    }

    /// `In trash`, `is_internal`, but not `Live in`.
    fn is_plain(&self) -> bool {
        let mut words = self.name.iter().filter(|word| word.as_str() != "only");
        let is_around =
            |word: &&String| is_in("is, was, has, been, in, on, as, marked, please", word);
        !words.next_back().is_some_and(|word| is_around(&word)) && {
            let others = words.filter(|word| !is_around(word));
            others.count() == 0
        }
    }
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
            // `Yes, with my first name`, `No – keep it private`.
            let (first, _) = text.split_once([',', ';', ':', '.', '(', '–', '—'])?;
            self.is_public_word(first)
                .filter(|_| !first.trim().is_empty())
        })
    }

    fn is_public_word(self, text: &str) -> Option<bool> {
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
            Self::Kind => Some(!is_in(&WORDS.private_kinds, word)),
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
        let found = find(&name, &["response.text"], &[""]);
        let Some(found) = found.filter(|found| found.subject == subject) else {
            continue;
        };
        let is_sure = found.evidence != Evidence::CommonWords && found.says != Says::Kind;
        let text = plain(value);
        match text.as_ref().map(|text| found.says.is_public(text)) {
            Some(Some(true)) if found.says == Says::Kind => {}
            Some(Some(is_public)) => public = Some(is_public && public.unwrap_or(true)),
            Some(None) if is_sure => {
                return Err(FieldError::new(name, unknown(&shown(value), subject)));
            }
            None if is_sure && (value.is_array() || value.is_object()) => {
                return Err(FieldError::new(name, unknown(&shown(value), subject)));
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
            "published by",
            "Published on",
            "display_name",
            "order status",
            "private notes",
            "share",
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
            "Removed on",
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
            "Publication",
            "Publishing",
            "Publié le",
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
