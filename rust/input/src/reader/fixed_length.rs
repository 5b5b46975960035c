//! The reader of records of one size.

use super::source::{Source, Step, key};
use ferroflow_io::input::BUFFER_SIZE;
use ferroflow_io::{Compression, Input};
use ferroflow_tensor::{Result, ensure};

/// The layout of records in a file, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    header: u64,
    record: usize,
    footer: usize,
    /// From the start of a record to the start of the next: records may overlap, or have gaps between them.
    hop: u64,
}

impl Layout {
    /// Errors: `InvalidArgument` where a size is negative, or that of records zero.
    pub fn new(header: i64, record: i64, footer: i64, hop: i64) -> Result<Layout> {
        ensure!(header >= 0, InvalidArgument, "header_bytes must be >= 0 not {header}");
        ensure!(record > 0, InvalidArgument, "record_bytes must be > 0 not {record}");
        ensure!(footer >= 0, InvalidArgument, "footer_bytes must be >= 0 not {footer}");
        ensure!(hop >= 0, InvalidArgument, "hop_bytes must be >= 0 not {hop}");
        let hop = if hop == 0 { record } else { hop };
        Ok(Layout { header: header as u64, record: record as usize, footer: footer as usize, hop: hop as u64 })
    }
}

/// Gives the records between a file's header and its footer.
pub(super) struct FixedLength {
    layout: Layout,
    compression: Compression,
    input: Option<Input>,
    number: u64,
}

impl FixedLength {
    pub fn new(layout: Layout, compression: Compression) -> FixedLength {
        FixedLength { layout, compression, input: None, number: 0 }
    }
}

impl Source for FixedLength {
    fn begin(&mut self, work: &[u8]) -> Result<()> {
        let mut input = Input::open(work, self.compression, BUFFER_SIZE)?;
        let passed = input.skip(self.layout.header)?;
        ensure!(
            passed == self.layout.header,
            OutOfRange,
            "{}; the file has {passed} bytes, fewer than its header's {}",
            input.name(),
            self.layout.header
        );
        (self.input, self.number) = (Some(input), 0);
        Ok(())
    }

    fn read(&mut self, work: &[u8]) -> Result<Step> {
        let Layout { record, footer, hop, .. } = self.layout;
        let Some(input) = &mut self.input else { return Ok(Step::done()) };
        if self.number == 0 || input.skip(hop)? == hop {
            // A record needs the footer behind it. Without one, the last bytes may be read again as the next record's.
            let needed = record.saturating_add(footer);
            input.fill(needed)?;
            if input.buffered().len() >= needed {
                let value = &input.buffered()[..record];
                let step = Step::some(key(work, self.number), value);
                self.number += 1;
                return Ok(step);
            }
        }
        self.input = None;
        Ok(Step::done())
    }

    fn clear(&mut self) {
        self.input = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn records(layout: Layout, bytes: &[u8]) -> Vec<String> {
        let mut input = Input::new(Cursor::new(bytes.to_vec()), "f", Compression::None, 16);
        assert_eq!(input.skip(layout.header).unwrap(), layout.header);
        let mut source = FixedLength { layout, compression: Compression::None, input: Some(input), number: 0 };
        let mut all = Vec::new();
        loop {
            match source.read(b"f").unwrap() {
                Step { record: Some((_, value)), .. } => all.push(String::from_utf8(value.into_vec()).unwrap()),
                Step { record: None, .. } => return all,
            }
        }
    }

    #[test]
    fn records_follow_each_other_overlap_or_have_gaps() {
        let layout = |hop| Layout::new(2, 3, 1, hop).unwrap();
        assert_eq!(records(layout(0), b"HHabcdefghF"), ["abc", "def"]);
        assert_eq!(records(layout(2), b"HHabcdefgF"), ["abc", "cde", "efg"]);
        assert_eq!(records(layout(4), b"HHabc.def.F"), ["abc", "def"]);
        assert!(records(layout(0), b"HHabc").is_empty());
    }

    #[test]
    fn sizes_that_are_negative_or_no_size_are_refused() {
        for (header, record, footer, hop) in [(-1, 1, 0, 0), (0, 0, 0, 0), (0, 1, -1, 0), (0, 1, 0, -1)] {
            assert!(Layout::new(header, record, footer, hop).is_err());
        }
    }
}
