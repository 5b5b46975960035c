//! Geometry of pooling windows: the cover of a dimension, and the runs of windows and elements that are alike.

use super::patches::{Member, Patches};
use crate::shape::product;
use crate::{Result, Shape, bail, ensure};
use std::ops::Range;

/// The cover of one dimension by windows.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    pub input: usize,
    pub output: usize,
    pub(super) window: usize,
    pub(super) stride: usize,
    before: usize,
}

impl Axis {
    /// A dimension that is not pooled and has one element.
    pub const UNIT: Axis = Axis { input: 1, output: 1, window: 1, stride: 1, before: 0 };

    /// Returns windows of a size and a stride, with padding such that there are `input / stride` of them, rounded up,
    /// or without.
    ///
    /// Errors: `InvalidArgument` for sizes that are not positive, and windows that the input cannot hold.
    pub fn new(input: usize, window: i64, stride: i64, same: bool) -> Result<Axis> {
        ensure!(stride > 0, InvalidArgument, "Stride must be > 0, but got {stride}");
        ensure!(window > 0, InvalidArgument, "Sliding window ksize must be positive, but got {window}");
        let (window, stride) = (window as usize, stride as usize);
        if same {
            let output = input.div_ceil(stride);
            let covered = output.saturating_sub(1).saturating_mul(stride).saturating_add(window);
            return Ok(Axis { input, output, window, stride, before: covered.saturating_sub(input) / 2 });
        }
        let Some(output) = input.saturating_add(stride).checked_sub(window) else {
            bail!(
                InvalidArgument,
                "Computed output size would be negative: {} [input_size: {input}, effective_filter_size: {window}, \
                 stride: {stride}]",
                (input as i64 - window as i64 + stride as i64).div_euclid(stride as i64)
            );
        };
        Ok(Axis { input, output: output / stride, window, stride, before: 0 })
    }

    /// Returns the number of places before the first element that the first window covers.
    pub fn before(&self) -> usize {
        self.before
    }

    /// Returns the same windows without unused parts. Padding is cut to the input's size on either side of the windows'
    /// starts, and a single window has no stride.
    fn cut(self) -> Axis {
        let before = self.before.min(self.output.saturating_sub(1).saturating_mul(self.stride));
        let window = before + (self.window - self.before.min(self.window)).min(self.input);
        Axis { window: window.max(1), stride: self.stride.min(self.input.max(1)), before, ..self }
    }

    /// Returns the elements that window `i` covers.
    pub(super) fn covered(&self, i: usize) -> Range<usize> {
        let end = (i * self.stride + self.window).saturating_sub(self.before).min(self.input);
        (i * self.stride).saturating_sub(self.before).min(end)..end
    }

    /// Returns the windows that element `i` is in.
    pub(super) fn covering(&self, i: usize) -> Range<usize> {
        let end = ((i + self.before) / self.stride + 1).min(self.output);
        (i + self.before + 1).saturating_sub(self.window).div_ceil(self.stride).min(end)..end
    }

    /// Returns the place of element `i` in window `o`, as far as the window reaches over it.
    fn place(&self, i: usize, o: usize) -> usize {
        i + self.before - o * self.stride
    }

    /// Returns the most windows that one element is in.
    pub(super) fn depth(&self) -> usize {
        self.window.div_ceil(self.stride).min(self.output).max(1)
    }

    /// Returns the windows in as few runs as may be.
    pub(super) fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for o in 0..self.output {
            let covered = self.covered(o);
            let place = if covered.is_empty() { 0 } else { self.place(covered.start, o) };
            match runs.last_mut() {
                Some(run) if run.place == place && run.columns == covered.len() => run.count += 1,
                _ => runs.push(Run { result: o, count: 1, first: covered.start, columns: covered.len(), place }),
            }
        }
        runs
    }

    /// Returns the elements, with the windows that each is in, in as few runs as may be: a run goes on `stride`
    /// elements further.
    pub(super) fn runs_back(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        for class in 0..self.stride.min(self.input) {
            let from = runs.len();
            for i in (class..self.input).step_by(self.stride) {
                let covering = self.covering(i);
                let place = if covering.is_empty() { 0 } else { self.place(i, covering.start) };
                match runs[from..].last_mut() {
                    Some(Run { count, columns, place: p, .. }) if *p == place && *columns == covering.len() => {
                        *count += 1
                    }
                    _ => runs.push(Run { result: i, count: 1, first: covering.start, columns: covering.len(), place }),
                }
            }
        }
        runs
    }
}

