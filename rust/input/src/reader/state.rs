//! `Reader`: the resource that operations share, and the line they stand in.

use super::source::{Record, Source};
use crate::wire::{Fields, Malformed, Value};
use ferroflow_graph::Bell;
use ferroflow_sync::{Mutex, is_lost};
use ferroflow_tensor::{Bytes, Result, bail, ensure};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

struct State {
    source: Box<dyn Source>,
    /// Under way.
    work: Option<Bytes>,
    started: i64,
    finished: i64,
    produced: i64,
}

/// Turns work into records; one operation reads at a time, the others wait in line.
pub(super) struct Reader {
    /// Kind and name, for errors.
    name: String,
    state: Mutex<State>,
    line: Mutex<VecDeque<Place>>,
}

struct Place {
    number: u64,
    bell: Arc<Bell>,
    process: u32,
}

/// A place in a reader's line, left when dropped.
pub(super) struct Turn {
    reader: Arc<Reader>,
    number: u64,
}

impl Turn {
    /// Gets in line; the bell rings when the turn has come.
    pub fn new(reader: Arc<Reader>, bell: &Arc<Bell>) -> Turn {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (number, process) = (NEXT.fetch_add(1, Ordering::Relaxed), std::process::id());
        let mut line = reader.line.lock();
        // After a fork the child has the line, but not the threads in it.
        line.retain(|p| p.process == process);
        line.push_back(Place { number, bell: bell.clone(), process });
        drop(line);
        Turn { reader, number }
    }

    pub fn has_come(&self) -> bool {
        self.reader.line.lock().front().is_some_and(|p| p.number == self.number)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if is_lost(&self.reader.line) {
            return;
        }
        let mut line = self.reader.line.lock();
        line.retain(|p| p.number != self.number);
        if let Some(next) = line.front() {
            next.bell.ring();
        }
    }
}

/// The next result of a reader without a blocked operation.
pub(super) enum Next {
    Record(Record),
    /// The work under way has ended.
    WorkEnded,
    WorkNeeded,
}

impl Reader {
    pub fn new(name: String, source: Box<dyn Source>) -> Reader {
        let state = State { source, work: None, started: 0, finished: 0, produced: 0 };
        Reader { name, state: Mutex::new(state), line: Mutex::new(VecDeque::new()) }
    }

    /// Begins with a piece of work. One that cannot be begun is done with.
    pub fn begin(&self, work: Bytes) -> Result<()> {
        let state = &mut *self.state.lock();
        state.source.begin(&work)?;
        state.work = Some(work);
        state.started += 1;
        Ok(())
    }

    /// Reads on in the work under way.
    ///
    /// Errors: those of the file. TF 1.x: the work stays under way, and the next attempt fails again.
    pub fn next(&self) -> Result<Next> {
        let state = &mut *self.state.lock();
        let Some(work) = &state.work else { return Ok(Next::WorkNeeded) };
        let step = state.source.read(work)?;
        if step.is_done {
            state.finished = state.started;
            state.work = None;
        }
        match step.record {
            Some(record) => {
                state.produced += 1;
                Ok(Next::Record(record))
            }
            None => Ok(Next::WorkEnded),
        }
    }

    pub fn produced(&self) -> i64 {
        self.state.lock().produced
    }

    pub fn finished(&self) -> i64 {
        self.state.lock().finished
    }

    /// Forgets the work under way and all counts.
    pub fn reset(&self) {
        let state = &mut *self.state.lock();
        state.source.clear();
        (state.work, state.started, state.finished, state.produced) = (None, 0, 0, 0);
    }

