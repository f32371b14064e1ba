//! The service put together: one database, one context, one route table, and the jobs that keep it current.

mod hub;
mod operations;
mod outermost;
mod routes;
pub mod server;

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hub::Hub;
pub use hub::{HubError, HubOptions};
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use outermost::Outermost;
use poem::endpoint::BoxEndpoint;
use poem::{Endpoint, EndpointExt, Request, Response};
pub use routes::RouteTable;
pub use server::Limits;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::Hosts;
use crate::ctx::Ctx;
use crate::db::{Database, DbError, Migrated};
use crate::edition::{Backlog, Content, Current, Press, PressError, Sheet};
use crate::http::DescriptionError;
use crate::jobs::{Code, Print, Read, erase};
use crate::links::{Links, OPENAPI_PATH};
use crate::mcp::offer::Offer;
use crate::mcp::{self, Guard, Mcp, Sessions};
use crate::respond::{self, Route};
use crate::search::TextIndex;
use crate::{http, pages, wire};

/// How long after readings could not be kept that is tried again.
const READ_RETRY: Duration = Duration::from_secs(1);
/// This machine: whoever connects from here is known, or stands for others, as a proxy beside us does.
const LOOPBACK: [IpNet; 2] =
    [IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)), IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128))];
/// How many rounds [`App::drain`] takes before it says that something will not rest.
const DRAIN_ROUNDS_MAX: usize = 100;

/// The whole service.
pub struct App {
    database: Database,
    ctx: Arc<Ctx>,
    endpoint: Arc<BoxEndpoint<'static>>,
    routes: Arc<RouteTable>,
    print: Mutex<Print>,
    code: Code,
    read: Read,
    hub: Hub,
    /// Nets whose peers stand for others: this machine, and proxies that are trusted.
    exempt: Vec<IpNet>,
}

