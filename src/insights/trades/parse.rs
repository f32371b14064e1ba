//! Parses TOML into a trade. Reports all errors together, each with file and line, and in terms that the editor of the
//! files understands.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use super::pattern;
use super::trade::{
    ASPECTS_MAX, AspectDefinition, Cue, FileText, Meaning, Rule, Trade, TradeError, TradeErrors,
    digest,
};
use crate::insights::text::LanguageWords;

/// The points of an opinion, by its key.
const OPINIONS: [(&str, i32); 6] = [
    ("excellent", 4),
    ("good", 3),
    ("fair", 2),
    ("poor", -2),
    ("bad", -3),
    ("terrible", -4),
];
/// The points of a phrase that judges an aspect, by its key.
const JUDGEMENTS: [(&str, i32); 7] = [
    ("positive", 3),
    ("mildly_positive", 2),
    ("neutral", 0),
    ("mildly_negative", -2),
    ("negative", -3),
    ("plainly_positive", 3),
    ("plainly_negative", -3),
];
/// The beginning of the keys of judgements that can mean nothing else, so that no classifier overrules them.
const PLAIN: &str = "plainly_";
/// Default id of a trade.
const UNNAMED: &str = "own";
/// Default label of a trade.
const UNLABELED: &str = "The firm's own";
/// Default aspect of opinions without an aspect.
const OVERALL: &str = "overall";

/// The parts of a package that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// All but the words and phrases, which take a hundred times as long.
    Head,
    All,
}

/// A text or a list of texts.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text in quotes or a list of them")]
enum TextList {
    Text(String),
    List(Vec<String>),
}

/// The texts of a list, each with its position: that of the list, or of its line in a multi-line text, which is also a
/// list: its items are separated by line breaks and commas, and it may have `#` comments.
fn texts(value: &Spanned<TextList>) -> Vec<(usize, &str)> {
    let text = match value.get_ref() {
        TextList::Text(text) => text,
        TextList::List(list) => {
            let start = value.span().start;
            return list.iter().map(|one| (start, one.as_str())).collect();
        }
    };
    // The value lacks the quotes on both sides, and the line break after the first ones.
    let quotes = value.span().len().saturating_sub(text.len()).div_ceil(2);
    let mut at = value.span().start + quotes;
    let mut texts = Vec::new();
    for line in text.split_inclusive('\n') {
        let plain = line.split('#').next().unwrap_or(line);
        let items = plain.split(',').map(str::trim);
        texts.extend(items.filter(|one| !one.is_empty()).map(|one| (at, one)));
        at += line.len();
    }
    texts
}

fn owned_texts(value: &Spanned<TextList>) -> Vec<String> {
    let texts = texts(value).into_iter();
    texts.map(|(_, text)| text.to_owned()).collect()
}

type TextsByKey = BTreeMap<Spanned<String>, Spanned<TextList>>;

/// The content of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FileContent {
    trade: Option<Spanned<TradeTable>>,
    aspect: Vec<Spanned<TextsByKey>>,
    phrases: Vec<Spanned<TextsByKey>>,
    opinions: TextsByKey,
    cues: TextsByKey,
    lists: BTreeMap<String, Spanned<TextList>>,
    irregular: BTreeMap<String, Spanned<TextList>>,
    spellings: BTreeMap<String, Spanned<TextList>>,
}

/// The table `[trade]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TradeTable {
    id: Option<Spanned<String>>,
    label: Option<String>,
    types: Vec<String>,
    /// In display order; without it, in the order of the files.
    aspects: Option<Vec<String>>,
    /// The aspect that receives opinions without an aspect.
    overall: Option<String>,
    shared: Option<bool>,
    strays: Option<bool>,
}

/// One file of a trade.
struct PackageFile<'file> {
    /// Name of the file in errors.
    name: &'file str,
    text: &'file str,
    content: FileContent,
}

fn read_file<'file>(name: &'file str, text: &'file str) -> Result<PackageFile<'file>, TradeError> {
    let content = toml::from_str(text).map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        TradeError::at(name, text, (at, error.message().to_owned()))
    })?;
    Ok(PackageFile {
        name,
        text,
        content,
    })
}

