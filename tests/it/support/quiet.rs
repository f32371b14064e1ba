//! Import output for tests.

use std::io;

use reviews_service::imports::{Rejection, ShownTables, Watch};

/// Collects rejections and tables instead of printing them.
#[derive(Debug, Default)]
pub struct Quiet {
    pub rejections: Vec<Rejection>,
    pub tables: Vec<ShownTables>,
}

impl Watch for Quiet {
    fn table(&mut self, columns: &ShownTables) {
        self.tables.push(columns.clone());
    }

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        self.rejections.push(rejection);
        Ok(())
    }
}
