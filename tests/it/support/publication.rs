//! Random files of reviews of which some rows hide the review, its reply or its author's name, and a model of what may then be public.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::Generator;

/// How the files are read. `missing` of the blocks follows from answers.
pub const FORMAT: &str = r#"[fields]
id = ["Id"]
rating = ["Stars"]
date = ["Date"]
author = ["Name"]
text = ["Review"]
reply_text = ["Answer"]

[[public]]
names = ["Publish"]
values = ["yes"]

[[public_reply]]
names = ["Answer public"]
values = ["yes"]

[[public_name]]
names = ["Name public"]
values = ["yes"]
"#;

/// The open keys of the blocks, in the order of [`Model::missing`].
const KEYS: [&str; 3] = [
    "public.0.missing",
    "public_reply.0.missing",
    "public_name.0.missing",
];
const REVIEWS: usize = 5;

/// The names of the columns of files.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub source: &'static str,
    /// Of an import.
    pub options: &'static str,
    core: [&'static str; 5],
    /// Those of the blocks, and that of the replies.
    columns: [&'static str; 4],
    /// A platform's has no block of names, and says that a file without a block's column is public.
    is_platform: bool,
}

/// Of [`FORMAT`].
pub const OWN: Layout = Layout {
    source: "Direct",
    options: "--accept-changes",
    core: ["Id", "Stars", "Date", "Name", "Review"],
    columns: ["Publish", "Answer public", "Name public", "Answer"],
    is_platform: false,
};

/// Of the built-in format `okendo`.
pub const OKENDO: Layout = Layout {
    source: "Okendo",
    options: "--accept-changes --format okendo",
    core: ["reviewId", "rating", "dateCreated", "name", "body"],
    columns: ["status", "replyIsPublic", "", "reply"],
    is_platform: true,
};
/// A reply that the owner gave.
pub const OURS: &str = "Ours";
/// What the database has of each review, as [`Model::check`] reads it.
pub const STORED: &str =
    "select review_id, status, author, ifnull(reply_text, '') from review order by 1";

/// A row of a file: a cell is `None` where the row has no such member.
#[derive(Debug, Clone)]
struct Row {
    number: usize,
    name: String,
    /// Of [`Layout::columns`].
    cells: [Option<String>; 4],
}

/// The rows of an import.
#[derive(Debug, Clone)]
pub struct Step {
    layout: Layout,
    are_objects: bool,
    rows: Vec<Row>,
}

impl Step {
    /// Rows of a table, of which each has the same columns, or objects, of which each may lack members.
    pub fn random(dice: &mut Generator, layout: Layout, number: usize, are_objects: bool) -> Self {
        let columns = layout.columns.map(|it| !dice.once_in(4) && !it.is_empty());
        let mut rows = BTreeMap::new();
        for _ in 0..=dice.below(REVIEWS) {
            let review = dice.below(REVIEWS);
            let mut cells = [0, 1, 2, 3].map(|column| {
                let is_there = columns[column] && !(are_objects && dice.once_in(4));
                let values = ["yes", "yes", "yes", "no", "", "perhaps"];
                is_there.then(|| dice.pick(&values).to_owned())
            });
            if let Some(answer) = &mut cells[3] {
                *answer = if dice.once_in(4) {
                    String::new()
                } else {
                    format!("Thanks {review} for {number}")
                };
            }
            let name = if dice.once_in(5) {
                String::new()
            } else {
                format!("Guest {review}")
            };
            let number = review;
            rows.insert(
                review,
                Row {
                    number,
                    name,
                    cells,
                },
            );
        }
        let rows = rows.into_values().collect();
        Self {
            layout,
            are_objects,
            rows,
        }
    }

    fn has(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row.cells[column].is_some())
    }

    /// Whether a file without the block's column needs an answer: a platform's without any reply has none to hide.
    fn is_asked(&self, block: usize) -> bool {
        let mut replies = self.rows.iter().map(|row| &row.cells[3]);
        let has_replies = replies.any(|it| it.as_ref().is_some_and(|text| !text.is_empty()));
        !self.has(block) && (!self.layout.is_platform || block != 1 || has_replies)
    }

    /// The rows as cells, the first one with the headers; each has all columns that one has.
    pub fn cells(&self) -> Vec<Vec<String>> {
        let columns: Vec<usize> = (0..4).filter(|it| self.has(*it)).collect();
        let Layout {
            core,
            columns: names,
            ..
        } = self.layout;
        let core = core.map(str::to_owned);
        let header = core
            .into_iter()
            .chain(columns.iter().map(|it| names[*it].to_owned()));
        let mut table = vec![header.collect::<Vec<_>>()];
        for row in &self.rows {
            let core = row.core();
            let cells = columns
                .iter()
                .map(|it| row.cells[*it].clone().unwrap_or_default());
            table.push(core.into_iter().chain(cells).collect());
        }
        table
    }

    pub fn csv(&self) -> String {
        let lines = self.cells().into_iter().map(|row| row.join(",") + "\n");
        lines.collect()
    }

    /// The rows as objects.
    pub fn objects(&self) -> Vec<Value> {
        let object = |row: &Row| {
            let cells = self.layout.columns.iter().zip(&row.cells);
            let cells = cells.filter_map(|(name, cell)| Some((*name, cell.clone()?)));
            let core = self.layout.core.into_iter().zip(row.core());
            let members = core.chain(cells);
            let members = members.map(|(name, cell)| (name.to_owned(), Value::from(cell)));
            Value::Object(members.collect::<Map<_, _>>())
        };
        self.rows.iter().map(object).collect()
    }
}

