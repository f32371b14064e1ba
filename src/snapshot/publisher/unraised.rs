//! What a process shows that raises no versions, because another one of its cluster does (CONTRACT §9).

use chrono::{DateTime, SubsecRound as _, Utc};

use crate::snapshot::current::Snapshot;
use crate::snapshot::document::Document;
use crate::snapshot::publication::Publication;

/// What each document is shown as that was rendered with these digests, and whether its row in `out` is of these bytes: under
/// the row's version where it is, and otherwise dated no later than what is out, so that no date goes back when the row
/// comes.
pub(super) fn unraised(
    digests: &[String],
    previous: Option<&Snapshot>,
    out: &[Option<Publication>],
    now: DateTime<Utc>,
) -> Vec<(Publication, bool)> {
    let shown = Document::ALL.into_iter().zip(digests).zip(out);
    let shown = shown.map(|((document, digest), row)| {
        let said = previous.map(|previous| &previous.document(document).publication);
        one(digest, said, row.as_ref(), now)
    });
    shown.collect()
}

fn one(
    digest: &str,
    said: Option<&Publication>,
    row: Option<&Publication>,
    now: DateTime<Utc>,
) -> (Publication, bool) {
    if let Some(row) = row.filter(|row| row.digest == digest) {
        return (row.clone(), true);
    }
    let known = || said.into_iter().chain(row);
    let changed_at = known().map(|one| one.changed_at).max();
    let publication = Publication {
        version: known().map(|one| one.version).max().unwrap_or(0),
        digest: digest.to_owned(),
        changed_at: changed_at.unwrap_or_else(|| now.trunc_subsecs(3)),
        is_same_second: false,
    };
    (publication, false)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::one;
    use crate::snapshot::publication::Publication;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn row(version: i64, digest: &str, second: i64) -> Publication {
        Publication {
            version,
            digest: digest.to_owned(),
            changed_at: at(second),
            is_same_second: false,
        }
    }

    #[test]
    fn a_row_of_these_bytes_is_what_is_said() {
        let (said, out) = (row(3, "old", 10), row(4, "new", 20));
        let (shown, is_confirmed) = one("new", Some(&said), Some(&out), at(50));
        assert_eq!((shown, is_confirmed), (out, true));
    }

    #[test]
    fn what_was_rendered_ahead_of_the_row_is_dated_no_later_than_what_is_out() {
        let (said, out) = (row(3, "old", 10), row(3, "old", 10));
        let (shown, is_confirmed) = one("new", Some(&said), Some(&out), at(50));
        assert!(!is_confirmed);
        assert_eq!((shown.version, shown.changed_at), (3, at(10)));
        let (shown, _) = one("new", None, None, at(50));
        assert_eq!((shown.version, shown.changed_at), (0, at(50)));
    }
}
