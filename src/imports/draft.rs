//! Completes a source's format from the columns of a file: a field takes the one column with an exact name of it (`names.toml`), and what
//! is then open stands as `"?"`. Of cells only numbers of rows and what a key is about count, and nothing that a format says is changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use chrono::NaiveDate;

use crate::imports::fault::FileError;
use crate::imports::files::{Basis, TableInput};
use crate::imports::format::{
    Format, Names, PublicColumn, PublicPart, basic_string, column_key, ignored_name, is_inside,
    is_same_column, named_field,
};
use crate::imports::opened_file::{describe_places, find_lacking_keys};
use crate::imports::read::{LIST, Table};
use crate::imports::row::{VALUES_MAX, field_columns, find_evidence};
use crate::imports::value::date::{DateOrder, Evidence, is_date};
use crate::imports::value::rating::plain_number;
use crate::imports::value::text::{find_number, has_address, is_empty, without_contacts};
use crate::model::ReviewField;
use crate::model::text::shorten;

/// Words from which on a cell is a sentence.
const SENTENCE_WORDS_MIN: usize = 4;
/// Maximum number of letters in a cell of a language without blanks that is no sentence.
const LETTERS_MAX: usize = 12;
/// Maximum number of characters of a cell that is shown.
const CELL_CHARACTERS_MAX: usize = 40;
/// Numbers of cells and of different values of a column that are shown.
const CELLS_SHOWN: usize = 3;
const VALUES_SHOWN: usize = 6;
const COLUMNS_SHOWN: usize = 60;
/// Words in the names of columns that say what may be published.
const STATES: &str = "status|publish|public|consent|approv|permission";
/// Maximum number of characters of their names in a sentence.
const LEFT_CHARACTERS_MAX: usize = 200;

/// A format as far as it is known, and what its file contains.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The owner's part of the format, with the keys that are open.
    pub format: Format,
    /// The name of the file.
    pub file: String,
    pub columns: Vec<DraftColumn>,
    /// The columns that are left, which `ignored` asks about.
    pub left: Vec<String>,
    /// The highest number of a rating, where some are above five or below one.
    pub highest: Option<f64>,
    /// A date that may be read in both ways, and its two days.
    pub unclear_date: Option<(String, [NaiveDate; 2])>,
    /// The order of dates in each column where one is known: that which its cells prove, else that of the country.
    pub orders: BTreeMap<usize, DateOrder>,
    pub location: Option<String>,
    /// The encodings that the file may have, each with a word; empty if it is known.
    pub encodings: Vec<(&'static str, String)>,
    /// The sheets, or the lists, of which one must be named, with their numbers of rows; empty if it is known.
    pub places: Vec<(String, usize)>,
    /// What stands beside the list, or the lists of which one must be named.
    pub beside: Vec<(String, String)>,
    /// The row that has names of columns, if its header has none.
    pub names_below: Option<u64>,
    /// Whether a row can be read.
    pub has_row: bool,
    /// Whether the table was fetched: what stands where names of columns do may be a sentence of the server.
    pub is_fetched: bool,
    /// Whether the table needs a source of its own, since the source that it would be of has another format.
    pub needs_source: bool,
}

/// A column with cells, as it may be shown.
#[derive(Debug, Clone)]
pub struct DraftColumn {
    pub header: String,
    /// Its first cells.
    pub cells: Vec<String>,
    /// Its values with their counts, as the cells are written, the most frequent first; empty if it has too many texts.
    pub values: Vec<(String, u64)>,
}

/// A cell that may be shown: on one line, short, without texts, addresses and telephone numbers.
pub fn shown_cell(cell: &str) -> String {
    if is_sentence(cell) {
        return "(text)".to_owned();
    }
    shorten(&shown_line(cell), CELL_CHARACTERS_MAX)
}

/// A cell on one line, without addresses and telephone numbers; of a sentence the rest stays, because it may be a choice.
fn shown_line(cell: &str) -> String {
    let line = cell.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line = line.replace(char::is_control, "");
    if is_sentence(&line) {
        line = without_contacts(&line);
    }
    if line.is_empty() {
        "(empty)".to_owned()
    } else if has_address(&line) {
        "(address)".to_owned()
    } else if !is_date(&line) && find_number(&line).is_some() {
        "(number)".to_owned()
    } else {
        line
    }
}

