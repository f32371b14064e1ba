//! What the owner states about the business: business.json and editorial.json, which an owner writes by hand; errors in them have line and
//! column. Our own documents and exports begin with the same objects (`docs/BUSINESS.md`). Every value that the tables would refuse is refused
//! here.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use chrono::NaiveTime;
use chrono_tz::{TZ_VARIANTS, Tz};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use serde_path_to_error::Segment;
use url::Url;

use crate::config::{read_text, read_text_or_pipe};
use crate::imports::fault::{FieldError, FileError, reason};
use crate::imports::format::is_inside;
use crate::model::business::{Business, Editorial, TEXT_BYTES_MAX, local_business_type};
use crate::model::json::{join, locate};
use crate::model::text::{
    check_text, is_language_tag, nearest, quoted, slug, url, without_controls,
};
use crate::storage::{FAULTS_SHOWN, first_faults};

/// All faults of a file, in its order: each with its line and its byte of that line, both from 1 (1 if unknown), and the problem with the
/// allowed values.
fn list_faults(path: &Path, mut faults: Vec<((usize, usize), String)>) -> FileError {
    faults.sort();
    faults.dedup();
    let lines = faults
        .into_iter()
        .map(|((line, column), message)| format!("{}:{line}:{column}: {message}", path.display()));
    FileError::new(first_faults(lines.collect(), "faults").join("\n"))
}

/// A `business.json` or an `editorial.json`, both written by hand, without unknown members.
#[derive(Debug)]
pub struct OwnerFile {
    path: PathBuf,
    text: String,
    value: Value,
}

impl OwnerFile {
    /// Whether the file has that member and it is not empty.
    pub fn says(&self, name: &str) -> bool {
        let member = self.value.get(name);
        member.is_some_and(|member| !member.is_null() && *member != "")
    }

    /// The business of the file, merged into `known`: missing members stay, and `null` removes one (RFC 7396, but lists are
    /// replaced whole). One that replaces `known` keeps only the setting `publish_staff`, so that no name is shown by
    /// leaving it out, and the time zone, because the reviews' days depend on it.
    ///
    /// # Errors
    /// [`FileError`] with all faults and, if known, their lines.
    pub fn business(
        &self,
        known: Option<&Business>,
        replaces: bool,
    ) -> Result<Business, FileError> {
        let mut before = known.cloned().unwrap_or_default();
        if replaces {
            before = Business {
                publish_staff: before.publish_staff,
                time_zone: before.time_zone,
                ..Business::default()
            };
        }
        let is_whole = replaces || known.is_none();
        let origin = Origin::Owner { is_whole };
        self.make(|value| business(value, &before, origin))
    }

    /// Merges the editorial texts into `known`: missing members stay, `null` removes one, and lists are replaced whole.
    ///
    /// # Errors
    /// [`FileError`] with all faults and, if known, their lines.
    pub fn editorial(&self, known: &Editorial) -> Result<Editorial, FileError> {
        let origin = Origin::Owner { is_whole: false };
        self.make(|value| editorial(value, known, origin))
    }

    /// A file of sample data, which a service reads.
    ///
    /// # Errors
    /// [`FileError`] if it is no regular file, cannot be read, or its JSON is broken.
    pub fn read_sample(path: &Path) -> Result<Self, FileError> {
        Self::parse(path, read_text(path))
    }

    /// The file or pipe of a command.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be read, or its JSON is broken.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(path, read_text_or_pipe(path))
    }

    fn parse(path: &Path, text: io::Result<String>) -> Result<Self, FileError> {
        let text = text
            .map_err(|reason| {
                FileError::new(format!("{}: cannot be read: {reason}", path.display()))
            })?
            .trim_start_matches('\u{feff}')
            .to_owned();
        let value = serde_json::from_str(&text).map_err(|error| {
            let message = format!("the JSON is broken ({})", reason(&error));
            list_faults(path, vec![((error.line(), error.column()), message)])
        })?;
        let path = path.to_owned();
        Ok(Self { path, text, value })
    }

    /// The result of `make`; a fault gets the position of its value in the file.
    fn make<T>(
        &self,
        make: impl FnOnce(&Value) -> Result<T, Vec<FieldError>>,
    ) -> Result<T, FileError> {
        make(&self.value).map_err(|faults| {
            let located = faults.into_iter().map(|fault| {
                let place = locate(&self.text, &fault.path).unwrap_or((1, 1));
                (place, fault.to_string())
            });
            list_faults(&self.path, located.collect())
        })
    }
}

