//! Parses TOML into a trade. Reports all errors together, each with file and line, and in terms that the editor of the
//! files understands.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::errors::{TradeError, TradeErrors, line};
use super::pattern::{self, PatternStep};
use super::trade::{
    ASPECTS_MAX, AspectDefinition, Cue, Meaning, PackageLanguage, Rule, RulePlace, Trade, digest,
};

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
const JUDGEMENTS: [(&str, i32); 6] = [
    ("positive", 3),
    ("mildly_positive", 2),
    ("neutral", 0),
    ("mildly_negative", -2),
    ("negative", -3),
    (PLAIN_NEGATIVE, -3),
];
/// The key of complaints that can mean nothing else, so that no classifier overrules them.
const PLAIN_NEGATIVE: &str = "plainly_negative";
/// The top-level keys of a file.
const SECTIONS: [&str; 8] = [
    "trade",
    "aspect",
    "phrases",
    "opinions",
    "cues",
    "lists",
    "irregular",
    "spellings",
];

/// The parts of a package that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// All but the words and phrases, which take a hundred times as long.
    Head,
    All,
}

/// Parses a trade's own files and the shared ones as if they were one.
///
/// # Errors
/// All errors, in the order of the files.
pub fn parse(
    own: &[(&str, &str)],
    shared: &[(&str, &str)],
    parts: Parts,
) -> Result<Trade, TradeErrors> {
    let mut faults = Vec::new();
    let mut files = read(own, false, &mut faults);
    let mut head = TradeHeader::read(&files, &mut faults);
    let trade = std::mem::take(&mut head.trade);
    if trade.is_sharing && parts == Parts::All {
        files.extend(read(shared, true, &mut faults));
    }
    let mut reader = PackageReader {
        files: &files,
        trade,
        uses: BTreeSet::new(),
        faults,
    };
    reader.aspects(&head);
    reader.roles(&head);
    if parts == Parts::All {
        reader.words();
        reader.phrases();
    }
    reader.finish(own, shared)
}

/// Parses the phrases of a trade in another language: the trade's own files, and the shared ones of the language.
/// Aspects and their roles are those of `trade`.
///
/// # Errors
/// All errors, in the order of the files.
pub fn parse_language(
    trade: &Trade,
    language: Arc<PackageLanguage>,
    own: &[(&str, &str)],
    shared: &[(&str, &str)],
    parts: Parts,
) -> Result<Trade, TradeErrors> {
    let mut faults = Vec::new();
    let mut files = match parts {
        Parts::Head => Vec::new(),
        Parts::All => read(own, false, &mut faults),
    };
    for file in &files {
        for (key, _) in &file.table {
            if let name @ ("trade" | "aspect") = key.get_ref().as_ref() {
                let message = format!(
                    "`{name}` is in the package's own files; here `[[phrases]]` name an aspect by its `id`"
                );
                faults.push(file.fault((key.span().start, message)));
            }
        }
        for (at, phrases) in each(&file.table, "phrases").unwrap_or_default() {
            if let Some(id) = id_of(phrases).filter(|id| trade.aspect(id).is_none()) {
                let message = format!("`{id}` is not an aspect of the package");
                faults.push(file.fault((at, message)));
            }
        }
    }
    if trade.is_sharing && parts == Parts::All {
        files.extend(read(shared, true, &mut faults));
    }
    let ids = trade.aspects.iter().map(|aspect| aspect.id.clone());
    let mut reader = PackageReader {
        files: &files,
        uses: ids.zip(0..).collect(),
        trade: Trade {
            id: trade.id.clone(),
            label: trade.label.clone(),
            types: trade.types.clone(),
            is_sharing: trade.is_sharing,
            has_strays: trade.has_strays,
            overall: trade.overall,
            quiet: trade.quiet.clone(),
            facts: trade.facts.clone(),
            aspects: trade.aspects.clone(),
            language: Some(language),
            ..Trade::default()
        },
        faults,
    };
    reader.words();
    reader.phrases();
    reader.finish(own, shared)
}

/// The schema.org types in the `[trade]` table of a file; `None` if the file is not valid TOML.
pub fn types_of(name: &str, text: &str) -> Option<Vec<String>> {
    let file = PackageFile::read(name, text, false).ok()?;
    let head = TradeHeader::read(&[file], &mut Vec::new());
    Some(head.trade.types)
}

