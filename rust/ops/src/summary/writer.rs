//! SummaryWriter and the ops on it: event files and databases that steps write to.

use super::database::Database;
use super::{Tagged, audio, encoded, histogram, image, tag_in, tensor};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, Unnamed, kernel, resource_kernel, shape_rules};
use ferroflow_io::EventWriter;
use ferroflow_proto::tensorflow::summary::{Value, value};
use ferroflow_proto::tensorflow::summary_metadata::PluginData;
use ferroflow_proto::tensorflow::{Event, GraphDef, Summary, SummaryMetadata, event};
use ferroflow_proto::{Message, Name, bytes_field};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Code, DType, Result, Status, Tensor, bail, elementwise, ensure};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Number of the field of an `Event` that holds a summary.
const SUMMARY: u32 = 5;

/// More files of one second than any program makes.
const MOST_FILES: u32 = 1_000_000;

/// The place of an event file or a database: open from when a step creates it to when one closes it.
struct SummaryWriter {
    name: String,
    sink: Mutex<Option<Arc<Sink>>>,
}

enum Sink {
    File(EventWriter),
    Database(Database),
}

impl Sink {
    fn add(&self, event: Vec<u8>) -> Result<()> {
        match self {
            Sink::File(file) => file.add(event),
            Sink::Database(database) => database.add(event),
        }
    }

    /// Adds a serialized summary.
    fn add_summary(&self, summary: &[u8], step: i64) -> Result<()> {
        // TF 1.x: only `tf.summary.FileWriter` leaves out the metadata of a tag that it has written before.
        let mut event = Event { wall_time: seconds(), step, ..Default::default() }.encode_to_vec();
        event.extend(bytes_field(SUMMARY, summary));
        self.add(event)
    }

    fn add_values(&self, values: Vec<Tagged>, step: i64) -> Result<()> {
        let summary = match self {
            Sink::File(_) => encoded(&values),
            // A database holds text.
            Sink::Database(_) => Summary { value: values.into_iter().map(Tagged::readable).collect() }.encode_to_vec(),
        };
        self.add_summary(&summary, step)
    }
}

impl SummaryWriter {
    fn open(&self) -> Result<Arc<Sink>> {
        match &*self.sink.lock() {
            Some(sink) => Ok(sink.clone()),
            None => bail!(NotFound, "Resource localhost/{}/SummaryWriterInterface does not exist.", self.name),
        }
    }
}

fn seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

fn scalar_text(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<String> {
    let t = ctx.input(i)?;
    match t.strings()? {
        [one] if t.rank() == 0 => Ok(String::from_utf8_lossy(one).into_owned()),
        _ => bail!(InvalidArgument, "{name} must be scalar, got shape {}", t.shape()),
    }
}

fn scalar_number(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<i64> {
    let t = ctx.input(i)?;
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be scalar, got shape {}", t.shape());
    Ok(t.to_i64s()?[0])
}

/// Makes an empty file with a name that TensorBoard finds, and that no other writer uses.
fn new_file(folder: &str, suffix: &str) -> Result<PathBuf> {
    let failure = |what: &Path, e: &std::io::Error| match e.kind() {
        std::io::ErrorKind::PermissionDenied => Status::new(Code::PermissionDenied, format!("{}: {e}", what.display())),
        _ => Status::failed_precondition(format!("{}: {e}", what.display())),
    };
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder).map_err(|e| failure(folder, &e))?;
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "localhost" } else { host.trim() };
    let stem = format!("events.out.tfevents.{:010}.{host}", seconds() as u64);
    for taken in 0..MOST_FILES {
        let number = if taken == 0 { String::new() } else { format!(".{taken}") };
        let path = folder.join(format!("{stem}{number}{suffix}"));
        match std::fs::File::options().write(true).create_new(true).open(&path) {
            Ok(_) => return Ok(path),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(failure(&path, &e)),
        }
    }
    bail!(AlreadyExists, "{} event files named {stem} exist in {}", MOST_FILES, folder.display())
}

/// Opens the file, unless it is open.
fn create(ctx: &mut KernelContext<'_>) -> Result<()> {
    let writer = ctx.resource::<SummaryWriter>(0)?;
    let (folder, suffix) = (scalar_text(ctx, 1, "logdir")?, scalar_text(ctx, 4, "filename_suffix")?);
    scalar_number(ctx, 2, "max_queue")?;
    let millis = scalar_number(ctx, 3, "flush_millis")?;
    let mut sink = writer.sink.lock();
    if sink.is_none() {
        let path = new_file(&folder, &suffix)?;
        let interval = Duration::from_millis(u64::try_from(millis).unwrap_or(0));
        let file = EventWriter::create(path.as_os_str().as_encoded_bytes(), interval, seconds())?;
        *sink = Some(Arc::new(Sink::File(file)));
    }
    Ok(())
}

