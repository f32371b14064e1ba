//! Which of a segment's reviews speak of which aspect, and how. Made of its packed analyses when
//! somebody first asks, and kept with the segment: a search for an aspect is then a walk over
//! positions.

use crate::insights::PackedAnalysisRef;
use crate::insights::aggregate::{Vote, Votes, vote_of};

/// How a segment's reviews speak of each aspect of a trade.
#[derive(Debug, Default)]
pub struct Opinions {
    votes: Vec<Votes>,
    positions: Vec<AspectPositions>,
}

/// The reviews that speak of one aspect.
#[derive(Debug, Default)]
struct AspectPositions {
    /// Indices of reviews in the segment, ascending.
    positions: Vec<u32>,
    /// Of each of them.
    votes: Vec<Vote>,
}

impl Opinions {
    /// Those of reviews (index and packed analysis, ascending) on so many aspects.
    #[must_use]
    pub fn new<'a>(
        analyses: impl Iterator<Item = (usize, PackedAnalysisRef<'a>)>,
        aspects: usize,
    ) -> Self {
        let mut votes = vec![Votes::default(); aspects];
        let mut positions: Vec<AspectPositions> = Vec::new();
        positions.resize_with(aspects, AspectPositions::default);
        for (index, analysis) in analyses {
            for ((aspect, votes), spoken) in (0..).zip(&mut votes).zip(&mut positions) {
                if let Some(vote) = vote_of(analysis, aspect) {
                    votes.count(vote);
                    spoken
                        .positions
                        .push(u32::try_from(index).unwrap_or(u32::MAX));
                    spoken.votes.push(vote);
                }
            }
        }
        for spoken in &mut positions {
            spoken.positions.shrink_to_fit();
            spoken.votes.shrink_to_fit();
        }
        Self { votes, positions }
    }

    /// How many speak how, by aspect.
    #[must_use]
    pub fn votes(&self) -> &[Votes] {
        &self.votes
    }

    /// Where the reviews stand that speak of an aspect, ascending; nothing where none does.
    #[must_use]
    pub fn positions(&self, aspect: u8) -> &[u32] {
        self.positions
            .get(usize::from(aspect))
            .map_or(&[], |spoken| &spoken.positions)
    }

    /// Where those stand that speak of it so, ascending.
    pub fn positions_of(&self, aspect: u8, vote: Vote) -> impl Iterator<Item = u32> {
        let spoken = self.positions.get(usize::from(aspect)).into_iter();
        spoken.flat_map(move |spoken| {
            spoken
                .positions
                .iter()
                .zip(&spoken.votes)
                .filter(move |(_, its)| **its == vote)
                .map(|(position, _)| *position)
        })
    }
}