fn read<'file>(
    files: &[(&'file str, &'file str)],
    is_shared: bool,
    faults: &mut Vec<TradeError>,
) -> Vec<PackageFile<'file>> {
    let files = files.iter().filter_map(|(name, text)| {
        let file = PackageFile::read(name, text, is_shared);
        file.map_err(|fault| faults.push(fault)).ok()
    });
    files.collect()
}

struct PackageReader<'read, 'file> {
    /// The trade's own files come first: of equal phrases, the first one counts.
    files: &'read [PackageFile<'file>],
    trade: Trade,
    /// The shared sets of phrases that each aspect uses.
    uses: BTreeSet<(String, usize)>,
    faults: Vec<TradeError>,
}

impl<'read, 'file> PackageReader<'read, 'file> {
    /// The trade, or all errors in the order of the files.
    fn finish(self, own: &[(&str, &str)], shared: &[(&str, &str)]) -> Result<Trade, TradeErrors> {
        let Self {
            mut trade,
            mut faults,
            ..
        } = self;
        faults.extend(contradictions(&trade.rules));
        if faults.is_empty() {
            let shared = shared.iter().filter(|_| trade.is_sharing);
            trade.digest = digest(own.iter().chain(shared));
            return Ok(trade);
        }
        let place = |name: &str| own.iter().chain(shared).position(|(one, _)| *one == name);
        faults.sort_by_key(|fault| (place(&fault.file), fault.line));
        Err(TradeErrors(faults))
    }

    fn keep<T>(&mut self, file: &PackageFile<'_>, read: Result<T, PackageFault>) -> Option<T> {
        read.map_err(|fault| self.faults.push(file.fault(fault)))
            .ok()
    }

    /// The tables `[[key]]` of a file.
    fn each(
        &mut self,
        file: &'read PackageFile<'file>,
        key: &str,
    ) -> Vec<(usize, &'read DeTable<'file>)> {
        self.keep(file, each(&file.table, key)).unwrap_or_default()
    }

    /// `[lists]`, `[irregular]` and `[spellings]`: a trade's entries with the name of a shared list are added to that
    /// list.
    fn words(&mut self) {
        for file in self.files {
            for (key, value) in &file.table {
                let (section, at) = (key.get_ref().as_ref(), key.span().start);
                if !SECTIONS.contains(&section) {
                    self.faults
                        .push(file.fault(unknown(section, at, &SECTIONS)));
                }
                if !["lists", "irregular", "spellings"].contains(&section) {
                    continue;
                }
                for (name, value) in self.keep(file, table(value)).into_iter().flatten() {
                    let words = self.keep(file, texts(value)).unwrap_or_default();
                    let of: &mut BTreeMap<String, Vec<String>> = match section {
                        "lists" => &mut self.trade.lists,
                        "irregular" => &mut self.trade.irregular,
                        _ => &mut self.trade.spellings,
                    };
                    let name_text = name.get_ref().to_string();
                    if of.contains_key(&name_text) && !file.is_shared {
                        let message = format!("`{name_text}` appears twice");
                        self.faults.push(file.fault((name.span().start, message)));
                        continue;
                    }
                    of.entry(name_text).or_default().extend(words);
                }
            }
        }
    }

    /// All phrases of aspects, opinions and cues.
    fn phrases(&mut self) {
        for file in self.files {
            self.opinions(file);
        }
        for file in self.files {
            for (_, aspect) in self.each(file, "aspect") {
                let id = id_of(aspect);
                let Some(index) = id.and_then(|id| self.trade.aspect(id)) else {
                    continue;
                };
                let sets = match aspect.get("uses") {
                    Some(value) => self.uses(file, value),
                    None => id.map(str::to_owned).into_iter().collect(),
                };
                self.uses.extend(sets.into_iter().map(|set| (set, index)));
                self.judgements(file, aspect, index, &["id", "label", "question", "uses"]);
            }
        }
        for file in self.files {
            for (at, phrases) in self.each(file, "phrases") {
                let Some(id) = id_of(phrases) else {
                    let message = "phrases need the `id` that aspects use them by".to_owned();
                    self.faults.push(file.fault((at, message)));
                    continue;
                };
                let users = self.uses.iter().filter(|(set, _)| set == id);
                let users: Vec<usize> = users.map(|(_, aspect)| *aspect).collect();
                for aspect in users {
                    self.judgements(file, phrases, aspect, &["id"]);
                }
            }
        }
    }

