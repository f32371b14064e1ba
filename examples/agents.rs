//! Load test with many agents: sends calls in parallel for a while, by the older revisions and by the stateless one, and
//! reports the cost. Memory and CPU time are those of the service's process, as Linux counts them.
//!
//! ```text
//! cargo build --profile dist --bin reviews --example agents
//! target/dist/reviews serve --seed seeds &
//! target/dist/examples/agents http://127.0.0.1:8080/mcp $! [CLIENTS] [SECONDS]
//! ```
//!
//! `$!` is the last process that the shell started: the service itself, not a cargo process that waits for it.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "it prints measurements with the system's clock"
)]

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const STATELESS: &str = "2026-07-28";
/// The unit in which Linux counts CPU time.
const TICKS_PER_SECOND: u64 = 100;

#[tokio::main]
async fn main() -> Result<()> {
    // reqwest is built without cryptography; the first installation cannot fail.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let given: Vec<String> = std::env::args().skip(1).collect();
    let (url, process) = (
        given.first().context("which URL?")?,
        given.get(1).context("which process?")?.clone(),
    );
    let number =
        |at: usize, default: usize| given.get(at).map_or(Ok(default), |given| given.parse());
    let (clients, seconds) = (number(2, 50)?, number(3, 60)?);
    println!("memory: {} KiB before", resident_kib(&process)?);

    let (cpu_before, until) = (
        cpu(&process)?,
        Instant::now() + Duration::from_secs(seconds as u64),
    );
    let mut asking = JoinSet::new();
    for client in 0..clients {
        asking.spawn(ask(url.clone(), client, until));
    }
    let mut taken: Vec<Duration> = Vec::new();
    while let Some(done) = asking.join_next().await {
        taken.extend(done??);
    }
    taken.sort_unstable();
    let at = |per_mille: usize| taken[(taken.len() - 1) * per_mille / 1_000].as_secs_f64() * 1e3;
    println!(
        "{clients} clients for {seconds} s: {} answers, {:.0} a second",
        taken.len(),
        taken.len() as f64 / seconds as f64
    );
    println!(
        "latency: median {:.2} ms, 95 % {:.2} ms, 99 % {:.2} ms, longest {:.1} ms",
        at(500),
        at(950),
        at(990),
        at(1_000)
    );
    println!(
        "CPU time of the service: {:.3} ms an answer",
        cpu(&process)?.saturating_sub(cpu_before).as_secs_f64() * 1e3 / taken.len() as f64
    );
    println!("memory: {} KiB after", resident_kib(&process)?);
    Ok(())
}

/// Sends one call after the other; returns the duration of each.
async fn ask(url: String, client: usize, until: Instant) -> Result<Vec<Duration>> {
    let calls = [
        json!({ "name": "search_reviews", "arguments": { "query": "leak", "limit": 5 } }),
        json!({ "name": "get_business", "arguments": {} }),
        json!({ "name": "search_reviews", "arguments": { "rating": 5 } }),
        json!({ "name": "list_facets", "arguments": {} }),
    ];
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {} });
    let (http, mut taken) = (Client::new(), Vec::new());
    for turn in client.. {
        let started = Instant::now();
        if started >= until {
            break;
        }
        let mut params = calls[turn % calls.len()].clone();
        let mut request = http.post(&url);
        if turn % 3 == 0 {
            let name = params["name"].as_str().unwrap_or_default();
            request = request
                .header("mcp-method", "tools/call")
                .header("mcp-name", name)
                .header("mcp-protocol-version", STATELESS);
            params["_meta"] = meta.clone();
        }
        let answer = send(
            request,
            &json!({ "jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": params }),
        )
        .await?;
        let said: Value = serde_json::from_slice(&answer.bytes().await?)?;
        taken.push(started.elapsed());
        ensure!(said["result"]["isError"] == false, "{said}");
    }
    Ok(taken)
}

async fn send(request: RequestBuilder, message: &Value) -> Result<reqwest::Response> {
    let answer = request
        .header("content-type", "application/json")
        .body(message.to_string())
        .send()
        .await?;
    Ok(answer.error_for_status()?)
}

fn resident_kib(process: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .context("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// User and system time so far.
fn cpu(process: &str) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    // Fields 14 and 15 of proc(5); the text after the name begins with the third field.
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND))
}
