//! DecodeCompressed: strings that zlib or gzip packed.

use super::each::to_strings;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Bytes, Result, Status, bail};
use flate2::read::{GzDecoder, ZlibDecoder};
use std::io::{ErrorKind, Read};

/// TF 1.x: what is longer is cut off.
const MAX_BYTES: u64 = i32::MAX as u64;

#[derive(Clone, Copy)]
enum Format {
    Zlib,
    Gzip,
}

impl Format {
    /// Refuses what does not begin as a stream of this format, as far as its first bytes are there.
    fn check(self, text: &[u8]) -> Result<()> {
        let fault = match (self, text) {
            (Format::Zlib, &[first, second, ..]) if !u16::from_be_bytes([first, second]).is_multiple_of(31) => {
                "incorrect header check"
            }
            (Format::Zlib, &[first, _, ..]) if first & 15 != 8 => "unknown compression method",
            (Format::Zlib, &[first, _, ..]) if first >> 4 > 7 => "invalid window size",
            (Format::Gzip, &[first, second, ..]) if [first, second] != [0x1f, 0x8b] => "incorrect header check",
            (Format::Gzip, &[_, _, method, ..]) if method != 8 => "unknown compression method",
            (Format::Gzip, &[_, _, _, flags, ..]) if flags & 0xe0 != 0 => "unknown header flags set",
            _ => return Ok(()),
        };
        bail!(DataLoss, "inflate() failed with error -3: {fault}")
    }

    /// Reads as much as possible of the first stream in `text`; one that ends early gives its beginning.
    fn read(self, text: &[u8]) -> Result<Bytes> {
        self.check(text)?;
        match self {
            Format::Zlib => read(ZlibDecoder::new(text)),
            Format::Gzip => read(GzDecoder::new(text)),
        }
    }
}

fn read(reader: impl Read) -> Result<Bytes> {
    let mut out = Vec::new();
    match reader.take(MAX_BYTES).read_to_end(&mut out) {
        Err(e) if e.kind() == ErrorKind::OutOfMemory => {
            Err(Status::resource_exhausted("the decompressed text is too long"))
        }
        Err(e) if e.kind() != ErrorKind::UnexpectedEof => {
            Err(Status::data_loss(format!("inflate() failed with error -3: {e}")))
        }
        _ => Ok(out.into()),
    }
}

fn decode(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    match init.str("compression_type")?.as_str() {
        "" => kernel(|ctx| {
            let value = ctx.take(0)?;
            ctx.set_output(0, value);
            Ok(())
        }),
        "ZLIB" => kernel(|ctx| to_strings(ctx, |text| Format::Zlib.read(text))),
        "GZIP" => kernel(|ctx| to_strings(ctx, |text| Format::Gzip.read(text))),
        _ => bail!(InvalidArgument, "Only ZLIB, GZIP or NONE are supported compressions"),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("DecodeCompressed")
            .input("bytes: string")
            .output("output: string")
            .attr("compression_type: string = ''")
            .doc("Returns each string decompressed: `compression_type` is ZLIB, GZIP, or empty for none.")
            .shape(shape_rules::unchanged)
            .kernel(decode),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use std::io::Write;

    #[test]
    fn what_was_packed_is_read_and_what_was_not_is_data_loss() {
        let text = b"aAaAaaaAbbBbBcc".repeat(100);
        let mut z = ZlibEncoder::new(Vec::new(), Compression::default());
        z.write_all(&text).unwrap();
        let z = z.finish().unwrap();
        assert_eq!(&*Format::Zlib.read(&z).unwrap(), text);
        let mut g = GzEncoder::new(Vec::new(), Compression::default());
        g.write_all(&text).unwrap();
        let g = g.finish().unwrap();
        assert_eq!(&*Format::Gzip.read(&g).unwrap(), text);
        assert_eq!(&*Format::Gzip.read(&[&g[..], b"more"].concat()).unwrap(), text);
        let short = Format::Zlib.read(&z[..z.len() - 8]).unwrap();
        assert!(text.starts_with(&short));
        let mut damaged = g.clone();
        let at = g.len() - 8;
        damaged[at] ^= 1;
        for (format, bytes) in [
            (Format::Zlib, &b"not packed at all"[..]),
            (Format::Zlib, &g[..]),
            (Format::Gzip, &b"junk"[..]),
            (Format::Gzip, &b"ju"[..]),
            (Format::Gzip, &z[..]),
            (Format::Gzip, &b"\x1f\x8b\x07"[..]),
            (Format::Gzip, &b"\x1f\x8b\x08\xe0"[..]),
            (Format::Gzip, &damaged[..]),
        ] {
            assert_eq!(format.read(bytes).unwrap_err().code(), ferroflow_tensor::Code::DataLoss, "{bytes:?}");
        }
        for format in [Format::Zlib, Format::Gzip] {
            assert_eq!(&*format.read(b"").unwrap(), b"");
        }
    }
}
