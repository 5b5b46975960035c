//! `Patches`: the windows of a convolution seen as a matrix, which is copied part by part and never as a whole.

use std::ops::Range;

use super::tiled::CLASHING_BYTES;
use crate::shape::product;
use crate::status::{Result, Status};
use crate::{bail, ensure};

/// One dimension of space: where the windows lie in it. Element `tap` of window `position` is at coordinate
/// `first + position * step + tap * tap_step`; outside `0..size` there are zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchAxis {
    /// Coordinates that have elements.
    pub size: usize,
    /// Windows.
    pub count: usize,
    /// Coordinate of the first element of the first window.
    pub first: isize,
    /// Distance of windows.
    pub step: usize,
    /// Elements of a window.
    pub taps: usize,
    /// Distance of a window's elements.
    pub tap_step: usize,
}

impl PatchAxis {
    /// A dimension without extent: for fewer than three dimensions of space.
    pub const FLAT: PatchAxis = PatchAxis { size: 1, count: 1, first: 0, step: 1, taps: 1, tap_step: 1 };

    fn coordinate(&self, position: usize, tap: usize) -> Option<usize> {
        self.first.checked_add_unsigned(position * self.step + tap * self.tap_step).and_then(|at| {
            let at = usize::try_from(at).ok()?;
            (at < self.size).then_some(at)
        })
    }

    /// Returns true if every coordinate, in elements of `channels`, is a number.
    fn is_sound(&self, channels: usize) -> bool {
        let reach = |n: usize, step: usize| n.saturating_sub(1).checked_mul(step);
        let last = reach(self.count, self.step).zip(reach(self.taps, self.tap_step));
        let last = last.and_then(|(a, b)| a.checked_add(b)?.checked_add(self.size)?.checked_add(self.taps));
        let far = last.and_then(|l| l.checked_add(self.first.unsigned_abs())?.checked_mul(channels.max(1)));
        self.step > 0 && self.tap_step > 0 && far.is_some_and(|f| isize::try_from(f).is_ok())
    }
}

/// A matrix whose rows are the windows of `[batch, space.., channels]` values, one for each position in each image, and whose
/// columns are `[taps.., channels]`.
#[derive(Clone, Copy, Debug)]
pub struct Patches<'a, T> {
    data: &'a [T],
    axes: [PatchAxis; 3],
    channels: usize,
    rows: usize,
    cols: usize,
}

/// A block of a copy: `rows` rows of `len` elements, from rows `from_step` apart; zeros where there is no address.
pub(super) struct Run<T> {
    pub from: Option<*const T>,
    pub from_step: usize,
    pub row: usize,
    pub rows: usize,
    pub col: usize,
    pub len: usize,
}

/// Rows or columns of a matrix of windows that lie wholly in the data: those of a line are side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Positions of a line.
    pub line: usize,
    /// Distance of neighbours, in elements.
    pub step: usize,
}

/// Fewest windows of a line that is read in place: low tiles leave the arithmetic units idle.
const FEWEST_WINDOWS: usize = 8;

/// Fewest elements of such a line of a window: each line of the inner dimension is a loop of its own.
const FEWEST_ELEMENTS: usize = 4;

/// Most columns of a product whose windows are read in place; with more, a copy costs less.
const MOST_COLS: usize = 128;

/// The same for each window of a line: a line's end cuts a tile short, for all columns.
const COLS_OF_WINDOW: usize = 4;

/// Returns true if windows of these axes, or their transpose, are best read where they lie, in a product with a matrix of
/// `cols` columns. They can be if they lie wholly in the data.
pub fn reads_in_place<T>(axes: &[PatchAxis; 3], channels: usize, cols: usize, transposed: bool) -> bool {
    let [windows, elements] = rows(axes, channels);
    let most_cols = if transposed { MOST_COLS } else { MOST_COLS.min(windows.line.saturating_mul(COLS_OF_WINDOW)) };
    cols <= most_cols
        && windows.line >= FEWEST_WINDOWS
        && elements.line >= FEWEST_ELEMENTS
        && !(windows.step * size_of::<T>()).is_multiple_of(CLASHING_BYTES)
}

