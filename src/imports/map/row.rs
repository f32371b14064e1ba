//! Reads the review in a row of cells by the plan of its file, and reports all errors of the row together.

use std::num::NonZeroU8;

use serde_json::{Map, Value};

use crate::imports::map::plan::{DATES, Plan, Visibility};
use crate::imports::map::table::{Row, Table};
use crate::imports::map::values::{
    self, ANONYMOUS, Says, TEXT_BYTES_MAX, check_text, clean, flag, is_address, is_empty,
    language_tag, names, parse_rating, quoted, shows_scale_of_ten, url, without_address,
};
use crate::imports::map::visibility::{self, NOT_PUBLISHED, Subject};
use crate::imports::map::{
    Answer, Calendar, Comment, Dated, Incoming, Posted, ReviewField, VOUCHED, answer,
};
use crate::imports::platforms::{BY_PLATFORM, Format, Hidden, NO_STARS, When};
use crate::imports::report::FieldError;
use crate::model::{
    InvalidReviewId, Mentions, Method, NOT_VERIFIED, Rating, Review, ReviewId, Source, Statement,
    Status, Unit, Units, Verification,
};

/// The values of cells whose formula failed (ECMA-376 part 1, §18.18.11). Text that begins with a sign is such a formula
/// where it was typed into a spreadsheet.
const SPREADSHEET_ERRORS: [&str; 7] = [
    "#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!",
];

/// A row with the plan of its file.
#[derive(Debug, Clone, Copy)]
pub struct PlannedRow<'p> {
    pub plan: &'p Plan<'p>,
    pub table: &'p Table,
    pub row: &'p Row,
    pub calendar: Calendar,
}

/// A cell that is not empty.
#[derive(Debug, Clone, Copy)]
struct Cell<'p> {
    column: usize,
    header: &'p str,
    text: &'p str,
}

