//! DecodeWav, EncodeWav: files of 16-bit samples (RIFF, PCM) as numbers in -1 to 1.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, PartialShape, Result, Shape, Status, Tensor, bail, ensure};

const HEADER_BYTES: u64 = 44;
const SAMPLE_BYTES: u32 = 2;
/// The value of a step between two samples.
const STEP: f32 = 1.0 / 32768.0;

/// Returns a WAV file of samples in -1 to 1, frame by frame; what is outside is cut.
///
/// Errors: `InvalidArgument` for what the format has no room for.
pub(crate) fn encoded(samples: &[f32], sample_rate: u32, channels: usize, frames: usize) -> Result<Vec<u8>> {
    let Ok(channels) = u16::try_from(channels) else {
        bail!(InvalidArgument, "num_channels must be in (0, 2^16), got: {channels}")
    };
    ensure!(channels > 0, InvalidArgument, "num_channels must be in (0, 2^16), got: 0");
    ensure!(frames > 0, InvalidArgument, "num_frames must be positive.");
    let frame_bytes = u32::from(channels) * SAMPLE_BYTES;
    let data_bytes = samples.len() as u64 * u64::from(SAMPLE_BYTES);
    let (Ok(data_bytes), Ok(riff_bytes)) = (u32::try_from(data_bytes), u32::try_from(data_bytes + HEADER_BYTES - 8))
    else {
        bail!(InvalidArgument, "Provided channels and frames cannot be encoded as a WAV.")
    };
    let Some(bytes_per_second) = sample_rate.checked_mul(frame_bytes) else {
        bail!(InvalidArgument, "a sample rate of {sample_rate} is too high for {channels} channels")
    };
    let Ok(frame_bytes) = u16::try_from(frame_bytes) else {
        bail!(InvalidArgument, "Provided channels and frames cannot be encoded as a WAV.")
    };
    let mut out = Vec::with_capacity(data_bytes as usize + HEADER_BYTES as usize);
    out.extend(b"RIFF");
    out.extend(riff_bytes.to_le_bytes());
    out.extend(b"WAVEfmt ");
    out.extend(16u32.to_le_bytes());
    let pcm = 1u16;
    out.extend(pcm.to_le_bytes());
    out.extend(channels.to_le_bytes());
    out.extend(sample_rate.to_le_bytes());
    out.extend(bytes_per_second.to_le_bytes());
    out.extend(frame_bytes.to_le_bytes());
    out.extend((SAMPLE_BYTES as u16 * 8).to_le_bytes());
    out.extend(b"data");
    out.extend(data_bytes.to_le_bytes());
    for &x in samples {
        out.extend(((x * 32768.0).round() as i16).to_le_bytes());
    }
    Ok(out)
}

/// The bytes of a file that are not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        match self.0.split_at_checked(count) {
            Some((taken, rest)) => {
                self.0 = rest;
                Ok(taken)
            }
            None => bail!(InvalidArgument, "Data too short when trying to read string"),
        }
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        let found = self.take(text.len())?;
        ensure!(
            found == text.as_bytes(),
            InvalidArgument,
            "Header mismatch: Expected {text} but found {}",
            String::from_utf8_lossy(found)
        );
        Ok(())
    }

    fn u16(&mut self) -> Result<u16> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn u32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// Samples of a file, frame by frame.
struct Sound<'a> {
    /// Two bytes for each sample.
    samples: &'a [u8],
    frames: usize,
    channels: usize,
    sample_rate: u32,
}

