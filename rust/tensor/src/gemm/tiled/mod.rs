//! Matrix products in tiles: how a product is cut into blocks, packed, and given to threads.
//!
//! All paths except `dot`, which is for a single column, compute an element of the product in one way. A column that is
//! computed as a row is a single one if it has one element. The inner dimension is cut into blocks of [`INNER`]
//! from its start. Within a block one sum starts at zero and takes the steps in order by fused multiply-adds. Block sums
//! are added to the element in order. So an element's bits depend on its row of a and its column of b alone. They do not
//! depend on threads, tiles, packing, the CPU, or the other rows and
//! columns of the product. All choices below may therefore follow speed alone.

mod dot;
pub(crate) mod lanes;
mod line;
mod pack;
mod panels;
mod rooms;
pub(crate) mod tile;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use lanes::Pair;
use lanes::{Lanes, Plain};
pub(super) use panels::{WIDEST_PANEL, pack_f32, pack_f64};
use panels::{inner_blocks, outer_blocks, pack_block, padded};
use rooms::{PANEL_BYTES, PanelRoom, ROW_ROOM};
use tile::{Line, Order, Tile, kernel};

use super::patches::{Patches, Row, Spread};
use crate::buffer::Buffer;
use crate::status::Result;
use crate::streams::Streams;
use crate::threads::{Interrupted, Threads};
use crate::vector::{Isa, Level};

/// Steps of the inner dimension that one register sum runs over. Part of the definition of the result, see above. A packed
/// column panel of this depth takes 64 KiB: reading it from the second-level cache costs less than adding to c more often.
pub(super) const INNER: usize = 512;

/// Distance of packed rows: odd in cache lines, so that the rows of a tile fall into different cache sets.
const PACKED_ROW: usize = INNER + 16;

/// Outer blocks: the packed columns, at most 8 MiB (f32), share the third-level cache with the operands.
const OUTER_DEPTH: usize = 2 * INNER;
const OUTER_COLS: usize = 2048;

/// Most rows of a tile on any CPU, and fewest of the highest tile.
const MOST_ROWS: usize = 12;
const LEAST_ROWS: usize = 6;

/// Rows of a task that packs them, so that the copy takes a fifth of the second-level cache (f32), and of one that does not.
const PACKED_ROWS: usize = 8 * MOST_ROWS;
const TASK_ROWS: usize = 2 * PACKED_ROWS;

/// Up to this many rows, of at least this many panels, one task takes all rows. It packs its panels of b itself,
/// because moving them between cores would cost more.
const WHOLE_ROWS: usize = 256;
const WHOLE_COLS: usize = 8;

/// Columns of a task.
const TASK_COLS: usize = 512;

/// Columns over which packing rows once per task is worth it, and fewest for which a task packs its rows anew. Half as
/// many where there is no other task otherwise.
const PACKED_COLS: usize = 1024;
const FEWEST_PACKED_COLS: usize = 256;

/// A task of at most this many rows packs panels of this many registers, to keep more sums in flight.
const FEW_ROWS: usize = 3;
const FEW_ROWS_WIDE: usize = 4;

/// Floating-point operations worth a task of their own, about 4 us of one core.
const TASK_FLOPS: usize = 1_000_000;
const MANY_TASKS: usize = 16;

/// Up to this many rows b is read where it lies: each of its elements is used too seldom to repay a copy.
const UNPACKED_B_ROWS: usize = 48;

/// Rows of b this close are read where they lie: they share pages and cache sets no worse than a copy would.
const DENSE_BYTES: usize = 512;

/// Up to this many columns a is read where it lies.
const UNPACKED_A_COLS: usize = 64;

/// Up to this depth, and up to a task's number of columns, the columns of a transposed a are read in place. Those of a
/// tile stay in the first-level cache.
const SHALLOW: usize = 128;

/// From this many rows on, a part of a panel is read from a padded copy where masks are not free.
const PADDED_ROWS: usize = 24;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Row distances at which the rows of a tile fall on the same cache sets, in bytes.
pub(super) const CLASHING_BYTES: usize = 2048;

