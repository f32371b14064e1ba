//! From TOML to a trade. Apart because of the errors: every fault is told with its file and line,
//! all at once, in words for the person who edits the files.

mod aspects;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use toml::de::DeTable;

use super::head::Head;
use super::pattern::Item;
use super::syntax::{Fault, File, Value, each, find, one_of, string, strings, table};
use super::{Cue, Meaning, Place, Rule, Trade, TradeError, TradeErrors, pattern};

/// The points of an opinion, by the key it stands under.
const OPINIONS: [(&str, i32); 6] = [
    ("excellent", 4),
    ("good", 3),
    ("fair", 2),
    ("poor", -2),
    ("bad", -3),
    ("terrible", -4),
];
/// The points of a phrase that judges an aspect, by the key it stands under.
const JUDGEMENTS: [(&str, i32); 5] = [
    ("positive", 3),
    ("mildly_positive", 2),
    ("neutral", 0),
    ("mildly_negative", -2),
    ("negative", -3),
];
const CUES: [(&str, Cue); 12] = [
    ("negators", Cue::Negator),
    ("intensifiers", Cue::Intensifier),
    ("diminishers", Cue::Diminisher),
    ("contrasts", Cue::Contrast),
    ("joints", Cue::Joint),
    ("elsewhere", Cue::Elsewhere),
    ("firm", Cue::Firm),
    ("wishes", Cue::Wish),
    ("open", Cue::Open),
    ("asks", Cue::Asks),
    ("setting", Cue::Setting),
    ("silent", Cue::Silent),
];
/// What a file may hold.
const SECTIONS: [(&str, ()); 8] = [
    ("trade", ()),
    ("aspect", ()),
    ("phrases", ()),
    ("opinions", ()),
    ("cues", ()),
    ("lists", ()),
    ("irregular", ()),
    ("spellings", ()),
];

/// Reads a trade's own files, and those that every trade shares, as if they were one.
///
/// # Errors
/// All faults, in the order of the files.
pub fn parse(own: &[(&str, &str)], shared: &[(&str, &str)]) -> Result<Trade, TradeErrors> {
    let mut faults = Vec::new();
    let mut files = read(own, false, &mut faults);
    let head = Head::read(&files, &mut faults);
    if head.is_sharing {
        files.extend(read(shared, true, &mut faults));
    }
    let mut reader = Reader {
        files: &files,
        head: &head,
        trade: Trade {
            id: head.id.clone(),
            label: head.label.clone(),
            types: head.types.clone(),
            is_sharing: head.is_sharing,
            has_strays: head.has_strays,
            ..Trade::default()
        },
        uses: BTreeSet::new(),
        faults,
    };
    reader.words();
    reader.aspects();
    reader.roles();
    reader.phrases();
    let Reader {
        trade, mut faults, ..
    } = reader;
    if faults.is_empty() {
        return Ok(trade);
    }
    let place = |name: &str| own.iter().chain(shared).position(|(one, _)| *one == name);
    faults.sort_by_key(|fault| (place(&fault.file), fault.line));
    Err(TradeErrors(faults))
}

/// The `[trade]` of a file, without its phrases.
pub fn head(name: &str, text: &str) -> Result<Head, TradeErrors> {
    let mut faults = Vec::new();
    let head = Head::read(&read(&[(name, text)], false, &mut faults), &mut faults);
    if faults.is_empty() {
        Ok(head)
    } else {
        Err(TradeErrors(faults))
    }
}

fn read<'file>(
    files: &[(&'file str, &'file str)],
    is_shared: bool,
    faults: &mut Vec<TradeError>,
) -> Vec<File<'file>> {
    let mut read = Vec::with_capacity(files.len());
    for (name, text) in files {
        match File::read(name, text, is_shared) {
            Ok(file) => read.push(file),
            Err(fault) => faults.push(fault),
        }
    }
    read
}

struct Reader<'read, 'file> {
    /// The trade's own first: where phrases say the same, the first one counts.
    files: &'read [File<'file>],
    head: &'read Head,
    trade: Trade,
    /// Which aspect takes which of the phrases that stand for all trades.
    uses: BTreeSet<(String, usize)>,
    faults: Vec<TradeError>,
}

