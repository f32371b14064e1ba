//! What the service counts and measures, as Prometheus reads it: one list of all metrics, and the handles to count with.
//!
//! Apart from the rooms that count, so that a metric's name, help, labels and buckets are written once (`catalog`), and
//! every series that an alert may ask for is there from the start, at zero: an alert on a rate sees the first event only
//! if there was a value before it (<https://prometheus.io/docs/practices/instrumentation/#avoid-missing-metrics>).
//! Of the routes' series, those that are not begin with the first answer (`app::routes`): all of them would be 700.
//! Asking for a handle looks it up in a registry; whoever counts per request keeps the handle. Knows nothing of what the
//! figures mean.

use std::sync::OnceLock;

use metrics::Label;
pub use metrics::{Counter, Gauge, Histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// What is done with a metric's figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MetricKind {
    /// It only grows, from zero at the start of the process.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Observations, in cumulative buckets with these upper bounds, ascending.
    Histogram(&'static [f64]),
}

/// A metric as it is declared: name, kind, help and labels.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name, unit last.
    pub name: &'static str,
    /// What is done with it.
    pub kind: MetricKind,
    /// One sentence for whoever reads `/metrics`.
    pub help: &'static str,
    /// Its labels, each with the values that are known ahead; none for one whose values are known at run time alone.
    pub labels: &'static [(&'static str, &'static [&'static str])],
}

impl Metric {
    /// The counter of the series with these values of the labels, in their order.
    pub fn counter(&self, values: &[&str]) -> Counter {
        install();
        metrics::counter!(self.name, self.with(values))
    }

    /// The gauge of the series with these values of the labels, in their order.
    pub fn gauge(&self, values: &[&str]) -> Gauge {
        install();
        metrics::gauge!(self.name, self.with(values))
    }

    /// The histogram of the series with these values of the labels, in their order.
    pub fn histogram(&self, values: &[&str]) -> Histogram {
        install();
        metrics::histogram!(self.name, self.with(values))
    }

    /// Adds 1 to the counter with these values of the labels, in their order.
    pub fn count(&self, values: &[&str]) {
        self.counter(values).increment(1);
    }

    fn with(&self, values: &[&str]) -> Vec<Label> {
        let named = self.labels.iter().zip(values);
        named
            .map(|((name, _), value)| Label::new(*name, (*value).to_owned()))
            .collect()
    }

    /// Every series that can be known ahead, by its values; none where a label's values cannot be.
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

    /// Tells the recorder of it, and begins every series that is known.
    fn begin(&self) {
        match self.kind {
            MetricKind::Counter => metrics::describe_counter!(self.name, self.help),
            MetricKind::Gauge => metrics::describe_gauge!(self.name, self.help),
            MetricKind::Histogram(_) => metrics::describe_histogram!(self.name, self.help),
        }
        for values in self.known_series() {
            let labels = self.with(&values);
            match self.kind {
                MetricKind::Counter => metrics::counter!(self.name, labels).absolute(0),
                MetricKind::Gauge => metrics::gauge!(self.name, labels).set(0.0),
                // It is there, with empty buckets, as soon as there is a handle.
                MetricKind::Histogram(_) => drop(metrics::histogram!(self.name, labels)),
            }
        }
    }
}

/// Starts counting. One process counts once; later calls change nothing.
pub fn install() {
    RECORDER.get_or_init(|| {
        let mut builder = PrometheusBuilder::new();
        for metric in ALL {
            if let MetricKind::Histogram(bounds) = metric.kind {
                let matcher = Matcher::Full(metric.name.to_owned());
                builder = builder.set_buckets_for_metric(matcher, bounds).ok()?;
            }
        }
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).ok()?;
        ALL.iter().for_each(Metric::begin);
        Some(handle)
    });
}

/// All figures, in Prometheus's text format.
#[must_use]
pub fn render() -> String {
    recorder().map(PrometheusHandle::render).unwrap_or_default()
}

