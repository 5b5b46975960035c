//! Decoding of JPEG files to the pixels that libjpeg-turbo, which TF decodes with, gives.
//!
//! Source: ITU-T T.81; where it leaves freedom (inverse transforms, upsampling, colours, damaged data), libjpeg's way.

mod coefficients;
mod color;
mod entropy;
mod header;
mod inverse_dct;
mod plane;
mod upsample;

use ferroflow_tensor::threads::{Threads, for_chunks_mut};
use ferroflow_tensor::{DType, Tensor};
use header::{Frame, Reader, Segment};
use plane::Plane;

/// Pixels that are decoded from a file however short it is, where damage is to be repaired.
const ALWAYS_REPAIRED: usize = 1 << 24;
/// The most blocks of 8x8 pixels that a byte of a file holds.
const BLOCKS_PER_BYTE: usize = 8;
/// TF 1.x: the number of pixels from which an image is too large.
const MAX_PIXELS: u64 = 1 << 29;

/// Options of decoding.
#[derive(Clone, Copy)]
pub(super) struct Options {
    /// Channels of the result: 0 for those of the file, 1 or 3.
    pub channels: usize,
    /// The divisor of the sides: 1, 2, 4 or 8.
    pub ratio: usize,
    pub fancy_upscaling: bool,
    pub try_recover_truncated: bool,
    /// The share of rows that must be there; the others are black.
    pub acceptable_fraction: f32,
    /// The accurate inverse transform; else the fast one.
    pub accurate: bool,
}

/// A rectangle of pixels: top, left, height, width.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub top: usize,
    pub left: usize,
    pub height: usize,
    pub width: usize,
}

/// Pixels row by row, channels together: uint8 of one dimension.
pub(super) struct Picture {
    pub height: usize,
    pub width: usize,
    pub channels: usize,
    pub pixels: Tensor,
}

/// Returns the height, width and channels that a file's header states; `None` if it is damaged.
pub(super) fn shape(data: &[u8]) -> Option<[usize; 3]> {
    let mut reader = Reader::new(data)?;
    let mut found = None;
    loop {
        match reader.segment()? {
            Segment::Frame(frame) => found = Some([frame.height, frame.width, frame.components.len()]),
            // libjpeg's header goes up to the first scan.
            Segment::Scan(_) => return found,
            Segment::End | Segment::Fault => return None,
            Segment::Other => {}
        }
    }
}

fn zeros(length: usize) -> Option<Vec<u8>> {
    let mut v = Vec::new();
    v.try_reserve_exact(length).ok()?;
    v.resize(length, 0);
    Some(v)
}

/// Returns true if the file can hold as many blocks as its header states.
fn plausible(frame: &Frame, data: &[u8], options: Options) -> bool {
    let blocks = frame.components.iter().map(|c| c.blocks[0] * c.blocks[1]).sum::<usize>();
    let repaired = options.try_recover_truncated || options.acceptable_fraction < 1.0;
    blocks <= data.len().saturating_mul(BLOCKS_PER_BYTE) || repaired && frame.height * frame.width <= ALWAYS_REPAIRED
}

/// Decodes a file, or the window of it; `None` where it is damaged, of an unknown kind, or the window is not inside.
pub(super) fn decode(data: &[u8], options: Options, window: Option<Window>, threads: Threads) -> Option<Picture> {
    let mut reader = Reader::new(data)?;
    let mut planes: Option<(Frame, Vec<Plane>)> = None;
    let mut truncated = false;
    let mut complete_rows = usize::MAX;
    loop {
        match reader.segment() {
            Some(Segment::Frame(frame)) => {
                if planes.is_some() || !plausible(&frame, data, options) {
                    return None;
                }
                if frame.height as u64 * frame.width as u64 >= MAX_PIXELS {
                    return None;
                }
                let all = frame.components.iter().map(|c| Plane::new(&frame, c, options)).collect::<Option<_>>()?;
                planes = Some((frame, all));
            }
            Some(Segment::Scan(scan)) => {
                let (frame, planes) = planes.as_mut()?;
                let end = coefficients::read_scan(&mut reader, frame, &scan, planes, options)?;
                if end.truncated {
                    truncated = true;
                    complete_rows = complete_rows.min(end.complete_rows);
                }
            }
            Some(Segment::End) => break,
            Some(Segment::Fault) => return None,
            Some(Segment::Other) => {}
            // The data ends between segments; the scans so far may be all.
            None => {
                let (frame, planes) = planes.as_ref()?;
                if frame.progressive || planes.iter().any(|p| !p.seen) {
                    truncated = true;
                    complete_rows = 0;
                }
                break;
            }
        }
    }
    let (frame, mut planes) = planes?;
    if planes.iter().all(|p| !p.seen) {
        return None;
    }
    let mut rows_there = frame.height.div_ceil(options.ratio);
    let height = rows_there;
    if truncated && !options.try_recover_truncated {
        if frame.progressive {
            return None;
        }
        rows_there = (complete_rows / options.ratio).min(height);
        if (rows_there as f32 / height as f32) < options.acceptable_fraction.min(1.0) {
            return None;
        }
    }
    for plane in &mut planes {
        plane.finish(threads, options);
    }
    render(&frame, &planes, options, window, rows_there, threads)
}

