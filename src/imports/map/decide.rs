//! Decides how the columns of a table are read: each is a field, or listed in the platform's file, or decided by the owner; anything
//! else is a question. The same table, request and kept columns give the same answer, which is added to the kept columns. `questions` shows the questions.
//!
//! A field of a platform takes its columns from the platform's file, and options only fill what it leaves empty. A field of a table
//! takes them from, in this order: the options of the call, what is kept for the source and header, the one column with an exact name
//! of the field (`names.toml`). Nothing is inferred from cells; they only decide whether a further question is asked.

use std::collections::BTreeSet;
use std::num::NonZeroU8;

use chrono_tz::Tz;
use serde_json::{Map, Value};

use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::fields::{
    PublicIf, PublicSubject, ReviewField, is_one_of, is_own_column, named_field,
};
use crate::imports::map::questions::{
    Asks, NEEDED, Question, ShownColumn, ShownTables, ShownValue, VALUE, VALUES_SHOWN_MAX,
    shown_value,
};
use crate::imports::map::values::{
    header_key, is_empty, names, parse_rating, same_name, scale_in_header, scale_shown,
    without_address,
};
use crate::imports::platforms::{Format, PublicColumn};
use crate::imports::report::{FileError, NewValue};
use crate::imports::request::ImportRequest;
use crate::imports::table::{HIDDEN_ROW, Table, TableRow, find, is_date, is_export, shown_cell};
use crate::model::{NOT_PUBLISHED, Status};
use crate::storage::columns::{BY_NAME, BY_OTHERS, BY_OWNER, IGNORED, KeptColumn, KeptColumns};

/// The fields that make the author's name.
pub const AUTHOR: [ReviewField; 3] = [
    ReviewField::Author,
    ReviewField::FirstName,
    ReviewField::LastName,
];

/// The fields of dates.
const DATES: [ReviewField; 4] = [
    ReviewField::Date,
    ReviewField::ReplyDate,
    ReviewField::UpdatedAt,
    ReviewField::VerifiedAt,
];

/// How the columns of a table are read.
#[derive(Debug)]
pub struct Columns<'f> {
    pub format: &'static Format,
    pub request: &'f ImportRequest,
    pub table: &'f Table,
    /// The columns of each field. Those of a platform are tried in their order, others are joined.
    fields: [Vec<usize>; ReviewField::ALL.len()],
    /// The fields of a platform's table that the owner fills.
    filled: BTreeSet<ReviewField>,
    /// What says whether the review, its answer and its author's name are public.
    pub public: [Vec<PublicIf>; 3],
    /// Whether the owner names a column that hides nothing: then the table says that its reviews are public.
    pub states_public: bool,
    /// The columns that are not read and that no platform's file lists.
    pub unused: Vec<usize>,
    /// The order of dates in each column, where one is needed.
    pub orders: Vec<Option<DateOrder>>,
    /// The columns of dates with names of months that are one month in all languages.
    pub with_clear_months: BTreeSet<usize>,
    /// A sentence about each order of dates.
    pub sentences: Vec<String>,
    /// `--date-format` in strftime notation.
    pub date_format: Option<&'f str>,
    /// The end of the ratings' scale.
    pub scale: Option<NonZeroU8>,
    /// What is not decided yet; if there is anything, no row is read.
    pub questions: Vec<Question>,
}

impl<'f> Columns<'f> {
    pub fn new(
        table: &'f Table,
        format: &'static Format,
        request: &'f ImportRequest,
        date_format: Option<&'f str>,
    ) -> Self {
        Self {
            format,
            request,
            table,
            fields: ReviewField::ALL.map(|_| Vec::new()),
            filled: BTreeSet::new(),
            public: [Vec::new(), Vec::new(), Vec::new()],
            states_public: false,
            unused: Vec::new(),
            orders: vec![None; table.columns.len()],
            with_clear_months: BTreeSet::new(),
            sentences: Vec::new(),
            date_format,
            scale: None,
            questions: Vec::new(),
        }
    }

    pub fn fill(&mut self, field: ReviewField, columns: Vec<usize>) {
        self.fields[field as usize] = columns;
    }

