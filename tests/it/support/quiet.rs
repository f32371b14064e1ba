//! Imports without a terminal.

use std::io;

use reviews_service::imports::{Rejection, TableColumns, Watch};

/// Collects the rejections and tables without showing anything, for callers without a terminal.
#[derive(Debug, Default)]
pub struct Quiet {
    /// In the order of reading.
    pub rejections: Vec<Rejection>,
    pub tables: Vec<TableColumns>,
}

impl Watch for Quiet {
    fn table(&mut self, _file: &str, columns: &TableColumns) {
        self.tables.push(columns.clone());
    }

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        self.rejections.push(rejection);
        Ok(())
    }
}