/// Sorts observations into their buckets. Until then each takes memory of its own, so this is to be done from time to
/// time where nobody asks for the figures.
pub fn sort_observations() {
    if let Some(recorder) = recorder() {
        recorder.run_upkeep();
    }
}

fn recorder() -> Option<&'static PrometheusHandle> {
    RECORDER.get().and_then(Option::as_ref)
}

/// A count as a gauge's figure. Exact up to 2⁵³.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "Prometheus has no other numbers"
)]
pub const fn figure(count: u64) -> f64 {
    count as f64
}

// Every metric there is: name, kind, help, labels and buckets. `docs/OPERATIONS.md` lists the same ones; a test compares.
//
// Names follow <https://prometheus.io/docs/practices/naming/>, and stay: dashboards and alerts are written with them.

/// Upper bounds in seconds of what is answered: ready bytes take some 50 µs, a scan of 100,000 reviews some ms.
const ANSWER_SECONDS: &[f64] = &[0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];
/// Upper bounds in seconds of what is published: a change should be out within one.
const PUBLISH_SECONDS: &[f64] = &[0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
/// Why an exchange with a callback fails: the names of `egress::Failure`, and what an answer can be.
const EXCHANGE_REASONS: &[&str] = &[
    "status",
    "gone",
    "challenge_mismatch",
    "url",
    "refused",
    "name_unknown",
    "resolver_down",
    "connect",
    "network_down",
    "host_unreachable",
    "tls",
    "timed_out",
    "closed",
    "protocol",
    "too_long",
    "unsendable",
];

macro_rules! catalog {
    ($($constant:ident $name:literal $kind:expr, [$($label:literal $values:expr),*] $help:literal;)*) => {
        $(
            #[doc = $help]
            pub const $constant: Metric = Metric { name: $name, kind: $kind, help: $help, labels: &[$(($label, $values)),*] };
        )*
        /// Every metric of the service, in the order of this file.
        pub const ALL: &[Metric] = &[$($constant),*];
    };
}

catalog! {
    BUILD "reviews_build_info" MetricKind::Gauge, ["version" &[], "commit" &[], "sqlite" &[]]
        "Which release runs, as labels; always 1.";
    STARTED "process_start_time_seconds" MetricKind::Gauge, []
        "When the process started, in seconds since 1970-01-01 UTC.";
    CPU_SECONDS "process_cpu_seconds_total" MetricKind::Counter, []
        "CPU time that the process has used, user and system, in whole seconds.";
    RESIDENT_BYTES "process_resident_memory_bytes" MetricKind::Gauge, []
        "Resident memory in bytes.";
    VIRTUAL_BYTES "process_virtual_memory_bytes" MetricKind::Gauge, []
        "Virtual memory in bytes.";
    OPEN_FDS "process_open_fds" MetricKind::Gauge, []
        "Open file descriptors.";
    MAX_FDS "process_max_fds" MetricKind::Gauge, []
        "Limit of open file descriptors; 0 is unlimited.";
    THREADS "process_threads" MetricKind::Gauge, []
        "Threads of the process.";

    REQUESTS "reviews_http_requests_total" MetricKind::Counter, ["route" &[], "status" &[]]
        "Answers by route and class of status.";
    REQUEST_SECONDS "reviews_http_request_seconds" MetricKind::Histogram(ANSWER_SECONDS), ["route" &[]]
        "Seconds until the first byte of the answer was ready.";
    CONNECTIONS_REFUSED "reviews_http_connections_refused_total" MetricKind::Counter, ["reason" &["all", "peer"]]
        "Connections rejected because all were in use or the peer had reached its limit.";
    CONNECTIONS_YIELDED "reviews_http_connections_yielded_total" MetricKind::Counter, []
        "Idle connections that were closed to make room for others.";
    MCP_BYTES "reviews_mcp_in_flight_bytes" MetricKind::Gauge, []
        "Bytes of requests at /mcp and of their answers that clients have not read yet.";
    MCP_REFUSED "reviews_mcp_refused_total" MetricKind::Counter, ["reason" &["all", "peer"]]
        "Requests at /mcp answered 503 because too many bytes were in flight, in total or from the peer.";
    COMPUTE_REFUSED "reviews_http_compute_refused_total" MetricKind::Counter, []
        "Requests answered 503 because too many waited to be computed.";
    LINES_DROPPED "reviews_output_lines_dropped_total" MetricKind::Counter, ["stream" &["stderr", "stdout"]]
        "Lines for standard error (the log) or standard output that could not be queued or written.";

    SNAPSHOTS "reviews_snapshots_total" MetricKind::Counter, []
        "Snapshots published since the start, except the first one.";
    PUBLISH_FAILURES "reviews_publish_failures_total" MetricKind::Counter, []
        "Attempts to publish a snapshot that failed.";
    PUBLISH_SECONDS_TAKEN "reviews_publish_seconds" MetricKind::Histogram(PUBLISH_SECONDS), []
        "Seconds from detecting a change to publishing the snapshot.";
    PUBLISHED "reviews_published" MetricKind::Gauge, []
        "Published reviews.";
    SNAPSHOT_AGE "reviews_snapshot_age_seconds" MetricKind::Gauge, []
        "Seconds since the current snapshot was published; grows while nothing changes.";
    SNAPSHOT_BEHIND "reviews_snapshot_behind_seconds" MetricKind::Gauge, []
        "Seconds for which publishing has been failing and the snapshot may be behind the database; 0 while it works.";
    SNAPSHOT_BYTES "reviews_snapshot_bytes" MetricKind::Gauge, ["coding" &["identity", "gzip", "br"]]
        "Bytes of the documents of the current snapshot, in each content coding that is ready.";
    DATABASE_BYTES "reviews_database_bytes" MetricKind::Gauge, ["file" &["main", "wal"]]
        "Bytes of the database file and of its write-ahead log.";

    CLUSTER_LEADER "reviews_cluster_leader" MetricKind::Gauge, []
        "1 if this node's rqlited leads the cluster; 0 if it does not, or without a cluster.";
    CLUSTER_CONTACT_AGE "reviews_cluster_contact_age_seconds" MetricKind::Gauge, []
        "Seconds since the last contact of this node's rqlited with the leader; the served data may be that old.";
    CLUSTER_BEHIND "reviews_cluster_behind_entries" MetricKind::Gauge, []
        "Entries of the cluster's log that are committed and not yet in this node's file.";

    SEARCH_INDEX "reviews_search_index_total" MetricKind::Counter, ["outcome" &["answered", "busy", "slow", "many", "other", "failed"]]
        "Queries of the text index by outcome; all but the answered ones were scanned.";
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
    HUB_WAITS "reviews_websub_waits_total" MetricKind::Counter, []
        "Verifications delayed by a limit per address.";
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
    HUB_IN_FLIGHT "reviews_websub_in_flight" MetricKind::Gauge, []
        "Exchanges with callbacks in progress.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_known_where_all_values_are() {
        let metric = Metric {
            name: "a_total",
            kind: MetricKind::Counter,
            help: "For this test.",
            labels: &[("one", &["a", "b"]), ("other", &["c", "d"])],
        };
        assert_eq!(
            metric.known_series(),
            [["a", "c"], ["a", "d"], ["b", "c"], ["b", "d"]]
        );
        let open = Metric {
            labels: &[("one", &["a", "b"]), ("route", &[])],
            ..metric
        };
        assert_eq!(open.known_series(), [] as [Vec<&str>; 0]);
        let plain = Metric {
            labels: &[],
            ..metric
        };
        assert_eq!(plain.known_series(), [[] as [&str; 0]]);
    }
}
