//! Rows to reviews: what a row of cells says by its source's format, with all its faults at once.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU16;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde_json::{Map, Value};

use crate::imports::fault::{FieldError, FileError, Position, RowKey};
use crate::imports::format::{
    Format, Missing, PublicColumn, PublicPart, Reader, column_key, is_inside,
};
use crate::imports::platforms::source_name;
use crate::imports::read::{LIST, NOT_CALCULATED, Row, Table};
use crate::imports::request::SOURCE_DEFAULT;
use crate::imports::value::date::{DateOrder, Dates, Evidence};
use crate::imports::value::rating::{not_stars, parse_rating, recommendation};
use crate::imports::value::text::{
    TEXT_BYTES_MAX, clean, flag, has_address, is_address, is_blank, is_empty, is_html,
    is_spreadsheet_error, language_tag, remove_formula_escape, without_address,
};
use crate::model::business::{Business, Service, Technician};
use crate::model::text::{check_text, plain_words, quoted, shorten, url};
use crate::model::{
    ANONYMOUS, Calendar, Day, Digests, InvalidReviewId, LastStatement, Mentions, Method,
    NOT_PUBLISHED, Posted, PublicBlock, Rating, Reply, Review, ReviewField, ReviewId, Source,
    StatedReview, Status, Unit, Units, Verification, WITHOUT_STARS, fold, hex, sha256_of_parts,
    short_name, source_day,
};

/// A row of a file: a review as its source states it, for every format. An import has up to 200,000 of them in memory.
#[derive(Debug)]
pub struct ReviewRow {
    /// Index of its file in the report.
    pub file: usize,
    pub at: Position,
    pub format: Arc<Format>,
    /// Its ID is the one that the row states, or derived from the row.
    pub statement: Box<StatedReview>,
    pub has_id: bool,
    /// The author's name, if it is not published.
    pub hidden_name: Option<Box<str>>,
    /// Whether its answer is not published.
    pub is_reply_hidden: bool,
    /// The values by which it or a part of it is hidden.
    pub hiding: Vec<Arc<HidingValue>>,
    /// Whether its source gives an instant, whose day depends on the time zone.
    pub has_instant: bool,
    /// Time of the review, if its source gave an instant.
    pub posted_at: Option<DateTime<Utc>>,
    pub exported: Option<Box<Exported>>,
    /// Of what its source gives.
    pub digests: Digests,
}

/// What only an export says of a review.
#[derive(Debug, Default)]
pub struct Exported {
    /// The source's ID of the review if it has another one here.
    pub id_at_source: Option<String>,
    /// The source's former name, if the owner renamed it.
    pub imported_from: Option<String>,
    /// The owner's note.
    pub note: Option<String>,
    /// What the source last said.
    pub last_statement: Option<LastStatement>,
    /// Digests of what the source last gave, if they differ from those of the review.
    pub digests: Option<Digests>,
}

/// Verification of a row without one: the owner who imports the row vouches for it.
pub const VOUCHED: Verification = Verification {
    method: Some(Method::Manual),
    verified_at: None,
};

impl ReviewRow {
    /// One that nothing hides; its place and its digests follow.
    pub fn new(format: &Arc<Format>, statement: StatedReview, has_id: bool) -> Self {
        Self {
            file: 0,
            at: Position::Line(0),
            format: Arc::clone(format),
            statement: Box::new(statement),
            has_id,
            hidden_name: None,
            is_reply_hidden: false,
            hiding: Vec::new(),
            has_instant: false,
            posted_at: None,
            exported: None,
            digests: Digests::default(),
        }
    }

    /// The source's name before the owner renamed it; `None` if the row states none.
    pub fn source_name(&self) -> Option<&str> {
        let is_named = !self.statement.unstated.contains(&Unit::Source);
        let named = is_named.then_some(self.review().source.name.as_str());
        let exported = self.exported.as_ref();
        let former = exported.and_then(|it| it.imported_from.as_deref());
        former.or(named)
    }

    /// The name of its source.
    pub fn source(&self) -> &str {
        self.source_name().unwrap_or(SOURCE_DEFAULT)
    }

    /// The units that its source hides. The native form has `Anonymous` for a hidden name.
    pub fn hidden(&self) -> Units {
        let is_anonymized = self.format.is_native() && self.review().author == ANONYMOUS;
        let is_name_hidden = self.hidden_name.is_some() || is_anonymized;
        let is_withheld = self.review().status != Status::Published;
        hidden_units(is_withheld, is_name_hidden, self.is_reply_hidden)
    }

    /// How much of the review its source hides: all of it, or so many parts.
    pub fn hidden_share(&self) -> (bool, usize) {
        let hidden = self.hidden();
        (hidden.contains(&Unit::Status), hidden.iter().count())
    }

    pub const fn review(&self) -> &Review {
        &self.statement.review
    }

    /// The ID that the row states, or one derived from the row.
    pub const fn id(&self) -> &ReviewId {
        &self.review().id
    }

    /// The author as the source names it, published or not.
    pub fn author(&self) -> &str {
        self.hidden_name.as_deref().unwrap_or(&self.review().author)
    }

    /// Its day at the source.
    pub fn source_day(&self) -> Day {
        source_day(self.review().date, self.posted_at)
    }

    /// Its ID at the source, if the review has another one, which is `id`.
    pub fn id_at_source(&self, id: &ReviewId) -> Option<String> {
        let exported = self.exported.as_ref();
        let exported = exported.and_then(|it| it.id_at_source.clone());
        let stated = (self.has_id && self.id() != id).then(|| self.id().to_string());
        exported.or(stated)
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let exported = self.exported.as_ref();
        let others = [
            Some(self.author()),
            Some(self.source()),
            exported.and_then(|it| it.note.as_deref()),
            exported.and_then(|it| it.id_at_source.as_deref()),
        ];
        self.review().texts().chain(others.into_iter().flatten())
    }
}

