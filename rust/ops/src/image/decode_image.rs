//! DecodeJpeg, DecodeAndCropJpeg, DecodePng, DecodeGif, DecodeBmp, DecodeImage, ExtractJpegShape: files to pixels.

use super::jpeg::{self, Options, Window};
use super::png::Fault;
use super::{bmp, gif, png};
use ferroflow_graph::{AttrMap, Blocking, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Status, Tensor, bail, ensure};
use smallvec::smallvec;

#[derive(Clone, Copy, PartialEq)]
enum Format {
    Jpeg,
    Png,
    Gif,
    Bmp,
}

fn format_of(data: &[u8]) -> Option<Format> {
    let begins = |magic: &[u8]| data.starts_with(magic);
    match () {
        () if begins(b"\xff\xd8\xff") => Some(Format::Jpeg),
        () if begins(b"\x89PNG\r\n\x1a\n") => Some(Format::Png),
        () if begins(b"GIF8") => Some(Format::Gif),
        () if begins(b"BM") => Some(Format::Bmp),
        () => None,
    }
}

fn name_of(format: Option<Format>, data: &[u8]) -> String {
    match format {
        Some(Format::Jpeg) => "JPEG".to_owned(),
        Some(Format::Png) => "PNG".to_owned(),
        Some(Format::Gif) => "GIF".to_owned(),
        Some(Format::Bmp) => "BMP".to_owned(),
        None if data.is_empty() => "empty file".to_owned(),
        None => format!("unknown format starting with '{}'", data[..data.len().min(16)].escape_ascii()),
    }
}

/// Returns the one string of an input.
fn contents(t: &Tensor) -> Result<&[u8]> {
    ensure!(t.rank() == 0, InvalidArgument, "contents must be scalar, got shape {}", t.shape());
    match t.strings()? {
        [s] => Ok(s),
        _ => bail!(Internal, "a scalar has one element"),
    }
}

fn image(height: usize, width: usize, channels: usize, frames: Option<usize>) -> Shape {
    match frames {
        Some(n) => Shape::new(&[n, height, width, channels]),
        None => Shape::new(&[height, width, channels]),
    }
}

fn options_of(attrs: &AttrMap) -> Result<Options> {
    let ratio = attrs.int("ratio")?;
    ensure!(matches!(ratio, 1 | 2 | 4 | 8), InvalidArgument, "ratio must be 1, 2, 4, or 8, got {ratio}");
    let method = attrs.str("dct_method")?;
    ensure!(
        matches!(method.as_str(), "" | "INTEGER_FAST" | "INTEGER_ACCURATE"),
        InvalidArgument,
        "dct_method must be one of {{'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}}"
    );
    Ok(Options {
        channels: 0,
        ratio: ratio as usize,
        fancy_upscaling: attrs.bool("fancy_upscaling")?,
        try_recover_truncated: attrs.bool("try_recover_truncated")?,
        acceptable_fraction: attrs.float("acceptable_fraction")?,
        accurate: method == "INTEGER_ACCURATE",
    })
}

/// TF 1.x: the fast transform is the default.
const PLAIN: Options = Options {
    channels: 0,
    ratio: 1,
    fancy_upscaling: true,
    try_recover_truncated: false,
    acceptable_fraction: 1.0,
    accurate: false,
};

fn channels_of(attrs: &AttrMap) -> Result<usize> {
    let channels = attrs.int32("channels")?;
    ensure!(matches!(channels, 0 | 1 | 3 | 4), InvalidArgument, "channels must be 0, 1, 3, or 4, got {channels}");
    Ok(channels as usize)
}

/// The result that an op requests of a file.
#[derive(Clone, Copy)]
struct OutputSpec {
    channels: usize,
    dtype: DType,
    /// If true, the result is a list of frames.
    frames: bool,
    /// If true, animations are frames in a result that is otherwise one image.
    animations: bool,
    options: Options,
}

