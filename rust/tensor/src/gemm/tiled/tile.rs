//! The innermost kernel: a tile of the product, held in registers while the inner dimension runs.

use std::mem::MaybeUninit;

use super::lanes::{Lanes, for_lanes, prefetch};

/// Inner steps of one unroll of the kernel's loop over packed rows. Prefetches are spread over the turns: all at once, they would delay
/// a's loads.
const UNROLL: usize = 4;

/// Distance from the packed rows in use to those prefetched, in bytes.
const A_AHEAD: usize = 1024;

/// Inner steps from the row of b in use to the one prefetched, for a tile of one row.
const B_AHEAD: usize = 16;

/// Most sums that a kernel holds, in registers: three quarters of AVX-512's.
const MOST_SUMS: usize = 24;

/// Steps of the inner dimension that lie the same distance apart in a: how many, and where the first is. Places are
/// counted in elements from the first of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub at: usize,
    pub len: usize,
}

/// One tile's work: `c = finish(c? + a * b)` over `depth` steps of the inner dimension.
pub(crate) struct Tile<'a, L: Lanes> {
    pub depth: usize,
    pub a: *const L::Elem,
    /// Rows side by side in memory: distance of one inner step; else distance of one row, inner steps being side by side.
    pub a_stride: usize,
    /// The lines that make up the inner steps; none if they are one line.
    pub a_lines: &'a [Line],
    pub b: *const L::Elem,
    pub b_stride: usize,
    /// The elements of b's last lanes that may be read.
    pub b_part: L::Mask,
    pub c: *mut L::Elem,
    pub c_stride: usize,
    /// The elements of c's last lanes that exist.
    pub c_part: L::Mask,
    /// True if the sums are added to the elements of c.
    pub add: bool,
    /// One value per column, or null.
    pub bias: *const L::Elem,
    pub relu: bool,
    /// True if whole lanes of c, which are then cache lines, are written past the caches. A `Streams` must be held.
    pub past_caches: bool,
    /// Memory that will be needed soon, of which each inner step brings `ahead_step` bytes into the second-level cache.
    pub ahead: *const u8,
    pub ahead_step: usize,
}

impl<L: Lanes> Tile<'_, L> {
    /// Returns a tile whose registers are whole, with no end of its own. Operands and c are given with the distances of
    /// their rows (of a's columns where it lies along them).
    pub fn whole(
        depth: usize,
        (a, a_stride): (*const L::Elem, usize),
        (b, b_stride): (*const L::Elem, usize),
        (c, c_stride): (*mut L::Elem, usize),
        add: bool,
    ) -> Tile<'static, L> {
        let part = L::first(L::N);
        Tile {
            depth,
            a,
            a_stride,
            a_lines: &[],
            b,
            b_stride,
            b_part: part,
            c,
            c_stride,
            c_part: part,
            add,
            bias: std::ptr::null(),
            relu: false,
            past_caches: false,
            ahead: b.cast(),
            ahead_step: 0,
        }
    }

    /// Runs the kernel of a tile whose last lanes lack elements of c. Its sums go to memory of their own first. In the kernel,
    /// the code that stores a part of a row would be too long to unroll. An index would then keep the sums in memory, and
    /// each inner step would write them.
    ///
    /// # Safety
    /// As for the kernel, which is one for this number of rows and lanes across.
    pub unsafe fn run_apart(&self, kernel: Kernel<L>, rows: usize, width: usize) {
        let mut sums = [const { MaybeUninit::<L>::uninit() }; MOST_SUMS];
        let apart = Tile {
            c: sums.as_mut_ptr().cast(),
            c_stride: width * L::N,
            add: false,
            bias: std::ptr::null(),
            relu: false,
            past_caches: false,
            ..*self
        };
        // SAFETY: the kernel writes `rows` times `width` whole lanes. It holds them in registers, so that the memory has room
        // for them.
        unsafe {
            kernel(&apart);
            finish_all(self, &sums[..rows * width], width);
        }
    }
}