/// A matrix operand: address of its first element, and distances.
#[derive(Clone, Copy)]
pub(super) struct Operand<T> {
    pub data: *const T,
    pub row: usize,
    pub col: usize,
}

// SAFETY: an operand is a shared view of elements that nobody writes during the product.
unsafe impl<T: Sync> Sync for Operand<T> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Sync> Send for Operand<T> {}

impl<T> Operand<T> {
    /// Returns the address of an element; may be one past the end of the data, then it is not read.
    fn at(&self, row: usize, col: usize) -> *const T {
        self.data.wrapping_add(row * self.row + col * self.col)
    }

    fn transposed(&self) -> Operand<T> {
        Operand { data: self.data, row: self.col, col: self.row }
    }

    fn from(&self, row: usize, col: usize) -> Operand<T> {
        Operand { data: self.at(row, col), ..*self }
    }
}

/// The source of a product's first factor.
#[derive(Clone, Copy)]
pub(super) enum Source<'a, T> {
    Matrix(Operand<T>),
    Patches(&'a Patches<'a, T>),
    /// The transpose of the windows from this one on.
    PatchesTransposed(&'a Patches<'a, T>, usize),
}

/// The source of a product's second factor.
#[derive(Clone, Copy)]
pub(super) enum Columns<T> {
    InPlace(Operand<T>),
    /// The copy that `pack_f32` or `pack_f64` wrote.
    Packed(*const T),
}

/// A product `c = finish(c? + a * b)` of whole matrices; c is stored row by row, or as `spread` says.
pub(super) struct Product<'a, T> {
    pub rows: usize,
    pub cols: usize,
    pub depth: usize,
    pub a: Source<'a, T>,
    pub b: Columns<T>,
    pub c: *mut T,
    pub spread: Option<&'a Spread>,
    pub accumulate: bool,
    pub bias: Option<&'a [T]>,
    pub relu: bool,
}

// SAFETY: tasks write disjoint blocks of c, and only read the rest.
unsafe impl<T: Sync> Sync for Product<'_, T> {}

/// Computes the f32 product with an instruction set.
///
/// # Safety
/// Operands and c are valid for the sizes; nothing else uses c; rows, cols and depth are not zero.
pub(super) unsafe fn multiply_f32(isa: Isa, threads: Threads, product: Product<'_, f32>) -> Result<()> {
    // SAFETY: by this function's contract; the CPU has the features of an `Isa`.
    unsafe {
        match isa.level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => multiply::<__m512>(threads, product),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => multiply::<Pair<__m256>>(threads, product),
            _ => multiply::<Plain<f32, 16>>(threads, product),
        }
    }
}

/// Computes the f64 product with an instruction set.
///
/// # Safety
/// As for [`multiply_f32`].
pub(super) unsafe fn multiply_f64(isa: Isa, threads: Threads, product: Product<'_, f64>) -> Result<()> {
    // SAFETY: as for `multiply_f32`.
    unsafe {
        match isa.level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => multiply::<__m512d>(threads, product),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => multiply::<Pair<__m256d>>(threads, product),
            _ => multiply::<Plain<f64, 8>>(threads, product),
        }
    }
}

/// The place of b for the kernel.
#[derive(Clone, Copy)]
enum Panels<T> {
    InPlace(Operand<T>),
    /// To be packed before the tasks.
    Unpacked(Operand<T>),
    /// Packed panels of the whole outer block.
    Packed(*const T),
    /// Packed panel by panel by the only task that uses it.
    PackedByTask(Operand<T>),
}

/// The place of a for the kernel.
#[derive(Clone, Copy)]
enum Rows<'a, T> {
    InPlace(Operand<T>, Order),
    /// Packed by each task that uses them.
    PackedByTask(Order),
    /// Windows, read where they lie.
    Windows(Windows<'a, T>),
}

/// A matrix of windows, or the transpose of those from `first` on, that is read where it lies. A tile is part of a line of
/// its rows.
#[derive(Clone, Copy)]
struct Windows<'a, T> {
    patches: &'a Patches<'a, T>,
    windows: Row,
    elements: Row,
    transposed: Option<usize>,
}