/// Opens the database, unless it is open.
fn create_database(ctx: &mut KernelContext<'_>) -> Result<()> {
    let writer = ctx.resource::<SummaryWriter>(0)?;
    let (uri, experiment) = (scalar_text(ctx, 1, "db_uri")?, scalar_text(ctx, 2, "experiment_name")?);
    let (run, user) = (scalar_text(ctx, 3, "run_name")?, scalar_text(ctx, 4, "user_name")?);
    let mut sink = writer.sink.lock();
    if sink.is_none() {
        *sink = Some(Arc::new(Sink::Database(Database::open(&uri, &experiment, &run, &user)?)));
    }
    Ok(())
}

fn flush(ctx: &mut KernelContext<'_>) -> Result<()> {
    match &*ctx.resource::<SummaryWriter>(0)?.open()? {
        Sink::File(file) => file.flush(),
        // Each addition is a transaction of its own.
        Sink::Database(_) => Ok(()),
    }
}

fn close(ctx: &mut KernelContext<'_>) -> Result<()> {
    let writer = ctx.resource::<SummaryWriter>(0)?;
    let sink = writer.sink.lock().take();
    match sink.as_deref() {
        Some(Sink::File(file)) => file.close(),
        Some(Sink::Database(database)) => database.close(),
        None => Ok(()),
    }
}

/// Writes values under the step in input 1.
fn write(ctx: &KernelContext<'_>, values: Vec<Tagged>) -> Result<()> {
    let step = scalar_number(ctx, 1, "step")?;
    ctx.resource::<SummaryWriter>(0)?.open()?.add_values(values, step)
}

fn write_tensor(ctx: &mut KernelContext<'_>) -> Result<()> {
    let tag = tag_in(ctx, 3, "tag")?;
    let metadata = ctx.input(4)?;
    let value = if metadata.strings()?.iter().all(|m| m.is_empty()) {
        Tagged::new(tag, value::Value::Tensor(ferroflow_io::tensor_message::readable(ctx.input(2)?)?))
    } else {
        tensor::value_of(tag, ctx.input(2)?, metadata)?
    };
    write(ctx, vec![value])
}

fn write_scalar(ctx: &mut KernelContext<'_>) -> Result<()> {
    let tag = tag_in(ctx, 2, "tag")?;
    let value = ctx.input(3)?;
    ensure!(value.elements() == 1, InvalidArgument, "value must be scalar, got shape {}", value.shape());
    let value = if let Sink::Database(_) = &*ctx.resource::<SummaryWriter>(0)?.open()? {
        // In its own type, which an event file does not keep.
        let scalar = ferroflow_io::tensor_message::readable(&value.clone().reshaped([])?)?;
        let plugin = PluginData { plugin_name: "scalars".to_owned(), ..Default::default() };
        let metadata = Some(SummaryMetadata { plugin_data: Some(plugin), ..Default::default() });
        let value = Some(value::Value::Tensor(scalar));
        Tagged { tag, value: Value { metadata, value, ..Default::default() } }
    } else {
        let number = elementwise::cast(value.clone(), DType::F32, ctx.threads())?.slice::<f32>()?[0];
        Tagged::new(tag, value::Value::SimpleValue(number))
    };
    write(ctx, vec![value])
}

fn write_histogram(ctx: &mut KernelContext<'_>) -> Result<()> {
    let tag = tag_in(ctx, 2, "tag")?;
    let value = histogram::value_of(ctx, tag, 3)?;
    write(ctx, vec![value])
}

fn write_image(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let most = init.int("max_images")?;
    kernel(move |ctx| {
        let tag = tag_in(ctx, 2, "tag")?;
        let bad_color = ctx.input(4)?.slice::<u8>()?;
        let values = image::values_of(&tag, ctx.input(3)?, most, bad_color)?;
        write(ctx, values)
    })
}

fn write_audio(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let most = init.int32("max_outputs")?;
    kernel(move |ctx| {
        let tag = tag_in(ctx, 2, "tag")?;
        let values = audio::values_of(&tag, ctx.input(3)?, audio::rate_in(ctx, 4)?, most)?;
        write(ctx, values)
    })
}

/// Returns the message that a string scalar holds.
fn message<M: Message + Name + Default>(t: &Tensor, what: &str) -> Result<Vec<u8>> {
    let [bytes] = t.strings()? else { bail!(InvalidArgument, "{what} must be scalar, got shape {}", t.shape()) };
    ensure!(M::decode(&**bytes).is_ok(), DataLoss, "Bad tf.{} binary proto tensor string", M::NAME);
    Ok(bytes.to_vec())
}