const NO_ADDRESS: &str = "has an address and cannot be read; correct the cell, or name another column in the source's format";

/// Reads the rows of one table.
#[derive(Debug)]
pub struct RowReader<'t> {
    format: &'t Arc<Format>,
    table: &'t Table,
    /// Of the rows that name none.
    source: &'t str,
    calendar: Calendar,
    business: Option<&'t Business>,
    /// The columns of each field, in the order in which they are tried.
    fields: BTreeMap<ReviewField, Vec<usize>>,
    public: Vec<PublicRule<'t>>,
    /// The column of `only`.
    only: Option<usize>,
    /// The order of dates in each column, where one is needed.
    orders: BTreeMap<usize, DateOrder>,
    /// The values that hide something, so far.
    hiding: RefCell<BTreeSet<Arc<HidingValue>>>,
}

/// A block of publication, with its columns in the table.
#[derive(Debug)]
struct PublicRule<'t> {
    part: PublicPart,
    block: &'t PublicColumn,
    /// Its first name, as names are compared.
    key: Box<str>,
    columns: Vec<usize>,
    /// The columns of members of an object, or of a list of objects, where a plain value is meant.
    nested_columns: Vec<usize>,
    /// The columns of the objects whose members its columns are: filled where a row has null, or nothing else, in place of the object.
    object_columns: Vec<usize>,
    /// Whether a row has null in place of the object where there is nothing to hide, as a platform's JSON has.
    has_null_objects: bool,
}

/// Whether something is public at its source. Of several columns the one counts that says the last of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Visibility<'t> {
    /// There is nothing to show: null in place of the whole object.
    Nothing,
    Shown,
    /// No column says it, or the row has neither the object nor null in its place.
    Unstated,
    /// With the reason.
    Hidden(&'t str),
}

impl<'t> PublicRule<'t> {
    /// Whether a row of the import has one of its columns.
    const fn is_there(&self) -> bool {
        !(self.columns.is_empty() && self.nested_columns.is_empty())
    }

    /// Whether a row has one of its columns.
    fn is_stated(&self, row: &Row) -> bool {
        let mut columns = self.columns.iter().chain(&self.nested_columns);
        columns.any(|column| row.cell(*column).is_some())
    }

    /// What its columns say in a row, which has what they are about, or not.
    fn visibility(&self, row: &Row, is_present: bool) -> Visibility<'t> {
        let lacks = |columns: &[usize]| columns.iter().all(|it| row.cell(*it).is_none());
        let lacks_all = lacks(&self.columns);
        if !self.is_stated(row) {
            let is_null = self.has_null_objects && self.is_there() && !lacks(&self.object_columns);
            if is_null {
                return Visibility::Nothing;
            }
            let is_public = match self.block.missing {
                Some(missing) => missing == Missing::Public,
                // Of a platform's file without any reply that is no question.
                None => self.part == PublicPart::Reply && !is_present,
            };
            if !self.is_there() && is_public {
                return Visibility::Unstated;
            }
        }
        let mut cells = self.columns.iter().filter_map(|column| row.cell(*column));
        let is_shown = cells.all(|cell| self.block.publishes(cell));
        let reason = self.block.reason.as_deref().filter(|_| !lacks_all);
        if is_shown && !lacks_all && lacks(&self.nested_columns) {
            Visibility::Shown
        } else {
            Visibility::Hidden(reason.unwrap_or(NOT_PUBLISHED))
        }
    }
}

/// What rows hide that are rejected: by the source in lower case, and what such a row is known by.
pub type HiddenRows = HashMap<(String, RowKey), Units>;

/// The units that a row hides.
fn hidden_units(is_withheld: bool, is_name_hidden: bool, is_reply_hidden: bool) -> Units {
    let hidden = [
        (Unit::Status, is_withheld),
        (Unit::Author, is_name_hidden),
        (Unit::Reply, is_reply_hidden),
    ];
    let hidden = hidden.into_iter().filter(|(_, is_hidden)| *is_hidden);
    hidden.map(|(unit, _)| unit).collect()
}

/// A value that hides something: what it hides, its column and the value in lower case.
pub type HidingValue = (PublicPart, String, String);
/// Numbers of reviews with each.
pub type HidingValues = BTreeMap<HidingValue, u64>;

/// The columns of a field in a table.
pub fn field_columns(format: &Format, table: &Table, field: ReviewField) -> Vec<usize> {
    let names = format.fields.get(&field);
    names.map_or_else(Vec::new, |names| table.columns_of(names))
}

/// By column of dates what its cells say of their order; nothing where the format says it. `files` has the names of the rows' files.
///
/// # Errors
/// When a column proves two orders, with a line of each.
pub fn find_evidence(
    format: &Format,
    table: &Table,
    tomorrow: NaiveDate,
    files: &[String],
) -> Result<BTreeMap<usize, Evidence>, FileError> {
    let mut found = BTreeMap::new();
    if format.date_format.is_some() {
        return Ok(found);
    }
    for field in ReviewField::DATES {
        for column in field_columns(format, table, field) {
            let mut evidence = Evidence::default();
            for (row, cell) in table.cells(column) {
                evidence.add(&files[row.file], &row.at, cell, tomorrow);
            }
            let checked = evidence.check(&table.columns[column]);
            checked.map_err(FileError::new)?;
            found.insert(column, evidence);
        }
    }
    Ok(found)
}