impl<T> Windows<'_, T> {
    /// Returns the number of rows of whose multiples a line begins.
    fn line(&self) -> usize {
        if self.transposed.is_some() { self.elements.line } else { self.windows.line }
    }

    fn row(&self, row: usize) -> *const T {
        let at = if self.transposed.is_some() { self.patches.element(row) } else { self.patches.window(row) };
        self.patches.as_ptr().wrapping_add(at)
    }

    fn order(&self) -> Order {
        if self.transposed.is_some() { Order::AlongColumn } else { Order::AlongRow }
    }

    /// Writes the lines of the inner steps `from..from + depth`.
    fn lines(&self, from: usize, depth: usize, lines: &mut Vec<Line>) {
        lines.clear();
        let (from, line) = match self.transposed {
            Some(first) => (first + from, self.windows.line),
            None => (from, self.elements.line),
        };
        let mut step = from;
        while step < from + depth {
            let at = if self.transposed.is_some() { self.patches.window(step) } else { self.patches.element(step) };
            let len = (line - step % line).min(from + depth - step);
            lines.push(Line { at, len });
            step += len;
        }
    }
}

/// An outer block of a product, and how it is cut.
struct Block<'p, 'a, L: Lanes> {
    product: &'p Product<'a, L::Elem>,
    col: usize,
    cols: usize,
    step: usize,
    depth: usize,
    row_tasks: usize,
    col_tasks: usize,
    a: Rows<'a, L::Elem>,
    b: Panels<L::Elem>,
}

// SAFETY: as for `Product`; packed copies are only read while tasks compute.
unsafe impl<L: Lanes> Sync for Block<'_, '_, L> {}

/// An address that tasks write disjoint parts behind.
#[derive(Clone, Copy)]
struct Target<T>(*mut T);

// SAFETY: each task writes its own part.
unsafe impl<T: Send> Sync for Target<T> {}

impl<T> Target<T> {
    fn at(&self, offset: usize) -> *mut T {
        self.0.wrapping_add(offset)
    }
}

/// Returns the tiles of `rows` rows: as few as possible, and of nearly equal height, since a low tile leaves the
/// arithmetic units waiting.
pub(crate) fn tile_rows<L: Lanes>(rows: usize) -> impl Iterator<Item = Range<usize>> {
    let tiles = rows.div_ceil(L::ROWS);
    (0..tiles).map(move |tile| tile * rows / tiles..(tile + 1) * rows / tiles)
}

fn panel_width<L: Lanes>() -> usize {
    L::WIDE * L::N
}

/// Returns the number of elements of `T` in a buffer, rounded up so that the next part starts on a cache line.
fn lined<T>(elements: usize) -> usize {
    elements.next_multiple_of(64 / size_of::<T>().clamp(1, 64))
}

/// # Safety
/// Computes the product, as [`multiply_f32`] does.
unsafe fn multiply<L: Lanes>(threads: Threads, mut product: Product<'_, L::Elem>) -> Result<()> {
    // The distance along a dimension of size one is never used. The fast paths test for 1, so it is set to 1.
    if let Source::Matrix(a) = &mut product.a {
        if product.depth == 1 {
            a.col = 1;
        }
        if product.rows == 1 {
            a.row = 1;
        }
    }
    if let Columns::InPlace(b) = &mut product.b
        && product.cols == 1
    {
        b.col = 1;
    }
    let mut b_buffer: Option<Buffer> = None;
    if let (Source::Matrix(a), Columns::InPlace(mut b)) = (product.a, product.b)
        && product.cols == 1
        && a.col == 1
        && product.bias.is_none()
        && !product.relu
    {
        if b.row != 1 {
            let copy = reserve(&mut b_buffer, product.depth)?;
            // SAFETY: b's column, seen as a row, has `depth` elements, and the copy room for them.
            unsafe { pack::rows_along(b.transposed(), 1, product.depth, product.depth, copy) };
            b = Operand { data: copy, row: 1, col: 1 };
        }
        // SAFETY: the caller keeps the contract.
        unsafe { dot::multiply::<L>(threads, &product, a, b)? };
        return Ok(());
    }
    if let (Source::Matrix(a), Some(b)) = (product.a, line::operand(&product)) {
        // SAFETY: the caller keeps the contract.
        unsafe { line::multiply::<L>(threads, &product, a, b)? };
        return Ok(());
    }
    let mut done = 0;
    for (cols, steps) in outer_blocks(product.cols, product.depth) {
        let mut block = cut::<L>(&product, cols, steps, done);
        done += block.depth * padded::<L>(block.cols);
        // SAFETY: the copy has room for the block; the caller keeps the rest of the contract.
        unsafe {
            if let Panels::Unpacked(b) = block.b {
                let copy = reserve(&mut b_buffer, block.depth * padded::<L>(block.cols))?;
                pack_block::<L>(threads, b.from(block.step, block.col), (block.depth, block.cols), Target(copy))?;
                block.b = Panels::Packed(copy);
            }
            block.compute(threads)?;
        }
    }
    Ok(())
}

