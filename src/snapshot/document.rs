//! The documents of a snapshot: their names and addresses, and how each is rendered from the same input. Pure: the same
//! input always gives the same bytes. Routes, `Link` headers, conditional requests and hub topics iterate over
//! [`Document::ALL`].

use std::collections::BTreeSet;

use atom_syndication::{Category, Entry, Feed, Link, Person, Text, WriteConfig};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, Offset, SecondsFormat, TimeZone, Utc};
use chrono_tz::Tz;
use hyper::body::Bytes;
use sha2::{Digest, Sha256};

use super::input::SnapshotInput;
use crate::insights::decide::WEIGHTS_DIGEST;
use crate::insights::rules::Measured;
use crate::insights::{AggregateInput, aggregate};
use crate::links::{Links, is_web};
use crate::model::business::Business;
use crate::model::text::{clean_xml, escape_html, visible};
use crate::model::{MentionKind, OwnerReply, PublishedReview, hex, named};
use crate::wire;

named! {
    /// A document rendered whole, from the same reviews as all others; its name is used in the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Document {
        /// The business, its rating and every published review.
        Reviews = "reviews",
        Insights = "insights",
        JsonFeed = "json_feed",
        AtomFeed = "atom_feed",
    }
}

impl Document {
    /// Below the base URL.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Reviews => "/reviews.json",
            Self::Insights => "/insights.json",
            Self::JsonFeed => "/api/feed.json",
            Self::AtomFeed => "/feed.xml",
        }
    }

    /// The same for clients and subscribers.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Reviews | Self::Insights | Self::JsonFeed => "application/json",
            Self::AtomFeed => "application/atom+xml",
        }
    }

    /// Whether it can be subscribed to at the hub.
    pub const fn is_topic(self) -> bool {
        match self {
            Self::Reviews | Self::JsonFeed | Self::AtomFeed => true,
            Self::Insights => false,
        }
    }

    /// The value of the `Link` header for discovery (WebSub §4): the topic, then the hub.
    pub fn link(self, links: &Links) -> String {
        format!(
            r#"<{}>; rel="self", <{}>; rel="hub""#,
            links.absolute(self.path()),
            links.hub()
        )
    }
}

// The bytes of every document, rendered from the input.

/// A document's content in pieces, which snapshots share.
#[derive(Debug, Clone)]
pub struct Content {
    /// Their concatenation is the document.
    pub pieces: Vec<Bytes>,
    /// SHA-256 in hexadecimal: of all bytes, or of the outer parts and the digests of reviews or segments between them.
    pub digest: String,
}

impl Content {
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let digest = hex(&Sha256::digest(&bytes));
        Self {
            pieces: vec![bytes],
            digest,
        }
    }

    /// In bytes.
    pub fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }
}

/// Renders one document of `input`, which last changed at `changed_at`.
pub fn render(
    document: Document,
    input: &SnapshotInput,
    insights: &wire::Insights,
    changed_at: DateTime<Utc>,
) -> Content {
    match document {
        Document::Reviews => dataset(input, changed_at),
        Document::Insights => Content::whole(wire::json(&wire::Insights {
            generated_at: Some(changed_at),
            ..insights.clone()
        })),
        Document::JsonFeed => Content::whole(wire::json(&json_feed(input, changed_at))),
        Document::AtomFeed => Content::whole(atom_feed(input, changed_at)),
    }
}

fn newest_reviews(input: &SnapshotInput) -> Vec<PublishedReview> {
    let count = input.entries.len().min(FEED_REVIEWS.into());
    (0..count).map(|at| input.review(at)).collect()
}

/// The dataset without its reviews; `changed_at` is `None` if unknown.
pub fn head(input: &SnapshotInput, changed_at: Option<DateTime<Utc>>) -> wire::BusinessSummary {
    wire::BusinessSummary {
        business: (&input.business).into(),
        aggregate_rating: (&input.entries.rating_counts()).into(),
        withheld: wire::Withheld {
            count: input.withheld.count,
            reasons: input.withheld.most_frequent.clone(),
        },
        updated_at: changed_at,
    }
}

