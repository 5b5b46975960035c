//! `Buffer`: 64-byte aligned memory for tensors, recycled by size class, and memory lent by an outside owner.

use crate::status::{Result, Status};
use ferroflow_sync::ProcessMutex;
use std::alloc::Layout;
use std::any::Any;
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ALIGN: usize = 64;
/// Smallest block handed out.
const MIN_BLOCK: usize = 64;
/// Blocks up to this size are first taken from a list of the calling thread, without a lock.
const LOCAL_MAX: usize = 16 << 10;
/// Blocks kept per class and thread.
const LOCAL_KEEP: usize = 32;
/// From here on blocks come from the system page-wise (zeroed lazily) and request huge pages.
const MAP_MIN: usize = 1 << 20;
/// Idle memory above this goes back to the system.
const RETAIN_BYTES: usize = 2 << 30;
/// From here on a size is held against the machine's memory.
const LARGE: usize = 1 << 30;
/// Four classes a doubling: 64, 80, 96, 112, 128, 160 ...; the largest is above any address space.
const CLASSES: usize = 4 * 42;

fn class_of(bytes: usize) -> usize {
    let units = bytes.max(MIN_BLOCK).div_ceil(16);
    let octave = units.ilog2() as usize;
    let quarter = ((units - (1 << octave)) << 2).div_ceil(1 << octave);
    (octave - 2) * 4 + quarter
}

fn class_bytes(class: usize) -> usize {
    let (octave, quarter) = (class / 4 + 2, class % 4);
    16 * ((1 << octave) + (quarter << octave) / 4)
}

/// An idle block that this module owns.
struct Block(NonNull<u8>);

// SAFETY: an idle block is plain memory that nothing else refers to.
unsafe impl Send for Block {}

struct Class(ProcessMutex<Vec<Block>>);

static SHARED: [Class; CLASSES] = [const { Class(ProcessMutex::new(Vec::new(), Vec::new)) }; CLASSES];
static RETAINED: AtomicUsize = AtomicUsize::new(0);

/// Idle blocks of one thread; they return to the system when the thread ends.
struct Local(Vec<Vec<Block>>);

impl Drop for Local {
    fn drop(&mut self) {
        for (class, blocks) in self.0.iter_mut().enumerate() {
            for block in blocks.drain(..) {
                release(block, class);
            }
        }
    }
}

thread_local! {
    static LOCAL: RefCell<Local> = RefCell::new(Local((0..=class_of(LOCAL_MAX)).map(|_| Vec::new()).collect()));
}

#[cfg(unix)]
fn map_pages(bytes: usize) -> Option<Block> {
    // SAFETY: an anonymous private mapping of a checked size; the result is tested before use.
    let p = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if p == libc::MAP_FAILED {
        return None;
    }
    #[cfg(target_os = "linux")]
    // SAFETY: advice on the mapping just made; it cannot change its contents, and a refusal is harmless.
    unsafe {
        libc::madvise(p, bytes, libc::MADV_HUGEPAGE);
    }
    NonNull::new(p.cast()).map(Block)
}

/// Returns the bytes of the machine's memory and swap, or the largest number where the system gives none.
///
/// A system that overcommits maps more; the process is killed when it writes there.
fn machine_bytes() -> usize {
    static BYTES: AtomicUsize = AtomicUsize::new(0);
    let mut bytes = BYTES.load(Ordering::Relaxed);
    if bytes == 0 {
        bytes = usize::MAX;
        #[cfg(target_os = "linux")]
        {
            // SAFETY: `sysinfo` is plain integers, for which zeros are a value.
            let mut info: libc::sysinfo = unsafe { std::mem::zeroed() };
            // SAFETY: the call writes the one struct that it is given.
            if unsafe { libc::sysinfo(&raw mut info) } == 0 {
                let units = (info.totalram as usize).saturating_add(info.totalswap as usize);
                bytes = units.saturating_mul(info.mem_unit as usize);
            }
        }
        BYTES.store(bytes, Ordering::Relaxed);
    }
    bytes
}

/// Returns a zeroed block of a class from the system.
fn fresh(class: usize) -> Option<Block> {
    let bytes = class_bytes(class);
    if bytes >= LARGE && bytes > machine_bytes() {
        return None;
    }
    #[cfg(unix)]
    if bytes >= MAP_MIN {
        return map_pages(bytes);
    }
    let layout = Layout::from_size_align(bytes, ALIGN).ok()?;
    // SAFETY: the layout's size is not zero.
    NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).map(Block)
}

fn release(block: Block, class: usize) {
    let bytes = class_bytes(class);
    #[cfg(unix)]
    if bytes >= MAP_MIN {
        // SAFETY: the block came from `map_pages` with this size and is given up here.
        unsafe { libc::munmap(block.0.as_ptr().cast(), bytes) };
        return;
    }
    if let Ok(layout) = Layout::from_size_align(bytes, ALIGN) {
        // SAFETY: the block came from `fresh` with this layout and is given up here.
        unsafe { std::alloc::dealloc(block.0.as_ptr(), layout) };
    }
}

