//! Import output for tests.

use std::io;

use reviews_service::imports::{Rejection, TableColumns, Watch};

/// Collects rejections and tables instead of printing them.
#[derive(Debug, Default)]
pub struct Quiet {
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