fn dataset(input: &SnapshotInput, changed_at: DateTime<Utc>) -> Content {
    let mut head = head(input, Some(changed_at));
    // A change of the policy is no change of the dataset.
    head.business.review_policy = None;
    let mut opening = wire::json_open(&head);
    opening.extend_from_slice(br#","reviews":["#);
    let mut digest = Sha256::new_with_prefix(&opening);
    let segments = input.entries.segments().iter();
    segments.for_each(|segment| digest.update(segment.digest));
    let reviews = input.entries.json_of_first(input.entries.len());
    Content {
        pieces: array(opening, reviews, b"]}"),
        digest: hex(&digest.finalize()),
    }
}

/// The pieces of a JSON array: opening, reviews that are each followed by a comma, and closing.
pub fn array(opening: Vec<u8>, reviews: Vec<Bytes>, closing: &'static [u8]) -> Vec<Bytes> {
    let mut pieces = Vec::with_capacity(reviews.len() + 2);
    pieces.push(Bytes::from(opening));
    pieces.extend(reviews);
    if pieces.len() > 1
        && let Some(last) = pieces.last_mut()
    {
        last.truncate(last.len() - 1);
    }
    pieces.push(Bytes::from_static(closing));
    pieces
}

// The feeds: the newest reviews as JSON Feed (<https://www.jsonfeed.org/version/1.1/>) and as Atom (RFC 4287).

/// Maximum number of reviews in a feed.
pub const FEED_REVIEWS: u8 = 50;

/// The IDs of entries are permalinks under the base URL that was published first.
fn json_feed(input: &SnapshotInput, changed_at: DateTime<Utc>) -> wire::JsonFeed {
    let (business, links) = (&input.business, &input.links);
    wire::JsonFeed {
        version: "https://jsonfeed.org/version/1.1".to_owned(),
        title: title(business),
        home_page_url: links.home(),
        feed_url: links.absolute(Document::JsonFeed.path()),
        description: business.description.clone(),
        authors: vec![wire::FeedAuthor {
            name: business.name.clone(),
            url: business.url.clone(),
        }],
        language: business.language.clone(),
        hubs: vec![wire::FeedHub {
            kind: "WebSub".to_owned(),
            url: links.hub(),
        }],
        items: (newest_reviews(input).iter())
            .map(|review| item(business, review, &input.first_links))
            .collect(),
        feed: Some(wire::FeedExtension {
            updated_at: changed_at,
        }),
    }
}

fn item(business: &Business, review: &PublishedReview, first_links: &Links) -> wire::FeedItem {
    wire::FeedItem {
        id: first_links.review(&review.id),
        url: review.url.clone(),
        title: item_title(review),
        content_html: content_html(business, review),
        content_text: content(business, review),
        date_published: start_of_day(review.date, business.time_zone).to_rfc3339(),
        date_modified: modified_at(business, review).to_rfc3339_opts(SecondsFormat::AutoSi, true),
        authors: vec![wire::FeedAuthor {
            name: review.author.clone(),
            url: None,
        }],
        tags: tags(business, review),
        language: review.language.clone(),
        review: wire::FeedReview {
            rating: review.rating,
        },
    }
}

/// The title of both feeds.
fn title(business: &Business) -> String {
    format!("Reviews of {}", visible(&business.name))
}

/// Stars and author: `★★★★☆ Jane D.`
fn item_title(review: &PublishedReview) -> String {
    let full = usize::from(review.rating.min(5));
    format!(
        "{}{} {}",
        "★".repeat(full),
        "☆".repeat(5 - full),
        visible(&review.author)
    )
}

/// The review's text, followed by the owner's reply; empty if there is neither.
fn content(business: &Business, review: &PublishedReview) -> String {
    let Some(reply) = &review.owner_reply else {
        return review.text.clone();
    };
    let answer = answer(business, reply);
    let between = if review.text.is_empty() { "" } else { "\n\n" };
    format!("{}{between}{answer}", review.text)
}

/// The same as HTML, in which all text is escaped: paragraphs with line breaks; the reply is one of its own.
fn content_html(business: &Business, review: &PublishedReview) -> String {
    let line = |line: &str| escape_html(&clean_xml(line.trim_end_matches([' ', '\t'])));
    let lines: Vec<String> = review.text.lines().map(line).collect();
    let paragraphs = lines.split(String::is_empty).map(<[String]>::to_vec);
    let reply = review.owner_reply.as_ref();
    let reply = reply.map(|reply| answer(business, reply).lines().map(line).collect());
    let all = paragraphs.chain(reply).filter(|lines| !lines.is_empty());
    let mut html = String::new();
    for lines in all {
        html.extend(["<p>", &lines.join("<br>"), "</p>"]);
    }
    html
}

fn answer(business: &Business, reply: &OwnerReply) -> String {
    let author = reply.author.as_ref().unwrap_or(&business.name);
    format!("Reply from {author}:\n{}", reply.text)
}

/// The names of mentioned services, technicians and areas, each once.
fn tags(business: &Business, review: &PublishedReview) -> Vec<String> {
    let services = review.mentions.services.iter();
    let services = services.map(|id| business.service_name(id).to_owned());
    let mut tags: Vec<String> = services.collect();
    tags.extend_from_slice(&review.mentions.technicians);
    tags.extend_from_slice(&review.mentions.service_areas);
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(tag.clone()));
    tags
}

