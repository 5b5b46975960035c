//! Sound: WAV files as tensors and back, spectrograms, and the features of speech recognition.

mod mfcc;
mod spectrogram;
mod wav;

use ferroflow_graph::Registry;

pub(crate) use wav::encoded;

pub(crate) fn register(r: &mut Registry) {
    mfcc::register(r);
    spectrogram::register(r);
    wav::register(r);
}
