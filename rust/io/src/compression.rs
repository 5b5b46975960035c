//! The compressions of record and text files, and the readers that undo them.

use flate2::bufread::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status as Progress};
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result};

/// The compression of a file's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    #[default]
    None,
    Zlib,
    Gzip,
}

impl Compression {
    /// Returns the compression that ops and options call `""`, `"ZLIB"` or `"GZIP"`.
    pub fn from_name(name: &[u8]) -> Option<Compression> {
        match name {
            b"" => Some(Compression::None),
            b"ZLIB" => Some(Compression::Zlib),
            b"GZIP" => Some(Compression::Gzip),
            _ => None,
        }
    }

    /// Returns a reader of the decompressed contents of `source`.
    pub(crate) fn undone(
        self,
        source: impl Read + Send + Sync + 'static,
        buffer_size: usize,
    ) -> Box<dyn Read + Send + Sync> {
        let buffered = |source| BufReader::with_capacity(buffer_size, source);
        match self {
            Compression::None => Box::new(source),
            Compression::Zlib => Box::new(ZlibReader::new(buffered(source))),
            Compression::Gzip => Box::new(GzipReader::Unread(Some(buffered(source)))),
        }
    }
}

/// The contents of the members of a gzip file; an empty file has none.
enum GzipReader<R> {
    /// flate2's reader reads a header as soon as it is made, and reports an empty file as one cut short.
    Unread(Option<R>),
    Begun(Box<MultiGzDecoder<R>>),
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, to: &mut [u8]) -> Result<usize> {
        loop {
            match self {
                GzipReader::Begun(members) => return members.read(to),
                GzipReader::Unread(source) => {
                    let Some(mut unread) = source.take() else { return Ok(0) };
                    if unread.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    *self = GzipReader::Begun(Box::new(MultiGzDecoder::new(unread)));
                }
            }
        }
    }
}

/// The contents of a zlib stream. Unlike flate2's reader it distinguishes a stream that is cut short from one that
/// ends.
struct ZlibReader<R> {
    source: R,
    state: Decompress,
    started: bool,
    ended: bool,
}

impl<R> ZlibReader<R> {
    fn new(source: R) -> Self {
        ZlibReader { source, state: Decompress::new(true), started: false, ended: false }
    }
}

impl<R: BufRead> Read for ZlibReader<R> {
    fn read(&mut self, to: &mut [u8]) -> Result<usize> {
        while !self.ended && !to.is_empty() {
            let from = self.source.fill_buf()?;
            let at_end = from.is_empty();
            if at_end && !self.started {
                return Ok(0);
            }
            self.started = true;
            let (taken, given) = (self.state.total_in(), self.state.total_out());
            let progress = self.state.decompress(from, to, FlushDecompress::None);
            let (taken, given) = (self.state.total_in() - taken, self.state.total_out() - given);
            self.source.consume(taken as usize);
            self.ended = match progress {
                Ok(progress) => progress == Progress::StreamEnd,
                Err(e) => return Err(Error::new(ErrorKind::InvalidData, e)),
            };
            if given > 0 {
                return Ok(given as usize);
            }
            if at_end && !self.ended {
                return Err(Error::new(ErrorKind::UnexpectedEof, "the compressed stream is cut short"));
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use std::io::{Cursor, Write};

    fn text() -> Vec<u8> {
        (0..50_000u32).flat_map(|i| (i * i % 251).to_le_bytes()).collect()
    }

    fn compressed(compression: Compression) -> Vec<u8> {
        let level = flate2::Compression::default();
        if compression == Compression::Gzip {
            let mut to = GzEncoder::new(Vec::new(), level);
            to.write_all(&text()).unwrap();
            return to.finish().unwrap();
        }
        let mut to = ZlibEncoder::new(Vec::new(), level);
        to.write_all(&text()).unwrap();
        to.finish().unwrap()
    }

    fn undone(compression: Compression, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        compression.undone(Cursor::new(bytes), 100).read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn what_was_compressed_comes_back_and_an_empty_file_is_empty() {
        for c in [Compression::Zlib, Compression::Gzip] {
            assert_eq!(undone(c, compressed(c)).unwrap(), text());
            assert_eq!(undone(c, Vec::new()).unwrap(), b"");
        }
    }

    #[test]
    fn every_cut_is_noticed() {
        for c in [Compression::Zlib, Compression::Gzip] {
            let whole = compressed(c);
            for n in 1..whole.len() {
                assert!(undone(c, whole[..n].to_vec()).is_err(), "{c:?} cut to {n} bytes");
            }
        }
    }

    #[test]
    fn members_of_a_gzip_file_follow_each_other() {
        let twice = [compressed(Compression::Gzip), compressed(Compression::Gzip)].concat();
        assert_eq!(undone(Compression::Gzip, twice).unwrap(), [text(), text()].concat());
    }
}
