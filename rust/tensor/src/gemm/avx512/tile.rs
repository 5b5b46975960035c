//! The innermost kernel: a tile of at most 12 rows of the product, held in registers while the inner dimension runs.

use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};

use super::lanes::Lanes;

/// Most rows of a tile.
pub(super) const MAX_ROWS: usize = 12;

/// Registers across a tile of many rows. 12 x 2 sums, 2 columns of b and the value of a fill the 32 registers.
pub(super) const WIDE: usize = 2;

/// Inner steps of one turn of the kernel's loop over packed rows. Memory is asked for turn by turn: requests made all at once would
/// hold up a's.
const UNROLL: usize = 4;

/// How far ahead of its use a copy of a is asked for, in bytes.
const A_AHEAD: usize = 1024;

/// One tile's work: `c = finish(c? + a * b)` over `depth` steps of the inner dimension.
pub(crate) struct Tile<L: Lanes> {
    pub depth: usize,
    pub a: *const L::Elem,
    /// Rows side by side in memory: distance of one inner step; else distance of one row, inner steps being side by side.
    pub a_stride: usize,
    /// Inner steps after which a's go on `a_jump` elements further: those of one line of a window, or all.
    pub a_line: usize,
    pub a_jump: usize,
    pub b: *const L::Elem,
    pub b_stride: usize,
    /// The lanes of b's last register that may be read.
    pub b_part: L::Mask,
    pub c: *mut L::Elem,
    pub c_stride: usize,
    /// The lanes of c's last register that exist.
    pub c_part: L::Mask,
    /// Whether the sums are added to what c holds.
    pub add: bool,
    /// One value per column, or null.
    pub bias: *const L::Elem,
    pub relu: bool,
    /// Memory that will be needed soon, of which each inner step brings `ahead_step` bytes into the second-level cache.
    pub ahead: *const u8,
    pub ahead_step: usize,
}

impl<L: Lanes> Tile<L> {
    /// A tile whose registers are whole, with no end of its own; operands and c are given with the distances of their rows (of
    /// a's columns where it lies along them).
    pub fn whole(
        depth: usize,
        (a, a_stride): (*const L::Elem, usize),
        (b, b_stride): (*const L::Elem, usize),
        (c, c_stride): (*mut L::Elem, usize),
        add: bool,
    ) -> Tile<L> {
        let part = L::first(L::N);
        Tile {
            depth,
            a,
            a_stride,
            a_line: depth,
            a_jump: 0,
            b,
            b_stride,
            b_part: part,
            c,
            c_stride,
            c_part: part,
            add,
            bias: std::ptr::null(),
            relu: false,
            ahead: b.cast(),
            ahead_step: 0,
        }
    }
}

pub(crate) type Kernel<L> = unsafe fn(&Tile<L>);

/// How a's elements lie: side by side along a row, or along a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    AlongRow,
    AlongColumn,
}

/// The most registers across that a tile of this many rows may have when b is not packed: few rows need many columns to
/// keep eight sums in flight.
pub(super) fn widest(rows: usize) -> usize {
    match rows {
        0..=3 => 8,
        4..=6 => 4,
        _ => WIDE,
    }
}

/// The kernel for `rows <= MAX_ROWS` rows and `width` registers across, a power of two that is at most `widest(rows)`.
pub(crate) fn kernel<L: Lanes>(rows: usize, width: usize, order: Order) -> Kernel<L> {
    macro_rules! of_rows {
        ($rows:expr, $($width:literal)*) => {
            match (width, order) {
                $(($width, Order::AlongRow) => run::<L, $rows, $width, true>,
                  ($width, Order::AlongColumn) => run::<L, $rows, $width, false>,)*
                (_, Order::AlongRow) => run::<L, $rows, 1, true>,
                (_, Order::AlongColumn) => run::<L, $rows, 1, false>,
            }
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

/// # Safety
/// The CPU has AVX-512F; a, b and c are valid for the tile; nothing else touches this part of c.
#[target_feature(enable = "avx512f")]
unsafe fn run<L: Lanes, const ROWS: usize, const WIDTH: usize, const ALONG_ROW: bool>(tile: &Tile<L>) {
    // SAFETY: by the contract above, every address below is of an element of the tile's a, b, c or bias; parts of a register that
    // lie outside are masked.
    unsafe {
        let last = WIDTH - 1;
        let mut sums = [[L::zero(); WIDTH]; ROWS];
        let (mut a, mut b) = (tile.a, tile.b);
        let (row_step, inner_step) = if ALONG_ROW { (tile.a_stride, 1) } else { (1, tile.a_stride) };
        // The sums take long enough for the lines of c to arrive meanwhile.
        for i in 0..ROWS {
            for j in 0..WIDTH {
                _mm_prefetch::<_MM_HINT_T0>(tile.c.wrapping_add(i * tile.c_stride + j * L::N).cast());
            }
        }
        let mut ahead = tile.ahead;
        // Not a closure, which keeps the sums in memory; the mask must be a local for the same reason.
        let (b_stride, b_part) = (tile.b_stride, tile.b_part);
        macro_rules! step {
            () => {{
                let column =
                    |j: usize| if j < last { L::load(b.add(j * L::N)) } else { L::load_part(b.add(j * L::N), b_part) };
                // The shorter side is held, the longer passes through one register: all sums and it fit the 32 registers.
                if ROWS < WIDTH {
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
        // Rows far apart need an address each: unrolled, those leave the general registers.
        let turn = if ALONG_ROW { 1 } else { UNROLL };
        let mut left = tile.depth;
        while left > 0 {
            let line = left.min(tile.a_line);
            for _ in 0..line / turn {
                _mm_prefetch::<_MM_HINT_T1>(ahead.cast());
                ahead = ahead.wrapping_add(tile.ahead_step * turn);
                if packed {
                    for line in 0..(UNROLL * ROWS * size_of::<L::Elem>()).div_ceil(64) {
                        _mm_prefetch::<_MM_HINT_T0>(a.cast::<u8>().wrapping_add(A_AHEAD + line * 64).cast());
                    }
                }
                for _ in 0..turn {
                    step!();
                }
            }
            for _ in 0..line % turn {
                step!();
            }
            left -= line;
            a = a.wrapping_add(tile.a_jump);
        }
        for (i, row) in sums.iter().enumerate() {
            let c = tile.c.add(i * tile.c_stride);
            for (j, &sum) in row.iter().enumerate() {
                let part = if j < last { L::first(L::N) } else { tile.c_part };
                let mut value = sum;
                if tile.add {
                    value = L::load_part(c.add(j * L::N), part).add(value);
                }
                if !tile.bias.is_null() {
                    value = value.add(L::load_part(tile.bias.add(j * L::N), part));
                }
                if tile.relu {
                    value = value.relu();
                }
                value.store_part(c.add(j * L::N), part);
            }
        }
    }
}