/// The last change of a review, but not before its publication: a review without its own instant has midnight UTC of
/// its day, which west of Greenwich is the previous evening.
fn modified_at(business: &Business, review: &PublishedReview) -> DateTime<Utc> {
    let published = start_of_day(review.date, business.time_zone);
    review.updated_at.max(published.to_utc())
}

/// Midnight of a day in a zone, with its offset. If the clocks skip midnight, the offset is that of noon; if midnight
/// occurs twice, the first one applies. Seconds of historical offsets are omitted, because RFC 3339 cannot express
/// them.
fn start_of_day(date: NaiveDate, zone: Tz) -> DateTime<FixedOffset> {
    let midnight = date.and_time(NaiveTime::MIN);
    let at = zone.offset_from_local_datetime(&midnight);
    let offset = at.earliest().or_else(|| {
        zone.offset_from_local_datetime(&(midnight + chrono::Duration::hours(12)))
            .earliest()
    });
    let minutes = offset.map_or(0, |offset| offset.fix().local_minus_utc() / 60);
    FixedOffset::east_opt(minutes * 60)
        .and_then(|offset| midnight.and_local_timezone(offset).single())
        .unwrap_or_else(|| midnight.and_utc().fixed_offset())
}

fn atom_feed(input: &SnapshotInput, changed_at: DateTime<Utc>) -> Vec<u8> {
    let (path, links) = (Document::AtomFeed.path(), &input.links);
    let mut feed = feed(input, &newest_reviews(input), path, changed_at);
    feed.links = vec![
        self_link(links, path),
        link("hub", links.hub(), None),
        link("alternate", links.home(), Some("text/html")),
    ];
    xml(&feed)
}

/// The feed of a search; `address` and `page` are those of the feed and of the results, below the base URL.
pub fn search_feed(
    input: &SnapshotInput,
    newest: &[PublishedReview],
    [address, page]: [String; 2],
    changed_at: DateTime<Utc>,
) -> Vec<u8> {
    let links = &input.links;
    let newest_change = newest
        .iter()
        .map(|review| modified_at(&input.business, review));
    let changed_at = newest_change.max().unwrap_or(changed_at);
    let mut feed = feed(input, newest, &address, changed_at);
    // The feeds of two searches are told apart by their titles.
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let parameters = url::form_urlencoded::parse(query.as_bytes());
    let parameters: Vec<String> = parameters
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    if !parameters.is_empty() {
        let title = format!("{}: {}", title(&input.business), parameters.join(", "));
        feed.title = Text::plain(clean_xml(&visible(&title)));
    }
    feed.links = vec![
        self_link(links, &address),
        link("alternate", links.absolute(&page), Some("text/html")),
    ];
    xml(&feed)
}

/// A feed without links.
fn feed(
    input: &SnapshotInput,
    newest: &[PublishedReview],
    path: &str,
    changed_at: DateTime<Utc>,
) -> Feed {
    let (business, first_links) = (&input.business, &input.first_links);
    let entries = newest.iter();
    Feed {
        title: Text::plain(clean_xml(&title(business))),
        subtitle: business
            .description
            .as_deref()
            .map(|text| Text::plain(clean_xml(text))),
        id: first_links.absolute(path),
        lang: business.language.as_deref().map(clean_xml),
        updated: changed_at.fixed_offset(),
        authors: vec![Person {
            name: clean_xml(&business.name),
            uri: business
                .url
                .as_deref()
                .filter(|url| is_web(url))
                .map(clean_xml),
            ..Person::default()
        }],
        entries: entries
            .map(|review| entry(business, review, first_links))
            .collect(),
        ..Feed::default()
    }
}

fn self_link(links: &Links, path: &str) -> Link {
    let kind = Document::AtomFeed.content_type();
    link("self", links.absolute(path), Some(kind))
}

fn xml(feed: &Feed) -> Vec<u8> {
    let config = WriteConfig {
        write_document_declaration: true,
        indent_size: Some(1),
    };
    // Every text has been cleaned.
    feed.write_with_config(Vec::new(), config)
        .unwrap_or_else(|error| unreachable!("writing to memory: {error}"))
}

