//! From all notes to the insights: one pass of counting, and what is made of the counts. Pure: the same notes in the same
//! order give the same result, whoever asks and whenever.

pub mod topics;
