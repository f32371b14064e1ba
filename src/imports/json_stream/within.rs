//! Where a JSON value ends (RFC 8259 §2), told byte by byte: by its brackets and quotes alone, so
//! that one of any depth and length needs a few words of memory.

/// Where in a value the scan stands.
pub(super) struct Within {
    depth: u64,
    in_string: bool,
    escaped: bool,
    is_scalar: bool,
}

impl Within {
    /// `None` where no value begins with that byte.
    pub(super) fn new(first: u8) -> Option<Self> {
        let is_scalar = !matches!(first, b'{' | b'[' | b'"');
        let begins =
            !is_scalar || first.is_ascii_alphanumeric() || matches!(first, b'-' | b'+' | b'.');
        begins.then_some(Self {
            depth: 0,
            in_string: false,
            escaped: false,
            is_scalar,
        })
    }

    /// A number or word may end with the file.
    pub(super) const fn may_end(&self) -> bool {
        self.is_scalar
    }

    /// How many of these bytes belong to the value, and whether it ends with them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (usize, bool) {
        if self.is_scalar {
            let end = bytes.iter().position(|byte| {
                matches!(
                    byte,
                    b',' | b']' | b'}' | b':' | b' ' | b'\t' | b'\n' | b'\r'
                )
            });
            return (end.unwrap_or(bytes.len()), end.is_some());
        }
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                if self.escaped {
                    self.escaped = false;
                    at += 1;
                    continue;
                }
                let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) else {
                    return (bytes.len(), false);
                };
                at += found + 1;
                self.escaped = bytes[at - 1] == b'\\';
                self.in_string = self.escaped;
                if !self.in_string && self.depth == 0 {
                    return (at, true);
                }
                continue;
            }
            match bytes[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return (at + 1, true);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (bytes.len(), false)
    }
}
