//! The hub's own worker on a real database, with a given number of subscribers.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use futures_util::future::BoxFuture;
use hyper::body::Bytes;
use reviews_service::app::{App, HubOptions};
use reviews_service::clock::Clock;
use reviews_service::config::{HubConfig, SyncConfig};
use reviews_service::links::Links;
use reviews_service::snapshot::Document;
use reviews_service::snapshot::Publisher;
use reviews_service::storage::Database;
use reviews_service::websub::http_client::{Egress, Failure, Policy, Resolver, Roots};
use reviews_service::websub::{Exchange, RateLimits, Worker};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::meter::{Measured, Meter};
use super::sink::{Sink, address};

/// Interval of queries for the number of finished deliveries, which cost measured CPU time.
const ASK_EVERY: Duration = Duration::from_millis(50);

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    hub: HubConfig,
}

struct Book;

impl Resolver for Book {
    fn resolve(&self, name: String) -> BoxFuture<'static, Result<Vec<IpAddr>, Failure>> {
        Box::pin(std::future::ready(Ok(vec![address(&name)])))
    }
}

pub struct Rig {
    app: App,
    worker: Worker,
    _folder: TempDir,
}

/// The content of a delivery: the JSON feed.
pub async fn content(sink: &Sink) -> Bytes {
    let rig = Box::pin(Rig::start(sink, 1, 0, 0)).await;
    let pieces = rig
        .app
        .ctx
        .current
        .load()
        .document(Document::JsonFeed)
        .body
        .content
        .pieces
        .concat();
    println!("(the feed: {} bytes)\n", pieces.len());
    pieces.into()
}

impl Rig {
    /// A service with 50 reviews and `subscribers` subscribers at `hosts` hosts, `dead` of which never answer.
    pub async fn start(sink: &Sink, hosts: usize, dead: usize, subscribers: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let links: Links = "https://reviews.sample.test".parse().unwrap();
        let clock = Clock::system();
        let roots = Roots::load(Some(sink.ca_pem.as_bytes())).unwrap();
        let flags = [
            "reviews",
            "--hub-allow-callback-nets=127.0.0.0/8",
            "--hub-verifications-per-address-per-minute=1000000",
        ];
        let config = Line::parse_from(flags).hub;
        let policy = Arc::new(Policy {
            allowed: config.allow_callback_nets.clone(),
        });
        let options = HubOptions {
            config: config.clone(),
            roots: roots.clone(),
            resolver: Arc::new(Book),
            sync: SyncConfig::default(),
        };
        let path = folder.path().join("reviews.db");
        let (database, _) = Database::open(&path).await.unwrap();
        database.take_lease(Duration::ZERO).await.unwrap();
        let app = App::new(
            Publisher::new(database, links.clone(), clock.clone()),
            options,
        )
        .await
        .unwrap();
        fill(&app, sink.port, hosts, dead, subscribers).await;
        let egress = Egress::new(policy, &roots, Arc::new(Book)).unwrap();
        let exchange = Exchange {
            egress,
            clock: clock.clone(),
            links,
            delays: config.retry_delays,
            rates: Arc::new(RateLimits::new(&config.limits, &clock)),
            signing: tokio::sync::Semaphore::new(1),
        };
        let current = Arc::clone(&app.ctx.current);
        let worker = Worker::new(
            app.database.clone(),
            current,
            exchange,
            Arc::new(Notify::new()),
        );
        Self {
            app,
            worker,
            _folder: folder,
        }
    }

    /// Runs until `count` deliveries are recorded.
    pub async fn measure(&mut self, count: usize) -> Measured {
        let (stop, database) = (CancellationToken::new(), self.app.database.clone());
        let meter = Meter::start();
        let done = async {
            let mut connection = database.readers().acquire().await.unwrap();
            loop {
                let delivered: i64 = sqlx::query_scalar(
                    "select count(*) from subscription as s join publication as p using (document)
                     where s.document = 'json_feed' and s.delivered_version = p.version",
                )
                .fetch_one(&mut *connection)
                .await
                .unwrap();
                if usize::try_from(delivered).unwrap() >= count {
                    break;
                }
                tokio::time::sleep(ASK_EVERY).await;
            }
            let measured = meter.stop();
            stop.cancel();
            measured
        };
        tokio::join!(self.worker.run(&stop), done).1
    }
}

async fn fill(app: &App, port: u16, hosts: usize, dead: usize, subscribers: usize) {
    let mut write = app.database.write().await.unwrap();
    sqlx::query(
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < 50)
         insert into review (review_id, rating, reviewed_on, text)
         select 'r-' || i, 5, '2026-11-01', replace(hex(zeroblob(20)), '00', 'They came on time. ') from n",
    )
    .execute(&mut write)
    .await
    .unwrap();
    write.commit().await.unwrap();
    // Publishes while there are no subscribers, so that nothing is sent.
    app.drain().await.unwrap();
    let mut write = app.database.write().await.unwrap();
    sqlx::query(
        "with recursive n (i) as (select 0 union all select i + 1 from n where i < ?1 - 1),
           host (i, name) as (select i, iif(i < ?3, 'd', 'h') || (i % ?2) || '.sink.test' from n where ?1 > 0)
         insert into subscription (document, callback, callback_key, host, state, secret, lease_ends_at, created_at, updated_at)
         select 'json_feed', 'https://' || name || ':' || ?4 || '/' || i, 'https://' || name || ':' || ?4 || '/' || i, name, 'active',
           's3cret-' || i, '2100-01-01T00:00:00.000Z', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z' from host order by (i * 7919) % ?1",
    )
    .bind(i64::try_from(subscribers).unwrap())
    .bind(i64::try_from(hosts).unwrap())
    .bind(i64::try_from(dead).unwrap())
    .bind(i64::from(port))
    .execute(&mut write)
    .await
    .unwrap();
    write.commit().await.unwrap();
}
