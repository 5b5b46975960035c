//! RecordInput: batches of records of files, in random order, epoch after epoch.

use ferroflow_graph::{Blocking, Cancellation, Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_io::{Compression, RecordReader, file_pattern};
use ferroflow_sync::Mutex;
use ferroflow_tensor::philox::shuffle::shuffle;
use ferroflow_tensor::philox::{Philox, Words};
use ferroflow_tensor::{Bytes, Result, Status, Tensor, ensure};
use smallvec::smallvec;
use std::sync::Arc;

/// Bytes read from a file at once.
const READ_BYTES: usize = 256 << 10;

struct Options {
    pattern: String,
    seed: u64,
    shift_ratio: f32,
    buffer_size: usize,
    /// Files that are read in turns.
    parallelism: usize,
    compression: Compression,
}

/// The progress of the reading.
struct Progress {
    epoch: u64,
    words: Words,
    /// Files of this epoch that are not open yet, last first.
    files: Vec<Bytes>,
    open: Vec<RecordReader>,
    turn: usize,
    buffer: Vec<Bytes>,
    /// The batch that is being filled.
    batch: Vec<Bytes>,
}

impl Progress {
    fn new(seed: u64) -> Progress {
        let words = Words::new(Philox::new(seed, 0));
        Progress {
            epoch: 0,
            words,
            files: Vec::new(),
            open: Vec::new(),
            turn: 0,
            buffer: Vec::new(),
            batch: Vec::new(),
        }
    }

    /// Shuffles the files for one more epoch.
    fn begin_epoch(&mut self, options: &Options) -> Result<()> {
        self.epoch += 1;
        let mut files: Vec<Bytes> = Vec::new();
        for pattern in options.pattern.split(',') {
            files.extend(file_pattern::matching(pattern.as_bytes())?);
        }
        ensure!(!files.is_empty(), NotFound, "Found no files at {}", options.pattern);
        shuffle(&Philox::new(options.seed, self.epoch), &mut files);
        if (0.0..1.0).contains(&options.shift_ratio) {
            // Less than their number, because the ratio is below one.
            let shift = (f64::from(options.shift_ratio) * files.len() as f64) as usize;
            files.rotate_left(shift);
        }
        files.reverse();
        self.files = files;
        Ok(())
    }

    /// Puts a record into the buffer, in the place of another that moves to the end; false where the epoch has no more.
    fn read_one(&mut self, options: &Options) -> Result<bool> {
        loop {
            while self.open.len() < options.parallelism
                && let Some(name) = self.files.pop()
            {
                self.open.push(RecordReader::open(&name, options.compression, READ_BYTES)?);
            }
            if self.open.is_empty() {
                return Ok(false);
            }
            self.turn = (self.turn + 1) % self.open.len();
            let Some(record) = self.open[self.turn].read()?.map(Bytes::from) else {
                self.open.swap_remove(self.turn);
                continue;
            };
            let place = self.words.next_below(self.buffer.len() as u64 + 1) as usize;
            self.buffer.push(record);
            let last = self.buffer.len() - 1;
            self.buffer.swap(place, last);
            return Ok(true);
        }
    }

    fn next(&mut self, options: &Options, cancellation: &Cancellation) -> Result<Bytes> {
        if self.buffer.is_empty() && self.open.is_empty() && self.files.is_empty() {
            self.begin_epoch(options)?;
        }
        while self.buffer.len() < options.buffer_size && self.read_one(options)? {
            cancellation.check()?;
        }
        match self.buffer.pop() {
            Some(record) => Ok(record),
            None => Err(Status::out_of_range(format!("Found no records at {}", options.pattern))),
        }
    }
}

fn record_input(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let compression = init.str("compression_type")?;
    let Some(compression) = Compression::from_name(compression.as_bytes()) else {
        return Err(Status::invalid_argument(format!("Unsupported compression_type: {compression}")));
    };
    let at_least_one = |name| Ok::<_, Status>(usize::try_from(init.int(name)?).unwrap_or(0).max(1));
    let options = Options {
        pattern: init.str("file_pattern")?,
        seed: init.int("file_random_seed")? as u64,
        shift_ratio: init.float("file_shuffle_shift_ratio")?,
        buffer_size: at_least_one("file_buffer_size")?,
        parallelism: at_least_one("file_parallelism")?,
        compression,
    };
    let batch = init.int("batch_size")?;
    let batch = usize::try_from(batch)
        .map_err(|_| Status::invalid_argument(format!("batch_size must be at least 0, is {batch}")))?;
    let progress = Mutex::new(Progress::new(options.seed));
    let shared = Arc::new((options, progress));
    kernel(move |ctx| {
        let shared = shared.clone();
        ctx.run_blocking(move |cancellation| {
            let (options, progress) = &*shared;
            let mut progress = progress.lock();
            // A step that is interrupted leaves its records to the next one.
            while progress.batch.len() < batch {
                let record = progress.next(options, cancellation)?;
                progress.batch.push(record);
            }
            let records = std::mem::take(&mut progress.batch);
            Ok(smallvec![Tensor::from_strings([batch], records)?])
        })
    })
}

pub(crate) fn register(r: &mut Registry) {
    r.add(
        Op::new("RecordInput")
            .output("records: string")
            .attr("file_pattern: string")
            .attr("file_random_seed: int = 301")
            .attr("file_shuffle_shift_ratio: float = 0")
            .attr("file_buffer_size: int = 10000")
            .attr("file_parallelism: int = 16")
            .attr("batch_size: int = 32")
            .attr("compression_type: string = ''")
            .stateful()
            .blocks(Blocking::Files)
            .doc("Gives batches of the records of files, in random order.")
            .shape(shape_rules::unknown)
            .kernel(record_input),
    );
}
