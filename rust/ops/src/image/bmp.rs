//! BMP files without compression to pixels.

use ferroflow_tensor::{Result, bail, ensure};

pub(super) struct Bitmap {
    pub height: usize,
    pub width: usize,
    pub channels: usize,
    pub pixels: Vec<u8>,
}

fn int(data: &[u8], at: usize) -> i64 {
    data.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, |b| i64::from(i32::from_le_bytes(b)))
}

/// Decodes a file of 8, 24 or 32 bits per pixel. `channels` 0 means those of the file. 3 and 4 make colours of greys,
/// and omit or add opacity, as from TensorFlow 2 on. Colours do not become grey.
pub(super) fn decode(data: &[u8], channels: usize) -> Result<Bitmap> {
    ensure!(
        data.len() >= 32,
        InvalidArgument,
        "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, and bpp, got {} \
         bytes",
        data.len()
    );
    let (header, width, height) = (int(data, 10), int(data, 18), int(data, 22));
    let found = usize::from(u16::from_le_bytes([data[28], data[29]])) / 8;
    ensure!(
        matches!(channels, 0 | 3 | 4) || channels == found,
        InvalidArgument,
        "channels attribute {channels} does not match bits per pixel from file {found}"
    );
    ensure!(matches!(found, 1 | 3 | 4), InvalidArgument, "Number of channels must be 1, 3 or 4, was {found}");
    ensure!(width > 0, InvalidArgument, "Width must be positive");
    ensure!(height != 0, InvalidArgument, "Height must be nonzero");
    ensure!(header >= 0, InvalidArgument, "header size must be nonnegative");
    let rows = height.unsigned_abs() as i64;
    ensure!(
        width * rows < i64::from(i32::MAX) / 8,
        InvalidArgument,
        "Total possible pixel bytes must be less than 2^30"
    );
    let pixel = found as i64;
    let row = (8 * pixel * width + 31) / 32 * 4;
    let size = header + (rows - 1) * row + width * pixel;
    let Some(body) = data.get(header as usize..size as usize) else {
        bail!(InvalidArgument, "Incomplete bmp content, requires at least {size} bytes, got {} bytes", data.len())
    };
    let (rows, width, row) = (rows as usize, width as usize, row as usize);
    let channels = if channels == 0 { found } else { channels };
    let mut pixels = Vec::with_capacity(rows * width * channels);
    for y in 0..rows {
        // Rows go upwards, unless the height is negative.
        let at = if height < 0 { y } else { rows - 1 - y } * row;
        for from in body[at..at + width * found].chunks_exact(found) {
            let pixel = match *from {
                [b, g, r, a] => [r, g, b, a],
                [b, g, r] => [r, g, b, u8::MAX],
                _ => [from[0], from[0], from[0], u8::MAX],
            };
            pixels.extend_from_slice(&pixel[..channels]);
        }
    }
    Ok(Bitmap { height: rows, width, channels, pixels })
}