impl<'p> PlannedRow<'p> {
    /// The first cell of the field that is not empty.
    fn cell(&self, field: ReviewField) -> Option<Cell<'p>> {
        let is_author = matches!(
            field,
            ReviewField::Author | ReviewField::FirstName | ReviewField::LastName
        );
        self.first_cell(self.plan.field(field), is_author)
    }

    fn first_cell(&self, columns: &[usize], is_author: bool) -> Option<Cell<'p>> {
        let cell = |column: &usize| {
            let text = self.row.cell(*column)?;
            (!is_empty(text, is_author)).then(|| Cell {
                column: *column,
                header: &self.table.columns[*column],
                text,
            })
        };
        columns.iter().find_map(cell)
    }

    /// Whether the row has the field, even if it is empty.
    fn has(&self, field: ReviewField) -> bool {
        let is_there = |column: &usize| self.row.cell(*column).is_some();
        self.plan.field(field).iter().any(|column| {
            let mut outer = self.plan.outer.get(*column).into_iter().flatten();
            is_there(column) || outer.any(is_there)
        })
    }

    /// Whether a row without the field states that there is none: platforms leave out what is empty.
    fn states(&self, field: ReviewField) -> bool {
        let format = self.plan.format;
        self.has(field)
            || self.table.is_objects() && !format.leaves_out && format.fields.contains_key(&field)
    }

    /// Whether Google is the source of the review.
    fn is_google(&self) -> bool {
        let cell = self.cell(ReviewField::SourceName);
        let source = cell.map_or(self.plan.source(), |cell| cell.text.trim());
        let start = source.get(..6);
        start.is_some_and(|start| start.eq_ignore_ascii_case("google"))
    }

    /// A rating that proves a scale of 10, if no scale was given.
    pub fn scale_of_ten(&self) -> Option<&'p str> {
        let text = self.cell(ReviewField::Rating)?.text;
        (self.scale().is_none() && shows_scale_of_ten(text)).then_some(text)
    }

    /// The end of the scale: that of the row, or of `--scale`.
    fn scale(&self) -> Option<NonZeroU8> {
        let requested = self.plan.request.scale;
        let own = self.cell(ReviewField::Scale).and_then(|cell| {
            let best: f64 = cell.text.trim().parse().ok()?;
            let whole = (1..=u8::MAX).find(|whole| f64::from(*whole).total_cmp(&best).is_eq())?;
            NonZeroU8::new(whole)
        });
        // On a scale of five, half stars are refused without `--scale`, as in all formats.
        own.filter(|best| best.get() != 5 || requested.is_some())
            .or(requested)
    }

    /// The parts of Google's name of a review, `accounts/…/locations/…/reviews/…`: location and review.
    fn place(&self) -> Option<(&'p str, &'p str)> {
        if !self.plan.format.has_google_names {
            return None;
        }
        let name = self.cell(ReviewField::Id)?.text.trim();
        // Without the account: if two accounts own a location, it is exported twice.
        let (_, name) = name.rsplit_once("locations/")?;
        let place = name.split_once("/reviews/")?;
        (!place.0.contains('/')).then_some(place)
    }

    fn platform_id(&self, theirs: &str) -> Result<ReviewId, InvalidReviewId> {
        values::of_platform(self.plan.format.id_prefix(), theirs)
    }

    /// The cells of the row that are read, for the file of rejected rows, which is imported with the same options. In a
    /// table, whose headers may be in any language, each field has the format's name unless `--map` gives its column.
    pub fn raw(&self) -> Value {
        let plan = self.plan;
        let mut read = Map::new();
        for field in ReviewField::ALL {
            for column in plan.field(field) {
                let Some(text) = self.row.cell(*column) else {
                    continue;
                };
                let header = &self.table.columns[*column];
                let listed = plan.format.fields.get(&field);
                let is_renamed = plan.request.rename(field.name()).is_some();
                let ours = listed
                    .filter(|_| plan.format.reads_headers && !is_renamed)
                    .and_then(|list| names(list).next());
                let value = self.converted(field, *column, text);
                read.insert(ours.unwrap_or(header).to_owned(), value);
            }
        }
        let keys = plan.format.keys.iter().flat_map(|set| names(set));
        let keys = keys.filter_map(|name| self.table.find(name));
        let comments = plan.comments.iter().flatten().flatten().copied();
        let visibility = [&plan.review, &plan.answer];
        let visibility = visibility.into_iter().flat_map(Visibility::columns);
        for column in keys.chain(comments).chain(visibility) {
            if let Some(text) = self.row.cell(column) {
                let header = self.table.columns[column].clone();
                read.entry(header).or_insert_with(|| Value::from(text));
            }
        }
        Value::Object(read)
    }

    /// The cell of a field: stars and dates, if they are valid, in forms that every option reads alike, otherwise as in the
    /// file; names without an e-mail address.
    fn converted(&self, field: ReviewField, column: usize, text: &str) -> Value {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are texts")]
        let value = match field {
            ReviewField::Rating if self.scale().is_some() => match RowReader::new(*self).rating() {
                Some((rating, false)) => Some(format!("{}/5", rating.stars())),
                Some((_, true)) | None => None,
            },
            ReviewField::Author | ReviewField::FirstName | ReviewField::LastName => {
                Some(without_address(text))
            }
            field if DATES.contains(&field) => {
                let posted = self.plan.dates(column).parse(text);
                posted.ok().map(|posted| posted.to_string())
            }
            _ => None,
        };
        Value::from(value.unwrap_or_else(|| text.to_owned()))
    }

    /// The column that says that the row is not verified, if that alone withholds it.
    pub fn unverified(&self) -> Option<&'p str> {
        let cell = self.cell(ReviewField::Verified)?;
        let public = RowReader::new(*self).is_public(Subject::Review);
        let is_hidden = matches!(public, Some((false, _)));
        (flag(cell.text) == Ok(false) && !is_hidden).then_some(cell.header)
    }
}

/// Reads a row, and collects its errors.
#[derive(Debug)]
pub struct RowReader<'p> {
    row: PlannedRow<'p>,
    faults: Vec<FieldError>,
    /// The units that the row does not state, so that it overwrites none of them.
    unstated: Units,
}

impl<'p> RowReader<'p> {
    pub const fn new(row: PlannedRow<'p>) -> Self {
        Self {
            row,
            faults: Vec::new(),
            unstated: Units::NONE,
        }
    }

