//! `cargo run --example evaluate -- FILE [--trade DIR] [--json]`: measures the agreement of the analysis with annotators.

mod evaluate;
mod measure;

use clap::Parser as _;

fn main() -> anyhow::Result<()> {
    print!("{}", evaluate::Evaluate::parse().run()?);
    Ok(())
}