    /// Fills a field as the owner says: several columns are joined.
    pub fn fill_by_owner(&mut self, field: ReviewField, columns: Vec<usize>) {
        self.filled.insert(field);
        self.fill(field, columns);
    }

    pub fn is_field(&self, column: usize) -> bool {
        self.fields.iter().any(|columns| columns.contains(&column))
    }

    /// Source of the rows that name none.
    pub fn source(&self) -> &str {
        self.request.source_of(self.format)
    }

    pub fn field(&self, field: ReviewField) -> &[usize] {
        &self.fields[field as usize]
    }

    /// Whether the cells of a field's columns are joined; otherwise the first filled one counts.
    pub fn are_joined(&self, field: ReviewField) -> bool {
        self.format.is_table() || self.format.joined == Some(field) || self.filled.contains(&field)
    }

    /// The columns that are read; one that is read as several is there several times.
    pub fn used(&self) -> impl Iterator<Item = usize> {
        let fields = self.fields.iter().flatten();
        let public = self.public.iter().flatten().flat_map(|it| &it.columns);
        fields.chain(public).copied()
    }

    /// What a column is read as.
    fn reads(&self, column: usize) -> Option<String> {
        let mut reads: Vec<String> = Vec::new();
        for field in ReviewField::ALL {
            if self.field(field).contains(&column) {
                reads.push(field.label().to_owned());
            }
        }
        for (subject, sign) in self.signs() {
            if sign.columns.contains(&column) {
                let values = sign.values.iter().map(|value| shown_value(value));
                let values = values.collect::<Vec<_>>().join(", ");
                reads.push(format!("{} if {values}", subject.field()));
            }
        }
        reads.dedup();
        (!reads.is_empty()).then(|| reads.join(", "))
    }

    /// Adds the table to those that are shown: with its first cells if there are questions about it, otherwise without columns that the
    /// platform's file lists and no field uses.
    pub fn show(&self, file: &str, shown: &mut ShownTables) {
        let (table, questions) = (self.table, &self.questions);
        let place = table.place.as_deref().unwrap_or_default();
        let rows = table.rows.len();
        let noun = if rows == 1 { "row" } else { "rows" };
        shown.titles.push(format!("{file}{place}, {rows} {noun}"));
        for (number, header) in table.columns.iter().enumerate() {
            let reads = self.reads(number);
            let is_listed = reads.is_none() && !self.unused.contains(&number);
            if header.is_empty() || table.is_list(number) || questions.is_empty() && is_listed {
                continue;
            }
            let is_open = questions.iter().any(|it| it.columns.contains(header));
            let mut signs = self.signs().filter(|(_, sign)| !sign.is_platform);
            let is_sign = signs.any(|(_, sign)| sign.columns.contains(&number));
            // Sentences that are no field of a review may be private.
            let is_text = !self.is_field(number) && table.has_sentences(number);
            let values = if (is_open || is_sign) && !is_text {
                table.values(number)
            } else {
                Vec::new()
            };
            let values = values.into_iter().map(|(value, count)| ShownValue {
                shown: shown_cell(&value),
                value,
                count,
            });
            let cells = if questions.is_empty() {
                String::new()
            } else {
                table.first_cells(number)
            };
            shown.add_column(ShownColumn {
                header: header.clone(),
                cells: (!is_text).then_some(cells),
                reads: (!is_open).then(|| reads.unwrap_or_else(|| "not used".to_owned())),
                values: values.collect(),
            });
        }
    }

    /// The columns of dates, each with its field, its source and name.
    pub fn date_columns(&self) -> Vec<(usize, ReviewField, (String, String))> {
        let columns = DATES.iter().flat_map(|field| {
            let columns = self.field(*field).iter();
            columns.map(move |column| (*column, *field))
        });
        let key = |column: usize| (self.source().to_owned(), self.table.columns[column].clone());
        columns
            .map(|(column, field)| (column, field, key(column)))
            .collect()
    }