impl<'t> RowReader<'t> {
    pub fn new(
        format: &'t Arc<Format>,
        table: &'t Table,
        source: &'t str,
        calendar: Calendar,
        business: Option<&'t Business>,
        orders: BTreeMap<usize, DateOrder>,
    ) -> Self {
        let only = format.only.as_ref();
        let fields = ReviewField::ALL.into_iter();
        let fields = fields.map(|field| (field, field_columns(format, table, field)));
        let public = format.public_blocks().into_iter();
        let public = public.flat_map(|(part, blocks)| blocks.iter().map(move |it| (part, it)));
        let public = public.map(|(part, block)| {
            let names = block.names.among(&table.columns);
            let is_member = |column: &usize| {
                let column = &table.columns[*column];
                table.is_objects && names.iter().any(|name| is_inside(column, name))
            };
            let all = 0..table.columns.len();
            let objects = names.iter().filter_map(|name| name.rsplit_once('.'));
            let objects: Vec<&str> = objects.map(|(object, _)| object).collect();
            PublicRule {
                part,
                block,
                key: column_key(names.first().unwrap_or(&"")).into(),
                columns: table.find_all(&names),
                nested_columns: all.filter(is_member).collect(),
                object_columns: table.find_all(&objects),
                has_null_objects: table.is_objects && !format.is_table(),
            }
        });
        Self {
            format,
            table,
            source,
            calendar,
            business,
            public: public.collect(),
            only: only.and_then(|only| table.find(&only.column)),
            orders,
            hiding: RefCell::default(),
            fields: fields.collect(),
        }
    }

    /// What each field is read from, and what says whether something is public, for the report; nothing of a platform's JSON.
    pub fn describe(&self) -> Vec<String> {
        if self.passes_members() {
            return Vec::new();
        }
        let shown = |columns: &[usize]| {
            let names = columns.iter().map(|it| self.table.columns[*it].as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let fields = self.fields.iter();
        let fields = fields.filter(|(_, columns)| !columns.is_empty());
        let fields = fields.map(|(field, columns)| format!("{field}: {}", shown(columns)));
        let public = self.public.iter().filter(|rule| !rule.columns.is_empty());
        let public = public.map(|rule| {
            let values = rule.block.values.iter().map(|it| format!("{it:?}"));
            let values = values.collect::<Vec<_>>().join(" or ");
            format!("{}: {} = {values}", rule.part.name(), shown(&rule.columns))
        });
        fields.chain(public).collect()
    }

    /// The columns that are read.
    pub fn used(&self) -> BTreeSet<usize> {
        let mut used: BTreeSet<usize> = self.fields.values().flatten().copied().collect();
        for rule in &self.public {
            used.extend(rule.columns.iter().chain(&rule.nested_columns));
        }
        used.extend(self.only);
        used
    }

    /// Whether members that the format does not name are passed over, as in a platform's JSON.
    fn passes_members(&self) -> bool {
        !self.format.is_table() && self.table.is_objects
    }

    /// The members that are passed over.
    pub fn passed_members(&self) -> Vec<String> {
        let (used, columns) = (self.used(), &self.table.columns);
        let is_passed = |column: &usize| {
            let name = &columns[*column];
            !used.contains(column)
                && !self.format.ignores(columns, *column)
                && !columns.iter().any(|other| is_inside(other, name))
        };
        let passed = (0..columns.len()).filter(|column| self.passes_members() && is_passed(column));
        passed.map(|column| columns[column].clone()).collect()
    }

    /// What the table lacks, in sentences; `owners` is the owner's part of the format.
    pub fn notes(&self, owners: &Format) -> Vec<String> {
        let table = self.table;
        let mut names: Vec<&str> = Vec::new();
        for field in owners.fields.values() {
            names.extend(field.among(&table.columns));
        }
        for block in owners.public_columns() {
            // What `missing` says of a block is asked for it as a whole.
            let is_named = block.missing != Some(Missing::Hidden)
                && (!block.is_of_base()
                    || block.missing.is_some() && table.columns_of(&block.names).is_empty());
            names.extend(
                block
                    .names
                    .among(&table.columns)
                    .into_iter()
                    .filter(|_| is_named),
            );
        }
        let mut missing: Vec<&str> = Vec::new();
        for name in names {
            if table.find_all(&[name]).is_empty() && !missing.contains(&name) {
                missing.push(name);
            }
        }
        let lacking = (!missing.is_empty()).then(|| {
            let names = missing.join(", ");
            format!("columns of the format that the file lacks: {names}; it states nothing of them")
        });
        let is_hidden = |rule: &&PublicRule<'_>| {
            !rule.is_there() && rule.block.missing == Some(Missing::Hidden)
        };
        let hidden = self.public.iter().filter(is_hidden).map(|rule| {
            let names = rule.block.names.parts().join(", ");
            let hidden = rule.part.hidden_noun();
            format!("the file lacks {names}, which says which {hidden} are public, so by the format none are")
        });
        lacking.into_iter().chain(hidden).collect()
    }

    /// Whether a row is another business's.
    pub fn is_elsewhere(&self, row: &Row) -> bool {
        self.format.only.as_ref().is_some_and(|only| {
            let cell = self.only.and_then(|column| row.cell(column));
            cell.unwrap_or_default().trim().to_lowercase() != only.value.trim().to_lowercase()
        })
    }

    /// The review in a row, or all its errors; `rejected` gets what it hides if it has errors, as far as its cells can be read.
    pub fn read(&self, row: &Row, rejected: &mut HiddenRows) -> Result<ReviewRow, Vec<FieldError>> {
        let fault = row.fault.as_ref();
        let fault = fault.map(|fault| FieldError::new("", &fault.message));
        let reading = RowReading {
            reader: self,
            row,
            hiding: Vec::new(),
            rejected,
            faults: fault.into_iter().collect(),
            unstated: Units::new(),
            not_public: Units::new(),
            blocks: Vec::new(),
            is_reply_hidden: false,
            has_instant: false,
        };
        reading.review().map_err(|mut faults| {
            // Where the cells are not those of their columns, what is wrong with them says nothing.
            if row.fault.is_some() {
                faults.truncate(1);
            }
            faults
        })
    }

    /// The cells of a row that are read, and those that identify the format: all others may be private.
    pub fn raw(&self, row: &Row) -> Value {
        if let Some(raw) = row.fault.as_ref().and_then(|fault| fault.raw.as_ref()) {
            return raw.clone();
        }
        let keys = self.format.keys.iter().flat_map(|set| set.split(", "));
        let keys = keys.filter_map(|name| self.table.find(name));
        let authors = ReviewField::AUTHORS.map(|field| &self.fields[&field][..]);
        let authors = authors.concat();
        let mut columns = self.used();
        columns.extend(keys);
        let cells = columns.into_iter().filter_map(|column| {
            let cell = row.cell(column)?;
            let is_author = authors.contains(&column);
            let name = is_author.then(|| without_address(cell));
            let cell = name.unwrap_or_else(|| cell.to_owned());
            Some((self.table.columns[column].clone(), Value::from(cell)))
        });
        Value::Object(cells.collect::<Map<_, _>>())
    }

    /// A value that hides something, of which all rows have the same copy.
    fn share(&self, value: HidingValue) -> Arc<HidingValue> {
        let mut shared = self.hiding.borrow_mut();
        if let Some(shared) = shared.get(&value) {
            return Arc::clone(shared);
        }
        let value = Arc::new(value);
        shared.insert(Arc::clone(&value));
        value
    }

    /// How the dates of a column are read.
    fn dates(&self, column: usize) -> Dates<'_> {
        // `Submit Date (UTC)`
        let is_utc = self.table.columns[column].trim_end().ends_with("(UTC)");
        Dates {
            format: self.format.date_format.as_ref(),
            order: self.orders.get(&column).copied(),
            zone: self.format.zone.or(is_utc.then_some(Tz::UTC)),
        }
    }