impl Row {
    /// The cells of [`Layout::core`].
    fn core(&self) -> [String; 5] {
        let number = self.number;
        [
            format!("a{number}"),
            "4".to_owned(),
            format!("2026-03-0{}", number + 1),
            self.name.clone(),
            format!("Came on time for number {number}"),
        ]
    }
}

/// Whether the source hides a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    No,
    /// Since a row said so, and none has said otherwise.
    Yes,
    /// After an undo.
    Unknown,
}

/// The status, the reply or the name of a review: what is shown of it.
#[derive(Debug, Clone)]
struct Part {
    shown: Option<String>,
    hidden: Hidden,
    /// What the database may show besides, where `hidden` is unknown.
    perhaps: Option<String>,
}

const PARTS: [&str; 3] = ["status", "reply", "name"];

/// What a cell of a block says.
enum Verdict {
    Listed,
    Hides,
    /// Nothing: the file lacks the column, and is public by `missing`.
    Silent,
}

/// What may be public after the imports.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Whether files without a block's column are public, if that is said.
    missing: [Option<bool>; 3],
    reviews: BTreeMap<usize, [Part; 3]>,
    /// Those with a reply of the owner.
    own: BTreeSet<usize>,
}

/// The number in a review's ID.
pub fn number_of(id: &str) -> usize {
    id[id.len() - 1..].parse().unwrap()
}

impl Model {
    /// What may be public where nothing was imported.
    pub fn new(layout: Layout) -> Self {
        let missing = [layout.is_platform.then_some(true); 3];
        Self {
            missing,
            ..Self::default()
        }
    }