/// Returns an idle block of a class.
fn recycled(class: usize) -> Option<Block> {
    if class_bytes(class) <= LOCAL_MAX
        && let Ok(Some(block)) = LOCAL.try_with(|l| l.borrow_mut().0[class].pop())
    {
        return Some(block);
    }
    let block = SHARED[class].0.lock().pop()?;
    RETAINED.fetch_sub(class_bytes(class), Ordering::Relaxed);
    Some(block)
}

/// Returns a block of a class, and whether it is a recycled one.
fn acquire(class: usize) -> Option<(Block, bool)> {
    recycled(class).map(|block| (block, true)).or_else(|| fresh(class).map(|block| (block, false)))
}

fn recycle(block: Block, class: usize) {
    let bytes = class_bytes(class);
    let mut block = Some(block);
    if bytes <= LOCAL_MAX {
        let _ = LOCAL.try_with(|l| {
            let list = &mut l.borrow_mut().0[class];
            if list.len() < LOCAL_KEEP {
                list.extend(block.take());
            }
        });
    }
    let Some(block) = block else { return };
    if RETAINED.fetch_add(bytes, Ordering::Relaxed) + bytes <= RETAIN_BYTES {
        SHARED[class].0.lock().push(block);
    } else {
        RETAINED.fetch_sub(bytes, Ordering::Relaxed);
        release(block, class);
    }
}

enum Owner {
    /// A block of this size class.
    Pool(usize),
    /// Memory of someone else, valid while the value lives (a NumPy array that is fed).
    Lent(#[allow(dead_code, reason = "held for its Drop")] Box<dyn Any + Send + Sync>),
    /// A range of a buffer that is not itself a part.
    Part(Arc<Buffer>),
}

/// Bytes of a tensor. Always initialized: fresh blocks are zeroed, recycled ones hold old tensors' bytes.
pub struct Buffer {
    ptr: NonNull<u8>,
    len: usize,
    owner: Owner,
}

// SAFETY: a buffer is plain memory; sharing and mutation follow Rust's rules through `&`/`&mut`, and the owner is Send + Sync.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Returns `len` bytes with unspecified (initialized) contents.
    ///
    /// Errors: `ResourceExhausted` where the system has no such memory.
    pub fn new(len: usize) -> Result<Buffer> {
        Ok(Buffer::acquired(len)?.0)
    }

    /// Returns `len` zeros. Pages that come from the system are zero and are not written.
    ///
    /// Errors: `ResourceExhausted` where the system has no such memory.
    pub fn zeroed(len: usize) -> Result<Buffer> {
        let (mut buffer, is_recycled) = Buffer::acquired(len)?;
        if is_recycled && let Some(bytes) = buffer.bytes_mut() {
            bytes.fill(0);
        }
        Ok(buffer)
    }

    /// Returns `len` bytes, and true if they may be other than zero.
    pub(crate) fn acquired(len: usize) -> Result<(Buffer, bool)> {
        let too_big = || Status::resource_exhausted(format!("OOM when allocating a tensor of {len} bytes"));
        if len > isize::MAX as usize / 2 {
            return Err(too_big());
        }
        let class = class_of(len);
        if class >= CLASSES {
            return Err(too_big());
        }
        let (block, is_recycled) = acquire(class).ok_or_else(too_big)?;
        Ok((Buffer { ptr: block.0, len, owner: Owner::Pool(class) }, is_recycled))
    }

    /// Returns the memory of `owner`, read-only to the engine.
    ///
    /// # Safety
    /// `ptr` must be valid for reads of `len` bytes for as long as `owner` lives, and nobody may write them while they are read.
    pub unsafe fn lent(ptr: NonNull<u8>, len: usize, owner: Box<dyn Any + Send + Sync>) -> Buffer {
        Buffer { ptr, len, owner: Owner::Lent(owner) }
    }

    /// Returns `len` bytes of `whole` from `start` on, read-only; they keep all of its memory.
    ///
    /// Returns `None` if the range is not within the whole.
    pub fn part(whole: &Arc<Buffer>, start: usize, len: usize) -> Option<Buffer> {
        let bytes = whole.bytes().get(start..start.checked_add(len)?)?;
        // The owner is never a part, so that a part of a part does not make a chain, whose end would recurse.
        let owner = if let Owner::Part(owner) = &whole.owner { owner } else { whole };
        Some(Buffer { ptr: NonNull::from(bytes).cast(), len, owner: Owner::Part(owner.clone()) })
    }