/// Why the service cannot start.
#[derive(Debug, Error)]
pub enum AppError {
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DbError),
    /// The first edition cannot be printed.
    #[error(transparent)]
    Press(#[from] PressError),
    /// The hub cannot be set up.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// Routes and handlers do not belong together.
    #[error(transparent)]
    Description(#[from] DescriptionError),
}

impl App {
    /// Opens the database at `path`, brings it up to date, and prints the first edition.
    ///
    /// # Errors
    /// [`AppError`].
    pub async fn open(
        path: &Path,
        links: Links,
        clock: Clock,
        hub: HubOptions,
        allowed_hosts: Hosts,
    ) -> Result<(Self, Migrated), AppError> {
        let (database, migrated) = Database::open(path).await?;
        Ok((Self::new(database, links, clock, hub, allowed_hosts).await?, migrated))
    }

    /// The service on a database that is open already. Agents may ask under these hosts besides that of the base URL.
    ///
    /// # Errors
    /// [`AppError`].
    pub async fn new(
        database: Database,
        links: Links,
        clock: Clock,
        hub: HubOptions,
        allowed_hosts: Hosts,
    ) -> Result<Self, AppError> {
        Self::of(Press::new(database, links, clock), hub, allowed_hosts).await
    }

    /// The service around a press.
    ///
    /// # Errors
    /// [`AppError`].
    pub async fn of(press: Press, hub: HubOptions, allowed_hosts: Hosts) -> Result<Self, AppError> {
        operations::count();
        let (database, links, clock) = (press.database().clone(), press.links().clone(), press.clock().clone());
        let mut changes = database.changes().await?;
        // Looked before reading: what is written meanwhile is seen as a change afterwards.
        changes.any().await?;
        let text_index = TextIndex::open(&database, clock.clone()).await;
        let first = press.first().await?;
        let sessions = mcp::sessions(&database, clock.clone(), hub.random.clone()).await?;
        let guard = Guard::new(&links, allowed_hosts);
        let ctx = Arc::new(Ctx::new(Current::new(first), links, clock, text_index));
        let exempt = LOOPBACK.into_iter().chain(hub.config.trusted_proxies.0.iter().copied()).collect();
        let (hub, handler) = Hub::new(&database, &ctx, hub)?;
        let routes = Arc::new(routes(&ctx, &database, handler, sessions, guard)?);
        let read = Read::new(Arc::clone(&ctx), database.clone(), Arc::clone(press.backlog()));
        // What the first edition has shown is kept before it is seen; if that fails, the job tries again and tells of it.
        while matches!(read.keep_once().await, Ok(true)) {}
        let endpoint = Arc::new(Outermost { routes: Arc::clone(&routes), ctx: Arc::clone(&ctx) }.boxed());
        Ok(Self {
            read,
            print: Mutex::new(Print::new(Arc::clone(&ctx), press, changes)),
            code: Code::new(Arc::clone(&ctx)),
            hub,
            exempt,
            database,
            ctx,
            endpoint,
            routes,
        })
    }

    /// What the surfaces share.
    #[must_use]
    pub const fn ctx(&self) -> &Arc<Ctx> {
        &self.ctx
    }

    /// The database.
    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    /// Everything that is answered.
    #[must_use]
    pub fn routes(&self) -> &RouteTable {
        &self.routes
    }

    /// Everything that answers, outermost layer included.
    #[must_use]
    pub fn endpoint(&self) -> Arc<BoxEndpoint<'static>> {
        Arc::clone(&self.endpoint)
    }

    /// Serves until `shutdown`, then finishes what is in flight and closes the database.
    pub async fn serve(&self, listener: TcpListener, shutdown: CancellationToken, limits: Limits) {
        let jobs_end = CancellationToken::new();
        let serve = async {
            server::serve(listener, self.endpoint(), shutdown.clone(), limits, self.exempt.clone()).await;
            jobs_end.cancel();
        };
        let drain = async {
            shutdown.cancelled().await;
            self.ctx.drain();
        };
        let (print, code, read) = (self.keep_printed(&jobs_end), self.keep_coded(&jobs_end), self.keep_read(&jobs_end));
        tokio::join!(serve, drain, print, code, read, self.hub.keep_sending(&shutdown));
        self.ctx.compute.idle().await;
        if let Err(error) = self.print.lock().await.close().await {
            tracing::warn!(%error, "database.not_closed: the database was not closed in order; the next start does it");
        }
        self.database.close().await;
    }

    async fn keep_printed(&self, end: &CancellationToken) {
        let watch = async {
            loop {
                let wait = self.watch_once().await;
                self.ctx.clock.sleep(wait).await;
            }
        };
        Box::pin(end.run_until_cancelled(watch)).await;
    }

    async fn keep_coded(&self, end: &CancellationToken) {
        let mut swaps = self.ctx.current.swaps();
        let code = async {
            loop {
                swaps.mark_unchanged();
                self.code.run_once().await;
                if swaps.changed().await.is_err() {
                    break;
                }
            }
        };
        end.run_until_cancelled(code).await;
    }

    async fn keep_read(&self, end: &CancellationToken) {
        let mut swaps = self.ctx.current.swaps();
        let read = async {
            loop {
                swaps.mark_unchanged();
                match self.read.run_once().await {
                    Ok(did_any) => {
                        if !did_any && swaps.changed().await.is_err() {
                            break;
                        }
                    }
                    Err(error) => {
                        metrics::counter!("insights_failures_total", "what" => "keep").increment(1);
                        tracing::warn!(%error, "insights.not_kept: what was read is shown all the same; trying again");
                        self.ctx.clock.sleep(READ_RETRY).await;
                    }
                }
            }
        };
        end.run_until_cancelled(read).await;
    }

    /// What is left to do about readings. For tests.
    #[must_use]
    pub const fn backlog(&self) -> &Arc<Backlog> {
        self.read.backlog()
    }

    /// Prints the next edition if anybody wrote, and tells the hub and the log of it; says how long to wait before the next
    /// time. What the service does all the time.
    pub async fn watch_once(&self) -> Duration {
        let (is_new, wait) = self.print.lock().await.watch_once().await;
        if is_new {
            self.hub.wake();
        }
        wait
    }

    /// Prints the next edition if anybody wrote; says whether there is one. For tests.
    ///
    /// # Errors
    /// What went wrong.
    pub async fn print_once(&self) -> Result<bool, String> {
        self.print.lock().await.run_once().await.map_err(|error| error.to_string())
    }

    /// Runs every job until none has anything to do. Never moves the clock. For tests.
    ///
    /// # Errors
    /// What a job said when it failed, or which one would not rest.
    pub async fn drain(&self) -> Result<(), String> {
        for _ in 0..DRAIN_ROUNDS_MAX {
            let printed = self.print_once().await?;
            let read = self.read.run_once().await.map_err(|error| error.to_string())?;
            let coded = self.code.run_once().await;
            let sent = self.hub.run_once().await.map_err(|error| error.to_string())?;
            let erased = erase::run_once(&self.database).await.map_err(|error| error.to_string())?;
            if !printed && !read && !coded && !sent && !erased {
                return Ok(());
            }
        }
        Err(format!("a job still has something to do after {DRAIN_ROUNDS_MAX} rounds"))
    }
}

/// Every route: the API, agents, the pages, and what operators ask.
fn routes(
    ctx: &Arc<Ctx>,
    database: &Database,
    hub: http::Hub,
    sessions: Sessions,
    guard: Guard,
) -> Result<RouteTable, DescriptionError> {
    let service = http::service(ctx, hub.clone());
    let (spec, html) = (service.spec(), service.swagger_ui_html());
    let (mut routes, others) = http::routes(ctx, hub)?;
    let mut document = http::describe(&spec, routes.iter().chain(&others))?;
    http::describe_request(&mut document, &ctx.links);
    mcp::describe(&mut document);
    let docs = Arc::new(pages::swagger_ui(&html, &spec));
    let description = Arc::new(Sheet::new("application/json", Content::whole(wire::json(&document))));
    ctx.set_fixed(vec![Arc::clone(&docs), Arc::clone(&description)]);
    routes.push(pages::docs_route(ctx, docs));
    let description = Description { ctx: Arc::clone(ctx), sheet: description };
    routes.push(Route::new(OPENAPI_PATH).get(None, description).titled("OpenAPI 3.1 description"));
    routes.extend(others);
    let agents = Mcp::new(Offer::new(Arc::clone(ctx), &document), sessions, guard, &ctx.links);
    routes.extend(mcp::routes(agents));
    routes.extend(operations::routes(ctx, database));
    let pages = pages::routes(ctx, &routes);
    routes.extend(pages);
    Ok(RouteTable::new(routes))
}

/// `/.well-known/openapi.json`.
struct Description {
    ctx: Arc<Ctx>,
    sheet: Arc<Sheet>,
}

impl Endpoint for Description {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        Ok(respond::sheet(request.headers(), &self.ctx.current.load(), &self.sheet))
    }
}
