//! What can be seen of a file from its beginning: what it is made of, and the names in it.
//!
//! Apart from `detect`, which judges by it. Looks at the head alone and keeps names, never values.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::row::Columns;
use super::table::delimited::{self, Dialect};
use super::table::{Wanted, workbook};
use super::values::same_name;

/// What a file is made of.
#[derive(Debug)]
pub(super) enum Kind {
    /// Nothing, or nothing but whitespace.
    Nothing,
    /// JSON, or something that begins like it.
    Json(Layout),
    /// A page or another document with tags.
    Markup,
    /// A table in text.
    Table(Dialect, Columns),
    /// A table in a workbook.
    Workbook(workbook::Header, Columns),
    /// Text that is neither JSON nor markup nor a table.
    Text,
}

/// How JSON values stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// A single empty object, `{}`, which names no field.
    Bare,
    /// An array at the top level.
    Array,
    /// An object that goes over several lines.
    Spread,
    /// An object on its line, or a broken one.
    Line,
}

/// What can be seen of a file from its beginning.
#[derive(Debug)]
pub(super) struct Shape {
    /// What it is made of.
    pub(super) kind: Kind,
    /// The paths of the fields that were met: `reviews`, `reviews[].rating`, `[].rating`.
    paths: BTreeSet<String>,
}

/// How deep fields are looked at: those of objects in the reviews inside a document inside an
/// answer.
const DEEP_MAX: usize = 5;
/// How long a path may be to be remembered, in bytes: longer than any that a format asks for.
const PATH_BYTES_MAX: usize = 96;
/// How many paths are remembered.
const PATHS_MAX: usize = 2_000;
/// How many lines are looked at: a field may be missing in the first.
const LINES_MAX: usize = 50;

impl Shape {
    /// The shape of a text that begins with `head`, in UTF-8 without a byte order mark.
    pub(super) fn of(head: &[u8], wanted: &Wanted<'_>) -> Self {
        let text = head.trim_ascii();
        let mut paths = BTreeSet::new();
        let kind = match text.first() {
            None => Kind::Nothing,
            Some(b'{' | b'[') => {
                let layout = Layout::of(text);
                look(text, layout, &mut paths);
                Kind::Json(if layout == Layout::Line && text == b"{}" {
                    Layout::Bare
                } else {
                    layout
                })
            }
            Some(b'<') => Kind::Markup,
            Some(_) => match delimited::sniff(head, wanted) {
                Some((dialect, columns)) => {
                    paths.extend(columns.0.iter().take(PATHS_MAX).cloned());
                    Kind::Table(dialect, columns)
                }
                // A broken line may come first.
                None if text
                    .split(|byte| *byte == b'\n')
                    .any(|line| line.trim_ascii_start().starts_with(b"{")) =>
                {
                    look(text, Layout::Line, &mut paths);
                    Kind::Json(Layout::Line)
                }
                None => Kind::Text,
            },
        };
        Self { kind, paths }
    }

    /// The shape of a workbook with these headers.
    pub(super) fn of_workbook(header: workbook::Header, columns: Columns) -> Self {
        let paths = columns.0.iter().cloned().collect();
        Self {
            kind: Kind::Workbook(header, columns),
            paths,
        }
    }

    /// Whether there is a field of that path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Whether what stands at `prefix` (empty, or ending in a dot) has a field of that name,
    /// exactly or but for case and signs.
    pub(super) fn has_below(&self, prefix: &str, name: &str) -> bool {
        let is_keyword = name.starts_with('@');
        self.has(&format!("{prefix}{name}"))
            || (!is_keyword && self.below(prefix).any(|its| same_name(its, name)))
    }

    /// The names below `prefix`.
    pub(super) fn below<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = &'s str> {
        self.paths
            .iter()
            .filter_map(move |path| path.strip_prefix(prefix))
    }

    /// The arrays of objects that are in no other array, the outermost first: `[]`, `reviews[]`,
    /// `result.reviews[]`.
    pub(super) fn arrays(&self) -> Vec<String> {
        let array = |path: &String| {
            path.split_once("[].")
                .filter(|(before, _)| !before.contains("[]"))
                .map(|(before, _)| format!("{before}[]"))
        };
        let mut arrays: Vec<String> = self.paths.iter().filter_map(array).collect();
        arrays.sort_by_key(|path| (path.matches('.').count(), path.clone()));
        arrays.dedup();
        arrays
    }
}

impl Layout {
    fn of(text: &[u8]) -> Self {
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
        let is_whole = matches!(values.next(), Some(Ok(_)));
        let end = values.byte_offset();
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match text.first() {
            Some(b'[') => Self::Array,
            _ if is_whole && text[..end].contains(&b'\n') => Self::Spread,
            // It goes on beyond the head, and its first line is no value.
            _ if !is_whole
                && serde_json::from_slice::<IgnoredAny>(line)
                    .is_err_and(|error| error.is_eof())
                && line.len() < text.len() =>
            {
                Self::Spread
            }
            _ => Self::Line,
        }
    }
}

fn look(text: &[u8], layout: Layout, paths: &mut BTreeSet<String>) {
    let mut at = |text: &[u8]| {
        // The head may end anywhere: what was seen until then is what counts.
        let _ = Look {
            paths,
            path: "",
            deep: 0,
        }
        .deserialize(&mut serde_json::Deserializer::from_slice(text));
    };
    if layout == Layout::Line {
        text.split(|byte| *byte == b'\n')
            .filter(|line| line.trim_ascii_start().starts_with(b"{"))
            .take(LINES_MAX)
            .for_each(at);
    } else {
        at(text);
    }
}

struct Look<'a> {
    paths: &'a mut BTreeSet<String>,
    path: &'a str,
    deep: usize,
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.deep < DEEP_MAX {
            deserializer.deserialize_any(self)
        } else {
            deserializer.deserialize_ignored_any(IgnoredAny).map(drop)
        }
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let path = if self.path.is_empty() {
                name
            } else {
                format!("{}.{name}", self.path)
            };
            if path.len() <= PATH_BYTES_MAX && self.paths.len() < PATHS_MAX {
                self.paths.insert(path.clone());
            }
            map.next_value_seed(Look {
                paths: self.paths,
                path: &path,
                deep: self.deep + 1,
            })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let path = format!("{}[]", self.path);
        while elements
            .next_element_seed(Look {
                paths: self.paths,
                path: &path,
                deep: self.deep,
            })?
            .is_some()
        {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
