//! The fields of a review in files: the members of our own form, the fields that a column may fill, and the exact names of these
//! (`names.toml`), by which a column of any table or JSON is known without asking.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::imports::map::values::{header_key, is_empty};
use crate::model::json::join;
use crate::model::text::{quoted, url};
use crate::model::{Digests, Method, ReviewId, named, parse_toml};
use crate::owner::business::language;
use crate::owner::shape::{INSTANT, Member, NAME, NAMES, Shape, needed, optional};

named! {
    /// A field of a review that a column may fill, by its path in a native record; one that has no path there has a name
    /// of its own.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ReviewField {
        Id = "id",
        Rating = "rating",
        Date = "date",
        Author = "author",
        FirstName = "first_name",
        LastName = "last_name",
        Title = "title",
        Text = "text",
        Language = "language",
        SourceName = "source",
        Url = "source_url",
        UpdatedAt = "updated_at",
        Verified = "verified",
        Method = "verification",
        VerifiedAt = "verified_at",
        Matched = "matched",
        Technicians = "mentions.technicians",
        Services = "mentions.services",
        ServiceAreas = "mentions.service_areas",
        ReplyText = "owner_reply.text",
        ReplyDate = "owner_reply.date",
        ReplyAuthor = "owner_reply.author",
        Recommended = "recommended",
        /// Whether the author bought there.
        Buyer = "buyer",
        /// Whether the author's name is not public.
        Anonymous = "anonymous",
        /// The end of the rating's scale.
        Scale = "scale",
        /// The kind of survey that the rating answers.
        Survey = "survey",
        Reason = "withheld_reason",
    }
}

/// The members of a native record, one review as JSON, as in our own files and documents (`docs/IMPORT.md`). An exported table has a
/// column for each, by its path.
///
/// It is strict because reviews are published under the business's name: an invalid member rejects the row.
pub const RECORD: &[Member] = &[
    needed("id", Shape::Word(parsed::<ReviewId>)),
    needed("rating", Shape::Stars),
    needed("date", Shape::Day),
    needed("author", NAME),
    optional("title", Shape::Text),
    optional("text", Shape::Text),
    optional("language", Shape::Word(language)),
    optional("source", NAME),
    optional("source_url", Shape::Word(url)),
    optional("verified", Shape::Flag),
    optional(
        "verification",
        Shape::Word(|name| one_of(name, &Method::ALL.map(Method::name))),
    ),
    optional("verified_at", INSTANT),
    optional("mentions", Shape::Object(MENTIONS)),
    optional("owner_reply", Shape::Object(REPLY)),
    optional(
        "status",
        Shape::Word(|name| one_of(name, &["published", "withheld"])),
    ),
    optional("withheld_reason", NAME),
    optional("updated_at", INSTANT),
    optional("decided", NAMES),
    optional("deleted", Shape::Flag),
    optional("deleted_on", Shape::Day),
    optional("deleted_reason", NAME),
    optional("posted_at", INSTANT),
    optional("imported_from", NAME),
    optional("id_at_source", NAME),
    optional("said", Shape::Any),
    optional("digests", Shape::Word(parsed::<Digests>)),
    optional("note", NAME),
    // In the first row of a table: what imports have decided about the columns of sources.
    optional("columns", Shape::Any),
    // Marks a row of a table with escaped cells: in other tables an apostrophe is literal.
    optional("escaped", Shape::Any),
];
const MENTIONED: Shape = Shape::List(&Shape::Word(mentioned));
const MENTIONS: &[Member] = &[
    optional("technicians", MENTIONED),
    optional("services", MENTIONED),
    optional("service_areas", MENTIONED),
];
const REPLY: &[Member] = &[
    needed("text", Shape::Text),
    optional("date", Shape::Day),
    optional("author", NAME),
];

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<String, String> {
    let parsed = text.parse::<T>();
    parsed
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

fn one_of(name: &str, allowed: &[&str]) -> Result<String, String> {
    if allowed.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(format!(
        "{} is not one of {}",
        quoted(name),
        allowed.join(", ")
    ))
}

/// Mentions are read packed between control characters.
fn mentioned(name: &str) -> Result<String, String> {
    if name.contains(char::is_control) {
        return Err("has a control character; remove it".to_owned());
    }
    Ok(name.to_owned())
}

/// The columns of an export as a table: the paths of the plain members of a native record, each with what it may be.
pub static COLUMNS: LazyLock<Vec<(String, Shape)>> = LazyLock::new(|| {
    let columns = |member: &Member| {
        let Shape::Object(members) = member.shape else {
            return vec![(member.name.to_owned(), member.shape)];
        };
        let inner = members.iter();
        let inner = inner.map(|inner| (join(member.name, inner.name), inner.shape));
        inner.collect()
    };
    RECORD.iter().flat_map(columns).collect()
});

/// Whether an exported table has this column.
pub fn is_own_column(name: &str) -> bool {
    COLUMNS.iter().any(|(path, _)| path == name)
}

/// The members that native records do not have: of an object those of its own. A record with one is somebody else's, and a review that
/// it hides there would be published.
pub fn foreign_members(record: &Value) -> Vec<String> {
    let inside = |(name, value): (&String, &Value)| {
        let members = value.as_object().filter(|_| name != "said");
        let members = members.into_iter().flatten();
        let paths: Vec<String> = members
            .map(|(inner, _)| format!("{name}.{inner}"))
            .collect();
        if paths.is_empty() {
            vec![name.clone()]
        } else {
            paths
        }
    };
    let paths = record.as_object().into_iter().flatten().flat_map(inside);
    paths.filter(|path| !is_known(path)).collect()
}

/// Whether a native record may have a member with this path.
fn is_known(path: &str) -> bool {
    let is_member = || RECORD.iter().any(|member| member.name == path);
    is_own_column(path) || matches!(path, "url" | "business" | "editorial") || is_member()
}

impl ReviewField {
    /// The fields that `--map` may fill.
    pub fn mapped() -> impl Iterator<Item = Self> {
        let all = Self::ALL.into_iter();
        all.filter(|field| is_own_column(field.name()))
    }

    /// The field's name for the owner, in `--map` and in messages.
    pub fn label(self) -> &'static str {
        #[expect(clippy::wildcard_enum_match_arm, reason = "most go by their own names")]
        match self {
            Self::FirstName | Self::LastName => Self::Author.label(),
            Self::Recommended => Self::Rating.label(),
            Self::ReplyText => "reply",
            Self::ReplyDate => "reply_date",
            Self::ReplyAuthor => "reply_author",
            Self::Url => "url",
            Self::Method | Self::Matched | Self::Buyer => "method",
            other => other.name().rsplit('.').next().unwrap_or_default(),
        }
    }

    /// What joins the cells of two columns that fill it; `None` for a field of one column.
    pub const fn separator(self) -> Option<&'static str> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "most have one column")]
        match self {
            Self::Author | Self::ReplyAuthor => Some(" "),
            Self::Title | Self::Text | Self::ReplyText => Some("\n\n"),
            Self::Technicians | Self::Services | Self::ServiceAreas => Some(";"),
            _ => None,
        }
    }
}