    /// Counts and work as a serialized message of TF's, `ReaderBaseState`.
    ///
    /// Errors: `Unimplemented` for readers whose place in a file counts.
    pub fn saved(&self) -> Result<Bytes> {
        let state = self.state.lock();
        ensure!(state.source.is_stateless(), Unimplemented, "Reader SerializeState");
        let mut out = Vec::new();
        for (tag, count) in [(0x08, state.started), (0x10, state.finished), (0x18, state.produced)] {
            if count != 0 {
                out.push(tag);
                push_varint(&mut out, count as u64);
            }
        }
        if let Some(work) = state.work.as_ref().filter(|w| !w.is_empty()) {
            out.push(0x22);
            push_varint(&mut out, work.len() as u64);
            out.extend_from_slice(work);
        }
        Ok(out.into())
    }

    /// Takes the counts and the work of `saved`.
    ///
    /// Errors: `Unimplemented` as `saved`, `InvalidArgument` where the text is no state; the reader is then reset.
    pub fn restore(&self, text: &[u8]) -> Result<()> {
        ensure!(self.state.lock().source.is_stateless(), Unimplemented, "Reader RestoreState");
        let outcome = self.restored(text);
        if outcome.is_err() {
            self.reset();
        }
        outcome
    }

    fn restored(&self, text: &[u8]) -> Result<()> {
        let Ok([started, finished, produced]) = parse(text) else {
            bail!(InvalidArgument, "Could not parse state for {}: {}", self.name, text.escape_ascii());
        };
        ensure!(
            started >= 0 && finished >= 0 && produced >= 0,
            InvalidArgument,
            "Unexpected negative value when restoring in {}: work started {started}, finished {finished}, records produced \
             {produced}",
            self.name
        );
        ensure!(
            started <= finished,
            InvalidArgument,
            "Inconsistent work started vs. finished when restoring in {}: work started {started}, finished {finished}",
            self.name
        );
        let state = &mut *self.state.lock();
        state.source.clear();
        (state.started, state.finished, state.produced) = (started, finished, produced);
        // Not more than finished: work that the text names is not under way.
        state.work = None;
        Ok(())
    }
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns work started, work finished, records produced.
fn parse(text: &[u8]) -> std::result::Result<[i64; 3], Malformed> {
    let mut counts = [0; 3];
    for field in Fields::of(text) {
        match field? {
            (n @ 1..=3, Value::Varint(count)) => counts[n as usize - 1] = count as i64,
            (4, Value::Bytes(_)) => {}
            (1..=4, _) => return Err(Malformed),
            _ => {}
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::super::whole::Identity;
    use super::*;

    fn reader() -> Arc<Reader> {
        Arc::new(Reader::new("IdentityReader 'r'".into(), Box::new(Identity)))
    }

    #[test]
    fn a_saved_reader_comes_back_and_damaged_text_is_refused() {
        let r = reader();
        for work in [&b"a"[..], b"b"] {
            r.begin(work.into()).unwrap();
            assert!(matches!(r.next().unwrap(), Next::Record((k, v)) if k[..] == *work && v[..] == *work));
        }
        let saved = r.saved().unwrap();
        let other = reader();
        other.restore(&saved).unwrap();
        assert_eq!((other.produced(), other.finished()), (2, 2));
        for bad in [&saved[1..], &saved[..saved.len() - 1], &[&saved[..], b"ExtraJunk"].concat()] {
            let e = other.restore(bad).unwrap_err();
            assert!(e.message().starts_with("Could not parse state for IdentityReader 'r'"), "{e}");
            assert_eq!(other.produced(), 0);
        }
        assert!(other.restore(&[0x08, 3, 0x10, 2]).unwrap_err().message().contains("Inconsistent"));
    }

    #[test]
    fn turns_come_in_order_and_leaving_rings_the_next() {
        let (r, bell) = (reader(), Arc::new(Bell::default()));
        let first = Turn::new(r.clone(), &bell);
        let second = Turn::new(r.clone(), &bell);
        let third = Turn::new(r, &bell);
        assert!(first.has_come() && !second.has_come());
        drop(second);
        assert!(!third.has_come());
        drop(first);
        assert!(third.has_come());
    }
}
