//! The index of a snapshot: for each value of a filter, the positions of its entries. A search is an intersection of
//! these sets, a count is the size of one.

use std::collections::HashMap;
use std::ops::Range;
use std::slice;

use roaring::RoaringBitmap;

use crate::insights::CompactAnalysis;
use crate::insights::vote_of;
use crate::model::{MentionKind, RatingCounts, Review, ReviewId, Vote, VoteCounts, fold};

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
    aspects: Vec<AspectPositions>,
    pub with_text: RoaringBitmap,
    pub with_reply: RoaringBitmap,
    pub verified: RoaringBitmap,
    /// Reviews that are not analyzed yet.
    pub unanalyzed: RoaringBitmap,
    /// The size of all texts.
    pub text_bytes: usize,
    pub by_id: HashMap<ReviewId, u32>,
    by_review_no: HashMap<i64, u32>,
    /// Reviews that the database's text index may not find.
    pub unindexed: RoaringBitmap,
}

/// The values that reviews have of one kind, by the text that filters compare: a service's ID, any other value folded.
#[derive(Debug, Default)]
pub struct Values(HashMap<String, Value>);

#[derive(Debug, Default)]
pub struct Value {
    /// As reviews write it, that of the newest review first.
    pub spellings: Vec<String>,
    pub positions: RoaringBitmap,
}

/// The reviews with an opinion on one aspect, by [`Vote`].
type AspectPositions = [RoaringBitmap; Vote::ALL.len()];

impl Values {
    /// `key` makes the text that filters compare.
    fn add(&mut self, at: u32, spellings: &[String], key: fn(&str) -> String) {
        for spelling in spellings {
            let value = self.0.entry(key(spelling)).or_default();
            if !value.spellings.contains(spelling) {
                value.spellings.push(spelling.clone());
            }
            value.positions.insert(at);
        }
    }

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
    /// Adds the review at position `at`; they are added newest first. It has no analysis until its text is analyzed.
    pub fn add(
        &mut self,
        at: u32,
        review_no: Option<i64>,
        review: &Review,
        analysis: Option<&CompactAnalysis>,
    ) {
        self.stars[usize::from(review.rating.stars()) - 1].insert(at);
        let mentions = &review.mentions;
        self.technicians.add(at, &mentions.technicians, fold);
        self.services.add(at, &mentions.services, str::to_owned);
        self.service_areas.add(at, &mentions.service_areas, fold);
        self.languages.add(at, review.language.as_slice(), fold);
        let source = slice::from_ref(&review.source.name);
        self.sources.add(at, source, fold);
        for (positions, is_in) in [
            (&mut self.with_text, !review.text.is_empty()),
            (&mut self.with_reply, review.reply.is_some()),
            (&mut self.verified, review.verification.is_independent()),
            (&mut self.unanalyzed, analysis.is_none()),
        ] {
            if is_in {
                positions.insert(at);
            }
        }
        self.text_bytes += review.text.len();
        self.by_id.insert(review.id.clone(), at);
        match review_no {
            Some(review_no) if Self::is_indexed(&review.text) => {
                self.by_review_no.insert(review_no, at);
            }
            _ => drop(self.unindexed.insert(at)),
        }
        if let Some(analysis) = analysis {
            self.add_opinions(at, analysis);
        }
    }

    /// The entities of that kind that reviews mention.
    pub const fn mentioned(&self, kind: MentionKind) -> &Values {
        match kind {
            MentionKind::Technician => &self.technicians,
            MentionKind::Service => &self.services,
            MentionKind::ServiceArea => &self.service_areas,
        }
    }

    /// The reviews that mention an entity: a service by its ID, any other by its name; `None` if none does.
    pub fn mentioning(&self, kind: MentionKind, value: &str) -> Option<&RoaringBitmap> {
        self.mentioned(kind).get(&kind.value_key(value))
    }

    fn add_opinions(&mut self, at: u32, analysis: &CompactAnalysis) {
        for finding in &analysis.findings {
            let aspect = usize::from(finding.aspect);
            if self.aspects.len() <= aspect {
                self.aspects
                    .resize_with(aspect + 1, AspectPositions::default);
            }
            let opinions = &mut self.aspects[aspect];
            // Only the first finding about an aspect adds the review.
            if opinions.iter().all(|positions| positions.max() != Some(at))
                && let Some(vote) = vote_of(analysis, finding.aspect)
            {
                opinions[vote as usize].insert(at);
            }
        }
    }

    /// Whether the database's text index finds all parts of a text as queries do. It folds characters that are not ASCII in
    /// another way, and ends a text at a NUL; queries for words take a backtick for an apostrophe.
    pub fn is_indexed(text: &str) -> bool {
        text.bytes()
            .all(|byte| byte.is_ascii() && !matches!(byte, 0 | b'`'))
    }

    /// The positions of the reviews with these numbers, except [`Self::unindexed`].
    pub fn positions_of(&self, review_nos: &[i64]) -> RoaringBitmap {
        let positions = review_nos.iter();
        positions
            .filter_map(|review_no| self.by_review_no.get(review_no))
            .collect()
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

    pub fn rating_counts_of(&self, positions: &RoaringBitmap) -> RatingCounts {
        RatingCounts::new(std::array::from_fn(|at| {
            self.stars[at].intersection_len(positions)
        }))
    }

    /// The reviews with an opinion on an aspect, or only those with this vote.
    pub fn opinions(&self, aspect: usize, vote: Option<Vote>) -> RoaringBitmap {
        let Some(opinions) = self.aspects.get(aspect) else {
            return RoaringBitmap::new();
        };
        match vote {
            Some(vote) => opinions[vote as usize].clone(),
            None => opinions
                .iter()
                .fold(RoaringBitmap::new(), |all, some| all | some),
        }
    }

    /// The votes of these reviews on each of `aspects` aspects.
    pub fn votes(&self, positions: &Range<u32>, aspects: usize) -> Vec<VoteCounts> {
        let none = AspectPositions::default();
        let opinions = self.aspects.iter().chain(std::iter::repeat(&none));
        opinions
            .take(aspects)
            .map(|opinions| count_votes(opinions, positions))
            .collect()
    }
}

fn count_votes(opinions: &AspectPositions, positions: &Range<u32>) -> VoteCounts {
    let count = |vote: Vote| {
        let count = opinions[vote as usize].range_cardinality(positions.clone());
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    VoteCounts {
        positive: count(Vote::Positive),
        negative: count(Vote::Negative),
        neutral: count(Vote::Neutral),
        mixed: count(Vote::Mixed),
        uncertain: count(Vote::Uncertain),
    }
}
