//! EncodeJpeg, EncodeJpegVariableQuality, EncodePng: pixels to files.

use super::png;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};
use jpeg_encoder::{ChromaSubsamplingMethod, ColorType, Encoder, PixelDensity, PixelDensityUnit, SamplingFactor};

/// The name that begins XMP data in a JPEG file.
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";

struct JpegOptions {
    format: String,
    quality: u8,
    progressive: bool,
    optimize_size: bool,
    chroma_downsampling: bool,
    density: PixelDensity,
    xmp: Vec<u8>,
}

fn checked_quality(quality: i64) -> Result<u8> {
    ensure!((0..=100).contains(&quality), InvalidArgument, "quality must be in [0,100], got {quality}");
    // libjpeg has no quality 0.
    Ok((quality as u8).max(1))
}

impl JpegOptions {
    fn of(init: &KernelInit<'_>) -> Result<JpegOptions> {
        let unit =
            if init.str("density_unit")? == "in" { PixelDensityUnit::Inches } else { PixelDensityUnit::Centimeters };
        // libjpeg keeps 16 bits, too.
        let density = (init.int32("x_density")? as u16, init.int32("y_density")? as u16);
        Ok(JpegOptions {
            format: init.str("format")?,
            quality: checked_quality(init.int("quality")?)?,
            progressive: init.bool("progressive")?,
            optimize_size: init.bool("optimize_size")?,
            chroma_downsampling: init.bool("chroma_downsampling")?,
            density: PixelDensity { density, unit },
            xmp: init.str("xmp_metadata")?.into_bytes(),
        })
    }

    /// Returns TF 1.x's options if only the quality is given.
    fn of_quality(quality: u8) -> JpegOptions {
        JpegOptions {
            format: String::new(),
            quality,
            progressive: false,
            optimize_size: false,
            chroma_downsampling: true,
            density: PixelDensity { density: (300, 300), unit: PixelDensityUnit::Inches },
            xmp: Vec::new(),
        }
    }

    fn encode(&self, image: &Tensor) -> Result<Vec<u8>> {
        let [height, width, channels] = sizes(image)?;
        let expected = match self.format.as_str() {
            "" => channels,
            "grayscale" => 1,
            "rgb" => 3,
            other => bail!(InvalidArgument, "format must be '', grayscale or rgb, got {other}"),
        };
        ensure!(matches!(expected, 1 | 3), InvalidArgument, "image must have 1 or 3 channels, got {}", image.shape());
        ensure!(
            expected == channels,
            InvalidArgument,
            "format {} expects {expected} channels, got {}",
            self.format,
            image.shape()
        );
        let color = if channels == 1 { ColorType::Luma } else { ColorType::Rgb };
        match self.written(image.slice()?, width, height, color) {
            Some(bytes) => Ok(bytes),
            None => bail!(Internal, "JPEG encoding failed"),
        }
    }

    fn written(&self, pixels: &[u8], width: usize, height: usize, color: ColorType) -> Option<Vec<u8>> {
        let (width, height) = (u16::try_from(width).ok()?, u16::try_from(height).ok()?);
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.quality);
        encoder.set_sampling_factor(if self.chroma_downsampling {
            SamplingFactor::F_2_2
        } else {
            SamplingFactor::F_1_1
        });
        encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
        encoder.set_progressive(self.progressive);
        encoder.set_optimized_huffman_tables(self.optimize_size || self.progressive);
        encoder.set_density(self.density);
        if !self.xmp.is_empty() {
            encoder.add_app_segment(1, [XMP, &self.xmp].concat()).ok()?;
        }
        encoder.encode(pixels, width, height, color).ok()?;
        Some(bytes)
    }
}

/// Returns the height, width and channels of an image to encode.
fn sizes(image: &Tensor) -> Result<[usize; 3]> {
    ensure!(image.rank() == 3, InvalidArgument, "image must be 3-dimensional{}", image.shape());
    ensure!(image.elements() < i32::MAX as usize, InvalidArgument, "Cannot encode images with >= max int32 elements");
    let s = image.shape();
    Ok([s[0], s[1], s[2]])
}

fn set_string(ctx: &mut KernelContext<'_>, bytes: Vec<u8>) -> Result<()> {
    ctx.set_output(0, Tensor::from_strings([], vec![bytes.into()])?);
    Ok(())
}

fn jpeg(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let options = JpegOptions::of(init)?;
    kernel(move |ctx| {
        let bytes = options.encode(ctx.input(0)?)?;
        set_string(ctx, bytes)
    })
}

fn jpeg_of_quality(ctx: &mut KernelContext<'_>) -> Result<()> {
    let quality = ctx.input(1)?;
    ensure!(quality.rank() == 0, InvalidArgument, "quality must be scalar, got shape {}", quality.shape());
    let quality = checked_quality(quality.to_scalar::<i32>()?.into())?;
    let bytes = JpegOptions::of_quality(quality).encode(ctx.input(0)?)?;
    set_string(ctx, bytes)
}

fn png_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let compression = init.int("compression")?;
    ensure!((-1..=9).contains(&compression), InvalidArgument, "compression should be in [-1,9], got {compression}");
    kernel(move |ctx| {
        let image = ctx.input(0)?;
        let sizes = sizes(image)?;
        ensure!(
            (1..=4).contains(&sizes[2]),
            InvalidArgument,
            "image must have 1, 2, 3, or 4 channels, got {}",
            sizes[2]
        );
        // libpng writes no picture without pixels.
        ensure!(image.elements() > 0, Internal, "PNG encoding failed: image is empty, of shape {}", image.shape());
        let wide = image.dtype() == DType::U16;
        let encoded = if wide {
            // PNG files have the high byte first.
            let bytes: Vec<u8> = image.slice::<u16>()?.iter().flat_map(|x| x.to_be_bytes()).collect();
            png::encode(&bytes, sizes, true, compression)
        } else {
            png::encode(image.slice()?, sizes, false, compression)
        };
        match encoded {
            Some(bytes) => set_string(ctx, bytes),
            None => bail!(Internal, "PNG encoding failed"),
        }
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(3)?;
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

fn shape_of_quality(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    shape(c)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("EncodeJpeg")
            .input("image: uint8")
            .attr("format: {'', 'grayscale', 'rgb'} = ''")
            .attr("quality: int = 95")
            .attr("progressive: bool = false")
            .attr("optimize_size: bool = false")
            .attr("chroma_downsampling: bool = true")
            .attr("density_unit: {'in', 'cm'} = 'in'")
            .attr("x_density: int = 300")
            .attr("y_density: int = 300")
            .attr("xmp_metadata: string = ''")
            .output("contents: string")
            .doc("Encodes an image as a JPEG file.")
            .shape(shape)
            .kernel(jpeg),
    );
    r.add(
        Op::new("EncodeJpegVariableQuality")
            .input("images: uint8")
            .input("quality: int32")
            .output("contents: string")
            .doc("Encodes an image as a JPEG file of a quality that may change.")
            .shape(shape_of_quality)
            .kernel(|_| kernel(jpeg_of_quality)),
    );
    r.add(
        Op::new("EncodePng")
            .attr("compression: int = -1")
            .attr("T: {uint8, uint16} = DT_UINT8")
            .input("image: T")
            .output("contents: string")
            .doc("Encodes an image as a PNG file.")
            .shape(shape)
            .kernel(png_kernel),
    );
}
