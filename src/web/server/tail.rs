//! Whether what has been read of a connection ends within the head of a next request. hyper reads
//! ahead and does not say; the time of a head that has begun (10 s) would else be that of a
//! connection that rests (75 s).
//!
//! A head ends with an empty line, and so does a chunked body (RFC 9112 §2.1, §7.1). A body of
//! known length ends where its bytes are counted down; that is known where its head was the first
//! thing read since the answer before, and otherwise the shorter time holds. A lone LF ends a line,
//! too, as hyper takes it (§2.2).

/// What is remembered of the bytes that were read since the last answer.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// The last three bytes of all.
    last: [u8; 3],
    /// Bytes since the last answer.
    bytes: u64,
    /// Those of them up to the end of the first head.
    head_bytes: Option<u64>,
    /// Whether something was left over from the exchange before, so that counting does not begin at
    /// a head.
    is_shifted: bool,
}

impl Tail {
    /// Notes what was read.
    pub(super) fn note(&mut self, read: &[u8]) {
        let mut rest = read.iter();
        while self.head_bytes.is_none()
            && let Some(byte) = rest.next()
        {
            self.bytes += 1;
            self.push(*byte);
            if self.bytes > 2 && self.is_blank_line() {
                self.head_bytes = Some(self.bytes);
            }
        }
        let rest = rest.as_slice();
        self.bytes += rest.len() as u64;
        rest[rest.len().saturating_sub(self.last.len())..]
            .iter()
            .for_each(|byte| self.push(*byte));
    }

    fn push(&mut self, byte: u8) {
        self.last = [self.last[1], self.last[2], byte];
    }

    /// Whether the last line is empty: `\n\n` or `\n\r\n`.
    const fn is_blank_line(&self) -> bool {
        matches!(self.last, [_, b'\n', b'\n'] | [b'\n', b'\r', b'\n'])
    }

    /// An answer has gone out: whether a next head has begun. `body_bytes` is how long the request
    /// said its body is.
    pub(super) fn answered(&mut self, body_bytes: Option<u64>) -> bool {
        let end = self
            .head_bytes
            .zip(body_bytes)
            .map(|(head, body)| head.saturating_add(body));
        let is_counted_down = !self.is_shifted && end == Some(self.bytes);
        let has_begun = !self.is_blank_line() && !is_counted_down;
        *self = Self {
            last: self.last,
            is_shifted: has_begun,
            ..Self::default()
        };
        has_begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
    const POST: &str = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n";

    /// What was read, in pieces of every size, before an answer to a request with such a body.
    fn has_begun(read: &str, body_bytes: Option<u64>) -> bool {
        let all: Vec<bool> = (1..=read.len())
            .map(|size| {
                let mut tail = Tail::default();
                read.as_bytes()
                    .chunks(size)
                    .for_each(|piece| tail.note(piece));
                tail.answered(body_bytes)
            })
            .collect();
        assert!(
            all.iter().all(|one| *one == all[0]),
            "{read:?}: the same however it comes"
        );
        all[0]
    }

    #[test]
    fn a_head_has_begun_where_anything_stands_behind_the_end_of_a_request() {
        for (read, body_bytes, expected) in [
            (HEAD.to_owned(), None, false),
            (HEAD.replace("\r\n", "\n"), None, false),
            (format!("{HEAD}G"), None, true),
            (format!("{HEAD}GET / HTTP/1.1\r\nhost: a\r\n"), None, true),
            (format!("{HEAD}{HEAD}"), None, false),
            (format!("{HEAD}{HEAD}GET"), None, true),
            // Empty lines are none of a head.
            (format!("{HEAD}\r\n\r\n"), None, false),
            (format!("{POST}hello"), Some(5), false),
            (format!("{POST}hel\n\n"), Some(5), false),
            (format!("{POST}helloGET /"), Some(5), true),
            (format!("{POST}hello{HEAD}"), Some(5), false),
            (
                format!(
                    "{}5\r\nhello\r\n0\r\n\r\n",
                    POST.replace("content-length: 5", "transfer-encoding: chunked")
                ),
                None,
                false,
            ),
            (
                format!(
                    "{}0\r\n\r\nG",
                    POST.replace("content-length: 5", "transfer-encoding: chunked")
                ),
                None,
                true,
            ),
        ] {
            assert_eq!(has_begun(&read, body_bytes), expected, "{read:?}");
        }
    }

    #[test]
    fn each_answer_is_followed_by_a_count_of_its_own() {
        let mut tail = Tail::default();
        for _ in 0..3 {
            tail.note(format!("{POST}hello").as_bytes());
            assert!(!tail.answered(Some(5)));
        }
        tail.note(format!("{HEAD}GET").as_bytes());
        assert!(tail.answered(None), "three bytes of a next head");
        tail.note(b" / HTTP/1.1\r\n\r\n");
        assert!(!tail.answered(None), "which has come whole");
    }
}