/// The values of a column that is asked about, each as short as others are if they can be told apart.
pub fn shown_values<'v>(values: impl IntoIterator<Item = &'v str>) -> Vec<String> {
    let lines: Vec<String> = values.into_iter().map(shown_line).collect();
    let different = BTreeSet::from_iter(&lines).len();
    let mut characters = CELL_CHARACTERS_MAX;
    loop {
        let shown = lines.iter().map(|line| shorten(line, characters));
        let shown: Vec<String> = shown.collect();
        if BTreeSet::from_iter(&shown).len() == different {
            return shown;
        }
        characters *= 2;
    }
}

fn is_sentence(cell: &str) -> bool {
    // Chinese, Japanese, Thai and the like are written without blanks.
    let is_unspaced = |c: &char| ('\u{e00}'..'\u{1100}').contains(c) || *c >= '\u{3040}';
    if cell.chars().filter(is_unspaced).count() > LETTERS_MAX {
        return true;
    }
    let words = cell.split_whitespace();
    let words = words.filter(|word| word.contains(char::is_alphabetic) && !word.contains("://"));
    words.count() >= SENTENCE_WORDS_MIN
}

/// The name of a column or member in what was fetched: of a sentence, which the server may have written in place of one, only the
/// beginning.
pub fn cut_sentence(name: &str) -> Cow<'_, str> {
    if !is_sentence(name) {
        return name.into();
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    let words = words[..words.len().min(SENTENCE_WORDS_MIN - 1)].join(" ");
    format!(
        "{}…",
        words.chars().take(LETTERS_MAX * 2).collect::<String>()
    )
    .into()
}

/// Whether these values are choices: few that repeat.
fn are_choices(values: &[(String, u64)]) -> bool {
    values.len() <= VALUES_SHOWN && values.iter().any(|it| it.1 > 1 && !it.0.is_empty())
}

/// Whether at least half of these values that are not empty are sentences.
fn are_texts(values: &[(String, u64)]) -> bool {
    let filled = values.iter().filter(|it| !it.0.is_empty());
    let sentences = filled.clone().filter(|it| is_sentence(&it.0)).count();
    sentences > 0 && sentences * 2 >= filled.count()
}

/// A table whose columns without a name are none: those with a cell have one. Nor is one that has null in place of an object.
struct Columns<'t> {
    table: &'t Table,
    named: Vec<usize>,
}

impl<'t> Columns<'t> {
    fn new(table: &'t Table) -> Self {
        let columns = &table.columns;
        let is_null_object = |column: &usize| {
            let name = &columns[*column];
            table.is_objects
                && columns.iter().any(|other| is_inside(other, name))
                && !table.has_cells(*column)
        };
        let named = (0..columns.len()).filter(|column| !columns[*column].is_empty());
        Self {
            table,
            named: named.filter(|column| !is_null_object(column)).collect(),
        }
    }

    fn name(&self, column: usize) -> &'t str {
        &self.table.columns[column]
    }

    fn names(&self, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|it| self.name(*it).to_owned()).collect()
    }

    /// The columns with an exact name of a field: those with cells, if there are any. A field that each review has, and an ID, is in no column
    /// without a cell, unless there is no row.
    fn exact(&self, field: ReviewField) -> Vec<usize> {
        let mut found = self.named.clone();
        found.retain(|column| {
            let double = self.table.doubles.get(column).map(String::as_str);
            named_field(double.unwrap_or_else(|| self.name(*column))) == Some(field)
                && !self.is_list(*column)
                // Numbers of rows begin again in each file, so they are no IDs.
                && !(field == ReviewField::Id && self.table.counts_rows(*column))
        });
        let mut filled = found.clone();
        filled.retain(|column| self.table.has_cells(*column));
        let needs_cells = ReviewField::CORE.contains(&field)
            || ReviewField::AUTHORS.contains(&field)
            || field == ReviewField::Id;
        let has_rows = self.table.rows.iter().any(|row| row.fault.is_none());
        if filled.is_empty() && !(needs_cells && has_rows) {
            found
        } else {
            filled
        }
    }

    fn is_list(&self, column: usize) -> bool {
        self.table.cells(column).any(|(_, cell)| cell == LIST)
    }

    /// The values of a column with their counts, as written; empty if it has too many texts.
    fn values(&self, column: usize) -> Vec<(String, u64)> {
        let mut values: Vec<(String, u64)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for row in self.table.rows.iter().filter(|row| row.fault.is_none()) {
            let cell = row.cell(column).unwrap_or_default().trim();
            let key = cell.to_lowercase();
            if values.len() == VALUES_MAX && !places.contains_key(&key) {
                continue;
            }
            let place = *places.entry(key).or_insert(values.len());
            if place == values.len() {
                values.push((cell.to_owned(), 0));
            }
            values[place].1 += 1;
        }
        if values.len() == VALUES_MAX && are_texts(&values) {
            return Vec::new();
        }
        values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        values
    }
}

