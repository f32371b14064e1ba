//! Replies of a receiver, correct and faulty.

#[derive(Debug, Clone)]
pub enum Reply {
    /// Status, header fields, body.
    Answer(u16, Vec<(String, String)>, Vec<u8>),
    /// 200 and the challenge, like a subscriber that confirms.
    Challenge,
    /// 200 and this many characters of the challenge without a length: the end of the connection ends the body.
    UntilClosed {
        characters: usize,
        /// Whether TLS announces the end; many servers do not.
        has_close_notify: bool,
    },
    /// Nothing, until the client closes the connection.
    Never,
    /// The bytes of a head with pauses.
    DripHead,
    /// 200 and an endless body.
    Endless,
    /// Closes the connection instead of answering.
    Close,
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

    /// Adds a header field.
    pub fn field(self, name: &str, value: &str) -> Self {
        match self {
            Self::Answer(status, mut fields, body) => {
                fields.push((name.to_owned(), value.to_owned()));
                Self::Answer(status, fields, body)
            }
            other => panic!("{other:?} has no header fields"),
        }
    }
}
