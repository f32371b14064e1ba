//! Texts of a segment, kept in one buffer: apart, so that a segment reads as what it holds.

/// Texts one behind the other, with the end of each.
#[derive(Debug, Clone, Default)]
pub(super) struct PackedStrings {
    pub bytes: Vec<u8>,
    pub ends: Vec<u32>,
}

impl PackedStrings {
    pub fn push(&mut self, text: &[u8], separator: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.bytes.extend_from_slice(separator);
        // A segment of more than 4 GiB would have to hold one review of that size; imports bound a
        // text far below.
        self.ends
            .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn bounds(&self, index: usize) -> (usize, usize) {
        let start = if index == 0 {
            0
        } else {
            self.ends[index - 1] as usize
        };
        (start, self.ends[index] as usize)
    }
}