    /// The sets of phrases that an aspect uses; an unknown set is an error.
    fn uses(&mut self, file: &PackageFile<'_>, value: &TomlValue<'_>) -> Vec<String> {
        let named = match string(value) {
            Ok(one) => Ok(vec![(value.span().start, one)]),
            Err(_) => strings(value),
        };
        let named = self.keep(file, named).unwrap_or_default();
        let mut known = BTreeSet::new();
        for file in self.files {
            let phrases = self.each(file, "phrases").into_iter();
            known.extend(phrases.filter_map(|(_, phrases)| id_of(phrases)));
        }
        for (at, set) in named.iter().filter(|(_, set)| !known.contains(set)) {
            let names: Vec<&str> = known.iter().copied().collect();
            let message = format!("unknown shared phrases `{set}`: {}", names.join(", "));
            self.faults.push(file.fault((*at, message)));
        }
        named.into_iter().map(|(_, set)| set.to_owned()).collect()
    }

    /// The phrases of a table that judge, name or hint at an aspect.
    fn judgements(
        &mut self,
        file: &PackageFile<'_>,
        of: &DeTable<'_>,
        index: usize,
        others: &[&str],
    ) {
        for (key, value) in of {
            let meaning = match key.get_ref().as_ref() {
                other if others.contains(&other) => continue,
                "names" => Ok(Meaning::Names(index)),
                "hints" => Ok(Meaning::Hints(index)),
                other => one_of(&JUDGEMENTS, other, key.span().start)
                    .map(|points| Meaning::Judges(index, points)),
            };
            if let Some(meaning) = self.keep(file, meaning) {
                let is_plain = key.get_ref() == PLAIN_NEGATIVE;
                self.add(
                    file,
                    if is_plain { "plain" } else { "phrase" },
                    meaning,
                    value,
                );
            }
        }
    }

    /// `[opinions]` and `[cues]`.
    fn opinions(&mut self, file: &'read PackageFile<'file>) {
        for section in ["opinions", "cues"] {
            let Some(value) = file.table.get(section) else {
                continue;
            };
            for (key, value) in self.keep(file, table(value)).into_iter().flatten() {
                let (name, at) = (key.get_ref().as_ref(), key.span().start);
                let (kind, meaning) = if section == "cues" {
                    let cue = Cue::find(name).map(Meaning::Cue);
                    (
                        name,
                        cue.ok_or_else(|| unknown(name, at, &Cue::ALL.map(Cue::name))),
                    )
                } else {
                    let points = one_of(&OPINIONS, name, at);
                    ("lexicon", points.map(Meaning::Opinion))
                };
                if let Some(meaning) = self.keep(file, meaning) {
                    self.add(file, kind, meaning, value);
                }
            }
        }
    }

    fn add(&mut self, file: &PackageFile<'_>, kind: &str, meaning: Meaning, value: &TomlValue<'_>) {
        let file_name: Arc<str> = file.name.into();
        for (at, text) in self.keep(file, strings(value)).unwrap_or_default() {
            let parsed = pattern::parse(text, &self.trade.lists, &pattern::CLASSES)
                .map_err(|message| (at, message));
            let Some((name, ways)) = self.keep(file, parsed) else {
                continue;
            };
            self.trade.rules.push(Rule {
                id: format!("{kind}:{name}"),
                ways,
                meaning,
                text: text.into(),
                place: RulePlace {
                    file: Arc::clone(&file_name),
                    line: line(file.text, at),
                    is_shared: file.is_shared,
                },
            });
        }
    }
}

