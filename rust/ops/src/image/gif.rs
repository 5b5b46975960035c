//! GIF files to RGB frames.

use gif::{ColorOutput, DecodeOptions, MemoryLimit};

/// The most pixels that a byte of a file stands for: a 12-bit code of a run of 4096.
const MOST_SHRUNK: usize = 2731;

pub(super) struct Frames {
    pub count: usize,
    pub height: usize,
    pub width: usize,
    /// RGB, frame by frame.
    pub pixels: Vec<u8>,
}

/// Decodes a file; an error says in what way it is damaged.
///
/// TF 1.x: what a frame does not cover is as in the frame before, transparent pixels have their palette's colour, and the
/// first frame covers the canvas.
pub(super) fn decode(data: &[u8]) -> Result<Frames, String> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.set_memory_limit(MemoryLimit::Unlimited);
    let mut decoder = options.read_info(data).map_err(|e| format!("failed to open gif file: {e}"))?;
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let global = decoder.global_palette().map(<[u8]>::to_vec);
    let size = width * height * 3;
    // A header that tells of more than the file can hold is not believed.
    if width * height > data.len().saturating_mul(MOST_SHRUNK) {
        return Err("failed to slurp gif file: the image does not fit the file".to_owned());
    }
    let slurp = |e: gif::DecodingError| format!("failed to slurp gif file: {e}");
    let (mut pixels, mut count) = (Vec::new(), 0);
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
        pixels.try_reserve(size).map_err(|_| "the frames need too much memory".to_owned())?;
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