fn write_graph(ctx: &mut KernelContext<'_>) -> Result<()> {
    let graph = message::<GraphDef>(ctx.input(2)?, "tensor")?;
    let step = scalar_number(ctx, 1, "step")?;
    let event = Event { wall_time: seconds(), step, what: Some(event::What::GraphDef(graph)), ..Default::default() };
    ctx.resource::<SummaryWriter>(0)?.open()?.add(event.encode_to_vec())
}

/// Writes the values of serialized Summary messages in one event.
fn write_raw(ctx: &mut KernelContext<'_>) -> Result<()> {
    let mut value = Vec::new();
    for (i, bytes) in ctx.input(2)?.strings()?.iter().enumerate() {
        match Summary::decode(&**bytes) {
            Ok(summary) => value.extend(summary.value),
            Err(_) => bail!(DataLoss, "Bad tf.compat.v1.Summary binary proto tensor string at index {i}"),
        }
    }
    let step = scalar_number(ctx, 1, "step")?;
    ctx.resource::<SummaryWriter>(0)?.open()?.add_summary(&Summary { value }.encode_to_vec(), step)
}

fn import(ctx: &mut KernelContext<'_>) -> Result<()> {
    let event = message::<Event>(ctx.input(1)?, "event")?;
    ctx.resource::<SummaryWriter>(0)?.open()?.add(event)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SummaryWriter")
            .output("writer: resource")
            .attr("shared_name: string = ''")
            .attr("container: string = ''")
            .doc("Returns the place of an event file or a database, which CreateSummaryFileWriter or CreateSummaryDbWriter opens.")
            .stateful()
            .shape(shape_rules::scalar)
            .kernel(|init| {
                let make = |_: &KernelContext<'_>, name: &str| {
                    Ok(SummaryWriter { name: name.to_owned(), sink: Mutex::new(None) })
                };
                resource_kernel(init, Unnamed::NodeName, make, |_| Ok(()))
            }),
    );
    let op = |name: &str, doc: &'static str| {
        Op::new(name).input("writer: resource").doc(doc).stateful().shape(shape_rules::unknown)
    };
    r.add(
        op("CreateSummaryFileWriter", "Opens an event file in `logdir`, unless the writer has one.")
            .input("logdir: string")
            .input("max_queue: int32")
            .input("flush_millis: int32")
            .input("filename_suffix: string")
            .kernel(|_| kernel(create)),
    );
    r.add(
        op("CreateSummaryDbWriter", "Opens a SQLite file, and makes a run in it, unless the writer has one.")
            .input("db_uri: string")
            .input("experiment_name: string")
            .input("run_name: string")
            .input("user_name: string")
            .kernel(|_| kernel(create_database)),
    );
    r.add(
        op("FlushSummaryWriter", "Waits until all events are in the file or the database.").kernel(|_| kernel(flush)),
    );
    r.add(op("CloseSummaryWriter", "Ends the file or the run of a writer.").kernel(|_| kernel(close)));
    r.add(
        op("WriteSummary", "Writes a tensor with the metadata that name the plugin to show it.")
            .input("step: int64")
            .input("tensor: T")
            .input("tag: string")
            .input("summary_metadata: string")
            .attr("T: type")
            .kernel(|_| kernel(write_tensor)),
    );
    r.add(
        op("WriteRawProtoSummary", "Writes serialized Summary messages.")
            .input("step: int64")
            .input("tensor: string")
            .kernel(|_| kernel(write_raw)),
    );
    r.add(op("ImportEvent", "Writes a serialized Event message.").input("event: string").kernel(|_| kernel(import)));
    let tagged = |name: &str, doc: &'static str| op(name, doc).input("step: int64").input("tag: string");
    r.add(
        tagged("WriteScalarSummary", "Writes a number.")
            .input("value: T")
            .attr("T: realnumbertype")
            .kernel(|_| kernel(write_scalar)),
    );
    r.add(
        tagged("WriteHistogramSummary", "Writes the histogram of values.")
            .input("values: T")
            .attr("T: realnumbertype = DT_FLOAT")
            .kernel(|_| kernel(write_histogram)),
    );
    r.add(
        tagged("WriteImageSummary", "Writes the first images of a batch.")
            .input("tensor: T")
            .input("bad_color: uint8")
            .attr("max_images: int >= 1 = 3")
            .attr("T: {uint8, float, half} = DT_FLOAT")
            .kernel(write_image),
    );
    r.add(
        tagged("WriteAudioSummary", "Writes the first clips of a batch.")
            .input("tensor: float")
            .input("sample_rate: float")
            .attr("max_outputs: int >= 1 = 3")
            .kernel(write_audio),
    );
    r.add(
        op("WriteGraphSummary", "Writes a serialized GraphDef message.")
            .input("step: int64")
            .input("tensor: string")
            .kernel(|_| kernel(write_graph)),
    );
}