    /// Whether the owner vouches for the rows.
    fn is_manual(&self) -> bool {
        self.format.is_manual || self.format.is_table()
    }
}

/// Maximum number of different values that are counted, of a column or of those of publication.
pub const VALUES_MAX: usize = 50;
/// Maximum number of characters of such a value.
const VALUE_CHARACTERS_MAX: usize = 400;
pub(super) const NAMES_SHOWN: usize = 20;

/// A cell that is not empty.
#[derive(Debug, Clone, Copy)]
struct Cell<'t> {
    column: usize,
    header: &'t str,
    text: &'t str,
}

/// The reading of one row.
struct RowReading<'t> {
    reader: &'t RowReader<'t>,
    row: &'t Row,
    hiding: Vec<Arc<HidingValue>>,
    rejected: &'t mut HiddenRows,
    faults: Vec<FieldError>,
    /// The units that the row does not state, so that it overwrites none of them.
    unstated: Units,
    not_public: Units,
    blocks: Vec<(PublicBlock, bool)>,
    is_reply_hidden: bool,
    has_instant: bool,
}

impl<'t> RowReading<'t> {
    /// The filled cells of a field: all if they are joined, otherwise the first.
    fn cells(&self, field: ReviewField) -> impl Iterator<Item = Cell<'t>> + use<'t> {
        let (reader, row) = (self.reader, self.row);
        let is_author = ReviewField::AUTHORS.contains(&field);
        let cell = move |column: &usize| {
            let text = row.cell(*column)?;
            (!is_empty(text, is_author)).then(|| Cell {
                column: *column,
                header: &reader.table.columns[*column],
                text: if reader.format.escapes_formulas {
                    remove_formula_escape(text)
                } else {
                    text
                },
            })
        };
        let are_joined = reader.format.joined == Some(field);
        let count = if are_joined { usize::MAX } else { 1 };
        reader.fields[&field].iter().filter_map(cell).take(count)
    }