impl Draft {
    /// The draft of a table, whose dates are before `tomorrow` and, if no cell proves their order, in that of the country; `files` has the
    /// names of the rows' files.
    ///
    /// # Errors
    /// When a column proves two orders of dates.
    pub fn new(
        input: &TableInput,
        country: Option<&str>,
        tomorrow: NaiveDate,
        files: &[String],
    ) -> Result<Self, FileError> {
        let (table, base) = (&input.table, input.choice.base());
        let columns = &Columns::new(table);
        let mut draft = Self {
            format: input.choice.owners.clone(),
            encodings: input.encodings.clone(),
            places: input.places.clone(),
            beside: table.beside.clone(),
            names_below: table.names_below,
            has_row: table.rows.iter().any(|row| row.fault.is_none()),
            // A table of another source is never imported under the format that a source keeps, nor in its place.
            needs_source: matches!(input.choice.basis, Basis::DraftOfOther),
            ..Self::default()
        };
        if !draft.places.is_empty() {
            // Each has other columns, so nothing else can be asked yet.
            draft.format.open.clear();
            draft.open(if table.is_objects { "rows" } else { "sheet" });
            return Ok(draft);
        }
        if base.is_none() {
            draft.fill_core(columns);
        }
        if matches!(input.choice.basis, Basis::Draft | Basis::DraftOfOther) {
            draft.fill_others(columns);
        }
        let whole = &Format::combined(base, &draft.format);
        let lacking = find_lacking_keys(&draft.format, table);
        draft.format.open.extend(lacking);
        if let Some(base) = base {
            draft.open_gone_blocks(base, whole, table);
        }
        // The members of a platform's JSON that no format names are passed over.
        if base.is_none() || !table.is_objects {
            draft.find_left(columns, whole);
        }
        let evidence = find_evidence(whole, table, tomorrow, files)?;
        let usual = country.and_then(DateOrder::of_country);
        for (column, evidence) in &evidence {
            let order = evidence.order().or(usual);
            draft.orders.extend(order.map(|it| (*column, it)));
        }
        if base.is_none() {
            draft.find_scale(table);
            draft.find_date_format(&evidence);
        }
        if whole.only.is_none() {
            draft.find_location(columns, whole);
        }
        if !draft.encodings.is_empty() {
            draft.open("encoding");
        }
        Ok(draft)
    }

    /// Adds the columns of the table as they may be shown.
    pub fn show_columns(&mut self, table: &Table) {
        let columns = Columns::new(table);
        let shown = columns.named.iter().map(|column| {
            let cells = table.cells(*column).take(CELLS_SHOWN);
            DraftColumn {
                header: columns.name(*column).to_owned(),
                cells: cells.map(|(_, cell)| shown_cell(cell)).collect(),
                values: columns.values(*column),
            }
        });
        self.columns = shown.collect();
    }

    fn open(&mut self, key: &str) {
        self.format.open.insert(key.to_owned());
    }

    pub fn is_open(&self, key: &str) -> bool {
        self.format.open.contains(key)
    }

    fn says(&self, field: ReviewField) -> bool {
        self.format.fields.contains_key(&field) || self.is_open(&format!("fields.{field}"))
    }

    fn fill(&mut self, field: ReviewField, column: &str) {
        let names = Names::List(vec![column.to_owned()]);
        self.format.fields.insert(field, names);
    }

