//! The real service with a manual clock, in a temporary folder.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use poem::http::uri::Scheme;
use poem::http::{HeaderName, HeaderValue, Method};
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Body, Endpoint, Request, RequestParts};
use reviews_service::app::{App, AppOptions, ConnectionLimits, HubOptions};
use reviews_service::clock::Clock;
use reviews_service::compute::Slot;
use reviews_service::config::Hosts;
use reviews_service::imports::{ImportRequest, import, load_sample};
use reviews_service::links::Links;
use reviews_service::model::Review;
use reviews_service::snapshot::Publisher;
use reviews_service::storage::Database;
use reviews_service::storage::reviews;
use serde_json::Value;
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::answer::Answer;
use super::cluster::{Rqlited, address, file_in};
use super::hub::hub_options;
use super::quiet::Quiet;
use super::sqlite::{back_up, restore, sqlite3};
use super::tools::form;

/// The base URL of every test's service.
pub const BASE: &str = "https://reviews.sample.test";
/// The host of the base URL.
pub const HOST: &str = "reviews.sample.test";

/// A running service without sockets: tests pass requests to its endpoint.
pub struct TestApp {
    app: App,
    clock: Clock,
    folder: TempDir,
    hub: HubOptions,
    /// The rqlited beside it, if tests run on a cluster.
    node: Option<Rqlited>,
}

/// Writes a database without rows to this path. The migrations run once for all tests.
pub async fn create_database(path: &Path) {
    static MIGRATED: OnceCell<Vec<u8>> = OnceCell::const_new();
    let migrated = MIGRATED.get_or_init(async || {
        let folder = tempfile::tempdir().unwrap();
        let first = folder.path().join("reviews.db");
        let (database, _) = Database::open(&first).await.unwrap();
        database.close().await;
        // Each database gets its own when it is opened.
        sqlite3(&first, "update instance set lineage_id = null");
        fs::read(first).unwrap()
    });
    fs::write(path, migrated.await).unwrap();
}

/// Opens the database in `folder` as the service does, or a new one.
async fn open(folder: &Path) -> Database {
    if !Rqlited::is_used() && !file_in(folder).exists() {
        create_database(&file_in(folder)).await;
    }
    let opened = Database::open_at(&address(folder)).await;
    opened.unwrap().0
}

impl TestApp {
    /// A service without reviews.
    pub async fn empty() -> Self {
        Self::at(tempfile::tempdir().unwrap(), Clock::manual(start())).await
    }

    /// A service that publishes these reviews.
    pub async fn with(reviews: &[Review]) -> Self {
        let app = Self::empty().await;
        app.write(reviews).await;
        app
    }

    /// A service that publishes these reviews in its first snapshot: fast for thousands of them.
    pub async fn uncoded(reviews: &[Review]) -> Self {
        let (folder, clock) = (tempfile::tempdir().unwrap(), Clock::manual(start()));
        let node = Rqlited::start(folder.path());
        let database = open(folder.path()).await;
        // Several transactions, because on a cluster each is one request.
        for part in reviews.chunks(10_000) {
            store(&database, &clock, part).await;
        }
        database.take_lease(Duration::ZERO).await.unwrap();
        let publisher = Publisher::new(database, links(), clock.clone());
        let app = App::new(publisher, hub_options()).await.unwrap();
        Self {
            app,
            clock,
            folder,
            hub: hub_options(),
            node,
        }
    }

    /// A service that publishes the sample business in `seeds`. Its database is analysed once, and copied for each test.
    ///
    /// A test that only reads uses [`super::with_sample`].
    pub async fn seeded() -> Self {
        Self::seeded_in(tempfile::tempdir().unwrap()).await
    }

    /// The same, with the database in this folder.
    pub async fn seeded_in(folder: TempDir) -> Self {
        static DATABASE: OnceCell<Vec<u8>> = OnceCell::const_new();
        if Rqlited::is_used() {
            return Self::newly_seeded().await;
        }
        let database = DATABASE.get_or_init(async || {
            let app = Self::newly_seeded().await;
            let copy = app.folder().join("copy.db");
            app.back_up(&copy);
            fs::read(copy).unwrap()
        });
        fs::write(file_in(folder.path()), database.await).unwrap();
        Self::at(folder, Clock::manual(start())).await
    }

    async fn newly_seeded() -> Self {
        let app = Self::empty().await;
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/seeds"));
        load_sample(app.database(), &app.clock, folder, &mut Quiet::default())
            .await
            .unwrap();
        app.drain().await;
        app
    }

    /// A service on the database in `folder`.
    pub async fn at(folder: TempDir, clock: Clock) -> Self {
        Self::start(folder, clock, hub_options()).await
    }

    /// A service that publishes these reviews, with this hub.
    pub async fn with_hub(reviews: &[Review], hub: HubOptions) -> Self {
        let app = Self::start(tempfile::tempdir().unwrap(), Clock::manual(start()), hub).await;
        app.write(reviews).await;
        app
    }

