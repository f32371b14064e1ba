//! Resolves a command's argument to a review: its ID, a unique prefix of it, or its permalink.

use std::path::Path;

use anyhow::bail;
use sqlx::SqliteConnection;
use url::Url;

use crate::model::ReviewId;
use crate::model::business::nearest;
use crate::storage::DbError;
use crate::storage::reviews;

/// Maximum number of IDs in the error about an ambiguous prefix.
const NAMED_MAX: i64 = 5;
/// Number of IDs per query in the search for the nearest ones.
const COMPARED: i64 = 5_000;

/// The ID of the row that `given` names in the database at `path`, including rows that are not valid reviews and have
/// invalid IDs.
///
/// # Errors
/// If it matches no row, several, or a deleted review.
pub(super) async fn row_id(
    connection: &mut SqliteConnection,
    path: &Path,
    given: &str,
) -> anyhow::Result<String> {
    let fault = |error| DbError::at(path, error);
    let text = id_of(given);
    if let Ok(id) = text.parse::<ReviewId>() {
        let known = reviews::standing(connection, &[id.as_str()])
            .await
            .map_err(fault)?;
        if known.reviews.contains_key(id.as_str()) {
            return Ok(text);
        }
        if known.deleted.contains(id.as_str()) {
            bail!(
                "the review {id} was deleted; `reviews import FILE --restore` brings it back from a file that has it"
            );
        }
    }
    let fitting = reviews::ids_with_prefix(connection, &text, NAMED_MAX + 1)
        .await
        .map_err(fault)?;
    match fitting.as_slice() {
        [one] => return Ok(one.clone()),
        [first, ..] if *first == text => return Ok(text),
        [] => {}
        several => {
            let named = usize::try_from(NAMED_MAX)?;
            let more = if several.len() > named {
                " and others"
            } else {
                ""
            };
            let named: Vec<&str> = several.iter().take(named).map(String::as_str).collect();
            bail!(
                "{text} is the beginning of several IDs: {}{more}; give more characters, `reviews list` shows the IDs",
                named.join(", ")
            );
        }
    }
    match nearest_id(connection, &text).await.map_err(fault)? {
        Some(near) => {
            bail!("no review {text}; the nearest ID is {near}; `reviews list` shows the IDs")
        }
        None => bail!(
            "no review {text}, and the database has no reviews; `reviews import FILE` adds some"
        ),
    }
}

/// The ID in a permalink or a review's JSON URL; any other text unchanged.
fn id_of(given: &str) -> String {
    let given = given.trim();
    let path = match Url::parse(given) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url.path().to_owned(),
        Ok(_) | Err(_) => given.to_owned(),
    };
    path.rsplit_once("/reviews/")
        .or_else(|| path.split_once("reviews/"))
        .map_or(path.as_str(), |(_, id)| id)
        .trim_end_matches('/')
        .to_owned()
}

async fn nearest_id(connection: &mut SqliteConnection, text: &str) -> sqlx::Result<Option<String>> {
    let (mut best, mut last) = (None::<String>, String::new());
    loop {
        let ids = reviews::present_after(connection, &last, COMPARED).await?;
        let Some(end) = ids.last() else {
            return Ok(best);
        };
        last.clone_from(end);
        let compared = best.iter().chain(&ids).map(String::as_str);
        best = nearest(text, compared).map(str::to_owned);
    }
}

#[cfg(test)]
mod tests {
    use super::id_of;

    #[test]
    fn a_permalink_names_its_review() {
        for given in [
            "r-1.a",
            " r-1.a\n",
            "https://reviews.example.com/reviews/r-1.a",
            "https://example.com/of/us/reviews/r-1.a/?utm=1#top",
            "http://127.0.0.1:8080/api/reviews/r-1.a",
            "/reviews/r-1.a",
            "reviews/r-1.a",
        ] {
            assert_eq!(id_of(given), "r-1.a", "{given}");
        }
    }
}
