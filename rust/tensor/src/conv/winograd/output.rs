//! The output of a convolution from transformed tiles.

use std::sync::atomic::{AtomicBool, Ordering};

use super::tiles::Tiles;
use super::transforms::{
    Channels, Finish, Products, add_output, of_part, row_floats, transform_filter, transform_input, transform_output,
};
use super::{FEWEST_TILES, lanes_of_panel, task_tiles};
use crate::conv::scratch::Scratch;
use crate::conv::{Placed, Windows};
use crate::gemm::tiled::tile::{Order, Tile, kernel};
use crate::gemm::tiled::tile_rows;
use crate::gemm::{Activation, Epilogue};
use crate::status::{Result, Status};
use crate::threads::{SharedSlice, Threads, try_for_blocks};
use ferroflow_sync::Mutex;

/// Inputs of a filter that one task transforms.
const FILTER_INPUTS: usize = 8;

/// Computes it; false where a value was not finite, and so may not be what it should.
pub(super) fn compute<L: Channels>(
    threads: Threads,
    windows: &Windows,
    tiles: &Tiles,
    input: &[f32],
    filter: &[f32],
    result: Placed<'_, f32>,
    epilogue: Option<&Epilogue<'_, f32>>,
) -> Result<bool> {
    let (inputs, outputs) = (windows.inputs, windows.outputs);
    let panels = outputs.div_ceil(32);
    let bias = epilogue.and_then(|e| e.bias);
    if !windows.fits(input, filter, &result) || bias.is_some_and(|bias| bias.len() != outputs) {
        return Err(Status::invalid_argument("the tensors of a convolution do not have its sizes"));
    }
    let panel_floats = inputs * 32;
    let mut transformed = Scratch::<f32>::new(&[tiles.points(), panels, panel_floats])?;
    let to = SharedSlice::new(transformed.get_mut());
    let width = tiles.axes[2].taps;
    let product = inputs * outputs;
    try_for_blocks(threads, inputs, FILTER_INPUTS, |some| {
        let mut to = to.as_mut_ptr();
        for part in &tiles.parts {
            let from = filter.as_ptr().wrapping_add(tiles.first_point(part) * product);
            let steps = [part.down.step * width * product, part.across.step * product];
            // SAFETY: the CPU has the features of `L`, or this would not run; the filter's size was checked, and tasks
            // write different inputs' rows.
            unsafe {
                of_part!(part, transform_filter::<L>(from, steps, [inputs, outputs], some.clone(), to));
            }
            to = to.wrapping_add(part.points() * panels * panel_floats);
        }
    })?;
    let transformed = transformed.get();

    let (row_in, row_out) = (row_floats(inputs), row_floats(panels * 32));
    let most = tiles.most_points();
    // A single part needs no sums.
    let summed = if tiles.parts.len() > 1 { 4 } else { 0 };
    let floats = most * row_in + (most + summed) * row_out;
    // Tiles are independent: more threads may take fewer each, without a change of bits.
    let tasks = tiles.count().div_ceil(task_tiles(floats, transformed.len())).next_multiple_of(2);
    let tasks = tasks.max(threads.count().min(tiles.count() / FEWEST_TILES));
    let zeros = vec![0.0f32; inputs.next_multiple_of(16)];
    let (places, out) = (result.places, SharedSlice::new(result.values));
    let [step, line] = places.steps();
    let relu = epilogue.is_some_and(|e| e.activation == Activation::Relu);
    let finish = |tile: usize| {
        let (first, [rows, columns]) = tiles.windows(tile);
        let first = out.as_mut_ptr().wrapping_add(places.at(first));
        let mut to = [[std::ptr::null_mut(); 2]; 2];
        for (i, row) in to.iter_mut().enumerate().take(rows) {
            for (j, point) in row.iter_mut().enumerate().take(columns) {
                *point = first.wrapping_add(i * line + j * step);
            }
        }
        Finish { to, channels: outputs, bias, relu }
    };
    let multiply = |points: usize, count: usize, a: *const f32, b: *const f32, c: *mut f32| {
        for f in 0..points {
            for panel in 0..panels {
                let b = b.wrapping_add((f * panels + panel) * panel_floats);
                for (lane, wide) in lanes_of_panel::<L>(outputs - panel * 32) {
                    for rows in tile_rows::<L>(count) {
                        let at = f * count + rows.start;
                        let work = Tile::<L>::whole(
                            inputs,
                            (a.wrapping_add(at * row_in), row_in),
                            (b.wrapping_add(lane), 32),
                            (c.wrapping_add(at * row_out + panel * 32 + lane), row_out),
                            false,
                        );
                        // SAFETY: the CPU has the features of `L`; values, panels and products hold the tile.
                        unsafe { kernel::<L>(rows.len(), wide, Order::AlongRow, true)(&work) };
                    }
                }
            }
        }
    };
    let (finite, failure) = (AtomicBool::new(true), Mutex::new(None));
    threads.try_run(tasks, &|task| {
        let some = task * tiles.count() / tasks..(task + 1) * tiles.count() / tasks;
        let count = some.len();
        let mut room = match Scratch::<f32>::new(&[count, floats]) {
            Ok(room) => room,
            Err(e) => {
                failure.lock().get_or_insert(e);
                return;
            }
        };
        let values = room.get_mut().as_mut_ptr();
        let points = values.wrapping_add(most * count * row_in);
        let sums = points.wrapping_add(most * count * row_out);
        let mut filter = transformed.as_ptr();
        let mut all_finite = true;
        for (number_of_part, part) in tiles.parts.iter().enumerate() {
            for (number, tile) in some.clone().enumerate() {
                let from = tiles.input(part, input.as_ptr(), inputs, tile, zeros.as_ptr());
                let to = values.wrapping_add(number * row_in);
                // SAFETY: the points lie in the input or are zeros; the room holds a part of all tiles of the task.
                unsafe { of_part!(part, transform_input::<L>(&from, inputs, to, count * row_in)) };
            }
            multiply(part.points(), count, values, filter, points);
            filter = filter.wrapping_add(part.points() * panels * panel_floats);
            for (number, tile) in some.clone().enumerate() {
                let at = number * row_out;
                let (points, sums) = (points.wrapping_add(at), sums.wrapping_add(at));
                let from = Products { points, sums, distance: count * row_out, is_first: number_of_part == 0 };
                // SAFETY: the products of all tiles were written in whole registers; each window belongs to one tile.
                unsafe {
                    if number_of_part + 1 < tiles.parts.len() {
                        of_part!(part, add_output::<L>(&from, outputs));
                    } else {
                        all_finite &= of_part!(part, transform_output::<L>(&from, &finish(tile)));
                    }
                }
            }
        }
        if !all_finite {
            finite.store(false, Ordering::Relaxed);
        }
    })?;
    failure.into_inner().map_or(Ok(finite.into_inner()), Err)
}
