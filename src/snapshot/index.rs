//! The index of a snapshot: for each value of a filter, the positions of its entries. A search is an intersection of
//! these sets, a count is the size of one.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::entry::{Entry, id_hash};
use crate::insights::aggregate::vote_of;
use crate::model::{MentionKind, RatingCounts, ReviewVote, Vote, VoteCounts, fold};

/// Positions are those in [`super::Entries`].
#[derive(Debug, Default)]
pub struct Index {
    /// One star to five stars.
    stars: [RoaringBitmap; 5],
    pub technicians: Values,
    pub services: Values,
    pub service_areas: Values,
    pub languages: Values,
    pub sources: Values,
    /// By the aspect's index in the trade.
    aspects: Vec<Opinions>,
    pub with_text: RoaringBitmap,
    pub with_response: RoaringBitmap,
    /// Reviews that are not analyzed yet.
    pub unanalyzed: RoaringBitmap,
    /// The size of all texts.
    pub text_bytes: usize,
    /// Hash of the ID and position, ascending. IDs may collide, so callers compare the ID that they find.
    by_id: Vec<(u64, u32)>,
}

/// The values that reviews have of one kind, by the text that filters compare: a service's ID, any other value folded.
#[derive(Debug, Default)]
pub struct Values(HashMap<String, Value>);

#[derive(Debug)]
pub struct Value {
    /// As reviews write it, that of the newest review first.
    pub spellings: Vec<String>,
    pub positions: RoaringBitmap,
}

/// The reviews with an opinion on one aspect.
#[derive(Debug, Default)]
struct Opinions {
    by_vote: [RoaringBitmap; Vote::ALL.len()],
    /// Whose stars confirm praise, and blame.
    confirmed: [RoaringBitmap; 2],
}

impl Values {
    /// The reviews with this value; `None` if none has it.
    pub fn get(&self, value: &str) -> Option<&RoaringBitmap> {
        Some(&self.0.get(value)?.positions)
    }

