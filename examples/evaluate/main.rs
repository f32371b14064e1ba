//! `cargo run --example evaluate -- FILE [--trade ID] [--json]`: measures the agreement of the analysis with annotators.

#![allow(
    clippy::print_stdout,
    reason = "it is run by hand, and prints its results"
)]

mod evaluate;
mod measure;

use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    print!("{}", evaluate::Evaluate::parse().run()?);
    Ok(())
}
