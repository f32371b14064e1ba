//! How the columns of a table are read, once everything is decided; and how they are shown.

use std::collections::BTreeSet;
use std::num::NonZeroU8;

use chrono_tz::Tz;
use serde_json::{Map, Value};

use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::fields::{PublicIf, ReviewField, Subject};
use crate::imports::map::questions::{
    Question, ShownColumn, ShownTables, ShownValue, VALUE, VALUES_SHOWN_MAX, shown_value,
};
use crate::imports::map::values::{names, without_address};
use crate::imports::platforms::Format;
use crate::imports::report::NewValue;
use crate::imports::request::ImportRequest;
use crate::imports::table::{Row, Table, shown_cell};

/// The fields that make the author's name.
pub const AUTHOR: [ReviewField; 3] = [
    ReviewField::Author,
    ReviewField::FirstName,
    ReviewField::LastName,
];

/// The fields of dates.
const DATES: [ReviewField; 4] = [
    ReviewField::Date,
    ReviewField::ResponseDate,
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
    /// platform's file lists and nobody reads.
    pub fn show(&self, file: &str, questions: &[Question], shown: &mut ShownTables) {
        let table = self.table;
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
    pub fn raw(&self, row: &Row) -> Value {
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
    fn signs(&self) -> impl Iterator<Item = (Subject, &PublicIf)> {
        let all = Subject::ALL.into_iter().zip(&self.public);
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
