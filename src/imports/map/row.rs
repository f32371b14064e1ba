//! Reads the review in a row of cells by the columns of its table, and reports all errors of the row together.

use std::borrow::Cow;
use std::num::NonZeroU8;

use crate::imports::incoming::{Incoming, Unpublished, VOUCHED};
use crate::imports::map::decide::{AUTHOR, Columns};
use crate::imports::map::fields::{PublicSubject, ReviewField};
use crate::imports::map::values::{
    self, ANONYMOUS, TEXT_BYTES_MAX, WORDS, clean, flag, is_address, is_blank, is_empty, is_in,
    is_spreadsheet_error, language_tag, names, parse_rating, remove_formula_escape,
    without_address,
};
use crate::imports::platforms::{BY_PLATFORM, NO_STARS};
use crate::imports::table::{NOT_CALCULATED, TableRow};
use crate::model::business::Technician;
use crate::model::text::{check_text, quoted, url, words};
use crate::model::{
    Calendar, Dated, Mentions, Method, NOT_PUBLISHED, NOT_VERIFIED, Posted, Rating, Reply, Review,
    ReviewId, Source, Statement, Status, Unit, Units, Verification,
};
use crate::owner::fault::FieldError;

/// A cell that is not empty.
#[derive(Debug, Clone, Copy)]
struct Cell<'p> {
    column: usize,
    header: &'p str,
    text: &'p str,
}

/// Reads a row by the columns of its table, and collects its errors.
#[derive(Debug)]
pub struct RowReader<'p> {
    columns: &'p Columns<'p>,
    row: &'p TableRow,
    calendar: Calendar,
    faults: Vec<FieldError>,
    /// The units that the row does not state, so that it overwrites none of them.
    unstated: Units,
    is_answer_hidden: bool,
    /// Whether it is withheld for a value that the owner did not name.
    has_new_value: bool,
    has_instant: bool,
}

impl<'p> RowReader<'p> {
    pub const fn new(columns: &'p Columns<'p>, row: &'p TableRow, calendar: Calendar) -> Self {
        Self {
            columns,
            row,
            calendar,
            faults: Vec::new(),
            unstated: Units::new(),
            is_answer_hidden: false,
            has_new_value: false,
            has_instant: false,
        }
    }

    /// The filled cells of a field: all if they are joined, otherwise the first.
    fn cells(&self, field: ReviewField) -> impl Iterator<Item = Cell<'p>> + use<'p> {
        let (columns, row) = (self.columns, self.row);
        let is_author = AUTHOR.contains(&field);
        let cell = move |column: &usize| {
            let text = row.cell(*column)?;
            (!is_empty(text, is_author)).then(|| Cell {
                column: *column,
                header: &columns.table.columns[*column],
                text: if columns.format.escapes_formulas {
                    remove_formula_escape(text)
                } else {
                    text
                },
            })
        };
        let are_joined = columns.are_joined(field);
        let count = if are_joined { usize::MAX } else { 1 };
        columns.field(field).iter().filter_map(cell).take(count)
    }

