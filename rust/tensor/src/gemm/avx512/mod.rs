//! Matrix products with AVX-512: how a product is cut into blocks, packed, and given to threads.
//!
//! Every path computes an element of the product in one way: the inner dimension is cut into blocks of [`INNER`] from its start;
//! within a block one sum starts at zero and takes the steps in order by fused multiply-adds; block sums are added to the element in
//! order. So an element's bits depend on its row of a, its column of b, and nothing else: not on threads, on tiles, on
//! packing, or on which other rows and columns are in the product. All choices below are free to follow speed alone.

mod lanes;
mod pack;
mod tile;

use std::arch::x86_64::{__m512, __m512d};
use std::mem::MaybeUninit;
use std::ops::Range;

use lanes::Lanes;
use tile::{MAX_ROWS, Order, Tile, WIDE, kernel, widest};

use crate::buffer::Buffer;
use crate::status::Result;
use crate::threads::Threads;

/// Steps of the inner dimension that one register sum runs over. Part of the definition of the result, see above. A packed
/// column panel of this depth takes 32 KiB of the 48 KiB first-level cache.
const INNER: usize = 256;

/// Distance of packed rows: odd in cache lines, so that the rows of a tile fall into different cache sets.
const PACKED_ROW: usize = INNER + 16;

/// Outer blocks: both packed operands together stay below 16 MiB (f32), so that they share the third-level cache.
const OUTER_DEPTH: usize = 4 * INNER;
const OUTER_SIDE: usize = 2048;

/// Rows and columns of one task: its part of a, of b and of c fit the second-level cache together.
const TASK_ROWS: usize = 16 * MAX_ROWS;
const TASK_COLS: usize = 256;

/// Floating-point operations worth a task of their own, about 5 us of one core.
const TASK_FLOPS: usize = 1_500_000;
const MAX_TASKS: usize = 64;

/// Up to this many rows b is read where it lies: each of its elements is used too seldom to repay a copy.
const UNPACKED_B_ROWS: usize = 48;

/// Up to this many columns a is read where it lies.
const UNPACKED_A_COLS: usize = 64;

/// Row distances at which the rows of a tile fall on the same cache sets, in bytes.
const CLASHING_BYTES: usize = 1024;

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
    /// The address of an element; may be one past the end of the data, then it is not read.
    fn at(&self, row: usize, col: usize) -> *const T {
        self.data.wrapping_add(row * self.row + col * self.col)
    }

    fn from(&self, row: usize, col: usize) -> Operand<T> {
        Operand { data: self.at(row, col), ..*self }
    }
}

/// A product `c = finish(c? + a * b)` of whole matrices; c is stored row by row.
pub(super) struct Product<'a, T> {
    pub rows: usize,
    pub cols: usize,
    pub depth: usize,
    pub a: Operand<T>,
    pub b: Operand<T>,
    pub c: *mut T,
    pub accumulate: bool,
    pub bias: Option<&'a [T]>,
    pub relu: bool,
}

// SAFETY: tasks write disjoint blocks of c, and only read the rest.
unsafe impl<T: Sync> Sync for Product<'_, T> {}

/// The f32 product.
///
/// # Safety
/// The CPU has AVX-512F; operands and c are valid for the sizes; nothing else uses c; rows, cols and depth are not zero.
pub(super) unsafe fn multiply_f32(threads: Threads, product: Product<'_, f32>) -> Result<()> {
    // SAFETY: handed on.
    unsafe { multiply::<__m512>(threads, product) }
}

/// The f64 product.
///
/// # Safety
/// As for [`multiply_f32`].
pub(super) unsafe fn multiply_f64(threads: Threads, product: Product<'_, f64>) -> Result<()> {
    // SAFETY: handed on.
    unsafe { multiply::<__m512d>(threads, product) }
}

/// Where the kernel finds b.
#[derive(Clone, Copy)]
enum Columns<T> {
    InPlace,
    /// Packed panels of the whole outer block.
    Packed(*const T),
    /// Packed panel by panel by the only task that uses it.
    PackedByTask,
}

/// Where the kernel finds a.
#[derive(Clone, Copy)]
enum Rows<T> {
    InPlace(Order),
    Packed(Order, *const T),
}

