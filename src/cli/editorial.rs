//! The command `reviews editorial`: shows the business's own texts, or merges a file into them.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::business::difference;
use super::database::{change, existing_address, read};
use super::report::{Exit, print_result};
use crate::config::DatabaseConfig;
use crate::imports::seed::OwnerFile;
use crate::model::business::{Editorial, FaqEntry};
use crate::storage::Database;
use crate::storage::business;

/// Show your own FAQ and summary, or load them from an editorial.json
#[derive(Debug, Args)]
pub struct EditorialCommand {
    /// An editorial.json, {"summary": {"text"}, "faq": [{"question", "answer"}]}: missing members stay, null removes a
    /// member, a list replaces the whole list; an entry may have an "id", else it is made of the question
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl EditorialCommand {
    pub(super) async fn run(self, config: &DatabaseConfig) -> anyhow::Result<Exit> {
        let Some(file) = &self.file else {
            return show(config).await;
        };
        let file = OwnerFile::read_editorial(file)?;
        change(&existing_address(config)?, async |database| {
            load(&file, database).await
        })
        .await
    }
}

/// Merges the file and returns the difference.
async fn load(file: &OwnerFile, database: &Database) -> anyhow::Result<String> {
    let mut write = database.write_as_owner().await?;
    let known = business::editorial(write.for_reading()).await?;
    let loaded = file.merged_editorial(&known)?;
    if loaded != known {
        business::replace_editorial(&mut write, &loaded).await?;
    }
    write.commit().await?;
    Ok(difference(&as_json(&known), &as_json(&loaded)))
}

async fn show(config: &DatabaseConfig) -> anyhow::Result<Exit> {
    let editorial = read(config, business::editorial).await?;
    print_result(&format!("{:#}\n", as_json(&editorial)))
}

/// The editorial texts in the format of a file.
pub(super) fn as_json(editorial: &Editorial) -> Value {
    let mut members = Map::new();
    if let Some(text) = &editorial.summary {
        members.insert("summary".to_owned(), json!({ "text": text }));
    }
    let entry = |entry: &FaqEntry| json!({ "id": entry.id, "question": entry.question, "answer": entry.answer });
    members.insert("faq".to_owned(), editorial.faq.iter().map(entry).collect());
    Value::Object(members)
}
