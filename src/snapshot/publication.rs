//! Decides when a document gets a new version. Pure policy: a version that subscribers may have is never reused, and no
//! date goes back, even if rows are deleted or altered.

use chrono::{DateTime, SubsecRound, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Incremented with every change of the bytes.
    pub version: i64,
    /// The digest of the document's content.
    pub digest: String,
    /// The last change of the bytes; never goes back.
    pub changed_at: DateTime<Utc>,
    /// Whether the previous change was within the same second.
    pub is_same_second: bool,
}

impl Publication {
    /// The publication of a document with this digest, and whether its row must be written first. `said` is the last
    /// publication of this process, `row` the stored one, and `delivered` the newest version that a subscriber has.
    ///
    /// A row older than `said` was deleted, altered or restored from a copy, and is written again. A row with other
    /// bytes although ours have not changed belongs to a process that serves the same file under another base URL: two
    /// writers would never settle, so the row stays and its version applies.
    #[must_use]
    pub fn due(
        digest: &str,
        said: Option<&Self>,
        row: Option<&Self>,
        delivered: i64,
        now: DateTime<Utc>,
    ) -> (Self, bool) {
        let unchanged = said.filter(|said| said.digest == digest);
        if let Some(row) = row.filter(|row| !row.is_behind(said)) {
            if row.digest == digest {
                return (row.clone(), false);
            }
            if let Some(said) = unchanged {
                let version = row.version;
                return (
                    Self {
                        version,
                        ..said.clone()
                    },
                    false,
                );
            }
        }
        let version = said.iter().chain(&row).map(|one| one.version).max();
        let changed_at = said.iter().chain(&row).map(|one| one.changed_at).max();
        if let (Some(said), Some(version), Some(changed_at)) = (unchanged, version, changed_at) {
            let publication = Self {
                version,
                changed_at,
                ..said.clone()
            };
            return (publication, true);
        }
        // In the stored precision, so that it reads back equal. The clock may go back, but published dates may not.
        let now = changed_at
            .map_or(now, |last| last.max(now))
            .trunc_subsecs(3);
        let publication = Self {
            version: version.unwrap_or(0).max(delivered) + 1,
            digest: digest.to_owned(),
            changed_at: now,
            is_same_second: changed_at.is_some_and(|last| last.timestamp() == now.timestamp()),
        };
        (publication, true)
    }

    /// Whether this row is older than this process's last publication.
    #[must_use]
    pub fn is_behind(&self, said: Option<&Self>) -> bool {
        said.is_some_and(|said| self.version < said.version || self.changed_at < said.changed_at)
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::Publication;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    /// The version and the second, in short.
    fn out(version: i64, digest: &str, second: i64) -> Publication {
        Publication {
            version,
            digest: digest.to_owned(),
            changed_at: at(second),
            is_same_second: false,
        }
    }

    #[test]
    fn what_is_due_follows_from_what_was_said_and_what_the_row_says() {
        let (nothing, row) = (|out| (out, false), |out| (out, true));
        for (case, said, stored, due) in [
            ("never published", None, None, row(out(1, "a", 50))),
            (
                "out since before we began",
                None,
                Some(out(3, "a", 10)),
                nothing(out(3, "a", 10)),
            ),
            (
                "changed while we were down",
                None,
                Some(out(3, "b", 10)),
                row(out(4, "a", 50)),
            ),
            (
                "as it was",
                Some(out(3, "a", 10)),
                Some(out(3, "a", 10)),
                nothing(out(3, "a", 10)),
            ),
            (
                "changed",
                Some(out(3, "b", 10)),
                Some(out(3, "b", 10)),
                row(out(4, "a", 50)),
            ),
            (
                "somebody was quicker",
                Some(out(3, "b", 10)),
                Some(out(4, "a", 40)),
                nothing(out(4, "a", 40)),
            ),
            (
                "there and back again, seen by others alone",
                Some(out(3, "a", 10)),
                Some(out(5, "a", 40)),
                nothing(out(5, "a", 40)),
            ),
            ("deleted", Some(out(3, "a", 10)), None, row(out(3, "a", 10))),
            (
                "deleted and changed",
                Some(out(3, "b", 10)),
                None,
                row(out(4, "a", 50)),
            ),
            (
                "its version altered",
                Some(out(3, "a", 10)),
                Some(out(1, "a", 10)),
                row(out(3, "a", 10)),
            ),
            (
                "its date altered",
                Some(out(3, "a", 10)),
                Some(out(3, "a", 1)),
                row(out(3, "a", 10)),
            ),
            (
                "restored to what it was before",
                Some(out(5, "b", 40)),
                Some(out(3, "a", 10)),
                row(out(6, "a", 50)),
            ),
            (
                "another base URL",
                Some(out(3, "a", 10)),
                Some(out(4, "z", 20)),
                nothing(out(4, "a", 10)),
            ),
            (
                "another base URL, and a change",
                Some(out(3, "b", 10)),
                Some(out(4, "z", 20)),
                row(out(5, "a", 50)),
            ),
        ] {
            assert_eq!(
                Publication::due("a", said.as_ref(), stored.as_ref(), 0, at(50)),
                due,
                "{case}"
            );
        }
    }

    #[test]
    fn the_date_does_not_go_back_with_the_clock() {
        let stored = out(3, "b", 90);
        let due = Publication::due("a", None, Some(&stored), 0, at(50));
        assert_eq!(
            due,
            (
                Publication {
                    is_same_second: true,
                    ..out(4, "a", 90)
                },
                true
            )
        );
    }

    #[test]
    fn a_version_that_somebody_has_is_not_given_again() {
        assert_eq!(
            Publication::due("a", None, None, 7, at(50)),
            (out(8, "a", 50), true)
        );
    }
}
