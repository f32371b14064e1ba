//! Decides how the columns of a table are read: each is a field, or listed in the platform's file, or decided by the owner; anything
//! else is a question. Pure: the same table, request and kept columns give the same answer. `questions` shows the questions.
//!
//! A field takes its columns from, in this order: the options of the call, what is kept for the source and header, the one column
//! with an exact name of the field (`names.toml`). Nothing is inferred from cells; they only decide whether a further question is asked.

use std::collections::HashMap;
use std::num::NonZeroU8;

use crate::imports::export::is_export;
use crate::imports::map::columns::Columns;
use crate::imports::map::fields::{
    COLUMNS, PublicIf, ReviewField, Subject, is_one_of, named_field,
};
use crate::imports::map::questions::{Asks, NEEDED, Question, VALUE};
use crate::imports::map::values::{
    header_key, is_address, is_empty, is_in, names, parse_rating, same_name, scale_in_header,
    scale_shown,
};
use crate::imports::platforms::{Format, PublicColumn};
use crate::imports::read::workbook::HIDDEN_ROW;
use crate::imports::report::FileError;
use crate::imports::request::ImportRequest;
use crate::imports::table::{Table, find, is_date};
use crate::model::{NOT_PUBLISHED, Status};
use crate::storage::columns::{BY_NAME, BY_OTHERS, BY_OWNER, IGNORED, KeptColumn, KeptColumns};

/// The columns, with what is not decided yet.
#[derive(Debug)]
pub struct Decided<'f> {
    pub columns: Columns<'f>,
    /// If there are any, nothing may be imported.
    pub questions: Vec<Question>,
    /// What is kept for the next import.
    pub kept: KeptColumns,
}

/// `stored` is kept of earlier imports, and `before` of the files before in this one, too.
///
/// # Errors
/// When an option does not fit the table.
pub fn decide<'f>(
    table: &'f Table,
    format: &'static Format,
    request: &'f ImportRequest,
    date_format: Option<&'f str>,
    (stored, before): (&KeptColumns, &KeptColumns),
) -> Result<Decided<'f>, FileError> {
    let is_value = |name: &String| is_date(name) || is_address(name);
    if format.is_table() && table.columns.iter().any(is_value) {
        return Err(FileError::new(
            "is a table without a header, because its first row has a date or an address; put a row with the names of the columns \
             above it",
        ));
    }
    let has_too_many = table.rows.len() * table.columns.len() > CELLS_MAX;
    if table.has_more_columns || table.is_objects() && has_too_many {
        return Err(FileError::new(
            "has objects with more than 2,000 different members, or more than 50,000,000 of all rows together; give a file with the \
             members of reviews only, or split it",
        ));
    }
    request
        .columns
        .check(&table.columns, format.is_table() && !table.is_objects())?;
    let source = request.source_of(format);
    let mut kept = before.clone();
    request.columns.apply(&mut kept, source, &table.columns);
    if request.no_text {
        let row = kept.entry(source, "", ReviewField::Text.label());
        BY_OWNER.clone_into(&mut row.decided_by);
    }
    // Our own export with a column added has our own names.
    let is_own = is_export(&table.columns);
    let named = |header: &String| {
        let mut own = ReviewField::ALL.into_iter();
        if is_own {
            own.find(|field| field.name() == header.as_str())
        } else {
            named_field(header)
        }
    };
    let mut rows: HashMap<String, Vec<KeptColumn>> = HashMap::new();
    for row in kept.of(source).filter(|row| !row.header.is_empty()) {
        rows.entry(header_key(&row.header))
            .or_default()
            .push(row.clone());
    }
    let mut keys: HashMap<String, usize> = HashMap::new();
    for header in &table.columns {
        *keys.entry(header_key(header)).or_default() += 1;
    }
    let rows_of = |header: &String| {
        let key = header_key(header);
        let mut found = rows.get(&key).cloned().unwrap_or_default();
        // Of two spellings in one table each is a column of its own.
        found.retain(|row| keys.get(&key) == Some(&1) || row.header == *header);
        found
    };
    let named = |column: usize| named(&table.columns[column]).filter(|_| !table.is_list(column));
    let mut decision = ColumnsDecision {
        source,
        named: (0..table.columns.len()).map(named).collect(),
        rows: table.columns.iter().map(rows_of).collect(),
        is_own,
        columns: Columns::new(table, format, request, date_format),
        stored,
        before,
        kept,
        questions: Vec::new(),
    };
    if !format.is_table() {
        decision.fill_by_platform();
    }
    decision.fill_fields()?;
    decision.decide_others();
    decision.decide_public();
    decision.decide_scale();
    decision.keep();
    let ColumnsDecision {
        columns,
        mut questions,
        kept,
        ..
    } = decision;
    if table.is_objects() && table.columns.is_empty() {
        // An empty list lacks nothing.
        questions.clear();
    }
    Ok(Decided {
        columns,
        questions,
        kept,
    })
}