/// Returns room for a packed operand. It is kept from one outer block to the next if it suffices.
fn reserve<T>(buffer: &mut Option<Buffer>, elements: usize) -> Result<*mut T> {
    let bytes = lined::<T>(elements) * size_of::<T>();
    let held = match buffer {
        Some(held) if held.bytes().len() >= bytes => held,
        _ => buffer.insert(Buffer::new(bytes)?),
    };
    Ok(held.bytes_mut().map_or(std::ptr::null_mut(), |bytes| bytes.as_mut_ptr().cast()))
}

/// Decides, from shapes and strides, how an outer block is cut and what is packed.
///
/// A packed b has `done` elements before the block.
fn cut<'p, 'a, L: Lanes>(
    product: &'p Product<'a, L::Elem>,
    cols: Range<usize>,
    steps: Range<usize>,
    done: usize,
) -> Block<'p, 'a, L> {
    let panel = panel_width::<L>();
    let (m, n, k) = (product.rows, cols.len(), steps.len());
    let clash = |distance: usize| (distance * size_of::<L::Elem>()).is_multiple_of(CLASHING_BYTES);
    let a = match product.a {
        Source::Matrix(a) => {
            let (order, distance) = if a.col == 1 { (Order::AlongRow, a.row) } else { (Order::AlongColumn, a.col) };
            let clashes = k > 16 && m > 4 && clash(distance);
            let is_shallow = k <= SHALLOW && n <= TASK_COLS;
            let in_place = n <= UNPACKED_A_COLS || m <= 4 || (!clashes && (order == Order::AlongRow || is_shallow));
            match (a.col, a.row) {
                (1, _) if in_place => Rows::InPlace(a, Order::AlongRow),
                (_, 1) if in_place => Rows::InPlace(a, Order::AlongColumn),
                (1, _) | (_, 1) => Rows::PackedByTask(Order::AlongColumn),
                _ => Rows::PackedByTask(Order::AlongRow),
            }
        }
        Source::Patches(patches) => match patches.in_place(n, false) {
            Some([windows, elements]) => Rows::Windows(Windows { patches, windows, elements, transposed: None }),
            None => Rows::PackedByTask(Order::AlongRow),
        },
        Source::PatchesTransposed(patches, first) => match patches.in_place(n, true) {
            Some([windows, elements]) => Rows::Windows(Windows { patches, windows, elements, transposed: Some(first) }),
            None => Rows::PackedByTask(Order::AlongColumn),
        },
    };

    // An even number of tasks, since pools mostly have an even number of threads.
    let even = |tasks: usize| if tasks > 1 { tasks.next_multiple_of(2) } else { 1 };
    let ideal = (m.saturating_mul(n).saturating_mul(2 * k) / TASK_FLOPS).clamp(1, MANY_TASKS);
    let (most_rows, most_cols) = (m.div_ceil(2 * L::ROWS), n.div_ceil(panel));
    let (row_tasks, col_tasks) = match a {
        Rows::PackedByTask(_) => {
            let rows = even(m.div_ceil(PACKED_ROWS));
            // Each part of the columns packs the rows anew.
            let fewest = if rows == 1 { FEWEST_PACKED_COLS / 2 } else { FEWEST_PACKED_COLS };
            (rows, n.div_ceil(PACKED_COLS).max(ideal.div_ceil(rows).min(n.div_ceil(fewest))))
        }
        Rows::InPlace(..) | Rows::Windows(..) => {
            let whole = m <= WHOLE_ROWS && most_cols >= WHOLE_COLS;
            let rows = if whole { 1 } else { even(m.div_ceil(TASK_ROWS)) };
            let cols = n.div_ceil(TASK_COLS).max(ideal.div_ceil(rows).min(most_cols));
            let cols = if rows == 1 { even(cols).min(most_cols) } else { cols };
            (if whole { 1 } else { rows.max(ideal.div_ceil(cols).min(most_rows)) }, cols)
        }
    };

    let is_dense = |b: &Operand<L::Elem>| b.row * size_of::<L::Elem>() <= DENSE_BYTES;
    let b = match product.b {
        Columns::Packed(panels) => Panels::Packed(panels.wrapping_add(done)),
        Columns::InPlace(b) if b.col == 1 && (m <= UNPACKED_B_ROWS || is_dense(&b)) => Panels::InPlace(b),
        Columns::InPlace(b) if row_tasks == 1 => Panels::PackedByTask(b),
        Columns::InPlace(b) => Panels::Unpacked(b),
    };
    Block { product, col: cols.start, cols: n, step: steps.start, depth: k, row_tasks, col_tasks, a, b }
}