fn decoded_jpeg(data: &[u8], output: OutputSpec, window: Option<Window>, threads: Threads) -> Result<Tensor> {
    let channels = output.channels;
    ensure!(matches!(channels, 0 | 1 | 3), InvalidArgument, "channels must be 0, 1, or 3 for JPEG, got {channels}");
    let options = Options { channels, ..output.options };
    let Some(picture) = jpeg::decode(data, options, window, threads) else {
        bail!(InvalidArgument, "Invalid JPEG data or crop window, data size {}", data.len())
    };
    let shape = image(picture.height, picture.width, picture.channels, output.frames.then_some(1));
    picture.pixels.reshaped(shape)
}

fn decoded_png(data: &[u8], output: OutputSpec) -> Result<Tensor> {
    let wide = output.dtype != DType::U8;
    let samples = png::decode(data, output.channels, wide).map_err(|fault| {
        Status::invalid_argument(match fault {
            Fault::Header => format!("Invalid PNG header, data size {}", data.len()),
            Fault::TooLarge(w, h) => format!("PNG size too large for int: {w} by {h}"),
            Fault::Data => format!("Invalid PNG data, size {}", data.len()),
        })
    })?;
    let shape = image(samples.height, samples.width, samples.channels, output.frames.then_some(1));
    if wide {
        return Tensor::from_slice(shape, &samples.data);
    }
    let mut out = Tensor::new(DType::U8, shape)?;
    for (to, &x) in out.slice_mut::<u8>()?.iter_mut().zip(&samples.data) {
        *to = x as u8;
    }
    Ok(out)
}

fn decoded_gif(data: &[u8], output: OutputSpec) -> Result<Tensor> {
    let channels = output.channels;
    ensure!(matches!(channels, 0 | 3), InvalidArgument, "channels must be 0 or 3 for GIF, got {channels}");
    let frames = gif::decode(data)
        .map_err(|e| Status::invalid_argument(format!("Invalid GIF data (size {}), {e}", data.len())))?;
    ensure!(
        output.frames || output.animations || frames.count == 1,
        InvalidArgument,
        "Got {} frames, but animated gifs can only be decoded by tf.image.decode_gif or tf.image.decode_image",
        frames.count
    );
    let listed = output.frames || output.animations;
    Tensor::from_slice(image(frames.height, frames.width, 3, listed.then_some(frames.count)), &frames.pixels)
}

fn decoded_bmp(data: &[u8], output: OutputSpec) -> Result<Tensor> {
    let map = bmp::decode(data, output.channels)?;
    Tensor::from_slice(image(map.height, map.width, map.channels, None), &map.pixels)
}

/// Decodes a file of JPEG, PNG or GIF, whichever of them the op is named for.
fn decode(data: &[u8], output: OutputSpec, window: Option<Window>, threads: Threads) -> Result<Tensor> {
    let format = format_of(data);
    let name = || name_of(format, data);
    ensure!(
        output.dtype == DType::U8 || matches!(format, None | Some(Format::Png | Format::Bmp)),
        InvalidArgument,
        "{} does not support uint16 output",
        name()
    );
    match format {
        Some(Format::Jpeg) => decoded_jpeg(data, output, window, threads),
        Some(Format::Png) => decoded_png(data, output),
        Some(Format::Gif) => decoded_gif(data, output),
        _ => bail!(InvalidArgument, "Expected image (JPEG, PNG, or GIF), got {}", name()),
    }
}

/// Ends a kernel with what `decode` makes of the file in its first input.
fn run(
    ctx: &mut KernelContext<'_>,
    decode: impl FnOnce(&[u8], Threads) -> Result<Tensor> + Send + 'static,
) -> Result<()> {
    let (file, threads) = (ctx.take(0)?, ctx.threads());
    ctx.run_blocking(move |_| Ok(smallvec![decode(contents(&file)?, threads)?]))
}

fn jpeg_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (channels, options) = (channels_of(init)?, options_of(init)?);
    let output = OutputSpec { channels, dtype: DType::U8, frames: false, animations: false, options };
    kernel(move |ctx| run(ctx, move |data, threads| decode(data, output, None, threads)))
}

