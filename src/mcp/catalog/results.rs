//! The tools' results: the bodies of REST, pages limited in size to the whole reviews that fit; a text is never cut.

use std::convert::Infallible;
use std::future::ready;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::config::bounds::{ECHO_CHARACTERS_MAX, LIMIT_MAX};
use crate::model::ReviewId;
use crate::model::text::{escaped, escaped_json};
use crate::search::facets::{self, FACET_VALUES_MAX, PeriodsParameters, compare};
use crate::search::insights::{
    self, EvidenceParameters, StageParameters, TechnicianParameters, stage,
};
use crate::search::{
    Cursor, ResultPage, SearchParameters, SinceParameters, find_page, search_reviews,
};
use crate::snapshot::document::head;
use crate::snapshot::{Content, Snapshot};
use crate::wire::parameters::REQUIRED;
use crate::wire::{self, Arguments, EvidencePage, Issue, IssueCode, Parameters};

/// A JSON object as text, without hidden characters; or the reason why the call failed.
pub type ToolAnswer = Result<String, CallError>;

/// The search of `get_reviews_since`.
pub struct SinceArguments(SearchParameters);

impl Parameters for SinceArguments {
    fn parse(arguments: &mut Arguments) -> Self {
        let SinceParameters { date } = SinceParameters::parse(arguments);
        let limit = arguments.whole(
            "limit",
            1..=LIMIT_MAX,
            "Maximum number of reviews to return; default: all that fit.",
        );
        let parameters = SearchParameters {
            since: date,
            limit: limit.unwrap_or(u8::MAX),
            cursor: Cursor::parse(arguments, "`next_cursor` of an answer to the same filters."),
            ..SearchParameters::default()
        };
        parameters.check_cursor(&mut arguments.issues);
        Self(parameters)
    }
}

/// The argument of `get_review`.
pub struct ReviewArguments {
    id: Option<String>,
}

impl Parameters for ReviewArguments {
    fn parse(arguments: &mut Arguments) -> Self {
        let id = arguments
            .required("r-1")
            .text("id", "Id of a published review.");
        Self { id }
    }
}

/// The search of `get_aspect_sentiment`: the aspect is in the path of its REST operation.
pub struct AspectArguments(SearchParameters);

impl Parameters for AspectArguments {
    fn parse(arguments: &mut Arguments) -> Self {
        let aspect = arguments.required("punctuality").text(
            "aspect",
            "The aspect's id or label, for example `punctuality`.",
        );
        let EvidenceParameters(evidence) = EvidenceParameters::parse(arguments);
        let parameters = SearchParameters { aspect, ..evidence };
        parameters.check_cursor(&mut arguments.issues);
        Self(parameters)
    }
}

/// The body of `GET /api/reviews/search`.
///
/// # Errors
/// If an argument is invalid, or the cursor belongs to other filters.
pub async fn search(snapshot: &Snapshot, mut call: ToolCall) -> ToolAnswer {
    let parameters = SearchParameters::parse(&mut call.arguments);
    let trade = snapshot.input.analyzer.trade;
    parameters.check_aspect(trade, &mut call.arguments.issues);
    let parameters = call.finish(Some(parameters))?;
    let Ok(mut found) = search_reviews(snapshot, &parameters, has_turn).await;
    Ok(fit(found.positions.len(), |count| {
        shorten_page(snapshot, &parameters, &mut found, count);
        let head = found.head(parameters.limit, Vec::new());
        text(&found.json(snapshot, &head))
    }))
}

/// A call has its turn before its message is read.
fn has_turn() -> impl Future<Output = Result<(), Infallible>> {
    ready(Ok(()))
}

/// The body of `GET /api/reviews/since/{date}`, or a page of it if it is too large.
///
/// # Errors
/// If an argument is invalid, or the cursor belongs to another day.
pub async fn since(snapshot: &Snapshot, mut call: ToolCall) -> ToolAnswer {
    let SinceArguments(parameters) = SinceArguments::parse(&mut call.arguments);
    let date = call.finish(parameters.since)?;
    let Ok(mut found) = find_page(snapshot, &parameters, has_turn).await;
    Ok(fit(found.positions.len(), |count| {
        shorten_page(snapshot, &parameters, &mut found, count);
        let mut head = to_json(wire::SinceHead {
            since: date.date(),
            returned: found.positions.len() as u64,
        });
        if let Some(next) = &found.next {
            head["matched"] = json!(found.matched);
            head["next_cursor"] = json!(next.to_string());
        }
        text(&found.json(snapshot, &head))
    }))
}

/// The text of a body of REST.
fn text(content: &Content) -> String {
    // It is JSON, and so UTF-8.
    escaped(String::from_utf8_lossy(&content.pieces.concat()).into_owned())
}