/// Returns the part `index` of `parts` nearly equal parts of `size`, cut at multiples of `unit`.
fn part(size: usize, unit: usize, parts: usize, index: usize) -> Range<usize> {
    let units = size.div_ceil(unit);
    let at = |index: usize| (index * units / parts * unit).min(size);
    at(index)..at(index + 1)
}

impl<L: Lanes> Block<'_, '_, L> {
    unsafe fn pack_rows(&self, order: Order, rows: Range<usize>, step: usize, depth: usize, to: *mut L::Elem) {
        let step = self.step + step;
        let from = match self.product.a {
            Source::Matrix(a) => a.from(rows.start, step),
            Source::Patches(patches) => {
                // SAFETY: the rows lie in the matrix of windows, their copy in the room given.
                unsafe { pack::windows::<L>(patches, rows, step..step + depth, PACKED_ROW, to) };
                return;
            }
            Source::PatchesTransposed(patches, first) => {
                let windows = first + step..first + step + depth;
                // SAFETY: as above; the room holds the rows of a task.
                unsafe { pack::windows_across::<L>(patches, windows, rows, PACKED_ROW, to) };
                return;
            }
        };
        // SAFETY: the rows lie in the operand, their copy in the room given.
        unsafe {
            match order {
                Order::AlongColumn if from.row == 1 => pack::rows_across::<L>(from, rows.len(), depth, PACKED_ROW, to),
                Order::AlongColumn => pack::rows_transposed::<L>(from, rows.len(), depth, PACKED_ROW, to),
                Order::AlongRow => pack::rows_along(from, rows.len(), depth, PACKED_ROW, to),
            }
        }
    }

    /// Computes the block of c from operands and copies.
    ///
    /// # Safety
    /// The CPU has the features of `L`; operands, copies and c are valid for the block.
    unsafe fn compute(&self, threads: Threads) -> Result<(), Interrupted> {
        threads.try_run(self.row_tasks * self.col_tasks, &|task| {
            let rows = part(self.product.rows, self.tiles_from(), self.row_tasks, task / self.col_tasks);
            let cols = part(self.cols, panel_width::<L>(), self.col_tasks, task % self.col_tasks);
            // SAFETY: the caller keeps the contract; each task writes its own part of c.
            unsafe {
                match self.a {
                    Rows::InPlace(..) | Rows::Windows(..) => self.task(rows, cols, std::ptr::null_mut()),
                    Rows::PackedByTask(_) => ROW_ROOM.with(|room| self.task(rows, cols, room.get().cast())),
                }
            }
        })
    }

