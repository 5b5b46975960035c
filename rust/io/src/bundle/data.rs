//! The elements of tensors on their way into data files and out of them, in pieces that threads share.

use super::{strings, variants};
use crate::file::failure;
use crate::positioned;
use crc32c::{crc32c_append, crc32c_combine};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::{SharedSlice, Threads};
use ferroflow_tensor::{Buffer, Bytes, Result, Status, Tensor, ensure};
use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes of one parallel task.
const TASK_BYTES: usize = 4 << 20;
/// Bytes that are summed and then written or read at once: they stay in a core's cache in between.
const STEP_BYTES: usize = 256 << 10;

/// The bytes of one tensor in a data file.
pub(super) enum Content<'a> {
    Plain(&'a [u8]),
    /// The bytes before the strings, the checksum over them, the strings. Variants are all in the bytes before.
    Strings(Vec<u8>, u32, &'a [Bytes]),
}

impl<'a> Content<'a> {
    pub(super) fn of(tensor: &'a Tensor) -> Result<Content<'a>> {
        if let Some(bytes) = tensor.bytes() {
            return Ok(Content::Plain(bytes));
        }
        if let Ok(strings) = tensor.strings() {
            let (head, crc) = strings::head(strings);
            return Ok(Content::Strings(head, crc, strings));
        }
        match tensor.objects().ok().and_then(variants::encode) {
            Some((bytes, crc)) => Ok(Content::Strings(bytes, crc, &[])),
            None => {
                let dtype = tensor.dtype().schema_name();
                Err(Status::unimplemented(format!("Saving data type {dtype} not yet supported")))
            }
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Content::Plain(bytes) => bytes.len(),
            Content::Strings(head, _, strings) => head.len() + strings.iter().map(|s| s.len()).sum::<usize>(),
        }
    }
}

/// A part of one content, or all of it.
struct Piece {
    content: usize,
    range: Range<usize>,
}

/// Pieces that lie together in the file, from this place on.
struct Task {
    pieces: Vec<Piece>,
    first_piece: usize,
    offset: u64,
    bytes: usize,
}

/// Writes on from a place in a file, small things together.
struct Run<'a> {
    file: &'a File,
    offset: u64,
    waiting: Vec<u8>,
}

impl Run<'_> {
    fn flush(&mut self) -> std::io::Result<()> {
        positioned::write_all_at(self.file, &self.waiting, self.offset)?;
        self.offset += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.waiting.len() + bytes.len() > STEP_BYTES {
            self.flush()?;
        }
        if bytes.len() < STEP_BYTES {
            self.waiting.extend_from_slice(bytes);
            return Ok(());
        }
        positioned::write_all_at(self.file, bytes, self.offset)?;
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

/// Requests that the system begin writing a part of a file to the disk, so that the final sync waits less.
fn begin_writing(file: &File, offset: u64, bytes: usize) {
    #[cfg(target_os = "linux")]
    if let (Ok(offset), Ok(bytes)) = (offset.try_into(), bytes.try_into()) {
        use std::os::fd::AsRawFd;
        // SAFETY: a system call on an open descriptor; it only gives advice, so that a failure changes nothing.
        unsafe { libc::sync_file_range(file.as_raw_fd(), offset, bytes, libc::SYNC_FILE_RANGE_WRITE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, offset, bytes);
}

/// Writes contents one after the other from a file's beginning. Their checksums, not masked.
pub(super) fn write(file: &File, name: &str, contents: &[Content<'_>], threads: Threads) -> Result<Vec<u32>> {
    let mut tasks: Vec<Task> = Vec::new();
    let (mut pieces, mut offset) = (0, 0);
    let mut add = |content: usize, range: Range<usize>| {
        let bytes = range.len();
        let piece = Piece { content, range };
        match tasks.last_mut() {
            Some(task) if task.bytes + bytes <= TASK_BYTES => {
                task.bytes += bytes;
                task.pieces.push(piece);
            }
            _ => tasks.push(Task { pieces: vec![piece], first_piece: pieces, offset, bytes }),
        }
        pieces += 1;
        offset += bytes as u64;
    };
    for (i, content) in contents.iter().enumerate() {
        match content {
            Content::Plain(bytes) => (0..bytes.len())
                .step_by(TASK_BYTES)
                .for_each(|start| add(i, start..bytes.len().min(start + TASK_BYTES))),
            Content::Strings(..) => add(i, 0..content.size()),
        }
    }
    let sums: Vec<AtomicU32> = (0..pieces).map(|_| AtomicU32::new(0)).collect();
    let run_task = |task: &Task| -> std::io::Result<()> {
        let mut run = Run { file, offset: task.offset, waiting: Vec::new() };
        for (i, piece) in task.pieces.iter().enumerate() {
            let sum = match &contents[piece.content] {
                Content::Plain(bytes) => bytes[piece.range.clone()].chunks(STEP_BYTES).try_fold(0, |crc, step| {
                    let crc = crc32c_append(crc, step);
                    run.put(step).map(|()| crc)
                })?,
                Content::Strings(head, crc, strings) => {
                    run.put(head)?;
                    strings.iter().try_fold(*crc, |crc, s| run.put(s).map(|()| crc32c_append(crc, s)))?
                }
            };
            sums[task.first_piece + i].store(sum, Ordering::Relaxed);
        }
        run.flush()?;
        begin_writing(file, task.offset, task.bytes);
        Ok(())
    };
    for_all(&tasks, threads, run_task).map_err(|e| failure(name, &e))?;
    let mut crcs = vec![0; contents.len()];
    for task in &tasks {
        for (i, piece) in task.pieces.iter().enumerate() {
            let sum = sums[task.first_piece + i].load(Ordering::Relaxed);
            let crc = &mut crcs[piece.content];
            *crc = if piece.range.start == 0 { sum } else { crc32c_combine(*crc, sum, piece.range.len()) };
        }
    }
    Ok(crcs)
}

/// Runs all tasks; the first failure.
fn for_all<T: Sync>(
    tasks: &[T],
    threads: Threads,
    run: impl Fn(&T) -> std::io::Result<()> + Sync,
) -> std::io::Result<()> {
    let failed: Mutex<Option<std::io::Error>> = Mutex::new(None);
    threads.run(tasks.len(), &|i| {
        if failed.lock().is_none()
            && let Err(e) = run(&tasks[i])
        {
            failed.lock().get_or_insert(e);
        }
    });
    failed.into_inner().map_or(Ok(()), Err)
}

/// A run of bytes to be read: from which file, and where.
pub(super) struct Extent<'a> {
    pub file: &'a File,
    pub offset: u64,
    pub size: usize,
}

/// Reads runs of bytes. Buffers that hold them, and their checksums, not masked.
///
/// Errors: the system's, without the file's name; `None` where a file ends inside a run.
pub(super) fn read(extents: &[Extent<'_>], threads: Threads) -> Result<Vec<(Buffer, u32)>, Option<std::io::Error>> {
    struct Part {
        extent: usize,
        range: Range<usize>,
        crc: AtomicU32,
    }
    let mut buffers = Vec::with_capacity(extents.len());
    for extent in extents {
        buffers.push(Buffer::new(extent.size).map_err(|_| Some(ErrorKind::OutOfMemory.into()))?);
    }
    let mut parts = Vec::new();
    for (i, extent) in extents.iter().enumerate() {
        for start in (0..extent.size).step_by(TASK_BYTES) {
            let range = start..extent.size.min(start + TASK_BYTES);
            parts.push(Part { extent: i, range, crc: AtomicU32::new(0) });
        }
    }
    let shared: Vec<_> = buffers.iter_mut().map(|b| SharedSlice::new(b.bytes_mut().unwrap_or_default())).collect();
    let read_part = |part: &Part| {
        let extent = &extents[part.extent];
        // SAFETY: the parts of one extent are disjoint, and each is visited once.
        let to = unsafe { shared[part.extent].range(part.range.clone()) };
        let (mut crc, mut offset) = (0, extent.offset + part.range.start as u64);
        for step in to.chunks_mut(STEP_BYTES) {
            positioned::read_exact_at(extent.file, step, offset)?;
            crc = crc32c_append(crc, step);
            offset += step.len() as u64;
        }
        part.crc.store(crc, Ordering::Relaxed);
        Ok(())
    };
    // Reading many small parts on one thread is faster than starting tasks.
    let threads =
        if parts.iter().map(|p| p.range.len()).sum::<usize>() < STEP_BYTES { Threads::single() } else { threads };
    for_all(&parts, threads, read_part).map_err(|e| (e.kind() != ErrorKind::UnexpectedEof).then_some(e))?;
    drop(shared);
    let mut read: Vec<(Buffer, u32)> = buffers.into_iter().map(|b| (b, 0)).collect();
    for part in parts {
        let (crc, sum) = (&mut read[part.extent].1, part.crc.into_inner());
        *crc = if part.range.start == 0 { sum } else { crc32c_combine(*crc, sum, part.range.len()) };
    }
    Ok(read)
}

/// Checks a stored checksum.
pub(super) fn check(stored: u32, actual: u32, place: impl Fn() -> String) -> Result<()> {
    let stored = crate::checksum::unmask(stored);
    ensure!(
        stored == actual,
        DataLoss,
        "{}: Checksum does not match: stored {stored:08} vs. calculated on the restored bytes {actual}",
        place()
    );
    Ok(())
}