impl<'a> Sound<'a> {
    fn of(file: &'a [u8]) -> Result<Sound<'a>> {
        let mut rest = Rest(file);
        rest.expect("RIFF")?;
        rest.u32()?;
        rest.expect("WAVE")?;
        rest.expect("fmt ")?;
        let format_bytes = rest.u32()?;
        ensure!(
            format_bytes == 16 || format_bytes == 18,
            InvalidArgument,
            "Bad file size for WAV: Expected 16 or 18, but got{format_bytes}"
        );
        let format = rest.u16()?;
        ensure!(format == 1, InvalidArgument, "Bad audio format for WAV: Expected 1 (PCM), but got{format}");
        let channels = u32::from(rest.u16()?);
        let sample_rate = rest.u32()?;
        let bytes_per_second = rest.u32()?;
        let frame_bytes = u32::from(rest.u16()?);
        let bits = rest.u16()?;
        ensure!(bits == 16, InvalidArgument, "Can only read 16-bit WAV files, but received {bits}");
        let expected = channels * SAMPLE_BYTES;
        ensure!(
            frame_bytes == expected && expected > 0,
            InvalidArgument,
            "Bad bytes per sample in WAV header: Expected {expected} but got {frame_bytes}"
        );
        let expected = frame_bytes.wrapping_mul(sample_rate);
        ensure!(
            bytes_per_second == expected,
            InvalidArgument,
            "Bad bytes per second in WAV header: Expected {expected} but got {bytes_per_second} \
             (sample_rate={sample_rate}, bytes_per_sample={frame_bytes})"
        );
        if format_bytes == 18 {
            rest.take(2)?;
        }
        let mut found = None;
        while !rest.0.is_empty() {
            let kind = rest.take(4)?;
            let size = rest.u32()?;
            ensure!(
                i32::try_from(size).is_ok(),
                InvalidArgument,
                "WAV data chunk '{}' is too large: {size} bytes, but the limit is {}",
                String::from_utf8_lossy(kind),
                i32::MAX
            );
            if kind == b"data" {
                ensure!(found.is_none(), InvalidArgument, "More than one data chunk found in WAV");
                let frames = (size / frame_bytes) as usize;
                let samples = rest.take(frames * frame_bytes as usize)?;
                found = Some(Sound { samples, frames, channels: channels as usize, sample_rate });
            } else {
                // TF 1.x: the last chunk may be shorter than it says.
                rest.take((size as usize).min(rest.0.len()))?;
            }
        }
        found.ok_or_else(|| Status::invalid_argument("No data chunk found in WAV"))
    }

    fn sample(&self, frame: usize, channel: usize) -> f32 {
        let at = (frame * self.channels + channel) * SAMPLE_BYTES as usize;
        match self.samples.get(at..at + SAMPLE_BYTES as usize) {
            Some(bytes) => f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) * STEP,
            None => 0.0,
        }
    }
}

/// Returns the size that an attribute sets; `None` for that of the file.
fn desired(size: i64, what: &str) -> Result<Option<usize>> {
    match usize::try_from(size) {
        Ok(n) => Ok(Some(n)),
        Err(_) if size == -1 => Ok(None),
        Err(_) => bail!(InvalidArgument, "{what} must be non-negative, got {size}"),
    }
}

fn decode(ctx: &mut KernelContext<'_>, channels: Option<usize>, frames: Option<usize>) -> Result<()> {
    let contents = ctx.input(0)?;
    ensure!(contents.rank() == 0, InvalidArgument, "contents must be scalar, got shape {}", contents.shape());
    let Some(file) = contents.strings()?.first() else { bail!(InvalidArgument, "contents must be scalar") };
    ensure!(file.len() <= i32::MAX as usize, InvalidArgument, "WAV contents are too large for int: {}", file.len());
    let sound = Sound::of(file)?;
    let (frames, channels) = (frames.unwrap_or(sound.frames), channels.unwrap_or(sound.channels));
    let mut out = Tensor::zeros(ferroflow_tensor::DType::F32, Shape::checked(&[frames as i64, channels as i64])?)?;
    let to = out.slice_mut::<f32>()?;
    for frame in 0..frames.min(sound.frames) {
        for channel in 0..channels {
            // Channels beyond those of the file repeat its last one.
            to[frame * channels + channel] = sound.sample(frame, channel.min(sound.channels - 1));
        }
    }
    let rate = Tensor::scalar(sound.sample_rate as i32);
    ctx.set_output(0, out);
    ctx.set_output(1, rate);
    Ok(())
}

fn decode_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let channels = desired(init.int32("desired_channels")?, "channels")?;
    let frames = desired(init.int32("desired_samples")?, "samples")?;
    kernel(move |ctx| decode(ctx, channels, frames))
}