    /// Fills the fields of each review that the format does not say, each from the one column with an exact name of it.
    fn fill_core(&mut self, columns: &Columns<'_>) {
        let exact = |field| columns.names(&columns.exact(field));
        let (first, last) = (exact(ReviewField::FirstName), exact(ReviewField::LastName));
        let fields = &self.format.fields;
        let mut authors = ReviewField::AUTHORS.iter();
        let has_author = authors.any(|field| fields.contains_key(field));
        for field in ReviewField::CORE {
            let is_author = field == ReviewField::Author;
            if self.format.fields.contains_key(&field) || is_author && has_author {
                continue;
            }
            // What was open in the draft of another header may be clear now.
            self.format.open.remove(&format!("fields.{field}"));
            match (field, &exact(field)[..], &first[..], &last[..]) {
                // `Name` beside `Vorname` is the last name, or the whole.
                (ReviewField::Author, [name], [first], [])
                | (ReviewField::Author, [], [first], [name]) => {
                    self.fill(ReviewField::FirstName, first);
                    self.fill(ReviewField::LastName, name);
                }
                (_, [column], ..) => self.fill(field, column),
                _ => self.open(&format!("fields.{field}")),
            }
        }
    }

    /// Fills the other fields that the format does not say, and whose column it does not name.
    fn fill_others(&mut self, columns: &Columns<'_>) {
        for field in ReviewField::ALL {
            let names = self.format.all_names();
            let is_other = !ReviewField::CORE.contains(&field)
                && !ReviewField::AUTHORS.contains(&field)
                && field != ReviewField::Source;
            if is_other
                && !self.says(field)
                && let [column] = &columns.names(&columns.exact(field))[..]
                && !names.iter().any(|name| is_same_column(column, name))
            {
                self.fill(field, column);
            }
        }
    }

    /// Opens the blocks of the built-in format whose columns the table lacks, unless it is known what that means. Without a reply there is
    /// none to hide, and without a row nothing.
    fn open_gone_blocks(&mut self, base: &Format, whole: &Format, table: &Table) {
        let replies = field_columns(whole, table, ReviewField::ReplyText);
        let has_replies = replies.iter().any(|it| table.has_cells(*it));
        for part in PublicPart::ALL {
            let is_needed = match part {
                PublicPart::Reply => has_replies,
                PublicPart::Review | PublicPart::Name => {
                    !(table.is_objects && table.rows.is_empty())
                }
            };
            let count = base.public_list_of(part).len();
            for block in &whole.public_list_of(part)[..count] {
                if !is_needed || block.missing.is_some() || has_block(table, block) {
                    continue;
                }
                let list = self.format.public_list(part);
                let found = list.iter().position(|it| block.is_named_by(it));
                let number = found.unwrap_or_else(|| {
                    list.push(PublicColumn::of_base(&block.names, None));
                    list.len() - 1
                });
                self.open(&format!("{part}.{number}.missing"));
            }
        }
    }

    /// Finds the columns that the format does not name.
    fn find_left(&mut self, columns: &Columns<'_>, whole: &Format) {
        let table = columns.table;
        let read = whole.columns_read();
        let used = read.iter().flat_map(|names| table.columns_of(names));
        let used: Vec<usize> = used.collect();
        let ignores_all = self.format.ignores_all();
        let mut left = columns.named.clone();
        left.retain(|column| {
            !used.contains(column) && (ignores_all || !whole.ignores(&table.columns, *column))
        });
        let left = columns.names(&left);
        if ignores_all {
            let left = left.iter().map(|it| ignored_name(it));
            self.format.ignored = Names::List(left.collect());
        } else if left.is_empty() {
            self.format.open.remove("ignored");
        } else {
            self.left = left;
            self.open("ignored");
        }
    }

    fn find_scale(&mut self, table: &Table) {
        let columns = field_columns(&self.format, table, ReviewField::Rating);
        let cells = columns.iter().flat_map(|column| table.cells(*column));
        let numbers = cells.filter_map(|(_, cell)| plain_number(cell));
        let numbers: Vec<f64> = numbers.collect();
        let is_other = |number: &f64| *number > 5.0 || 0.0 < *number && *number < 1.0;
        if self.format.scale.is_none() && numbers.iter().any(is_other) {
            self.highest = numbers.into_iter().reduce(f64::max);
            self.open("scale");
        }
    }

