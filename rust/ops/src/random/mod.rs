//! Random ops: TensorFlow's streams, bit for bit; each node owns one.

mod candidate_sampler;
mod distribution;
mod gamma;
mod gamma_gradient;
#[cfg(test)]
mod golden;
mod multinomial;
mod poisson;
mod shuffle;
mod stateful;
pub(crate) mod stream;
mod truncated_normal;
mod uniform_int;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    candidate_sampler::register(r);
    distribution::register(r);
    gamma::register(r);
    gamma_gradient::register(r);
    multinomial::register(r);
    poisson::register(r);
    shuffle::register(r);
    stateful::register(r);
    truncated_normal::register(r);
    uniform_int::register(r);
}
