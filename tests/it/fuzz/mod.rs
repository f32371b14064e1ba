//! What strangers send and give, made up by a fuzzer (bolero, whose random engine needs no other toolchain): every parser must
//! answer, refuse or reject, and never fail. Here each target is tried some hundred times; `fuzz/run` goes on for as long as
//! it is told to. What was found once stays in the corpus beside each target.
//!
//! Bytes are turned into words of a dictionary and characters, so that most inputs get past the first step of a parser.

mod files;
mod requests;
mod texts;

use tokio::runtime::{Builder, Runtime};

/// One thread, as each test has.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// A text of these bytes: those that number a word of `words` stand for it, others for a character each.
fn spoken(bytes: &[u8], words: &[&str]) -> String {
    bytes
        .iter()
        .map(|byte| match words.get(usize::from(*byte)) {
            Some(word) => (*word).to_owned(),
            None => char::from(*byte).to_string(),
        })
        .collect()
}