/// The package's own phrases that praise what an earlier one of them blames, or the other way round.
fn contradictions(rules: &[Rule]) -> Vec<TradeError> {
    /// The aspect, if any, and the pattern of a phrase.
    type Phrase<'r> = (Option<usize>, &'r [PatternStep]);
    let mut known: HashMap<Phrase<'_>, (i32, &Rule)> = HashMap::new();
    let mut faults = Vec::new();
    for rule in rules.iter().filter(|rule| !rule.place.is_shared) {
        let (aspect, points) = match rule.meaning {
            Meaning::Judges(aspect, points) => (Some(aspect), points),
            Meaning::Opinion(points) => (None, points),
            Meaning::Names(_) | Meaning::Hints(_) | Meaning::Cue(_) => continue,
        };
        for way in &rule.ways {
            let first = known.entry((aspect, way)).or_insert((points, rule));
            if first.0.signum() * points.signum() < 0 {
                let RulePlace { file, line, .. } = &first.1.place;
                let message = format!(
                    "`{}` contradicts `{}` ({file}:{line})",
                    rule.text, first.1.text
                );
                faults.push(TradeError::new(&rule.place.file, rule.place.line, message));
                break;
            }
        }
    }
    faults
}

// Parses TOML with positions, so that every error has its file and line.

pub type TomlValue<'file> = Spanned<DeValue<'file>>;
/// The byte position of an error, and the problem.
pub type PackageFault = (usize, String);

/// One file of a trade.
#[derive(Debug)]
pub struct PackageFile<'file> {
    /// Name of the file in errors.
    pub name: &'file str,
    text: &'file str,
    pub table: DeTable<'file>,
    /// Whether it is a file that all trades share.
    pub is_shared: bool,
}

impl<'file> PackageFile<'file> {
    /// # Errors
    /// When the text is not valid TOML.
    pub fn read(name: &'file str, text: &'file str, is_shared: bool) -> Result<Self, TradeError> {
        let told = |error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            TradeError::at(name, text, (at, error.message().to_owned()))
        };
        Ok(Self {
            name,
            text,
            table: DeTable::parse(text).map_err(told)?.into_inner(),
            is_shared,
        })
    }

    fn fault(&self, fault: PackageFault) -> TradeError {
        TradeError::at(self.name, self.text, fault)
    }
}

/// The `id` of a table, if it is a text.
fn id_of<'table>(table: &'table DeTable<'_>) -> Option<&'table str> {
    table.get("id")?.get_ref().as_str()
}

/// The tables of `[[key]]`, each with its position.
pub fn each<'table, 'file>(
    file: &'table DeTable<'file>,
    key: &str,
) -> Result<Vec<(usize, &'table DeTable<'file>)>, PackageFault> {
    let Some(value) = file.get(key) else {
        return Ok(Vec::new());
    };
    let array = typed(
        value,
        value.get_ref().as_array(),
        &format!("write `[[{key}]]`"),
    )?;
    array
        .iter()
        .map(|one| Ok((one.span().start, table(one)?)))
        .collect()
}

pub fn table<'table, 'file>(
    value: &'table TomlValue<'file>,
) -> Result<&'table DeTable<'file>, PackageFault> {
    typed(value, value.get_ref().as_table(), "this must be a table")
}

pub fn string<'value>(value: &'value TomlValue<'_>) -> Result<&'value str, PackageFault> {
    typed(
        value,
        value.get_ref().as_str(),
        "this must be a text in quotes",
    )
}

/// What a value is, or the error `expected` if it is something else.
fn typed<T>(value: &TomlValue<'_>, found: Option<T>, expected: &str) -> Result<T, PackageFault> {
    found.ok_or_else(|| (value.span().start, expected.to_owned()))
}

/// The texts of a list, each with its position. A multi-line text is also a list: its items are separated by line
/// breaks and commas, and it may have `#` comments.
pub fn strings<'value>(
    value: &'value TomlValue<'_>,
) -> Result<Vec<(usize, &'value str)>, PackageFault> {
    if let Some(array) = value.get_ref().as_array() {
        return array
            .iter()
            .map(|one| Ok((one.span().start, string(one)?)))
            .collect();
    }
    let text = string(value)?;
    // The value lacks the quotes on both sides, and the line break after the first ones.
    let quotes = value.span().len().saturating_sub(text.len()).div_ceil(2);
    let mut at = value.span().start + quotes;
    let mut texts = Vec::new();
    for line in text.split_inclusive('\n') {
        let plain = line.split('#').next().unwrap_or(line);
        texts.extend(
            plain
                .split(',')
                .map(str::trim)
                .filter(|one| !one.is_empty())
                .map(|one| (at, one)),
        );
        at += line.len();
    }
    Ok(texts)
}