    /// Returns the number of rows of whose multiples a task begins.
    fn tiles_from(&self) -> usize {
        if let Rows::Windows(windows) = &self.a { windows.line() } else { L::ROWS }
    }

    /// Returns the tiles of a task's rows, each within a line where windows are read, or c written, in lines.
    fn tile_rows(&self, rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let line = match (&self.a, self.product.spread) {
            (Rows::Windows(windows), _) => windows.line(),
            (_, Some(spread)) => spread.line().0,
            _ => rows.end,
        };
        let line = line.max(1);
        (rows.start / line..rows.end.div_ceil(line)).flat_map(move |number| {
            let (start, end) = ((number * line).max(rows.start), ((number + 1) * line).min(rows.end));
            tile_rows::<L>(end - start).map(move |tile| start + tile.start..start + tile.end)
        })
    }

    /// Returns leave to write c past the caches: it does not fit there, each element is written once, and lanes are lines.
    fn streams(&self) -> Option<Streams> {
        let product = self.product;
        let row = product.cols * size_of::<L::Elem>();
        let is_written_once = !product.accumulate && product.depth <= INNER;
        let are_lines = product.spread.is_none() && row.is_multiple_of(LINE) && product.c.addr().is_multiple_of(LINE);
        if is_written_once && are_lines { Streams::for_result(product.rows * row) } else { None }
    }

    /// Computes one task's part of c; `room` is where it may pack its rows.
    unsafe fn task(&self, rows: Range<usize>, cols: Range<usize>, room: *mut L::Elem) {
        let streams = self.streams();
        let mut panel_room = PanelRoom::new();
        let panel_room: *mut L::Elem = panel_room.as_mut_ptr();
        let panel = panel_width::<L>();
        let tiles = rows.len().div_ceil(L::ROWS).max(1);
        let across = match self.b {
            Panels::InPlace(_) => L::widest(rows.len().div_ceil(tiles)) * L::N,
            Panels::PackedByTask(_) if rows.len() <= FEW_ROWS => FEW_ROWS_WIDE * L::N,
            _ => panel,
        };
        let panels_held = PANEL_BYTES / (INNER * across * size_of::<L::Elem>());
        // A mask for b's loads takes registers that the sums of a high tile need. A padded copy has no mask.
        let pads = |width: usize| !L::MASKS_ARE_FREE && !width.is_multiple_of(L::N) && rows.len() >= PADDED_ROWS;
        let mut lines = Vec::new();
        for (step, depth) in inner_blocks(self.depth) {
            match &self.a {
                // SAFETY: the room holds the rows of a task that packs.
                Rows::PackedByTask(order) => unsafe { self.pack_rows(*order, rows.clone(), step, depth, room) },
                Rows::Windows(windows) => windows.lines(self.step + step, depth, &mut lines),
                Rows::InPlace(..) => {}
            }
            for (number, col) in cols.clone().step_by(across).enumerate() {
                let width = across.min(cols.end - col);
                // SAFETY: addresses are of elements of the operand or of its copy.
                let (b, b_stride, b_is_padded) = unsafe {
                    match self.b {
                        Panels::InPlace(b) if !pads(width) => (b.at(self.step + step, self.col + col), b.row, false),
                        Panels::Packed(copy) => (copy.add(step * padded::<L>(self.cols) + col * depth), panel, true),
                        Panels::InPlace(b) | Panels::Unpacked(b) => {
                            let b = b.from(self.step + step, self.col + col);
                            pack::columns::<L>(b, depth, width, across, panel_room);
                            (panel_room.cast_const(), across, true)
                        }
                        Panels::PackedByTask(b) => {
                            // Several panels at once: a row of one is only a line or two of memory.
                            let held = number % panels_held;
                            if held == 0 {
                                let cols = (panels_held * across).min(cols.end - col);
                                let b = b.from(self.step + step, self.col + col);
                                pack::columns::<L>(b, depth, cols, across, panel_room);
                            }
                            (panel_room.add(held * across * depth).cast_const(), across, true)
                        }
                    }
                };
                // Each tile prefetches its share of the next panel.
                let panel_bytes = depth * panel * size_of::<L::Elem>();
                let (next, share, ahead_step) = match self.b {
                    Panels::Packed(_) => (panel_bytes, panel_bytes / tiles, panel * size_of::<L::Elem>() / tiles),
                    _ => (0, 0, 0),
                };
                for (number, tile) in self.tile_rows(rows.clone()).enumerate() {
                    let ahead = b.cast::<u8>().wrapping_add(next + number * share);
                    let (order, a, a_stride) = match self.a {
                        Rows::InPlace(a, order) => {
                            let stride = if order == Order::AlongRow { a.row } else { a.col };
                            (order, a.at(tile.start, self.step + step), stride)
                        }
                        Rows::Windows(w) => (w.order(), w.row(tile.start), w.windows.step),
                        Rows::PackedByTask(order) => {
                            let stride = if order == Order::AlongRow { PACKED_ROW } else { tile.len() };
                            (order, room.cast_const().wrapping_add((tile.start - rows.start) * PACKED_ROW), stride)
                        }
                    };
                    let a_lines = &lines[..];
                    let operands = TileOperands {
                        order,
                        a,
                        a_stride,
                        a_lines,
                        b,
                        b_stride,
                        b_is_padded,
                        step,
                        depth,
                        past_caches: streams.is_some(),
                        ahead,
                        ahead_step,
                    };
                    // SAFETY: the caller keeps the contract.
                    unsafe { self.tiles(&operands, tile, col..col + width) };
                }
            }
        }
    }

