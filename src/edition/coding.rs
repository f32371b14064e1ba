//! temporary: replaced by the merge of `respond`.
/// x
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// x
    Brotli,
    /// x
    Zstd,
    /// x
    Gzip,
}
impl Coding {
    /// x
    pub const ALL: [Self; 3] = [Self::Brotli, Self::Zstd, Self::Gzip];
}