/// Returns how the windows lie, and how their elements do.
fn rows(axes: &[PatchAxis; 3], channels: usize) -> [Row; 2] {
    let w = &axes[2];
    let taps = if w.tap_step == 1 { w.taps } else { 1 };
    [Row { line: w.count, step: w.step * channels }, Row { line: taps * channels, step: 1 }]
}

/// The places of a product's rows in a larger c. Rows are windows: those of a line, lines, planes and images each lie at a
/// distance of their own.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    first: usize,
    /// Windows of a line, lines of a plane, planes of an image, images; and the distance of each from the next.
    counts: [usize; 4],
    steps: [usize; 4],
    cols: usize,
    len: usize,
}

impl Spread {
    /// Returns the places of rows of `cols` elements in a c of `len` elements. Counts and steps are given from the innermost
    /// on.
    ///
    /// # Errors
    /// `InvalidArgument` unless all rows lie apart, in c.
    pub fn new(first: usize, counts: [usize; 4], steps: [usize; 4], cols: usize, len: usize) -> Result<Spread> {
        let mut extent = Some(cols);
        for (&count, &step) in counts.iter().zip(&steps) {
            let span = count.saturating_sub(1).checked_mul(step);
            extent =
                extent.filter(|&extent| count <= 1 || extent <= step).zip(span).and_then(|(e, s)| e.checked_add(s));
        }
        let end = extent.and_then(|extent| extent.checked_add(first));
        ensure!(
            end.is_some_and(|end| end <= len) || counts.contains(&0),
            InvalidArgument,
            "rows of {cols} elements, {counts:?} of them {steps:?} apart, do not lie apart in {len} elements from {first} on"
        );
        Ok(Spread { first, counts, steps, cols, len })
    }

    /// Returns an error unless these are places, in a c of this length, for rows of `cols` elements of these windows.
    pub(super) fn check<T>(&self, patches: &Patches<'_, T>, cols: usize, len: usize) -> Result<()> {
        // A tile lies in a line of the windows, and is written as a part of a line of c.
        ensure!(
            [self.counts[0], product(self.counts), self.cols, self.len]
                == [patches.axes[2].count, patches.rows, cols, len],
            InvalidArgument,
            "a product of {} rows and {cols} columns in {len} elements does not have these places: {self:?}",
            patches.rows
        );
        Ok(())
    }

    /// Returns the number of rows of a line, and their distance.
    pub(super) fn line(&self) -> (usize, usize) {
        (self.counts[0], self.steps[0])
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        product(self.counts)
    }

    /// Returns true if these are places for rows of `cols` elements in `len` elements.
    pub(crate) fn are_in(&self, cols: usize, len: usize) -> bool {
        (self.cols, self.len) == (cols, len)
    }

    /// Returns the distance of windows of a line, and that of lines of a plane.
    pub(crate) fn steps(&self) -> [usize; 2] {
        [self.steps[0], self.steps[1]]
    }

    /// Returns the place of a row's first element.
    pub(crate) fn at(&self, row: usize) -> usize {
        let (mut at, mut rest) = (self.first, row);
        for (&count, &step) in self.counts.iter().zip(&self.steps) {
            at += rest % count * step;
            rest /= count;
        }
        at
    }
}