/// What is decided so far.
struct ColumnsDecision<'f, 'k> {
    source: &'f str,
    /// By column: the field of which its header is an exact name, and what is kept of it.
    named: Vec<Option<ReviewField>>,
    rows: Vec<Vec<KeptColumn>>,
    /// Whether the table is our own export with a column added.
    is_own: bool,
    columns: Columns<'f>,
    /// What was kept before this call, and before this file.
    stored: &'k KeptColumns,
    before: &'k KeptColumns,
    kept: KeptColumns,
    questions: Vec<Question>,
}

impl ColumnsDecision<'_, '_> {
    fn header(&self, column: usize) -> String {
        self.columns.table.columns[column].clone()
    }

    fn headers(&self, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|column| self.header(*column)).collect()
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.rows.len()
    }

    fn row(&self, column: usize, is_so: impl Fn(&&KeptColumn) -> bool) -> Option<&KeptColumn> {
        self.rows[column].iter().find(is_so)
    }

    fn is_public(&self, column: usize) -> bool {
        self.row(column, |row| Subject::of_field(&row.field).is_some())
            .is_some()
    }

    /// Takes the columns that the platform's file names.
    fn fill_by_platform(&mut self) {
        let Columns { format, table, .. } = self.columns;
        for (field, list) in &format.fields {
            self.columns.fill(*field, table.find_all(list));
        }
        // A name of the author may also be one of these.
        let signs = format.public.iter().chain(&format.public_answer);
        let signs: Vec<usize> = signs.flat_map(|sign| table.find_all(&sign.names)).collect();
        let mut authors = self.columns.field(ReviewField::Author).to_vec();
        authors.retain(|column| !signs.contains(column));
        self.columns.fill(ReviewField::Author, authors);
    }

    fn fill_fields(&mut self) -> Result<(), FileError> {
        for field in ReviewField::MAPPED {
            let own = self.kept_columns(field)?;
            let is_lacking = self.kept.find(self.source, "", field.label()).is_some();
            if !self.columns.field(field).is_empty() {
                self.refuse_second(field)?;
            } else if !own.is_empty() {
                let is_by_name =
                    |row: &&KeptColumn| row.field == field.label() && row.decided_by == BY_NAME;
                if field == ReviewField::Id && self.row(own[0], is_by_name).is_some() {
                    self.doubt_id(own[0]);
                }
                self.columns.fill_by_owner(field, own);
            } else if self.columns.format.is_table()
                && (!is_lacking
                    || field == ReviewField::Text && !self.named_columns(field).is_empty())
            {
                // A sheet of ratings may get texts.
                self.fill_by_name(field);
            }
        }
        Ok(())
    }

    /// The columns of a field that are kept, in their order; several that are not meant together are asked about.
    fn kept_columns(&mut self, field: ReviewField) -> Result<Vec<usize>, FileError> {
        let place = |column: usize| {
            Some((
                self.row(column, |row| row.field == field.label())?.position,
                column,
            ))
        };
        let mut found: Vec<(i64, usize)> = self.all().filter_map(place).collect();
        found.sort_unstable();
        let are_joined = found.is_sorted_by(|(one, _), (next, _)| one < next);
        let columns: Vec<usize> = found.into_iter().map(|(_, column)| column).collect();
        if columns.len() < 2 || are_joined && field.separator().is_some() {
            return Ok(columns);
        }
        let (label, fitting) = (field.label(), self.headers(&columns));
        if are_joined {
            let (count, names) = (columns.len(), fitting.join(", "));
            return Err(FileError::new(format!(
                "--map names {count} columns for {label}: {names}; name one"
            )));
        }
        self.ask_field(field, fitting);
        Ok(columns)
    }

    /// `--map` fills only what the platform's format leaves empty, or names one of the columns that the format joins.
    fn refuse_second(&self, field: ReviewField) -> Result<(), FileError> {
        let Columns {
            format,
            table,
            request,
            ..
        } = self.columns;
        let mut maps = request.columns.maps.iter();
        let is_read = |column: &usize| {
            format.joined == Some(field) && self.columns.field(field).contains(column)
        };
        let second = maps.find(|map| {
            let column = table.find(&map.column).filter(|it| !is_read(it));
            map.field == field && !map.column.is_empty() && column.is_some()
        });
        let Some(second) = second.filter(|_| !format.is_table()) else {
            return Ok(());
        };
        let (label, column) = (field.label(), &second.column);
        let known = self.headers(self.columns.field(field)).join(", ");
        Err(FileError::new(format!(
            "is {}, whose {label} is {known}; leave --map {label}={column} out, or pass --format table to read it as any table",
            format.label
        )))
    }

    /// The columns with an exact name of the field that are nothing else; those that only say whether a review is public are taken if
    /// there is no other.
    fn named_columns(&self, field: ReviewField) -> Vec<usize> {
        let is_other = |row: &&KeptColumn| Subject::of_field(&row.field).is_none();
        let is_named = |column: &usize| {
            self.named[*column] == Some(field) && self.row(*column, is_other).is_none()
        };
        let all: Vec<usize> = self.all().filter(is_named).collect();
        let others: Vec<usize> = all
            .iter()
            .copied()
            .filter(|it| !self.is_public(*it))
            .collect();
        if others.is_empty() { all } else { others }
    }

    fn fill_by_name(&mut self, field: ReviewField) {
        let mut fitting = self.named_columns(field);
        if field == ReviewField::Author {
            let [first, last] = [ReviewField::FirstName, ReviewField::LastName]
                .map(|part| self.named_columns(part));
            let is_pair = fitting.is_empty() && first.len() <= 1 && last.len() <= 1;
            fitting.extend([first, last].concat());
            if is_pair {
                self.columns.fill(field, fitting.clone());
                if !fitting.is_empty() {
                    return;
                }
            }
        }
        match fitting[..] {
            [one] => {
                self.columns.fill(field, fitting);
                if field == ReviewField::Text {
                    self.doubt_text(one);
                } else if field == ReviewField::Id {
                    self.doubt_id(one);
                }
            }
            // An object may lack what others have.
            [] if !NEEDED.contains(&field)
                && (self.columns.table.is_objects() || self.gone(field).is_none()) => {}
            _ => {
                let fitting = self.headers(&fitting);
                self.ask_field(field, fitting);
            }
        }
    }

    /// Asks whether a column of IDs that counts the rows has IDs.
    fn doubt_id(&mut self, column: usize) {
        if self.columns.table.counts_rows(column) {
            self.ask(Asks::Id, vec![self.header(column)]);
        }
    }

    /// Asks which column is the text, if another that is not decided has sentences, too.
    fn doubt_text(&mut self, text: usize) {
        let is_other = |column: &usize| {
            self.named[*column].is_none()
                && self.is_undecided(*column)
                && self.columns.table.has_sentences(*column)
        };
        let others: Vec<usize> = self.all().filter(is_other).collect();
        if !others.is_empty() {
            let columns = self.headers(&[vec![text], others].concat());
            self.ask_field(ReviewField::Text, columns);
        }
    }

    /// The column that filled a field in earlier imports.
    fn gone(&self, field: ReviewField) -> Option<String> {
        let mut kept = self.before.of(self.source);
        let former = kept.find(|row| row.field == field.label() && !row.header.is_empty());
        former.map(|row| row.header.clone())
    }

    fn ask(&mut self, asks: Asks, columns: Vec<String>) {
        self.questions.push(Question::new(asks, columns));
    }

    /// Asks which column fills a field; several are fitting, or none.
    fn ask_field(&mut self, field: ReviewField, fitting: Vec<String>) {
        if !fitting.is_empty() {
            let is_proposed = false;
            return self.ask(Asks::Field { field, is_proposed }, fitting);
        }
        let proposed = self.likely(field).map(|column| self.header(column));
        let is_proposed = proposed.is_some();
        self.questions.push(Question {
            asks: Asks::Field { field, is_proposed },
            columns: proposed.into_iter().collect(),
            gone: self.gone(field).into_iter().collect(),
        });
    }

    /// The one column that is not decided and alone has the cells of the field.
    fn likely(&self, field: ReviewField) -> Option<usize> {
        let table = self.columns.table;
        let is_open = |column: &usize| self.named[*column].is_none() && self.is_undecided(*column);
        let has_cells = |column: &usize| {
            field == ReviewField::Text && table.has_sentences(*column)
                || field == ReviewField::Date && table.has_only(*column, is_date)
                || field == ReviewField::Rating
                    && table.has_only(*column, |cell| parse_rating(cell, None).is_ok())
        };
        let mut fitting = self.all().filter(is_open).filter(has_cells);
        fitting.next().filter(|_| fitting.next().is_none())
    }

    /// Whether nothing is decided about a column. One without a name has no cells either.
    fn is_undecided(&self, column: usize) -> bool {
        let Columns { format, table, .. } = self.columns;
        let header = &table.columns[column];
        let signs = format.public.iter().chain(&format.public_answer);
        let mut known = signs.flat_map(|sign| names(&sign.names));
        let is_listed = if format.is_table() {
            self.is_own && is_in(COLUMNS, header)
        } else {
            format.ignores(header) || known.any(|name| same_name(name, header))
        };
        !header.is_empty()
            && !table.is_list(column)
            && self.rows[column].is_empty()
            && !self.columns.is_field(column)
            && !is_listed
    }

    /// Asks the one question about all columns that are not decided, or decides them as the owner says.
    fn decide_others(&mut self) {
        let Columns {
            format,
            table,
            request,
            ..
        } = self.columns;
        let (choices, headers) = (&request.columns, &table.columns);
        let open: Vec<usize> = self
            .all()
            .filter(|column| self.is_undecided(*column))
            .collect();
        let named = choices.public_columns(headers);
        for (subject, column, _) in named.iter().filter(|(.., value)| *value == VALUE) {
            self.ask(Asks::Values(*subject), vec![self.header(*column)]);
        }
        // Columns of publication that are not in the table any more. An object may lack what others have, and a sheet hidden rows.
        let is_gone = |row: &&KeptColumn| {
            !table.is_objects()
                && row.header != HIDDEN_ROW
                && Subject::of_field(&row.field).is_some()
                && find(headers, &row.header).is_none()
        };
        let is_replaced = |row: &&KeptColumn| {
            let mut subjects = named.iter().map(|(subject, ..)| subject.field());
            choices.ignores(&row.header) || subjects.any(|field| field == row.field)
        };
        let gone = self.before.of(self.source).filter(is_gone);
        let (answered, gone): (Vec<&KeptColumn>, Vec<_>) = gone.partition(is_replaced);
        self.kept.retain(|row| !answered.contains(&row));
        let gone: Vec<String> = gone.iter().map(|row| row.header.clone()).collect();
        // JSON of a platform gets new members, and nobody edits it by hand.
        let is_asked = format.is_table() || !table.is_objects();
        // To name a column that was not decided answers for all others, unless it says nothing of reviews.
        let is_new = |column: &usize| {
            let key = header_key(&headers[*column]);
            let mut stored = self.stored.of(self.source);
            !stored.any(|row| header_key(&row.header) == key)
        };
        let is_answered = named
            .iter()
            .any(|(subject, column, _)| *subject == Subject::Review && is_new(column));
        let is_open = is_asked && !open.is_empty() && !is_answered && !request.ignore_others;
        if is_open || !gone.is_empty() {
            let columns = self.headers(&open);
            let asks = Asks::Public;
            self.questions.push(Question {
                asks,
                columns,
                gone,
            });
        } else if is_asked {
            for column in &open {
                let row = self.kept.entry(self.source, &headers[*column], IGNORED);
                BY_OTHERS.clone_into(&mut row.decided_by);
            }
        }
        let is_ignored = |row: &&KeptColumn| row.field == IGNORED;
        let ignored = self
            .all()
            .filter(|column| self.row(*column, is_ignored).is_some());
        let mut unused: Vec<usize> = open.into_iter().chain(ignored).collect();
        unused.sort_unstable();
        self.columns.unused = unused;
        let is_named = |row: &&KeptColumn| row.field == IGNORED && row.decided_by == BY_OWNER;
        let mut all = self.all();
        self.columns.states_public = all.any(|column| self.row(column, is_named).is_some());
    }

    /// Takes what says whether something is public. The values that do not publish are kept, so that a new one can be told from them.
    fn decide_public(&mut self) {
        let Columns { format, table, .. } = self.columns;
        let of_platform = |list: &'static [PublicColumn]| {
            let signs = list.iter().map(|sign| PublicIf {
                columns: table.find_all(&sign.names),
                inside: names(&sign.names)
                    .flat_map(|name| table.inside(name))
                    .collect(),
                values: sign.values.clone(),
                others: Vec::new(),
                reason: sign.reason,
                is_platform: true,
            });
            let (there, gone): (Vec<_>, Vec<_>) =
                signs.partition(|sign| !sign.columns.is_empty() || !sign.inside.is_empty());
            // Columns that the platform always has.
            let may_lack = |sign: &PublicColumn| sign.optional || is_one_of(&sign.values, "");
            if there.is_empty() && !list.iter().any(may_lack) {
                gone
            } else {
                there
            }
        };
        self.columns.public = [
            of_platform(&format.public),
            of_platform(&format.public_answer),
            Vec::new(),
        ];
        if let Some(column) = find(&table.columns, "status").filter(|_| self.is_own) {
            self.columns.public[Subject::Review as usize].push(PublicIf {
                columns: vec![column],
                inside: Vec::new(),
                values: vec![Status::Published.name().to_owned()],
                others: Vec::new(),
                reason: NOT_PUBLISHED,
                is_platform: true,
            });
        }
        let kept: Vec<KeptColumn> = self.kept.of(self.source).cloned().collect();
        for mut row in kept {
            let Some(subject) = Subject::of_field(&row.field) else {
                continue;
            };
            let column = find(&table.columns, &row.header);
            if column.is_none() && !table.is_objects() {
                continue;
            }
            let header = column.map_or(&row.header, |column| &table.columns[column]);
            let inside = table.inside(header).collect();
            let values = column
                .map(|column| table.values(column))
                .unwrap_or_default();
            let is_other = |value: &String| {
                !is_one_of(&row.public_values, value) && value.len() <= VALUE_BYTES_MAX
            };
            let others: Vec<String> = values
                .into_iter()
                .map(|(value, _)| value)
                .filter(is_other)
                .collect();
            let before = self.before.find(self.source, &row.header, &row.field);
            let seen = before.filter(|it| it.public_values == row.public_values);
            self.columns.public[subject as usize].push(PublicIf {
                columns: column.into_iter().collect(),
                inside,
                values: row.public_values.clone(),
                others: seen.map_or_else(|| others.clone(), |it| it.withheld_values.clone()),
                reason: NOT_PUBLISHED,
                is_platform: false,
            });
            let new = others
                .into_iter()
                .filter(|value| !is_one_of(&row.withheld_values, value));
            let new: Vec<String> = new.collect();
            // The owner has not seen what a run brings by itself.
            let request = self.columns.request;
            if before.is_none() || request.run_of.is_none() || request.accept_changes {
                row.withheld_values.extend(new);
                row.withheld_values.truncate(VALUES_KEPT_MAX);
            }
            self.kept.set(row);
        }
    }

    /// The end of the scale: `--scale`, what is kept of the column, what its header has in brackets, or the platform's; otherwise it
    /// is asked for where a rating is not one of stars.
    fn decide_scale(&mut self) {
        let Columns {
            format,
            table,
            request,
            ..
        } = self.columns;
        self.columns.scale = request.scale.or(format.scale);
        let [column] = *self.columns.field(ReviewField::Rating) else {
            return;
        };
        if let Some(scale) = request.scale {
            self.kept_row(column, ReviewField::Rating).scale = Some(scale.get().into());
            return;
        }
        let kept = self.rows[column].iter().find_map(|row| row.scale);
        let kept = kept.and_then(|scale| u8::try_from(scale).ok().and_then(NonZeroU8::new));
        let known = kept.or_else(|| scale_in_header(&table.columns[column]));
        self.columns.scale = known.or(format.scale);
        let is_known =
            self.columns.scale.is_some() || !self.columns.field(ReviewField::Scale).is_empty();
        if is_known || !format.is_table() && table.is_objects() {
            return;
        }
        // A line of totals has no date.
        let dates = self.columns.field(ReviewField::Date);
        let rows = table.cells(column).filter(|(row, _)| {
            let mut dates = dates
                .iter()
                .map(|column| row.cell(*column).unwrap_or_default());
            dates.len() == 0 || dates.any(|cell| !is_empty(cell, false))
        });
        let shown = rows.filter_map(|(_, cell)| Some((scale_shown(cell)?, cell)));
        let number = |cell: &str| cell.replace(',', ".").parse().unwrap_or(0.0);
        let highest =
            shown.max_by(|(_, one), (_, other)| f64::total_cmp(&number(one), &number(other)));
        if let Some((end, most)) = highest {
            let most = most.to_owned();
            self.ask(Asks::Scale { most, end }, vec![self.header(column)]);
        }
    }

    /// What is kept of the column of a field, under the header that was kept first.
    fn kept_row(&mut self, column: usize, field: ReviewField) -> &mut KeptColumn {
        let known = self.row(column, |row| row.field == field.label());
        let header = known.map_or_else(|| self.header(column), |row| row.header.clone());
        self.kept.entry(self.source, &header, field.label())
    }

    /// Keeps the columns that were found by their names.
    fn keep(&mut self) {
        if !self.columns.format.is_table() {
            return;
        }
        for field in ReviewField::MAPPED {
            for (position, column) in (0..).zip(self.columns.field(field).to_vec()) {
                if self.row(column, |row| row.field == field.label()).is_none() {
                    self.kept_row(column, field).position = position;
                }
            }
        }
    }
}

/// Maximum number of cells of a table of objects, also of those that are not there: each column is looked at row by row.
const CELLS_MAX: usize = 50_000_000;
/// Maximum length of a value that is kept because it did not publish, in bytes.
const VALUE_BYTES_MAX: usize = 100;
/// Maximum number of such values of a column.
const VALUES_KEPT_MAX: usize = 200;