    /// Returns the number of bytes that live as long as this buffer: those of the whole, for a part.
    pub fn kept_bytes(&self) -> usize {
        if let Owner::Part(owner) = &self.owner { owner.len } else { self.len }
    }

    /// Returns true if the memory belongs to something else and must be copied before it outlives the step.
    pub fn is_lent(&self) -> bool {
        matches!(self.owner, Owner::Lent(_) | Owner::Part(_))
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `ptr` is valid for `len` initialized bytes while `self` lives.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }

    /// Returns the bytes for writing; `None` for lent memory.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        if self.is_lent() {
            return None;
        }
        // SAFETY: as in `bytes`, and `&mut self` makes the access exclusive.
        Some(unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) })
    }

    pub fn as_ptr(&self) -> *const u8 {
        self.ptr.as_ptr()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Owner::Pool(class) = self.owner {
            recycle(Block(self.ptr), class);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_what_it_is_asked_for_and_wastes_at_most_a_quarter() {
        for bytes in (1..70_000).chain([1 << 20, (1 << 20) + 1, 3 << 30, 1 << 40]) {
            let got = class_bytes(class_of(bytes));
            assert!(got >= bytes, "{bytes} {got}");
            assert!(bytes < 64 || got <= bytes + bytes / 4 + 16, "{bytes} {got}");
        }
        for c in 0..CLASSES {
            assert_eq!(class_of(class_bytes(c)), c);
        }
    }

    #[test]
    fn blocks_are_aligned_recycled_and_written_in_full() {
        for bytes in [1, 64, 5000, 20_000, (1 << 20) + 3, 9 << 20] {
            let mut a = Buffer::new(bytes).unwrap();
            assert_eq!(a.as_ptr() as usize % ALIGN, 0);
            a.bytes_mut().unwrap().fill(7);
            let p = a.as_ptr();
            drop(a);
            let b = Buffer::new(bytes).unwrap();
            assert_eq!(b.as_ptr(), p);
            assert_eq!(b.bytes().len(), bytes);
        }
    }

    #[test]
    fn a_block_that_ends_on_another_thread_is_no_one_elses_before() {
        let (give, take) = std::sync::mpsc::sync_channel::<(u8, Buffer)>(4);
        std::thread::scope(|scope| {
            for mark in 0..3 {
                let give = give.clone();
                scope.spawn(move || {
                    for round in 0..400 {
                        let mut block = Buffer::new([64, 5000, 40_000][round % 3]).unwrap();
                        block.bytes_mut().unwrap().fill(mark);
                        give.send((mark, block)).unwrap();
                    }
                });
            }
            drop(give);
            for (mark, block) in take {
                assert!(block.bytes().iter().all(|&byte| byte == mark));
            }
        });
    }

    #[test]
    fn sizes_no_machine_has_are_resource_exhausted() {
        for len in [usize::MAX, isize::MAX as usize, 1 << 61, 1 << 53, 1 << 46] {
            assert_eq!(Buffer::new(len).map(|_| ()).unwrap_err().code(), crate::Code::ResourceExhausted);
        }
    }

    #[test]
    fn a_part_of_a_part_keeps_the_whole_and_nothing_else() {
        let mut whole = Buffer::new(100).unwrap();
        whole.bytes_mut().unwrap().copy_from_slice(&(0..100).collect::<Vec<u8>>());
        let mut whole = Arc::new(whole);
        let part = Arc::new(Buffer::part(&whole, 10, 50).unwrap());
        let mut inner = Buffer::part(&part, 5, 20).unwrap();
        assert_eq!(inner.bytes(), (15..35).collect::<Vec<u8>>());
        assert_eq!((whole.kept_bytes(), part.kept_bytes(), inner.kept_bytes()), (100, 100, 100));
        assert!(inner.is_lent() && inner.bytes_mut().is_none());
        assert!(Arc::get_mut(&mut whole).is_none());
        drop(part);
        assert_eq!(Arc::strong_count(&whole), 2);
        drop(inner);
        assert!(Arc::get_mut(&mut whole).is_some());
        for (start, len) in [(0, 101), (100, 1), (101, 0), (1, usize::MAX), (usize::MAX, 1)] {
            assert!(Buffer::part(&whole, start, len).is_none());
        }
        assert_eq!(Buffer::part(&whole, 100, 0).unwrap().bytes(), []);
    }

    #[test]
    fn lent_memory_is_never_writable() {
        let owner = vec![1u8, 2, 3].into_boxed_slice();
        let ptr = NonNull::from(&owner[0]);
        // SAFETY: the boxed slice's memory stays where it is while the box lives.
        let mut b = unsafe { Buffer::lent(ptr, 3, Box::new(owner)) };
        assert!(b.is_lent() && b.bytes_mut().is_none());
        assert_eq!(b.bytes(), [1, 2, 3]);
    }
}