fn crop_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (channels, options) = (channels_of(init)?, options_of(init)?);
    let output = OutputSpec { channels, dtype: DType::U8, frames: false, animations: false, options };
    kernel(move |ctx| {
        let window = ctx.input(1)?;
        ensure!(window.rank() == 1, InvalidArgument, "crop_window must be 1-D, got shape {}", window.shape());
        let [top, left, height, width] = window.to_i64s()?[..] else {
            bail!(InvalidArgument, "crop_size must have four elements {}", window.shape())
        };
        let size = |x: i64| usize::try_from(x).unwrap_or(usize::MAX);
        let window = Window { top: size(top), left: size(left), height: size(height), width: size(width) };
        run(ctx, move |data, threads| decode(data, output, Some(window), threads))
    })
}

fn png_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let output = OutputSpec {
        channels: channels_of(init)?,
        dtype: init.output_type(0)?,
        frames: false,
        animations: false,
        options: PLAIN,
    };
    kernel(move |ctx| run(ctx, move |data, threads| decode(data, output, None, threads)))
}

fn gif_kernel(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let output = OutputSpec { channels: 3, dtype: DType::U8, frames: true, animations: true, options: PLAIN };
    kernel(move |ctx| run(ctx, move |data, threads| decode(data, output, None, threads)))
}

fn bmp_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let output =
        OutputSpec { channels: channels_of(init)?, dtype: DType::U8, frames: false, animations: false, options: PLAIN };
    kernel(move |ctx| run(ctx, move |data, _| decoded_bmp(data, output)))
}

/// Returns an image of integers in another dtype, scaled as `tf.image.convert_image_dtype` does.
fn scaled(x: Tensor, dtype: DType) -> Result<Tensor> {
    if x.dtype() == dtype {
        return Ok(x);
    }
    let mut out = Tensor::new(dtype, x.shape().clone())?;
    match (x.dtype(), dtype) {
        (DType::U8, DType::U16) => {
            for (to, &x) in out.slice_mut::<u16>()?.iter_mut().zip(x.slice::<u8>()?) {
                *to = u16::from(x) << 8;
            }
        }
        (DType::U8, _) => {
            let factor = (1.0 / 255.0) as f32;
            for (to, &x) in out.slice_mut::<f32>()?.iter_mut().zip(x.slice::<u8>()?) {
                *to = f32::from(x) * factor;
            }
        }
        _ => {
            let factor = (1.0 / 65535.0) as f32;
            for (to, &x) in out.slice_mut::<f32>()?.iter_mut().zip(x.slice::<u16>()?) {
                *to = f32::from(x) * factor;
            }
        }
    }
    Ok(out)
}

fn any_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let output = OutputSpec {
        channels: channels_of(init)?,
        dtype: init.output_type(0)?,
        frames: false,
        animations: init.bool("expand_animations")?,
        options: PLAIN,
    };
    let decode = move |data: &[u8], threads| {
        let format = format_of(data);
        let refused = match (format, output.channels) {
            (Some(Format::Jpeg), 4) => "Channels must be in (None, 0, 1, 3) when decoding JPEG images",
            (Some(Format::Gif), 1 | 4) => "Channels must be in (None, 0, 3) when decoding GIF images",
            (Some(Format::Bmp), 1) => "Channels must be in (None, 0, 3) when decoding BMP images",
            (None, _) => "Unable to decode bytes as JPEG, PNG, GIF, or BMP",
            _ => "",
        };
        ensure!(refused.is_empty(), InvalidArgument, "{refused}");
        let out = match format {
            Some(Format::Jpeg) => decoded_jpeg(data, output, None, threads)?,
            Some(Format::Png) => decoded_png(data, output)?,
            Some(Format::Gif) => decoded_gif(data, output)?,
            _ => decoded_bmp(data, output)?,
        };
        scaled(out, output.dtype)
    };
    kernel(move |ctx| run(ctx, decode))
}

fn extract_shape(ctx: &mut KernelContext<'_>, wide: bool) -> Result<()> {
    let data = contents(ctx.input(0)?)?;
    let Some(dims) = jpeg::shape(data) else { bail!(InvalidArgument, "Invalid JPEG data, size {}", data.len()) };
    let out = if wide {
        Tensor::from_slice([3], &dims.map(|d| d as i64))?
    } else {
        Tensor::from_slice([3], &dims.map(|d| d as i32))?
    };
    ctx.set_output(0, out);
    Ok(())
}

