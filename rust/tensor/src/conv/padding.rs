//! `Image`: what windows read, with zeros around it where that lets them read it in place.

use super::ConvFloat;
use super::scratch::Scratch;
use crate::gemm::{PatchAxis, Patches, reads_in_place};
use crate::shape::product;
use crate::status::Result;
use crate::threads::{Threads, try_for_chunks_mut};

/// Lines of a window with up to this many elements: finding their ends costs more than a copy of the image with zeros
/// around.
const SHORT_LINE: usize = 16;

/// Windows that are copied part by part are copied as often as they overlap; below this a copy of the whole costs more.
const FEWEST_READS: usize = 4;

/// Elements of a copy worth a task.
const TASK_ELEMENTS: usize = 1 << 15;

/// Images of three dimensions of space, each with zeros before and after it.
pub(super) struct Image<'a, T> {
    given: &'a [T],
    copy: Option<Scratch<T>>,
    batch: usize,
    channels: usize,
    before: [usize; 3],
    sizes: [usize; 3],
}

/// Returns the zeros before and the size with zeros that windows of all these axes need to lie wholly inside.
fn reach<'a>(axes: impl Iterator<Item = &'a PatchAxis> + Clone) -> (usize, usize) {
    let before = axes.clone().map(|a| usize::try_from(a.first.saturating_neg()).unwrap_or(0)).max().unwrap_or(0);
    let span = |count: usize, step: usize| count.saturating_sub(1).saturating_mul(step);
    let end = |a: &PatchAxis| {
        let last = span(a.count, a.step).saturating_add(span(a.taps, a.tap_step)).saturating_add(before);
        last.saturating_add_signed(a.first).saturating_add(1).max(before.saturating_add(a.size))
    };
    (before, axes.map(end).max().unwrap_or(0))
}

impl<'a, T: ConvFloat> Image<'a, T> {
    /// Returns the images `given`: `batch` of the sizes of the axes, with `channels` values for each point. They are for
    /// products of their windows on all the axes, or of the transposes, with matrices of `cols` columns.
    ///
    /// # Errors
    /// Fails with `ResourceExhausted` if there is no memory for a copy.
    pub fn new(
        threads: Threads,
        given: &'a [T],
        batch: usize,
        axes: [&[PatchAxis]; 3],
        channels: usize,
        cols: usize,
        transposed: bool,
    ) -> Result<Image<'a, T>> {
        let mut image = Image { given, copy: None, batch, channels, before: [0; 3], sizes: [0; 3] };
        let first = axes.map(|axes| axes.first().copied().unwrap_or(PatchAxis::FLAT));
        let sizes = first.map(|axis| axis.size);
        image.sizes = sizes;
        let reached = axes.map(|axes| reach(axes.iter()));
        let size = |sizes: &[usize; 3]| product(sizes.iter().copied());
        let wider = reached.map(|(_, size)| size);
        let windows = product(axes.iter().map(|axes| axes.iter().map(|a| a.count * a.taps).sum::<usize>()));
        let is_short = channels * first[2].taps <= SHORT_LINE;
        let is_read_often = windows >= size(&wider).saturating_mul(FEWEST_READS);
        if wider != sizes
            && channels > 0
            && size(&wider) <= size(&sizes).saturating_mul(2)
            && (is_short || is_read_often && reads_in_place::<T>(&first, channels, cols, transposed))
        {
            (image.before, image.sizes) = (reached.map(|(before, _)| before), wider);
            image.copy = Some(image.padded(threads, sizes)?);
        }
        Ok(image)
    }

    /// Returns the windows of one of the axes.
    ///
    /// # Errors
    /// As for [`Patches::new`].
    pub fn windows(&self, axes: [PatchAxis; 3]) -> Result<Patches<'_, T>> {
        let mut axes = axes;
        for ((axis, &size), &before) in axes.iter_mut().zip(&self.sizes).zip(&self.before) {
            axis.size = size;
            axis.first += before as isize;
        }
        Patches::new(self.copy.as_ref().map_or(self.given, Scratch::get), self.batch, axes, self.channels)
    }

    fn padded(&self, threads: Threads, given: [usize; 3]) -> Result<Scratch<T>> {
        let (mut sizes, mut given, mut before, mut channels) = (self.sizes, given, self.before, self.channels);
        // Dimensions without zeros make longer lines with the dimension around them.
        while sizes[2] == given[2] && sizes != given {
            channels *= sizes[2];
            (sizes, given, before) = ([1, sizes[0], sizes[1]], [1, given[0], given[1]], [0, before[0], before[1]]);
        }
        let [d, h, w] = sizes;
        let mut out = Scratch::new(&[self.batch, d, h, w, channels])?;
        let (line, width) = (w * channels, given[2] * channels);
        let lines = (TASK_ELEMENTS / line.max(1)).max(1);
        try_for_chunks_mut(threads, out.get_mut(), lines * line, |start, chunk| {
            for (index, to) in (start / line..).zip(chunk.chunks_exact_mut(line)) {
                let (y, z, image) = (index % h, index / h % d, index / h / d);
                let inside = |i: usize, at: usize| at.checked_sub(before[i]).filter(|&at| at < given[i]);
                let Some((z, y)) = inside(0, z).zip(inside(1, y)) else {
                    to.fill(T::default());
                    continue;
                };
                let from = ((image * given[0] + z) * given[1] + y) * width;
                let (before, rest) = to.split_at_mut(before[2] * channels);
                let (values, after) = rest.split_at_mut(width);
                before.fill(T::default());
                values.copy_from_slice(&self.given[from..from + width]);
                after.fill(T::default());
            }
        })?;
        Ok(out)
    }
}
