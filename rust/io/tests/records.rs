//! Record files as laws: what was written comes back, and no damage goes unnoticed.

#![allow(clippy::unwrap_used)]

use ferroflow_io::checksum::masked;
use ferroflow_io::{Compression, Input, RecordReader, RecordWriter};
use ferroflow_tensor::{Code, Status};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// A file name that is gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        Scratch(std::env::temp_dir().join(format!("ferroflow-records-{}-{test}", std::process::id())))
    }

    fn name(&self) -> Vec<u8> {
        self.0.to_str().unwrap().as_bytes().to_vec()
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn records() -> Vec<Vec<u8>> {
    [0usize, 1, 5, 11, 12, 300_000, 4000].iter().map(|&n| (0..n).map(|i| (i * 31 % 256) as u8).collect()).collect()
}

fn small() -> Vec<u8> {
    let scratch = Scratch::new(&format!("small-{:?}", std::thread::current().id()));
    let mut w = RecordWriter::create(scratch.name(), Compression::None, None).unwrap();
    for r in ["one", "", "three: a longer record"] {
        w.write(r.as_bytes()).unwrap();
    }
    w.close().unwrap();
    std::fs::read(scratch.path()).unwrap()
}

/// Returns the records before the end or the failure, and the failure.
fn read(bytes: &[u8], compression: Compression) -> (Vec<Vec<u8>>, Option<Status>) {
    let mut reader = RecordReader::new(Input::new(Cursor::new(bytes.to_vec()), "file", compression, 64));
    let mut all = Vec::new();
    loop {
        match reader.read() {
            Ok(Some(r)) => all.push(r.to_vec()),
            Ok(None) => return (all, None),
            Err(e) => {
                assert_eq!(reader.read().unwrap_err(), e, "a failure stays");
                return (all, Some(e));
            }
        }
    }
}

#[test]
fn records_of_any_size_come_back_under_each_compression() {
    for compression in [Compression::None, Compression::Zlib, Compression::Gzip] {
        let scratch = Scratch::new(&format!("{compression:?}"));
        let mut w = RecordWriter::create(scratch.name(), compression, None).unwrap();
        for r in records() {
            w.write(&r).unwrap();
        }
        w.close().unwrap();
        let mut reader = RecordReader::open(scratch.name(), compression, 1000).unwrap();
        for r in records() {
            assert_eq!(reader.read().unwrap(), Some(&r[..]));
        }
        assert_eq!(reader.read().unwrap(), None);
        assert_eq!(reader.offset(), records().iter().map(|r| r.len() as u64 + 16).sum::<u64>());
    }
}

#[test]
fn every_flipped_bit_is_data_loss_and_what_comes_before_it_is_read() {
    let good = small();
    let (whole, none) = read(&good, Compression::None);
    assert!(none.is_none() && whole.len() == 3);
    for position in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[position] ^= 1 << bit;
            let (before, failure) = read(&bad, Compression::None);
            let failure = failure.unwrap();
            assert_eq!(failure.code(), Code::DataLoss, "byte {position}, bit {bit}");
            assert!(failure.message().starts_with("file; "), "{failure}");
            assert_eq!(before, whole[..before.len()]);
            let end: usize = before.iter().map(|r| r.len() + 16).sum();
            assert!(end <= position, "the record with the flipped bit was returned");
        }
    }
}

#[test]
fn every_cut_is_data_loss_unless_it_falls_between_records() {
    let good = small();
    let (whole, _) = read(&good, Compression::None);
    let mut ends = vec![0];
    for r in &whole {
        ends.push(ends.last().unwrap() + r.len() + 16);
    }
    for n in 0..good.len() {
        let (before, failure) = read(&good[..n], Compression::None);
        assert_eq!(before, whole[..before.len()]);
        assert_eq!(failure.is_none(), ends.contains(&n), "cut to {n} bytes");
        if let Some(e) = failure {
            assert_eq!(e.code(), Code::DataLoss);
            assert!(e.message().contains("truncated record at "), "{e}");
        }
    }
}

