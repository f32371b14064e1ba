//! Reads the review in a row of cells by the plan of its file, and reports all errors of the row together.

use serde_json::{Map, Value};

use crate::imports::map::fields::{self, FieldError, check_text, names, noted, or_default};
use crate::imports::map::plan::{DATES, Plan, Visibility};
use crate::imports::map::table::{Row, Table};
use crate::imports::map::values::{
    Says, clean, flag, is_address, is_empty, language_tag, parse_rating, quoted,
    shows_scale_of_ten, without_address,
};
use crate::imports::map::visibility::{self, NOT_PUBLISHED, Subject};
use crate::imports::map::{
    Answer, Calendar, Comment, Dated, Incoming, Posted, ReviewField, Stated, VOUCHED, answer,
    values,
};
use crate::imports::platforms::{BY_PLATFORM, Format, Hidden, NO_STARS, When};
use crate::model::{
    InvalidReviewId, Mentions, Method, NOT_VERIFIED, Rating, Review, ReviewId, Source, Statement,
    Status, Unit, Units, Verification,
};

/// The values of cells whose formula failed (ECMA-376 part 1, §18.18.11). Text that begins with a sign is such a formula
/// where it was typed into a spreadsheet.
const SPREADSHEET_ERRORS: [&str; 7] = [
    "#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!",
];

/// A row, read by the plan of its file.
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