/// What `--map` says: a field, and the column that fills it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    pub field: ReviewField,
    /// Empty if the source has no such field.
    pub column: String,
}

impl FromStr for Mapping {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, column) = text
            .split_once('=')
            .ok_or("write it as FIELD=COLUMN, for example text=Review")?;
        let mut known = ReviewField::mapped();
        let field = known.find(|field| [field.label(), field.name()].contains(&name));
        let field = field.ok_or_else(|| {
            let known: Vec<&str> = ReviewField::mapped().map(ReviewField::label).collect();
            let known = known.join(", ");
            format!(
                "`{name}` is not a field of a review; use one of {known}; whether a review may be published is said by --public"
            )
        })?;
        let is_empty = column.is_empty();
        if is_empty && matches!(field, ReviewField::Rating | ReviewField::Date) {
            return Err(format!(
                "without {name} there is no review; name the column, as {name}=COLUMN"
            ));
        }
        if is_empty && field == ReviewField::Text {
            return Err("pass --no-text for a table without texts".to_owned());
        }
        let column = column.to_owned();
        Ok(Self { field, column })
    }
}

/// The file `names.toml`.
static NAMED_FIELDS: LazyLock<HashMap<String, ReviewField>> = LazyLock::new(|| {
    let lists: BTreeMap<ReviewField, String> = parse_toml(include_str!("names.toml"));
    let key = |(field, list): (ReviewField, String)| {
        let keys: Vec<_> = list
            .split(", ")
            .map(|name| (header_key(name), field))
            .collect();
        keys
    };
    lists.into_iter().flat_map(key).collect()
});

/// The field of which a header is an exact name. The number of a question, marks at the end, and brackets at the end that hold words or
/// `1-5` do not count.
pub fn named_field(header: &str) -> Option<ReviewField> {
    let marks = ['.', '?', '!', '*', ':', ' '];
    let mut name = header.trim().trim_end_matches(marks);
    let number = name.split_once(' ').filter(|(number, _)| {
        let digits = number
            .trim_start_matches(['Q', 'q'])
            .strip_suffix(['.', ')', ':']);
        digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
    });
    name = number.map_or(name, |(_, rest)| rest.trim_start());
    let whole = NAMED_FIELDS.get(&header_key(name));
    let within = || {
        let (before, inside) = name.strip_suffix([')', ']'])?.rsplit_once(['(', '['])?;
        let is_scale = ["1-5", "1 - 5", "1–5"].contains(&inside.trim());
        let has_digit = inside.contains(|c: char| c.is_ascii_digit());
        (is_scale || !has_digit)
            .then(|| NAMED_FIELDS.get(&header_key(before.trim_end_matches(marks))))?
    };
    whole.or_else(within).copied()
}