    /// A service on the database in `folder`, with this hub.
    pub async fn start(folder: TempDir, clock: Clock, hub: HubOptions) -> Self {
        let node = Rqlited::start(folder.path());
        Self::beside(node, folder, clock, hub, |_| ()).await
    }

    /// The same, with a running rqlited, and options that this changes.
    async fn beside(
        node: Option<Rqlited>,
        folder: TempDir,
        clock: Clock,
        hub: HubOptions,
        change: impl FnOnce(&mut AppOptions),
    ) -> Self {
        let database = open(folder.path()).await;
        database.take_lease(Duration::ZERO).await.unwrap();
        let mut options = AppOptions::from(hub.clone());
        change(&mut options);
        let publisher = Publisher::new(database, links(), clock.clone());
        let app = Self {
            app: App::new(publisher, options).await.unwrap(),
            clock,
            folder,
            hub,
            node,
        };
        app.drain().await;
        app
    }

    /// Restarts the service on the same file.
    pub async fn restart(self) -> Self {
        self.restart_after(|_| ()).await
    }

    /// Restarts the service with options that this changes.
    pub async fn restart_with(self, change: impl FnOnce(&mut AppOptions)) -> Self {
        let (node, folder, clock, hub) = self.stop().await;
        Self::beside(node, folder, clock, hub, change).await
    }

    /// Restarts the service, and calls this while it is stopped.
    pub async fn restart_after(self, work: impl FnOnce(&Path)) -> Self {
        let (node, folder, clock, hub) = self.stop().await;
        work(&file_in(folder.path()));
        Self::beside(node, folder, clock, hub, |_| ()).await
    }

    async fn stop(self) -> (Option<Rqlited>, TempDir, Clock, HubOptions) {
        let Self {
            app,
            clock,
            folder,
            hub,
            node,
        } = self;
        app.database.give_up_lease().await.unwrap();
        app.database.close().await;
        (node, folder, clock, hub)
    }