impl<'a, T> Patches<'a, T> {
    /// Returns the windows of `data`, which is `batch` images of the sizes of `axes` with `channels` values for each
    /// point.
    ///
    /// # Errors
    /// `InvalidArgument` when `data` is not as long as that; `ResourceExhausted` when the matrix is larger than the address space.
    pub fn new(data: &'a [T], batch: usize, axes: [PatchAxis; 3], channels: usize) -> Result<Patches<'a, T>> {
        let product_of =
            |of: fn(&PatchAxis) -> usize, start: usize| axes.iter().try_fold(start, |n, axis| n.checked_mul(of(axis)));
        let Some((rows, cols)) = product_of(|a| a.count, batch).zip(product_of(|a| a.taps, channels)) else {
            bail!(ResourceExhausted, "OOM: a convolution with more windows than the address space");
        };
        ensure!(
            axes.iter().all(|axis| axis.is_sound(channels)),
            InvalidArgument,
            "a window with steps of zero, or that reaches further than numbers go: {axes:?}"
        );
        match product_of(|a| a.size, batch).and_then(|n| n.checked_mul(channels)) {
            Some(n) if n == data.len() => Ok(Patches { data, axes, channels, rows, cols }),
            _ => Err(Status::invalid_argument(format!(
                "{} elements are not {batch} images of {channels} channels: {axes:?}",
                data.len()
            ))),
        }
    }

    /// Returns the number of windows of all images.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of elements of a window with all channels.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns how windows and their elements lie, if they are best read in place.
    pub(super) fn in_place(&self, cols: usize, transposed: bool) -> Option<[Row; 2]> {
        let is_read = self.are_inside() && reads_in_place::<T>(&self.axes, self.channels, cols, transposed);
        is_read.then(|| rows(&self.axes, self.channels))
    }

    /// Returns true if all windows lie wholly in the data.
    pub(super) fn are_inside(&self) -> bool {
        self.axes.iter().all(|a| {
            let last = a.first + (a.count.saturating_sub(1) * a.step + a.taps.saturating_sub(1) * a.tap_step) as isize;
            a.first >= 0 && last < a.size as isize
        })
    }

    /// Writes the places of the first elements of windows that lie wholly in the data, from window `first` on.
    pub(super) fn places(&self, first: usize, places: &mut [usize]) {
        let [d, h, w] = &self.axes;
        let line = w.size * self.channels;
        let (x_step, y_step, z_step) = (w.step * self.channels, h.step * line, d.step * h.size * line);
        let (mut x, mut y, mut z) = (first % w.count, first / w.count % h.count, first / w.count / h.count % d.count);
        let (mut of_line, mut at) = (self.window(first - x), self.window(first));
        for place in places {
            *place = at;
            (x, at) = (x + 1, at + x_step);
            if x == w.count {
                (x, y, of_line) = (0, y + 1, of_line + y_step);
                if y == h.count {
                    (y, z, of_line) = (0, z + 1, of_line + z_step - h.count * y_step);
                    if z == d.count {
                        (z, of_line) = (0, of_line + d.size * h.size * line - d.count * z_step);
                    }
                }
                at = of_line;
            }
        }
    }

    /// Returns the images that the windows are of.
    pub(super) fn data(&self) -> &'a [T] {
        self.data
    }

    /// Returns the first element of a window that lies wholly in the data.
    pub(super) fn window(&self, row: usize) -> usize {
        let [d, h, w] = &self.axes;
        let (x, line) = (row % w.count, row / w.count);
        let (y, plane) = (line % h.count, line / h.count);
        let (z, image) = (plane % d.count, plane / d.count);
        let at = |axis: &PatchAxis, position: usize| axis.first as usize + position * axis.step;
        let line = (image * d.size + at(d, z)) * h.size + at(h, y);
        (line * w.size + at(w, x)) * self.channels
    }

    /// Returns the distance of an element of such a window from the first.
    pub(super) fn element(&self, col: usize) -> usize {
        let [d, h, w] = &self.axes;
        let (channel, tap) = (col % self.channels, col / self.channels);
        let (x, line) = (tap % w.taps, tap / w.taps);
        let line = line / h.taps * d.tap_step * h.size + line % h.taps * h.tap_step;
        (line * w.size + x * w.tap_step) * self.channels + channel
    }

    /// Returns the address of the data.
    pub(super) fn as_ptr(&self) -> *const T {
        self.data.as_ptr()
    }

