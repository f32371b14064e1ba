//! From TOML to a trade. Apart because of the errors: every fault is told with its file and line,
//! in words for the person who edits the file.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::pattern::Item;
use super::{Aspect, Cue, Meaning, Rule, Trade, TradeError, pattern};

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

type Value<'file> = Spanned<DeValue<'file>>;
type Fault = (usize, String);

/// Reads all files as if they were one.
pub fn parse(files: &[(&str, &str)]) -> Result<Trade, TradeError> {
    let told = |file: &str, text: &str, (at, message): Fault| TradeError {
        file: file.to_owned(),
        line: 1 + text.get(..at).unwrap_or(text).matches('\n').count(),
        message,
    };
    let mut tables = Vec::with_capacity(files.len());
    for (file, text) in files {
        let parsed = DeTable::parse(text).map_err(|error| {
            told(
                file,
                text,
                (
                    error.span().map_or(0, |span| span.start),
                    error.message().to_owned(),
                ),
            )
        })?;
        tables.push((*file, *text, parsed.into_inner()));
    }
    let mut trade = Trade::default();
    // Lists first: patterns of every file use them.
    for pass in [words, aspects, phrases] {
        for (file, text, table) in &tables {
            pass(&mut trade, table).map_err(|fault| told(file, text, fault))?;
        }
    }
    Ok(trade)
}

/// `[lists]`, `[irregular]` and `[spellings]`.
fn words(trade: &mut Trade, file: &DeTable<'_>) -> Result<(), Fault> {
    for (key, value) in file {
        let into = match key.get_ref().as_ref() {
            "lists" => &mut trade.lists,
            "irregular" => &mut trade.irregular,
            "spellings" => &mut trade.spellings,
            "aspect" | "opinions" | "cues" => continue,
            other => {
                return Err((
                    key.span().start,
                    format!(
                        "`{other}` is none of aspect, opinions, cues, lists, irregular, spellings"
                    ),
                ));
            }
        };
        for (name, value) in table(value)? {
            let words = strings(value)?
                .into_iter()
                .map(|(_, word)| word.to_owned())
                .collect();
            if into.insert(name.get_ref().to_string(), words).is_some() {
                return Err((
                    name.span().start,
                    format!("`{}` stands here twice", name.get_ref()),
                ));
            }
        }
    }
    Ok(())
}

/// The names of all `[[aspect]]`.
fn aspects(trade: &mut Trade, file: &DeTable<'_>) -> Result<(), Fault> {
    for (at, aspect) in each_aspect(file)? {
        let text = |key: &str| match find(aspect, key) {
            Some(value) => string(value).map(str::to_owned),
            None => Err((at, format!("an aspect needs `{key}`"))),
        };
        let (id, label, question) = (text("id")?, text("label")?, text("question")?);
        if id.is_empty() || !id.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
            return Err((
                at,
                format!("an aspect's id is lower case letters and `_`, not `{id}`"),
            ));
        }
        if trade.aspect(&id).is_some() {
            return Err((at, format!("there are two aspects `{id}`")));
        }
        trade.aspects.push(Aspect {
            id,
            label,
            question,
        });
    }
    Ok(())
}

/// All phrases, of aspects, opinions and cues.
fn phrases(trade: &mut Trade, file: &DeTable<'_>) -> Result<(), Fault> {
    for (_, aspect) in each_aspect(file)? {
        let id = find(aspect, "id").map_or(Ok(""), string)?;
        let index = trade.aspect(id).unwrap_or_default();
        for (key, value) in aspect {
            let key_name = key.get_ref().as_ref();
            let meaning = match key_name {
                "id" | "label" | "question" => continue,
                "names" => Meaning::Names(index),
                "hints" => Meaning::Hints(index),
                other => Meaning::Judges(index, points(&JUDGEMENTS, other, key.span().start)?),
            };
            add(trade, "phrase", meaning, value)?;
        }
    }
    for (section, meanings) in [("opinions", None), ("cues", Some(CUES))] {
        let Some(value) = find(file, section) else {
            continue;
        };
        for (key, value) in table(value)? {
            let (name, at) = (key.get_ref().as_ref(), key.span().start);
            match meanings {
                None => add(
                    trade,
                    "lexicon",
                    Meaning::Opinion(points(&OPINIONS, name, at)?),
                    value,
                )?,
                Some(cues) => add(trade, name, Meaning::Cue(points(&cues, name, at)?), value)?,
            }
        }
    }
    Ok(())
}

fn add(trade: &mut Trade, kind: &str, meaning: Meaning, value: &Value<'_>) -> Result<(), Fault> {
    for (at, text) in strings(value)? {
        let (items, ways) = pattern::parse(text, &trade.lists).map_err(|message| (at, message))?;
        trade.rules.push(Rule {
            id: format!("{kind}:{}", slug(&items)),
            ways,
            meaning,
        });
    }
    Ok(())
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

fn points<T: Copy>(names: &[(&str, T)], name: &str, at: usize) -> Result<T, Fault> {
    let known = || {
        names
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    names
        .iter()
        .find(|(one, _)| *one == name)
        .map(|(_, points)| *points)
        .ok_or_else(|| (at, format!("`{name}` is none of {}", known())))
}

fn find<'table, 'file>(table: &'table DeTable<'file>, key: &str) -> Option<&'table Value<'file>> {
    table
        .iter()
        .find(|(one, _)| one.get_ref() == key)
        .map(|(_, value)| value)
}

fn each_aspect<'table, 'file>(
    file: &'table DeTable<'file>,
) -> Result<Vec<(usize, &'table DeTable<'file>)>, Fault> {
    let Some(value) = find(file, "aspect") else {
        return Ok(Vec::new());
    };
    let array = value
        .get_ref()
        .as_array()
        .ok_or_else(|| (value.span().start, "write `[[aspect]]`".to_owned()))?;
    array
        .iter()
        .map(|one| Ok((one.span().start, table(one)?)))
        .collect()
}

fn table<'table, 'file>(value: &'table Value<'file>) -> Result<&'table DeTable<'file>, Fault> {
    value
        .get_ref()
        .as_table()
        .ok_or_else(|| (value.span().start, "this is to be a table".to_owned()))
}

fn string<'value>(value: &'value Value<'_>) -> Result<&'value str, Fault> {
    value.get_ref().as_str().ok_or_else(|| {
        (
            value.span().start,
            "this is to be a text in quotes".to_owned(),
        )
    })
}

/// The texts of a list, each with its place. A text of several lines is one too: parted at line
/// breaks and commas, `#` comments.
fn strings<'value>(value: &'value Value<'_>) -> Result<Vec<(usize, &'value str)>, Fault> {
    if let Some(array) = value.get_ref().as_array() {
        return array
            .iter()
            .map(|one| Ok((one.span().start, string(one)?)))
            .collect();
    }
    // The quotes and the line break behind them are not in the value.
    let (text, mut at) = (string(value)?, value.span().start + 4);
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
