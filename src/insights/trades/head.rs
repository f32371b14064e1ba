//! What a trade says of itself: the table `[trade]`. Apart from its phrases, because whose package it
//! is has to be known before any phrase is read.

use toml::de::DeTable;

use super::TradeError;
use super::syntax::{Fault, File, Value, find, one_of, string, strings, table};

/// The id of a trade that does not say one.
const UNNAMED: &str = "own";
/// Aspects that are quiet where a trade does not say which.
const QUIET: [&str; 3] = ["communication", "overall", "professionalism"];
const KEYS: [(&str, ()); 9] = [
    ("id", ()),
    ("label", ()),
    ("types", ()),
    ("aspects", ()),
    ("overall", ()),
    ("quiet", ()),
    ("facts", ()),
    ("shared", ()),
    ("strays", ()),
];

/// The table `[trade]`, with what holds where it is silent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its id in every answer.
    pub id: String,
    /// Its name for readers.
    pub label: String,
    /// The schema.org types of the businesses that it is for.
    pub types: Vec<String>,
    /// The aspects in the order in which they are shown; `None` for that of the files.
    pub aspects: Option<Vec<String>>,
    /// The aspect that an opinion about nothing in particular goes to.
    pub overall: String,
    /// Aspects whose plain facts are not worth telling beside a judgement.
    pub quiet: Vec<String>,
    /// Aspects whose plain facts stay facts among complaints.
    pub facts: Vec<String>,
    /// Whether it reads with the words that every trade shares.
    pub is_sharing: bool,
    /// Whether an opinion about nothing in particular is one about the whole.
    pub has_strays: bool,
    /// The file that says it, and where: what names no aspect is a fault there.
    pub place: Option<(usize, usize)>,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            id: UNNAMED.to_owned(),
            label: "The firm's own".to_owned(),
            types: Vec::new(),
            aspects: None,
            overall: "overall".to_owned(),
            quiet: QUIET.map(str::to_owned).to_vec(),
            facts: Vec::new(),
            is_sharing: true,
            has_strays: true,
            place: None,
        }
    }
}

impl Head {
    /// What these files say; faults are added to `faults`.
    pub fn read(files: &[File<'_>], faults: &mut Vec<TradeError>) -> Self {
        let mut head = Self::default();
        for (number, file) in files.iter().enumerate() {
            let Some(value) = find(&file.table, "trade") else {
                continue;
            };
            let at = value.span().start;
            if head.place.is_some() {
                faults.push(file.fault((at, "there are two tables [trade]".to_owned())));
                continue;
            }
            head.place = Some((number, at));
            match table(value) {
                Ok(table) => head.take(file, table, faults),
                Err(fault) => faults.push(file.fault(fault)),
            }
        }
        head
    }

    fn take(&mut self, file: &File<'_>, table: &DeTable<'_>, faults: &mut Vec<TradeError>) {
        for (key, value) in table {
            if let Err(fault) = self.set(key.get_ref(), key.span().start, value) {
                faults.push(file.fault(fault));
            }
        }
    }

    fn set(&mut self, key: &str, at: usize, value: &Value<'_>) -> Result<(), Fault> {
        one_of(&KEYS, key, at)?;
        match key {
            "id" => self.id = id(value)?,
            "label" => string(value)?.trim().clone_into(&mut self.label),
            "types" => self.types = types(value)?,
            "aspects" => self.aspects = Some(texts(value)?),
            "overall" => self.overall = id(value)?,
            "quiet" => self.quiet = texts(value)?,
            "facts" => self.facts = texts(value)?,
            "shared" => self.is_sharing = boolean(key, value)?,
            _ => self.has_strays = boolean(key, value)?,
        }
        Ok(())
    }
}

/// Whether a schema.org type, written as `Plumber` or as a URL, is among these.
pub fn is_among(types: &[String], kind: &str) -> bool {
    let name = kind.trim().rsplit('/').next().unwrap_or(kind);
    types.iter().any(|one| one.eq_ignore_ascii_case(name))
}

fn boolean(key: &str, value: &Value<'_>) -> Result<bool, Fault> {
    let message = || (value.span().start, format!("`{key}` is true or false"));
    value.get_ref().as_bool().ok_or_else(message)
}

fn texts(value: &Value<'_>) -> Result<Vec<String>, Fault> {
    Ok(strings(value)?
        .into_iter()
        .map(|(_, text)| text.to_owned())
        .collect())
}

fn types(value: &Value<'_>) -> Result<Vec<String>, Fault> {
    let is_type = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let types = strings(value)?;
    match types.iter().find(|(_, name)| !is_type(name)) {
        Some((at, name)) => Err((
            *at,
            format!("`{name}` is no type of schema.org: write it like `AutoRepair`"),
        )),
        None => Ok(types.into_iter().map(|(_, name)| name.to_owned()).collect()),
    }
}

/// An id: lower case letters and `_`.
pub fn id(value: &Value<'_>) -> Result<String, Fault> {
    let id = string(value)?;
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
        let message = format!("an id is lower case letters and `_`, not `{id}`");
        return Err((value.span().start, message));
    }
    Ok(id.to_owned())
}
