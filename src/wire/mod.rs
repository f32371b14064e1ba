//! Every published shape, for REST and agents, and the parameters of requests. Deriving `Serialize` or `Object` on a type makes it a public promise, so
//! those derives are only here.
//!
//! Rules of all shapes: `snake_case`; an absent optional field is left out, never `null`; days are `YYYY-MM-DD`;
//! instants are RFC 3339 in UTC.

mod business;
mod facets;
mod feed;
mod insights;
pub(crate) mod parameters;
mod problem;
mod review;
mod stage;

pub use business::{
    AggregateRating, Business, BusinessSummary, Distribution, Geo, OwnBusiness, ReviewsDataset,
    Service, Technician, Withheld,
};
pub use facets::{
    AspectChange, AspectFacet, Comparison, Difference, DistributionChange, Facet, Facets, LeftOut,
    Period, PeriodAspect, RatingFacet, YearFacet,
};
pub use feed::{FeedAuthor, FeedExtension, FeedHub, FeedItem, FeedReview, JsonFeed, SearchFeed};
pub use insights::{
    Aspect, CoMention, CoMentioned, Confidence, ConfirmedFindings, ConfirmedVotes, Direction,
    Entities, Entity, Excluded, Faq, FaqBasis, GeneratedFrom, InsightMonth, InsightQuote, Insights,
    InsightsMethod, LowRated, MethodTrade, Overall, Polarity, Quality, Share, SubTopic, Summary,
    SummaryEvidence, SummarySentence, Topic, Trend, TrendBasis, TrendPeriod, Weights, Window,
    Withdrawn,
};
pub use parameters::{HubMode, HubRequest, InsightsPart};
pub use problem::{Issue, IssueCode, Problem, RECEIVED_CHARACTERS_MAX};
pub use review::{
    DidYouMean, Mentions, OwnerResponse, Review, ReviewSource, SearchHead, SearchResult, SinceHead,
    SinceResult, TotalRelation, Verification, VerificationMethod,
};
pub use stage::{
    AspectEvidence, EntityRow, EvidenceFinding, EvidenceHit, EvidenceReview, FaqRow,
    InsightsAnswer, InsightsStage, TopicRow, Witness,
};

pub fn json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut json = Vec::new();
    write_json(&mut json, value);
    json
}

/// Appends the JSON of `value`. Cannot fail, because the shapes of this module have no maps with other keys than texts.
pub fn write_json<T: serde::Serialize>(json: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(json, value)
        .unwrap_or_else(|error| unreachable!("a published shape: {error}"));
}

/// A JSON object without its closing brace, so that members can be appended.
pub fn json_open<T: serde::Serialize>(object: &T) -> Vec<u8> {
    let mut json = json(object);
    json.pop();
    json
}
