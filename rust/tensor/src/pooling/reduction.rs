//! The largest and the mean of each window, and what lies where the largest is.

use super::element::{Averaged, Pooled};
use super::kept::Kept;
use super::patches::{Member, Patches, first_max_of, max_of, share_of, sum_of};
use super::transposed;
use super::windows::{Line, Windows};
use crate::threads::{Interrupted, Threads, try_for_chunks_mut};

/// Elements of the input for one parallel block, as near as whole lines of results allow.
const BLOCK: usize = 1 << 16;

/// Results of one line in a tile.
const TILE: usize = 1 << 12;

/// Returns the largest element of each window; NaNs are passed over.
pub fn max<T: Pooled>(windows: &Windows, threads: Threads, x: &[T], out: &mut [T]) -> Result<(), Interrupted> {
    if transposed::pays(windows) {
        return transposed::each(windows, threads, [x], out, |windows, [x], out| {
            max(windows, Threads::single(), x, out)
        });
    }
    reduce(windows, threads, x, out, max_of, |x, patches, _, out| max_of(x, patches, out))
}

/// Returns the mean of each window's elements, without padding.
pub fn mean<T: Averaged>(windows: &Windows, threads: Threads, x: &[T], out: &mut [T]) -> Result<(), Interrupted> {
    if transposed::pays(windows) {
        return transposed::each(windows, threads, [x], out, |windows, [x], out| {
            mean(windows, Threads::single(), x, out)
        });
    }
    reduce(windows, threads, x, out, sum_of, share_of)
}

fn reduce<T: Copy + Default + Send + Sync>(
    windows: &Windows,
    threads: Threads,
    x: &[T],
    out: &mut [T],
    partly: impl Fn(&[T], Patches<'_>, &mut [T]) + Sync,
    wholly: impl Fn(&[T], Patches<'_>, usize, &mut [T]) + Sync,
) -> Result<(), Interrupted> {
    let (inner, columns) = (windows.inner, windows.axes[2]);
    let separable = is_separable(windows.axes[0].window * windows.axes[1].window, columns.window, columns.stride);
    let tiles = if separable { columns.runs() } else { windows.tiles(TILE) };
    by_lines(windows, threads, out, |from, block| {
        let Scratch { mut lines, mut members } = Scratch::default();
        if separable {
            let mut folded = Kept::new(columns.input * inner);
            for (line, out) in block.chunks_exact_mut(columns.output * inner).enumerate() {
                windows.lines_of(from + line, &mut lines);
                let starts: Vec<Member> = lines.iter().map(|l| Member { at: l.at, beside: l.at, place: 0 }).collect();
                partly(x, Patches::one(&starts, columns.input * inner), folded.get_mut());
                for run in &tiles {
                    let patches = run.patches(&[Line::START], inner, columns.stride, &mut members);
                    wholly(folded.get(), patches, lines.len() * run.columns, &mut out[run.result * inner..]);
                }
            }
            return;
        }
        for run in &tiles {
            for (line, out) in block.chunks_exact_mut(columns.output * inner).enumerate() {
                windows.lines_of(from + line, &mut lines);
                windows.prefetch(x, &lines, run);
                let patches = run.patches(&lines, inner, columns.stride, &mut members);
                wholly(x, patches, lines.len() * run.columns, &mut out[run.result * inner..]);
            }
        }
    })
}

/// Returns true if it takes much less to fold the lines of all columns first, and the columns then, than each window by
/// itself.
fn is_separable(lines: usize, columns: usize, stride: usize) -> bool {
    lines * columns > 2 * ((lines + 1) * stride + columns)
}

/// Writes the result of `found` for the place of the first largest element of each window. `found` gets the first
/// element of its part, and its own place in the part. TF 1.x: a NaN is the largest if it comes first.
pub fn at_first_max<T: Pooled, U: Send>(
    windows: &Windows,
    threads: Threads,
    x: &[T],
    out: &mut [U],
    found: impl Fn(usize, usize) -> U + Sync,
) -> Result<(), Interrupted> {
    let (inner, columns) = (windows.inner, windows.axes[2]);
    let (runs, distances) = (columns.runs(), windows.distances());
    by_lines(windows, threads, out, |from, block| {
        let Scratch { mut lines, mut members } = Scratch::default();
        let mut places = Kept::new(columns.output * inner);
        for (line, out) in block.chunks_exact_mut(columns.output * inner).enumerate() {
            let (part, at) = windows.position(from + line);
            windows.lines(part, at, &mut lines);
            for run in &runs {
                let patches = run.patches(&lines, inner, columns.stride, &mut members);
                first_max_of(x, patches, &mut places.get_mut()[run.result * inner..]);
            }
            let (from, origin) = (part * windows.in_part(), windows.origin(at));
            let places = places.get().chunks_exact(inner);
            for (column, (out, places)) in out.chunks_exact_mut(inner).zip(places).enumerate() {
                let first = origin + (column * columns.stride * inner) as i64;
                for (channel, (out, &place)) in out.iter_mut().zip(places).enumerate() {
                    *out = found(from, (first + distances[place as usize]) as usize + channel);
                }
            }
        }
    })
}

/// Lists that one task fills again for each line.
#[derive(Default)]
pub(super) struct Scratch {
    pub lines: Vec<Line>,
    pub members: Vec<Member>,
}

/// Calls `f(line, results)` for blocks of whole lines of results, `line` being the number of a block's first.
fn by_lines<T: Send>(
    windows: &Windows,
    threads: Threads,
    out: &mut [T],
    f: impl Fn(usize, &mut [T]) + Sync,
) -> Result<(), Interrupted> {
    if out.is_empty() {
        return Ok(());
    }
    let [planes, rows, columns] = windows.axes.map(|a| a.output);
    let width = columns * windows.inner;
    let work = (windows.in_part() / (planes * rows)).max(width);
    try_for_chunks_mut(threads, out, (BLOCK / work).max(1) * width, |start, block| f(start / width, block))
}
