//! The gradient of a convolution's filter from transformed tiles of its input and of its output's gradient.

use std::sync::atomic::{AtomicBool, Ordering};

use super::tiles::Tiles;
use super::transforms::{Channels, Sums, of_part, row_floats, transform_gradient, transform_input, transform_sums};
use super::{lanes_of_panel, task_tiles};
use crate::conv::Windows;
use crate::conv::scratch::Scratch;
use crate::gemm::tiled::tile::{Order, Tile, kernel};
use crate::gemm::tiled::tile_rows;
use crate::status::{Result, Status};
use crate::threads::{SharedSlice, Threads, try_for_blocks};
use ferroflow_sync::Mutex;

/// Shares that the tiles are cut into: their sums are added in order. From sizes alone, even, and few enough for their sums to
/// take little memory.
const MOST_SHARES: usize = 16;
const SUM_FLOATS: usize = 4 << 20;
const SHARE_TILES: usize = 128;

/// Fewest inputs of a group. If there are more threads than shares, each share's inputs are divided into groups. Each group
/// transforms the gradients of the output again.
const GROUP_INPUTS: usize = 64;

/// Inputs whose filters one task transforms.
const TASK_INPUTS: usize = 4;

/// Computes it; false where a value was not finite, and so may not be what it should.
pub(super) fn compute<L: Channels>(
    threads: Threads,
    windows: &Windows,
    tiles: &Tiles,
    input: &[f32],
    output: &[f32],
    gradient: &mut [f32],
) -> Result<bool> {
    let (inputs, outputs) = (windows.inputs, windows.outputs);
    let fits = windows.input_len() == Some(input.len())
        && windows.output_len() == Some(output.len())
        && windows.filter_len() == Some(gradient.len());
    if !fits {
        return Err(Status::invalid_argument("the tensors of a convolution do not have its sizes"));
    }
    let (row_in, row_out) = (row_floats(inputs), row_floats(outputs));
    let (points, most_points) = (tiles.points(), tiles.most_points());
    let sum_floats = points * inputs * row_out;
    let most = (SUM_FLOATS / sum_floats).clamp(2, MOST_SHARES);
    let shares = tiles.count().div_ceil(SHARE_TILES).min(most).next_multiple_of(2);
    let block = task_tiles(most_points * (row_in + row_out), sum_floats);
    let zeros = vec![0.0f32; inputs.max(outputs).next_multiple_of(16)];
    let failure = Mutex::new(None);
    let mut sums = Scratch::<f32>::new(&[shares, sum_floats])?;
    let all_sums = SharedSlice::new(sums.get_mut());
    let groups = threads.count().div_ceil(shares).clamp(1, (inputs / GROUP_INPUTS).max(1));
    threads.try_run(shares * groups, &|task| {
        let (share, group) = (task / groups, task % groups);
        let some = share * tiles.count() / shares..(share + 1) * tiles.count() / shares;
        let first_input = group * inputs / groups / 16 * 16;
        let end = if group + 1 == groups { inputs } else { (group + 1) * inputs / groups / 16 * 16 };
        let inputs_of_group = end - first_input;
        let sum = all_sums.as_mut_ptr().wrapping_add(share * sum_floats + first_input * row_out);
        // Blocks of nearly equal size.
        let block = some.len().div_ceil(some.len().div_ceil(block));
        let row_in = row_floats(inputs_of_group);
        let mut room = match Scratch::<f32>::new(&[most_points, block, row_in + row_out]) {
            Ok(room) => room,
            Err(e) => {
                failure.lock().get_or_insert(e);
                return;
            }
        };
        let values = room.get_mut().as_mut_ptr();
        let slopes = values.wrapping_add(most_points * block * row_in);
        for first in some.clone().step_by(block) {
            let count = block.min(some.end - first);
            let mut sum = sum;
            for part in &tiles.parts {
                for number in 0..count {
                    let tile = first + number;
                    let from = tiles.input(part, input.as_ptr(), inputs, tile, zeros.as_ptr());
                    let from = from.map(|row| row.map(|point| point.wrapping_add(first_input)));
                    let dy = tiles.output(output.as_ptr(), outputs, tile, zeros.as_ptr());
                    let to = (values.wrapping_add(number * row_in), slopes.wrapping_add(number * row_out));
                    // SAFETY: the points lie in the tensors or are zeros, with as many channels; the room holds a part of a
                    // block of tiles.
                    unsafe {
                        of_part!(part, transform_input::<L>(&from, inputs_of_group, to.0, block * row_in));
                        of_part!(part, transform_gradient::<L>(&dy, outputs, to.1, block * row_out));
                    }
                }
                for f in 0..part.points() {
                    let (a, b) = (values.wrapping_add(f * block * row_in), slopes.wrapping_add(f * block * row_out));
                    for column in (0..outputs).step_by(32) {
                        for (lane, wide) in lanes_of_panel::<L>(outputs - column) {
                            let column = column + lane;
                            for rows in tile_rows::<L>(inputs_of_group) {
                                let work = Tile::<L>::whole(
                                    count,
                                    (a.wrapping_add(rows.start), row_in),
                                    (b.wrapping_add(column), row_out),
                                    (sum.wrapping_add(rows.start * row_out + column), row_out),
                                    first > some.start,
                                );
                                // SAFETY: the CPU has the features of `L`, or this would not run. Rows are whole lanes long;
                                // these of the sums belong to this task.
                                unsafe { kernel::<L>(rows.len(), wide, Order::AlongColumn, true)(&work) };
                            }
                        }
                    }
                    sum = sum.wrapping_add(inputs * row_out);
                }
            }
        }
    })?;
    if let Some(e) = failure.into_inner() {
        return Err(e);
    }
    let (sums, out, finite) = (sums.get(), SharedSlice::new(gradient), AtomicBool::new(true));
    let (product, width) = (inputs * outputs, tiles.axes[2].taps);
    try_for_blocks(threads, inputs, TASK_INPUTS, |some| {
        let mut all = true;
        for row in some {
            let mut from = sums.as_ptr().wrapping_add(row * row_out);
            for part in &tiles.parts {
                let first = tiles.first_point(part) * product + row * outputs;
                let to = out.as_mut_ptr().wrapping_add(first);
                let steps = [part.down.step * width * product, part.across.step * product];
                let sums = Sums { first: from, count: shares, distance: sum_floats };
                // SAFETY: the sums are whole registers long; tasks write different inputs' rows.
                all &= unsafe { of_part!(part, transform_sums::<L>(sums, inputs * row_out, outputs, to, steps)) };
                from = from.wrapping_add(part.points() * inputs * row_out);
            }
        }
        if !all {
            finite.store(false, Ordering::Relaxed);
        }
    })?;
    Ok(finite.into_inner())
}
