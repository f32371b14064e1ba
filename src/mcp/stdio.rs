//! The MCP server on stdin and stdout for local agents: one JSON-RPC message per line (MCP, "stdio"). The connection
//! is the session.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::catalog::Catalog;
use super::message::{self, Call, ErrorCode, ErrorData, Revision, check};
use crate::config::bounds::MESSAGE_BYTES_MAX;

pub struct StdioConnection {
    pub catalog: Arc<Catalog>,
    /// Whether `initialize` was answered.
    pub is_initialized: bool,
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
        let mut line = Vec::new();
        while read_line(&mut input, &mut line).await? {
            let is_whole = line.pop_if(|byte| *byte == b'\n').is_some();
            let answer = if line.len() > MESSAGE_BYTES_MAX {
                let reason = format!("A line may have at most {MESSAGE_BYTES_MAX} bytes.");
                let fault = ErrorData::new(ErrorCode::InvalidRequest, reason);
                // The rest of the line is skipped without being kept.
                while !is_whole
                    && read_line(&mut input, &mut line).await?
                    && line.last() != Some(&b'\n')
                {}
                Some(message::error(None, &fault, true))
            } else if line.trim_ascii().is_empty() {
                None
            } else {
                self.answer(&line).await
            };
            if let Some(mut answer) = answer {
                answer.push('\n');
                output.write_all(answer.as_bytes()).await?;
                output.flush().await?;
            }
        }
        Ok(())
    }

    /// `None` for a line without an answer.
    async fn answer(&mut self, line: &[u8]) -> Option<String> {
        let call = match Call::read(line) {
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
        let is_stateless = call.is_stateless();
        let opens_session = call.method == "initialize";
        if is_stateless {
            check(None, &call)?;
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

/// Reads the next line, or as much of it as tells that it is too long; false at the end.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    line.clear();
    let mut limited = input.take(MESSAGE_BYTES_MAX as u64 + 1);
    Ok(limited.read_until(b'\n', line).await? > 0)
}
