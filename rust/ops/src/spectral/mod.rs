//! Fourier transforms.

mod fft;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    fft::register(r);
}
