//! The packed analyses of a segment of reviews, one behind the other.

use super::packed_analysis::{PackedAnalysisRef, PackedFinding, PackedHead, PackedName};

/// Packed analyses one behind the other, without room between them: what a segment of reviews
/// keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedAnalyses {
    heads: Vec<(PackedHead, [u32; 3])>,
    findings: Vec<PackedFinding>,
    names: Vec<PackedName>,
    phrases: Vec<u32>,
}

impl PackedAnalyses {
    /// Adds a packed analysis behind the others.
    pub fn push(&mut self, packed_analysis: PackedAnalysisRef<'_>) {
        self.findings.extend_from_slice(packed_analysis.findings);
        self.names.extend_from_slice(packed_analysis.names);
        self.phrases.extend_from_slice(packed_analysis.phrases);
        // More than 4 billion marks do not fit into the memory of a segment's other columns either.
        let ends = [self.findings.len(), self.names.len(), self.phrases.len()];
        self.heads.push((
            packed_analysis.head,
            ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)),
        ));
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The packed analysis at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> PackedAnalysisRef<'_> {
        let (head, ends) = self.heads[index];
        let starts = if index == 0 {
            [0; 3]
        } else {
            self.heads[index - 1].1
        };
        let range = |column: usize| starts[column] as usize..ends[column] as usize;
        PackedAnalysisRef {
            head,
            findings: &self.findings[range(0)],
            names: &self.names[range(1)],
            phrases: &self.phrases[range(2)],
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = PackedAnalysisRef<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The phrases of all of them, one behind the other.
    #[must_use]
    pub fn phrases(&self) -> &[u32] {
        &self.phrases
    }

    /// Which packed analysis has the phrase at `place` of [`PackedAnalyses::phrases`], given that
    /// it is `from` or one soon after.
    #[must_use]
    pub fn with_phrase(&self, place: usize, from: usize) -> usize {
        from + self.heads[from..]
            .iter()
            .take_while(|(_, [.., end])| *end as usize <= place)
            .count()
    }

    /// Removes all, and keeps the room.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.findings.clear();
        self.names.clear();
        self.phrases.clear();
    }
}
