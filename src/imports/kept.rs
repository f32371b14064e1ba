//! Lists of reviews that a report names: counted all, named as far as a reader wants to read.

use std::fmt;

/// How many are named.
const NAMED_MAX: usize = 20;

/// Reviews that a report counts and names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// How many there are.
    pub count: u64,
    /// The first of them, each by its id and what there is to say of it.
    pub names: Vec<String>,
}

impl Named {
    /// Counts one more; `name` is called only where it will be among the named.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.names.len() < NAMED_MAX {
            self.names.push(name());
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        let more = self.count.saturating_sub(self.names.len() as u64);
        if more > 0 {
            write!(f, " and {more} more")
        } else {
            Ok(())
        }
    }
}
