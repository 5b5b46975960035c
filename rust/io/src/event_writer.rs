//! Event files being written: what is added is put into the file by a thread of its own.

use crate::file::{failure, path_of};
use crate::{Compression, RecordWriter};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{Event, Summary, event};
use ferroflow_sync::{Condvar, Mutex};
use ferroflow_tensor::{Result, Status};
use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The version of the format, which the first event of a file has.
const VERSION: &str = "brain.Event:2";

/// Whoever adds to this many bytes that are not in the file yet waits.
const MOST_PENDING: usize = 64 << 20;

/// So many bytes of events call the thread before their time comes: to call it for each event costs more than the event.
const BATCH: usize = 64 << 10;

#[derive(Default)]
struct State {
    /// Events in order, not yet taken by the thread.
    pending: Vec<Vec<u8>>,
    pending_bytes: usize,
    /// Flushes requested and done.
    requested: u64,
    done: u64,
    closing: bool,
    /// The thread sleeps until it is called.
    is_resting: bool,
    failure: Option<Status>,
}

struct Shared {
    state: Mutex<State>,
    /// Something is to be done.
    work: Condvar,
    /// Something was done.
    progress: Condvar,
}

fn event(wall_time: f64, step: i64, what: event::What) -> Event {
    Event { wall_time, step, what: Some(what), ..Default::default() }
}

/// An event file being written. Dropped, it is closed, and failures are forgotten.
pub struct EventWriter {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Tags that the file has.
    described: Mutex<HashSet<String>>,
    name: String,
    process: u32,
}

/// The writer of the thread.
struct Output {
    records: RecordWriter,
    /// The same file, to have its contents on the disk.
    file: File,
    name: String,
}

impl Output {
    fn write(&mut self, events: &[Vec<u8>]) -> Result<()> {
        events.iter().try_for_each(|event| self.records.write(event))
    }

    fn sync(&mut self) -> Result<()> {
        self.records.flush()?;
        self.file.sync_data().map_err(|e| failure(&self.name, &e))
    }
}

fn run(shared: &Shared, mut output: Output, interval: Duration) {
    // The first events are written early, so that TensorBoard shows them soon.
    let mut flush_at = Instant::now();
    let mut is_dirty = false;
    let mut state = shared.state.lock();
    loop {
        let requested = state.requested;
        let is_waited_for = is_dirty || !state.pending.is_empty();
        let is_due = is_waited_for && Instant::now() >= flush_at;
        if requested == state.done && !state.closing && state.pending_bytes < BATCH && !is_due {
            if is_waited_for {
                shared.work.wait_until(&mut state, flush_at);
            } else {
                state.is_resting = true;
                shared.work.wait(&mut state);
                state.is_resting = false;
            }
            continue;
        }
        let events = std::mem::take(&mut state.pending);
        state.pending_bytes = 0;
        let (closing, failed) = (state.closing, state.failure.is_some());
        let flushing = requested != state.done || closing;
        drop(state);
        let mut result = Ok(());
        if !failed {
            is_dirty |= !events.is_empty();
            result = output.write(&events);
            if result.is_ok() && is_dirty && (flushing || is_due) {
                result = output.sync();
                is_dirty = false;
                flush_at = Instant::now() + interval;
            }
        }
        drop(events);
        state = shared.state.lock();
        if let Err(failure) = result {
            state.failure.get_or_insert(failure);
            is_dirty = false;
        }
        state.done = requested;
        shared.progress.notify_all();
        if closing && state.pending.is_empty() {
            return;
        }
    }
}

