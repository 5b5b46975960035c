//! DecodeCompressed: strings that zlib or gzip packed.

use super::each::to_strings;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Bytes, Result, Status, bail};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::io::{ErrorKind, Read};

/// TF 1.x: what is longer is cut off.
const MAX_BYTES: u64 = i32::MAX as u64;

/// All that can be read; a stream that ends early gives what it has.
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
        "ZLIB" => kernel(|ctx| to_strings(ctx, |text| read(ZlibDecoder::new(text)))),
        "GZIP" => kernel(|ctx| to_strings(ctx, |text| read(MultiGzDecoder::new(text)))),
        _ => bail!(InvalidArgument, "Only ZLIB, GZIP or NONE are supported compressions"),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("DecodeCompressed")
            .input("bytes: string")
            .output("output: string")
            .attr("compression_type: string = ''")
            .doc("Each string decompressed: `compression_type` is ZLIB, GZIP, or empty for none.")
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
        assert_eq!(&*read(ZlibDecoder::new(&z[..])).unwrap(), text);
        let mut g = GzEncoder::new(Vec::new(), Compression::default());
        g.write_all(&text).unwrap();
        assert_eq!(&*read(MultiGzDecoder::new(&g.finish().unwrap()[..])).unwrap(), text);
        let short = read(ZlibDecoder::new(&z[..z.len() - 8])).unwrap();
        assert!(text.starts_with(&short));
        let error = read(ZlibDecoder::new(&b"not packed at all"[..])).unwrap_err();
        assert_eq!(error.code(), ferroflow_tensor::Code::DataLoss);
    }
}