    fn cell(&self, field: ReviewField) -> Option<Cell<'t>> {
        self.cells(field).next()
    }

    /// Whether the row has one of the columns, even if it is empty.
    fn has(&self, field: ReviewField) -> bool {
        let mut columns = self.reader.fields[&field].iter();
        columns.any(|column| self.row.cell(*column).is_some())
    }

    /// Notes that the row does not state the unit, unless it has the field: platforms leave out what is empty.
    fn note_unstated(&mut self, field: ReviewField, unit: Unit) {
        let RowReader { format, table, .. } = self.reader;
        let leaves_out_empty =
            table.is_objects && !format.is_table() && format.fields.contains_key(&field);
        if !self.has(field) && !leaves_out_empty {
            self.unstated.insert(unit);
        }
    }

    /// The end of the scale: that of the row, or that of the format.
    fn scale(&self) -> Option<NonZeroU16> {
        let of_row = self.cell(ReviewField::Scale);
        let of_row = of_row.and_then(|cell| whole_number(cell.text.trim()).parse().ok());
        of_row.or(self.reader.format.scale)
    }

    /// The review, or all its errors.
    fn review(mut self) -> Result<ReviewRow, Vec<FieldError>> {
        self.check_cells();
        let rating = self.rating();
        if self.cell(ReviewField::Date).is_none() {
            self.note_missing(ReviewField::Date);
        }
        let posted = self.dated(ReviewField::Date);
        let named = self.author();
        let is_anonymous = self.read(ReviewField::Anonymous, flag) == Some(true);
        let is_named = named != ANONYMOUS;
        let visibility = self.visibility(PublicPart::Name, is_named);
        let is_name_hidden = is_anonymous || matches!(visibility, Visibility::Hidden(_));
        let has_flag = self.has(ReviewField::Anonymous);
        let flag = ((Unit::Author, "anonymous".into()), !is_anonymous);
        self.blocks.extend(has_flag.then_some(flag));
        let is_unstated = visibility == Visibility::Unstated && !has_flag;
        if is_name_hidden || is_named && is_unstated {
            self.not_public.insert(Unit::Author);
        }
        let text = self.text(ReviewField::Text).unwrap_or_default();
        let title = self.text(ReviewField::Title);
        let title = title.map(|title| title.trim().to_owned());
        if title.is_none() {
            self.note_unstated(ReviewField::Title, Unit::Title);
        }
        let source = self.source();
        let stated_id = self.id();
        let language = self.text(ReviewField::Language);
        let language = language.and_then(|text| language_tag(text.trim()));
        if language.is_none() {
            self.unstated.insert(Unit::Language);
        }
        let verification = self.verification();
        let is_starless = rating.is_some_and(|(_, is_recommendation)| is_recommendation);
        let status = self.status(is_starless);
        let mentions = self.mentions();
        let reply = self.reply();
        let updated_at = self.updated_at();
        let (Some((rating, _)), Some((date, posted_at)), []) = (rating, posted, &self.faults[..])
        else {
            let is_withheld = status != Status::Published;
            let hidden = hidden_units(is_withheld, is_name_hidden, self.is_reply_hidden);
            let is_short = self.reader.format.full_names == Some(false);
            let author = if is_short { short_name(&named) } else { named };
            let day = posted.map(|(date, posted_at)| source_day(date, posted_at));
            let key = RowKey::new(stated_id, &author, day, &text);
            if let Some(key) = key.filter(|_| !hidden.is_empty()) {
                let key = (fold(&source.name), key);
                self.rejected.entry(key).or_default().extend(hidden);
            }
            return Err(self.faults);
        };
        // A file without texts gives no statement about them; platforms leave out an object's empty text.
        let RowReader { format, table, .. } = self.reader;
        let has_no_texts = format.is_table() && self.reader.fields[&ReviewField::Text].is_empty();
        let may_lack_text = table.is_objects && !has_no_texts;
        if !may_lack_text && !self.has(ReviewField::Text) {
            self.unstated.insert(Unit::Text);
        }
        let has_id = stated_id.is_some();
        // The source belongs to a derived ID, because two sources may have the same row, and the day is that in UTC, because the
        // business's time zone may change. A customer who hides the name later keeps the review.
        let derived_id = || {
            let day = source_day(date, posted_at).to_string();
            let parts = [&source.name, &named, &day, &text].map(String::as_str);
            derive_id(format.id_prefix(), parts, title.as_deref(), rating)
        };
        let id = stated_id.map_or_else(derived_id, Ok)?;
        let (author, hidden_name) = if is_name_hidden {
            (ANONYMOUS.to_owned(), Some(named.into()))
        } else {
            (named, None)
        };
        let review = Review {
            id,
            rating,
            date,
            author,
            title,
            text,
            language,
            source,
            verification,
            mentions,
            reply,
            status,
            updated_at,
        };
        let mut statement = StatedReview {
            review,
            unstated: self.unstated,
            decided: Units::new(),
            not_public: self.not_public,
            blocks: self.blocks,
        };
        statement.blocks.shrink_to_fit();
        let mut row = ReviewRow::new(format, statement, has_id);
        row.hidden_name = hidden_name;
        row.is_reply_hidden = self.is_reply_hidden;
        row.hiding = self.hiding;
        row.hiding.shrink_to_fit();
        row.has_instant = self.has_instant;
        row.posted_at = posted_at;
        Ok(row)
    }

    /// Notes the cells that nothing can be read from.
    fn check_cells(&mut self) {
        let reader = self.reader;
        for column in reader.used() {
            let cell = self.row.cell(column).unwrap_or_default();
            let text = cell.trim_matches(is_blank);
            let checked = if self.row.cells.is_long(column) {
                let kib = TEXT_BYTES_MAX >> 10;
                Err(format!("has more than {kib} KiB; shorten it"))
            } else if text == NOT_CALCULATED {
                Err(
                    "is a formula without a value; open the file in a spreadsheet and save it"
                        .to_owned(),
                )
            } else if is_spreadsheet_error(text) {
                Err(format!(
                    "{text} is an error of the spreadsheet; correct the cell's formula, or empty the cell"
                ))
            } else {
                check_text(cell, TEXT_BYTES_MAX)
            };
            self.noted(&reader.table.columns[column], checked);
        }
    }

    /// The value, or notes the first error about the column.
    fn noted<T>(&mut self, header: &str, read: Result<T, String>) -> Option<T> {
        let is_first = self.faults.iter().all(|fault| fault.path != header);
        match read {
            Ok(value) => return Some(value),
            Err(message) if is_first => {
                let is_private = has_address(&message);
                let shown = if is_private { NO_ADDRESS } else { &message };
                self.faults.push(FieldError::new(header, shown));
            }
            Err(_) => {}
        }
        None
    }

    /// Notes that the field has no value; the column is that of the file.
    fn note_missing(&mut self, field: ReviewField) {
        let reader = self.reader;
        let column = reader.fields[&field].first();
        let name = column.map(|column| reader.table.columns[*column].as_str());
        let listed = reader.format.column_names(field).into_iter().next();
        let name = name.or(listed).unwrap_or(field.name());
        self.noted::<()>(name, Err("missing".to_owned()));
    }

    /// The field's cell as `read` converts it; `read` fails with a message about the cell.
    fn read<T>(
        &mut self,
        field: ReviewField,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let cell = self.cell(field)?;
        self.noted(cell.header, read(cell.text))
    }

    /// A text that is published, without what its source adds to it.
    fn text(&mut self, field: ReviewField) -> Option<String> {
        let is_author = ReviewField::AUTHORS.contains(&field);
        let cells = self.cells(field);
        let texts: Vec<String> = cells
            .filter_map(|cell| self.text_of(cell))
            // What is only an e-mail address is private.
            .filter(|text| !is_empty(text, is_author) && (is_author || !is_address(text)))
            .collect();
        let text = Some(texts.join("\n\n")).filter(|it| !it.is_empty())?;
        let checked = check_text(&text, TEXT_BYTES_MAX);
        self.noted(self.cell(field)?.header, checked.map(|()| text))
    }

    /// The text of a cell, without what its source adds to it.
    fn text_of(&mut self, cell: Cell<'t>) -> Option<String> {
        if cell.text == LIST {
            let message =
                "is a list of objects; bring what it says into the row, for example with jq";
            return self.noted(cell.header, Err(message.to_owned()));
        }
        if !self.reader.table.is_objects && is_object(cell.text) {
            let shown = quoted(cell.text);
            let message = format!("{shown} is JSON; write only its text into the cell");
            return self.noted(cell.header, Err(message));
        }
        // Pages have HTML in some of their texts.
        let format = self.reader.format;
        let is_html = format.is_html(cell.header)
            || format.reader == Reader::LinkedData && is_html(cell.text);
        Some(clean(cell.text, is_html))
    }

    /// The stars, and whether they were derived from a recommendation.
    fn rating(&mut self) -> Option<(Rating, bool)> {
        let recommended = self.cell(ReviewField::Recommended);
        // Birdeye writes 0 for reviews without stars.
        let is_none =
            |cell: &Cell<'_>| recommended.is_some() && matches!(cell.text.trim(), "0" | "0.0");
        let rated = self.cell(ReviewField::Rating).filter(|cell| !is_none(cell));
        let Some(cell) = rated.or(recommended) else {
            self.note_missing(ReviewField::Rating);
            return None;
        };
        let text = &self.text_of(cell)?;
        // Birdeye's report has the word in place of the stars.
        let is_recommendation = rated.is_none() || text.to_lowercase().contains("recommend");
        let stars = if is_recommendation {
            recommendation(text)
        } else {
            let format = self.reader.format;
            let of_row = self.cell(ReviewField::Scale);
            let ends_nowhere =
                |cell: &Cell<'_>| cell.text.trim().parse().is_ok_and(|end: f64| end <= 0.0);
            if let Some(scale) = of_row.filter(ends_nowhere) {
                let message = "is not above 0, so it is no end of a scale; correct it in the file";
                return self.noted(scale.header, Err(message.to_owned()));
            }
            let stars = parse_rating(text, self.scale(), &format.values);
            if format.is_table() {
                stars
            } else {
                stars.map_err(|_| not_stars(text))
            }
        };
        let stars = self.noted(cell.header, stars)?;
        Some((stars, is_recommendation))
    }

    fn posted(&mut self, field: ReviewField) -> Option<Posted> {
        let (reader, column) = (self.reader, self.cell(field)?.column);
        self.read(field, |text| reader.dates(column).parse(text))
    }

    /// The day in the business's time zone, and the instant if the cell has one.
    fn dated(&mut self, field: ReviewField) -> Option<(Day, Option<DateTime<Utc>>)> {
        let (header, posted) = (self.cell(field)?.header, self.posted(field)?);
        self.has_instant |= posted.instant().is_some();
        let day = self.noted(header, self.reader.calendar.place(posted))?;
        Some((day, posted.instant()))
    }

    /// When the row last changed.
    fn updated_at(&mut self) -> Option<DateTime<Utc>> {
        let at = self.posted(ReviewField::UpdatedAt)?.instant()?;
        Some(at.min(self.reader.calendar.now))
    }

    fn author(&mut self) -> String {
        let name = self.text(ReviewField::Author).unwrap_or_else(|| {
            let parts = [ReviewField::FirstName, ReviewField::LastName];
            let [first, last] = parts.map(|part| self.text(part).unwrap_or_default());
            // `Anna Bell` in the column `Name`, beside `Anna` in the column `Vorname`.
            if plain_words(&last).starts_with(&plain_words(&first)) {
                last
            } else if plain_words(&first).ends_with(&plain_words(&last)) {
                first
            } else {
                format!("{first} {last}")
            }
        });
        let name = name.trim().replace('\n', ", ");
        // An e-mail address in the place of a name is private.
        let is_private = name.contains('@') && !name.contains(' ');
        if is_private || name.is_empty() {
            return ANONYMOUS.to_owned();
        }
        let words: Vec<&str> = name.split_whitespace().collect();
        without_address(&words.join(" "))
    }

    fn source(&mut self) -> Source {
        let name = self.text(ReviewField::Source);
        let named = name.as_deref().map(|it| source_name(it.trim()));
        let name = named.unwrap_or(self.reader.source).to_owned();
        // What is no address is not published, and no reason to lose the review.
        let cell = self.cell(ReviewField::SourceUrl);
        let url = cell.and_then(|cell| url(cell.text).ok());
        Source { name, url }
    }

    /// The ID that the row states.
    fn id(&mut self) -> Option<ReviewId> {
        let cell = self.cell(ReviewField::Id)?;
        let format = self.reader.format;
        let of_platform = |id| of_platform(format.id_prefix(), id);
        let id = whole_number(cell.text.trim());
        let id = if format.has_google_names {
            // `accounts/…/locations/…/reviews/…` without the account: if two accounts own a location, it is exported twice.
            let place = id.rsplit_once("locations/");
            let key = match place.and_then(|(_, place)| place.split_once("/reviews/")) {
                Some((location, review)) if !location.contains('/') => {
                    format!("{location}.{review}")
                }
                _ => id.to_owned(),
            };
            // Google's ids are opaque and may not fit our syntax; such an id is replaced by its digest.
            key.parse().or_else(|_| digest(&format.name, &[&key]))
        } else if self.reader.is_manual() && format.ids.is_none() {
            id.parse().or_else(|_| of_platform(id))
        } else {
            of_platform(id)
        };
        self.noted(cell.header, id.map_err(|error| error.to_string()))
    }

    fn verification(&mut self) -> Verification {
        let format = self.reader.format;
        let verified_at = self.posted(ReviewField::VerifiedAt);
        let verified_at = verified_at.and_then(Posted::instant);
        let matched = self.cell(ReviewField::Matched);
        let matched = matched.zip(format.matched.as_deref());
        let buyer = self.cell(ReviewField::Buyer).map(|cell| cell.text.trim());
        let is_no_buyer =
            |text| format.no_buyer.iter().any(|word| word == text) || flag(text) == Ok(false);
        let method = if buyer.is_some_and(is_no_buyer) {
            // A writer who is no buyer is neither verified by the platform nor withheld.
            Method::Manual
        } else if self.reader.is_manual() {
            self.unstated.insert(Unit::Verification);
            Method::Manual
        } else if matched.is_some_and(|(cell, job)| job.eq_ignore_ascii_case(cell.text.trim())) {
            Method::JobMatch
        } else {
            Method::SourcePlatform
        };
        Verification {
            method: Some(method),
            verified_at: verified_at.filter(|_| method == Method::JobMatch),
        }
    }

    fn status(&mut self, is_starless: bool) -> Status {
        let visibility = self.visibility(PublicPart::Review, true);
        if let Visibility::Hidden(reason) = visibility {
            return Status::withheld(reason);
        }
        if is_starless {
            return Status::withheld(WITHOUT_STARS);
        }
        if visibility == Visibility::Unstated {
            self.unstated.insert(Unit::Status);
        }
        Status::Published
    }

    /// Whether the row's review, its reply or its author's name is public; of several columns that hide it the first gives the reason. If
    /// it `is_present`, the values that hide it are noted; columns that the import has and the row lacks are empty.
    fn visibility(&mut self, part: PublicPart, is_present: bool) -> Visibility<'t> {
        let (reader, row) = (self.reader, self.row);
        let mut most_hidden = Visibility::Nothing;
        for rule in reader.public.iter().filter(|rule| rule.part == part) {
            let visibility = rule.visibility(row, is_present);
            if !matches!(most_hidden, Visibility::Hidden(_)) {
                most_hidden = most_hidden.max(visibility);
            }
            if !matches!(visibility, Visibility::Nothing | Visibility::Unstated) {
                let block = (part.unit(), rule.key.clone());
                self.blocks.push((block, visibility == Visibility::Shown));
            }
            let is_hidden = matches!(visibility, Visibility::Hidden(_));
            let empty = (is_hidden && !rule.is_stated(row)).then_some("");
            for column in rule.columns.iter().filter(|_| is_present) {
                let cell = row.cell(*column).or(empty);
                let Some(cell) = cell.filter(|cell| !rule.block.publishes(cell)) else {
                    continue;
                };
                let header = reader.table.columns[*column].clone();
                let value = shorten(&cell.trim().to_lowercase(), VALUE_CHARACTERS_MAX);
                self.hiding.push(reader.share((part, header, value)));
            }
        }
        if most_hidden == Visibility::Nothing {
            return Visibility::Unstated;
        }
        most_hidden
    }

    /// Whether a row of a platform's JSON, which leaves out what is empty, has nothing that says whether a reply is public.
    fn leaves_out_reply(&self) -> bool {
        let RowReader { format, table, .. } = self.reader;
        let rules = self.reader.public.iter();
        let mut rules = rules.filter(|rule| rule.part == PublicPart::Reply);
        table.is_objects && !format.is_table() && !rules.any(|rule| rule.is_stated(self.row))
    }

    fn mentions(&mut self) -> Mentions {
        let fields = [
            ReviewField::Technicians,
            ReviewField::Services,
            ReviewField::ServiceAreas,
        ];
        if fields.iter().all(|it| self.cell(*it).is_none()) {
            self.unstated.insert(Unit::Mentions);
        }
        let separator = self.reader.format.separator.as_deref();
        let [technicians, services, areas] = fields.map(|field| {
            let cells = self.cells(field);
            let named =
                cells.filter_map(|cell| self.noted(cell.header, mentioned(cell.text, separator)));
            named.flatten().collect::<Vec<_>>()
        });
        let business = self.reader.business;
        let roster = business.map_or(&[][..], |it| &it.technicians);
        let technicians = technicians.iter();
        let technicians = technicians.filter_map(|name| technician(name, roster));
        let offered = business.map_or(&[][..], |it| &it.services);
        let services = services.into_iter().map(|name| service_id(name, offered));
        Mentions::new(technicians.collect(), services.collect(), areas)
    }

    /// The public reply. What its source hides takes back an earlier one, whether the row has a text or not.
    fn reply(&mut self) -> Option<Reply> {
        // A column may say only whether there is an answer, and PHP writes false or 0 for none.
        let text = self.text(ReviewField::ReplyText);
        let text = text.filter(|text| flag(text).is_err());
        let hidden_by = self.row.cells.reply_hidden_by.as_deref();
        let visibility = if let Some(blocks) = hidden_by.filter(|_| text.is_none()) {
            let blocks = blocks.lines();
            let blocks = blocks.map(|key| ((Unit::Reply, key.into()), false));
            self.blocks.extend(blocks);
            Visibility::Hidden(NOT_PUBLISHED)
        } else if text.is_none() && self.leaves_out_reply() {
            Visibility::Unstated
        } else {
            self.visibility(PublicPart::Reply, text.is_some())
        };
        if let Visibility::Hidden(_) = visibility {
            self.not_public.insert(Unit::Reply);
            self.is_reply_hidden = true;
            return None;
        }
        let Some(text) = text else {
            self.note_unstated(ReviewField::ReplyText, Unit::Reply);
            return None;
        };
        if visibility != Visibility::Shown {
            self.not_public.insert(Unit::Reply);
        }
        let faults = self.faults.len();
        let posted = self.dated(ReviewField::ReplyDate);
        // An answer whose date cannot be read has none: otherwise just the answered reviews would be lost.
        self.faults.truncate(faults);
        let reply = Reply {
            text,
            date: posted.map(|(day, _)| day),
            author: self.text(ReviewField::ReplyAuthor),
        };
        // In a thread the customer may have the last word.
        let customer = self.cell(ReviewField::Author);
        let customer = customer.map(|cell| plain_words(cell.text));
        let writer = reply.author.as_deref().map(plain_words);
        if writer.is_some() && writer == customer {
            return None;
        }
        Some(reply)
    }
}

