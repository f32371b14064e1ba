//! The MCP server on stdin and stdout for local agents: one JSON-RPC message per line (MCP, "stdio"). The connection
//! is the session.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::catalog::Catalog;
use super::message::{self, Call, ErrorCode, ErrorData, Revision, VERSION_META, check_body};
use crate::config::bounds::MESSAGE_BYTES_MAX;

pub struct StdioConnection {
    pub catalog: Arc<Catalog>,
    /// Whether `initialize` was answered.
    pub is_initialized: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum InputLine {
    Whole(Vec<u8>),
    /// More bytes than the limit; they were skipped.
    TooLong,
    End,
}

impl StdioConnection {
    /// Answers each line until `input` ends.
    ///
    /// # Errors
    /// If reading or writing fails.
    pub async fn run(
        mut self,
        mut input: impl AsyncBufRead + Unpin,
        mut output: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        loop {
            let answer = match next_line(&mut input, MESSAGE_BYTES_MAX).await? {
                InputLine::End => return Ok(()),
                InputLine::TooLong => {
                    let reason = format!("A line may have at most {MESSAGE_BYTES_MAX} bytes.");
                    let fault = ErrorData::new(ErrorCode::InvalidRequest, reason);
                    Some(message::error(None, &fault, true))
                }
                InputLine::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => None,
                InputLine::Whole(line) => self.answer(&line).await,
            };
            if let Some(mut answer) = answer {
                answer.push('\n');
                output.write_all(answer.as_bytes()).await?;
                output.flush().await?;
            }
        }
    }

    /// `None` for a line without an answer.
    async fn answer(&mut self, line: &[u8]) -> Option<String> {
        let parsed = message::parse(line).map_err(|mut fault| {
            fault.message = fault.message.replacen("body", "line", 1);
            (None, fault)
        });
        let call = match parsed.and_then(Call::read) {
            Ok(call) => call?,
            Err((id, fault)) => return Some(message::error(id.as_ref(), &fault, true)),
        };
        let id = call.id.clone()?;
        Some(match self.call(call).await {
            Ok(json) => message::result(&id, &json),
            Err(fault) => message::error(Some(&id), &fault, true),
        })
    }

    async fn call(&mut self, call: Call) -> Result<String, ErrorData> {
        let is_stateless = call.meta(VERSION_META).is_some() || call.method == "server/discover";
        let opens_session = call.method == "initialize";
        if is_stateless {
            check_body(&call)?;
        } else if !self.is_initialized && !opens_session && call.method != "ping" {
            let reason = "Send initialize first; or use 2026-07-28, without a session.";
            return Err(ErrorData::new(ErrorCode::InvalidRequest, reason));
        }
        let revision = if is_stateless {
            Revision::July2026
        } else {
            Revision::DEFAULT
        };
        let json = self.catalog.answer(call, revision).await?;
        self.is_initialized |= opens_session;
        Ok(json)
    }
}

/// The next line without its terminator, if it has at most `bytes_max` bytes.
async fn next_line(
    input: &mut (impl AsyncBufRead + Unpin),
    bytes_max: usize,
) -> io::Result<InputLine> {
    // With its terminator; without one, it is the last line or too long.
    let mut line = Vec::new();
    let mut limited = (&mut *input).take(bytes_max as u64 + 1);
    if limited.read_until(b'\n', &mut line).await? == 0 {
        return Ok(InputLine::End);
    }
    let is_ended = line.pop_if(|byte| *byte == b'\n').is_some();
    if is_ended || line.len() <= bytes_max {
        return Ok(InputLine::Whole(line));
    }
    // Skips the rest of the line without keeping it.
    loop {
        let buffer = input.fill_buf().await?;
        let end = memchr::memchr(b'\n', buffer);
        let is_over = end.is_some() || buffer.is_empty();
        let skipped = end.map_or(buffer.len(), |end| end + 1);
        input.consume(skipped);
        if is_over {
            return Ok(InputLine::TooLong);
        }
    }
}
