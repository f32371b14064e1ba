//! The editorial texts: rows that only the owner changes.

use sqlx::SqliteConnection;

use super::warn_oversized;
use crate::model::business::{Editorial, FaqEntry};
use crate::storage::{Text, Write};

/// # Errors
/// When the database cannot be read.
pub async fn editorial(connection: &mut SqliteConnection) -> sqlx::Result<Editorial> {
    let summary = sqlx::query_scalar!(
        r#"select text as "text: Text" from editorial_summary where octet_length(text) <= 65536"#
    )
    .fetch_optional(&mut *connection)
    .await?;
    report_oversized(connection).await?;
    let faq = sqlx::query!(
        r#"select faq_id as "id: Text", question as "question: Text", answer as "answer: Text"
           from editorial_faq
           where max(octet_length(faq_id), octet_length(question), octet_length(answer)) <= 65536 order by position, faq_id"#
    )
    .fetch_all(connection)
    .await?
    .into_iter()
    .map(|row| FaqEntry {
        id: row.id.into(),
        question: row.question.into(),
        answer: row.answer.into(),
    })
    .collect();
    Ok(Editorial {
        summary: summary.map(String::from),
        faq,
    })
}

/// Warns of texts that were left out because they are too long.
async fn report_oversized(connection: &mut SqliteConnection) -> sqlx::Result<()> {
    let names = sqlx::query_scalar!(
        r#"select group_concat(name, ', ') as "names: Text" from (
             select 'editorial_summary' as name from editorial_summary where octet_length(text) > 65536
             union all select 'editorial_faq ' || substr(faq_id, 1, 40) from editorial_faq
               where max(octet_length(faq_id), octet_length(question), octet_length(answer)) > 65536
             limit 20)"#
    )
    .fetch_one(connection)
    .await?;
    warn_oversized(names, "texts");
    Ok(())
}

/// # Errors
/// When the database refuses the write.
pub async fn replace_editorial(write: &mut Write, editorial: &Editorial) -> sqlx::Result<()> {
    sqlx::query!("delete from editorial_summary")
        .execute(&mut **write)
        .await?;
    if let Some(text) = &editorial.summary {
        sqlx::query!("insert into editorial_summary (text) values (?)", text)
            .execute(&mut **write)
            .await?;
    }
    sqlx::query!("delete from editorial_faq")
        .execute(&mut **write)
        .await?;
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
