//! Readers that make one record of a piece of work: the work itself, or the file of that name.

use super::source::{Source, Step};
use ferroflow_io::file;
use ferroflow_tensor::Result;

/// Gives the work as it is.
pub(super) struct Identity;

impl Source for Identity {
    fn begin(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn read(&mut self, work: &[u8]) -> Result<Step> {
        Ok(Step::only(work, work))
    }

    fn is_stateless(&self) -> bool {
        true
    }
}

/// Gives the contents of a file.
pub(super) struct WholeFile;

impl Source for WholeFile {
    fn begin(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn read(&mut self, work: &[u8]) -> Result<Step> {
        Ok(Step::only(work, file::read(work)?))
    }

    fn is_stateless(&self) -> bool {
        true
    }
}