/// Results next to each other along the last dimension that are made of equally many columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The first result.
    pub result: usize,
    pub count: usize,
    /// The first column of the first result.
    pub first: usize,
    pub columns: usize,
    /// The place in the window of its first column.
    pub place: usize,
}

/// Elements of the input, or results, next to each other along the last dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The first element.
    pub at: usize,
    /// The first element in a second operand.
    pub beside: usize,
    /// The place in the window of its first column.
    pub place: u32,
}

impl Line {
    /// The only line of a window.
    pub const START: Line = Line { at: 0, beside: 0, place: 0 };
}

impl Run {
    /// Returns the column after the last one.
    pub fn end(&self, stride: usize) -> usize {
        self.first + (self.count - 1) * stride + self.columns
    }

    /// Returns the windows of a run of results, `inner` elements wide.
    pub fn patches<'a>(
        &self,
        lines: &[Line],
        inner: usize,
        stride: usize,
        members: &'a mut Vec<Member>,
    ) -> Patches<'a> {
        self.fill(lines, inner, 1, members);
        let (count, len) = if stride == 1 { (1, self.count * inner) } else { (self.count, inner) };
        Patches { members, count, step: stride * inner, len, result_step: inner }
    }

    /// Returns the same for a run of elements: what is pooled then is what was made of the windows.
    pub fn patches_back<'a>(
        &self,
        lines: &[Line],
        inner: usize,
        stride: usize,
        members: &'a mut Vec<Member>,
    ) -> Patches<'a> {
        self.fill(lines, inner, (stride as u32).wrapping_neg(), members);
        let (count, len) = if stride == 1 { (1, self.count * inner) } else { (self.count, inner) };
        Patches { members, count, step: inner, len, result_step: stride * inner }
    }

    fn fill(&self, lines: &[Line], inner: usize, place_step: u32, members: &mut Vec<Member>) {
        members.clear();
        for line in lines {
            let mut place = line.place.wrapping_add(self.place as u32);
            for column in self.first..self.first + self.columns {
                members.push(Member { at: line.at + column * inner, beside: line.beside + column * inner, place });
                place = place.wrapping_add(place_step);
            }
        }
    }
}

const CACHE_LINE: usize = 64;
/// Bytes from which on images are read from memory.
const CACHE: usize = 1 << 25;

/// All windows of a tensor seen as `[outer, planes, rows, columns, inner]`.
#[derive(Clone, Debug)]
pub struct Windows {
    pub outer: usize,
    pub(super) axes: [Axis; 3],
    pub(super) inner: usize,
    /// The shape of the pooled tensor.
    pub pooled: Shape,
}