/// The text of a shape of `wire`, or of one with more members.
fn text_of(shape: impl Serialize) -> String {
    escaped_json(&to_json(shape))
}

/// One review by its ID.
///
/// # Errors
/// If it does not exist; the text explains what to do.
pub fn review(snapshot: &Snapshot, mut call: ToolCall) -> ToolAnswer {
    let ReviewArguments { id } = ReviewArguments::parse(&mut call.arguments);
    let id = call.finish(id)?;
    // In a permalink the ID is the last part, and no ID has a slash.
    let key = id.rsplit('/').next();
    let key = key.and_then(|id| id.parse::<ReviewId>().ok());
    let entries = &snapshot.input.entries;
    let at = key.and_then(|id| entries.find(&id)).ok_or_else(|| {
        let id = escaped_json(&json!(id.chars().take(ECHO_CHARACTERS_MAX).collect::<String>()));
        CallError::Arguments(format!(
            "No published review has the id {id}. Ids are case-sensitive, and a review may be withdrawn: take an id from an \
             answer of search_reviews or get_reviews_since."
        ))
    })?;
    Ok(text_of(snapshot.input.review(at)))
}

// `get_aspect_sentiment` and `get_technician`: figures, and the whole reviews that fit.

/// The figures of an aspect, and the sentences behind them.
///
/// # Errors
/// If an argument is invalid, the aspect is unknown, or the cursor belongs to other filters.
pub fn aspect(snapshot: &Snapshot, mut call: ToolCall) -> ToolAnswer {
    let AspectArguments(parameters) = AspectArguments::parse(&mut call.arguments);
    let aspect = call.finish(parameters.aspect.as_ref())?;
    let trade = snapshot.input.analyzer.trade;
    let at = trade.find_aspect(aspect).ok_or_else(|| {
        let name: String = aspect.chars().take(ECHO_CHARACTERS_MAX).collect();
        CallError::Arguments(format!(
            "No aspect {}; known: {}.",
            escaped_json(&json!(name)),
            trade.shown_ids().join(", ")
        ))
    })?;
    let mut found = insights::evidence(snapshot, at, &parameters);
    Ok(fit(found.page.reviews.len(), |count| {
        shorten_evidence(snapshot, &parameters, &mut found.page, count);
        text_of(&found)
    }))
}

/// The figures of a technician, and the sentences about the person.
///
/// # Errors
/// If an argument is invalid, staff is not published, no technician has the name, or the cursor belongs to another one.
pub fn technician(snapshot: &Snapshot, mut call: ToolCall) -> ToolAnswer {
    let TechnicianParameters(parameters) = TechnicianParameters::parse(&mut call.arguments);
    let name = call.finish(parameters.mentions_technician.as_ref())?;
    let found = insights::technician(snapshot, name, &parameters);
    let mut found = found.map_err(CallError::Arguments)?;
    Ok(fit(found.page.reviews.len(), |count| {
        shorten_evidence(snapshot, &parameters, &mut found.page, count);
        text_of(&found)
    }))
}

// The business, facets, insights and periods, in the shapes of REST.

/// The result of `get_business`.
///
/// # Errors
/// If an argument is given.
pub fn business(snapshot: &Snapshot, call: ToolCall) -> ToolAnswer {
    call.finish(Some(()))?;
    let changed_at = Some(snapshot.changed_at());
    Ok(text_of(head(&snapshot.input, changed_at)))
}

/// The result of `list_facets`.
///
/// # Errors
/// If an argument is given.
pub fn facets(snapshot: &Snapshot, call: ToolCall) -> ToolAnswer {
    call.finish(Some(()))?;
    Ok(text_of(facets::facets(snapshot, FACET_VALUES_MAX)))
}

/// The stage that `get_insights` requests; the overview by default.
///
/// # Errors
/// If an argument is invalid, or a service or an area is unknown.
pub fn insights(snapshot: &Snapshot, mut call: ToolCall) -> ToolAnswer {
    let parameters = StageParameters::parse(&mut call.arguments);
    let parameters = call.finish(Some(parameters))?;
    stage(snapshot, &parameters)
        .map(text_of)
        .map_err(CallError::Arguments)
}

/// The result of `compare_periods`.
///
/// # Errors
/// If an argument is missing or invalid.
pub fn periods(snapshot: &Snapshot, mut call: ToolCall) -> ToolAnswer {
    let PeriodsParameters(periods) = PeriodsParameters::parse(&mut call.arguments);
    let periods = call.finish(periods)?;
    Ok(text_of(compare(snapshot, periods)))
}

// Limits the size of a page: whole reviews and a cursor; a text is never cut.