/// # Errors
/// An unknown name; the message lists all valid names.
pub fn one_of<T: Copy>(names: &[(&str, T)], name: &str, at: usize) -> Result<T, PackageFault> {
    let found = names.iter().find(|(one, _)| *one == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        unknown(name, at, &names)
    })
}

fn unknown(name: &str, at: usize, names: &[&str]) -> PackageFault {
    (at, format!("`{name}` is not one of {}", names.join(", ")))
}

// The table `[trade]`. It is read before the phrases, because it identifies the package.

/// Default id of a trade.
const UNNAMED: &str = "own";
/// Default label of a trade.
const UNLABELED: &str = "The firm's own";
/// Default list of quiet aspects.
const QUIET: [&str; 3] = ["communication", "overall", "professionalism"];
const KEYS: [&str; 9] = [
    "id", "label", "types", "aspects", "overall", "quiet", "facts", "shared", "strays",
];

/// The table `[trade]`, with defaults.
struct TradeHeader {
    /// The trade without aspects, roles and phrases.
    trade: Trade,
    /// The aspects in display order; `None` for the order of the files.
    aspects: Option<Vec<String>>,
    /// The aspect that receives opinions without an aspect.
    overall: String,
    /// Aspects whose facts are omitted beside a judgement.
    quiet: Vec<String>,
    /// Aspects whose facts remain facts among complaints.
    facts: Vec<String>,
    /// File index and position of the table, for errors about unknown aspects.
    place: Option<(usize, usize)>,
}

impl Default for TradeHeader {
    fn default() -> Self {
        Self {
            trade: Trade {
                id: UNNAMED.to_owned(),
                label: UNLABELED.to_owned(),
                is_sharing: true,
                has_strays: true,
                ..Trade::default()
            },
            aspects: None,
            overall: "overall".to_owned(),
            quiet: QUIET.map(str::to_owned).to_vec(),
            facts: Vec::new(),
            place: None,
        }
    }
}

impl TradeHeader {
    /// Reads the table; errors are added to `faults`.
    fn read(files: &[PackageFile<'_>], faults: &mut Vec<TradeError>) -> Self {
        let mut head = Self::default();
        for (number, file) in files.iter().enumerate() {
            let Some(value) = file.table.get("trade") else {
                continue;
            };
            let at = value.span().start;
            if head.place.is_some() {
                faults.push(file.fault((at, "the table [trade] appears twice".to_owned())));
                continue;
            }
            head.place = Some((number, at));
            let table = table(value).map_err(|fault| faults.push(file.fault(fault)));
            for (key, value) in table.into_iter().flatten() {
                if let Err(fault) = head.set(key.get_ref(), key.span().start, value) {
                    faults.push(file.fault(fault));
                }
            }
        }
        head
    }

    fn set(&mut self, key: &str, at: usize, value: &TomlValue<'_>) -> Result<(), PackageFault> {
        match key {
            "id" => self.trade.id = id(value)?,
            "label" => string(value)?.trim().clone_into(&mut self.trade.label),
            "types" => self.trade.types = types(value)?,
            "aspects" => self.aspects = Some(texts(value)?),
            "overall" => self.overall = id(value)?,
            "quiet" => self.quiet = texts(value)?,
            "facts" => self.facts = texts(value)?,
            "shared" => self.trade.is_sharing = boolean(key, value)?,
            "strays" => self.trade.has_strays = boolean(key, value)?,
            _ => return Err(unknown(key, at, &KEYS)),
        }
        Ok(())
    }
}

/// Whether a schema.org type, written as `Plumber` or as a URL, is among these.
pub fn is_among(types: &[String], kind: &str) -> bool {
    let name = kind.trim().rsplit('/').next().unwrap_or(kind);
    types.iter().any(|one| one.eq_ignore_ascii_case(name))
}

fn boolean(key: &str, value: &TomlValue<'_>) -> Result<bool, PackageFault> {
    let expected = format!("`{key}` must be true or false");
    typed(value, value.get_ref().as_bool(), &expected)
}

fn texts(value: &TomlValue<'_>) -> Result<Vec<String>, PackageFault> {
    Ok(strings(value)?
        .into_iter()
        .map(|(_, text)| text.to_owned())
        .collect())
}

fn types(value: &TomlValue<'_>) -> Result<Vec<String>, PackageFault> {
    let is_type = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let types = strings(value)?;
    match types.iter().find(|(_, name)| !is_type(name)) {
        Some((at, name)) => Err((
            *at,
            format!("`{name}` is not a type of schema.org: write it like `AutoRepair`"),
        )),
        None => Ok(types.into_iter().map(|(_, name)| name.to_owned()).collect()),
    }
}

/// An id: lower case letters and `_`.
pub fn id(value: &TomlValue<'_>) -> Result<String, PackageFault> {
    let id = string(value)?;
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
        let message = format!("an id must be lower case letters and `_`, not `{id}`");
        return Err((value.span().start, message));
    }
    Ok(id.to_owned())
}

