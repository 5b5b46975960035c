//! AudioSummary, AudioSummaryV2: the first clips of a batch as WAV files of 16 bits.

use super::{Tagged, numbered, scalar_shape, set_summary, tag_in};
use crate::audio::encoded;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel};
use ferroflow_proto::tensorflow::summary::{Audio, value};
use ferroflow_tensor::{Result, Tensor, bail, ensure};

fn compute(ctx: &mut KernelContext<'_>, sample_rate: f32, most: i64) -> Result<()> {
    let tag = tag_in(ctx, 0, "Tag")?;
    let values = values_of(&tag, ctx.input(1)?, sample_rate, most)?;
    set_summary(ctx, &values)
}

/// Returns the first `most` clips of a batch.
pub(super) fn values_of(tag: &[u8], tensor: &Tensor, sample_rate: f32, most: i64) -> Result<Vec<Tagged>> {
    let (batch, frames, channels) = match *tensor.shape().dims() {
        [batch, frames] => (batch, frames, 1),
        [batch, frames, channels] => (batch, frames, channels),
        _ => bail!(InvalidArgument, "Tensor must be 3-D or 2-D, got: {}", tensor.shape()),
    };
    ensure!(sample_rate > 0.0, InvalidArgument, "sample_rate must be > 0");
    ensure!(sample_rate < u32::MAX as f32, InvalidArgument, "sample_rate must be in (0, 2^32), got: {sample_rate}");
    let whole_rate = (sample_rate.round_ties_even() as u32).max(1);
    let samples = tensor.slice::<f32>()?;
    let size = frames * channels;
    let mut values = Vec::new();
    for i in 0..batch.min(usize::try_from(most).unwrap_or(0)) {
        let clip = samples.get(i * size..(i + 1) * size).unwrap_or_default();
        let audio = Audio {
            sample_rate,
            num_channels: channels as i64,
            length_frames: frames as i64,
            encoded_audio_string: encoded(clip, whole_rate, channels, frames)?,
            content_type: "audio/wav".to_owned(),
        };
        let tag = numbered(tag, "audio", most, i);
        values.push(Tagged::new(tag, value::Value::Audio(audio)));
    }
    Ok(values)
}

fn of_attribute(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (sample_rate, most) = (init.float("sample_rate")?, init.int32("max_outputs")?);
    kernel(move |ctx| compute(ctx, sample_rate, most))
}

fn of_input(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let most = init.int32("max_outputs")?;
    kernel(move |ctx| {
        let rate = rate_in(ctx, 2)?;
        compute(ctx, rate, most)
    })
}

/// Returns the sample rate in input `i`.
pub(super) fn rate_in(ctx: &KernelContext<'_>, i: usize) -> Result<f32> {
    let rate = ctx.input(i)?;
    ensure!(rate.elements() == 1, InvalidArgument, "sample_rate must be a scalar, got shape {}", rate.shape());
    Ok(rate.slice::<f32>()?[0])
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("AudioSummary")
            .input("tag: string")
            .input("tensor: float")
            .output("summary: string")
            .attr("sample_rate: float")
            .attr("max_outputs: int >= 1 = 3")
            .doc("Computes AudioSummaryV2 with a sample rate that is an attribute.")
            .shape(scalar_shape)
            .kernel(of_attribute),
    );
    r.add(
        Op::new("AudioSummaryV2")
            .input("tag: string")
            .input("tensor: float")
            .input("sample_rate: float")
            .output("summary: string")
            .attr("max_outputs: int >= 1 = 3")
            .doc("Returns a Summary message with the first clips of a batch [batch, frames, channels] as WAV files.")
            .shape(scalar_shape)
            .kernel(of_input),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_cut_to_the_range_of_16_bits() {
        let file = encoded(&[0.0, 0.5, 1.0, -1.0, -2.0, f32::NAN], 8000, 2, 3).unwrap();
        let samples: Vec<i16> = file[44..].chunks(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
        assert_eq!(samples, [0, 16384, 32767, -32768, -32768, 0]);
        assert_eq!(u32::from_le_bytes([file[4], file[5], file[6], file[7]]) as usize, file.len() - 8);
    }

    #[test]
    fn what_the_format_has_no_room_for_is_refused() {
        assert!(encoded(&[], 8000, 0, 1).is_err());
        assert!(encoded(&[], 8000, 1, 0).is_err());
        assert!(encoded(&[0.0; 8], 8000, 1 << 16, 1).is_err());
        assert!(encoded(&[0.0; 8], u32::MAX, 4, 2).is_err());
    }
}
