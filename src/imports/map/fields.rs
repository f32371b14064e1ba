//! The fields of a review that a column may fill, and their exact names (`names.toml`), by which a column of any table or JSON is known
//! without asking.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::imports::map::values::{Names, header_key};
use crate::model::{named, parse_toml};

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
        SourceName = "source.name",
        Url = "source.url",
        Location = "location",
        UpdatedAt = "updated_at",
        Verified = "verification.verified",
        Method = "verification.method",
        VerifiedAt = "verification.verified_at",
        Matched = "matched",
        Technicians = "mentions.technicians",
        Services = "mentions.services",
        ServiceAreas = "mentions.service_areas",
        ResponseText = "response.text",
        ResponseDate = "response.date",
        ResponseAuthor = "response.author",
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

/// The columns of an export as a table: paths of the native record. `columns` is in the first row alone: what imports have decided
/// about the columns of sources. `escaped` marks a row with escaped cells: in other tables an apostrophe is literal.
pub const COLUMNS: Names = "id, rating, date, author, title, text, language, source.name, source.url, location, \
     verification.verified, verification.method, verification.verified_at, mentions.technicians, mentions.services, \
     mentions.service_areas, response.text, response.date, response.author, status, withheld_reason, updated_at, decided, \
     deleted, posted_at, responded_at, imported_from, id_at_source, said, digests, note, columns, escaped";

impl ReviewField {
    /// The fields that `--map` may fill.
    pub const MAPPED: [Self; 21] = [
        Self::Id,
        Self::Rating,
        Self::Date,
        Self::Author,
        Self::Title,
        Self::Text,
        Self::Language,
        Self::SourceName,
        Self::Url,
        Self::Location,
        Self::UpdatedAt,
        Self::Verified,
        Self::Method,
        Self::VerifiedAt,
        Self::Technicians,
        Self::Services,
        Self::ServiceAreas,
        Self::ResponseText,
        Self::ResponseDate,
        Self::ResponseAuthor,
        Self::Reason,
    ];

    /// The field's name for the owner, in `--map` and in messages.
    pub fn label(self) -> &'static str {
        #[expect(clippy::wildcard_enum_match_arm, reason = "most go by their own names")]
        match self {
            Self::FirstName | Self::LastName => Self::Author.label(),
            Self::Recommended => Self::Rating.label(),
            Self::ResponseText => "response",
            Self::ResponseDate => "response_date",
            Self::ResponseAuthor => "response_author",
            Self::SourceName => "source",
            Self::Verified => "verified",
            Self::Method | Self::Matched | Self::Buyer => "method",
            other => other.name().rsplit('.').next().unwrap_or_default(),
        }
    }

    /// What joins the cells of two columns that fill it; `None` for a field of one column.
    pub const fn separator(self) -> Option<&'static str> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "most have one column")]
        match self {
            Self::Author | Self::ResponseAuthor => Some(" "),
            Self::Title | Self::Text | Self::ResponseText => Some("\n\n"),
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
        let mut known = ReviewField::MAPPED.into_iter();
        let field = known.find(|field| [field.label(), field.name()].contains(&name));
        let field = field.ok_or_else(|| {
            let known = ReviewField::MAPPED.map(ReviewField::label).join(", ");
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
pub static NAMES: LazyLock<HashMap<String, ReviewField>> = LazyLock::new(|| {
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
    let whole = NAMES.get(&header_key(name));
    let within = || {
        let (before, inside) = name.strip_suffix([')', ']'])?.rsplit_once(['(', '['])?;
        let is_scale = ["1-5", "1 - 5", "1–5"].contains(&inside.trim());
        let has_digit = inside.contains(|c: char| c.is_ascii_digit());
        (is_scale || !has_digit).then(|| NAMES.get(&header_key(before.trim_end_matches(marks))))?
    };
    whole.or_else(within).copied()
}

#[cfg(test)]
mod tests {
    use super::Mapping;

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
        for right in [
            "author=",
            "response=Our reply",
            "source.name=Platform",
            "text=a=b",
        ] {
            assert!(right.parse::<Mapping>().is_ok(), "{right}");
        }
    }
}