// The aspects of a trade, their order and their roles.

impl PackageReader<'_, '_> {
    /// The names of all `[[aspect]]`, in display order.
    fn aspects(&mut self, head: &TradeHeader) {
        for file in self.files {
            for (at, aspect) in self.each(file, "aspect") {
                let value = |key: &str| {
                    let value = aspect.get(key);
                    value.ok_or_else(|| (at, format!("an aspect needs `{key}`")))
                };
                let words = |key: &str, is_right: fn(&str) -> bool, form: &str| {
                    let value = value(key)?;
                    let words = string(value)?.trim();
                    let fault = || (value.span().start, format!("`{key}` must {form}"));
                    is_right(words).then_some(words).ok_or_else(fault)
                };
                let (id, label, question) = (
                    self.keep(file, value("id").and_then(id)),
                    self.keep(
                        file,
                        words("label", |words| !words.is_empty(), "not be empty"),
                    ),
                    self.keep(
                        file,
                        words("question", |words| words.ends_with('?'), "end with `?`"),
                    ),
                );
                let Some(((id, label), question)) = id.zip(label).zip(question) else {
                    continue;
                };
                let is_known = self.trade.aspect(&id).is_some();
                if is_known || self.trade.aspects.len() == ASPECTS_MAX {
                    let message = if is_known {
                        format!("the aspect `{id}` appears twice")
                    } else {
                        format!("a package has at most {ASPECTS_MAX} aspects")
                    };
                    self.faults.push(file.fault((at, message)));
                    continue;
                }
                self.trade.aspects.push(AspectDefinition {
                    id,
                    label: label.to_owned(),
                    question: question.to_owned(),
                });
            }
        }
        if let Some(order) = &head.aspects {
            let place = |id: &str| order.iter().position(|one| one == id);
            let unlisted = self.trade.aspects.iter().map(|aspect| aspect.id.clone());
            let unlisted: Vec<String> = unlisted.filter(|id| place(id).is_none()).collect();
            for id in unlisted {
                self.tell_head(head, format!("`aspects` does not list `{id}`"));
            }
            self.trade.aspects.sort_by_key(|aspect| place(&aspect.id));
        }
    }

    /// Checks that the aspects named in `[trade]` exist; default names may be missing.
    fn roles(&mut self, head: &TradeHeader) {
        let usual = TradeHeader::default();
        let mut roles = vec![("aspects", head.aspects.clone().unwrap_or_default())];
        if head.overall != usual.overall {
            roles.push(("overall", vec![head.overall.clone()]));
        }
        if head.quiet != usual.quiet {
            roles.push(("quiet", head.quiet.clone()));
        }
        roles.push(("facts", head.facts.clone()));
        for (key, ids) in roles {
            for id in ids {
                if self.trade.aspect(&id).is_none() {
                    let message = format!("`{key}` names `{id}`, which is not an aspect here");
                    self.tell_head(head, message);
                }
            }
        }
        let found = |ids: &[String]| ids.iter().filter_map(|id| self.trade.aspect(id)).collect();
        let (quiet, facts) = (found(&head.quiet), found(&head.facts));
        self.trade.overall = self.trade.aspect(&head.overall);
        (self.trade.quiet, self.trade.facts) = (quiet, facts);
    }

    fn tell_head(&mut self, head: &TradeHeader, message: String) {
        if let Some((file, at)) = head.place {
            self.faults.push(self.files[file].fault((at, message)));
        }
    }
}
