//! Import output for tests.

use std::io;

use reviews_service::imports::{Rejection, Watch};

/// Collects rejections instead of printing them.
#[derive(Debug, Default)]
pub struct Quiet {
    pub rejections: Vec<Rejection>,
}

impl Watch for Quiet {
    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        self.rejections.push(rejection);
        Ok(())
    }
}