/// A whole number, which some programs write as a decimal.
fn whole_number(text: &str) -> &str {
    let whole = text.strip_suffix(".0");
    let whole = whole.filter(|whole| whole.bytes().all(|byte| byte.is_ascii_digit()));
    whole.unwrap_or(text)
}

/// Whether a cell has an object, or a list of objects, as programs write them that do not flatten JSON.
fn is_object(text: &str) -> bool {
    let text = text.trim();
    let begins = ["{\"", "[{\"", "{'", "[{'"];
    begins.iter().any(|begin| text.starts_with(begin))
        && text.ends_with(['}', ']'])
        && text.contains(':')
}

// IDs of reviews: stable over imports, and within our permalinks' syntax (`[A-Za-z0-9._~=-]{1,128}`).

/// The id for the platform's id `theirs`, with the platform in front: two that verify reviews may both count from 1. Where anybody may
/// write, it is only for an id that is none of ours. One with unsupported characters or length is replaced by its digest.
pub fn of_platform(platform: &str, theirs: &str) -> Result<ReviewId, InvalidReviewId> {
    let id = format!("{platform}-{theirs}").parse();
    id.or_else(|_| digest(platform, &[theirs]))
}

/// An id from parts that do not change, in place of one that fits no permalink.
fn digest(platform: &str, parts: &[&str]) -> Result<ReviewId, InvalidReviewId> {
    format!("{platform}-{}", hash(parts)).parse()
}

