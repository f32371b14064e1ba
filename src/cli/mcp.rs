//! The command `reviews mcp`.

use anyhow::Context;
use clap::Args;
use tokio::io::{BufReader, stdin, stdout};

use super::{Exit, insights};
use crate::app::{App, HubOptions};
use crate::clock::Clock;
use crate::config::{DatabaseAddress, DatabaseConfig, ServeConfig};
use crate::snapshot::Publisher;
use crate::storage::{Database, DbError};

/// Run an MCP server on standard input and output for a local AI agent
#[derive(Debug, Args)]
pub struct McpCommand {
    // The settings of `serve`, of which links and trade are used.
    #[command(flatten)]
    config: ServeConfig,
}

impl McpCommand {
    pub(super) async fn run(self, database: DatabaseConfig, clock: Clock) -> anyhow::Result<Exit> {
        let address = database.address()?;
        // An agent that is started in the wrong folder must not create a database there.
        if let DatabaseAddress::File(path) = &address
            && !path.exists()
        {
            return Err(DbError::Missing(path.clone()).into());
        }
        let links = self.config.links(self.config.listen.public)?;
        let engines = insights::load(&self.config.trade)?;
        let hub = HubOptions::new(self.config.hub.clone())?;
        let (database, migrated) = Database::open_at(&address).await?;
        for name in &migrated.applied {
            tracing::info!("database.migrated: applied {name}");
        }
        let publisher = Publisher::new(database, links, clock).with_engines(engines);
        let app = App::of(publisher, hub, self.config.allowed_hosts, false).await?;
        let answered = Box::pin(app.answer_lines(BufReader::new(stdin()), stdout())).await;
        answered.context("the connection to the agent failed")?;
        Ok(Exit::Done)
    }
}
