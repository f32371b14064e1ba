//! What the owner says of columns, by the options of a command: `--map`, `--public` and its like, `--ignore`.

use std::collections::BTreeMap;

use crate::imports::map::fields::ReviewField;
use crate::imports::map::questions::{COLUMN, VALUE};
use crate::imports::map::values::header_key;
use crate::imports::map::visibility::{Subject, is_one_of};
use crate::imports::report::FileError;
use crate::imports::request::ColumnChoices;
use crate::imports::table::{find, list_columns};
use crate::storage::columns::{BY_NAME, BY_OTHERS, BY_OWNER, IGNORED, KeptColumn, KeptColumns};

impl ColumnChoices {
    /// The columns of publication that the options name, among `headers`, each with its value.
    pub fn public_columns(&self, headers: &[String]) -> Vec<(Subject, usize, &str)> {
        let found = self.public_lists().into_iter().flat_map(|(subject, list)| {
            list.iter().filter_map(move |text| {
                let (column, value) = split_value(text, headers)?;
                Some((subject, column, value))
            })
        });
        found.collect()
    }

    /// The columns that the options name, for a source whose files are not at hand: as they are kept, or as they are written.
    pub fn headers(&self, kept: &KeptColumns, source: &str) -> Vec<String> {
        let mut headers: Vec<String> = Vec::new();
        for column in kept.of(source).filter(|column| !column.header.is_empty()) {
            if !headers.contains(&column.header) {
                headers.push(column.header.clone());
            }
        }
        let unknown = self.unknown(&headers);
        headers.extend(unknown.into_iter().map(|(_, header)| header));
        headers
    }

    /// The names of columns in the options that `headers` do not have.
    pub fn unknown(&self, headers: &[String]) -> Vec<(&'static str, String)> {
        let maps = self
            .maps
            .iter()
            .filter(|map| !map.column.is_empty() && map.column != COLUMN);
        let maps = maps.filter(|map| find(headers, &map.column).is_none());
        let maps = maps.map(|map| ("--map", map.column.clone()));
        let ignored = self
            .ignore
            .iter()
            .flat_map(|list| split_list(list, headers));
        let ignored = ignored.filter_map(|part| Some(("--ignore", part.err()?.to_owned())));
        let public = self.unknown_public(headers);
        maps.chain(public).chain(ignored).collect()
    }

    /// The values of `--public` and its like.
    fn public_lists(&self) -> [(Subject, &[String]); 3] {
        [
            (Subject::Review, &self.public),
            (Subject::Answer, &self.public_answer),
            (Subject::Name, &self.public_name),
        ]
    }

    /// The same of all subjects.
    pub fn public_texts(&self) -> impl Iterator<Item = &String> {
        let lists = self.public_lists().into_iter();
        lists.flat_map(|(_, list)| list)
    }