fn decode_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let channels = desired(c.int32("desired_channels")?, "channels")?;
    let frames = desired(c.int32("desired_samples")?, "samples")?;
    c.set_output(0, PartialShape::from_dims(&[frames, channels]));
    c.set_output(1, PartialShape::scalar());
    Ok(())
}

/// Returns the sample rate in input 1.
pub(super) fn rate_in(ctx: &KernelContext<'_>) -> Result<i32> {
    let rate = ctx.input(1)?;
    ensure!(
        rate.rank() == 0,
        InvalidArgument,
        "Input sample_rate should be a scalar tensor, got {} instead.",
        rate.shape()
    );
    rate.to_scalar::<i32>()
}

fn encode(ctx: &mut KernelContext<'_>) -> Result<()> {
    let audio = ctx.input(0)?;
    let [frames, channels] = *audio.shape().dims() else {
        bail!(InvalidArgument, "audio must be 2-dimensional, got shape {}", audio.shape())
    };
    ensure!(audio.elements() < i32::MAX as usize, InvalidArgument, "Cannot encode audio with >= max int32 elements");
    let rate = rate_in(ctx)?;
    let Some(rate) = u32::try_from(rate).ok().filter(|&rate| rate > 0) else {
        bail!(InvalidArgument, "sample_rate must be in (0, 2^32), got: {rate}")
    };
    let file = encoded(audio.slice()?, rate, channels, frames)?;
    let out = Tensor::from_strings(Shape::scalar(), vec![Bytes::from(file.as_slice())])?;
    ctx.set_output(0, out);
    Ok(())
}

fn encode_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(2)?;
    c.input(1)?.with_rank(0)?;
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("DecodeWav")
            .input("contents: string")
            .output("audio: float")
            .output("sample_rate: int32")
            .attr("desired_channels: int = -1")
            .attr("desired_samples: int = -1")
            .doc("Returns the samples of a WAV file of 16 bits as numbers in -1 to 1, and the sample rate.")
            .shape(decode_shape)
            .kernel(decode_kernel),
    );
    r.add(
        Op::new("EncodeWav")
            .input("audio: float")
            .input("sample_rate: int32")
            .output("contents: string")
            .doc("Returns a WAV file of 16 bits for samples in -1 to 1.")
            .shape(encode_shape)
            .kernel(|_| kernel(encode)),
    );
}

#[cfg(test)]
mod tests {
    use super::encoded;
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Bytes, Result, Tensor};

    fn file(bytes: &[u8]) -> Tensor {
        Tensor::from_strings([], vec![Bytes::from(bytes)]).unwrap()
    }

    fn decode(bytes: &[u8], channels: i64, frames: i64) -> Result<Tensor> {
        let attrs = [("desired_channels", AttrValue::Int(channels)), ("desired_samples", AttrValue::Int(frames))];
        Ok(run("DecodeWav", &[file(bytes)], &attrs)?.remove(0))
    }

    #[test]
    fn a_decoded_file_has_the_samples_that_were_encoded() {
        let samples = [0.0f32, 0.5, -1.0, 2.0, 0.25, -3.0];
        let bytes = encoded(&samples, 8000, 2, 3).unwrap();
        let out = decode(&bytes, -1, -1).unwrap();
        assert_eq!(out, Tensor::from_slice([3, 2], &[0.0f32, 0.5, -1.0, 32767.0 / 32768.0, 0.25, -1.0]).unwrap());
        let more = decode(&bytes, 3, 4).unwrap();
        assert_eq!(more.slice::<f32>().unwrap()[..3], [0.0, 0.5, 0.5]);
        assert_eq!(more.slice::<f32>().unwrap()[9..], [0.0; 3]);
    }

    #[test]
    fn damaged_files_are_errors() {
        let bytes = encoded(&[0.5f32; 8], 8000, 1, 8).unwrap();
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end], -1, -1).is_err(), "{end}");
        }
        for at in 0..44 {
            for value in [0, 1, 255] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let _ = decode(&damaged, -1, -1);
            }
        }
        assert!(decode(&bytes, -2, -1).is_err());
    }
}