fn entry(business: &Business, review: &PublishedReview, first_links: &Links) -> Entry {
    let category = |term: String| Category {
        term: clean_xml(&term),
        ..Category::default()
    };
    let body = content_html(business, review);
    Entry {
        title: Text::plain(clean_xml(&item_title(review))),
        id: first_links.review(&review.id),
        updated: modified_at(business, review).fixed_offset(),
        published: Some(start_of_day(review.date, business.time_zone)),
        authors: vec![Person {
            name: clean_xml(&review.author),
            ..Person::default()
        }],
        categories: tags(business, review).into_iter().map(category).collect(),
        links: vec![link("alternate", review.url.clone(), Some("text/html"))],
        content: (!body.is_empty()).then(|| atom_syndication::Content {
            value: Some(body),
            content_type: Some("html".to_owned()),
            // The review's language; that of the owner's reply is unknown.
            lang: (review.language.as_deref())
                .filter(|_| !review.text.is_empty())
                .map(clean_xml),
            ..atom_syndication::Content::default()
        }),
        ..Entry::default()
    }
}

fn link(rel: &str, href: String, mime_type: Option<&str>) -> Link {
    Link {
        rel: rel.to_owned(),
        href,
        mime_type: mime_type.map(str::to_owned),
        ..Link::default()
    }
}

// The insights: the compact analyses are aggregated, and the quoted reviews found.

/// The only measure that is not a share.
const F1: &str = "f1";

pub fn insights(input: &SnapshotInput) -> wire::Insights {
    let analyzed = input.entries.iter();
    let analyzed = analyzed.filter_map(|entry| Some((&entry.review, entry.analysis.as_ref()?)));
    let analyses: Vec<_> = analyzed.collect();
    let people = input.own_business.staff_names();
    let people: Vec<&str> = people.map(String::as_str).collect();
    let sources = AggregateInput {
        analyses: &analyses,
        unanalyzed: input.entries.len() - analyses.len(),
        trade: input.analyzer.trade,
        business: &input.business,
        people: &people,
        editorial: &input.editorial,
        mentioned: &mentioned(input),
    };
    let mut insights = aggregate(&sources, method(input));
    for aspect in &mut insights.aspects {
        aspect.evidence_url = input.links.evidence(&aspect.id);
    }
    insights
}

/// The mentions of all reviews in every spelling, sorted.
fn mentioned(input: &SnapshotInput) -> BTreeSet<(MentionKind, &str)> {
    let mut mentioned = BTreeSet::new();
    for kind in MentionKind::ALL {
        let values = input.entries.index().mentioned(kind).iter();
        let spellings = values.flat_map(|(_, value)| &value.spellings);
        mentioned.extend(spellings.map(|spelling| (kind, spelling.as_str())));
    }
    mentioned
}

/// Without the counts.
fn method(input: &SnapshotInput) -> wire::InsightsMethod {
    let trade = input.analyzer.trade;
    wire::InsightsMethod {
        engine: concat!("reviews-service ", env!("CARGO_PKG_VERSION")).to_owned(),
        description:
            "Texts in English are read by rules and small integer weights. The stars may withdraw a judgement; below four stars, a complaint \
             needs less evidence in the text. A review has one vote for each aspect. The same reviews give the same bytes."
                .to_owned(),
        trade: wire::MethodTrade {
            id: trade.published_id().to_owned(),
            label: trade.label.clone(),
            is_measured: !trade.quality.is_empty(),
        },
        trade_sha256: trade.digest(),
        weights_sha256: WEIGHTS_DIGEST.clone(),
        deterministic: true,
        offset_unit: "code_point".to_owned(),
        quality: trade.quality.iter().map(quality).collect(),
        ..wire::InsightsMethod::default()
    }
}

fn quality(measured: &Measured) -> wire::Quality {
    let [part, whole, n] = [measured.part, measured.whole, measured.n]
        .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let share = wire::Share::new(part, whole);
    // An F1 score counts agreement twice, so its numerator and denominator are not a sample.
    let interval = share.filter(|_| measured.measure != F1);
    wire::Quality {
        task: measured.task.clone(),
        set: measured.set.clone(),
        n,
        measure: measured.measure.clone(),
        value: share.map_or(0.0, |share| share.value),
        low: interval.map(|share| share.low),
        high: interval.map(|share| share.high),
    }
}
