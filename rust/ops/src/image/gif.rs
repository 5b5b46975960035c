//! GIF files to RGB frames.

use gif::{ColorOutput, DecodeOptions, Decoder, MemoryLimit};

/// The most pixels that a byte of a file stands for: a 12-bit code of a run of 4096.
const MOST_SHRUNK: usize = 2731;
/// The most pixels that all frames have together: a frame of a few bytes counts as the whole canvas.
const MAX_PIXELS: usize = 1 << 29;

pub(super) struct Frames {
    pub count: usize,
    pub height: usize,
    pub width: usize,
    /// RGB, frame by frame.
    pub pixels: Vec<u8>,
}

fn opened(data: &[u8], skips_pixels: bool) -> Result<Decoder<&[u8]>, String> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.set_memory_limit(MemoryLimit::Unlimited);
    options.skip_frame_decoding(skips_pixels);
    options.read_info(data).map_err(|e| format!("failed to open gif file: {e}"))
}

fn slurp(e: gif::DecodingError) -> String {
    format!("failed to slurp gif file: {e}")
}

/// Returns the number of frames, by their headers alone.
fn count_of(data: &[u8]) -> Result<usize, String> {
    let mut decoder = opened(data, true)?;
    let mut count = 0;
    while decoder.next_frame_info().map_err(slurp)?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Decodes a file; an error says in what way it is damaged.
///
/// Decodes all frames. TF 1.x: outside its area, a frame shows the frame before. Transparent pixels have their
/// palette's colour, and the first frame covers the canvas.
pub(super) fn decode(data: &[u8]) -> Result<Frames, String> {
    // The gif crate panics for some damaged files.
    std::panic::catch_unwind(|| decoded(data)).unwrap_or_else(|_| Err("failed to slurp gif file".to_owned()))
}

fn decoded(data: &[u8]) -> Result<Frames, String> {
    let mut decoder = opened(data, false)?;
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let global = decoder.global_palette().map(<[u8]>::to_vec);
    let size = width * height * 3;
    // A header with sizes that the file cannot hold is refused before memory is allocated.
    if width * height > data.len().saturating_mul(MOST_SHRUNK) {
        return Err("failed to slurp gif file: the image does not fit the file".to_owned());
    }
    let total = count_of(data)?;
    if total.saturating_mul(width * height) > MAX_PIXELS {
        return Err(format!("failed to slurp gif file: its frames have more than {MAX_PIXELS} pixels"));
    }
    let (mut pixels, mut count) = (Vec::new(), 0);
    pixels.try_reserve_exact(total * size).map_err(|_| "the frames need too much memory".to_owned())?;
    while let Some(info) = decoder.next_frame_info().map_err(slurp)? {
        let (left, top) = (usize::from(info.left), usize::from(info.top));
        let (across, down) = (usize::from(info.width), usize::from(info.height));
        if across * down > data.len().saturating_mul(MOST_SHRUNK) {
            return Err("failed to slurp gif file: a frame does not fit the file".to_owned());
        }
        let palette = info.palette.clone().or_else(|| global.clone()).unwrap_or_default();
        let whole = (left, top, across, down) == (0, 0, width, height);
        if count == 0 && !whole {
            return Err("the first frame does not fill the canvas".to_owned());
        }
        let mut indices = vec![0; across * down];
        decoder.read_into_buffer(&mut indices).map_err(slurp)?;
        let start = pixels.len();
        if count > 0 {
            pixels.extend_from_within(start - size..);
        } else {
            pixels.resize(size, 0);
        }
        let frame: &mut [u8] = &mut pixels[start..];
        for (y, row) in indices.chunks_exact(across.max(1)).enumerate().take(height.saturating_sub(top)) {
            for (x, &index) in row.iter().enumerate().take(width.saturating_sub(left)) {
                let at = ((top + y) * width + left + x) * 3;
                if let Some(color) = palette.get(usize::from(index) * 3..usize::from(index) * 3 + 3) {
                    frame[at..at + 3].copy_from_slice(color);
                }
            }
        }
        count += 1;
    }
    if count == 0 {
        return Err("gif file does not contain any image".to_owned());
    }
    Ok(Frames { count, height, width, pixels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gif::{Encoder, Frame};

    fn file(side: u16, small_frames: usize) -> Vec<u8> {
        let mut data = Vec::new();
        let mut encoder = Encoder::new(&mut data, side, side, &[0, 0, 0, 9, 9, 9]).unwrap();
        encoder
            .write_frame(&Frame::from_indexed_pixels(side, side, vec![0; side as usize * side as usize], None))
            .unwrap();
        let dot = Frame::from_indexed_pixels(1, 1, vec![1], None);
        (0..small_frames).for_each(|_| encoder.write_frame(&dot).unwrap());
        drop(encoder);
        data
    }

    #[test]
    fn small_frames_count_as_the_whole_canvas_before_memory_is_asked_for() {
        let frames = decode(&file(64, 5)).unwrap();
        assert_eq!((frames.count, frames.pixels.len()), (6, 6 * 64 * 64 * 3));
        assert_eq!(frames.pixels.iter().filter(|&&x| x == 9).count(), 5 * 3);
        // 20,000 canvases of 1,024 x 1,024 would take 63 GB.
        let data = file(1024, 20_000);
        assert!(data.len() < 1 << 20, "{}", data.len());
        assert!(decode(&data).err().unwrap().contains("more than 536870912 pixels"));
    }
}