/// Parses a trade's own files and the shared ones as if they were one.
///
/// # Errors
/// All errors, in the order of the files.
pub fn parse(
    own: &[FileText<'_>],
    shared: &[FileText<'_>],
    parts: Parts,
) -> Result<Trade, TradeErrors> {
    let mut reader = PackageReader::default();
    let mut files = reader.read(own);
    reader.read_header(&files);
    let shared = if reader.trade.is_sharing { shared } else { &[] };
    if parts == Parts::All {
        files.extend(reader.read(shared));
        reader.read_words(&files);
        reader.read_phrases(&files);
    }
    reader.finish(&[own, shared].concat())
}

/// Parses the phrases of a trade in another language: the language's description, the trade's own files, and the shared
/// ones of the language. Aspects and their roles are those of `trade`.
///
/// # Errors
/// All errors, in the order of the files.
pub fn parse_language(
    trade: &Trade,
    code: &str,
    description: &FileText<'_>,
    own: &[FileText<'_>],
    shared: &[FileText<'_>],
    parts: Parts,
) -> Result<Trade, TradeErrors> {
    let (name, text) = description;
    let words = LanguageWords::parse(text).and_then(|words| {
        let message = format!("the folder is called `{code}`, and `code` must be the same");
        (words.code.as_str() == code)
            .then_some(words)
            .ok_or((0, message))
    });
    let words = words.map_err(|fault| TradeErrors(vec![TradeError::at(name, text, fault)]))?;
    let shared = if trade.is_sharing { shared } else { &[] };
    let ids = trade.aspects.iter().map(|aspect| aspect.id.clone());
    let mut reader = PackageReader {
        uses: ids.zip(0..).collect(),
        trade: Trade {
            id: trade.id.clone(),
            label: trade.label.clone(),
            is_sharing: trade.is_sharing,
            has_strays: trade.has_strays,
            overall: trade.overall,
            aspects: trade.aspects.clone(),
            words: Arc::new(words),
            ..Trade::default()
        },
        faults: Vec::new(),
    };
    if parts == Parts::All {
        let mut files = reader.read(own);
        for file in &files {
            let content = &file.content;
            let places = content.trade.iter();
            let places = places.map(|table| ("trade", table.span().start));
            let aspects = content.aspect.iter();
            let aspects = aspects.map(|table| ("aspect", table.span().start));
            for (name, at) in places.chain(aspects) {
                let message = format!(
                    "`{name}` is in the package's own files; here `[[phrases]]` name an aspect by its `id`"
                );
                reader.refuse(file, at, message);
            }
            for phrases in &content.phrases {
                if let Some(id) = id_of(phrases).filter(|id| trade.aspect(id).is_none()) {
                    let message = format!("`{id}` is not an aspect of the package");
                    reader.refuse(file, phrases.span().start, message);
                }
            }
        }
        files.extend(reader.read(shared));
        reader.read_words(&files);
        reader.read_phrases(&files);
    }
    reader.finish(&[std::slice::from_ref(description), own, shared].concat())
}

/// The schema.org types in the `[trade]` table of a file; `None` if the file is invalid.
pub fn types_of(name: &str, text: &str) -> Option<Vec<String>> {
    let trade = read_file(name, text).ok()?.content.trade?;
    Some(trade.into_inner().types)
}

/// Whether a schema.org type, written as `Plumber` or as a URL, is among these.
pub fn is_among(types: &[String], kind: &str) -> bool {
    let name = kind.trim().rsplit('/').next().unwrap_or(kind);
    types.iter().any(|one| one.eq_ignore_ascii_case(name))
}

/// The `id` of a table, if it is a text.
fn id_of(table: &Spanned<TextsByKey>) -> Option<&str> {
    match table.get_ref().get("id")?.get_ref() {
        TextList::Text(id) => Some(id),
        TextList::List(_) => None,
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

/// The value with that name, or a message with all valid names.
fn find_key<T: Copy>(names: &[(&str, T)], name: &str) -> Result<T, String> {
    let found = names.iter().find(|(one, _)| *one == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("`{name}` is not one of {}", names.join(", "))
    })
}

/// Reads files into a trade. The trade's own files come first: of equal phrases, the first one counts.
#[derive(Default)]
struct PackageReader {
    trade: Trade,
    /// The shared sets of phrases that each aspect uses.
    uses: BTreeSet<(String, usize)>,
    faults: Vec<TradeError>,
}

impl PackageReader {
    fn read<'file>(&mut self, files: &'file [FileText<'_>]) -> Vec<PackageFile<'file>> {
        let files = files.iter().filter_map(|(name, text)| {
            let file = read_file(name, text);
            file.map_err(|fault| self.faults.push(fault)).ok()
        });
        files.collect()
    }

    fn refuse(&mut self, file: &PackageFile<'_>, at: usize, message: String) {
        let fault = TradeError::at(file.name, file.text, (at, message));
        self.faults.push(fault);
    }

    /// The trade, or all errors in the order of the files.
    fn finish(mut self, files: &[FileText<'_>]) -> Result<Trade, TradeErrors> {
        if self.faults.is_empty() {
            self.trade.digest = digest(files);
            return Ok(self.trade);
        }
        let place = |name: &str| files.iter().position(|(one, _)| one == name);
        (self.faults).sort_by_key(|fault| (place(&fault.file), fault.line));
        Err(TradeErrors(self.faults))
    }

    /// The table `[trade]`, with defaults, and all `[[aspect]]`.
    fn read_header(&mut self, files: &[PackageFile<'_>]) {
        let usual = TradeTable::default();
        let mut tables = files
            .iter()
            .filter_map(|file| Some((file, file.content.trade.as_ref()?)));
        let first = tables.next();
        for (file, table) in tables {
            let message = "the table [trade] appears twice".to_owned();
            self.refuse(file, table.span().start, message);
        }
        let table = first.map_or(&usual, |(_, table)| table.get_ref());
        let id = table.id.as_ref();
        self.trade = Trade {
            id: id.map_or(UNNAMED, |id| id.get_ref()).to_owned(),
            label: (table.label.as_deref().unwrap_or(UNLABELED).trim()).to_owned(),
            is_sharing: table.shared.unwrap_or(true),
            has_strays: table.strays.unwrap_or(true),
            words: Arc::clone(LanguageWords::english()),
            ..Trade::default()
        };
        self.read_aspects(files);
        let messages = self.read_roles(table);
        let Some((file, place)) = first else { return };
        for message in messages {
            self.refuse(file, place.span().start, message);
        }
        if let Some(id) = id.filter(|id| !is_id(id.get_ref())) {
            let message = format!("an id must be lower case letters and `_`, not `{id}`");
            self.refuse(file, id.span().start, message);
        }
    }

    /// All `[[aspect]]`.
    fn read_aspects(&mut self, files: &[PackageFile<'_>]) {
        let aspects = files
            .iter()
            .flat_map(|file| file.content.aspect.iter().map(move |aspect| (file, aspect)));
        for (file, aspect) in aspects {
            let at = aspect.span().start;
            let mut text = |key: &str, is_right: fn(&str) -> bool, form: &str| {
                let (at, message) = match aspect.get_ref().get(key) {
                    None => (at, format!("an aspect needs `{key}`")),
                    Some(value) => match value.get_ref() {
                        TextList::Text(text) if is_right(text.trim()) => {
                            return Some(text.trim().to_owned());
                        }
                        TextList::Text(_) | TextList::List(_) => {
                            (value.span().start, format!("`{key}` must {form}"))
                        }
                    },
                };
                self.refuse(file, at, message);
                None
            };
            let id = text("id", is_id, "be lower case letters and `_`");
            let label = text("label", |text| !text.is_empty(), "not be empty");
            let question = text("question", |text| text.ends_with('?'), "end with `?`");
            let Some(((id, label), question)) = id.zip(label).zip(question) else {
                continue;
            };
            if self.trade.aspect(&id).is_some() {
                self.refuse(file, at, format!("the aspect `{id}` appears twice"));
            } else if self.trade.aspects.len() == ASPECTS_MAX {
                let message = format!("a package has at most {ASPECTS_MAX} aspects");
                self.refuse(file, at, message);
            } else {
                self.trade.aspects.push(AspectDefinition {
                    id,
                    label,
                    question,
                });
            }
        }
    }

    /// The order and the roles of the aspects; a message for each aspect that does not exist or is not listed.
    fn read_roles(&mut self, table: &TradeTable) -> Vec<String> {
        let mut messages = Vec::new();
        if let Some(order) = &table.aspects {
            let place = |id: &str| order.iter().position(|one| one == id);
            let aspects = self.trade.aspects.iter();
            let unlisted = aspects.filter(|aspect| place(&aspect.id).is_none());
            messages.extend(unlisted.map(|one| format!("`aspects` does not list `{}`", one.id)));
            self.trade.aspects.sort_by_key(|aspect| place(&aspect.id));
        }
        for (key, ids) in [
            ("aspects", table.aspects.as_deref().unwrap_or_default()),
            ("overall", table.overall.as_slice()),
        ] {
            for id in ids.iter().filter(|id| self.trade.aspect(id).is_none()) {
                messages.push(format!("`{key}` names `{id}`, which is not an aspect here"));
            }
        }
        self.trade.overall = (self.trade).aspect(table.overall.as_deref().unwrap_or(OVERALL));
        messages
    }

    /// `[lists]`, `[irregular]` and `[spellings]`: entries with the same name, in the shared files too, are one list.
    fn read_words(&mut self, files: &[PackageFile<'_>]) {
        for file in files {
            let content = &file.content;
            for (section, known) in [
                (&content.lists, &mut self.trade.lists),
                (&content.irregular, &mut self.trade.irregular),
                (&content.spellings, &mut self.trade.spellings),
            ] {
                for (name, words) in section {
                    let all = known.entry(name.clone()).or_default();
                    all.extend(owned_texts(words));
                }
            }
        }
    }

    /// All phrases of aspects, opinions and cues.
    fn read_phrases(&mut self, files: &[PackageFile<'_>]) {
        for file in files {
            for (key, phrases) in &file.content.opinions {
                let points = find_key(&OPINIONS, key.get_ref());
                self.add(file, key, "lexicon", points.map(Meaning::Opinion), phrases);
            }
            for (key, phrases) in &file.content.cues {
                let cue = find_key(&Cue::ALL.map(|cue| (cue.name(), cue)), key.get_ref());
                self.add(file, key, key.get_ref(), cue.map(Meaning::Cue), phrases);
            }
        }
        let sets: BTreeSet<&str> = files
            .iter()
            .flat_map(|file| file.content.phrases.iter().filter_map(id_of))
            .collect();
        for file in files {
            for aspect in &file.content.aspect {
                let id = id_of(aspect);
                let Some(index) = id.and_then(|id| self.trade.aspect(id)) else {
                    continue;
                };
                let uses = aspect.get_ref().get("uses").map(texts);
                for (at, set) in uses.iter().flatten().filter(|(_, set)| !sets.contains(set)) {
                    let names: Vec<&str> = sets.iter().copied().collect();
                    let message = format!("unknown shared phrases `{set}`: {}", names.join(", "));
                    self.refuse(file, *at, message);
                }
                let own = || id.map(|id| (0, id)).into_iter().collect();
                let uses = uses.unwrap_or_else(own).into_iter();
                self.uses
                    .extend(uses.map(|(_, set)| (set.to_owned(), index)));
                self.judgements(file, aspect, index, &["id", "label", "question", "uses"]);
            }
        }
        for file in files {
            for phrases in &file.content.phrases {
                let Some(id) = id_of(phrases) else {
                    let message = "phrases need the `id` that aspects use them by".to_owned();
                    self.refuse(file, phrases.span().start, message);
                    continue;
                };
                let users: Vec<usize> = self
                    .uses
                    .iter()
                    .filter(|(set, _)| set == id)
                    .map(|(_, aspect)| *aspect)
                    .collect();
                for aspect in users {
                    self.judgements(file, phrases, aspect, &["id"]);
                }
            }
        }
    }

    /// The phrases of a table that judge, name or hint at an aspect.
    fn judgements(
        &mut self,
        file: &PackageFile<'_>,
        table: &Spanned<TextsByKey>,
        index: usize,
        others: &[&str],
    ) {
        for (key, phrases) in table.get_ref() {
            let (kind, meaning) = match key.get_ref().as_str() {
                other if others.contains(&other) => continue,
                "names" => ("phrase", Ok(Meaning::Names(index))),
                "hints" => ("phrase", Ok(Meaning::Hints(index))),
                "complaints" => ("phrase", Ok(Meaning::Complains(index))),
                name => {
                    let points = find_key(&JUDGEMENTS, name);
                    let is_plain = name.starts_with(PLAIN);
                    let kind = if is_plain { "plain" } else { "phrase" };
                    (kind, points.map(|points| Meaning::Judges(index, points)))
                }
            };
            self.add(file, key, kind, meaning, phrases);
        }
    }

    /// Adds the phrases of a key.
    fn add(
        &mut self,
        file: &PackageFile<'_>,
        key: &Spanned<String>,
        kind: &str,
        meaning: Result<Meaning, String>,
        phrases: &Spanned<TextList>,
    ) {
        let meaning = match meaning {
            Ok(meaning) => meaning,
            Err(message) => return self.refuse(file, key.span().start, message),
        };
        for (at, text) in texts(phrases) {
            match pattern::parse(text, &self.trade.lists, &pattern::CLASSES) {
                Err(message) => self.refuse(file, at, message),
                Ok((name, ways)) => self.trade.rules.push(Rule {
                    id: format!("{kind}:{name}"),
                    ways,
                    meaning,
                }),
            }
        }
    }
}