    /// Takes the order of dates that the columns prove, each by itself.
    fn find_date_format(&mut self, evidence: &BTreeMap<usize, Evidence>) {
        let mut orders = evidence.values().filter_map(Evidence::order);
        if let Some(first) = orders.next()
            && orders.all(|order| order == first)
        {
            self.format.date_format = Some(first.format());
            self.format.open.remove("date_format");
            return;
        }
        let mut unknown = evidence.iter().filter(|it| !self.orders.contains_key(it.0));
        self.unclear_date = unknown.find_map(|(_, evidence)| evidence.unclear.clone());
        if self.unclear_date.is_some() {
            self.open("date_format");
        }
    }

    /// Asks which location is the business's, where the format's `location` has several, and the owner did not say that all are.
    fn find_location(&mut self, columns: &Columns<'_>, whole: &Format) {
        for column in field_columns(whole, columns.table, ReviewField::Location) {
            let values = columns.values(column);
            let has_name = values.iter().any(|(value, _)| !is_empty(value, false));
            let is_ignored = whole.ignores(&columns.table.columns, column);
            if values.len() > 1 && has_name && self.location.is_none() && !is_ignored {
                self.location = Some(columns.name(column).to_owned());
                self.open("only");
            }
        }
    }
}

/// Whether a table has a column of a block, or a member of one. The object around it says nothing: null in its place may stand for a layout
/// that never had the column.
pub fn has_block(table: &Table, block: &PublicColumn) -> bool {
    let names = block.names.parts().into_iter();
    let mut columns = table.columns.iter();
    !table.columns_of(&block.names).is_empty()
        || table.is_objects
            && columns.any(|column| names.clone().any(|name| is_inside(column, name)))
}

// The text of a draft, and what the owner says of it.

/// A comment, which no cell ends.
fn comment(text: &str) -> String {
    let line = text.replace(char::is_control, " ");
    format!("# {}\n", line.trim_end())
}

impl Draft {
    pub fn column(&self, header: &str) -> Option<&DraftColumn> {
        self.columns.iter().find(|column| column.header == header)
    }

    /// Ignores what is left, besides what the format ignores.
    pub fn ignore_left(&mut self) {
        let ignored = self.format.ignored.parts().into_iter().map(str::to_owned);
        let left = self.left.drain(..).map(|header| ignored_name(&header));
        let all: Vec<String> = ignored.chain(left).collect();
        self.format.ignored = Names::List(all);
        self.format.open.remove("ignored");
    }

    /// Fills a field; without a column it is one that the source does not have.
    pub fn answer_field(&mut self, field: ReviewField, column: Option<&str>) {
        match column {
            Some(column) => self.fill(field, column),
            None => _ = self.format.fields.insert(field, Names::Text(String::new())),
        }
        self.format.open.remove(&format!("fields.{field}"));
        self.left.retain(|left| Some(left.as_str()) != column);
        if self.left.is_empty() {
            self.format.open.remove("ignored");
        }
    }

    /// The values of a column as they may be shown: each with its count. Sentences may be private, however often they are there; names of
    /// locations are none.
    fn describe_values(&self, header: &str) -> String {
        let column = self.column(header);
        let values = column.map_or(&[][..], |column| &column.values);
        let are_locations = self.location.as_deref() == Some(header);
        if !are_locations && are_texts(values) {
            return "(text)".to_owned();
        }
        let texts = values.iter().map(|(value, _)| match &**value {
            text if !are_locations && is_sentence(text) => "(text)",
            value => value,
        });
        let shown = shown_values(texts).into_iter().zip(values);
        let shown = shown.map(|(text, (_, count))| format!("{text} {count}"));
        let mut shown: Vec<String> = shown.take(VALUES_SHOWN).collect();
        if values.len() > VALUES_SHOWN {
            shown.push("…".to_owned());
        }
        shown.join(", ")
    }

    /// The text of the draft; `command` takes it once each `"?"` is replaced.
    pub fn text(&self, command: &str) -> String {
        let next = match self.format.open.len() {
            0 => "",
            _ => ". Replace each \"?\" and run",
        };
        let begin = format!("How {} is read{next}: {command}", self.file);
        let mut text = String::new();
        for line in [begin].into_iter().chain(self.describe_around()) {
            text += &comment(&line);
        }
        for (path, line) in self.format.lines() {
            if self.is_open(&path) {
                for line in self.ask(&path) {
                    text += &comment(&line);
                }
            }
            let field = path.strip_prefix("fields.");
            let cells = field.and_then(|name| self.cells_of(name));
            let _ = match cells {
                Some(cells) => write!(text, "{line:<34} {}", comment(&cells)),
                None => writeln!(text, "{line}"),
            };
        }
        text
    }