impl Cell<'_> {
    fn problem(&self, message: impl Into<String>) -> FieldError {
        FieldError::new(self.header, message)
    }
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

    /// The cell as text, if it can be stored.
    fn raw_text(&self, cell: Cell<'p>) -> Result<&'p str, FieldError> {
        check_text(cell.text, "").map_err(|message| cell.problem(message))?;
        let text = cell.text.trim();
        if !self.table.is_objects() && SPREADSHEET_ERRORS.contains(&text) {
            return Err(cell.problem(format!(
                "{text} is an error of the spreadsheet; correct the cell's formula, or empty the cell"
            )));
        }
        Ok(cell.text)
    }

    /// A text that is published, without what its source adds to it.
    fn text(&self, field: ReviewField) -> Result<Option<String>, FieldError> {
        let Some(cell) = self.cell(field) else {
            return Ok(None);
        };
        let text = self.raw_text(cell)?;
        let text = clean(text, self.plan.format.html, self.is_google());
        Ok(Some(text).filter(|text| !is_empty(text, false)))
    }

    /// Whether Google is the source of the review.
    fn is_google(&self) -> bool {
        let named = self.plan.request.source.as_deref();
        let named = named.unwrap_or(self.plan.format.source);
        let cell = self.cell(ReviewField::SourceName);
        let source = cell.map_or(named, |cell| cell.text.trim());
        source
            .get(..6)
            .is_some_and(|start| start.eq_ignore_ascii_case("google"))
    }

    /// The field's cell as `read` converts it; `read` fails with a message about the cell.
    fn read<T>(
        &self,
        field: ReviewField,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, FieldError> {
        let Some(cell) = self.cell(field) else {
            return Ok(None);
        };
        let text = self.raw_text(cell)?;
        read(text)
            .map(Some)
            .map_err(|message| cell.problem(message))
    }

    /// Whether a row without the field states that there is none: platforms leave out what is empty.
    fn states(&self, field: ReviewField) -> bool {
        let format = self.plan.format;
        self.has(field)
            || self.table.is_objects() && format.states_all && format.fields.contains_key(&field)
    }

    fn stated(&self, field: ReviewField) -> Result<Stated<String>, FieldError> {
        Ok(match self.text(field)? {
            Some(text) => Stated::Value(text.trim().to_owned()),
            None if self.states(field) => Stated::None,
            None => Stated::Unstated,
        })
    }

    /// The error of a field without a value; the column is that of the file.
    fn missing(&self, field: ReviewField) -> FieldError {
        let column = self.plan.field(field).first();
        let format = self.plan.format.fields.get(&field);
        let name = column.map(|column| self.table.columns[*column].as_str());
        let name = name.or_else(|| format.and_then(|list| names(list).next()));
        FieldError::new(name.unwrap_or(field.name()), "missing")
    }

    /// The review, or all its errors.
    pub fn review(&self) -> Result<Incoming, Vec<FieldError>> {
        let mut faults = Vec::new();
        let wrong = &mut faults;
        let rating = noted(wrong, self.rating());
        let posted = noted(wrong, self.date());
        let author = noted(wrong, self.author());
        let text = or_default(wrong, self.review_text());
        let title = or_default(wrong, self.stated(ReviewField::Title));
        let source = noted(wrong, self.source());
        let place = self.place();
        let own_id = or_default(wrong, self.id(place.as_ref()));
        let language = or_default(wrong, self.language());
        let verification = or_default(wrong, self.verification());
        let is_starless = rating.is_some_and(|(_, is_recommendation)| is_recommendation);
        let status = or_default(wrong, self.status(is_starless, &verification));
        let location = or_default(wrong, self.location(place));
        let mentions = or_default(wrong, self.mentions());
        let answer = or_default(wrong, self.response());
        let updated = or_default(wrong, self.updated(posted));
        let writer = or_default(wrong, self.writer());
        let (Some((rating, _)), Some(posted), Some(author), Some(source), []) =
            (rating, posted, author, source, faults.as_slice())
        else {
            return Err(faults);
        };
        let mut unstated = Units::NONE;
        // A file without texts gives no statement about them; platforms leave out an object's empty text.
        let may_lack_text = self.table.is_objects() && !self.plan.request.no_text;
        if !may_lack_text && !self.has(ReviewField::Text) {
            unstated.insert(Unit::Text);
        }
        let title = title.take(Unit::Title, &mut unstated);
        let (response, responded_at) = answer.take(Unit::Response, &mut unstated).unzip();
        let has_own_id = own_id.is_some();
        let posted_at = posted.posted.instant();
        let format = self.plan.format;
        let derived = || {
            derived_id(
                format,
                &source.name,
                &author,
                posted.posted,
                rating,
                title.as_deref(),
                &text,
            )
        };
        let id = own_id.map_or_else(derived, Ok);
        let id = id.map_err(|error| FieldError::new("id", error.to_string()))?;
        let review = Review {
            id,
            rating,
            date: posted.day,
            author,
            title,
            text,
            language: language.take(Unit::Language, &mut unstated),
            source,
            // The merge withholds a review that is not verified.
            status: (status.take(Unit::Status, &mut unstated)).unwrap_or(Status::Published),
            verification: (verification.take(Unit::Verification, &mut unstated)).unwrap_or(VOUCHED),
            mentions: (mentions.take(Unit::Mentions, &mut unstated)).unwrap_or_default(),
            response,
            updated_at: updated.and_then(Posted::instant),
        };
        Ok(Incoming {
            statement: Statement {
                review,
                unstated,
                decided: Units::NONE,
            },
            has_own_id,
            id_at_source: None,
            location,
            changed_at: updated.map(Posted::instant_or_midnight),
            posted_at,
            responded_at: responded_at.flatten(),
            imported_from: None,
            note: None,
            writer,
        })
    }

    /// The answer in the row, or all its errors; `None` if the row is not an answer.
    pub fn comment(&self) -> Option<Result<Comment, Vec<FieldError>>> {
        let [parent, _] = self.plan.comments.as_ref()?;
        let parent = self.first_cell(parent, false)?;
        let rating = self.cell(ReviewField::Rating);
        let is_rated = rating.is_some_and(|cell| cell.text.trim() != "0");
        if parent.text.trim() == "0" || is_rated {
            return None;
        }
        let mut faults = Vec::new();
        let wrong = &mut faults;
        let id = self.platform_id(parent.text.trim());
        let review = noted(wrong, id.map_err(|error| parent.problem(error.to_string())));
        let text = or_default(wrong, self.text(ReviewField::Text)).unwrap_or_default();
        let posted = or_default(wrong, self.dated(ReviewField::Date));
        let writer = or_default(wrong, self.writer());
        let public = or_default(wrong, self.is_public(Subject::Review));
        let is_public = public.is_none_or(|(is_public, _)| is_public);
        let comment = review.filter(|_| faults.is_empty()).map(|review| Comment {
            review,
            writer: writer.filter(|_| is_public),
            answer: answer(text, posted, None),
        });
        Some(comment.ok_or(faults))
    }

    /// User number of the row's author; `None` for a visitor.
    fn writer(&self) -> Result<Option<String>, FieldError> {
        let Some([_, writer]) = &self.plan.comments else {
            return Ok(None);
        };
        let cell = self.first_cell(writer, false);
        let number = cell.map(|cell| self.raw_text(cell)).transpose()?;
        Ok(number
            .filter(|number| number.trim() != "0")
            .map(str::to_owned))
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
        let date = DATES.contains(&field);
        let date = date
            .then(|| self.plan.dates(column).parse(text).ok())
            .flatten();
        #[expect(clippy::wildcard_enum_match_arm, reason = "the others are texts")]
        let value = match field {
            ReviewField::Rating => match self.rating() {
                Ok((rating, false)) if self.scale().is_some() => {
                    Some(format!("{}/5", rating.stars()))
                }
                _ => None,
            },
            ReviewField::Author | ReviewField::FirstName | ReviewField::LastName => {
                Some(without_address(text))
            }
            _ => date.map(|posted| posted.to_string()),
        };
        Value::from(value.unwrap_or_else(|| text.to_owned()))
    }

    /// A rating that proves a scale of 10, if no scale was given.
    pub fn scale_of_ten(&self) -> Option<&'p str> {
        let text = self.cell(ReviewField::Rating)?.text;
        (self.scale().is_none() && shows_scale_of_ten(text)).then_some(text)
    }

    /// The end of the scale: that of the row, or of `--scale`.
    fn scale(&self) -> Option<std::num::NonZeroU8> {
        let requested = self.plan.request.scale;
        let own = self.cell(ReviewField::Scale).and_then(|cell| {
            let best: f64 = cell.text.trim().parse().ok()?;
            let whole = (1..=u8::MAX).find(|whole| f64::from(*whole).total_cmp(&best).is_eq())?;
            std::num::NonZeroU8::new(whole)
        });
        // On a scale of five, half stars are refused without `--scale`, as in all formats.
        own.filter(|best| best.get() != 5 || requested.is_some())
            .or(requested)
    }

    /// The stars, and whether they were derived from a recommendation.
    fn rating(&self) -> Result<(Rating, bool), FieldError> {
        let recommended = self.cell(ReviewField::Recommended);
        let rated = self.cell(ReviewField::Rating);
        // Birdeye writes 0 for reviews without stars.
        let is_none =
            |cell: &Cell<'_>| recommended.is_some() && matches!(cell.text.trim(), "0" | "0.0");
        let rated = rated.filter(|cell| !is_none(cell));
        let Some(cell) = rated.or(recommended) else {
            return Err(self.missing(ReviewField::Rating));
        };
        let text = self.raw_text(cell)?;
        // Birdeye's report has the word in place of the stars.
        let is_recommendation = rated.is_none() || text.to_lowercase().contains("recommend");
        let stars = if is_recommendation {
            values::recommendation(text)
        } else {
            parse_rating(text, self.scale())
        };
        let stars = stars.map_err(|error| cell.problem(error))?;
        Ok((stars, is_recommendation))
    }

    fn posted(&self, field: ReviewField) -> Result<Option<Posted>, FieldError> {
        let Some(cell) = self.cell(field) else {
            return Ok(None);
        };
        let text = self.raw_text(cell)?;
        let posted = self.plan.dates(cell.column).parse(text);
        posted.map(Some).map_err(|message| cell.problem(message))
    }

    fn dated(&self, field: ReviewField) -> Result<Option<Dated>, FieldError> {
        let Some(posted) = self.posted(field)? else {
            return Ok(None);
        };
        let dated = self.calendar.place(posted);
        let header = || self.cell(field).map_or(field.name(), |cell| cell.header);
        dated
            .map(Some)
            .map_err(|message| FieldError::new(header(), message))
    }

    fn date(&self) -> Result<Dated, FieldError> {
        self.dated(ReviewField::Date)?
            .ok_or_else(|| self.missing(ReviewField::Date))
    }

    /// When the row last changed; a platform without such a time gives that of the review.
    fn updated(&self, posted: Option<Dated>) -> Result<Option<Posted>, FieldError> {
        let updated = self.posted(ReviewField::UpdatedAt)?.or_else(|| {
            let has_updates = self.plan.format.updates_all;
            posted.filter(|_| has_updates).map(|dated| dated.posted)
        });
        Ok(updated.map(|updated| match updated {
            Posted::Instant(at) => Posted::Instant(at.min(self.calendar.now)),
            Posted::Day(_) => updated,
        }))
    }

    fn author(&self) -> Result<String, FieldError> {
        let is_anonymous = self.read(ReviewField::Anonymous, flag)? == Some(true);
        let parts = [ReviewField::FirstName, ReviewField::LastName];
        let parts = parts.map(|part| self.text(part));
        let parts: Vec<String> = parts
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect();
        let joined = parts
            .iter()
            .map(|part| part.trim())
            .collect::<Vec<_>>()
            .join(" ");
        let whole = match self.cell(ReviewField::Author) {
            Some(cell) => Some(clean(self.raw_text(cell)?, self.plan.format.html, false)),
            None => Some(joined).filter(|joined| !joined.is_empty()),
        };
        let unnamed = self.plan.format.anonymous;
        Ok(match whole {
            Some(_) if is_anonymous => unnamed.to_owned(),
            // An e-mail address in the place of a name is private.
            Some(name) if name.contains('@') && !name.trim().contains(' ') => unnamed.to_owned(),
            Some(name) if !name.trim().is_empty() => without_address(name.trim()),
            Some(_) | None => unnamed.to_owned(),
        })
    }

    /// The review's own words; a text that is only an e-mail address is private.
    fn review_text(&self) -> Result<String, FieldError> {
        let text = self.text(ReviewField::Text)?.unwrap_or_default();
        Ok(if is_address(&text) {
            String::new()
        } else {
            text
        })
    }

    fn language(&self) -> Result<Stated<String>, FieldError> {
        Ok(match self.stated(ReviewField::Language)? {
            Stated::Value(text) => language_tag(&text).map_or(Stated::Unstated, Stated::Value),
            none @ (Stated::None | Stated::Unstated) => none,
        })
    }

    fn source(&self) -> Result<Source, FieldError> {
        let (format, request) = (self.plan.format, self.plan.request);
        let named = request.source.as_deref().unwrap_or(format.source);
        let name = self.text(ReviewField::SourceName)?;
        let url = match self.read(ReviewField::Url, fields::url) {
            // An address that a page gives for something else is not published.
            Err(_) if !format.states_all => None,
            url => url?,
        };
        Ok(Source {
            name: name.as_deref().map_or(named, str::trim).to_owned(),
            url,
        })
    }

    /// The parts of Google's name of a review, `accounts/…/locations/…/reviews/…`: location and review.
    fn place(&self) -> Option<(String, String)> {
        if !self.plan.format.has_google_names {
            return None;
        }
        let name = self.cell(ReviewField::Id)?.text.trim();
        // Without the account: if two accounts own a location, it is exported twice.
        let (_, name) = name.rsplit_once("locations/")?;
        let (location, review) = name.split_once("/reviews/")?;
        (!location.contains('/')).then(|| (location.to_owned(), review.to_owned()))
    }

    fn location(&self, place: Option<(String, String)>) -> Result<Option<String>, FieldError> {
        match place {
            Some((location, _)) => Ok(Some(location)),
            None => self.text(ReviewField::Location),
        }
    }

    fn platform_id(&self, theirs: &str) -> Result<ReviewId, InvalidReviewId> {
        let format = self.plan.format;
        values::of_platform(format.ids.unwrap_or(format.name), theirs)
    }

    /// The row's own id, if it has one.
    fn id(&self, place: Option<&(String, String)>) -> Result<Option<ReviewId>, FieldError> {
        let Some(cell) = self.cell(ReviewField::Id) else {
            return Ok(None);
        };
        let format = self.plan.format;
        let id = self.raw_text(cell)?.trim();
        let id = if format.has_google_names {
            let of_place = |(location, review): &(String, String)| format!("{location}.{review}");
            let key = place.map_or_else(|| id.to_owned(), of_place);
            // Google's ids are opaque and may not fit our syntax; such an id is replaced by its digest.
            key.parse()
                .or_else(|_| values::digest(format.name, &[&key]))
        } else if format.vouches {
            self.platform_id(id)
        } else {
            id.parse().or_else(|_| self.platform_id(id))
        };
        id.map(Some)
            .map_err(|error| cell.problem(error.to_string()))
    }

    fn verification(&self) -> Result<Stated<Verification>, FieldError> {
        let format = self.plan.format;
        let matched = self.cell(ReviewField::Matched).zip(format.matched);
        let matched =
            matched.is_some_and(|(cell, value)| value.eq_ignore_ascii_case(cell.text.trim()));
        let verified_at = self.posted(ReviewField::VerifiedAt)?;
        let verified_at = verified_at.and_then(Posted::instant);
        // A writer who is no buyer is neither verified by the platform nor withheld.
        if self.read(ReviewField::Buyer, flag)? == Some(false) {
            return Ok(Stated::Value(VOUCHED));
        }
        if format.vouches {
            return Ok(Stated::Value(if matched {
                Verification {
                    method: Method::JobMatch,
                    verified_at,
                    ..BY_PLATFORM
                }
            } else {
                BY_PLATFORM
            }));
        }
        let verified = self.read(ReviewField::Verified, flag)?;
        let parse = |text: &str| {
            let allowed = || Method::ALL.map(Method::name).join(", ");
            Method::find(text.trim())
                .ok_or_else(|| format!("{} is not one of {}", quoted(text), allowed()))
        };
        let method = self.read(ReviewField::Method, parse)?;
        Ok(match (verified, method) {
            (None, None) => Stated::Unstated,
            (verified, method) => Stated::Value(Verification {
                verified: verified.unwrap_or(true),
                method: method.unwrap_or(Method::Manual),
                verified_at,
            }),
        })
    }

    fn status(
        &self,
        is_starless: bool,
        verification: &Stated<Verification>,
    ) -> Result<Stated<Status>, FieldError> {
        let withheld = |reason: &str| Ok(Stated::Value(Status::withheld(reason)));
        let public = self.is_public(Subject::Review)?;
        let reason = self.text(ReviewField::Reason)?;
        if let Some((false, why)) = public {
            return withheld(reason.as_deref().unwrap_or(why));
        }
        if is_starless {
            return withheld(NO_STARS);
        }
        if matches!(verification, Stated::Value(verification) if !verification.verified) {
            return withheld(reason.as_deref().unwrap_or(NOT_VERIFIED));
        }
        Ok(match public {
            Some(_) => Stated::Value(Status::Published),
            None if reason.is_some() => Stated::Value(Status::Withheld { reason }),
            None => Stated::Unstated,
        })
    }

    /// Whether the row's review or answer is public at its source, with the reason if it is not; `None` if no column says.
    fn is_public(&self, subject: Subject) -> Result<Option<(bool, &'static str)>, FieldError> {
        let (Visibility { known, found }, reason) = match subject {
            Subject::Review => (&self.plan.review, NOT_PUBLISHED),
            Subject::Answer => (&self.plan.answer, NOT_PUBLISHED),
        };
        let mut public = None;
        for (columns, hidden) in known {
            match self.hides(columns, hidden)? {
                Some(true) => return Ok(Some((false, hidden.reason))),
                Some(false) => public = Some((true, reason)),
                None => {}
            }
        }
        for (column, says) in found {
            let text = match (self.first_cell(&[*column], false), self.row.cell(*column)) {
                (Some(cell), _) => cell.text,
                (None, Some(_)) if *says == Says::Public && !self.table.is_objects() => "",
                (None, _) => continue,
            };
            let header = &self.table.columns[*column];
            let unknown = || visibility::unknown(header, &quoted(text), subject, true);
            if !says.is_public(text).ok_or_else(unknown)? {
                return Ok(Some((false, reason)));
            }
            public = Some((true, reason));
        }
        Ok(public)
    }

    /// Whether the columns of a platform's file hide the review; `None` if the row has none of them.
    fn hides(&self, columns: &[usize], hidden: &Hidden) -> Result<Option<bool>, FieldError> {
        let Some(cell) = self.first_cell(columns, false) else {
            // An empty value publishes nothing.
            let has = columns
                .iter()
                .any(|column| self.row.cell(*column).is_some());
            let hides = !matches!(hidden.when, When::Yes);
            return Ok((has && hides).then_some(true));
        };
        let text = self.raw_text(cell)?;
        let hides = match hidden.when {
            When::Yes => flag(text),
            When::No => flag(text).map(|flag| !flag),
            When::NoneOf(shown) => {
                Ok(!names(shown).any(|word| word.eq_ignore_ascii_case(text.trim())))
            }
        };
        hides.map(Some).map_err(|message| cell.problem(message))
    }

    fn mentions(&self) -> Result<Stated<Mentions>, FieldError> {
        let mut any = false;
        let mut all = |field| {
            let Some(cell) = self.cell(field) else {
                return Ok(Vec::new());
            };
            any = true;
            let text = self.raw_text(cell)?;
            // An array, or names separated by semicolons or bars.
            let names: Vec<String> = serde_json::from_str(text)
                .unwrap_or_else(|_| text.split([';', '|']).map(str::to_owned).collect());
            let names: Vec<String> = names
                .iter()
                .map(|name| clean(name.trim(), false, false))
                .filter(|name| !name.is_empty())
                .collect();
            // Mentions are read packed between control characters.
            if names.iter().any(|name| name.contains(char::is_control)) {
                Err(cell.problem("has a control character; remove it"))
            } else {
                Ok(names)
            }
        };
        let mentions = Mentions::new(
            all(ReviewField::Technicians)?,
            all(ReviewField::Services)?,
            all(ReviewField::ServiceAreas)?,
        );
        Ok(if any {
            Stated::Value(mentions)
        } else {
            Stated::Unstated
        })
    }

    /// The public answer. A hidden one takes back an earlier one.
    fn response(&self) -> Result<Stated<Answer>, FieldError> {
        let Some(text) = self.text(ReviewField::ResponseText)? else {
            return Ok(if self.states(ReviewField::ResponseText) {
                Stated::None
            } else {
                Stated::Unstated
            });
        };
        if let Some((false, _)) = self.is_public(Subject::Answer)? {
            return Ok(Stated::None);
        }
        // An answer whose date cannot be read has none: otherwise just the answered reviews would be lost.
        let posted = match self.dated(ReviewField::ResponseDate) {
            Err(_) if self.plan.format.reads_headers => None,
            posted => posted?,
        };
        let author = self.text(ReviewField::ResponseAuthor)?;
        Ok(Stated::Value(answer(text, posted, author)))
    }

    /// The column that says that the row is not verified, if that alone withholds it.
    pub fn unverified(&self) -> Option<&'p str> {
        let cell = self.cell(ReviewField::Verified)?;
        let is_hidden = matches!(self.is_public(Subject::Review), Ok(Some((false, _))));
        (flag(cell.text) == Ok(false) && !is_hidden).then_some(cell.header)
    }
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
    values::digest(format.ids.unwrap_or(format.name), &parts)
}