    /// The review, or all its errors.
    pub fn review(mut self) -> Result<Incoming, Vec<FieldError>> {
        let rating = self.rating();
        let posted = self.date();
        let author = self.author();
        // A text that is only an e-mail address is private.
        let text = self.text(ReviewField::Text);
        let text = text.filter(|text| !is_address(text)).unwrap_or_default();
        let title = self.stated(ReviewField::Title, Unit::Title);
        let source = self.source();
        let own_id = self.own_id();
        let language = self.language();
        let verification = self.verification();
        let is_starless = rating.is_some_and(|(_, is_recommendation)| is_recommendation);
        let status = self.status(is_starless, verification.verified);
        let location = match self.row.place() {
            Some((location, _)) => Some(location.to_owned()),
            None => self.text(ReviewField::Location),
        };
        let mentions = self.mentions();
        let (response, responded_at) = self.response().unzip();
        let updated = self.updated(posted);
        let writer = self.writer();
        let (Some((rating, _)), Some(posted), []) = (rating, posted, self.faults.as_slice()) else {
            return Err(self.faults);
        };
        // A file without texts gives no statement about them; platforms leave out an object's empty text.
        let PlannedRow { plan, table, .. } = self.row;
        let may_lack_text = table.is_objects() && !plan.request.no_text;
        if !may_lack_text && !self.row.has(ReviewField::Text) {
            self.unstated.insert(Unit::Text);
        }
        let has_own_id = own_id.is_some();
        let derived = || {
            derived_id(
                plan.format,
                &source.name,
                &author,
                posted.posted,
                rating,
                title.as_deref(),
                &text,
            )
        };
        let id = own_id.map_or_else(derived, Ok);
        let id = id.map_err(|error| vec![FieldError::new("id", error.to_string())])?;
        let review = Review {
            id,
            rating,
            date: posted.day,
            author,
            title,
            text,
            language,
            source,
            // The merge withholds a review that is not verified.
            status,
            verification,
            mentions,
            response,
            updated_at: updated.and_then(Posted::instant),
        };
        Ok(Incoming {
            statement: Statement {
                review,
                unstated: self.unstated,
                decided: Units::NONE,
            },
            has_own_id,
            id_at_source: None,
            location,
            changed_at: updated.map(Posted::instant_or_midnight),
            posted_at: posted.posted.instant(),
            responded_at: responded_at.flatten(),
            imported_from: None,
            note: None,
            writer,
        })
    }

    /// The answer in the row, or all its errors; `None` if the row is not an answer.
    pub fn comment(mut self) -> Option<Result<Comment, Vec<FieldError>>> {
        let [parent, _] = self.row.plan.comments.as_ref()?;
        let parent = self.row.first_cell(parent, false)?;
        let rating = self.row.cell(ReviewField::Rating);
        let is_rated = rating.is_some_and(|cell| cell.text.trim() != "0");
        if parent.text.trim() == "0" || is_rated {
            return None;
        }
        let id = self.row.platform_id(parent.text.trim());
        let review = self.noted(parent.header, id.map_err(|error| error.to_string()));
        let text = self.text(ReviewField::Text).unwrap_or_default();
        let posted = self.dated(ReviewField::Date);
        let writer = self.writer();
        let is_public = !matches!(self.is_public(Subject::Review), Some((false, _)));
        let comment = review
            .filter(|_| self.faults.is_empty())
            .map(|review| Comment {
                review,
                writer: writer.filter(|_| is_public),
                answer: answer(text, posted, None),
            });
        Some(comment.ok_or(self.faults))
    }

    /// The value, or notes the error about the column.
    fn noted<T>(&mut self, header: &str, read: Result<T, String>) -> Option<T> {
        let fault = |message| FieldError::new(header, message);
        match read.map_err(fault) {
            Ok(value) => Some(value),
            Err(fault) => {
                if !self.faults.contains(&fault) {
                    self.faults.push(fault);
                }
                None
            }
        }
    }

    /// Notes that the field has no value; the column is that of the file.
    fn note_missing(&mut self, field: ReviewField) {
        let PlannedRow { plan, table, .. } = self.row;
        let column = plan.field(field).first();
        let name = column.map(|column| table.columns[*column].as_str());
        let listed = || names(plan.format.fields.get(&field)?).next();
        let name = name.or_else(listed).unwrap_or(field.name());
        self.noted::<()>(name, Err("missing".to_owned()));
    }