    /// The first cells of the column of a field, as they may be shown.
    fn cells_of(&self, field: &str) -> Option<String> {
        let field = ReviewField::find(field)?;
        let names = self.format.fields.get(&field)?.parts();
        let column = self.column(names.first()?)?;
        let is_text = [ReviewField::Text, ReviewField::ReplyText].contains(&field);
        let cells = column.cells.join(", ");
        Some(if is_text { "(text)".to_owned() } else { cells })
    }

    /// The comment on an open key.
    fn ask(&self, key: &str) -> Vec<String> {
        match key {
            "ignored" => self.ask_left(),
            "encoding" => {
                let first =
                    "The file is not UTF-8. Take away the # of the line that reads it rightly:";
                let encodings = self.encodings.iter().map(|(name, word)| {
                    format!("encoding = {} # {}", basic_string(name), shown_cell(word))
                });
                [first.to_owned()].into_iter().chain(encodings).collect()
            }
            "only" => vec![
                format!(
                    "Which of these is this business's: {}? For example",
                    self.question(key)
                ),
                "  only = { column = \"…\", value = \"…\" }".to_owned(),
                "If all are, name the column in `ignored`.".to_owned(),
            ],
            _ => vec![self.question(key)],
        }
    }

    /// What of the file is not read, and where its header may be, in lines.
    pub fn describe_around(&self) -> Vec<String> {
        let beside = self.beside.iter();
        let beside =
            beside.map(|(name, value)| format!("{} = {}", basic_string(name), shown_cell(value)));
        let beside = beside.collect::<Vec<_>>().join(", ");
        let beside = (!beside.is_empty()).then(|| format!("Beside the list, not read: {beside}"));
        beside.into_iter().chain(self.describe_header()).collect()
    }

    /// Where its header may be instead.
    fn describe_header(&self) -> Option<String> {
        let row = self.names_below?;
        let advice = "are those of the columns, write header_row";
        Some(format!(
            "Row {row} has names of fields: if they {advice} = {row} into the format, and leave the fields out"
        ))
    }

    fn ask_left(&self) -> Vec<String> {
        let shown = self.left.iter().take(COLUMNS_SHOWN);
        let shown = shown.map(|name| {
            let shown = basic_string(&self.shown_name(name));
            format!("{shown} ({})", self.describe_values(name))
        });
        let left = shown.collect::<Vec<_>>().join(", ");
        let has_state = |name: &&String| STATES.split('|').any(|it| column_key(name).contains(it));
        let has_choices =
            |name: &&String| self.column(name).is_some_and(|it| are_choices(&it.values));
        let mut names = self.left.iter();
        let named = names.clone().rfind(has_state);
        let name = named.or_else(|| names.rfind(has_choices));
        let name = name.map_or("…".into(), |name| self.shown_name(name));
        let ignored = match self.format.ignored.parts().join(", ") {
            none if none.is_empty() => none,
            names => format!(" Ignored already: {names}."),
        };
        vec![
            format!("Left: {left}.{ignored}"),
            "Does one of them say whether a review, your reply or the name may be published? Then add at the end, for example,".to_owned(),
            "  [[public]]                # or [[public_reply]], [[public_name]]".to_owned(),
            format!("  names = [{}]", basic_string(&name)),
            // No value of the file: it may mean that the review is hidden.
            "  values = [\"yes\"]".to_owned(),
            "and ignore the others: ignored = \"*\"".to_owned(),
        ]
    }