impl Windows {
    /// # Errors
    /// Fails with `ResourceExhausted` for images of more elements than places are counted for.
    pub fn new(outer: usize, axes: [Axis; 3], inner: usize, pooled: Shape) -> Result<Windows> {
        let axes = axes.map(Axis::cut);
        // Places within a window are 32 bits wide; a window that was cut reaches over twice its input at most.
        let places = axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.window));
        ensure!(
            places.is_some_and(|n| u32::try_from(n).is_ok()),
            ResourceExhausted,
            "pooling counts no more than {} places in a window, but {axes:?} need more",
            u32::MAX
        );
        Ok(Windows { outer, axes, inner, pooled })
    }

    /// Returns the runs of results of a line, cut into tiles of so many elements if windows of neighbouring lines share
    /// some. Tiles under each other are made one after the other, so that shared elements stay in a near cache.
    pub(super) fn tiles(&self, elements: usize) -> Vec<Run> {
        let runs = self.axes[2].runs();
        if self.axes[0].depth() == 1 {
            return runs;
        }
        let columns = (elements / self.inner.max(1)).max(1);
        let cut = |run: Run| {
            (0..run.count).step_by(columns).map(move |from| Run {
                result: run.result + from,
                count: columns.min(run.count - from),
                first: run.first + from * self.axes[2].stride,
                ..run
            })
        };
        runs.into_iter().flat_map(cut).collect()
    }

    /// Returns the number of elements of the input in one of the `outer` parts.
    pub fn in_part(&self) -> usize {
        product(self.axes.iter().map(|a| a.input).chain([self.inner]))
    }

    /// Returns the part, plane and row of a line of results.
    pub(super) fn position(&self, line: usize) -> (usize, [usize; 2]) {
        let [planes, rows, _] = self.axes.map(|a| a.output);
        (line / (planes * rows), [line / rows % planes, line % rows])
    }

    /// Lists the lines of the windows of a line of results.
    pub(super) fn lines_of(&self, line: usize, lines: &mut Vec<Line>) {
        let (part, at) = self.position(line);
        self.lines(part, at, lines);
    }

    /// Lists the lines of the windows at a plane and row of the result.
    pub(super) fn lines(&self, part: usize, [p, r]: [usize; 2], lines: &mut Vec<Line>) {
        let [planes, rows, columns] = &self.axes;
        lines.clear();
        for plane in planes.covered(p) {
            for row in rows.covered(r) {
                let at = ((part * planes.input + plane) * rows.input + row) * columns.input * self.inner;
                lines.push(Line { at, beside: at, place: self.place([planes.place(plane, p), rows.place(row, r)]) });
            }
        }
    }

    /// Lists the lines of results whose windows include a plane and row of the input. Prepared results lie in `kept`
    /// planes that are used in turn.
    pub(super) fn lines_back(&self, part: usize, [plane, row]: [usize; 2], kept: usize, lines: &mut Vec<Line>) {
        let [planes, rows, columns] = &self.axes;
        lines.clear();
        for p in planes.covering(plane) {
            for r in rows.covering(row) {
                let line = |plane: usize| (plane * rows.output + r) * columns.output * self.inner;
                let place = self.place([planes.place(plane, p), rows.place(row, r)]);
                lines.push(Line { at: line(p % kept), beside: line(part * planes.output + p), place });
            }
        }
    }

    fn place(&self, [plane, row]: [usize; 2]) -> u32 {
        ((plane * self.axes[1].window + row) * self.axes[2].window) as u32
    }

    /// Returns true if every element is in exactly one window.
    pub(super) fn is_partition(&self) -> bool {
        let whole = |a: &Axis| a.window == a.stride && a.before == 0 && a.output * a.stride >= a.input;
        self.axes.iter().all(whole)
    }

    /// Prefetches the part of the next line's windows that is not among these `lines`.
    pub(super) fn prefetch<T>(&self, x: &[T], lines: &[Line], run: &Run) {
        let [planes, rows, columns] = &self.axes;
        let stride = if rows.input == 1 { planes.stride } else { rows.stride };
        let is_needed = planes.depth() > 1 || size_of_val(x) > CACHE;
        let Some(last) = lines.last().filter(|_| is_needed) else { return };
        let len = (run.end(columns.stride) - run.first) * self.inner;
        for line in 1..=stride {
            let at = last.at + (line * columns.input + run.first) * self.inner;
            if let Some(elements) = x.get(at..at + len) {
                prefetch(elements);
            }
        }
    }

    /// Returns the number of places in a window.
    pub(super) fn places(&self) -> usize {
        product(self.axes.iter().map(|a| a.window))
    }

    /// Returns the distance of each place of a window from the window's first place.
    pub(super) fn distances(&self) -> Vec<i64> {
        let [planes, rows, columns] = &self.axes;
        let mut distances = Vec::with_capacity(self.places());
        for plane in 0..planes.window {
            for row in 0..rows.window {
                let line = (plane * rows.input + row) * columns.input;
                distances.extend((0..columns.window).map(|column| ((line + column) * self.inner) as i64));
            }
        }
        distances
    }

    /// Returns the offset in its part of the first place of the first window of a line of results; negative in padding.
    pub(super) fn origin(&self, [p, r]: [usize; 2]) -> i64 {
        let start = |axis: &Axis, i: usize| (i * axis.stride) as i64 - axis.before as i64;
        let [planes, rows, columns] = &self.axes;
        let row = start(planes, p) * rows.input as i64 + start(rows, r);
        (row * columns.input as i64 + start(columns, 0)) * self.inner as i64
    }
}

/// Prefetches elements that are read soon. Lines of a window lie far apart, and processors do not foresee reads along
/// several of them. Without this, pooling images that are not in a cache takes 1.5 times as long.
pub(super) fn prefetch<T>(elements: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in elements.chunks((CACHE_LINE / size_of::<T>()).max(1)) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that a program can see, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = elements;
}