// Reading the business and the editorial texts from JSON.

/// The length of tag that implementations must support (RFC 5646 §4.4.1).
const LANGUAGE_BYTES_MAX: usize = 35;

/// The paths of the members of business.json, in which `[]` is any element of a list.
const BUSINESS_MEMBERS: &str = "id,name,type,time_zone,publish_staff,language,country,description,url,telephone,address.street_address,\
    address.locality,address.region,address.postal_code,address.country,geo.latitude,geo.longitude,hours[].days,hours[].opens,\
    hours[].closes,same_as,review_links[].name,review_links[].url,review_policy.collection,review_policy.verification,\
    review_policy.moderation,review_policy.incentives,review_policy.contact,services[].id,services[].name,services[].synonyms,\
    technicians[].id,technicians[].name,technicians[].aliases,service_areas";

/// The paths of the members of editorial.json.
const EDITORIAL_MEMBERS: &str = "summary.text,faq[].id,faq[].question,faq[].answer";

/// The parts of an address, in the order of `init --address`.
pub const ADDRESS: [&str; 5] = [
    "street_address",
    "locality",
    "region",
    "postal_code",
    "country",
];

/// Checks a text, or corrects it.
pub type TextRule = fn(&str) -> Result<String, String>;

/// The rule for every text.
const ALL_TEXTS: (&str, TextRule) = ("*", without_controls);

/// The rules for texts by their paths, in which `[]` is any element of a list.
const RULES: [(&str, TextRule); 10] = [
    ALL_TEXTS,
    ("time_zone", |name| {
        zone(name).map(|zone| zone.name().to_owned())
    }),
    ("language", language),
    ("country", country),
    ("url", url),
    ("same_as[]", url),
    ("review_links[].url", https_url),
    ("review_policy.contact", contact),
    ("hours[].opens", time_of_day),
    ("hours[].closes", time_of_day),
];

/// Who wrote a document.
pub enum Origin<'u> {
    /// This service, perhaps another release of it: unknown members are left out, and their paths added to these.
    Service(&'u mut BTreeSet<String>),
    /// The owner: unknown members are faults, and so are types that search engines do not know. A document that is not whole
    /// changes only what it has.
    Owner { is_whole: bool },
}

/// Reads the business in `value`. A missing member keeps its value from `before`, and `null` removes it.
pub fn business(
    value: &Value,
    before: &Business,
    origin: Origin<'_>,
) -> Result<Business, Vec<FieldError>> {
    let is_owners = matches!(origin, Origin::Owner { .. });
    let is_patch = matches!(origin, Origin::Owner { is_whole: false });
    let (value, mut faults) = check_members(value, BUSINESS_MEMBERS, origin);
    for name in ["id", "name"] {
        if value.get(name).map_or(!is_patch, Value::is_null) {
            faults.push(FieldError::new(name, "missing"));
        }
    }
    let has_kind = value.get("type").is_some();
    let mut business: Business = merge(before, value, &mut faults);
    match local_business_type(&business.kind) {
        Ok(known) => known.clone_into(&mut business.kind),
        // A type that search engines do not know stays as it is.
        Err(unknown) if has_kind && is_owners => {
            faults.push(FieldError::new("type", unknown));
        }
        Err(_) => {}
    }
    let ids = business.services.iter().map(|service| &service.id);
    check_unique(ids, "services[].id", &mut faults);
    let ids = business.technicians.iter().map(|person| &person.id);
    check_unique(ids, "technicians[].id", &mut faults);
    check_unique(&business.service_areas, "service_areas[]", &mut faults);
    check_places(&business, &mut faults);
    check_lists(&business, &mut faults);
    business.address = business.address.filter(|address| !address.is_empty());
    faults.is_empty().then_some(business).ok_or(faults)
}