    /// The name of a column as it may be shown.
    pub fn shown_name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if self.is_fetched {
            cut_sentence(name)
        } else {
            name.into()
        }
    }

    /// What is open, in words, a line for each key.
    pub fn describe_open(&self) -> Vec<String> {
        let keys = self.format.open.iter();
        let open = keys.map(|key| format!("{key}: {}", self.question(key)));
        open.chain(self.describe_header()).collect()
    }

    /// What an open key asks.
    pub fn question(&self, key: &str) -> String {
        match key {
            "ignored" => {
                let left: Vec<_> = self.left.iter().map(|name| self.shown_name(name)).collect();
                format!(
                    "whether one of {} says that a review, your reply or the name may be published",
                    shorten(&left.join(", "), LEFT_CHARACTERS_MAX)
                )
            }
            "scale" => {
                let highest = self.highest.unwrap_or_default();
                let ends = if highest > 5.0 {
                    "10, 20, 100"
                } else {
                    "1 for shares of one"
                };
                format!("the end of the ratings' scale ({ends}); the highest is {highest}")
            }
            "date_format" => match &self.unclear_date {
                Some((date, [month, day])) => format!(
                    "mm/dd/yyyy if {} is {month}, dd/mm/yyyy if it is {day}",
                    shown_cell(date)
                ),
                None => "how dates are written".to_owned(),
            },
            "encoding" => "the encoding of the file".to_owned(),
            "sheet" | "rows" => format!("one of {}", describe_places(&self.places)),
            "only" => match &self.location {
                Some(column) => format!("{column} has {}", self.describe_values(column)),
                None => "the file lacks the column of the locations".to_owned(),
            },
            key => match key.strip_prefix("fields.").and_then(ReviewField::find) {
                Some(field) => format!("which column is the {field}"),
                None => self.question_of_block(key),
            },
        }
    }

    /// The block of an open key such as `public.0.missing`, with its part.
    pub fn block_of(&self, key: &str) -> Option<(PublicPart, &PublicColumn)> {
        let mut steps = key.split('.');
        let part = PublicPart::find(steps.next()?)?;
        let number: usize = steps.next()?.parse().ok()?;
        Some((part, self.format.public_list_of(part).get(number)?))
    }

    fn question_of_block(&self, key: &str) -> String {
        match self.block_of(key).filter(|_| key.ends_with(".missing")) {
            Some((part, block)) => {
                let renamed = if block.is_of_base() {
                    ""
                } else {
                    ", or the column that says it now into `names`, without `missing`"
                };
                format!(
                    "the file lacks {}, which says which {noun} are public; write whether those of a file without it are \"public\" or \
                     \"hidden\" (what it hid stays hidden){renamed}",
                    block.names.parts().join(", "),
                    noun = part.hidden_noun(),
                )
            }
            None => "the column that says what may be published".to_owned(),
        }
    }

    /// Whether nothing of a review was found.
    pub fn finds_no_review(&self) -> bool {
        let fields = ["fields.rating", "fields.date", "fields.text"];
        fields.iter().all(|key| self.is_open(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_marks_and_harmless_brackets_do_not_change_a_name() {
        let named = "review; REVIEW:; 3. Review *; Q2) Review?; Review (optional); review_text; Review [your words]";
        for header in named.split("; ") {
            assert_eq!(named_field(header), Some(ReviewField::Text), "{header}");
        }
        for header in ["Stars (1-5)", "Stars (1 - 5)", "Stars (1–5)"] {
            assert_eq!(named_field(header), Some(ReviewField::Rating), "{header}");
        }
        let others = "!Review; *Review; #Review; ~Review; -Review; _Review; =Review; Re!view; Review 2; Reviews of others; My review; Review (2); Stars (0-10); Stars (1-6); Review ✅; \
            Review (Private notes); Title [hidden]; Reply (for our eyes)";
        for header in others.split("; ") {
            assert_eq!(named_field(header), None, "{header}");
        }
    }

    #[test]
    fn shown_cells_have_no_addresses_texts_or_line_breaks() {
        for (cell, shown) in [
            ("ann@e.com", "(address)"),
            ("192.0.2.1, 2001:db8::1", "(address)"),
            ("+1 602 555 0100", "(number)"),
            ("On time and very tidy", "(text)"),
            ("2026-03-02", "2026-03-02"),
            ("yes\n[fields]\r\nx", "yes [fields] x"),
            (" ", "(empty)"),
        ] {
            assert_eq!(shown_cell(cell), shown);
        }
    }

    #[test]
    fn long_values_are_shown_until_they_differ() {
        let long = "Yes, you may publish my review on your website";
        let values = [
            "ann@e.com",
            "No",
            &format!("{long} with my name, ann@e.com"),
            long,
        ];
        assert_eq!(
            shown_values(values),
            ["(address)", "No", &format!("{long} with my name"), long]
        );
    }
}