fn channels_shape(c: &ShapeContext<'_>) -> Result<Option<usize>> {
    c.input(0)?.with_rank(0)?;
    let channels = c.int32("channels")?;
    ensure!(channels >= 0, InvalidArgument, "channels must be non-negative, got {channels}");
    Ok((channels > 0).then_some(channels as usize))
}

fn image_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let channels = channels_shape(c)?;
    c.set_output(0, PartialShape::from_dims(&[None, None, channels]));
    Ok(())
}

fn crop_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let channels = channels_shape(c)?;
    let window = c.input(1)?.with_rank(1)?;
    super::shapes::dimension_is(&window, 0, 4)?;
    let size = |x: i64| usize::try_from(x).ok();
    let (h, w) = match c.input_i64s(1)?.as_deref() {
        Some(&[_, _, h, w]) => (size(h), size(w)),
        _ => (None, None),
    };
    c.set_output(0, PartialShape::from_dims(&[h, w, channels]));
    Ok(())
}

fn frames_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    c.set_output(0, PartialShape::from_dims(&[None, None, None, Some(3)]));
    Ok(())
}

fn any_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let channels = channels_shape(c)?;
    if !c.bool("expand_animations")? {
        c.set_output(0, PartialShape::from_dims(&[None, None, channels]));
    }
    Ok(())
}

fn vector_of_3(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    c.set_output(0, PartialShape::vector(Some(3)));
    Ok(())
}

fn jpeg_attrs(op: Op) -> Op {
    op.attr("channels: int = 0")
        .attr("ratio: int = 1")
        .attr("fancy_upscaling: bool = true")
        .attr("try_recover_truncated: bool = false")
        .attr("acceptable_fraction: float = 1.0")
        .attr("dct_method: string = ''")
        .output("image: uint8")
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| Op::new(name).input("contents: string");
    r.add(
        jpeg_attrs(op("DecodeJpeg"))
            .doc("Decodes a JPEG file (or PNG, or a GIF of one frame).")
            .shape(image_shape)
            .blocks(Blocking::Decoding)
            .kernel(jpeg_kernel),
    );
    r.add(
        jpeg_attrs(op("DecodeAndCropJpeg").input("crop_window: int32"))
            .doc("Decodes a rectangle of a JPEG file.")
            .shape(crop_shape)
            .blocks(Blocking::Decoding)
            .kernel(crop_kernel),
    );
    r.add(
        op("DecodePng")
            .attr("channels: int = 0")
            .attr("dtype: {uint8, uint16} = DT_UINT8")
            .output("image: dtype")
            .doc("Decodes a PNG file (or JPEG, or a GIF of one frame).")
            .shape(image_shape)
            .blocks(Blocking::Decoding)
            .kernel(png_kernel),
    );
    r.add(
        op("DecodeGif")
            .output("image: uint8")
            .doc("Decodes the frames of a GIF file (or JPEG, or PNG).")
            .shape(frames_shape)
            .blocks(Blocking::Decoding)
            .kernel(gif_kernel),
    );
    r.add(
        op("DecodeBmp")
            .output("image: uint8")
            .attr("channels: int = 0")
            .doc("Decodes a BMP file.")
            .shape(image_shape)
            .blocks(Blocking::Decoding)
            .kernel(bmp_kernel),
    );
    r.add(
        op("DecodeImage")
            .attr("channels: int = 0")
            .attr("dtype: {uint8, uint16, float} = DT_UINT8")
            .output("image: dtype")
            .attr("expand_animations: bool = true")
            .doc("Decodes a BMP, GIF, JPEG or PNG file.")
            .shape(any_shape)
            .blocks(Blocking::Decoding)
            .kernel(any_kernel),
    );
    r.add(
        op("ExtractJpegShape")
            .output("image_shape: output_type")
            .attr("output_type: {int32, int64} = DT_INT32")
            .doc("Returns height, width and channels of a JPEG file.")
            .shape(vector_of_3)
            .kernel(|init| {
                let wide = init.output_type(0)? == DType::I64;
                kernel(move |ctx| extract_shape(ctx, wide))
            }),
    );
}