for_lanes! {
    /// Finishes rows of `width` lanes each.
    ///
    /// # Safety
    /// The CPU has the features of `L`. The sums, which are initialized, are those of the tile.
    unsafe fn finish_all = finish_all_body<L: Lanes>(tile: &Tile<'_, L>, sums: &[MaybeUninit<L>], width: usize)
}

#[inline(always)]
unsafe fn finish_all_body<L: Lanes>(tile: &Tile<'_, L>, sums: &[MaybeUninit<L>], width: usize) {
    for (i, row) in sums.chunks_exact(width).enumerate() {
        for (j, sum) in row.iter().enumerate() {
            // SAFETY: by the contract above.
            unsafe { finish(tile, (i, j), sum.assume_init(), j + 1 < width) };
        }
    }
}

pub(crate) type Kernel<L> = unsafe fn(&Tile<'_, L>);

/// The layout of a's elements: side by side along a row, or along a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    AlongRow,
    AlongColumn,
}

/// Returns the kernel for `rows <= L::ROWS` rows and `width` lanes across, a power of two that is at most
/// `L::widest(rows)`. `whole` says that b has elements in all lanes.
pub(crate) fn kernel<L: Lanes>(rows: usize, width: usize, order: Order, whole: bool) -> Kernel<L> {
    macro_rules! of_rows {
        ($rows:expr, $($width:literal)*) => {
            match (width, order, whole) {
                $(($width, Order::AlongRow, false) => run::<L, $rows, $width, true, false>,
                  ($width, Order::AlongColumn, false) => run::<L, $rows, $width, false, false>,
                  ($width, Order::AlongRow, true) => run::<L, $rows, $width, true, true>,
                  ($width, Order::AlongColumn, true) => run::<L, $rows, $width, false, true>,)*
                (_, Order::AlongRow, false) => run::<L, $rows, 1, true, false>,
                (_, Order::AlongColumn, false) => run::<L, $rows, 1, false, false>,
                (_, Order::AlongRow, true) => run::<L, $rows, 1, true, true>,
                (_, Order::AlongColumn, true) => run::<L, $rows, 1, false, true>,
            }
        };
    }
    if L::WIDE == 1 {
        return match rows {
            1 => of_rows!(1, 4 2),
            2 => of_rows!(2, 2),
            3 => of_rows!(3, 2),
            4 => of_rows!(4,),
            5 => of_rows!(5,),
            _ => of_rows!(6,),
        };
    }
    match rows {
        1 => of_rows!(1, 8 4 2),
        2 => of_rows!(2, 8 4 2),
        3 => of_rows!(3, 8 4 2),
        4 => of_rows!(4, 4 2),
        5 => of_rows!(5, 4 2),
        6 => of_rows!(6, 4 2),
        7 => of_rows!(7, 2),
        8 => of_rows!(8, 2),
        9 => of_rows!(9, 2),
        10 => of_rows!(10, 2),
        11 => of_rows!(11, 2),
        _ => of_rows!(12, 2),
    }
}

for_lanes! {
    /// # Safety
    /// Computes the tile. The CPU has the features of `L`; a, b and c are valid for the tile; nothing else touches this
    /// part of c.
    unsafe fn run = run_body<L: Lanes, const ROWS: usize, const WIDTH: usize, const ALONG_ROW: bool, const WHOLE: bool>(
        tile: &Tile<'_, L>
    )
}

#[inline(always)]
unsafe fn run_body<L: Lanes, const ROWS: usize, const WIDTH: usize, const ALONG_ROW: bool, const WHOLE: bool>(
    tile: &Tile<'_, L>,
) {
    // SAFETY: by the contract above, every address below is of an element of the tile's a, b, c or bias. Parts of a
    // register that lie outside are masked.
    unsafe {
        let last = WIDTH - 1;
        let mut sums = [[L::zero(); WIDTH]; ROWS];
        let mut a;
        let mut b = tile.b;
        let (row_step, inner_step) = if ALONG_ROW { (tile.a_stride, 1) } else { (1, tile.a_stride) };
        // The sums take long enough for the prefetched lines of c to arrive.
        if !tile.past_caches {
            for i in 0..ROWS {
                for j in 0..WIDTH {
                    prefetch::<true>(tile.c.wrapping_add(i * tile.c_stride + j * L::N).cast());
                }
            }
        }
        let mut ahead = tile.ahead;
        // No closure here: it would keep the sums in memory. The mask must be a local for the same reason.
        let (b_stride, b_part) = (tile.b_stride, tile.b_part);
        macro_rules! step {
            () => {{
                let column = |j: usize| {
                    if WHOLE || j < last { L::load(b.add(j * L::N)) } else { L::load_part(b.add(j * L::N), b_part) }
                };
                if ROWS == 1 {
                    // Rows of b are far apart where they lie, each in its own page, and each is used once.
                    for j in 0..WIDTH {
                        prefetch::<true>(b.wrapping_add(B_AHEAD * b_stride + j * L::N).cast());
                    }
                }
                // The shorter side stays in registers, the longer one passes through one register. With the sums they
                // fill no more registers than there are.
                if ROWS < WIDTH * L::REGISTERS {
                    let mut values = [L::zero(); ROWS];
                    for (i, value) in values.iter_mut().enumerate() {
                        *value = L::splat(a.add(i * row_step));
                    }
                    for j in 0..WIDTH {
                        let column = column(j);
                        for (row, value) in sums.iter_mut().zip(values) {
                            row[j] = value.mul_add(column, row[j]);
                        }
                    }
                } else {
                    let mut columns = [L::zero(); WIDTH];
                    for (j, held) in columns.iter_mut().enumerate() {
                        *held = column(j);
                    }
                    for (i, row) in sums.iter_mut().enumerate() {
                        let value = L::splat(a.add(i * row_step));
                        for (sum, column) in row.iter_mut().zip(columns) {
                            *sum = value.mul_add(column, *sum);
                        }
                    }
                }
                a = a.add(inner_step);
                b = b.add(b_stride);
            }};
        }
        let packed = !ALONG_ROW && tile.a_stride == ROWS;
        // Rows that are far apart need an address each. Unrolled, the addresses do not fit the general registers.
        let unroll = if ALONG_ROW { 1 } else { UNROLL };
        let whole = [Line { at: 0, len: tile.depth }];
        let lines = if tile.a_lines.is_empty() { &whole } else { tile.a_lines };
        for line in lines {
            a = tile.a.add(line.at);
            for _ in 0..line.len / unroll {
                prefetch::<false>(ahead);
                ahead = ahead.wrapping_add(tile.ahead_step * unroll);
                if packed {
                    for line in 0..(UNROLL * ROWS * size_of::<L::Elem>()).div_ceil(64) {
                        prefetch::<true>(a.cast::<u8>().wrapping_add(A_AHEAD + line * 64));
                    }
                }
                for _ in 0..unroll {
                    step!();
                }
            }
            for _ in 0..line.len % unroll {
                step!();
            }
        }
        for (i, row) in sums.iter().enumerate() {
            for (j, &sum) in row.iter().enumerate() {
                // A part of a row goes through `Tile::run_apart`.
                finish(tile, (i, j), sum, true);
            }
        }
    }
}

/// Writes one row of lanes of c, with what it is added to, bias and activation.
///
/// # Safety
/// The lanes are the tile's. Unless `is_whole`, they are the last ones across.
#[inline(always)]
unsafe fn finish<L: Lanes>(tile: &Tile<'_, L>, (i, j): (usize, usize), sum: L, is_whole: bool) {
    // SAFETY: the row lies in c, and beside it in bias. Lanes outside are masked.
    unsafe {
        let c = tile.c.add(i * tile.c_stride + j * L::N);
        let load = |from| if is_whole { L::load(from) } else { L::load_part(from, tile.c_part) };
        let mut value = sum;
        if tile.add {
            value = load(c.cast_const()).add(value);
        }
        if !tile.bias.is_null() {
            value = value.add(load(tile.bias.add(j * L::N)));
        }
        if tile.relu {
            value = value.relu();
        }
        if is_whole && tile.past_caches {
            value.stream(c);
        } else if is_whole {
            value.store(c);
        } else {
            value.store_part(c, tile.c_part);
        }
    }
}