// Whether a review, its answer or its author's name is public at its source: only with a value that the platform's file or the owner
// names.

/// What a column says of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublicSubject {
    Review,
    Answer,
    /// The name of the author.
    Name,
}

impl PublicSubject {
    pub const ALL: [Self; 3] = [Self::Review, Self::Answer, Self::Name];

    /// The field of its column in `source_column`.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Review => "public",
            Self::Answer => "public answer",
            Self::Name => "public name",
        }
    }

    pub const fn option(self) -> &'static str {
        match self {
            Self::Review => "--public",
            Self::Answer => "--public-answer",
            Self::Name => "--public-name",
        }
    }

    /// What may be published.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Review => "a review",
            Self::Answer => "your answer",
            Self::Name => "the author's name",
        }
    }

    /// The subject of a field in `source_column`.
    pub fn of_field(field: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.field() == field)
    }
}

/// A column, or several by the same rule, with the values that publish.
#[derive(Debug, Clone)]
pub struct PublicIf {
    pub columns: Vec<usize>,
    /// The columns of members of an object, or of a list of objects, where a plain value is meant: a row that has one is not public.
    pub inside: Vec<usize>,
    /// The columns of the objects whose members its columns are: a row without the object lacks none of them.
    pub around: Vec<usize>,
    /// `""` is an empty cell, `*` any other.
    pub values: Vec<String>,
    /// The values that the owner saw beside them; empty for a platform's.
    pub others: Vec<String>,
    /// The reason for withholding the review.
    pub reason: &'static str,
    /// Whether the platform's file names it.
    pub is_platform: bool,
    /// Whether nothing is public without it: of a platform's columns those that its files always have.
    pub is_required: bool,
}

impl PublicIf {
    /// Whether the cells of its columns in a row are values that publish.
    pub fn publishes(&self, cells: &[Option<&str>]) -> bool {
        let mut cells: Vec<&str> = cells.iter().map(|cell| cell.unwrap_or_default()).collect();
        if self.is_platform {
            // Its columns are different names of one.
            cells.retain(|cell| !is_empty(cell, false));
        }
        if cells.is_empty() {
            cells.push("");
        }
        cells.iter().all(|cell| is_one_of(&self.values, cell))
    }

    /// Whether a value was not there when the owner named those that publish.
    pub fn is_new(&self, value: &str) -> bool {
        let is_known = is_one_of(&self.values, value) || is_one_of(&self.others, value);
        !self.is_platform && !is_known
    }
}

/// Whether a cell is one of these values, but for case and blanks around it.
pub fn is_one_of<V: AsRef<str>>(values: &[V], cell: &str) -> bool {
    let cell = cell.trim();
    values.iter().any(|value| match value.as_ref().trim() {
        // A word for "empty" may be a mark here.
        "" => cell.is_empty(),
        "*" => !is_empty(cell, false),
        value => value.to_lowercase() == cell.to_lowercase(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Mapping, ReviewField, named_field};

    #[test]
    fn numbers_marks_and_words_in_brackets_do_not_change_a_name() {
        let named = "review; REVIEW:; 3. Review *; Q2) Review?; Review (optional); review_text; Review [your words]";
        for header in named.split("; ") {
            assert_eq!(named_field(header), Some(ReviewField::Text), "{header}");
        }
        for header in ["Stars (1-5)", "Stars (1 - 5)", "Stars (1–5)"] {
            assert_eq!(named_field(header), Some(ReviewField::Rating), "{header}");
        }
        let others =
            "Review 2; Reviews of others; My review; Review (2); Stars (0-10); Stars (1-6)";
        for header in others.split("; ") {
            assert_eq!(named_field(header), None, "{header}");
        }
    }

    #[test]
    fn a_mapping_of_an_unknown_or_needed_field_is_refused() {
        for wrong in [
            "review=Review",
            "text",
            "text=",
            "date=",
            "status=Published",
        ] {
            assert!(wrong.parse::<Mapping>().is_err(), "{wrong}");
        }
        for right in ["author=", "reply=Our reply", "source=Platform", "text=a=b"] {
            assert!(right.parse::<Mapping>().is_ok(), "{right}");
        }
    }
}
