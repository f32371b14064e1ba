//! The metrics of the service for Prometheus: one list of all metrics, and handles to record them.
//!
//! Every series that an alert may use exists from the start, at zero, because an alert on a rate needs a value before
//! the first event (<https://prometheus.io/docs/practices/instrumentation/#avoid-missing-metrics>); the histograms
//! of routes begin with the first answer (`web::answers`). Getting a handle is a registry lookup: keep the
//! handle to count per request.

use std::collections::HashMap;
use std::fs;
use std::sync::LazyLock;

use prometheus::core::{MetricVec, MetricVecBuilder};
pub use prometheus::{Gauge, Histogram, IntCounter as Counter};
use prometheus::{
    GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, TextEncoder,
};
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

static FAMILIES: LazyLock<Families> =
    LazyLock::new(|| Families::new().unwrap_or_else(|error| unreachable!("the catalog: {error}")));

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MetricKind {
    Counter,
    Gauge,
    /// Cumulative buckets with these upper bounds, ascending.
    Histogram(&'static [f64]),
}

#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name, with the unit as suffix.
    pub name: &'static str,
    pub kind: MetricKind,
    /// One sentence, published in `/metrics`.
    pub help: &'static str,
    /// The labels, each with its known values; empty for a label whose values are known only at run time.
    pub labels: &'static [(&'static str, &'static [&'static str])],
}

impl Metric {
    /// The counter with these values of the labels, in their order.
    pub fn counter(&self, values: &[&str]) -> Counter {
        FAMILIES.counters[self.name].with_label_values(values)
    }

    /// The gauge with these values of the labels, in their order.
    pub fn gauge(&self, values: &[&str]) -> Gauge {
        FAMILIES.gauges[self.name].with_label_values(values)
    }

    /// The histogram with these values of the labels, in their order.
    pub fn histogram(&self, values: &[&str]) -> Histogram {
        FAMILIES.histograms[self.name].with_label_values(values)
    }

    /// Removes its gauges, whatever their labels.
    pub fn remove_gauges(&self) {
        FAMILIES.gauges[self.name].reset();
    }

    /// Adds 1 to the counter; `values` are those of the labels, in their order.
    pub fn count(&self, values: &[&str]) {
        self.counter(values).inc();
    }

    /// The label values of every series known in advance; none if a label has no known values.
    fn known_series(&self) -> Vec<Vec<&'static str>> {
        self.labels
            .iter()
            .fold(vec![Vec::new()], |before, (_, values)| {
                let longer = |values_before: &Vec<&'static str>| {
                    let begun = values_before.clone();
                    values
                        .iter()
                        .map(move |value| [begun.as_slice(), &[*value]].concat())
                };
                before.iter().flat_map(longer).collect()
            })
    }

    /// Starts every known series of `family` and registers it.
    fn begin<B: MetricVecBuilder + 'static>(
        &self,
        family: MetricVec<B>,
        registry: &Registry,
    ) -> prometheus::Result<MetricVec<B>> {
        for values in self.known_series() {
            family.get_metric_with_label_values(&values)?;
        }
        registry.register(Box::new(family.clone()))?;
        Ok(family)
    }
}

#[derive(Default)]
struct Families {
    counters: HashMap<&'static str, IntCounterVec>,
    gauges: HashMap<&'static str, GaugeVec>,
    histograms: HashMap<&'static str, HistogramVec>,
    registry: Registry,
}

impl Families {
    fn new() -> prometheus::Result<Self> {
        let mut all = Self::default();
        for metric in ALL {
            let labels: Vec<&str> = metric.labels.iter().map(|(name, _)| *name).collect();
            let options = Opts::new(metric.name, metric.help);
            match metric.kind {
                MetricKind::Counter => {
                    let family = IntCounterVec::new(options, &labels)?;
                    all.counters
                        .insert(metric.name, metric.begin(family, &all.registry)?);
                }
                MetricKind::Gauge => {
                    let family = GaugeVec::new(options, &labels)?;
                    all.gauges
                        .insert(metric.name, metric.begin(family, &all.registry)?);
                }
                MetricKind::Histogram(bounds) => {
                    let options = HistogramOpts::from(options).buckets(bounds.to_vec());
                    let family = HistogramVec::new(options, &labels)?;
                    all.histograms
                        .insert(metric.name, metric.begin(family, &all.registry)?);
                }
            }
        }
        Ok(all)
    }
}