/// The first 32 hexadecimal digits of a SHA-256.
fn hash(parts: &[&str]) -> String {
    format!("{:.32}", hex(&sha256_of_parts(parts)))
}

/// The id of a row without one: of its source, author, day and text, without a text of title and stars, too. The same row has the same
/// id in any file, for any order of columns. A tilde tells it from ids that are stated, which may be digests of a platform's own.
///
/// # Errors
/// If the platform's name fits no id.
pub fn derive_id(
    platform: &str,
    parts: [&str; 4],
    title: Option<&str>,
    rating: Rating,
) -> Result<ReviewId, Vec<FieldError>> {
    let stars = rating.stars().to_string();
    let mut parts = parts.to_vec();
    if parts[3].is_empty() {
        parts.extend(title);
        parts.push(&stars);
    }
    let id = format!("{platform}-~{}", hash(&parts)).parse::<ReviewId>();
    id.map_err(|error| vec![FieldError::new("id", error.to_string())])
}

// The names in a cell of technicians, services or areas, and the technician on the roster that one means.

/// The names in an array, or separated by `separator`, else by semicolons, bars or line breaks.
fn mentioned(text: &str, separator: Option<&str>) -> Result<Vec<String>, String> {
    let separated: Vec<&str> = match separator {
        Some(separator) => text.split(separator).collect(),
        None => text.split([';', '|', '\n', '\r']).collect(),
    };
    let listed: Option<Vec<String>> = serde_json::from_str(text).ok();
    let mut names = listed.unwrap_or_else(|| separated.into_iter().map(str::to_owned).collect());
    for name in &mut names {
        // Mentions are read packed between control characters.
        if name.trim().contains(char::is_control) {
            return Err("has a control character; remove it".to_owned());
        }
        *name = clean(name.trim(), false);
    }
    names.retain(|name| !name.is_empty());
    Ok(names)
}

