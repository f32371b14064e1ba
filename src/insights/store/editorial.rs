//! The firm's own texts: rows that nothing derives and nothing but the firm changes.

use sqlx::{Sqlite, SqliteConnection, Transaction};

use crate::db::Text;
use crate::insights::editorial::{Editorial, Question};

/// The editorial texts.
///
/// # Errors
/// When the database cannot be read.
pub async fn editorial(connection: &mut SqliteConnection) -> sqlx::Result<Editorial> {
    let summary =
        sqlx::query_scalar!(r#"select text as "text: Text" from editorial_summary"#).fetch_optional(&mut *connection).await?;
    let faq = sqlx::query!(
        r#"select faq_id as "id: Text", question as "question: Text", answer as "answer: Text"
           from editorial_faq order by position, faq_id"#
    )
    .fetch_all(connection)
    .await?
    .into_iter()
    .map(|row| Question { id: row.id.into(), question: row.question.into(), answer: row.answer.into() })
    .collect();
    Ok(Editorial { summary: summary.map(String::from), faq })
}

/// Puts `editorial` in the place of what is there.
///
/// # Errors
/// When the database refuses it.
pub async fn replace_editorial(write: &mut Transaction<'static, Sqlite>, editorial: &Editorial) -> sqlx::Result<()> {
    sqlx::query!("delete from editorial_summary").execute(&mut **write).await?;
    if let Some(text) = &editorial.summary {
        sqlx::query!("insert into editorial_summary (text) values (?)", text).execute(&mut **write).await?;
    }
    sqlx::query!("delete from editorial_faq").execute(&mut **write).await?;
    for (position, entry) in (0_i64..).zip(&editorial.faq) {
        sqlx::query!(
            "insert into editorial_faq (faq_id, position, question, answer) values (?, ?, ?, ?)",
            entry.id,
            position,
            entry.question,
            entry.answer,
        )
        .execute(&mut **write)
        .await?;
    }
    Ok(())
}
