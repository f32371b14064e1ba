//! A segment in the making: takes its reviews one by one, from the database or from the segment that
//! had them before, and lays them out in columns.

use std::sync::OnceLock;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::Segment;
use crate::insights::{PackedAnalyses, PackedAnalysis, PackedAnalysisRef};
use crate::reviews::{Rating, RatingCounts};
use crate::snapshot::entry::Entry;
use crate::snapshot::labels::Labels;
use crate::snapshot::packed_strings::PackedStrings;
use crate::snapshot::postings::Postings;

/// Stands after each folded text: a byte that no UTF-8 text has, so that nothing is found across
/// two texts.
const SEPARATOR: u8 = 0xFF;

/// A segment in the making.
#[derive(Debug, Default)]
pub struct SegmentBuilder {
    json: PackedStrings,
    folded: PackedStrings,
    ids: PackedStrings,
    days: Vec<i32>,
    stars: Vec<u8>,
    technicians: Postings,
    services: Postings,
    service_areas: Postings,
    labels: Labels,
    review_nos: Vec<u32>,
    analyses: PackedAnalyses,
    unanalyzed: Vec<u32>,
    rating_counts: RatingCounts,
    with_text: u64,
}

impl SegmentBuilder {
    /// Whether there is anything in it yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }

    /// Adds the next review.
    pub fn push(&mut self, entry: &Entry) {
        self.columns(
            &entry.key.id,
            entry.key.day,
            entry.stars,
            &entry.json,
            entry.folded.as_bytes(),
        );
        let at = self.days.len() - 1;
        entry
            .technicians
            .iter()
            .for_each(|mention| self.technicians.push(at, mention));
        entry
            .services
            .iter()
            .for_each(|mention| self.services.push(at, mention));
        entry
            .service_areas
            .iter()
            .for_each(|mention| self.service_areas.push(at, mention));
        self.labels.push(at, entry);
        self.review_nos.push(entry.indexed_no());
        self.packed_analysis(
            at,
            entry.packed_analysis.as_ref().map(PackedAnalysis::borrowed),
        );
    }

    /// Adds the next review as another segment has it.
    pub fn push_from(&mut self, segment: &Segment, index: usize) {
        let (start, end) = segment.folded_bounds(index);
        let folded = &segment.folded()[start..end - 1];
        let (days, stars) = (segment.days[index], segment.stars[index]);
        self.columns(
            segment.id(index),
            days,
            stars,
            &segment.json_of(index),
            folded,
        );
        let at = self.days.len() - 1;
        segment
            .technicians
            .at(index)
            .for_each(|mention| self.technicians.push(at, mention));
        segment
            .services
            .at(index)
            .for_each(|mention| self.services.push(at, mention));
        segment
            .service_areas
            .at(index)
            .for_each(|mention| self.service_areas.push(at, mention));
        self.labels.push_from(at, &segment.labels, index);
        self.review_nos.push(segment.review_nos[index]);
        self.packed_analysis(at, segment.packed_analysis(index));
    }

    fn packed_analysis(&mut self, at: usize, packed_analysis: Option<PackedAnalysisRef<'_>>) {
        match packed_analysis {
            Some(packed_analysis) => self.analyses.push(packed_analysis),
            None => self.unanalyzed.push(u32::try_from(at).unwrap_or(u32::MAX)),
        }
    }

    fn columns(&mut self, id: &str, day: i32, stars: u8, json: &[u8], folded: &[u8]) {
        self.json.push(json, b",");
        self.folded.push(folded, &[SEPARATOR]);
        self.ids.push(id.as_bytes(), b"");
        self.days.push(day);
        self.stars.push(stars);
        self.with_text += u64::from(!folded.is_empty());
        if let Ok(rating) = Rating::try_from(i64::from(stars)) {
            self.rating_counts.count(rating);
        }
    }

    /// The finished segment; this builder is empty again, and keeps its room: what grows is copied
    /// once, into just the room it needs.
    #[must_use]
    pub fn finish(&mut self) -> Segment {
        let segment = Segment {
            digest: Sha256::digest(&self.json.bytes).into(),
            json: Bytes::copy_from_slice(&self.json.bytes),
            json_ends: self.json.ends.clone(),
            folded: self.folded.clone(),
            ids: self.ids.clone(),
            days: self.days.clone(),
            stars: self.stars.clone(),
            technicians: std::mem::take(&mut self.technicians),
            services: std::mem::take(&mut self.services),
            service_areas: std::mem::take(&mut self.service_areas),
            labels: std::mem::take(&mut self.labels),
            review_nos: self.review_nos.clone(),
            analyses: self.analyses.clone(),
            unanalyzed: std::mem::take(&mut self.unanalyzed),
            rating_counts: std::mem::take(&mut self.rating_counts),
            with_text: std::mem::take(&mut self.with_text),
            opinions: OnceLock::new(),
            prefix_digests: OnceLock::new(),
        };
        [&mut self.json, &mut self.folded, &mut self.ids]
            .into_iter()
            .for_each(PackedStrings::clear);
        self.days.clear();
        self.stars.clear();
        self.review_nos.clear();
        self.analyses.clear();
        segment
    }
}
