//! The JSON Feed of the newest reviews, and the shared parts of both feeds.

use chrono::{DateTime, NaiveDate, NaiveTime, Offset, SecondsFormat, TimeZone, Utc};
use chrono_tz::Tz;

use super::document::Document;
use crate::links::Links;
use crate::model::business::Business;
use crate::wire;

/// Maximum number of reviews in a feed.
pub const FEED_REVIEWS: usize = 50;

/// The IDs of entries are permalinks under `first_links`.
#[must_use]
pub fn json_feed(
    business: &Business,
    newest: &[wire::Review],
    links: &Links,
    first_links: &Links,
) -> wire::Feed {
    wire::Feed {
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
        items: newest
            .iter()
            .map(|review| item(business, review, first_links))
            .collect(),
        feed: None,
    }
}

fn item(business: &Business, review: &wire::Review, first_links: &Links) -> wire::FeedItem {
    wire::FeedItem {
        id: first_links.review(&review.id),
        url: review.url.clone(),
        title: item_title(review),
        content_text: content(business, review),
        date_published: start_of_day(review.date, business.time_zone),
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
#[must_use]
pub fn title(business: &Business) -> String {
    format!("Reviews of {}", business.name)
}

/// Stars and author: `★★★★☆ Jane D.`
#[must_use]
pub fn item_title(review: &wire::Review) -> String {
    let full = usize::from(review.rating.min(5));
    format!(
        "{}{} {}",
        "★".repeat(full),
        "☆".repeat(5 - full),
        review.author
    )
}

/// The review's text, followed by the owner's response; empty if there is neither.
#[must_use]
pub fn content(business: &Business, review: &wire::Review) -> String {
    let Some(response) = &review.response else {
        return review.text.clone();
    };
    let who = response.author.as_ref().unwrap_or(&business.name);
    let between = if review.text.is_empty() { "" } else { "\n\n" };
    format!(
        "{}{between}Response from {who}:\n{}",
        review.text, response.text
    )
}

/// The names of mentioned services, technicians and areas, each once.
#[must_use]
pub fn tags(business: &Business, review: &wire::Review) -> Vec<String> {
    let name = |id: &String| {
        business
            .services
            .iter()
            .find(|service| service.id == *id)
            .map_or(id, |service| &service.name)
            .clone()
    };
    let mut tags: Vec<String> = review.mentions.services.iter().map(name).collect();
    tags.extend_from_slice(&review.mentions.technicians);
    tags.extend_from_slice(&review.mentions.service_areas);
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(tag.clone()));
    tags
}

/// The last change of a review, but not before its publication: a review without its own instant has midnight UTC of
/// its day, which west of Greenwich is the previous evening.
#[must_use]
pub fn modified_at(business: &Business, review: &wire::Review) -> DateTime<Utc> {
    let published = start_of_day(review.date, business.time_zone).parse();
    published.map_or(review.updated_at, |published: DateTime<Utc>| {
        review.updated_at.max(published)
    })
}

/// Midnight of a day in a zone, with its offset. If the clocks skip midnight, the offset is that of noon; if midnight
/// occurs twice, the first one applies. Seconds of historical offsets are omitted, because RFC 3339 cannot express
/// them.
#[must_use]
pub fn start_of_day(date: NaiveDate, zone: Tz) -> String {
    let midnight = date.and_time(NaiveTime::MIN);
    let at = zone.offset_from_local_datetime(&midnight);
    let offset = at.earliest().or_else(|| {
        zone.offset_from_local_datetime(&(midnight + chrono::Duration::hours(12)))
            .earliest()
    });
    let offset_s = offset.map_or(0, |offset| offset.fix().local_minus_utc());
    let (sign, minutes) = (if offset_s < 0 { '-' } else { '+' }, offset_s.abs() / 60);
    format!(
        "{}{sign}{:02}:{:02}",
        midnight.format("%Y-%m-%dT%H:%M:%S"),
        minutes / 60,
        minutes % 60
    )
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use chrono_tz::Tz;

    use super::start_of_day;

    #[test]
    fn a_day_starts_at_midnight_where_the_business_is() {
        for (date, zone, start) in [
            ("2026-01-15", Tz::UTC, "2026-01-15T00:00:00+00:00"),
            (
                "2026-01-15",
                Tz::America__Phoenix,
                "2026-01-15T00:00:00-07:00",
            ),
            (
                "2026-07-15",
                Tz::America__New_York,
                "2026-07-15T00:00:00-04:00",
            ),
            // That day had no midnight in São Paulo.
            (
                "2018-11-04",
                Tz::America__Sao_Paulo,
                "2018-11-04T00:00:00-02:00",
            ),
            // Local mean time was 7 h 28 min 18 s behind.
            (
                "1850-01-01",
                Tz::America__Phoenix,
                "1850-01-01T00:00:00-07:28",
            ),
            (
                "1850-01-01",
                Tz::Africa__Monrovia,
                "1850-01-01T00:00:00-00:43",
            ),
        ] {
            assert_eq!(
                start_of_day(date.parse::<NaiveDate>().unwrap(), zone),
                start
            );
        }
    }
}