/// An outer block of a product, and how it is cut.
struct Block<'p, 'a, L: Lanes> {
    product: &'p Product<'a, L::Elem>,
    row: usize,
    rows: usize,
    col: usize,
    cols: usize,
    step: usize,
    depth: usize,
    task_rows: usize,
    task_cols: usize,
    a: Rows<L::Elem>,
    b: Columns<L::Elem>,
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

/// The tiles of `rows` rows: as few as possible, and of nearly equal height, since a low tile leaves the arithmetic units waiting.
fn tile_rows(rows: usize) -> impl Iterator<Item = Range<usize>> {
    let tiles = rows.div_ceil(MAX_ROWS);
    (0..tiles).map(move |tile| tile * rows / tiles..(tile + 1) * rows / tiles)
}

fn panel_width<L: Lanes>() -> usize {
    WIDE * L::N
}

/// Elements of `T` in a buffer, rounded up so that the next part starts on a cache line.
fn lined<T>(elements: usize) -> usize {
    elements.next_multiple_of(64 / size_of::<T>().clamp(1, 64))
}

/// # Safety
/// As for [`multiply_f32`].
unsafe fn multiply<L: Lanes>(threads: Threads, mut product: Product<'_, L::Elem>) -> Result<()> {
    // The distance along a dimension of size one is never used: set it to what the fast paths look for.
    if product.depth == 1 {
        product.a.col = 1;
    }
    if product.rows == 1 {
        product.a.row = 1;
    }
    if product.cols == 1 {
        product.b.col = 1;
    }
    let mut a_buffer: Option<Buffer> = None;
    let mut b_buffer: Option<Buffer> = None;
    for col in (0..product.cols).step_by(OUTER_SIDE) {
        let cols = OUTER_SIDE.min(product.cols - col);
        for step in (0..product.depth).step_by(OUTER_DEPTH) {
            let depth = OUTER_DEPTH.min(product.depth - step);
            let mut b_packed = false;
            for row in (0..product.rows).step_by(OUTER_SIDE) {
                let rows = OUTER_SIDE.min(product.rows - row);
                let mut block = cut::<L>(&product, row..row + rows, col..col + cols, step..step + depth);
                let a_copy = match block.a {
                    Rows::Packed(order, _) => {
                        let copy = reserve(&mut a_buffer, depth.div_ceil(INNER) * rows * PACKED_ROW)?;
                        block.a = Rows::Packed(order, copy);
                        Some(copy)
                    }
                    Rows::InPlace(_) => None,
                };
                let b_copy = match block.b {
                    Columns::Packed(_) => {
                        let copy = reserve(&mut b_buffer, depth * cols.next_multiple_of(panel_width::<L>()))?;
                        block.b = Columns::Packed(copy);
                        (!std::mem::replace(&mut b_packed, true)).then_some(copy)
                    }
                    _ => None,
                };
                // SAFETY: the copies have room for the block; all else is handed on.
                unsafe {
                    block.pack(threads, a_copy, b_copy);
                    block.compute(threads);
                }
            }
        }
    }
    Ok(())
}

/// Room for a packed operand, kept from one outer block to the next where it suffices.
fn reserve<T>(buffer: &mut Option<Buffer>, elements: usize) -> Result<*mut T> {
    let bytes = lined::<T>(elements) * size_of::<T>();
    let held = match buffer {
        Some(held) if held.bytes().len() >= bytes => held,
        _ => buffer.insert(Buffer::new(bytes)?),
    };
    Ok(held.bytes_mut().map_or(std::ptr::null_mut(), |bytes| bytes.as_mut_ptr().cast()))
}

/// Decides, from shapes and strides, how an outer block is cut and what is packed.
fn cut<'p, 'a, L: Lanes>(
    product: &'p Product<'a, L::Elem>,
    rows: Range<usize>,
    cols: Range<usize>,
    steps: Range<usize>,
) -> Block<'p, 'a, L> {
    let panel = panel_width::<L>();
    let (m, n, k) = (rows.len(), cols.len(), steps.len());
    let wanted = (2 * m * n * k / TASK_FLOPS).clamp(1, MAX_TASKS);
    let mut row_tasks = m.div_ceil(TASK_ROWS);
    let mut col_tasks = n.div_ceil(TASK_COLS);
    if row_tasks * col_tasks < wanted {
        col_tasks = wanted.div_ceil(row_tasks).min(n.div_ceil(panel)).max(col_tasks);
    }
    if row_tasks * col_tasks < wanted {
        row_tasks = wanted.div_ceil(col_tasks).min(m.div_ceil(2 * MAX_ROWS)).max(row_tasks);
    }
    let task_rows = m.div_ceil(row_tasks).next_multiple_of(MAX_ROWS);
    let task_cols = n.div_ceil(col_tasks).next_multiple_of(panel);

    let size = size_of::<L::Elem>();
    let a = &product.a;
    let (order, distance) = if a.col == 1 { (Order::AlongRow, a.row) } else { (Order::AlongColumn, a.col) };
    let readable = a.col == 1 || a.row == 1;
    let clashes = m > 4 && k > 16 && (distance * size).is_multiple_of(CLASHING_BYTES);
    let a = if readable && (n <= UNPACKED_A_COLS || (order == Order::AlongRow && !clashes)) {
        Rows::InPlace(order)
    } else {
        Rows::Packed(if a.row == 1 { Order::AlongColumn } else { Order::AlongRow }, std::ptr::null())
    };
    let dense = product.b.row <= 2 * panel;
    let b = if product.b.col == 1 && (m <= UNPACKED_B_ROWS || dense) {
        Columns::InPlace
    } else if task_rows >= m {
        Columns::PackedByTask
    } else {
        Columns::Packed(std::ptr::null())
    };
    Block {
        product,
        row: rows.start,
        rows: m,
        col: cols.start,
        cols: n,
        step: steps.start,
        depth: k,
        task_rows,
        task_cols,
        a,
        b,
    }
}

impl<L: Lanes> Block<'_, '_, L> {
    /// The blocks of the inner dimension: number, first step, steps.
    fn inner(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let depth = self.depth;
        (0..depth.div_ceil(INNER)).map(move |index| (index, index * INNER, INNER.min(depth - index * INNER)))
    }

