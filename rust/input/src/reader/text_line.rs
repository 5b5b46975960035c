//! The reader of lines.

use super::source::{Source, Step, key};
use ferroflow_io::input::{BUFFER_SIZE, without_line_end};
use ferroflow_io::{Compression, Input};
use ferroflow_tensor::Result;

/// Gives the lines of a file, the first ones left out.
pub(super) struct TextLine {
    skipped: u64,
    input: Option<Input>,
    line: u64,
}

impl TextLine {
    pub fn new(skipped: u64) -> TextLine {
        TextLine { skipped, input: None, line: 0 }
    }
}

impl Source for TextLine {
    fn begin(&mut self, work: &[u8]) -> Result<()> {
        let mut input = Input::open(work, Compression::None, BUFFER_SIZE)?;
        self.line = 0;
        while self.line < self.skipped && input.line()?.is_some() {
            self.line += 1;
        }
        self.input = Some(input);
        Ok(())
    }

    fn read(&mut self, work: &[u8]) -> Result<Step> {
        match self.input.as_mut().map(Input::line).transpose()?.flatten() {
            Some(line) => {
                self.line += 1;
                Ok(Step::some(key(work, self.line), without_line_end(line)))
            }
            None => {
                self.input = None;
                Ok(Step::done())
            }
        }
    }

    fn clear(&mut self) {
        self.input = None;
    }
}
