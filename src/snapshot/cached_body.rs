//! A body that is sent to many: its bytes as they are, and in each coding as soon as that is made.
//! Documents are cached bodies, and so are the pages and descriptions that never change while the
//! service runs.

use std::sync::OnceLock;

use bytes::Bytes;

use super::coding::Coding;
use super::render::Content;

/// See the head of this file.
#[derive(Debug)]
pub struct CachedBody {
    /// The media type, as `Content-Type` gives it.
    pub content_type: &'static str,
    /// Its bytes and their digest.
    pub content: Content,
    coded: [OnceLock<Bytes>; Coding::ALL.len()],
}

impl CachedBody {
    /// A cached body that has no coding ready.
    #[must_use]
    pub fn new(content_type: &'static str, content: Content) -> Self {
        Self {
            content_type,
            content,
            coded: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// Its bytes in a coding, once they are ready.
    #[must_use]
    pub fn coded(&self, coding: Coding) -> Option<&Bytes> {
        self.coded[coding as usize].get()
    }

    /// Adds its bytes in a coding; the first that come stay, for all are the same.
    pub fn set_coded(&self, coding: Coding, bytes: Bytes) {
        let _ = self.coded[coding as usize].set(bytes);
    }

    /// The codings that are ready, best first.
    #[must_use]
    pub fn codings(&self) -> Vec<Coding> {
        Coding::ALL
            .into_iter()
            .filter(|coding| self.coded(*coding).is_some())
            .collect()
    }
}
