//! Formats criterion's medians, read from its files, as rows of a Markdown table.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The median of a benchmark in nanoseconds; `None` if it was not run.
#[must_use]
pub fn median(group: &str, function: &str) -> Option<f64> {
    let path = output()
        .join(group)
        .join(function)
        .join("new")
        .join("estimates.json");
    let estimates: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

/// The folder of criterion's results.
#[must_use]
pub fn output() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("target"),
            PathBuf::from,
        )
        .join("criterion")
}

/// A duration with three digits and its unit.
#[must_use]
pub fn time(nanoseconds: Option<f64>) -> String {
    let Some(nanoseconds) = nanoseconds else {
        return "–".to_owned();
    };
    let (value, unit) = match nanoseconds {
        value if value < 1e3 => (value, "ns"),
        value if value < 1e6 => (value / 1e3, "µs"),
        value if value < 1e9 => (value / 1e6, "ms"),
        value => (value / 1e9, "s"),
    };
    let digits = if value < 10.0 {
        2
    } else {
        usize::from(value < 100.0)
    };
    format!("{value:.digits$} {unit}")
}
