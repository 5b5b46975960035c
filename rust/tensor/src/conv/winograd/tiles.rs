//! `Tiles`: how windows are cut into tiles of 2 x 2, and their points into parts that a tile's windows share.

use super::transforms::Points;
use super::{FEWEST_CHANNELS, FEWEST_TILES, FILTER_COST, MOST_ELEMENTS, MOST_KEPT};
use crate::conv::Windows;
use crate::gemm::PatchAxis;

/// Most points of a part along one dimension.
const SIDE: usize = 3;

/// Points of a window along one dimension, as far apart as windows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub first: usize,
    pub step: usize,
    pub taps: usize,
}

impl Line {
    /// Returns the points that the windows of a tile have together.
    pub fn points(&self) -> usize {
        self.taps + 1
    }
}

/// Points of a window in one of its planes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub plane: usize,
    pub down: Line,
    pub across: Line,
}

impl Part {
    pub fn points(&self) -> usize {
        self.down.points() * self.across.points()
    }
}

/// The tiles of images' windows, and the parts of each window.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    images: usize,
    /// The dimensions of space, outermost first.
    pub axes: [PatchAxis; 3],
    pub parts: Vec<Part>,
    /// Tiles down and across a plane.
    down: usize,
    across: usize,
}

/// Returns the points of an axis' windows in lines: one for each phase of the windows' distance, cut where it is long.
fn lines(axis: &PatchAxis) -> Option<Vec<Line>> {
    let is_whole = axis.taps == 1 || axis.tap_step == 1;
    if !is_whole || axis.step == 0 || axis.first.unsigned_abs() > axis.taps {
        return None;
    }
    let mut found = Vec::new();
    for phase in 0..axis.step.min(axis.taps) {
        let taps = (axis.taps - phase).div_ceil(axis.step);
        let cuts = taps.div_ceil(SIDE);
        for cut in 0..cuts {
            let (from, to) = (cut * taps / cuts, (cut + 1) * taps / cuts);
            found.push(Line { first: phase + from * axis.step, step: axis.step, taps: to - from });
        }
    }
    Some(found)
}

/// Returns the coordinates, along an axis, of the points of a line that two windows have together. Those below zero are
/// larger than any size.
fn coordinates(axis: &PatchAxis, line: &Line, window: usize) -> [usize; 4] {
    let first = axis.first.wrapping_add_unsigned(line.first + window * line.step) as usize;
    [0, 1, 2, 3].map(|k| first.wrapping_add(k * line.step))
}

impl Tiles {
    /// Returns the number of a part's first point in a window.
    pub fn first_point(&self, part: &Part) -> usize {
        (part.plane * self.axes[1].taps + part.down.first) * self.axes[2].taps + part.across.first
    }

    /// Returns the tiles of windows for which they are worth it.
    pub fn of(windows: &Windows) -> Option<Tiles> {
        let [d, h, w] = windows.axes;
        if windows.inputs.min(windows.outputs) < FEWEST_CHANNELS || d.first.unsigned_abs() > d.taps {
            return None;
        }
        let (rows, columns) = (lines(&h)?, lines(&w)?);
        let mut parts = Vec::new();
        for plane in 0..d.taps {
            for &down in &rows {
                parts.extend(columns.iter().map(|&across| Part { plane, down, across }));
            }
        }
        let (down, across) = (h.count.div_ceil(2), w.count.div_ceil(2));
        let tiles = Tiles { images: windows.batch, axes: windows.axes, parts, down, across };
        tiles.are_worth_it(windows.inputs, windows.outputs).then_some(tiles)
    }

    /// Returns the points of a tile that are multiplied, of all parts.
    pub fn points(&self) -> usize {
        self.parts.iter().map(Part::points).sum()
    }

    /// Returns those of the part that has most.
    pub fn most_points(&self) -> usize {
        self.parts.iter().map(Part::points).max().unwrap_or(0)
    }

    /// Returns the addresses of the points of the input that a part of a tile needs; `zeros` for those outside.
    pub fn input(&self, part: &Part, input: *const f32, channels: usize, tile: usize, zeros: *const f32) -> Points {
        let (plane, y, x) = self.place(tile);
        let [deep, down, across] = &self.axes;
        let (image, z) = (plane / deep.count, plane % deep.count);
        // A coordinate below zero is larger than any size.
        let z = deep.first.wrapping_add_unsigned(z * deep.step + part.plane * deep.tap_step) as usize;
        if z >= deep.size {
            return [[zeros; 4]; 4];
        }
        let image = input.wrapping_add((image * deep.size + z) * down.size * across.size * channels);
        let (rows, columns) = (coordinates(down, &part.down, y), coordinates(across, &part.across, x));
        let mut found = [[zeros; 4]; 4];
        for i in 0..4 {
            let is_inside = rows[i] < down.size;
            let row = image.wrapping_add(rows[i].wrapping_mul(across.size * channels));
            for j in 0..4 {
                if is_inside && columns[j] < across.size {
                    found[i][j] = row.wrapping_add(columns[j] * channels);
                }
            }
        }
        found
    }

    /// Returns the addresses of a tile's 2 x 2 windows in a tensor of `channels` for each window; `zeros` for those outside.
    pub fn output(&self, output: *const f32, channels: usize, tile: usize, zeros: *const f32) -> Points {
        let (first, [rows, columns]) = self.windows(tile);
        let mut found = [[zeros; 4]; 4];
        for (i, row) in found.iter_mut().enumerate().take(rows) {
            for (j, point) in row.iter_mut().enumerate().take(columns) {
                *point = output.wrapping_add((first + i * self.axes[2].count + j) * channels);
            }
        }
        found
    }

    /// Returns the number of a tile's first window, among those of all images, and the windows it has down and across.
    pub fn windows(&self, tile: usize) -> (usize, [usize; 2]) {
        let (plane, y, x) = self.place(tile);
        let [_, down, across] = &self.axes;
        let first = (plane * down.count + y) * across.count + x;
        (first, [(down.count - y).min(2), (across.count - x).min(2)])
    }

    fn are_worth_it(&self, inputs: usize, outputs: usize) -> bool {
        let [d, h, w] = &self.axes;
        let elements = self.points().saturating_mul(inputs).saturating_mul(outputs);
        let products = self.points() * self.count();
        let direct = self.images * d.count * h.count * w.count * d.taps * h.taps * w.taps;
        let cost = if elements > MOST_KEPT { products + self.points() * FILTER_COST } else { products };
        products > 0
            && elements <= MOST_ELEMENTS
            && self.count() >= FEWEST_TILES
            && products * 10 <= direct * 7
            && cost <= direct
    }

    pub fn count(&self) -> usize {
        self.images * self.axes[0].count * self.down * self.across
    }

    /// Returns the plane of a tile's windows, among those of all images, and the row and the column of the first one.
    fn place(&self, tile: usize) -> (usize, usize, usize) {
        let (line, x) = (tile / self.across, tile % self.across);
        (line / self.down, line % self.down * 2, x * 2)
    }
}