    fn cell(&self, field: ReviewField) -> Option<Cell<'p>> {
        self.cells(field).next()
    }

    /// Whether the row has one of the columns, even if it is empty.
    fn has(&self, columns: &[usize]) -> bool {
        columns
            .iter()
            .any(|column| self.row.cell(*column).is_some())
    }

    /// Notes that the row does not state the unit, unless it has the field: platforms leave out what is empty.
    fn note_unstated(&mut self, field: ReviewField, unit: Unit) {
        let Columns { format, table, .. } = self.columns;
        let leaves_out_empty =
            table.is_objects() && !format.leaves_out && format.fields.contains_key(&field);
        if !self.has(self.columns.field(field)) && !leaves_out_empty {
            self.unstated.insert(unit);
        }
    }

    /// Whether Google is the source of the review.
    fn is_google(&self) -> bool {
        let cell = self.cell(ReviewField::SourceName);
        let source = cell.map_or(self.columns.source(), |cell| cell.text.trim());
        let start = source.get(..6);
        start.is_some_and(|start| start.eq_ignore_ascii_case("google"))
    }

    /// The end of the scale: that of the row, or that of the column.
    fn scale(&self) -> Option<NonZeroU8> {
        let requested = self.columns.scale;
        let own = self.cell(ReviewField::Scale);
        let own = own.and_then(|cell| whole_number(cell.text.trim()).parse().ok());
        // On a scale of five, half stars are refused without `--scale`, as in all formats.
        own.filter(|best: &NonZeroU8| best.get() != 5 || requested.is_some())
            .or(requested)
    }

    /// The parts of Google's name of a review, `accounts/…/locations/…/reviews/…`: location and review.
    fn place(&self) -> Option<(&'p str, &'p str)> {
        if !self.columns.format.has_google_names {
            return None;
        }
        let name = self.cell(ReviewField::Id)?.text.trim();
        // Without the account: if two accounts own a location, it is exported twice.
        let (_, name) = name.rsplit_once("locations/")?;
        let place = name.split_once("/reviews/")?;
        (!place.0.contains('/')).then_some(place)
    }

    /// The review, or all its errors.
    pub fn review(mut self) -> Result<Incoming, Vec<FieldError>> {
        self.check_cells();
        let rating = self.rating();
        if self.cell(ReviewField::Date).is_none() {
            self.note_missing(ReviewField::Date);
        }
        let posted = self.dated(ReviewField::Date);
        let named = self.author();
        let is_anonymous = self.read(ReviewField::Anonymous, flag) == Some(true);
        let is_name_hidden = is_anonymous
            || self
                .is_public(PublicSubject::Name)
                .is_some_and(|it| it.is_err());
        let text = self.text(ReviewField::Text).unwrap_or_default();
        let title = self.text(ReviewField::Title);
        let title = title.map(|title| title.trim().to_owned());
        if title.is_none() {
            self.note_unstated(ReviewField::Title, Unit::Title);
        }
        let source = self.source();
        let own_id = self.own_id();
        let language = self.text(ReviewField::Language);
        let language = language.and_then(|text| language_tag(text.trim()));
        if language.is_none() {
            self.unstated.insert(Unit::Language);
        }
        let verification = self.verification();
        let is_starless = rating.is_some_and(|(_, is_recommendation)| is_recommendation);
        let status = self.status(is_starless, verification.method.is_some());
        let mentions = self.mentions();
        let reply = self.reply();
        let updated = self.updated();
        let (Some((rating, _)), Some(posted), []) = (rating, posted, self.faults.as_slice()) else {
            return Err(self.faults);
        };
        // A file without texts gives no statement about them; platforms leave out an object's empty text.
        let (format, request) = (self.columns.format, self.columns.request);
        let may_lack_text = self.columns.table.is_objects() && !request.no_text;
        if !may_lack_text && !self.has(self.columns.field(ReviewField::Text)) {
            self.unstated.insert(Unit::Text);
        }
        let has_own_id = own_id.is_some();
        // The source belongs to a derived ID, because two sources may have the same row, and the day is that in UTC, because the
        // business's time zone may change. A customer who hides the name later keeps the review.
        let derived_id = || {
            let (day, stars) = (posted.source_day().to_string(), rating.stars().to_string());
            let mut parts = vec![source.name.as_str(), &named, &day, &text];
            if text.is_empty() {
                parts.extend(title.as_deref());
                parts.push(&stars);
            }
            values::digest(format.id_prefix(), &parts)
                .map_err(|error| vec![FieldError::new("id", error.to_string())])
        };
        let id = own_id.map_or_else(derived_id, Ok)?;
        let (author, hidden_name) = if is_name_hidden {
            (ANONYMOUS.to_owned(), Some(named.into()))
        } else {
            (named, None)
        };
        let review = Review {
            id,
            rating,
            date: posted.day,
            author,
            title,
            text,
            language,
            source,
            status,
            verification,
            mentions,
            reply,
            updated_at: updated.and_then(Posted::instant),
        };
        Ok(Incoming {
            statement: Statement {
                review,
                unstated: self.unstated,
                decided: Units::new(),
            },
            has_own_id,
            hidden_name,
            is_answer_hidden: self.is_answer_hidden,
            has_new_value: self.has_new_value,
            has_instant: self.has_instant,
            changed_at: updated.map(Posted::instant_or_midnight),
            unpublished: Unpublished {
                posted_at: posted.posted.instant(),
                ..Unpublished::default()
            },
        })
    }

    /// Notes the cells that nothing can be read from.
    fn check_cells(&mut self) {
        let columns = self.columns;
        for column in columns.used() {
            let cell = self.row.cell(column).unwrap_or_default();
            let text = cell.trim_matches(is_blank);
            let checked = if text == NOT_CALCULATED {
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
            self.noted(&columns.table.columns[column], checked);
        }
    }

    /// The value, or notes the first error about the column.
    fn noted<T>(&mut self, header: &str, read: Result<T, String>) -> Option<T> {
        let is_first = self.faults.iter().all(|fault| fault.path != header);
        match read {
            Ok(value) => return Some(value),
            Err(message) if is_first => self.faults.push(FieldError::new(header, message)),
            Err(_) => {}
        }
        None
    }

    /// Notes that the field has no value; the column is that of the file.
    fn note_missing(&mut self, field: ReviewField) {
        let column = self.columns.field(field).first();
        let name = column.map(|column| self.columns.table.columns[*column].as_str());
        let listed = || names(self.columns.format.fields.get(&field)?).next();
        let name = name.or_else(listed).unwrap_or(field.name());
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
        let is_author = AUTHOR.contains(&field);
        let cells = self.cells(field);
        let texts: Vec<String> = cells
            .filter_map(|cell| self.text_of(cell))
            // What is only an e-mail address is private.
            .filter(|text| !is_empty(text, is_author) && (is_author || !is_address(text)))
            .collect();
        (!texts.is_empty()).then(|| texts.join(field.separator().unwrap_or(" ")))
    }

    /// The text of a cell, without what its source adds to it.
    fn text_of(&mut self, cell: Cell<'p>) -> Option<String> {
        if !self.columns.table.is_objects() && is_object(cell.text) {
            let shown = quoted(cell.text);
            let message = format!("{shown} is JSON; write only its text into the cell");
            return self.noted(cell.header, Err(message));
        }
        // WordPress marks HTML so: `content.rendered`.
        let is_html = self.columns.format.html || cell.header.ends_with(".rendered");
        Some(clean(&self.plain(cell), is_html, self.is_google()))
    }

    /// The text of a cell; of a list of texts in JSON, all of them.
    fn plain(&self, cell: Cell<'p>) -> Cow<'p, str> {
        let table = self.columns.table;
        if table.is_objects() && cell.text.starts_with('[') {
            // A list has its first element in a column of its own.
            let first = format!("{}[]", cell.header);
            let first = table.columns.iter().position(|path| *path == first);
            let is_list = first.is_some_and(|column| self.row.cell(column).is_some());
            if let (true, Ok(texts)) = (is_list, serde_json::from_str::<Vec<String>>(cell.text)) {
                return Cow::Owned(texts.join("\n"));
            }
        }
        Cow::Borrowed(cell.text)
    }

    /// The stars, and whether they were derived from a recommendation.
    fn rating(&mut self) -> Option<(Rating, bool)> {
        let (stars, survey) = (self.columns.format.stars, self.cell(ReviewField::Survey));
        if !stars.is_empty() && !survey.is_some_and(|cell| is_in(stars, cell.text.trim())) {
            let Some(cell) = survey else {
                self.note_missing(ReviewField::Survey);
                return None;
            };
            let message = format!(
                "the score of {} is no rating in stars; leave out all surveys but {stars}",
                quoted(cell.text.trim())
            );
            return self.noted(cell.header, Err(message));
        }
        let recommended = self.cell(ReviewField::Recommended);
        // Birdeye writes 0 for reviews without stars.
        let is_none =
            |cell: &Cell<'_>| recommended.is_some() && matches!(cell.text.trim(), "0" | "0.0");
        let rated = self.cell(ReviewField::Rating).filter(|cell| !is_none(cell));
        let Some(cell) = rated.or(recommended) else {
            self.note_missing(ReviewField::Rating);
            return None;
        };
        let text = cell.text;
        // Birdeye's report has the word in place of the stars.
        let is_recommendation = rated.is_none() || text.to_lowercase().contains("recommend");
        let stars = if is_recommendation {
            values::recommendation(text)
        } else {
            parse_rating(text, self.scale())
        };
        let stars = self.noted(cell.header, stars)?;
        Some((stars, is_recommendation))
    }

    fn posted(&mut self, field: ReviewField) -> Option<Posted> {
        let (columns, column) = (self.columns, self.cell(field)?.column);
        self.read(field, |text| columns.dates(column).parse(text))
    }

    fn dated(&mut self, field: ReviewField) -> Option<Dated> {
        let (header, posted) = (self.cell(field)?.header, self.posted(field)?);
        self.has_instant |= posted.instant().is_some();
        self.noted(header, self.calendar.place(posted))
    }

    /// When the row last changed.
    fn updated(&mut self) -> Option<Posted> {
        match self.posted(ReviewField::UpdatedAt)? {
            Posted::Instant(at) => Some(Posted::Instant(at.min(self.calendar.now))),
            day @ Posted::Day(_) => Some(day),
        }
    }

    fn author(&mut self) -> String {
        let name = self.text(ReviewField::Author).unwrap_or_else(|| {
            let parts = [ReviewField::FirstName, ReviewField::LastName];
            let [first, last] = parts.map(|part| self.text(part).unwrap_or_default());
            // `Anna Bell` in the column `Name`, beside `Anna` in the column `Vorname`.
            if words(&last).starts_with(&words(&first)) {
                last
            } else if words(&first).ends_with(&words(&last)) {
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
        let name = self.text(ReviewField::SourceName);
        let name = name.as_deref().map_or(self.columns.source(), str::trim);
        let name = name.to_owned();
        // What is no address is not published, and no reason to lose the review.
        let cell = self.cell(ReviewField::Url);
        let url = cell.and_then(|cell| url(cell.text).ok());
        Source { name, url }
    }

    /// The row's own id, if it has one.
    fn own_id(&mut self) -> Option<ReviewId> {
        let cell = self.cell(ReviewField::Id)?;
        let format = self.columns.format;
        let of_platform = |id| values::of_platform(format.id_prefix(), id);
        let id = whole_number(cell.text.trim());
        let id = if format.has_google_names {
            let place = self.place();
            let key = place.map_or_else(
                || id.to_owned(),
                |(location, review)| format!("{location}.{review}"),
            );
            // Google's ids are opaque and may not fit our syntax; such an id is replaced by its digest.
            key.parse()
                .or_else(|_| values::digest(format.name, &[&key]))
        } else if format.is_manual {
            id.parse().or_else(|_| of_platform(id))
        } else {
            of_platform(id)
        };
        self.noted(cell.header, id.map_err(|error| error.to_string()))
    }

    fn verification(&mut self) -> Verification {
        let format = self.columns.format;
        let verified_at = self
            .posted(ReviewField::VerifiedAt)
            .and_then(Posted::instant);
        // A writer who is no buyer is neither verified by the platform nor withheld.
        if self.read(ReviewField::Buyer, flag) == Some(false) {
            return VOUCHED;
        }
        if !format.is_manual {
            let matched = self.cell(ReviewField::Matched).zip(format.matched);
            let is_matched =
                matched.is_some_and(|(cell, value)| value.eq_ignore_ascii_case(cell.text.trim()));
            return if is_matched {
                Verification {
                    method: Some(Method::JobMatch),
                    verified_at,
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
        let is_denied = verified == Some(false) && method != Some(Method::Manual);
        Verification {
            method: (!is_denied).then(|| method.unwrap_or(Method::Manual)),
            verified_at: verified_at.filter(|_| !is_denied),
        }
    }

    fn status(&mut self, is_starless: bool, is_vouched: bool) -> Status {
        let public = self.is_public(PublicSubject::Review);
        let reason = self.text(ReviewField::Reason);
        let withheld = |why| Status::withheld(reason.as_deref().unwrap_or(why));
        match public {
            Some(Err(why)) => withheld(why),
            _ if is_starless => Status::withheld(NO_STARS),
            _ if !is_vouched => withheld(NOT_VERIFIED),
            Some(Ok(())) => Status::Published,
            None if reason.is_some() => Status::Withheld { reason },
            None => {
                if !self.columns.states_public {
                    self.unstated.insert(Unit::Status);
                }
                Status::Published
            }
        }
    }

    /// Whether the row's review, its answer or its author's name is public at its source, or the reason why it is not; `None` if no
    /// column says so, also where the file lacks one of those that hid reviews before.
    fn is_public(&mut self, subject: PublicSubject) -> Option<Result<(), &'static str>> {
        let (mut public, mut lacks_one) = (None, false);
        for sign in &self.columns.public[subject as usize] {
            if self.has(&sign.inside) {
                return Some(Err(sign.reason));
            }
            let cells = sign.columns.iter().map(|column| self.row.cell(*column));
            let cells: Vec<Option<&str>> = cells.collect();
            if sign.is_required && cells.iter().all(Option::is_none) {
                self.has_new_value |= subject == PublicSubject::Review;
                return Some(Err(NOT_PUBLISHED));
            }
            // Of a platform's columns, one that the file need not have; an owner's is inside of an object.
            if cells.is_empty() {
                lacks_one |= sign.is_platform && !self.has(&sign.around);
                continue;
            }
            if !sign.publishes(&cells) {
                let has_new = cells.into_iter().flatten().any(|cell| sign.is_new(cell));
                self.has_new_value |= subject == PublicSubject::Review && has_new;
                return Some(Err(sign.reason));
            }
            public = Some(Ok(()));
        }
        public.filter(|_| !lacks_one)
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
        let [technicians, services, areas] = fields.map(|field| {
            let cells = self.cells(field);
            let named = cells.filter_map(|cell| self.noted(cell.header, mentioned(cell.text)));
            named.flatten().collect::<Vec<_>>()
        });
        let business = self.columns.request.business.as_ref();
        let roster = business.map_or(&[][..], |business| &business.technicians);
        let technicians = technicians.iter().flat_map(|name| people(name, roster));
        Mentions::new(technicians.collect(), services, areas)
    }

    /// The public answer. A hidden one takes back an earlier one.
    fn reply(&mut self) -> Option<Reply> {
        // A column may say only whether there is an answer, and PHP writes false or 0 for none.
        let text = self
            .text(ReviewField::ReplyText)
            .filter(|text| flag(text).is_err());
        let Some(text) = text else {
            self.note_unstated(ReviewField::ReplyText, Unit::Reply);
            return None;
        };
        if let Some(Err(_)) = self.is_public(PublicSubject::Answer) {
            self.is_answer_hidden = true;
            return None;
        }
        let faults = self.faults.len();
        let posted = self.dated(ReviewField::ReplyDate);
        // An answer whose date cannot be read has none: otherwise just the answered reviews would be lost.
        self.faults.truncate(faults);
        let reply = Reply {
            text,
            date: posted.map(|posted| posted.day),
            author: self.text(ReviewField::ReplyAuthor),
        };
        // In a thread the customer may have the last word.
        let customer = self.cell(ReviewField::Author).map(|cell| words(cell.text));
        let writer = reply.author.as_deref().map(words);
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

// The names in a cell of technicians, services or areas, and the technicians on the roster that they mean.

/// The names in an array, or separated by semicolons, bars or line breaks.
pub fn mentioned(text: &str) -> Result<Vec<String>, String> {
    let separated = || text.split([';', '|', '\n', '\r']).map(str::to_owned);
    let listed: Vec<String> = serde_json::from_str(text).unwrap_or_else(|_| separated().collect());
    // Mentions are read packed between control characters.
    let is_broken = |name: &String| name.trim().contains(char::is_control);
    if listed.iter().any(is_broken) {
        return Err("has a control character; remove it".to_owned());
    }
    let names = listed.iter().map(|name| clean(name.trim(), false, false));
    Ok(names.filter(|name| !name.is_empty()).collect())
}

/// The technicians that one name stands for, by their names on the roster: `Alvarez, Mike` is one, and `Mike Alvarez & Jo Poe` are two
/// if both are on it. Addresses are no names.
pub fn people(name: &str, roster: &[Technician]) -> Vec<String> {
    let find = |name: &str| {
        let turned = name
            .split_once(',')
            .map(|(last, first)| words(&format!("{first} {last}")));
        let name = words(name);
        let is_named = |known: &str| {
            let known = words(known);
            known == name || turned.as_ref() == Some(&known)
        };
        let is_alias = |person: &&Technician| person.aliases.iter().any(|it| is_named(it));
        let mut aliased = roster.iter().filter(is_alias);
        let alias = aliased.next().filter(|_| aliased.next().is_none());
        let person = roster.iter().find(|it| is_named(&it.name)).or(alias)?;
        Some(person.name.clone())
    };
    let without = without_address(name);
    let mut listed = format!(" {without} ");
    for word in names(&WORDS.and) {
        listed = listed.replace(&format!(" {word} "), "&");
    }
    let split = |marks: &[char]| {
        let parts = listed.split(marks).filter(|part| !part.trim().is_empty());
        parts.map(find).collect::<Option<Vec<String>>>()
    };
    let found = find(&without).map(|name| vec![name]);
    let found = found
        .or_else(|| split(&['&', '/', '+']))
        .or_else(|| split(&['&', '/', '+', ',']));
    let is_private = without == ANONYMOUS && name != ANONYMOUS;
    found.unwrap_or_else(|| Some(without).filter(|_| !is_private).into_iter().collect())
}
