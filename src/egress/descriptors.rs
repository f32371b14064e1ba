//! What the system says when a process, or the machine, has no file descriptor left. Apart, because both looking up and dialling
//! meet it, and it is never the other side's fault.

/// `ENFILE` and `EMFILE` (on every Unix): we have no socket left.
pub(super) const NO_DESCRIPTORS: [i32; 2] = [23, 24];