/// All metrics in Prometheus's text format.
///
/// # Errors
/// If the metrics cannot be encoded.
pub fn render() -> prometheus::Result<String> {
    update_process_metrics();
    TextEncoder::new().encode_to_string(&FAMILIES.registry.gather())
}

/// Reads the metrics of the process; `None` if `/proc` cannot be read.
fn update_process_metrics() -> Option<()> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in brackets, which may have spaces in it.
    let (_, numbers) = stat.rsplit_once(") ")?;
    let numbers: Vec<&str> = numbers.split(' ').collect();
    // By the numbers of proc_pid_stat(5).
    let field = |number: usize| numbers.get(number - 3)?.parse::<u64>().ok();
    let ticks = clock_ticks_per_second();
    let cpu = PROCESS_CPU.counter(&[]);
    cpu.inc_by(((field(14)? + field(15)?) / ticks).saturating_sub(cpu.get()));
    let resident = field(24)? * page_size() as u64;
    PROCESS_RESIDENT_BYTES.gauge(&[]).set(figure(resident));
    let files = fs::read_dir("/proc/self/fd").ok()?.count() as u64;
    PROCESS_FILES.gauge(&[]).set(figure(files));
    let files_max = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    PROCESS_FILES_MAX.gauge(&[]).set(figure(files_max));
    let boot = fs::read_to_string("/proc/stat").ok()?;
    let mut boot_at = boot.lines().filter_map(|line| line.strip_prefix("btime "));
    let started_at = boot_at.next()?.parse::<u64>().ok()? + field(22)? / ticks;
    PROCESS_STARTED_AT.gauge(&[]).set(figure(started_at));
    Some(())
}

/// A count as a gauge's value; exact up to 2⁵³.
#[expect(
    clippy::cast_precision_loss,
    reason = "Prometheus has no other numbers"
)]
pub const fn figure(count: u64) -> f64 {
    count as f64
}

// All metrics: name, kind, help, labels and buckets. A test compares them with `docs/OPERATIONS.md`.
//
// Names follow <https://prometheus.io/docs/practices/naming/> and do not change, because dashboards and alerts use
// them.