    /// The open keys of a file, which the source's format does not say.
    pub fn open(&self, step: &Step) -> Vec<&'static str> {
        let blocks = (0..3).filter(|it| step.is_asked(*it) && self.missing[*it].is_none());
        blocks.map(|it| KEYS[it]).collect()
    }

    /// Takes an answer for each open key, in their order.
    pub fn answer(&mut self, step: &Step, are_public: &[bool]) {
        let mut answers = are_public.iter();
        for block in 0..3 {
            if step.is_asked(block) && self.missing[block].is_none() {
                self.missing[block] = answers.next().copied();
            }
        }
    }

    pub fn take(&mut self, step: &Step) {
        for block in 0..3 {
            if step.has(block) {
                self.missing[block] = None;
            }
        }
        for row in &step.rows {
            let Layout { is_platform, .. } = step.layout;
            // A platform's JSON leaves out what is empty.
            let leaves_out = is_platform && step.are_objects;
            let reply = row.cells[3].clone();
            let reply = reply.or(leaves_out.then(String::new));
            let is_silent = leaves_out && row.cells[1].is_none() && reply.as_deref() == Some("");
            let values = [Some("published".to_owned()), reply, Some(row.name.clone())];
            let new = || Part {
                shown: None,
                hidden: Hidden::No,
                perhaps: None,
            };
            let parts = self.reviews.entry(row.number);
            let parts = parts.or_insert_with(|| [new(), new(), new()]);
            for (block, (part, value)) in parts.iter_mut().zip(values).enumerate() {
                let verdict = match (step.has(block), &row.cells[block]) {
                    (true, Some(cell)) if cell == "yes" => Verdict::Listed,
                    (false, _) if self.missing[block] == Some(true) => Verdict::Silent,
                    (false, _) if is_platform && self.missing[block].is_none() => Verdict::Silent,
                    _ if block == 1 && is_silent => Verdict::Silent,
                    _ => Verdict::Hides,
                };
                part.take(&verdict, value);
            }
        }
    }

    /// The owner replies.
    pub fn reply(&mut self, number: usize) {
        self.own.insert(number);
    }

    /// Returns to the state before a run that is undone; `self` is the one after it. What a run hid since stays hidden.
    pub fn undo(&mut self, before: &Self) {
        self.missing = before.missing;
        for (number, parts) in &mut self.reviews {
            let former = before.reviews.get(number);
            for (block, part) in parts.iter_mut().enumerate() {
                let former = former.map(|parts| parts[block].clone());
                let was_hidden = former.as_ref().map_or(Hidden::No, |it| it.hidden);
                let was_shown = former.and_then(|it| it.shown);
                if part.hidden == Hidden::Yes && part.shown.is_none() {
                    let is_sure = was_shown.is_some() || was_hidden == Hidden::Yes;
                    part.hidden = [Hidden::Unknown, Hidden::Yes][usize::from(is_sure)];
                } else {
                    // Given back, or left with a review that is hidden.
                    part.perhaps = was_shown;
                    part.hidden = Hidden::Unknown;
                }
            }
        }
    }

    /// Compares what is stored, the rows of [`STORED`], with what may be public, and takes what was unknown; returns what is wrong.
    pub fn check(&mut self, stored: &str) -> Option<String> {
        let mut there = BTreeSet::new();
        for row in stored.lines() {
            let cells: Vec<&str> = row.split('|').collect();
            let number = number_of(cells[0]);
            there.insert(number);
            let author = Some(cells[2]).filter(|it| *it != "Anonymous");
            let status = Some(cells[1]).filter(|it| *it == "published");
            let reply = Some(cells[3]).filter(|it| !it.is_empty());
            let is_own = self.own.contains(&number);
            let Some(parts) = self.reviews.get_mut(&number) else {
                return Some(format!("{row}: was never given"));
            };
            for (part, (name, found)) in parts
                .iter_mut()
                .zip(PARTS.into_iter().zip([status, reply, author]))
            {
                let found = found.map(str::to_owned);
                if is_own && name == "reply" {
                    if found.as_deref() != Some(OURS) {
                        return Some(format!("{row}: lacks the owner's reply"));
                    }
                    continue;
                }
                let is_known = found == part.shown;
                let is_possible =
                    part.hidden == Hidden::Unknown && (found.is_none() || found == part.perhaps);
                if !is_known && !is_possible {
                    return Some(format!("{row}: {name} should be {part:?}"));
                }
                part.shown = found;
                part.perhaps = None;
            }
        }
        // An undo takes away what a run added.
        self.reviews.retain(|number, _| there.contains(number));
        self.own.retain(|number| there.contains(number));
        None
    }
}

impl Part {
    /// Takes what a row says; `value` is `None` if it says nothing, and empty if it says that there is none.
    fn take(&mut self, verdict: &Verdict, value: Option<String>) {
        self.perhaps = None;
        match (verdict, value) {
            (Verdict::Hides, _) => {
                self.shown = None;
                self.hidden = Hidden::Yes;
            }
            (_, None) => {}
            (_, Some(value)) if value.is_empty() => self.shown = None,
            (Verdict::Listed, value) => {
                self.shown = value;
                self.hidden = Hidden::No;
            }
            (Verdict::Silent, value) => match self.hidden {
                Hidden::No => self.shown = value,
                Hidden::Yes => {}
                Hidden::Unknown => self.perhaps = value,
            },
        }
    }
}