    /// The cell's text, if it can be stored.
    fn raw_text(&mut self, cell: Cell<'p>) -> Option<&'p str> {
        let text = cell.text.trim();
        let is_error = !self.row.table.is_objects() && SPREADSHEET_ERRORS.contains(&text);
        let checked = if is_error {
            Err(format!(
                "{text} is an error of the spreadsheet; correct the cell's formula, or empty the cell"
            ))
        } else {
            check_text(cell.text, TEXT_BYTES_MAX)
        };
        self.noted(cell.header, checked).map(|()| cell.text)
    }

    /// The field's cell as `read` converts it; `read` fails with a message about the cell.
    fn read<T>(
        &mut self,
        field: ReviewField,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let cell = self.row.cell(field)?;
        let text = self.raw_text(cell)?;
        self.noted(cell.header, read(text))
    }

    /// A text that is published, without what its source adds to it.
    fn text(&mut self, field: ReviewField) -> Option<String> {
        let cell = self.row.cell(field)?;
        let text = self.raw_text(cell)?;
        let text = clean(text, self.row.plan.format.html, self.row.is_google());
        Some(text).filter(|text| !is_empty(text, false))
    }

    /// The text of a unit, without blanks around it.
    fn stated(&mut self, field: ReviewField, unit: Unit) -> Option<String> {
        let text = self.text(field);
        if text.is_none() && !self.row.states(field) {
            self.unstated.insert(unit);
        }
        text.map(|text| text.trim().to_owned())
    }

    /// User number of the row's author; `None` for a visitor.
    fn writer(&mut self) -> Option<String> {
        let [_, writer] = self.row.plan.comments.as_ref()?;
        let cell = self.row.first_cell(writer, false)?;
        let number = self.raw_text(cell)?;
        (number.trim() != "0").then(|| number.to_owned())
    }

    /// The stars, and whether they were derived from a recommendation.
    fn rating(&mut self) -> Option<(Rating, bool)> {
        let recommended = self.row.cell(ReviewField::Recommended);
        // Birdeye writes 0 for reviews without stars.
        let is_none =
            |cell: &Cell<'_>| recommended.is_some() && matches!(cell.text.trim(), "0" | "0.0");
        let rated = self.row.cell(ReviewField::Rating);
        let rated = rated.filter(|cell| !is_none(cell));
        let Some(cell) = rated.or(recommended) else {
            self.note_missing(ReviewField::Rating);
            return None;
        };
        let text = self.raw_text(cell)?;
        // Birdeye's report has the word in place of the stars.
        let is_recommendation = rated.is_none() || text.to_lowercase().contains("recommend");
        let stars = if is_recommendation {
            values::recommendation(text)
        } else {
            parse_rating(text, self.row.scale())
        };
        let stars = self.noted(cell.header, stars)?;
        Some((stars, is_recommendation))
    }

    fn posted(&mut self, field: ReviewField) -> Option<Posted> {
        let plan = self.row.plan;
        let column = self.row.cell(field)?.column;
        self.read(field, |text| plan.dates(column).parse(text))
    }

    fn dated(&mut self, field: ReviewField) -> Option<Dated> {
        let (header, posted) = (self.row.cell(field)?.header, self.posted(field)?);
        self.noted(header, self.row.calendar.place(posted))
    }

    fn date(&mut self) -> Option<Dated> {
        if self.row.cell(ReviewField::Date).is_none() {
            self.note_missing(ReviewField::Date);
        }
        self.dated(ReviewField::Date)
    }

    /// When the row last changed; a platform without such a time gives that of the review.
    fn updated(&mut self, posted: Option<Dated>) -> Option<Posted> {
        let has_updates = self.row.plan.format.updates_all;
        let posted = posted.filter(|_| has_updates).map(|dated| dated.posted);
        let now = self.row.calendar.now;
        match self.posted(ReviewField::UpdatedAt).or(posted)? {
            Posted::Instant(at) => Some(Posted::Instant(at.min(now))),
            day @ Posted::Day(_) => Some(day),
        }
    }

    fn author(&mut self) -> String {
        let format = self.row.plan.format;
        let is_anonymous = self.read(ReviewField::Anonymous, flag) == Some(true);
        let name = if let Some(cell) = self.row.cell(ReviewField::Author) {
            let text = self.raw_text(cell);
            text.map(|text| clean(text, format.html, false))
                .unwrap_or_default()
        } else {
            let parts = [ReviewField::FirstName, ReviewField::LastName];
            let parts = parts.map(|part| self.text(part).unwrap_or_default());
            parts.map(|part| part.trim().to_owned()).join(" ")
        };
        let name = name.trim();
        // An e-mail address in the place of a name is private.
        let is_private = is_anonymous || name.contains('@') && !name.contains(' ');
        if is_private || name.is_empty() {
            return format.anonymous.unwrap_or(ANONYMOUS).to_owned();
        }
        without_address(name)
    }

    fn language(&mut self) -> Option<String> {
        let text = self.stated(ReviewField::Language, Unit::Language)?;
        let tag = language_tag(&text);
        if tag.is_none() {
            self.unstated.insert(Unit::Language);
        }
        tag
    }

    fn source(&mut self) -> Source {
        let name = self.text(ReviewField::SourceName);
        let named = name.as_deref().map_or(self.row.plan.source(), str::trim);
        let name = named.to_owned();
        let url = if self.row.plan.format.leaves_out {
            // An address that a page gives for something else is not published.
            let cell = self.row.cell(ReviewField::Url);
            cell.and_then(|cell| url(cell.text).ok())
        } else {
            self.read(ReviewField::Url, url)
        };
        Source { name, url }
    }

    /// The row's own id, if it has one.
    fn own_id(&mut self) -> Option<ReviewId> {
        let cell = self.row.cell(ReviewField::Id)?;
        let format = self.row.plan.format;
        let id = self.raw_text(cell)?.trim();
        let id = if format.has_google_names {
            let place = self.row.place();
            let key = place.map_or_else(
                || id.to_owned(),
                |(location, review)| format!("{location}.{review}"),
            );
            // Google's ids are opaque and may not fit our syntax; such an id is replaced by its digest.
            key.parse()
                .or_else(|_| values::digest(format.name, &[&key]))
        } else if format.is_manual {
            id.parse().or_else(|_| self.row.platform_id(id))
        } else {
            self.row.platform_id(id)
        };
        self.noted(cell.header, id.map_err(|error| error.to_string()))
    }

    fn verification(&mut self) -> Verification {
        let format = self.row.plan.format;
        let matched = self.row.cell(ReviewField::Matched).zip(format.matched);
        let matched =
            matched.is_some_and(|(cell, value)| value.eq_ignore_ascii_case(cell.text.trim()));
        let verified_at = self.posted(ReviewField::VerifiedAt);
        let verified_at = verified_at.and_then(Posted::instant);
        // A writer who is no buyer is neither verified by the platform nor withheld.
        if self.read(ReviewField::Buyer, flag) == Some(false) {
            return VOUCHED;
        }
        if !format.is_manual {
            return if matched {
                Verification {
                    method: Method::JobMatch,
                    verified_at,
                    ..BY_PLATFORM
                }
            } else {
                BY_PLATFORM
            };
        }
        let verified = self.read(ReviewField::Verified, flag);
        let method = self.read(ReviewField::Method, |text| {
            let allowed = || Method::ALL.map(Method::name).join(", ");
            Method::find(text.trim())
                .ok_or_else(|| format!("{} is not one of {}", quoted(text), allowed()))
        });
        if verified.is_none() && method.is_none() {
            self.unstated.insert(Unit::Verification);
            return VOUCHED;
        }
        Verification {
            verified: verified.unwrap_or(true),
            method: method.unwrap_or(Method::Manual),
            verified_at,
        }
    }

    fn status(&mut self, is_starless: bool, is_verified: bool) -> Status {
        let public = self.is_public(Subject::Review);
        let reason = self.text(ReviewField::Reason);
        let withheld = |why| Status::withheld(reason.as_deref().unwrap_or(why));
        match public {
            Some((false, why)) => withheld(why),
            _ if is_starless => Status::withheld(NO_STARS),
            _ if !is_verified => withheld(NOT_VERIFIED),
            Some((true, _)) => Status::Published,
            None if reason.is_some() => Status::Withheld { reason },
            None => {
                self.unstated.insert(Unit::Status);
                Status::Published
            }
        }
    }

    /// Whether the row's review or answer is public at its source, with the reason if it is not; `None` if no column says.
    fn is_public(&mut self, subject: Subject) -> Option<(bool, &'static str)> {
        let PlannedRow {
            plan, table, row, ..
        } = self.row;
        let Visibility { known, found } = match subject {
            Subject::Review => &plan.review,
            Subject::Answer => &plan.answer,
        };
        let mut public = None;
        for (columns, hidden) in known {
            match self.hides(columns, hidden) {
                Some(true) => return Some((false, hidden.reason)),
                Some(false) => public = Some((true, NOT_PUBLISHED)),
                None => {}
            }
        }
        for (column, says) in found {
            let text = match (self.row.first_cell(&[*column], false), row.cell(*column)) {
                (Some(cell), _) => cell.text,
                (None, Some(_)) if *says == Says::Public && !table.is_objects() => "",
                (None, _) => continue,
            };
            let header = &table.columns[*column];
            let unknown = || visibility::unknown(&quoted(text), subject);
            let shown = says.is_public(text).ok_or_else(unknown);
            if !self.noted(header, shown)? {
                return Some((false, NOT_PUBLISHED));
            }
            public = Some((true, NOT_PUBLISHED));
        }
        public
    }

    /// Whether the columns of a platform's file hide the review; `None` if the row has none of them.
    fn hides(&mut self, columns: &[usize], hidden: &Hidden) -> Option<bool> {
        let Some(cell) = self.row.first_cell(columns, false) else {
            // An empty value publishes nothing.
            let mut columns = columns.iter();
            let has = columns.any(|column| self.row.row.cell(*column).is_some());
            return (has && !matches!(hidden.when, When::Yes)).then_some(true);
        };
        let text = self.raw_text(cell)?;
        let hides = match hidden.when {
            When::Yes => flag(text),
            When::No => flag(text).map(|flag| !flag),
            When::NoneOf(shown) => {
                Ok(!names(shown).any(|word| word.eq_ignore_ascii_case(text.trim())))
            }
        };
        self.noted(cell.header, hides)
    }

    fn mentions(&mut self) -> Mentions {
        let fields = [
            ReviewField::Technicians,
            ReviewField::Services,
            ReviewField::ServiceAreas,
        ];
        if fields.iter().all(|field| self.row.cell(*field).is_none()) {
            self.unstated.insert(Unit::Mentions);
        }
        let [technicians, services, areas] =
            fields.map(|field| self.read(field, mentioned).unwrap_or_default());
        Mentions::new(technicians, services, areas)
    }

    /// The public answer. A hidden one takes back an earlier one.
    fn response(&mut self) -> Option<Answer> {
        let text = self.text(ReviewField::ResponseText);
        if text.is_none() && !self.row.states(ReviewField::ResponseText) {
            self.unstated.insert(Unit::Response);
        }
        let text = text?;
        if let Some((false, _)) = self.is_public(Subject::Answer) {
            return None;
        }
        let faults = self.faults.len();
        let posted = self.dated(ReviewField::ResponseDate);
        if self.row.plan.format.reads_headers {
            // An answer whose date cannot be read has none: otherwise just the answered reviews would be lost.
            self.faults.truncate(faults);
        }
        let author = self.text(ReviewField::ResponseAuthor);
        Some(answer(text, posted, author))
    }
}

/// The names in an array, or separated by semicolons or bars.
fn mentioned(text: &str) -> Result<Vec<String>, String> {
    let listed: Vec<String> = serde_json::from_str(text)
        .unwrap_or_else(|_| text.split([';', '|']).map(str::to_owned).collect());
    // Mentions are read packed between control characters.
    if listed
        .iter()
        .any(|name| name.trim().contains(char::is_control))
    {
        return Err("has a control character; remove it".to_owned());
    }
    let names = listed.iter().map(|name| clean(name.trim(), false, false));
    Ok(names.filter(|name| !name.is_empty()).collect())
}

/// An ID of author, day and text, and of the source, because two sources may have the same row. Without a text the stars
/// and the title belong to it: otherwise one customer's rating would replace another's.
pub fn derived_id(
    format: &Format,
    source: &str,
    author: &str,
    posted: Posted,
    rating: Rating,
    title: Option<&str>,
    text: &str,
) -> Result<ReviewId, InvalidReviewId> {
    let (posted, stars) = (posted.to_string(), rating.stars().to_string());
    let mut parts = vec![source, author, &posted, text];
    if text.is_empty() {
        parts.extend(title);
        parts.push(&stars);
    }
    values::digest(format.id_prefix(), &parts)
}