#[test]
fn every_cut_of_a_compressed_file_is_data_loss() {
    for compression in [Compression::Zlib, Compression::Gzip] {
        let scratch = Scratch::new(&format!("cut-{compression:?}"));
        let mut w = RecordWriter::create(scratch.name(), compression, Some(9)).unwrap();
        for i in 0..20u8 {
            w.write(&[i; 30]).unwrap();
        }
        w.close().unwrap();
        let good = std::fs::read(scratch.path()).unwrap();
        assert_eq!(read(&good, compression).0.len(), 20);
        for n in 1..good.len() {
            let (before, failure) = read(&good[..n], compression);
            assert_eq!(failure.unwrap().code(), Code::DataLoss, "{compression:?} cut to {n} bytes");
            assert!(before.iter().enumerate().all(|(i, r)| *r == [i as u8; 30]));
        }
    }
}

#[test]
fn an_absurd_length_with_a_right_checksum_is_data_loss_without_the_memory_for_it() {
    for length in [1u64 << 40, u64::MAX, u64::MAX - 4, isize::MAX as u64] {
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(masked(&bytes.clone()).to_le_bytes());
        bytes.extend([0; 100]);
        let (before, failure) = read(&bytes, Compression::None);
        assert!(before.is_empty());
        let failure = failure.unwrap();
        assert_eq!(failure.code(), Code::DataLoss);
        let expected = if length > 1 << 40 { "record size too large" } else { "truncated record at 12" };
        assert!(failure.message().contains(expected), "{failure}");
    }
}

#[test]
fn reading_can_begin_at_any_record() {
    let good = small();
    let open = || RecordReader::new(Input::new(Cursor::new(good.clone()), "file", Compression::None, 32));
    let mut reader = open();
    reader.skip_to(19).unwrap();
    assert_eq!(reader.read().unwrap(), Some(&b""[..]));
    assert_eq!(reader.skip_to(0).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(open().skip_to(1000).unwrap_err().code(), Code::OutOfRange);
    let mut reader = open();
    reader.skip_to(1).unwrap();
    assert_eq!(reader.read().unwrap_err().code(), Code::DataLoss);
}

#[test]
fn what_was_flushed_is_there_before_the_file_is_closed() {
    for compression in [Compression::None, Compression::Zlib] {
        let scratch = Scratch::new(&format!("flush-{compression:?}"));
        let mut w = RecordWriter::create(scratch.name(), compression, None).unwrap();
        w.write(b"abc").unwrap();
        w.flush().unwrap();
        let mut reader = RecordReader::open(scratch.name(), compression, 100).unwrap();
        assert_eq!(reader.read().unwrap(), Some(&b"abc"[..]));
    }
}

#[test]
fn a_closed_writer_refuses_records_and_closes_again_in_peace() {
    let scratch = Scratch::new("closed");
    let mut w = RecordWriter::create(scratch.name(), Compression::Gzip, None).unwrap();
    w.close().unwrap();
    w.close().unwrap();
    assert_eq!(w.write(b"abc").unwrap_err().code(), Code::FailedPrecondition);
    assert_eq!(w.flush().unwrap_err().code(), Code::FailedPrecondition);
}

#[test]
fn a_folder_that_does_not_exist_is_not_found() {
    let e = RecordWriter::create("/nowhere/at/all", Compression::None, None).err().unwrap();
    assert_eq!((e.code(), e.message()), (Code::NotFound, "/nowhere/at/all; No such file or directory"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_at_every_later_call() {
    let mut w = RecordWriter::create("/dev/full", Compression::None, None).unwrap();
    w.write(b"abc").unwrap();
    let e = w.flush().unwrap_err();
    assert_eq!(e.code(), Code::ResourceExhausted);
    assert_eq!(w.write(b"abc").unwrap_err(), e);
    assert_eq!(w.close().unwrap_err(), e);
}
