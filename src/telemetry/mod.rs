//! What the service counts and measures, as Prometheus reads it: one list of all metrics, and the handles to count with.
//!
//! Apart from the rooms that count, so that a metric's name, help, labels and buckets are written once (`catalog`), and
//! every series that can be known ahead is there from the start, at zero: an alert on a rate sees the first event only
//! if there was a value before it (<https://prometheus.io/docs/practices/instrumentation/#avoid-missing-metrics>).
//! Asking for a handle looks it up in a registry; whoever counts per request keeps the handle. Knows nothing of what the
//! figures mean.

pub mod catalog;

use std::sync::OnceLock;

use metrics::{Counter, Gauge, Histogram, Label};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// What is done with a metric's figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
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
    pub kind: Kind,
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
    fn known(&self) -> Vec<Vec<&'static str>> {
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
            Kind::Counter => metrics::describe_counter!(self.name, self.help),
            Kind::Gauge => metrics::describe_gauge!(self.name, self.help),
            Kind::Histogram(_) => metrics::describe_histogram!(self.name, self.help),
        }
        for values in self.known() {
            let labels = self.with(&values);
            match self.kind {
                Kind::Counter => metrics::counter!(self.name, labels).absolute(0),
                Kind::Gauge => metrics::gauge!(self.name, labels).set(0.0),
                // It is there, with empty buckets, as soon as there is a handle.
                Kind::Histogram(_) => drop(metrics::histogram!(self.name, labels)),
            }
        }
    }
}

/// Starts counting. One process counts once; later calls change nothing.
pub fn install() {
    RECORDER.get_or_init(|| {
        let mut builder = PrometheusBuilder::new();
        for metric in catalog::ALL {
            if let Kind::Histogram(bounds) = metric.kind {
                let matcher = Matcher::Full(metric.name.to_owned());
                builder = builder.set_buckets_for_metric(matcher, bounds).ok()?;
            }
        }
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).ok()?;
        catalog::ALL.iter().for_each(Metric::begin);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_known_where_all_values_are() {
        let metric = Metric {
            name: "a_total",
            kind: Kind::Counter,
            help: "For this test.",
            labels: &[("one", &["a", "b"]), ("other", &["c", "d"])],
        };
        assert_eq!(
            metric.known(),
            [["a", "c"], ["a", "d"], ["b", "c"], ["b", "d"]]
        );
        let open = Metric {
            labels: &[("one", &["a", "b"]), ("route", &[])],
            ..metric
        };
        assert_eq!(open.known(), [] as [Vec<&str>; 0]);
        let plain = Metric {
            labels: &[],
            ..metric
        };
        assert_eq!(plain.known(), [[] as [&str; 0]]);
    }
}