/// Notes the lists and objects that are longer than one that the database keeps as a text of JSON.
fn check_lists(business: &Business, faults: &mut Vec<FieldError>) {
    let mut all = vec![
        ("address".to_owned(), json!(business.address)),
        ("hours".to_owned(), json!(business.hours)),
        ("same_as".to_owned(), json!(business.same_as)),
        ("review_links".to_owned(), json!(business.review_links)),
        ("review_policy".to_owned(), json!(business.review_policy)),
    ];
    for (number, service) in business.services.iter().enumerate() {
        all.push((
            format!("services[{number}].synonyms"),
            json!(service.synonyms),
        ));
    }
    for (number, person) in business.technicians.iter().enumerate() {
        all.push((
            format!("technicians[{number}].aliases"),
            json!(person.aliases),
        ));
    }
    for (path, value) in all {
        if value.to_string().len() > TEXT_BYTES_MAX {
            let message = format!(
                "has more than {} KiB in all; shorten it",
                TEXT_BYTES_MAX >> 10
            );
            note_fault(faults, &path, message);
        }
    }
}

/// Reads the editorial texts in `value`, as [`business`] does.
pub fn editorial(
    value: &Value,
    before: &Editorial,
    origin: Origin<'_>,
) -> Result<Editorial, Vec<FieldError>> {
    let (value, mut faults) = check_members(value, EDITORIAL_MEMBERS, origin);
    let mut editorial: Editorial = merge(before, value, &mut faults);
    let unnamed = editorial.faq.iter_mut();
    for entry in unnamed.filter(|entry| entry.id.is_empty()) {
        entry.id = slug(&entry.question);
    }
    let ids = editorial.faq.iter().map(|entry| &entry.id);
    check_unique(ids, "faq[]", &mut faults);
    faults.is_empty().then_some(editorial).ok_or(faults)
}

/// The value without the members that are not among `members`, and with its texts by their rules; and the faults of both.
fn check_members(value: &Value, members: &str, mut origin: Origin<'_>) -> (Value, Vec<FieldError>) {
    let (mut value, mut faults) = (value.clone(), Vec::new());
    for unknown in remove_unknown(&mut value, members) {
        match &mut origin {
            Origin::Service(unread) => _ = unread.insert(unknown.pattern),
            Origin::Owner { .. } => faults.push(unknown.fault()),
        }
    }
    let rules = match origin {
        Origin::Owner { .. } => &RULES[..],
        // What another program wrote into the database comes back as it was.
        Origin::Service(_) => &RULES[1..],
    };
    read_texts(&mut value, ["", ""], rules, &mut faults);
    (value, faults)
}

/// A member that a form does not have.
pub struct UnknownMember<'m> {
    pub path: String,
    /// Its path, with `[]` for any element of a list.
    pub pattern: String,
    name: String,
    /// The names of the members that its object may have.
    known: Vec<&'m str>,
}

impl UnknownMember<'_> {
    pub fn fault(&self) -> FieldError {
        let message = match nearest(&self.name, self.known.iter().copied()) {
            Some(near) => {
                let known = self.known.join(", ");
                format!("is unknown, did you mean {near}? Known: {known}")
            }
            None => "is unknown; write a plain value or a list here, not an object".to_owned(),
        };
        FieldError::new(&self.path, message)
    }
}

/// Removes the members whose paths are not among `members`, which has `[]` for any element of a list, and `.*` for any members.
pub fn remove_unknown<'m>(value: &mut Value, members: &'m str) -> Vec<UnknownMember<'m>> {
    let mut removed = Vec::new();
    remove_unknown_in(value, ["", ""], members, &mut removed);
    removed
}

fn remove_unknown_in<'m>(
    value: &mut Value,
    [path, pattern]: [&str; 2],
    members: &'m str,
    removed: &mut Vec<UnknownMember<'m>>,
) {
    if let Value::Object(object) = value {
        let known = names_at(members, pattern);
        object.retain(|name, member| {
            let [path, pattern] = [path, pattern].map(|path| join(path, name));
            if known == ["*"] {
                return true;
            }
            if known.contains(&name.as_str()) {
                remove_unknown_in(member, [&path, &pattern], members, removed);
                return true;
            }
            removed.push(UnknownMember {
                path,
                pattern,
                name: name.clone(),
                known: known.clone(),
            });
            false
        });
    } else if let Value::Array(elements) = value {
        for (index, element) in elements.iter_mut().enumerate() {
            let paths = [format!("{path}[{index}]"), format!("{pattern}[]")];
            let paths = paths.each_ref().map(String::as_str);
            remove_unknown_in(element, paths, members, removed);
        }
    }
}