    fn padded_cols(&self) -> usize {
        self.cols.next_multiple_of(panel_width::<L>())
    }

    /// Fills the packed copies that are given.
    ///
    /// # Safety
    /// The CPU has AVX-512F; each copy has room for its operand's block.
    unsafe fn pack(&self, threads: Threads, a: Option<*mut L::Elem>, b: Option<*mut L::Elem>) {
        let a_tasks = if a.is_some() { self.rows.div_ceil(self.task_rows) } else { 0 };
        let panel = panel_width::<L>();
        let b_cols = 4 * panel;
        let b_tasks = if b.is_some() { self.cols.div_ceil(b_cols) } else { 0 };
        let (a, b) = (a.map(Target), b.map(Target));
        threads.run(a_tasks + b_tasks, &|task| {
            // SAFETY: handed on; each task fills its own rows or columns.
            unsafe {
                if let (Some(a), true) = (a, task < a_tasks) {
                    self.pack_rows(a, task * self.task_rows);
                } else if let Some(b) = b {
                    let start = (task - a_tasks) * b_cols;
                    for col in (start..self.cols.min(start + b_cols)).step_by(panel) {
                        for (_, step, depth) in self.inner() {
                            let to = b.at(step * self.padded_cols() + col * depth);
                            self.pack_panel(col, step, depth, to);
                        }
                    }
                }
            }
        });
    }

    unsafe fn pack_rows(&self, to: Target<L::Elem>, row: usize) {
        let rows = self.task_rows.min(self.rows - row);
        for (index, step, depth) in self.inner() {
            let from = self.product.a.from(self.row + row, self.step + step);
            let to = to.at((index * self.rows + row) * PACKED_ROW);
            // SAFETY: the part lies in the operand, its copy in the room given.
            unsafe {
                match self.a {
                    Rows::Packed(Order::AlongColumn, _) => {
                        pack::rows_across::<L>(from, rows, depth, PACKED_ROW, to);
                    }
                    _ => pack::rows_along(from, rows, depth, PACKED_ROW, to),
                }
            }
        }
    }

    unsafe fn pack_panel(&self, col: usize, step: usize, depth: usize, to: *mut L::Elem) {
        let panel = panel_width::<L>();
        let from = self.product.b.from(self.step + step, self.col + col);
        // SAFETY: the panel lies in the operand, its copy in the room given.
        unsafe { pack::columns::<L>(from, depth, panel.min(self.cols - col), panel, to) };
    }

    /// Computes the block of c from operands and copies.
    ///
    /// # Safety
    /// The CPU has AVX-512F; operands, copies and c are valid for the block.
    unsafe fn compute(&self, threads: Threads) {
        let row_tasks = self.rows.div_ceil(self.task_rows);
        let col_tasks = self.cols.div_ceil(self.task_cols);
        threads.run(row_tasks * col_tasks, &|task| {
            let row = task / col_tasks * self.task_rows;
            let col = task % col_tasks * self.task_cols;
            let rows = row..self.rows.min(row + self.task_rows);
            let cols = col..self.cols.min(col + self.task_cols);
            // SAFETY: handed on; each task writes its own part of c.
            unsafe { self.task(rows, cols) };
        });
    }