    /// Runs the kernels over the columns of one tile of rows.
    #[inline]
    unsafe fn tiles(&self, operands: &TileOperands<'_, L::Elem>, rows: Range<usize>, cols: Range<usize>) {
        let TileOperands { order, a, a_stride, a_lines, b, b_stride, b_is_padded, step, depth, .. } = *operands;
        let product = self.product;
        let begins = self.step + step == 0;
        let ends = self.step + step + depth == product.depth;
        let (c, c_stride) = match product.spread {
            Some(spread) => (spread.at(rows.start), spread.line().1),
            None => (rows.start * product.cols, product.cols),
        };
        let mut col = cols.start;
        while col < cols.end {
            let registers = (cols.end - col).div_ceil(L::N).min(L::widest(rows.len()));
            let registers = 1 << registers.ilog2();
            let width = (registers * L::N).min(cols.end - col);
            let whole = width == registers * L::N;
            let part = L::first(width - (registers - 1) * L::N);
            let absolute = self.col + col;
            let tile = Tile::<L> {
                depth,
                a,
                a_stride,
                a_lines,
                b: b.wrapping_add(col - cols.start),
                b_stride,
                b_part: part,
                c: product.c.wrapping_add(c + absolute),
                c_stride,
                c_part: part,
                add: product.accumulate || !begins,
                bias: match product.bias {
                    Some(bias) if ends => bias.as_ptr().wrapping_add(absolute),
                    _ => std::ptr::null(),
                },
                relu: product.relu && ends,
                past_caches: operands.past_caches,
                ahead: operands.ahead,
                ahead_step: operands.ahead_step,
            };
            // SAFETY: the tile's parts of a, b, c and bias are inside the block; the CPU has the features of `L`.
            unsafe {
                let kernel = kernel::<L>(rows.len(), registers, order, whole || b_is_padded);
                if whole { kernel(&tile) } else { tile.run_apart(kernel, rows.len(), registers) }
            };
            col += width;
        }
    }
}

/// The operands of the kernels for one tile of rows.
struct TileOperands<'a, E> {
    order: Order,
    a: *const E,
    a_stride: usize,
    a_lines: &'a [Line],
    b: *const E,
    b_stride: usize,
    /// True if b is a copy of whole panels.
    b_is_padded: bool,
    /// The elements of the inner dimension: the first one in the block, and their number.
    step: usize,
    depth: usize,
    past_caches: bool,
    /// The address that is prefetched with the tile, and its step with each column.
    ahead: *const u8,
    ahead_step: usize,
}
