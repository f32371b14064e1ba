//! The newest reviews as Atom (RFC 4287).

use atom_syndication::{Category, Content, Entry, Feed, Link, Person, Text, WriteConfig};
use chrono::DateTime;
use memchr::memmem;

use super::document::Document;
use super::feed::{content, item_title, modified_at, start_of_day, tags, title};
use crate::links::{Links, is_web};
use crate::model::business::Business;
use crate::wire;

/// The feed's XML before and after its `updated`; IDs are under `first_links`.
#[must_use]
pub fn atom_feed(
    business: &Business,
    newest: &[wire::Review],
    links: &Links,
    first_links: &Links,
) -> (Vec<u8>, Vec<u8>) {
    let path = Document::AtomFeed.path();
    let feed = Feed {
        title: Text::plain(clean(&title(business))),
        subtitle: business
            .description
            .as_deref()
            .map(|text| Text::plain(clean(text))),
        id: first_links.absolute(path),
        lang: business.language.as_deref().map(clean),
        updated: DateTime::UNIX_EPOCH.fixed_offset(),
        authors: vec![Person {
            name: clean(&business.name),
            uri: business.url.as_deref().filter(|url| is_web(url)).map(clean),
            ..Person::default()
        }],
        links: vec![
            link("self", links.absolute(path), Some("application/atom+xml")),
            link("hub", links.hub(), None),
            link("alternate", links.home(), Some("text/html")),
        ],
        entries: newest
            .iter()
            .map(|review| entry(business, review, first_links))
            .collect(),
        ..Feed::default()
    };
    let config = WriteConfig {
        write_document_declaration: true,
        indent_size: Some(1),
    };
    // Writing to memory cannot fail, and every text has been cleaned.
    let xml = feed
        .write_with_config(Vec::new(), config)
        .unwrap_or_default();
    split_updated(xml)
}

/// The feed without its first `updated` element, which is the feed's own: in texts `<` is escaped, and entries follow
/// later.
fn split_updated(mut xml: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    const END: &[u8] = b"</updated>";
    let start = memmem::find(&xml, b"<updated>");
    let end = memmem::find(&xml, END);
    let (Some(start), Some(end)) = (start, end) else {
        return (xml, Vec::new());
    };
    let after = xml.split_off(end + END.len());
    xml.truncate(start);
    (xml, after)
}

fn entry(business: &Business, review: &wire::Review, first_links: &Links) -> Entry {
    let category = |term: String| Category {
        term: clean(&term),
        ..Category::default()
    };
    let said = content(business, review);
    Entry {
        title: Text::plain(clean(&item_title(review))),
        id: first_links.review(&review.id),
        updated: modified_at(business, review).fixed_offset(),
        published: start_of_day(review.date, business.time_zone).parse().ok(),
        authors: vec![Person {
            name: clean(&review.author),
            ..Person::default()
        }],
        categories: tags(business, review).into_iter().map(category).collect(),
        links: vec![link("alternate", review.url.clone(), Some("text/html"))],
        content: (!said.is_empty()).then(|| Content {
            value: Some(clean(&said)),
            content_type: Some("text".to_owned()),
            // The review's language; that of the owner's response is unknown.
            lang: (review.language.as_deref())
                .filter(|_| !review.text.is_empty())
                .map(clean),
            ..Content::default()
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

/// Replaces characters that XML 1.0 §2.2 does not allow, even escaped, with U+FFFD.
fn clean(text: &str) -> String {
    let known = |c: char| {
        matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
            && !matches!(c, '\u{FFFE}' | '\u{FFFF}')
    };
    text.chars()
        .map(|c| {
            if known(c) {
                c
            } else {
                char::REPLACEMENT_CHARACTER
            }
        })
        .collect()
}