/// The id of the service that an id, a name or a synonym stands for; else the text itself.
fn service_id(text: String, offered: &[Service]) -> String {
    let named = plain_words(&text);
    let mut found = offered.iter().filter(|service| {
        let mut names = service.synonyms.iter().chain([&service.id, &service.name]);
        names.any(|name| plain_words(name) == named)
    });
    let only = found.next().filter(|_| found.next().is_none());
    only.map_or(text, |service| service.id.clone())
}

/// The technician that a full name, or an alias or first name that only one has, stands for, as the roster has the name. An address is
/// no name.
fn technician(name: &str, roster: &[Technician]) -> Option<String> {
    let shown = without_address(name);
    if shown == ANONYMOUS && name != ANONYMOUS {
        return None;
    }
    let named = plain_words(&shown);
    let mut aliased = roster.iter().filter(|person| {
        let first = person.name.split(' ').next();
        let mut names = person.aliases.iter().map(String::as_str).chain(first);
        names.any(|name| plain_words(name) == named)
    });
    let alias = aliased.next().filter(|_| aliased.next().is_none());
    let mut people = roster.iter();
    let person = people.find(|person| plain_words(&person.name) == named);
    Some(person.or(alias).map_or(shown, |person| person.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_id_gets_a_prefix_and_is_hashed_if_invalid() {
        assert_eq!(
            of_platform("yelp", "xAG4O7l-t1ubbwVAlPnDKg")
                .unwrap()
                .as_str(),
            "yelp-xAG4O7l-t1ubbwVAlPnDKg"
        );
        let long = of_platform("yelp", "a b/c").unwrap();
        assert_eq!(
            (long.as_str().len(), &long),
            (5 + 32, &of_platform("yelp", "a b/c").unwrap())
        );
        assert_ne!(long, of_platform("yelp", "a b/d").unwrap());
    }

    #[test]
    fn digests_of_differently_split_parts_differ() {
        assert_ne!(
            digest("t", &["ab", "c"]).unwrap(),
            digest("t", &["a", "bc"]).unwrap()
        );
    }
}
