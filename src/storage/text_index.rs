//! The question of a search to SQLite's FTS5 (<https://www.sqlite.org/fts5.html>): which reviews may have a text. The index
//! has trigrams, so it finds parts of at least three characters.

use super::columns::Text;
use super::database::Database;
use super::error::{AtPath as _, DbError};
use super::reviews::DatabasePosition;

/// Maximum number of candidates, also in the statement: one more than a search counts.
const CANDIDATES_MAX: usize = 1_001;
/// Maximum number of trigrams of a question, because each takes time.
const TRIGRAMS_MAX: usize = 12;
const TRIGRAM_LETTERS: usize = 3;

impl Database {
    /// The numbers of all reviews whose text may have each of `parts`, and of those that changed after `position`; in no
    /// particular order. Texts must be ASCII without NUL to be found; `parts` are.
    ///
    /// `None` if the index cannot tell: no part has three letters, there are [`CANDIDATES_MAX`] or more, or `position` is no
    /// earlier state of this database.
    ///
    /// # Errors
    /// If the database or its index cannot be read now.
    pub async fn text_candidates(
        &self,
        parts: &[&str],
        position: &DatabasePosition,
    ) -> Result<Option<Vec<i64>>, DbError> {
        let expression = expression(parts);
        if expression.is_empty() {
            return Ok(None);
        }
        let searchers = self.searchers()?;
        // One statement, so one state of the database; one row, because each costs a message between threads.
        // The limits are no parameters: SQLite would plan the statement again for each value that is bound to them, which takes as
        // long as the search.
        let row = sqlx::query!(
            r#"select coalesce((select lineage_id from instance), '') as "lineage!: Text",
                 coalesce((select max(change_no) from review_change), 0) as "change_no!: i64",
                 (select json_group_array(review_no) from (
                    select * from (select rowid as review_no from review_fts where review_fts match ?1 limit 1001)
                    union all
                    select * from (select review_no from review_change where change_no > ?2 limit 1001))) as "review_nos!: Text""#,
            expression,
            position.change_no,
        );
        let row = row.fetch_one(&searchers).await.at(self.path())?;
        let is_later =
            row.lineage.as_ref() == position.lineage && row.change_no >= position.change_no;
        let review_nos = Vec::from(row.review_nos);
        Ok(Some(review_nos).filter(|found| is_later && found.len() < CANDIDATES_MAX))
    }

    /// Indexes all texts again if the index has lost or gained rows, as by `delete from review_fts`, or is damaged: it then does not
    /// find the beginning of the newest text that has one, or cannot be read. Returns whether it did.
    ///
    /// # Errors
    /// If the database cannot be read or written now.
    pub async fn complete_text_index(&self) -> Result<bool, DbError> {
        let path = self.path();
        let mut reader = self.reader().await?;
        let is_sound = sqlx::query_scalar!(
            r#"with newest (review_no, part) as (
                 select c.review_no, '"' || replace(substr(r.text, 1, 3), '"', '""') || '"'
                 from review_change as c join review as r using (review_id)
                 where length(r.text) > 2 order by c.review_no desc limit 1)
               select (select count(*) from review join review_change using (review_id))
                 = (select count(*) from review_fts_docsize)
                 and (not exists (select 1 from newest) or exists (
                   select 1 from review_fts where review_fts match (select part from newest)
                     and rowid = (select review_no from newest))) as "is!: bool""#
        )
        .fetch_one(&mut *reader)
        .await;
        drop(reader);
        if is_sound.unwrap_or(false) {
            return Ok(false);
        }
        let mut write = self.write().await?;
        let index = async {
            // Of a damaged index no row can be deleted.
            execute!(
                &mut write,
                "insert into review_fts (review_fts) values ('rebuild')"
            )?;
            execute!(&mut write, "delete from review_fts")?;
            execute!(
                &mut write,
                "insert into review_fts (rowid, text, review_id)
                 select review_no, text, review_id from review join review_change using (review_id)"
            )?;
            write.commit().await
        };
        index.await.at(path)?;
        tracing::warn!(
            "search.index_rebuilt: the text index was damaged or lacked rows; all texts were indexed again"
        );
        Ok(true)
    }
}

/// Each part, or its beginning, as a phrase; all of them must occur.
fn expression(parts: &[&str]) -> String {
    let (mut phrases, mut trigrams) = (Vec::new(), TRIGRAMS_MAX);
    for part in parts {
        let count = part.len().saturating_sub(TRIGRAM_LETTERS - 1).min(trigrams);
        if count > 0 {
            let phrase = &part[..count + TRIGRAM_LETTERS - 1];
            phrases.push(format!("\"{}\"", phrase.replace('"', "\"\"")));
            trigrams -= count;
        }
    }
    phrases.join(" ")
}
