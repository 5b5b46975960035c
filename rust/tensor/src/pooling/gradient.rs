//! Gradients of pooling.

use super::element::{Averaged, Pooled};
use super::kept::Kept;
use super::patches::{Patches, add_to_first_max, put_to_first_max, scaled, sum_of, sum_of_near};
use super::reduction::Scratch;
use super::transposed;
use super::windows::Windows;
use crate::threads::{Interrupted, SharedSlice, Threads, try_for_blocks};
use std::ops::Range;

/// Elements of one parallel block, as near as whole planes allow.
const BLOCK: usize = 1 << 16;
/// A block has at least so many planes of windows for each that its border cuts: what these cost is paid twice.
const WINDOWS_PER_CUT: usize = 8;

/// Results of one line in a tile.
const TILE: usize = 1 << 10;

/// Returns the gradient of `max`: that of each result at the first largest element of its window. TF 1.x: a NaN is the
/// largest where it comes first.
pub fn max_gradient<T: Pooled>(
    windows: &Windows,
    threads: Threads,
    x: &[T],
    g: &[T],
    gx: &mut [T],
) -> Result<(), Interrupted> {
    if transposed::pays(windows) {
        return transposed::each(windows, threads, [x, g], gx, |windows, [x, g], gx| {
            max_gradient(windows, Threads::single(), x, g, gx)
        });
    }
    let ([planes, rows, columns], inner) = (windows.axes, windows.inner);
    let (tiles, line_size) = (windows.tiles(TILE), columns.input * inner);
    let plane_size = rows.input * line_size;
    let is_partition = windows.is_partition();
    Stripes::of(windows).for_each(threads, gx, |part, stripe, Scratch { lines, members }, own| {
        let [base, end] = [stripe.start, stripe.end].map(|plane| (part * planes.input + plane) * plane_size);
        // Zeros are written just before the sums: only to columns that no tile before this one has reached.
        let zero = |own: &mut [T], reached: Range<usize>, columns: Range<usize>| {
            for line in own.chunks_exact_mut(line_size).take(reached.end * rows.input).skip(reached.start * rows.input)
            {
                line[columns.start * inner..columns.end * inner].fill(T::default());
            }
        };
        let (mut column, reaching) = (0, planes.covering(stripe.start).start..planes.covering(stripe.end - 1).end);
        for run in &tiles {
            let fresh = column..run.end(columns.stride).max(column);
            let mut plane = 0;
            for p in reaching.clone() {
                if !is_partition {
                    let reached = planes.covered(p).end.clamp(stripe.start + plane, stripe.end) - stripe.start;
                    zero(own, plane..reached, fresh.clone());
                    plane = reached;
                }
                for r in 0..rows.output {
                    windows.lines(part, [p, r], lines);
                    let inside = [base, end].map(|at| lines.partition_point(|line| line.at < at) * run.columns);
                    let at = (((part * planes.output + p) * rows.output + r) * columns.output + run.result) * inner;
                    windows.prefetch(x, lines, run);
                    let patches = run.patches(lines, inner, columns.stride, members);
                    if is_partition {
                        put_to_first_max(x, patches, &g[at..], base, own);
                    } else {
                        add_to_first_max(x, patches, &g[at..], inside[0]..inside[1], base, own);
                    }
                }
            }
            if !is_partition {
                zero(own, plane..stripe.len(), fresh.clone());
                column = fresh.end;
            }
        }
        if !is_partition {
            zero(own, 0..stripe.len(), column..columns.input);
        }
    })
}

/// Computes TF 1.x's gradient of `max` in 3-D: every element that is near the largest, which is in `y`, gets the
/// gradient.
pub fn every_max_gradient<T: Pooled>(
    windows: &Windows,
    threads: Threads,
    x: &[T],
    y: &[T],
    g: &[T],
    gx: &mut [T],
) -> Result<(), Interrupted> {
    if transposed::pays(windows) {
        return transposed::each(windows, threads, [x, y, g], gx, |windows, [x, y, g], gx| {
            every_max_gradient(windows, Threads::single(), x, y, g, gx)
        });
    }
    let prepare = |_: usize, _: [usize; 2], _: &mut [()]| {};
    gather(windows, threads, gx, prepare, |_, patches, at, gx| sum_of_near(&x[at..], y, g, patches, gx))
}