    /// Visits the blocks that make up the given rows and columns, each once. Positions are counted from the ranges'
    /// starts.
    #[inline(always)]
    pub(super) fn runs(&self, rows: Range<usize>, cols: Range<usize>, mut visit: impl FnMut(Run<T>)) {
        let [d, h, w] = &self.axes;
        let tap_line = w.taps * self.channels;
        let mut row = rows.start;
        while row < rows.end {
            let (x, line) = (row % w.count, row / w.count);
            let (y, plane) = (line % h.count, line / h.count);
            let (z, image) = (plane % d.count, plane / d.count);
            let xs = x..w.count.min(x + rows.end - row);
            let mut col = cols.start;
            while col < cols.end {
                let (first, taps) = (col % tap_line, col / tap_line);
                let last = tap_line.min(first + cols.end - col);
                let at = (row - rows.start, col - cols.start);
                match d.coordinate(z, taps / h.taps).zip(h.coordinate(y, taps % h.taps)) {
                    Some((z, y)) => {
                        let line = ((image * d.size + z) * h.size + y) * w.size * self.channels;
                        if w.tap_step == 1 {
                            self.line(line, w.first, xs.clone(), first..last, at, &mut visit);
                        } else {
                            let mut element = first;
                            while element < last {
                                let tap = element / self.channels;
                                let end = last.min((tap + 1) * self.channels);
                                let start = w.first + (tap * (w.tap_step - 1)) as isize;
                                let at = (at.0, at.1 + element - first);
                                self.line(line, start, xs.clone(), element..end, at, &mut visit);
                                element = end;
                            }
                        }
                    }
                    None => {
                        visit(Run { from: None, from_step: 0, row: at.0, rows: xs.len(), col: at.1, len: last - first })
                    }
                }
                col += last - first;
            }
            row += xs.len();
        }
    }

    /// Visits the blocks of windows `xs` of one line, with the elements `part` of their taps. Element e of window x is
    /// element `(first + x * step) * channels + e` of the line that begins at `line`.
    #[inline(always)]
    fn line(
        &self,
        line: usize,
        first: isize,
        xs: Range<usize>,
        part: Range<usize>,
        (row, col): (usize, usize),
        visit: &mut impl FnMut(Run<T>),
    ) {
        let w = &self.axes[2];
        let channels = self.channels as isize;
        let (size, step) = (w.size as isize * channels, w.step as isize * channels);
        let (low, high) = (first * channels + part.start as isize, first * channels + part.end as isize);
        // The windows that lie wholly in the line.
        let inside = |x: isize| x.clamp(xs.start as isize, xs.end as isize) as usize;
        let begin = if low >= 0 { xs.start } else { inside((-low + step - 1) / step) };
        let end = if high > size { xs.start } else { inside((size - high) / step + 1) }.max(begin);
        for x in (xs.start..begin).chain(end..xs.end) {
            let row = row + x - xs.start;
            let start = x as isize * step;
            let (from, to) = ((low + start).clamp(0, size), (high + start).clamp(0, size));
            let (from, to) = if from < to { (from, to) } else { (high + start, high + start) };
            let zeros = |col, len| Run { from: None, from_step: 0, row, rows: 1, col, len };
            let before = (from - low - start) as usize;
            if before > 0 {
                visit(zeros(col, before));
            }
            if from < to {
                let len = (to - from) as usize;
                let from = Some(self.data.as_ptr().wrapping_add(line + from as usize));
                visit(Run { from, from_step: 0, row, rows: 1, col: col + before, len });
            }
            let after = (high + start - to) as usize;
            if after > 0 {
                visit(zeros(col + part.len() - after, after));
            }
        }
        if begin < end {
            let from = (low + begin as isize * step) as usize;
            visit(Run {
                from: Some(self.data.as_ptr().wrapping_add(line + from)),
                from_step: step as usize,
                row: row + begin - xs.start,
                rows: end - begin,
                col,
                len: part.len(),
            });
        }
    }

    /// Writes a part of the matrix, row by row.
    pub(super) fn copy(&self, rows: Range<usize>, cols: Range<usize>, to: &mut [T])
    where
        T: Copy + Default,
    {
        let width = cols.len();
        let data = self.data;
        self.runs(rows, cols, |run| {
            for i in 0..run.rows {
                let start = (run.row + i) * width + run.col;
                let to = &mut to[start..start + run.len];
                match run.from {
                    Some(from) => {
                        // SAFETY: a run's address is inside the data, or one past it.
                        let offset = unsafe { from.offset_from(data.as_ptr()) } as usize + i * run.from_step;
                        to.copy_from_slice(&data[offset..offset + run.len]);
                    }
                    None => to.fill(T::default()),
                }
            }
        });
    }
}