/// The names of the members of the object at a path.
fn names_at<'m>(members: &'m str, path: &str) -> Vec<&'m str> {
    let mut names: Vec<&str> = members
        .split(',')
        .filter_map(|member| match path {
            "" => Some(member),
            path => member.strip_prefix(path)?.strip_prefix('.'),
        })
        .map(|member| member.split(['.', '[']).next().unwrap_or_default())
        .collect();
    names.dedup();
    names
}

/// Checks the texts in a value, whose path is given with and without the numbers of elements, and corrects them by their rules. A member
/// whose text is blank is left out, and in lists, which are replaced whole, one that is null.
pub fn read_texts(
    value: &mut Value,
    [path, pattern]: [&str; 2],
    rules: &[(&str, TextRule)],
    faults: &mut Vec<FieldError>,
) {
    let is_blank = |text: &str| text.trim().is_empty();
    match value {
        Value::Object(members) => {
            let is_in_list = pattern.ends_with(']');
            members.retain(|_, member| {
                !(member.as_str().is_some_and(is_blank) || is_in_list && member.is_null())
            });
            for (name, member) in members {
                let paths = [path, pattern].map(|path| join(path, name));
                read_texts(member, paths.each_ref().map(String::as_str), rules, faults);
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter_mut().enumerate() {
                let paths = [format!("{path}[{index}]"), format!("{pattern}[]")];
                read_texts(element, paths.each_ref().map(String::as_str), rules, faults);
            }
        }
        Value::String(text) if is_blank(text) => {
            faults.push(FieldError::new(path, "empty; leave it out"));
        }
        Value::String(text) => {
            let checked = check_text(text, TEXT_BYTES_MAX);
            let rules = rules.iter();
            let mut rules = rules.filter(|(of, _)| [ALL_TEXTS.0, pattern].contains(of));
            let read =
                checked.and_then(|()| rules.try_fold(text.clone(), |text, (_, read)| read(&text)));
            match read {
                Ok(read) => *text = read,
                Err(message) => faults.push(FieldError::new(path, message)),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `before` with the members of `value`, of which null removes one (RFC 7396, but lists are replaced whole).
fn merge<T: Serialize + DeserializeOwned + Default + Clone>(
    before: &T,
    value: Value,
    faults: &mut Vec<FieldError>,
) -> T {
    if !value.is_object() {
        faults.push(FieldError::new("", "is not a JSON object in {…}"));
        return before.clone();
    }
    let mut merged = json!(before);
    patch(&mut merged, value);
    read_members(merged, faults)
}

/// The value of an object. A member that is wrong is a fault, and counts as missing.
pub fn read_members<T: DeserializeOwned + Default>(
    mut object: Value,
    faults: &mut Vec<FieldError>,
) -> T {
    // Each round removes a member.
    for _ in 0..FAULTS_SHOWN {
        let error = match serde_path_to_error::deserialize(&object) {
            Ok(read) => return read,
            Err(error) => error,
        };
        let path = error.path();
        note_fault(faults, &path.to_string(), error.inner().to_string());
        if let (Some(Segment::Map { key }), Some(members)) =
            (path.iter().next(), object.as_object_mut())
        {
            members.remove(key);
        }
    }
    T::default()
}

/// Notes a fault, unless another one of the value is known: a text that breaks a rule may be no value of its type, too.
pub fn note_fault(faults: &mut Vec<FieldError>, path: &str, message: impl Into<String>) {
    let is_known = |fault: &FieldError| fault.path == path || is_inside(&fault.path, path);
    if !faults.iter().any(is_known) {
        faults.push(FieldError::new(path, message));
    }
}

/// Changes `target` to have these members, of which null removes one (RFC 7396, but lists are replaced whole).
fn patch(target: &mut Value, value: Value) {
    let Value::Object(members) = value else {
        *target = value;
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (name, member) in members {
        if !member.is_null() {
            patch(&mut target[&name], member);
        } else if let Some(target) = target.as_object_mut() {
            target.remove(&name);
        }
    }
}

/// Refuses a key that appears twice; `path` is where it is, in any element of a list.
fn check_unique<'k>(
    keys: impl IntoIterator<Item = &'k String>,
    path: &str,
    faults: &mut Vec<FieldError>,
) {
    let mut seen = HashSet::new();
    for (index, key) in keys.into_iter().enumerate() {
        if !seen.insert(key) {
            let shown = quoted(key);
            let message = format!("{shown} appears twice; each must be unique");
            let path = path.replace("[]", &format!("[{index}]"));
            faults.push(FieldError::new(path, message));
        }
    }
}

/// Refuses a position that is none, and hours without a day or without a length.
fn check_places(business: &Business, faults: &mut Vec<FieldError>) {
    let geo = business.geo.iter();
    for (path, degrees, most) in geo.flat_map(|geo| {
        [
            ("geo.latitude", geo.latitude, 90.0),
            ("geo.longitude", geo.longitude, 180.0),
        ]
    }) {
        if degrees.abs() > most {
            let message = format!("{degrees} is not between -{most} and {most}");
            faults.push(FieldError::new(path, message));
        }
    }
    for (index, hours) in business.hours.iter().enumerate() {
        if hours.days.is_empty() {
            let advice = "empty; name a day, or leave the entry out";
            faults.push(FieldError::new(format!("hours[{index}].days"), advice));
        }
        if hours.opens == hours.closes {
            let advice = "the same as opens; write 00:00 and 23:59 for a whole day";
            faults.push(FieldError::new(format!("hours[{index}].closes"), advice));
        }
    }
}

/// Checks the URL to which people report a review.
fn contact(text: &str) -> Result<String, String> {
    let is_mail = |url: Url| url.scheme() == "mailto" && url.path().contains('@');
    if Url::parse(text).is_ok_and(is_mail) || https_url(text).is_ok() {
        return Ok(text.to_owned());
    }
    let shown = quoted(text);
    Err(format!(
        "{shown} is neither an email address like mailto:reviews@sample.test nor a URL that begins with https://"
    ))
}

fn time_of_day(text: &str) -> Result<String, String> {
    if text.len() == 5 && NaiveTime::parse_from_str(text, "%H:%M").is_ok() {
        return Ok(text.to_owned());
    }
    Err(format!(
        "{} is not a time of day from 00:00 to 23:59; write it like 08:30 or 17:00",
        quoted(text)
    ))
}

/// The time zone of that name.
pub fn zone(name: &str) -> Result<Tz, String> {
    name.parse().map_err(|_| {
        let mut zones = TZ_VARIANTS.iter().map(|zone| zone.name());
        let written = name.replace(' ', "_");
        let nearest = zones.find(|zone| zone.eq_ignore_ascii_case(&written));
        format!(
            "{} is not a time zone of the IANA database; write it like {}",
            quoted(name),
            nearest.unwrap_or("America/Phoenix")
        )
    })
}

/// Checks that a language tag is well formed (RFC 5646 §2.1), not that it is registered.
pub fn language(tag: &str) -> Result<String, String> {
    if tag.len() <= LANGUAGE_BYTES_MAX && is_language_tag(tag, 2..=8) {
        return Ok(tag.to_owned());
    }
    Err(format!(
        "{} is not a language tag; write it like en or es-MX",
        quoted(tag)
    ))
}

/// Checks the form of a country code, not that it is assigned.
pub fn country(code: &str) -> Result<String, String> {
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(code.to_ascii_uppercase());
    }
    Err(format!(
        "{} is not a country code of ISO 3166; write it like US or DE",
        quoted(code)
    ))
}

/// The URL of a page where customers can write a review. A published page links to it, so it must be https.
fn https_url(text: &str) -> Result<String, String> {
    let text = url(text)?;
    let scheme = text.get(..8);
    if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://")) {
        return Ok(text);
    }
    Err(format!("{} must begin with https://", quoted(&text)))
}
