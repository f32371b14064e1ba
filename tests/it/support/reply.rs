//! How a receiver answers, well or badly.

/// How a receiver answers a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Status, header fields, body.
    Answer(u16, Vec<(String, String)>, Vec<u8>),
    /// 200 and the challenge, as a subscriber who agrees.
    Challenge,
    /// No byte, until the client closes the connection.
    Never,
    /// 200, and then a byte now and then.
    Drip,
    /// A head, a byte now and then.
    DripHead,
    /// 200, and a body without an end.
    Endless,
    /// `100 Continue` without an end.
    Interim,
    /// 200 with so many header fields.
    Fields(usize),
    /// 200 with a header field of so many bytes.
    LongField(usize),
    /// Something that is not HTTP.
    Garbage,
    /// The connection's end instead of an answer.
    Close,
    /// 200, half a body, and the connection's end.
    CloseInBody,
}

impl Reply {
    /// An answer without a body.
    pub fn status(status: u16) -> Self {
        Self::Answer(status, Vec::new(), Vec::new())
    }

    /// A 200 with a body.
    pub fn body(body: impl Into<Vec<u8>>) -> Self {
        Self::Answer(200, Vec::new(), body.into())
    }

    /// The same with a header field.
    pub fn field(self, name: &str, value: &str) -> Self {
        match self {
            Self::Answer(status, mut fields, body) => {
                fields.push((name.to_owned(), value.to_owned()));
                Self::Answer(status, fields, body)
            }
            other => panic!("{other:?} has no fields"),
        }
    }
}