    /// A word of a printed command that has not been replaced.
    pub fn placeholder(&self) -> Option<&'static str> {
        let maps = self.maps.iter().map(|map| &map.column);
        let mut names = maps.chain(&self.ignore);
        let mut pairs = self.public_texts().filter_map(|text| text.split_once('='));
        if names.any(|name| name == COLUMN) {
            return Some(COLUMN);
        }
        pairs.find_map(|(name, value)| match (name, value) {
            (COLUMN, _) => Some(COLUMN),
            (_, VALUE) => Some(VALUE),
            _ => None,
        })
    }

    /// # Errors
    /// When two options contradict each other, or a table lacks a column that says what may be published: its rows would be public.
    pub fn check(&self, headers: &[String], needs_all: bool) -> Result<(), FileError> {
        if let Some((option, name)) = self.unknown_public(headers).first().filter(|_| needs_all) {
            let columns = list_columns(headers);
            return Err(FileError::new(format!(
                "has no column {name}, which {option} names; its columns are {columns}; add the column, or import the file by itself"
            )));
        }
        let both = self
            .public_columns(headers)
            .into_iter()
            .find(|(_, column, _)| self.ignores(&headers[*column]));
        match both {
            None => Ok(()),
            Some((subject, column, _)) => Err(FileError::new(format!(
                "{} is named by {} and by --ignore; leave one of them out",
                headers[column],
                subject.option()
            ))),
        }
    }

    /// Whether `--ignore` names a column, in whatever table.
    pub fn ignores(&self, header: &str) -> bool {
        let mut ignored = self.ignore.iter().flat_map(|list| list.split(','));
        let key = header_key(header);
        self.ignore.iter().any(|list| header_key(list) == key)
            || ignored.any(|name| header_key(name) == key)
    }

    /// The columns of publication that `headers` do not have.
    fn unknown_public(&self, headers: &[String]) -> Vec<(&'static str, String)> {
        let mut unknown = Vec::new();
        for (subject, list) in self.public_lists() {
            for text in list
                .iter()
                .filter(|text| split_value(text, headers).is_none())
            {
                let name = text.split('=').next().unwrap_or_default();
                if name != COLUMN {
                    unknown.push((subject.option(), name.to_owned()));
                }
            }
        }
        unknown
    }

    /// Takes what the options say of these columns into what is kept of the source.
    pub fn apply(&self, kept: &mut KeptColumns, source: &str, headers: &[String]) {
        let is_at = |it: &KeptColumn, header: &str| {
            it.source == source
                && !it.header.is_empty()
                && header_key(&it.header) == header_key(header)
        };
        let mut positions: BTreeMap<ReviewField, i64> = BTreeMap::new();
        let mut former: Vec<String> = Vec::new();
        for map in &self.maps {
            let label = map.field.label();
            let is_first = !positions.contains_key(&map.field);
            let column = find(headers, &map.column).filter(|_| !map.column.is_empty());
            if !map.column.is_empty() && column.is_none() {
                continue;
            }
            if is_first {
                let is_here = |it: &KeptColumn| headers.iter().any(|header| is_at(it, header));
                let is_former = |it: &KeptColumn| {
                    it.source == source
                        && it.field == label
                        && (is_here(it) || it.header.is_empty())
                };
                former.extend(
                    kept.all()
                        .filter(|it| is_former(it))
                        .map(|it| it.header.clone()),
                );
                kept.retain(|it| !is_former(it));
            }
            let position = positions.entry(map.field).or_insert(-1);
            *position += 1;
            let position = *position;
            let header = column.map_or("", |column| &headers[column]);
            kept.retain(|it| {
                !(is_at(it, header) && (it.field == IGNORED || it.decided_by == BY_NAME))
            });
            let row = kept.entry(source, header, label);
            row.position = position;
            BY_OWNER.clone_into(&mut row.decided_by);
        }
        // A column that filled the field before says nothing else.
        for header in former.iter().filter(|header| !header.is_empty()) {
            if kept.at(source, header).next().is_none() {
                BY_OTHERS.clone_into(&mut kept.entry(source, header, IGNORED).decided_by);
            }
        }
        for (subject, column, value) in self.public_columns(headers) {
            let header = &headers[column];
            if value == VALUE {
                continue;
            }
            kept.retain(|it| !(is_at(it, header) && it.field == IGNORED));
            let known = kept
                .of(source)
                .find(|it| is_at(it, header) && it.field == subject.field());
            let header = known.map_or_else(|| header.clone(), |it| it.header.clone());
            let row = kept.entry(source, &header, subject.field());
            row.withheld_values
                .retain(|other| !is_one_of(&[value], other));
            if !row
                .public_values
                .iter()
                .any(|it| it.eq_ignore_ascii_case(value))
            {
                row.public_values.push(value.to_owned());
            }
            BY_OWNER.clone_into(&mut row.decided_by);
        }
        for column in self
            .ignore
            .iter()
            .flat_map(|list| split_list(list, headers))
            .flatten()
        {
            let header = &headers[column];
            kept.retain(|it| !is_at(it, header));
            BY_OWNER.clone_into(&mut kept.entry(source, header, IGNORED).decided_by);
        }
    }
}

/// The column and the value of `COLUMN=VALUE`: the longest header that it begins with.
fn split_value<'t>(text: &'t str, headers: &[String]) -> Option<(usize, &'t str)> {
    let ends = text.match_indices('=').rev();
    ends.into_iter()
        .find_map(|(at, _)| Some((find(headers, &text[..at])?, text[at + 1..].trim())))
}

/// The columns in a list with commas, of which the longest headers count first; or the names that are none.
fn split_list<'t>(list: &'t str, headers: &[String]) -> Vec<Result<usize, &'t str>> {
    let (mut rest, mut parts) = (list, Vec::new());
    loop {
        let ends = rest
            .match_indices(',')
            .map(|(at, _)| at)
            .chain([rest.len()]);
        let ends: Vec<usize> = ends.collect();
        let found = ends
            .iter()
            .rev()
            .find_map(|end| Some((*end, find(headers, rest[..*end].trim())?)));
        let (end, part) = found.map_or((ends[0], Err(rest[..ends[0]].trim())), |(end, column)| {
            (end, Ok(column))
        });
        parts.push(part);
        match rest.get(end + 1..) {
            Some(after) => rest = after,
            None => return parts,
        }
    }
}