impl<'read, 'file> Reader<'read, 'file> {
    fn keep<T>(&mut self, file: &File<'_>, read: Result<T, Fault>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(fault) => {
                self.faults.push(file.fault(fault));
                None
            }
        }
    }

    /// The tables `[[key]]` of a file.
    fn each(&mut self, file: &'read File<'file>, key: &str) -> Vec<(usize, &'read DeTable<'file>)> {
        self.keep(file, each(&file.table, key)).unwrap_or_default()
    }

    /// `[lists]`, `[irregular]` and `[spellings]`: what a trade has under a name that is shared is
    /// added to it.
    fn words(&mut self) {
        for file in self.files {
            for (key, value) in &file.table {
                let (section, at) = (key.get_ref().as_ref(), key.span().start);
                if self.keep(file, one_of(&SECTIONS, section, at)).is_none()
                    || !["lists", "irregular", "spellings"].contains(&section)
                {
                    continue;
                }
                for (name, value) in self.keep(file, table(value)).into_iter().flatten() {
                    let words = self.keep(file, strings(value)).unwrap_or_default();
                    let words = words.into_iter().map(|(_, word)| word.to_owned());
                    let of: &mut BTreeMap<String, Vec<String>> = match section {
                        "lists" => &mut self.trade.lists,
                        "irregular" => &mut self.trade.irregular,
                        _ => &mut self.trade.spellings,
                    };
                    let name_text = name.get_ref().to_string();
                    if of.contains_key(&name_text) && !file.is_shared {
                        let message = format!("`{name_text}` stands here twice");
                        self.faults.push(file.fault((name.span().start, message)));
                        continue;
                    }
                    of.entry(name_text).or_default().extend(words);
                }
            }
        }
    }

    /// All phrases, of aspects, opinions and cues.
    fn phrases(&mut self) {
        for file in self.files {
            self.opinions(file);
        }
        for file in self.files {
            for (_, aspect) in self.each(file, "aspect") {
                let id = find(aspect, "id").and_then(|id| string(id).ok());
                let Some(index) = id.and_then(|id| self.trade.aspect(id)) else {
                    continue;
                };
                let sets = match find(aspect, "uses") {
                    Some(value) => self.uses(file, value),
                    None => id.map(str::to_owned).into_iter().collect(),
                };
                self.uses.extend(sets.into_iter().map(|set| (set, index)));
                self.judgements(file, aspect, index, &["id", "label", "question", "uses"]);
            }
        }
        for file in self.files {
            for (at, phrases) in self.each(file, "phrases") {
                let Some(id) = find(phrases, "id").and_then(|id| string(id).ok()) else {
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

    /// The sets of phrases that an aspect names; one that there is not is a fault.
    fn uses(&mut self, file: &File<'_>, value: &Value<'_>) -> Vec<String> {
        let named = match string(value) {
            Ok(one) => Ok(vec![(value.span().start, one)]),
            Err(_) => strings(value),
        };
        let named = self.keep(file, named).unwrap_or_default();
        let mut known = BTreeSet::new();
        for file in self.files {
            for (_, phrases) in self.each(file, "phrases") {
                known.extend(find(phrases, "id").and_then(|id| string(id).ok()));
            }
        }
        for (at, set) in named.iter().filter(|(_, set)| !known.contains(set)) {
            let names: Vec<&str> = known.iter().copied().collect();
            let message = format!("no phrases `{set}` are shared: {}", names.join(", "));
            self.faults.push(file.fault((*at, message)));
        }
        named.into_iter().map(|(_, set)| set.to_owned()).collect()
    }

    /// The phrases of a table that judge, name or hint at an aspect.
    fn judgements(&mut self, file: &File<'_>, of: &DeTable<'_>, index: usize, others: &[&str]) {
        for (key, value) in of {
            let meaning = match key.get_ref().as_ref() {
                other if others.contains(&other) => continue,
                "names" => Ok(Meaning::Names(index)),
                "hints" => Ok(Meaning::Hints(index)),
                other => one_of(&JUDGEMENTS, other, key.span().start)
                    .map(|points| Meaning::Judges(index, points)),
            };
            if let Some(meaning) = self.keep(file, meaning) {
                self.add(file, "phrase", meaning, value);
            }
        }
    }

    /// `[opinions]` and `[cues]`.
    fn opinions(&mut self, file: &'read File<'file>) {
        for section in ["opinions", "cues"] {
            let Some(value) = find(&file.table, section) else {
                continue;
            };
            for (key, value) in self.keep(file, table(value)).into_iter().flatten() {
                let (name, at) = (key.get_ref().as_ref(), key.span().start);
                let (kind, meaning) = if section == "cues" {
                    (name, one_of(&CUES, name, at).map(Meaning::Cue))
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

    fn add(&mut self, file: &File<'_>, kind: &str, meaning: Meaning, value: &Value<'_>) {
        let name: Arc<str> = file.name.into();
        for (at, text) in self.keep(file, strings(value)).unwrap_or_default() {
            let parsed = pattern::parse(text, &self.trade.lists).map_err(|message| (at, message));
            let Some((items, ways)) = self.keep(file, parsed) else {
                continue;
            };
            self.trade.rules.push(Rule {
                id: format!("{kind}:{}", slug(&items)),
                ways,
                meaning,
                text: text.into(),
                place: Place {
                    file: Arc::clone(&name),
                    line: file.line(at),
                    is_shared: file.is_shared,
                },
            });
        }
    }
}

/// A pattern as a name: its words, of alternatives the first, of what may be missing nothing.
fn slug(items: &[Item]) -> String {
    let word = |item: &Item| match item {
        Item::Symbol(symbol) => symbol.trim_matches(['~', '@', '<', '>', '^']).to_owned(),
        Item::Gap(_) => String::new(),
        Item::Either(choices) => choices
            .first()
            .map(|choice| slug(choice))
            .unwrap_or_default(),
    };
    items
        .iter()
        .map(word)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}