impl EventWriter {
    /// Makes an event file, in place of one that has the name, with the event that says its version.
    ///
    /// Args: `interval` is the longest time that an event stays out of the file; `wall_time` is in seconds since 1970.
    ///
    /// Errors: those of the system, `NotFound` and its like, naming the file.
    pub fn create(name: impl AsRef<[u8]>, interval: Duration, wall_time: f64) -> Result<EventWriter> {
        let path = name.as_ref();
        let name = String::from_utf8_lossy(path).into_owned();
        let records = RecordWriter::create(path, Compression::None, None)?;
        let file = File::options().append(true).open(path_of(path)).map_err(|e| failure(&name, &e))?;
        let mut output = Output { records, file, name: name.clone() };
        let what = event::What::FileVersion(VERSION.to_owned());
        output.write(&[event(wall_time, 0, what).encode_to_vec()])?;
        output.sync()?;
        let shared =
            Arc::new(Shared { state: Mutex::default(), work: Condvar::default(), progress: Condvar::default() });
        let threads = shared.clone();
        let thread = std::thread::Builder::new()
            .name("event-writer".to_owned())
            .spawn(move || run(&threads, output, interval))
            .map_err(|e| Status::resource_exhausted(format!("no thread for {name}: {e}")))?;
        Ok(EventWriter {
            shared,
            thread: Mutex::new(Some(thread)),
            described: Mutex::default(),
            name,
            process: std::process::id(),
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Fails after a fork, because the thread is the other process's.
    fn check_process(&self) -> Result<()> {
        match self.process == std::process::id() {
            true => Ok(()),
            false => Err(Status::failed_precondition(format!("{} was opened by another process", self.name))),
        }
    }

    /// Appends a serialized `Event`.
    ///
    /// Errors: the first failure of the system; `FailedPrecondition` where the file is closed, or open in another process.
    pub fn add(&self, event: Vec<u8>) -> Result<()> {
        self.check_process()?;
        let mut state = self.shared.state.lock();
        while state.pending_bytes > MOST_PENDING && state.failure.is_none() {
            self.shared.progress.wait(&mut state);
        }
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        if state.closing {
            return Err(Status::failed_precondition(format!("Writer is closed: {}", self.name)));
        }
        let before = state.pending_bytes;
        state.pending_bytes += event.len();
        let is_batch = before < BATCH && state.pending_bytes >= BATCH;
        state.pending.push(event);
        if std::mem::take(&mut state.is_resting) || is_batch {
            self.shared.work.notify_one();
        }
        Ok(())
    }

    /// Appends a serialized `Summary`. The metadata of a tag are kept where the tag comes first, and left out from then on.
    ///
    /// Errors: `InvalidArgument` where it is none; as `add`.
    pub fn add_summary(&self, summary: &[u8], wall_time: f64, step: i64) -> Result<()> {
        let mut summary = Summary::decode(summary)
            .map_err(|e| Status::invalid_argument(format!("the summary is no Summary message: {e}")))?;
        for value in &mut summary.value {
            // TF 1.x: a tag that comes without metadata first has none later.
            if !self.described.lock().insert(value.tag.clone()) {
                value.metadata = None;
            }
        }
        self.add(event(wall_time, step, event::What::Summary(summary)).encode_to_vec())
    }

    /// Waits until all events so far are on the disk.
    ///
    /// Errors: as `add`, but for a closed file, of which there is nothing to flush.
    pub fn flush(&self) -> Result<()> {
        self.check_process()?;
        let mut state = self.shared.state.lock();
        if !state.closing {
            state.requested += 1;
            let mine = state.requested;
            self.shared.work.notify_one();
            while state.done < mine {
                self.shared.progress.wait(&mut state);
            }
        }
        state.failure.clone().map_or(Ok(()), Err)
    }

    /// Waits until all events are on the disk, and ends the file; closing again does nothing.
    ///
    /// Errors: the first failure of the system; `FailedPrecondition` where the file is open in another process.
    pub fn close(&self) -> Result<()> {
        self.check_process()?;
        let Some(thread) = self.thread.lock().take() else { return Ok(()) };
        self.shared.state.lock().closing = true;
        self.shared.work.notify_one();
        let ended = thread.join();
        let state = self.shared.state.lock();
        match (&state.failure, ended) {
            (Some(failure), _) => Err(failure.clone()),
            (None, Err(_)) => Err(Status::internal(format!("the thread that writes {} panicked", self.name))),
            (None, Ok(())) => Ok(()),
        }
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordReader;
    use ferroflow_proto::tensorflow::SummaryMetadata;
    use ferroflow_proto::tensorflow::summary::{Value, value};

    const NEVER: Duration = Duration::from_secs(3600);

    fn path(test: &str) -> String {
        let name = format!("ferroflow-{}-{test}", std::process::id());
        std::env::temp_dir().join(name).to_string_lossy().into_owned()
    }

    fn events(name: &str) -> Vec<Event> {
        let mut reader = RecordReader::open(name, Compression::None, 1 << 16).unwrap();
        let mut found = Vec::new();
        while let Some(record) = reader.read().unwrap() {
            found.push(Event::decode(record).unwrap());
        }
        found
    }

    fn steps(name: &str) -> Vec<i64> {
        events(name).iter().skip(1).map(|e| e.step).collect()
    }

    fn numbered(step: i64) -> Vec<u8> {
        Event { wall_time: 1.0, step, ..Default::default() }.encode_to_vec()
    }

    #[test]
    fn events_are_on_the_disk_in_order_once_flushed_or_closed() {
        let name = path("ordered");
        let writer = EventWriter::create(&name, NEVER, 5.0).unwrap();
        assert_eq!(events(&name)[0].what, Some(event::What::FileVersion(VERSION.to_owned())));
        (0..1000).for_each(|i| writer.add(numbered(i)).unwrap());
        writer.flush().unwrap();
        assert_eq!(steps(&name), (0..1000).collect::<Vec<_>>());
        (1000..1500).for_each(|i| writer.add(numbered(i)).unwrap());
        writer.close().unwrap();
        writer.close().unwrap();
        assert_eq!(steps(&name), (0..1500).collect::<Vec<_>>());
        assert!(writer.add(numbered(1)).is_err() && writer.flush().is_ok());
        std::fs::remove_file(&name).unwrap();
    }

    #[test]
    fn metadata_are_kept_once_for_a_tag() {
        let name = path("metadata");
        let writer = EventWriter::create(&name, NEVER, 5.0).unwrap();
        let metadata = Some(SummaryMetadata { display_name: "shown".to_owned(), ..Default::default() });
        let number = Some(value::Value::SimpleValue(1.0));
        let value = Value { tag: "t".to_owned(), metadata, value: number, ..Default::default() };
        let summary = Summary { value: vec![value] }.encode_to_vec();
        (0..3).for_each(|i| writer.add_summary(&summary, 2.0, i).unwrap());
        assert!(writer.add_summary(b"\xff", 2.0, 4).is_err());
        drop(writer);
        let described: Vec<bool> = events(&name)
            .iter()
            .filter_map(|e| match &e.what {
                Some(event::What::Summary(s)) => Some(s.value[0].metadata.is_some()),
                _ => None,
            })
            .collect();
        assert_eq!(described, [true, false, false]);
        std::fs::remove_file(&name).unwrap();
        // TF 1.x: a tag that comes without metadata first has none later.
        let writer = EventWriter::create(&name, NEVER, 5.0).unwrap();
        for metadata in [None, Some(SummaryMetadata::default())] {
            let value = Value { tag: "u".to_owned(), metadata, ..Default::default() };
            writer.add_summary(&Summary { value: vec![value] }.encode_to_vec(), 2.0, 0).unwrap();
        }
        drop(writer);
        let has_none = |e: &Event| matches!(&e.what, Some(event::What::Summary(s)) if s.value[0].metadata.is_none());
        assert_eq!(events(&name).iter().filter(|e| has_none(e)).count(), 2);
        std::fs::remove_file(&name).unwrap();
    }

    #[test]
    fn several_threads_lose_nothing() {
        let name = path("threads");
        let writer = EventWriter::create(&name, Duration::from_millis(1), 5.0).unwrap();
        std::thread::scope(|s| {
            for k in 0..4 {
                let writer = &writer;
                s.spawn(move || {
                    for i in 0..250 {
                        writer.add(numbered(k * 250 + i)).unwrap();
                        if i % 50 == 0 {
                            writer.flush().unwrap();
                        }
                    }
                });
            }
        });
        drop(writer);
        let mut found = steps(&name);
        found.sort_unstable();
        assert_eq!(found, (0..1000).collect::<Vec<_>>());
        std::fs::remove_file(&name).unwrap();
    }

    #[test]
    fn a_file_closed_amid_its_writers_holds_what_they_were_told_is_in() {
        for round in 0..20 {
            let name = path(&format!("closed-{round}"));
            let writer = EventWriter::create(&name, Duration::from_millis(1), 5.0).unwrap();
            let mut is_in = std::thread::scope(|s| {
                let writers = [0, 1, 2].map(|k| {
                    let writer = &writer;
                    s.spawn(move || {
                        let mut mine: Vec<i64> = (0..).map(|i| k << 32 | i).take(4000).collect();
                        let added = mine.iter().take_while(|&&step| writer.add(numbered(step)).is_ok()).count();
                        mine.truncate(added);
                        mine
                    })
                });
                let flusher = s.spawn(|| (0..5).for_each(|_| writer.flush().unwrap()));
                if round % 2 == 0 {
                    flusher.join().unwrap();
                }
                writer.close().unwrap();
                writers.map(|w| w.join().unwrap()).concat()
            });
            let mut found = steps(&name);
            found.sort_unstable();
            is_in.sort_unstable();
            assert_eq!(found, is_in);
            std::fs::remove_file(&name).unwrap();
        }
    }

    #[test]
    fn a_folder_that_is_missing_is_named() {
        let missing = EventWriter::create("/nowhere/at/all", NEVER, 0.0).err().unwrap();
        assert!(missing.message().contains("/nowhere/at/all"));
    }
}