    /// The cells of a row that are read, and those that identify the format: all others may be private.
    pub fn raw(&self, row: &TableRow) -> Value {
        if let Some(raw) = row.fault.as_ref().and_then(|fault| fault.raw.as_ref()) {
            return serde_json::from_str(raw).unwrap_or_default();
        }
        let keys = self.format.keys.iter().flat_map(|set| names(set));
        let keys = keys.filter_map(|name| self.table.find(name));
        let authors = AUTHOR.map(|field| self.field(field)).concat();
        let columns: BTreeSet<usize> = self.used().chain(keys).collect();
        let cells = columns.into_iter().filter_map(|column| {
            let cell = row.cell(column)?;
            let cell = if authors.contains(&column) {
                without_address(cell)
            } else {
                cell.to_owned()
            };
            Some((self.table.columns[column].clone(), Value::from(cell)))
        });
        Value::Object(cells.collect::<Map<_, _>>())
    }

    /// The columns of publication, each with what it says of.
    fn signs(&self) -> impl Iterator<Item = (PublicSubject, &PublicIf)> {
        let all = PublicSubject::ALL.into_iter().zip(&self.public);
        all.flat_map(|(subject, list)| list.iter().map(move |sign| (subject, sign)))
    }

    /// The values of columns of publication that were not there when the owner named those that publish.
    pub fn new_values(&self) -> Vec<NewValue> {
        let new = self.signs().flat_map(|(subject, sign)| {
            let values = sign
                .columns
                .iter()
                .flat_map(|column| self.table.values(*column));
            let mut new: Vec<(String, u64)> =
                values.filter(|(value, _)| sign.is_new(value)).collect();
            if !new.is_empty() && self.table.has_sentences(sign.columns[0]) {
                let rows = new.iter().map(|(_, count)| count).sum();
                new = vec![(VALUE.to_owned(), rows)];
            }
            new.into_iter().map(move |(value, count)| NewValue {
                source: self.source().to_owned(),
                header: self.table.columns[sign.columns[0]].clone(),
                option: subject.option(),
                value,
                count,
            })
        });
        new.collect()
    }

    /// Whether the use of the columns is shown: a platform's JSON needs no check.
    pub const fn is_previewed(&self) -> bool {
        self.format.is_table() || !self.table.is_objects()
    }

    /// The members of a platform's JSON that are passed over.
    pub fn describe_members(&self) -> Option<String> {
        let names = self
            .unused
            .iter()
            .map(|column| self.table.columns[*column].as_str());
        let names: Vec<&str> = names.take(VALUES_SHOWN_MAX).collect();
        (!self.is_previewed() && !names.is_empty())
            .then(|| format!("members that are not read: {}", names.join(", ")))
    }

    /// How the dates of a column are read.
    pub fn dates(&self, column: usize) -> Dates<'_> {
        // `Submit Date (UTC)`
        let is_utc = self.table.columns[column].trim_end().ends_with("(UTC)");
        Dates {
            format: self.date_format,
            order: self.orders.get(column).copied().flatten(),
            zone: self.format.zone.or(is_utc.then_some(Tz::UTC)),
            has_clear_months: self.with_clear_months.contains(&column),
        }
    }
}

