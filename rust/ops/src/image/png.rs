//! PNG files to pixels, with the requested channels and depth, by libpng's conversions; and back.

use png::{BitDepth, ColorType, DeflateCompression, Filter, Transformations};
use std::io::Cursor;

/// The most that deflate shrinks data by.
const MOST_SHRUNK: usize = 1032;
/// libpng's weights of red and green in gray, in 15 bits; blue has the rest.
const RED: u32 = 9797;
const GREEN: u32 = 19234;
const BLUE: u32 = 32768 - RED - GREEN;

pub(super) struct Samples {
    pub height: usize,
    pub width: usize,
    pub channels: usize,
    /// Samples of 16 bits if these were requested, else of 8.
    pub data: Vec<u16>,
}

/// The reason why a file was refused.
pub(super) enum Fault {
    Header,
    TooLarge(u32, u32),
    Data,
}

/// Converts one pixel of 1 to 4 samples to one of `channels` samples.
fn convert(pixel: &[u16], channels: usize, wide: bool, opaque: u16, to: &mut [u16]) {
    let has_alpha = pixel.len().is_multiple_of(2);
    let (color, alpha) = pixel.split_at(pixel.len() - usize::from(has_alpha));
    let colors = if channels < 3 { 1 } else { 3 };
    match (color, colors) {
        (&[g], _) => to[..colors].fill(g),
        (&[r, g, b], 1) => {
            let (r, g, b) = (u32::from(r), u32::from(g), u32::from(b));
            // libpng rounds samples of 16 bits and cuts those of 8.
            let half = if wide { 1 << 14 } else { 0 };
            to[0] = if r == g && r == b { r } else { (RED * r + GREEN * g + BLUE * b + half) >> 15 } as u16;
        }
        _ => to[..3].copy_from_slice(&color[..3]),
    }
    if channels.is_multiple_of(2) {
        to[channels - 1] = alpha.first().copied().unwrap_or(opaque);
    }
}

/// Decodes a file; `channels` 0 means those of the file (palettes count as gray, as in TF).
pub(super) fn decode(data: &[u8], channels: usize, wide: bool) -> Result<Samples, Fault> {
    // The png crate panics for some damaged files that pass the checks below.
    std::panic::catch_unwind(|| decoded(data, channels, wide)).unwrap_or(Err(Fault::Data))
}

fn decoded(data: &[u8], channels: usize, wide: bool) -> Result<Samples, Fault> {
    let mut decoder = png::Decoder::new(Cursor::new(data));
    decoder.set_transformations(Transformations::EXPAND);
    let info = decoder.read_header_info().map_err(|_| Fault::Header)?;
    let (w, h) = (info.width, info.height);
    let (file_color, file_depth) = (info.color_type, info.bit_depth as u32);
    let (width, height) = (w as usize, h as usize);
    if w >= 1 << 27 || h >= 1 << 27 || u64::from(w) * u64::from(h) >= 1 << 29 {
        return Err(Fault::TooLarge(w, h));
    }
    // A header with sizes that the file cannot hold is refused before memory is allocated.
    let raw = (width * file_color.samples() * file_depth as usize).div_ceil(8) * height;
    if raw > data.len().saturating_mul(MOST_SHRUNK) {
        return Err(Fault::Data);
    }
    let mut reader = decoder.read_info().map_err(|_| Fault::Header)?;
    // The png crate panics for a palette that is no whole number of colours, or that has more than 256.
    let palette = reader.info().palette.as_deref().map_or(0, <[u8]>::len);
    if file_color == ColorType::Indexed && !(palette.is_multiple_of(3) && (3..=768).contains(&palette)) {
        return Err(Fault::Header);
    }
    let size = reader.output_buffer_size().ok_or(Fault::Data)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| Fault::Data)?;
    bytes.resize(size, 0);
    reader.next_frame(&mut bytes).map_err(|_| Fault::Data)?;
    let (color, depth) = reader.output_color_type();
    let samples = color.samples();
    let channels = match (channels, file_color) {
        (0, ColorType::Indexed | ColorType::Grayscale) => 1,
        (0, ColorType::GrayscaleAlpha) => 2,
        (0, ColorType::Rgb) => 3,
        (0, ColorType::Rgba) => 4,
        (n, _) => n,
    };
    let opaque = ((1u32 << file_depth) - 1) as u16;
    let deep = depth == BitDepth::Sixteen;
    let mut out = Vec::new();
    out.try_reserve_exact(width * height * channels).map_err(|_| Fault::Data)?;
    out.resize(width * height * channels, 0);
    let mut pixel = [0u16; 4];
    let step = samples * if deep { 2 } else { 1 };
    for (from, to) in bytes.chunks_exact(step).zip(out.chunks_exact_mut(channels)) {
        for (k, x) in pixel[..samples].iter_mut().enumerate() {
            *x = if deep { u16::from_be_bytes([from[2 * k], from[2 * k + 1]]) } else { u16::from(from[k]) };
        }
        convert(&pixel[..samples], channels, deep, opaque, to);
        for x in to.iter_mut() {
            match (deep, wide) {
                (true, false) => *x >>= 8,
                (false, true) => *x = (*x & 255) * 257,
                _ => {}
            }
        }
    }
    Ok(Samples { height, width, channels, data: out })
}

/// Encodes samples of 8 bits, or of 16 in the order of PNG files; `None` where there are none.
pub(crate) fn encode(
    bytes: &[u8],
    [height, width, channels]: [usize; 3],
    wide: bool,
    compression: i64,
) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    encoder.set_color(match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    });
    encoder.set_depth(if wide { BitDepth::Sixteen } else { BitDepth::Eight });
    encoder.set_deflate_compression(match u8::try_from(compression) {
        Ok(0) => DeflateCompression::NoCompression,
        Ok(level) => DeflateCompression::Level(level.min(9)),
        // zlib's default.
        Err(_) => DeflateCompression::Level(6),
    });
    encoder.set_filter(Filter::Adaptive);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(bytes).ok()?;
    writer.finish().ok()?;
    Some(out)
}