    /// Serves on a socket, with the service's own loops, until `work` is done.
    pub fn serving<'a, T: 'a>(
        &'a self,
        work: impl Future<Output = T> + 'a,
    ) -> LocalBoxFuture<'a, T> {
        let serving = async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let stop = CancellationToken::new();
            let limits = ConnectionLimits::default();
            let serve = self.app.serve(listener, None, stop.clone(), limits);
            let work = async {
                let done = work.await;
                stop.cancel();
                done
            };
            tokio::join!(serve, work).1
        };
        Box::pin(serving)
    }

    /// Gives the business a name, without which pages show no reviews.
    pub async fn name_business(&self) {
        let columns = "business (business_id, name) values ('desert-peak', 'Desert Peak')";
        self.shell(&format!("insert into {columns}")).await;
    }

    /// Adds or updates reviews, then publishes.
    pub async fn write(&self, reviews: &[Review]) {
        store(&self.app.database, &self.clock, reviews).await;
        self.drain().await;
    }

    /// Imports these lines like `reviews import --restore`, then publishes.
    pub async fn import(&self, lines: &str) {
        let file = self.folder().join("rows.jsonl");
        fs::write(&file, lines).unwrap();
        let request = ImportRequest {
            files: vec![file.clone()],
            restore: true,
            ..ImportRequest::default()
        };
        let mut watch = Quiet::default();
        let done = import(self.database(), &self.clock, &request, &mut watch).await;
        done.unwrap();
        fs::remove_file(file).unwrap();
        self.drain().await;
    }

    /// Runs SQL as the `sqlite3` shell would. Returns the shell's output.
    #[track_caller]
    pub fn sql(&self, sql: &str) -> String {
        sqlite3(&self.path(), sql)
    }

    /// Like [`Self::sql`], then publishes.
    pub async fn shell(&self, sql: &str) -> String {
        let output = self.sql(sql);
        self.drain().await;
        output
    }

    /// Copies the database like the shell's `.backup`.
    pub fn back_up(&self, to: &Path) {
        back_up(&self.path(), to);
    }

    /// Restores a copy into the database like the shell's `.restore`, then publishes.
    pub async fn restore(&self, from: &Path) {
        restore(&self.path(), from);
        self.drain().await;
    }

    /// Another writer, after this statement. If it begins a transaction, the lock is held until the connection is dropped.
    pub async fn writer(&self, statement: impl Into<String>) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.path());
        let options = options.busy_timeout(Duration::from_secs(5));
        let mut writer = SqliteConnection::connect_with(&options).await.unwrap();
        let statement = sqlx::AssertSqlSafe(statement.into());
        sqlx::raw_sql(statement).execute(&mut writer).await.unwrap();
        writer
    }

    /// Runs every job until no work is left.
    pub async fn drain(&self) {
        self.app.drain().await.unwrap();
    }

    /// The service's manual clock.
    pub const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Advances the clock; a negative duration moves only the wall clock.
    pub fn advance(&self, by: chrono::Duration) {
        self.clock.advance(by);
    }

    pub fn path(&self) -> PathBuf {
        file_in(self.folder.path())
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The service's own database handle.
    pub fn database(&self) -> &Database {
        &self.app.database
    }

    pub const fn app(&self) -> &App {
        &self.app
    }

    /// Holds every slot for computing answers, each as another peer, so that a request is answered only if its answer is ready.
    pub fn hold_slots(&self) -> Vec<Slot> {
        let turns = &self.app.ctx.compute.turns;
        (0..=u8::MAX)
            .map_while(|peer| turns.slot([203, 0, 113, peer].into()).now_or_never())
            .map(Result::unwrap)
            .collect()
    }

    /// Sends a GET without header fields; checks the answer like [`Self::send`].
    pub async fn get(&self, target: &str) -> Answer {
        self.send(Method::GET, target, &[]).await
    }

    /// The JSON that a GET returns.
    pub async fn json(&self, target: &str) -> Value {
        self.get(target).await.json()
    }

    /// The text that a GET returns.
    pub async fn text(&self, target: &str) -> String {
        self.get(target).await.text()
    }

    /// Sends a GET with these header fields.
    pub async fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(Method::GET, target, headers).await
    }

    /// Sends a request, and checks the guarantees of every answer.
    pub async fn send(&self, method: Method, target: &str, headers: &[(&str, &str)]) -> Answer {
        let request = self.ask_from(None, method.clone(), target, headers, ());
        let answer = request.await;
        answer.check_guarantees(&method, target);
        let is_conditional = headers.iter().any(|(name, _)| name.starts_with("if-"));
        let tag = ("if-none-match", answer.header("etag"));
        if method == Method::GET && answer.status == 200 && !tag.1.is_empty() && !is_conditional {
            let headers = [headers, &[tag]].concat();
            let again = self.ask_from(None, method, target, &headers, ()).await;
            again.check_repeats(&answer, target);
        }
        answer
    }

    /// Posts to the hub without a peer's address.
    pub async fn post_hub(&self, pairs: &[(&str, &str)]) -> Answer {
        let kind = [("content-type", "application/x-www-form-urlencoded")];
        self.post_hub_from(None, &kind, form(pairs)).await
    }

    /// Posts a body to the hub from a peer's address.
    pub async fn post_hub_from(
        &self,
        peer: Option<&str>,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let (method, target) = (Method::POST, "/api/websub/hub");
        self.ask_from(peer, method, target, headers, body).await
    }

    /// Posts a body to `/mcp`, as JSON unless a header has another type.
    pub async fn post_mcp(&self, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
        let mut headers = headers.to_vec();
        if headers.iter().all(|(name, _)| *name != "content-type") {
            headers.push(("content-type", "application/json"));
        }
        let request = self.ask_from(None, Method::POST, "/mcp", &headers, body);
        let answer = request.await;
        answer.check_guarantees(&Method::POST, "/mcp");
        answer
    }

    /// Sends a request from a peer's address, with `Host`, which every client sends, unless the test sends another.
    pub async fn ask_from(
        &self,
        peer: Option<&str>,
        method: Method,
        target: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let request = poem::http::Request::builder().method(method).uri(target);
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            parts.headers.append(name, value);
        }
        let host = HeaderValue::from_static(HOST);
        parts.headers.entry("host").or_insert(host);
        let remote = peer
            .map(|peer| RemoteAddr(SocketAddr::new(peer.parse().unwrap(), 40_000).into()))
            .unwrap_or_default();
        let parts = RequestParts::from((parts, LocalAddr::default(), remote, Scheme::HTTP));
        let request = Request::from_parts(parts, body.into());
        Answer::read(self.app.endpoint.get_response(request).await).await
    }
}

/// Stores reviews in one transaction.
pub async fn store(database: &Database, clock: &Clock, reviews: &[Review]) {
    let mut write = database.write_as_owner().await.unwrap();
    for batch in reviews.chunks(500) {
        let stored = reviews::upsert(&mut write, batch, clock.now()).await;
        stored.unwrap();
    }
    write.commit().await.unwrap();
}

/// A service on a database file; beside another one it only shows what that one publishes.
pub async fn service_on(path: &Path, links: Links, hosts: Hosts) -> App {
    let (database, _) = Database::open(path).await.unwrap();
    database.take_lease(Duration::ZERO).await.unwrap();
    let publisher = Publisher::new(database, links, Clock::manual(start()));
    let options = AppOptions {
        allowed_hosts: hosts,
        ..AppOptions::from(hub_options())
    };
    App::new(publisher, options).await.unwrap()
}

pub fn links() -> Links {
    BASE.parse().unwrap()
}

/// The clock at the start of every test.
pub fn start() -> DateTime<Utc> {
    "2026-11-20T12:00:00Z".parse().unwrap()
}
