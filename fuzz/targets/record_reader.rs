//! Record files of any content: every record or a failure, never a panic, and no more records than bytes can hold.
//!
//! The first byte chooses: the file itself, in each compression; or records with the right checksums, so that what follows
//! them is reached.

#![no_main]

use ferroflow_io::checksum::masked;
use ferroflow_io::{Compression, Input, RecordReader};
use ferroflow_tensor::Code;
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

/// Records whose lengths are the first byte of each piece; a length of 255 stands for one that is far too long.
fn with_checksums(mut rest: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    while let Some((&length, after)) = rest.split_first() {
        let (record, after) = after.split_at(usize::from(length).min(after.len()));
        let claimed = if length == 255 { u64::MAX - record.len() as u64 } else { u64::from(length) };
        file.extend(claimed.to_le_bytes());
        file.extend(masked(&claimed.to_le_bytes()).to_le_bytes());
        file.extend(record);
        file.extend(masked(record).to_le_bytes());
        rest = after;
    }
    file
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let (compression, file) = match choice % 4 {
        0 => (Compression::None, rest.to_vec()),
        1 => (Compression::Gzip, rest.to_vec()),
        2 => (Compression::Zlib, rest.to_vec()),
        _ => (Compression::None, with_checksums(rest)),
    };
    let most = file.len();
    let input = Input::new(Cursor::new(file), "fuzzed", compression, usize::from(choice));
    let mut reader = RecordReader::new(input);
    let mut count = 0;
    loop {
        match reader.read() {
            Ok(Some(_)) => count += 1,
            Ok(None) => break,
            Err(status) => {
                assert_eq!(status.code(), Code::DataLoss, "{status:?}");
                break;
            }
        }
    }
    // Compression makes at most 1032 bytes of one.
    assert!(count <= most * 1032 / 16 + 1);
});
