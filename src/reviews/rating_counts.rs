//! Counting stars.

use super::review::Rating;

/// How many reviews have how many stars. Tallies of parts add up to the tally of the whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RatingCounts {
    /// Counts of one star to five stars.
    by_stars: [u64; 5],
}

impl RatingCounts {
    /// Counts one more review.
    pub fn count(&mut self, rating: Rating) {
        self.by_stars[usize::from(rating.stars()) - 1] += 1;
    }

    /// Adds another tally to this one.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.by_stars.iter_mut().zip(other.by_stars) {
            *mine += theirs;
        }
    }

    /// How many reviews there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_stars.iter().sum()
    }

    /// Counts of one star to five stars.
    #[must_use]
    pub const fn by_stars(&self) -> [u64; 5] {
        self.by_stars
    }

    /// The mean in hundredths of a star, rounded half away from zero; `None` for no reviews.
    #[must_use]
    pub fn mean_hundredths(&self) -> Option<u64> {
        let total = self.total();
        let stars: u64 = (1..)
            .zip(self.by_stars)
            .map(|(stars, count): (u64, u64)| stars * count)
            .sum();
        // floor(x + 1/2) with whole numbers; every rating is positive, so up is away from zero.
        (total > 0).then(|| (200 * stars + total) / (2 * total))
    }
}

#[cfg(test)]
mod tests {
    use super::RatingCounts;

    fn rating_counts(by_stars: [u64; 5]) -> RatingCounts {
        RatingCounts { by_stars }
    }

    #[test]
    fn the_mean_is_rounded_half_away_from_zero() {
        assert_eq!(rating_counts([0; 5]).mean_hundredths(), None);
        assert_eq!(rating_counts([0, 0, 0, 0, 3]).mean_hundredths(), Some(500));
        // 4.125 and 4.375 are halves exactly.
        assert_eq!(rating_counts([0, 0, 0, 7, 1]).mean_hundredths(), Some(413));
        assert_eq!(rating_counts([0, 0, 0, 5, 3]).mean_hundredths(), Some(438));
        // 1.005 over 200 reviews: a float would say 1.00.
        assert_eq!(
            rating_counts([199, 1, 0, 0, 0]).mean_hundredths(),
            Some(101)
        );
        assert_eq!(rating_counts([1, 0, 0, 0, 2]).mean_hundredths(), Some(367));
    }
}
