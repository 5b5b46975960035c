//! WholeFileReader, TextLineReader, FixedLengthRecordReader, TFRecordReader, IdentityReader, LMDBReader: ops that name a reader.

use super::fixed_length::{FixedLength, Layout};
use super::lmdb::Lmdb;
use super::source::Source;
use super::state::Reader;
use super::text_line::TextLine;
use super::tf_record::TfRecord;
use super::whole::{Identity, WholeFile};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, Unnamed, resource_kernel};
use ferroflow_io::Compression;
use ferroflow_tensor::{PartialShape, Result, bail, ensure};

fn reader(
    init: &KernelInit<'_>,
    kind: &'static str,
    source: impl Fn() -> Box<dyn Source> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    let made =
        move |_: &ferroflow_graph::KernelContext<'_>, name: &str| Ok(Reader::new(format!("{kind} '{name}'"), source()));
    resource_kernel(init, Unnamed::NodeName, made, |_: &Reader| Ok(()))
}

fn compression(init: &KernelInit<'_>, attr: &str) -> Result<Compression> {
    let name = init.bytes(attr)?;
    match Compression::from_name(&name) {
        Some(compression) => Ok(compression),
        None => bail!(InvalidArgument, "{attr} must be '', 'ZLIB' or 'GZIP', got '{}'", name.escape_ascii()),
    }
}

fn whole_file(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    reader(init, "WholeFileReader", || Box::new(WholeFile))
}

fn identity(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    reader(init, "IdentityReader", || Box::new(Identity))
}

fn text_line(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let skipped = init.int32("skip_header_lines")?;
    ensure!(skipped >= 0, InvalidArgument, "skip_header_lines must be >= 0 not {skipped}");
    reader(init, "TextLineReader", move || Box::new(TextLine::new(skipped as u64)))
}

fn fixed_length(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let layout = Layout::new(
        init.int("header_bytes")?,
        init.int("record_bytes")?,
        init.int("footer_bytes")?,
        init.int("hop_bytes")?,
    )?;
    let compression = if init.get("encoding").is_some() { compression(init, "encoding")? } else { Compression::None };
    reader(init, "FixedLengthRecordReader", move || Box::new(FixedLength::new(layout, compression)))
}

fn tf_record(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let compression = compression(init, "compression_type")?;
    reader(init, "TFRecordReader", move || Box::new(TfRecord::new(compression)))
}

fn lmdb(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    reader(init, "LMDBReader", || Box::new(Lmdb::default()))
}

fn reference_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::vector(Some(2)));
    Ok(())
}

fn handle_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("LMDBReader")
            .output("reader_handle: Ref(string)")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .doc("Reads the entries of LMDB databases.")
            .stateful()
            .shape(reference_shape)
            .kernel(lmdb),
    );
    // Each op in two forms: the older one names the reader by a reference, the newer one by a handle.
    for v2 in [false, true] {
        let op = |name: &str| match v2 {
            true => Op::new(&format!("{name}V2")).output("reader_handle: resource").shape(handle_shape).stateful(),
            false => Op::new(name).output("reader_handle: Ref(string)").shape(reference_shape).stateful(),
        };
        let named = |op: Op| op.attr("container: string = ''").attr("shared_name: string = ''");
        r.add(named(op("WholeFileReader")).doc("Reads files, each as one record.").kernel(whole_file));
        r.add(
            named(op("TextLineReader").attr("skip_header_lines: int = 0"))
                .doc("Reads the lines of files.")
                .kernel(text_line),
        );
        let fixed = named(
            op("FixedLengthRecordReader")
                .attr("header_bytes: int = 0")
                .attr("record_bytes: int")
                .attr("footer_bytes: int = 0")
                .attr("hop_bytes: int = 0"),
        );
        let fixed = if v2 { fixed.attr("encoding: string = ''") } else { fixed };
        r.add(fixed.doc("Reads records of one size between a header and a footer.").kernel(fixed_length));
        r.add(
            named(op("TFRecordReader"))
                .attr("compression_type: string = ''")
                .doc("Reads the records of record files.")
                .kernel(tf_record),
        );
        r.add(named(op("IdentityReader")).doc("Gives work on as it is: key and value are the same.").kernel(identity));
    }
}