/// Upper bounds in seconds for responses: ready bytes take some 50 µs, a scan of 100,000 reviews some ms.
const ANSWER_SECONDS: &[f64] = &[0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];
/// Upper bounds in seconds for publishing, whose target is one second.
const PUBLISH_SECONDS: &[f64] = &[0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
/// The reasons for a failed exchange with a callback: the names of `websub::http_client::Failure`, outcomes of a
/// response, and a panic.
const EXCHANGE_REASONS: &[&str] = &[
    "status",
    "challenge_mismatch",
    "refused",
    "unreachable",
    "timed_out",
    "network_down",
    "panicked",
];

/// The outcomes of runs of `reviews sync`.
pub const SYNC_OUTCOMES: &[&str] = &["success", "unchanged", "failed"];

macro_rules! catalog {
    ($($constant:ident $name:literal $kind:expr, [$($label:literal $values:expr),*] $help:literal;)*) => {
        $(
            #[doc = $help]
            pub const $constant: Metric = Metric { name: $name, kind: $kind, help: $help, labels: &[$(($label, $values)),*] };
        )*
        /// In the order of this file.
        pub const ALL: &[Metric] = &[$($constant),*];
    };
}

catalog! {
    BUILD "reviews_build_info" MetricKind::Gauge, ["version" &[], "commit" &[], "sqlite" &[]]
        "Which release runs, as labels; always 1.";
    REQUESTS "reviews_http_requests_total" MetricKind::Counter, ["route" &[], "status" &[]]
        "Answers by route and class of status.";
    REQUEST_SECONDS "reviews_http_request_seconds" MetricKind::Histogram(ANSWER_SECONDS), ["route" &[]]
        "Seconds until the first byte of the answer was ready.";
    CONNECTIONS_REFUSED "reviews_http_connections_refused_total" MetricKind::Counter, ["reason" &["all", "peer"]]
        "Connections rejected because all were in use or the peer had reached its limit.";
    COMPUTE_REFUSED "reviews_http_compute_refused_total" MetricKind::Counter, []
        "Requests answered 503 because too many waited to be computed.";
    // Those that every client has (<https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics>).
    PROCESS_CPU "process_cpu_seconds_total" MetricKind::Counter, []
        "Seconds of CPU in user and system mode.";
    PROCESS_FILES "process_open_fds" MetricKind::Gauge, []
        "Open file descriptors.";
    PROCESS_FILES_MAX "process_max_fds" MetricKind::Gauge, []
        "Maximum number of open file descriptors.";
    PROCESS_RESIDENT_BYTES "process_resident_memory_bytes" MetricKind::Gauge, []
        "Resident memory in bytes.";
    PROCESS_STARTED_AT "process_start_time_seconds" MetricKind::Gauge, []
        "Start of the process in seconds since 1970-01-01 UTC.";

    PUBLISH_FAILURES "reviews_publish_failures_total" MetricKind::Counter, []
        "Attempts to publish a snapshot that failed.";
    PUBLISH_SECONDS_TAKEN "reviews_publish_seconds" MetricKind::Histogram(PUBLISH_SECONDS), []
        "Seconds from detecting a change to publishing the snapshot; the first one is not counted.";
    PUBLISHED "reviews_published" MetricKind::Gauge, []
        "Published reviews.";
    SNAPSHOT_BEHIND "reviews_snapshot_behind_seconds" MetricKind::Gauge, []
        "Seconds for which publishing has been failing and the snapshot may be behind the database; 0 while it works.";
    DATABASE_BYTES "reviews_database_bytes" MetricKind::Gauge, ["file" &["main", "wal"]]
        "Bytes of the database file and of its write-ahead log.";
    DATABASE_STEPS "reviews_database_steps_total" MetricKind::Counter, []
        "Steps of SQLite's virtual machine, in hundreds of a statement.";

    NODE_CONTACT_AGE "reviews_cluster_contact_age_seconds" MetricKind::Gauge, []
        "Seconds since the last contact of this node's rqlited with the leader; the served data may be that old.";

    TEXTS_ANALYZED "reviews_insights_analyzed_total" MetricKind::Counter, []
        "Texts analysed since the start.";
    INSIGHTS_FAILURES "reviews_insights_failures_total" MetricKind::Counter, ["what" &["read", "keep"]]
        "Texts that could not be analysed, and failed attempts to store analyses.";

    HUB_DELIVERED "reviews_websub_delivered_total" MetricKind::Counter, []
        "Deliveries that were answered 2xx.";
    HUB_VERIFIED "reviews_websub_verified_total" MetricKind::Counter, []
        "Requests that their callback confirmed.";
    HUB_FAILED "reviews_websub_failed_total" MetricKind::Counter, ["kind" &["verification", "delivery"], "reason" EXCHANGE_REASONS]
        "Verifications and deliveries that failed, by reason.";
    HUB_SENDER "reviews_websub_sender" MetricKind::Gauge, []
        "1 if this process sends for the hub, 0 if another one does or none can.";
    HUB_ACTIVE "reviews_websub_active" MetricKind::Gauge, []
        "Active subscriptions.";
    HUB_PENDING "reviews_websub_pending" MetricKind::Gauge, []
        "Requests that wait for their verification.";
    HUB_DUE "reviews_websub_due" MetricKind::Gauge, []
        "Subscriptions that lack the current version, including those that wait for another attempt.";
    HUB_OLDEST_DUE_SECONDS "reviews_websub_oldest_due_seconds" MetricKind::Gauge, []
        "Seconds for which the oldest due delivery has waited.";

    SYNC_RUNS "reviews_sync_runs_total" MetricKind::Counter, ["source" &[], "outcome" SYNC_OUTCOMES]
        "Runs of an entry of the sync file: imported, the same answer as the last time, or failed.";
    SYNC_LAST_SUCCESS "reviews_sync_last_success_timestamp_seconds" MetricKind::Gauge, ["source" &[]]
        "When an entry was last fetched, in seconds since 1970-01-01 UTC; 0 for never.";
    SYNC_DOUBTFUL "reviews_sync_doubtful_rows" MetricKind::Gauge, ["source" &[]]
        "Rows of an entry's last imported run that wait for the owner's decision (`reviews sync run NAME --doubtful`).";
    SYNC_GONE "reviews_sync_gone" MetricKind::Gauge, ["source" &[]]
        "Public reviews that an entry stated and its newest run lacks (`reviews sync run NAME --withdraw-missing`).";
    SYNC_CONFIG_OK "reviews_sync_config_ok" MetricKind::Gauge, []
        "1 if the file of entries can be read, or there is none; 0 if it is faulty and the former entries stay in force.";
}