/// Returns the gradient of `mean`: equal parts of each result's at the elements of its window.
pub fn mean_gradient<T: Averaged>(
    windows: &Windows,
    threads: Threads,
    g: &[T],
    gx: &mut [T],
) -> Result<(), Interrupted> {
    if transposed::pays(windows) {
        return transposed::each(windows, threads, [g], gx, |windows, [g], gx| {
            mean_gradient(windows, Threads::single(), g, gx)
        });
    }
    let [planes, rows, columns] = windows.axes;
    let (inner, runs) = (windows.inner, columns.runs());
    let prepare = |part: usize, [p, r]: [usize; 2], shares: &mut [T]| {
        let lines = planes.covered(p).len() * rows.covered(r).len();
        let line = ((part * planes.output + p) * rows.output + r) * columns.output * inner;
        for run in &runs {
            let results = run.result * inner..(run.result + run.count) * inner;
            let g = &g[line + results.start..line + results.end];
            scaled(g, T::part(lines * run.columns), &mut shares[results]);
        }
    };
    gather(windows, threads, gx, prepare, |shares, patches, _, gx| sum_of(shares, patches, gx))
}

/// Makes a gradient of the input. `prepare(part, [plane, row], kept)` makes ready a line of results, and
/// `pool(kept, patches, at, gradient)` pools the lines that were made ready, `at` being the first element's number.
///
/// A line whose windows lie in several blocks is made ready for each.
fn gather<T: Send, K: Copy + Default>(
    windows: &Windows,
    threads: Threads,
    gradient: &mut [T],
    prepare: impl Fn(usize, [usize; 2], &mut [K]) + Sync,
    pool: impl Fn(&[K], Patches<'_>, usize, &mut [T]) + Sync,
) -> Result<(), Interrupted> {
    let [planes, rows, columns] = windows.axes;
    let (inner, width) = (windows.inner, columns.output * windows.inner);
    let depth = planes.depth();
    let runs = columns.runs_back();
    Stripes::of(windows).for_each(threads, gradient, |part, stripe, scratch, own| {
        let mut kept = Kept::new(depth * rows.output * width);
        let (mut ready, base) = (0, stripe.start);
        for plane in stripe {
            let covering = planes.covering(plane);
            for p in covering.start.max(ready)..covering.end {
                for r in 0..rows.output {
                    let line = (p % depth * rows.output + r) * width;
                    prepare(part, [p, r], &mut kept.get_mut()[line..line + width]);
                }
            }
            ready = ready.max(covering.end);
            for row in 0..rows.input {
                let Scratch { lines, members } = scratch;
                windows.lines_back(part, [plane, row], depth, lines);
                let line = ((part * planes.input + plane) * rows.input + row) * columns.input * inner;
                let own = &mut own[((plane - base) * rows.input + row) * columns.input * inner..];
                for run in &runs {
                    let first = run.result * inner;
                    let patches = run.patches_back(lines, inner, columns.stride, members);
                    pool(kept.get(), patches, line + first, &mut own[first..]);
                }
            }
        }
    })
}

/// The planes of each part, cut into pieces that tasks make.
struct Stripes<'a> {
    windows: &'a Windows,
    /// Planes of windows in a stripe.
    steps: usize,
    /// Stripes in a part.
    count: usize,
}

impl Stripes<'_> {
    fn of(windows: &Windows) -> Stripes<'_> {
        let planes = windows.axes[0];
        let plane_size = windows.in_part() / planes.input.max(1);
        let fits = BLOCK / (plane_size * planes.stride.min(planes.input)).max(1);
        let steps = fits.max((planes.depth() - 1) * WINDOWS_PER_CUT).max(1);
        Stripes { windows, steps, count: planes.output.div_ceil(steps).max(1) }
    }

    fn planes(&self, stripe: usize) -> Range<usize> {
        let planes = self.windows.axes[0];
        let low = if stripe == 0 { 0 } else { planes.covered(stripe * self.steps).start };
        low..if stripe + 1 == self.count { planes.input } else { planes.covered((stripe + 1) * self.steps).start }
    }

    /// Calls `f(part, planes, scratch, gradient)` for each stripe and its part of the gradient.
    fn for_each<T: Send>(
        &self,
        threads: Threads,
        gradient: &mut [T],
        f: impl Fn(usize, Range<usize>, &mut Scratch, &mut [T]) + Sync,
    ) -> Result<(), Interrupted> {
        let (part_size, planes) = (self.windows.in_part(), self.windows.axes[0].input);
        if gradient.is_empty() {
            return Ok(());
        }
        let shared = SharedSlice::new(gradient);
        let together = if self.count == 1 { (BLOCK / part_size).max(1) } else { 1 };
        try_for_blocks(threads, self.windows.outer * self.count, together, |tasks| {
            let mut scratch = Scratch::default();
            for task in tasks {
                let (part, stripe) = (task / self.count, self.planes(task % self.count));
                let element = |plane: usize| part * part_size + plane * (part_size / planes);
                // SAFETY: the stripes are disjoint: each ends where the next begins.
                let own = unsafe { shared.range(element(stripe.start)..element(stripe.end)) };
                f(part, stripe, &mut scratch, own);
            }
        })
    }
}