    /// In no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl Index {
    /// `entries` are newest first.
    pub fn new(entries: &[Arc<Entry>]) -> Self {
        let mut index = Self::default();
        let mut columns: [ValuesBuilder<'_>; 5] = Default::default();
        for (at, entry) in (0..).zip(entries) {
            let review = &entry.review;
            index.stars[usize::from(review.rating.stars()) - 1].insert(at);
            let lists = [
                review.mentions.technicians.as_slice(),
                &review.mentions.services,
                &review.mentions.service_areas,
                review.language.as_slice(),
                std::slice::from_ref(&review.source.name),
            ];
            for (column, values) in columns.iter_mut().zip(lists) {
                values.iter().for_each(|value| column.add(at, value));
            }
            index.add_text(at, entry);
            index.add_opinions(at, entry);
        }
        let [technicians, services, service_areas, languages, sources] = columns;
        index.technicians = technicians.finish(fold);
        index.services = services.finish(str::to_owned);
        index.service_areas = service_areas.finish(fold);
        index.languages = languages.finish(fold);
        index.sources = sources.finish(fold);
        index.by_id.sort_unstable();
        index
    }

    fn add_text(&mut self, at: u32, entry: &Entry) {
        let review = &entry.review;
        let add = |positions: &mut RoaringBitmap, is_in: bool| {
            if is_in {
                positions.insert(at);
            }
        };
        add(&mut self.with_text, !review.text.is_empty());
        add(&mut self.with_response, review.response.is_some());
        add(&mut self.unanalyzed, entry.analysis.is_none());
        self.text_bytes += review.text.len();
        self.by_id.push((id_hash(review.id.as_str()), at));
    }

    fn add_opinions(&mut self, at: u32, entry: &Entry) {
        let Some(analysis) = &entry.analysis else {
            return;
        };
        for finding in &analysis.findings {
            let aspect = usize::from(finding.aspect);
            if self.aspects.len() <= aspect {
                self.aspects.resize_with(aspect + 1, Opinions::default);
            }
            let opinions = &mut self.aspects[aspect];
            // Only the first finding about an aspect adds the review.
            let is_new = |positions: &RoaringBitmap| positions.max() != Some(at);
            if opinions.by_vote.iter().all(is_new)
                && let Some(vote) = vote_of(analysis, finding.aspect)
            {
                opinions.add(at, vote);
            }
        }
    }

    pub fn count_unanalyzed(&self) -> usize {
        usize::try_from(self.unanalyzed.len()).unwrap_or(usize::MAX)
    }

    pub const fn mentions(&self, kind: MentionKind) -> &Values {
        match kind {
            MentionKind::Technician => &self.technicians,
            MentionKind::Service => &self.services,
            MentionKind::ServiceArea => &self.service_areas,
        }
    }

    /// The reviews with this number of stars, 1 to 5.
    pub fn stars(&self, stars: u8) -> &RoaringBitmap {
        &self.stars[usize::from(stars) - 1]
    }

    pub fn rating_counts(&self, positions: Range<u32>) -> RatingCounts {
        RatingCounts::new(std::array::from_fn(|at| {
            self.stars[at].range_cardinality(positions.clone())
        }))
    }

    /// The sum of the stars of these reviews.
    pub fn sum_of_stars(&self, positions: &RoaringBitmap) -> u64 {
        let counts = self
            .stars
            .iter()
            .map(|of_stars| of_stars.intersection_len(positions));
        (1..)
            .zip(counts)
            .map(|(stars, count): (u64, u64)| stars * count)
            .sum()
    }

    /// The reviews with an opinion on an aspect, or only those with this vote.
    pub fn opinions(&self, aspect: usize, vote: Option<Vote>) -> RoaringBitmap {
        let Some(opinions) = self.aspects.get(aspect) else {
            return RoaringBitmap::new();
        };
        match vote {
            Some(vote) => opinions.by_vote[vote as usize].clone(),
            None => opinions
                .by_vote
                .iter()
                .fold(RoaringBitmap::new(), |all, some| all | some),
        }
    }

    /// The votes of these reviews on each of `aspects` aspects.
    pub fn votes(&self, positions: &Range<u32>, aspects: usize) -> Vec<VoteCounts> {
        let none = Opinions::default();
        let opinions = self.aspects.iter().chain(std::iter::repeat(&none));
        opinions
            .take(aspects)
            .map(|one| one.count(positions))
            .collect()
    }

    /// The positions of the reviews whose ID has the same hash.
    pub fn positions_by_hash(&self, id: &str) -> impl Iterator<Item = usize> {
        let hash = id_hash(id);
        let start = self.by_id.partition_point(|(other, _)| *other < hash);
        let same = self.by_id[start..]
            .iter()
            .take_while(move |(other, _)| *other == hash);
        same.map(|(_, at)| *at as usize)
    }
}

impl Opinions {
    fn add(&mut self, at: u32, vote: ReviewVote) {
        self.by_vote[vote.vote as usize].insert(at);
        let mut one = VoteCounts::default();
        one.count_review(vote);
        for (positions, count) in self.confirmed.iter_mut().zip(one.confirmed) {
            if count > 0 {
                positions.insert(at);
            }
        }
    }

    fn count(&self, positions: &Range<u32>) -> VoteCounts {
        let count = |of: &RoaringBitmap| {
            let count = of.range_cardinality(positions.clone());
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        let of_vote = |vote: Vote| count(&self.by_vote[vote as usize]);
        VoteCounts {
            positive: of_vote(Vote::Positive),
            negative: of_vote(Vote::Negative),
            neutral: of_vote(Vote::Neutral),
            mixed: of_vote(Vote::Mixed),
            uncertain: of_vote(Vote::Uncertain),
            confirmed: std::array::from_fn(|side| count(&self.confirmed[side])),
        }
    }
}

/// Values by spelling: each spelling is folded once.
#[derive(Default)]
struct ValuesBuilder<'a> {
    /// The place of each spelling in `found`.
    places: HashMap<&'a str, usize>,
    found: Vec<(&'a str, RoaringBitmap)>,
}

impl<'a> ValuesBuilder<'a> {
    fn add(&mut self, at: u32, value: &'a str) {
        let place = *self.places.entry(value).or_insert_with(|| {
            self.found.push((value, RoaringBitmap::new()));
            self.found.len() - 1
        });
        self.found[place].1.insert(at);
    }

    /// `key` makes the text that filters compare.
    fn finish(self, key: impl Fn(&str) -> String) -> Values {
        let mut values: HashMap<String, Value> = HashMap::new();
        for (spelling, positions) in self.found {
            let value = values.entry(key(spelling)).or_insert_with(|| Value {
                spellings: Vec::new(),
                positions: RoaringBitmap::new(),
            });
            value.spellings.push(spelling.to_owned());
            value.positions |= positions;
        }
        Values(values)
    }
}