/// `stored` is kept of earlier imports, and `kept` of the files before in this one, too; what is decided here is added to it.
///
/// # Errors
/// When an option does not fit the table.
pub fn decide<'f>(
    table: &'f Table,
    format: &'static Format,
    request: &'f ImportRequest,
    date_format: Option<&'f str>,
    stored: &KeptColumns,
    kept: &mut KeptColumns,
) -> Result<Columns<'f>, FileError> {
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
    let before = kept.clone();
    request.columns.apply(kept, source, &table.columns);
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
    let keys: Vec<String> = table.columns.iter().map(|it| header_key(it)).collect();
    let of_source = kept.of(source).filter(|row| !row.header.is_empty());
    let of_source: Vec<(String, KeptColumn)> = of_source
        .map(|row| (header_key(&row.header), row.clone()))
        .collect();
    let rows_of = |(header, key): (&String, &String)| {
        // Of two spellings in one table each is a column of its own.
        let is_only = keys.iter().filter(|other| *other == key).count() == 1;
        let rows = of_source.iter();
        let rows = rows.filter(|(other, row)| other == key && (is_only || row.header == *header));
        rows.map(|(_, row)| row.clone()).collect()
    };
    let named = |column: usize| named(&table.columns[column]).filter(|_| !table.is_list(column));
    let mut decision = ColumnsDecision {
        source,
        named: (0..table.columns.len()).map(named).collect(),
        rows: table.columns.iter().zip(&keys).map(rows_of).collect(),
        is_own,
        columns: Columns::new(table, format, request, date_format),
        stored,
        before,
        kept,
    };
    if !format.is_table() {
        decision.fill_by_platform();
    }
    decision.fill_fields()?;
    decision.decide_others();
    decision.decide_public();
    decision.decide_scale();
    decision.keep();
    let mut columns = decision.columns;
    if table.is_objects() && table.columns.is_empty() {
        // An empty list lacks nothing.
        columns.questions.clear();
    }
    Ok(columns)
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
    before: KeptColumns,
    kept: &'k mut KeptColumns,
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
        self.row(column, |row| PublicSubject::of_field(&row.field).is_some())
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
        for field in ReviewField::mapped() {
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
        let is_other = |row: &&KeptColumn| PublicSubject::of_field(&row.field).is_none();
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
        self.columns.questions.push(Question::new(asks, columns));
    }

    /// Asks which column fills a field; several are fitting, or none.
    fn ask_field(&mut self, field: ReviewField, fitting: Vec<String>) {
        if !fitting.is_empty() {
            let is_proposed = false;
            return self.ask(Asks::Field { field, is_proposed }, fitting);
        }
        let proposed = self.likely(field).map(|column| self.header(column));
        let is_proposed = proposed.is_some();
        self.columns.questions.push(Question {
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
            self.is_own && is_own_column(header)
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
                && PublicSubject::of_field(&row.field).is_some()
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
        // JSON of a platform gets new members, and is not edited by hand.
        let asks_others = format.is_table() || !table.is_objects();
        // To name a column that was not decided answers for all others, unless it says nothing of reviews.
        let is_new = |column: &usize| {
            let key = header_key(&headers[*column]);
            let mut stored = self.stored.of(self.source);
            !stored.any(|row| header_key(&row.header) == key)
        };
        let is_answered = named
            .iter()
            .any(|(subject, column, _)| *subject == PublicSubject::Review && is_new(column));
        let is_open = asks_others && !open.is_empty() && !is_answered && !request.ignore_others;
        if is_open || !gone.is_empty() {
            let columns = self.headers(&open);
            let asks = Asks::Public;
            self.columns.questions.push(Question {
                asks,
                columns,
                gone,
            });
        } else if asks_others {
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
        let of_platform = |list: &'static [PublicColumn]| -> Vec<PublicIf> {
            let signs = list.iter().map(|sign| PublicIf {
                columns: table.find_all(&sign.names),
                inside: names(&sign.names)
                    .flat_map(|name| table.inside(name))
                    .collect(),
                around: names(&sign.names)
                    .filter_map(|name| table.find(name.rsplit_once('.')?.0))
                    .collect(),
                values: sign.values.clone(),
                others: Vec::new(),
                reason: sign.reason,
                is_platform: true,
                is_required: sign.is_required(table.is_objects()),
            });
            signs.collect()
        };
        self.columns.public = [
            of_platform(&format.public),
            of_platform(&format.public_answer),
            Vec::new(),
        ];
        if let Some(column) = find(&table.columns, "status").filter(|_| self.is_own) {
            self.columns.public[PublicSubject::Review as usize].push(PublicIf {
                columns: vec![column],
                inside: Vec::new(),
                around: Vec::new(),
                values: vec![Status::Published.name().to_owned()],
                others: Vec::new(),
                reason: NOT_PUBLISHED,
                is_platform: true,
                is_required: true,
            });
        }
        let kept: Vec<KeptColumn> = self.kept.of(self.source).cloned().collect();
        for mut row in kept {
            let Some(subject) = PublicSubject::of_field(&row.field) else {
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
                around: Vec::new(),
                values: row.public_values.clone(),
                others: seen.map_or_else(|| others.clone(), |it| it.withheld_values.clone()),
                reason: NOT_PUBLISHED,
                is_platform: false,
                is_required: false,
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
        for field in ReviewField::mapped() {
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
