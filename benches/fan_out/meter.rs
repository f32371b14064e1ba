//! Measures wall time, CPU time of this process, and growth of its memory.

use std::fs;
use std::time::Instant;

/// Clock ticks per second in `/proc`.
const TICKS: f64 = 100.0;

/// A running measurement.
pub struct Meter {
    start: Instant,
    cpu_seconds: f64,
    kib: usize,
}

/// The result of a measurement.
pub struct Measured {
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// Growth from the start to the peak.
    pub grown_kib: usize,
}

impl Meter {
    pub fn start() -> Self {
        // Resets the peak.
        fs::write("/proc/self/clear_refs", "5").unwrap();
        Self {
            start: Instant::now(),
            cpu_seconds: cpu_seconds(),
            kib: status_kib("VmRSS:"),
        }
    }

    pub fn stop(self) -> Measured {
        Measured {
            seconds: self.start.elapsed().as_secs_f64(),
            cpu_seconds: cpu_seconds() - self.cpu_seconds,
            grown_kib: status_kib("VmHWM:").saturating_sub(self.kib),
        }
    }
}

impl Measured {
    /// Microseconds of CPU per item of `count`.
    pub fn cpu_per(&self, count: usize) -> f64 {
        self.cpu_seconds * 1e6 / count as f64
    }
}

/// A row of the table.
pub fn row(sender: &str, hosts: usize, count: usize, measured: &Measured) {
    let per_second = count as f64 / measured.seconds;
    let (seconds, cpu) = (measured.seconds, measured.cpu_per(count));
    let per_cpu_second = count as f64 / measured.cpu_seconds;
    println!(
        "| {sender} | {hosts} | {seconds:.1} | {per_second:.0} | {cpu:.0} µs | {per_cpu_second:.0} | {} MiB |",
        measured.grown_kib / 1_024
    );
}

/// User and system time of this process and its threads.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    fields[11..13]
        .iter()
        .map(|ticks| ticks.parse::<f64>().unwrap())
        .sum::<f64>()
        / TICKS
}

fn status_kib(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