/// Maximum bytes of the JSON text of a page: some 12,000 tokens, about half of the limit of common clients. Only a single
/// larger review exceeds it, and is returned by itself.
pub const RESULT_BYTES_MAX: usize = 48 * 1024;

/// The text of `render` with as many of `count` reviews as fit, at least one.
fn fit(mut count: usize, mut render: impl FnMut(usize) -> String) -> String {
    loop {
        let text = render(count);
        if text.len() <= RESULT_BYTES_MAX || count < 2 {
            return text;
        }
        count = (count * RESULT_BYTES_MAX / text.len()).max(1);
    }
}

/// Keeps the first `count` reviews of a page; the next one follows them.
fn shorten_page(
    snapshot: &Snapshot,
    parameters: &SearchParameters,
    page: &mut ResultPage,
    count: usize,
) {
    if count < page.positions.len() {
        page.positions.truncate(count);
        let last = page.positions.last();
        let last = last.map(|at| &snapshot.input.entries[*at].review);
        page.next = last.map(|last| Cursor::after(parameters, last));
    }
}

/// Like [`shorten_page`], for a page of evidence.
fn shorten_evidence(
    snapshot: &Snapshot,
    parameters: &SearchParameters,
    page: &mut EvidencePage,
    count: usize,
) {
    if count < page.reviews.len() {
        page.reviews.truncate(count);
        page.returned = count as u64;
        let entries = &snapshot.input.entries;
        page.next_cursor = page.reviews.last().and_then(|last| {
            let at = entries.find(&last.review_id.parse::<ReviewId>().ok()?)?;
            Some(Cursor::after(parameters, &entries[at].review).to_string())
        });
    }
}

/// All map keys of a shape are strings, so this cannot fail.
fn to_json(shape: impl Serialize) -> Value {
    serde_json::to_value(shape).unwrap_or_else(|error| unreachable!("a published shape: {error}"))
}

// The arguments of a call, parsed as those of REST, so that both give the same errors, all at once. Unlike in a query string,
// unknown arguments are errors, because a model means every argument that it sends; those that its client adds to every call are
// ignored.

/// Maximum number of invalid arguments that an error names; no tool has as many.
const ISSUES_SHOWN: usize = 40;

/// Arguments that clients add to the calls of every tool: Cline its list of tasks (cline/cline#10426), n8n the ID of the
/// call (n8n-io/n8n#21500). No model can leave them out, so an error would end every call.
const ADDED_BY_CLIENTS: [&str; 2] = ["task_progress", "toolCallId"];

/// A JSON object: a schema, or the arguments of a call.
pub type Object = Map<String, Value>;

/// The reason for a failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallError {
    /// No tool has that name.
    Unknown,
    /// The arguments are invalid; the text lists each with the allowed values.
    Arguments(String),
}

/// A call of a tool, and the errors found so far.
#[derive(Debug)]
pub struct ToolCall {
    pub tool: &'static str,
    pub arguments: Arguments,
}

impl ToolCall {
    /// Returns `taken` if every argument is known and valid.
    ///
    /// # Errors
    /// If any is not; [`CallError::Arguments`] lists all of them.
    pub fn finish<T>(self, taken: Option<T>) -> Result<T, CallError> {
        let message = match self.arguments.known.join(", ").as_str() {
            "" => format!("is not an argument; {} takes none", self.tool),
            known => format!("is not an argument of {}; known: {known}", self.tool),
        };
        let unknown = self.arguments.unknown();
        let unknown = unknown.filter(|(name, _)| !ADDED_BY_CLIENTS.contains(name));
        let unknown = unknown.map(|(name, received)| {
            let code = IssueCode::InvalidString;
            Issue::new(name, code, message.as_str(), received)
        });
        let issues: Vec<Issue> = (self.arguments.issues.iter().cloned())
            .chain(unknown)
            .collect();
        taken
            .filter(|_| issues.is_empty())
            .ok_or_else(|| refusal(&issues))
    }
}

/// An error that lists every issue with the allowed and the given values.
pub fn refusal(issues: &[Issue]) -> CallError {
    let line = |issue: &Issue| {
        let name = escaped_json(&Value::String(issue.path.concat()));
        let line = format!("\n- {}: {}", name.trim_matches('"'), issue.message);
        // A missing argument has no received value.
        if issue.message.starts_with(REQUIRED) {
            return line;
        }
        format!(
            "{line}; received {}",
            escaped_json(&Value::String(issue.received.clone()))
        )
    };
    let lines: String = issues.iter().take(ISSUES_SHOWN).map(line).collect();
    let count = issues.len();
    CallError::Arguments(format!(
        "Wrong arguments: {count}. Change and call again:{lines}"
    ))
}