    unsafe fn task(&self, rows: Range<usize>, cols: Range<usize>) {
        let mut own = PanelRoom::new();
        let panel = panel_width::<L>();
        let across = match self.b {
            Columns::InPlace => widest(tile_rows(rows.len()).map(|tile| tile.len()).max().unwrap_or(0)) * L::N,
            _ => panel,
        };
        for (index, step, depth) in self.inner() {
            for col in cols.clone().step_by(across) {
                let width = across.min(cols.end - col);
                // SAFETY: addresses are of elements of the operand or of its copy.
                let (b, b_stride) = unsafe {
                    match self.b {
                        Columns::InPlace => (self.product.b.at(self.step + step, self.col + col), self.product.b.row),
                        Columns::Packed(copy) => (copy.add(step * self.padded_cols() + col * depth), panel),
                        Columns::PackedByTask => {
                            let room: *mut L::Elem = own.0.as_mut_ptr().cast();
                            self.pack_panel(col, step, depth, room);
                            (room.cast_const(), panel)
                        }
                    }
                };
                for tile in tile_rows(rows.len()) {
                    let row = rows.start + tile.start;
                    let (order, a, a_stride) = self.rows_at(row, tile.len(), index, step);
                    // SAFETY: handed on.
                    unsafe {
                        self.tiles(
                            order,
                            a,
                            a_stride,
                            b,
                            b_stride,
                            row..row + tile.len(),
                            col..col + width,
                            step,
                            depth,
                        )
                    };
                }
            }
        }
    }

    /// Order, address and distance of a tile's rows of a.
    fn rows_at(&self, row: usize, rows: usize, index: usize, step: usize) -> (Order, *const L::Elem, usize) {
        let a = &self.product.a;
        let in_place = a.at(self.row + row, self.step + step);
        match self.a {
            Rows::InPlace(Order::AlongRow) => (Order::AlongRow, in_place, a.row),
            Rows::InPlace(Order::AlongColumn) => (Order::AlongColumn, in_place, a.col),
            Rows::Packed(order, copy) => {
                let stride = if order == Order::AlongRow { PACKED_ROW } else { rows };
                (order, copy.wrapping_add((index * self.rows + row) * PACKED_ROW), stride)
            }
        }
    }

    /// Runs the kernels over the columns of one tile of rows.
    #[inline]
    unsafe fn tiles(
        &self,
        order: Order,
        a: *const L::Elem,
        a_stride: usize,
        b: *const L::Elem,
        b_stride: usize,
        rows: Range<usize>,
        cols: Range<usize>,
        step: usize,
        depth: usize,
    ) {
        let product = self.product;
        let begins = self.step + step == 0;
        let ends = self.step + step + depth == product.depth;
        let mut col = cols.start;
        while col < cols.end {
            let registers = (cols.end - col).div_ceil(L::N).min(widest(rows.len()));
            let registers = 1 << registers.ilog2();
            let width = (registers * L::N).min(cols.end - col);
            let part = L::first(width - (registers - 1) * L::N);
            let absolute = self.col + col;
            let tile = Tile::<L> {
                depth,
                a,
                a_stride,
                b: b.wrapping_add(col - cols.start),
                b_stride,
                b_part: part,
                c: product.c.wrapping_add((self.row + rows.start) * product.cols + absolute),
                c_stride: product.cols,
                c_part: part,
                add: product.accumulate || !begins,
                bias: match product.bias {
                    Some(bias) if ends => bias.as_ptr().wrapping_add(absolute),
                    _ => std::ptr::null(),
                },
                relu: product.relu && ends,
            };
            // SAFETY: the tile's parts of a, b, c and bias are inside the block; the CPU has AVX-512F.
            unsafe { kernel::<L>(rows.len(), registers, order)(&tile) };
            col += width;
        }
    }
}

/// Room for one packed panel, on the stack of the task.
#[repr(align(64))]
struct PanelRoom([MaybeUninit<u8>; PANEL_BYTES]);

/// A register is 64 bytes whatever its elements.
const PANEL_BYTES: usize = INNER * WIDE * 64;

impl PanelRoom {
    fn new() -> PanelRoom {
        PanelRoom([const { MaybeUninit::uninit() }; PANEL_BYTES])
    }
}
