//! The output of a convolution from transformed tiles.

use std::sync::atomic::{AtomicBool, Ordering};

use super::transforms::{
    Channels, Finish, input_points, row_floats, transform_filter, transform_input, transform_output,
};
use super::{POINTS, Tiles, lanes_of_panel, task_tiles};
use crate::conv::Geometry;
use crate::conv::scratch::Scratch;
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
    g: &Geometry,
    tiles: &Tiles,
    input: &[f32],
    filter: &[f32],
    result: &mut [f32],
    epilogue: Option<&Epilogue<'_, f32>>,
) -> Result<bool> {
    let (inputs, outputs) = (g.inputs, g.outputs);
    let panels = outputs.div_ceil(32);
    let points = |[h, w]: [usize; 2], channels: usize| tiles.images * h * w * channels;
    let bias = epilogue.and_then(|e| e.bias);
    let fits = input.len() == points(tiles.input, inputs)
        && result.len() == points(tiles.output, outputs)
        && filter.len() == 9 * inputs * outputs
        && bias.is_none_or(|bias| bias.len() == outputs);
    if !fits {
        return Err(Status::invalid_argument("the tensors of a convolution do not have its sizes"));
    }
    let mut transposed = Scratch::<f32>::new(&[POINTS, panels, inputs, 32])?;
    let to = SharedSlice::new(transposed.get_mut());
    try_for_blocks(threads, inputs, FILTER_INPUTS, |some| {
        // SAFETY: the CPU has the features of `L`, or this would not run; the filter's size was checked, and tasks write different inputs' rows.
        unsafe { transform_filter::<L>(filter.as_ptr(), inputs, outputs, some, to.as_mut_ptr()) };
    })?;
    let transposed = transposed.get();

    let (row_in, row_out) = (row_floats(inputs), row_floats(panels * 32));
    let tasks = tiles.count().div_ceil(task_tiles(row_in, row_out)).next_multiple_of(2);
    let zeros = vec![0.0f32; inputs.next_multiple_of(16)];
    let out = SharedSlice::new(result);
    let (finite, failure) = (AtomicBool::new(true), Mutex::new(None));
    threads.try_run(tasks, &|task| {
        let some = task * tiles.count() / tasks..(task + 1) * tiles.count() / tasks;
        let count = some.len();
        let room = Scratch::<f32>::new(&[POINTS, count, row_in + row_out]);
        let mut room = match room {
            Ok(room) => room,
            Err(e) => {
                failure.lock().get_or_insert(e);
                return;
            }
        };
        let room = room.get_mut().as_mut_ptr();
        let (values, products) = (room, room.wrapping_add(POINTS * count * row_in));
        for (number, tile) in some.clone().enumerate() {
            let from = input_points(tiles, input.as_ptr(), inputs, tile, zeros.as_ptr());
            // SAFETY: the points lie in the input or are zeros; the room holds all tiles of the task.
            unsafe { transform_input::<L>(&from, inputs, values.add(number * row_in), count * row_in) };
        }
        for f in 0..POINTS {
            for panel in 0..panels {
                let b = transposed.as_ptr().wrapping_add((f * panels + panel) * inputs * 32);
                for (lane, wide) in lanes_of_panel::<L>(outputs - panel * 32) {
                    for rows in tile_rows::<L>(count) {
                        let at = f * count + rows.start;
                        let work = Tile::<L>::whole(
                            inputs,
                            (values.wrapping_add(at * row_in), row_in),
                            (b.wrapping_add(lane), 32),
                            (products.wrapping_add(at * row_out + panel * 32 + lane), row_out),
                            false,
                        );
                        // SAFETY: the CPU has the features of `L`; values, panels and products hold the tile.
                        unsafe { kernel::<L>(rows.len(), wide, Order::AlongRow, true)(&work) };
                    }
                }
            }
        }
        let mut all_finite = true;
        for (number, tile) in some.enumerate() {
            let (image, y, x) = tiles.place(tile);
            let mut to = [[std::ptr::null_mut(); 2]; 2];
            for (i, row) in to.iter_mut().enumerate() {
                for (j, point) in row.iter_mut().enumerate() {
                    if y + i < tiles.output[0] && x + j < tiles.output[1] {
                        let at = (image * tiles.output[0] + y + i) * tiles.output[1] + x + j;
                        *point = out.as_mut_ptr().wrapping_add(at * outputs);
                    }
                }
            }
            let relu = epilogue.is_some_and(|e| e.activation == Activation::Relu);
            let finish = Finish { to, channels: outputs, bias, relu };
            // SAFETY: the products of all tiles were written in whole registers; each point of the output belongs to one tile.
            all_finite &= unsafe { transform_output::<L>(products.add(number * row_out), count * row_out, &finish) };
        }
        if !all_finite {
            finite.store(false, Ordering::Relaxed);
        }
    })?;
    failure.into_inner().map_or(Ok(finite.into_inner()), Err)
}
