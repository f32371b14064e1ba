//! The commands `reviews business` and `reviews editorial`: each shows what is stored, or merges a file into it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use sqlx::SqliteConnection;

use super::database::{change, existing_address, read};
use super::init::{format_summary, store_business};
use super::report::{Exit, print_result};
use crate::clock::Clock;
use crate::config::DatabaseConfig;
use crate::model::business::{Business, Editorial};
use crate::owner::OwnerFile;
use crate::storage;
use crate::storage::Database;
use crate::wire;

/// Show the business, or merge a business.json into it: facts, services, technicians, areas
#[derive(Debug, Args)]
pub struct BusinessCommand {
    /// A business.json to merge: missing members stay, null removes a member, a list replaces the whole list; without FILE, print
    /// the business in this format
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Replace the business with FILE: members that FILE lacks are removed, except time_zone and publish_staff
    #[expect(clippy::doc_markdown, reason = "`--help` prints it as it is")]
    #[arg(long, requires = "file")]
    replace: bool,
}

impl BusinessCommand {
    pub(super) async fn run(self, config: &DatabaseConfig, clock: &Clock) -> anyhow::Result<Exit> {
        let Some(file) = &self.file else {
            return show(config).await;
        };
        let (address, file) = (config.address()?, OwnerFile::read(file)?);
        change(&address, async |database| {
            self.load(&file, address.file(), database, clock).await
        })
        .await
    }

    /// Writes the business of the file and returns the report.
    async fn load(
        &self,
        file: &OwnerFile,
        path: &Path,
        database: &Database,
        clock: &Clock,
    ) -> anyhow::Result<String> {
        let mut write = database.write_as_owner().await?;
        let known = storage::business::find(write.for_reading()).await?;
        let loaded = file.business(known.as_ref(), self.replace)?;
        let stored_zone = storage::business::time_zone(write.for_reading()).await?;
        let is_zone_known = file.says("time_zone") || stored_zone.is_some();
        store_business(&mut write, known.as_ref(), &loaded, is_zone_known, clock).await?;
        write.commit().await?;
        let difference = difference(
            &business_json(known.as_ref())?,
            &business_json(Some(&loaded))?,
        );
        let summary = format_summary(&loaded, is_zone_known, path);
        Ok(summary + &difference)
    }
}

async fn show(config: &DatabaseConfig) -> anyhow::Result<Exit> {
    let Some(business) = read(config, read_own_business).await? else {
        anyhow::bail!("no business yet; create it with `reviews init --name NAME`")
    };
    let mut text = serde_json::to_string_pretty(&business)?;
    text.push('\n');
    print_result(&text)
}

/// The business as in a file. A time zone that was never set is left out, because the file would set it.
pub(super) async fn read_own_business(
    connection: &mut SqliteConnection,
) -> sqlx::Result<Option<wire::Business>> {
    let Some(business) = storage::business::find(&mut *connection).await? else {
        return Ok(None);
    };
    let mut own = wire::Business::from(&business);
    if storage::business::time_zone(connection).await?.is_none() {
        own.time_zone.clear();
    }
    Ok(Some(own))
}

/// The business in the format of a file; an empty object if there is none.
fn business_json(business: Option<&Business>) -> serde_json::Result<Value> {
    let value = business.map(|business| serde_json::to_value(wire::Business::from(business)));
    value.unwrap_or_else(|| Ok(Value::Object(serde_json::Map::new())))
}

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
            let editorial = read(config, storage::business::editorial).await?;
            return print_result(&format!("{:#}\n", editorial_json(&editorial)));
        };
        let file = OwnerFile::read(file)?;
        change(&existing_address(config)?, async |database| {
            load_editorial(&file, database).await
        })
        .await
    }
}

/// Merges the file and returns the difference.
async fn load_editorial(file: &OwnerFile, database: &Database) -> anyhow::Result<String> {
    let mut write = database.write_as_owner().await?;
    let known = storage::business::editorial(write.for_reading()).await?;
    let loaded = file.editorial(&known)?;
    if loaded != known {
        storage::business::replace_editorial(&mut write, &loaded).await?;
    }
    write.commit().await?;
    Ok(difference(
        &editorial_json(&known),
        &editorial_json(&loaded),
    ))
}

/// The editorial texts in the format of a file.
pub(super) fn editorial_json(editorial: &Editorial) -> Value {
    let mut members = json!({ "faq": editorial.faq });
    if let Some(text) = &editorial.summary {
        members["summary"] = json!({ "text": text });
    }
    members
}

/// The differences of two objects by member: `-` before, `+` after.
fn difference(before: &Value, after: &Value) -> String {
    let names: BTreeSet<&String> = [before, after]
        .into_iter()
        .filter_map(Value::as_object)
        .flat_map(serde_json::Map::keys)
        .collect();
    let mut text = String::new();
    for name in names {
        let (was, is) = (&before[name], &after[name]);
        if was == is {
            continue;
        }
        let (was, is) = (elements(was), elements(is));
        let gone = was.iter().filter(|value| !is.contains(value));
        let new = is
            .iter()
            .filter(|value| !was.contains(value))
            .map(|value| ('+', value));
        let lines: Vec<_> = gone.map(|value| ('-', value)).chain(new).collect();
        if lines.is_empty() {
            let _ = writeln!(text, "~ {name} in another order");
        }
        for (sign, value) in lines {
            let _ = writeln!(text, "{sign} {name} {value}");
        }
    }
    if text.is_empty() {
        text.push_str("nothing changed\n");
    }
    text
}

/// The elements of a list; any other value as the only element; none for null.
fn elements(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(elements) => elements.iter().collect(),
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => vec![value],
    }
}