fn render(
    frame: &Frame,
    planes: &[Plane],
    options: Options,
    window: Option<Window>,
    rows_there: usize,
    threads: Threads,
) -> Option<Picture> {
    let (height, width) = (frame.height.div_ceil(options.ratio), frame.width.div_ceil(options.ratio));
    let channels = if options.channels == 0 { frame.components.len().min(3) } else { options.channels };
    let converter = color::Converter::of(frame, channels)?;
    let window = window.unwrap_or(Window { top: 0, left: 0, height, width });
    let inside = window.height > 0
        && window.width > 0
        && window.top.checked_add(window.height)? <= height
        && window.left.checked_add(window.width)? <= width;
    if !inside {
        return None;
    }
    let mut pixels = Tensor::new(DType::U8, [window.height.checked_mul(window.width)?.checked_mul(channels)?]).ok()?;
    let row = window.width * channels;
    let block = ((1 << 16) / row).max(1) * row;
    for_chunks_mut(threads, pixels.slice_mut::<u8>().ok()?, block, |start, chunk| {
        let mut lines: Vec<Vec<u8>> = planes.iter().map(|_| vec![0; width + 16]).collect();
        for (k, line) in chunk.chunks_exact_mut(row).enumerate() {
            let y = window.top + start / row + k;
            if y >= rows_there {
                line.fill(0);
                continue;
            }
            for (plane, out) in planes.iter().zip(&mut lines).take(converter.needs()) {
                upsample::row(plane, y, options.fancy_upscaling && options.ratio < 8, out);
            }
            converter.row(&lines, window.left, line);
        }
    });
    Some(Picture { height: window.height, width: window.width, channels, pixels })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: Options = Options {
        channels: 0,
        ratio: 1,
        fancy_upscaling: true,
        try_recover_truncated: false,
        acceptable_fraction: 1.0,
        accurate: false,
    };

    fn segment(marker: u8, body: &[u8]) -> Vec<u8> {
        let [high, low] = (body.len() as u16 + 2).to_be_bytes();
        [&[0xff, marker, high, low], body].concat()
    }

    /// Returns the pixels of a gray file of 24 by 8, with scans of a band and of these bits. All its codes are one bit
    /// 0.
    fn pixels(frame: u8, scans: &[([u8; 2], &[u8])]) -> Option<Vec<u8>> {
        let code = [&[1u8][..], &[0; 16]].concat();
        let mut file = vec![0xff, 0xd8];
        file.extend(segment(0xdb, &[&[0u8][..], &[16; 64]].concat()));
        file.extend(segment(0xc4, &[&[0x00][..], &code, &[0x10], &code].concat()));
        file.extend(segment(frame, &[8, 0, 8, 0, 24, 1, 0, 0x11, 0]));
        for ([first, last], bits) in scans {
            file.extend(segment(0xda, &[1, 0, 0, *first, *last, 0]));
            file.extend_from_slice(bits);
        }
        file.extend([0xff, 0xd9]);
        decode(&file, OPTIONS, None, Threads::single()).map(|picture| picture.pixels.slice().unwrap().to_vec())
    }

    #[test]
    fn a_component_of_a_sequential_image_has_one_scan() {
        let gray = Some(vec![128; 24 * 8]);
        assert_eq!(pixels(0xc0, &[([0, 63], &[0])]), gray);
        assert_eq!(pixels(0xc0, &[([0, 63], &[0]), ([0, 63], &[0])]), None);
        assert_eq!(pixels(0xc2, &[([0, 0], &[0]), ([0, 0], &[0])]), gray);
    }

    #[test]
    fn a_file_without_a_scan_is_refused() {
        assert_eq!((pixels(0xc0, &[]), pixels(0xc2, &[])), (None, None));
    }

    #[test]
    fn progressive_scans_may_be_empty() {
        let empty: &[u8] = &[];
        let scans: Vec<_> = [([0, 0], empty)].into_iter().chain((1..64).map(|k| ([k, 63], empty))).collect();
        assert_eq!(pixels(0xc2, &scans), Some(vec![128; 24 * 8]));
    }
}
