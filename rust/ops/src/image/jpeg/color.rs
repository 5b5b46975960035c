//! The colours of a JPEG image's components turned into gray or RGB.

use super::super::pixels::SIDE_BY_SIDE;
use super::header::{Frame, Space};
use ferroflow_tensor::vector::{Loops, loops_on_best_isa};

/// 16 fraction bits, and a half of the last place before them.
const HALF: i32 = 1 << 15;

/// From the components' colours to one or three channels.
#[derive(Clone, Copy)]
pub(super) struct Converter {
    space: Space,
    channels: usize,
    adobe: bool,
}

#[inline(always)]
fn clamp(x: i32) -> u8 {
    x.clamp(0, 255) as u8
}

#[inline(always)]
fn rgb_of(y: u8, cb: u8, cr: u8) -> [u8; 3] {
    // Without checks, so that loops are compiled to vectors: no sum here is above 2^25.
    let centered = |x: u8| i32::from(x).wrapping_sub(128);
    let plus = |x: i32| clamp(i32::from(y).wrapping_add(x.wrapping_add(HALF) >> 16));
    let (cb, cr) = (centered(cb), centered(cr));
    let green = cb.wrapping_mul(-22_554).wrapping_sub(cr.wrapping_mul(46_802));
    [plus(cr.wrapping_mul(91_881)), plus(green), plus(cb.wrapping_mul(116_130))]
}

/// Converts CMYK to RGB. TF 1.x: by its own formula; files by Adobe's programs hold the inverse.
fn rgb_of_cmyk(cmyk: [u8; 4], adobe: bool) -> [u8; 3] {
    let [c, m, y, k] = cmyk.map(i32::from);
    if adobe {
        [k * c / 255, k * m / 255, k * y / 255].map(clamp)
    } else {
        [(255 - k) * (255 - c) / 255, (255 - k) * (255 - m) / 255, (255 - k) * (255 - y) / 255].map(clamp)
    }
}

/// A row of pixels from rows of brightness and of two colors.
struct Pixels<'a> {
    from: [&'a [u8]; 3],
    to: &'a mut [[u8; 3]],
}

impl Loops for Pixels<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let [ys, cbs, crs] = self.from.map(|from| &from[..self.to.len()]);
        let [whole_ys, whole_cbs, whole_crs] = [ys, cbs, crs].map(|from| from.as_chunks::<SIDE_BY_SIDE>().0);
        let (chunks, rest) = self.to.as_chunks_mut::<SIDE_BY_SIDE>();
        let whole = chunks.len() * SIDE_BY_SIDE;
        for (((to, ys), cbs), crs) in chunks.iter_mut().zip(whole_ys).zip(whole_cbs).zip(whole_crs) {
            let mut channels = [[0; SIDE_BY_SIDE]; 3];
            for i in 0..SIDE_BY_SIDE {
                let [r, g, b] = rgb_of(ys[i], cbs[i], crs[i]);
                channels[0][i] = r;
                channels[1][i] = g;
                channels[2][i] = b;
            }
            for i in 0..SIDE_BY_SIDE {
                to[i] = [channels[0][i], channels[1][i], channels[2][i]];
            }
        }
        for (i, to) in rest.iter_mut().enumerate() {
            *to = rgb_of(ys[whole + i], cbs[whole + i], crs[whole + i]);
        }
    }
}

impl Converter {
    /// Returns the conversion to so many channels; `None` where libjpeg has none.
    pub(super) fn of(frame: &Frame, channels: usize) -> Option<Converter> {
        let known = match frame.space {
            Space::Gray | Space::YCbCr | Space::Rgb => matches!(channels, 1 | 3),
            Space::Cmyk | Space::Ycck => channels == 3,
            Space::Unknown => false,
        };
        known.then_some(Converter { space: frame.space, channels, adobe: frame.adobe })
    }

    /// Returns the number of components, from the first, that the result is made of.
    pub(super) fn needs(self) -> usize {
        if self.channels == 1 && self.space == Space::YCbCr { 1 } else { 4 }
    }

    /// Writes a row of pixels from the components' rows, which begin `left` before it.
    pub(super) fn row(self, from: &[Vec<u8>], left: usize, to: &mut [u8]) {
        let part = |i: usize| &from[i][left..];
        match (self.space, self.channels) {
            (Space::Gray | Space::YCbCr, 1) => to.copy_from_slice(&part(0)[..to.len()]),
            (Space::Gray, _) => {
                for (to, &x) in to.as_chunks_mut::<3>().0.iter_mut().zip(part(0)) {
                    *to = [x; 3];
                }
            }
            (Space::YCbCr, _) => {
                let to = to.as_chunks_mut::<3>().0;
                loops_on_best_isa(Pixels { from: [part(0), part(1), part(2)], to });
            }
            (Space::Rgb, 1) => {
                let pixels = part(0).iter().zip(part(1)).zip(part(2));
                for (to, ((&r, &g), &b)) in to.iter_mut().zip(pixels) {
                    let sum = 19_595 * i32::from(r) + 38_470 * i32::from(g) + 7_471 * i32::from(b) + HALF;
                    *to = clamp(sum >> 16);
                }
            }
            (Space::Rgb, _) => {
                let pixels = part(0).iter().zip(part(1)).zip(part(2));
                for (to, ((&r, &g), &b)) in to.as_chunks_mut::<3>().0.iter_mut().zip(pixels) {
                    *to = [r, g, b];
                }
            }
            (Space::Cmyk | Space::Ycck, _) => {
                let pixels = part(0).iter().zip(part(1)).zip(part(2)).zip(part(3));
                for (to, (((&a, &b), &c), &k)) in to.as_chunks_mut::<3>().0.iter_mut().zip(pixels) {
                    let cmy = if self.space == Space::Ycck { rgb_of(a, b, c).map(|x| 255 - x) } else { [a, b, c] };
                    *to = rgb_of_cmyk([cmy[0], cmy[1], cmy[2], k], self.adobe);
                }
            }
            (Space::Unknown, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_side_by_side_are_those_one_by_one() {
        for width in [0, 1, 63, 64, 65, 200] {
            let row = |k: usize| (0..width).map(|i| (i * i * k + 31 * i + k) as u8).collect::<Vec<_>>();
            let (y, cb, cr) = (row(37), row(11), row(5));
            let mut to = vec![[0; 3]; width];
            loops_on_best_isa(Pixels { from: [&y, &cb, &cr], to: &mut to });
            let expected = (0..width).map(|i| rgb_of(y[i], cb[i], cr[i])).collect::<Vec<_>>();
            assert_eq!(to, expected);
        }
    }
}
