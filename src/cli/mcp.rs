//! The command `reviews mcp`.

use clap::Args;
use tokio::io::{BufReader, stdin, stdout};

use super::database::existing_address;
use super::report::Exit;
use super::serve::open_database;
use crate::app::{App, HubOptions};
use crate::clock::Clock;
use crate::config::{BaseUrlConfig, DatabaseConfig, HubConfig, ListenConfig, TradeConfig};
use crate::insights::Engine;
use crate::snapshot::{Publisher, served_base};
use crate::storage::AtPath as _;

/// Run an MCP server on standard input and output for a local AI agent
#[derive(Debug, Args)]
pub struct McpCommand {
    // The settings of `serve` for links and insights.
    #[command(flatten)]
    listen: ListenConfig,
    #[command(flatten)]
    base: BaseUrlConfig,
    #[command(flatten)]
    trade: TradeConfig,
}

impl McpCommand {
    pub(super) async fn run(self, database: DatabaseConfig, clock: Clock) -> anyhow::Result<Exit> {
        // An agent that is started in the wrong folder must not create a database there.
        let address = existing_address(&database)?;
        let configured = self.base.links(self.listen.public)?;
        let has_base_url = self.base.base_url().is_some();
        let engine = self.trade.trade.as_deref().map(Engine::shipped);
        // The hub sends nothing here, whatever its settings.
        let hub = HubOptions::new(HubConfig::defaults()?)?;
        let database = open_database(&address).await?;
        // A local agent is configured with the database alone; its links must lead to the pages of the service.
        let served = served_base(&mut *database.reader().await?)
            .await
            .at(database.path())?
            .filter(|_| !has_base_url);
        let links = served.unwrap_or(configured);
        let publisher = Publisher {
            engine,
            ..Publisher::new(database, links, clock)
        };
        let app = App::new(publisher, hub).await?;
        Box::pin(app.answer_lines(BufReader::new(stdin()), stdout())).await?;
        Ok(Exit::Done)
    }
}
