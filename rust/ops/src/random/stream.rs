//! `Stream`: the random numbers of one node in one session; and the shape that an input describes.

use ferroflow_graph::{KernelInit, Op, ShapeContext};
use ferroflow_sync::Mutex;
use ferroflow_tensor::philox::{Philox, stateless::stateless};
use ferroflow_tensor::{Result, Shape, Tensor, bail, ensure};

/// The generator of one node; every run takes the next part of its stream.
pub(crate) struct Stream(Mutex<Philox>);

impl Stream {
    /// Returns the stream of the attributes `seed` and `seed2`; where both are 0, one that no other node shares.
    pub(crate) fn new(init: &KernelInit<'_>) -> Result<Stream> {
        Ok(Stream(Mutex::new(Philox::of_op(init.int("seed")?, init.int("seed2")?))))
    }

    /// Returns the part of the stream that a run may use.
    pub(crate) fn reserve(&self, blocks: u64) -> Philox {
        self.0.lock().reserve(blocks)
    }
}

/// Returns the stream of a stateless op, whose seed is a vector of two numbers.
pub(super) fn stateless_of(seed: &Tensor) -> Result<Philox> {
    match seed.to_i64s()?[..] {
        [first, second] if seed.rank() == 1 => Ok(stateless(first, second)),
        _ => bail!(InvalidArgument, "seed must have shape [2], not {}", seed.shape()),
    }
}

/// Returns a stateful op with the attributes of its seeds.
pub(crate) fn seeded(op: Op) -> Op {
    op.attr("seed: int = 0").attr("seed2: int = 0").stateful()
}

/// Returns the shape that a vector of int32 or int64 describes.
pub(crate) fn shape_of(input: &Tensor) -> Result<Shape> {
    ensure!(
        input.rank() == 1,
        InvalidArgument,
        "shape must be a vector of {{int32,int64}}, got shape {}",
        input.shape()
    );
    Shape::checked(&input.to_i64s()?)
}

/// Returns the shape of `samples` for each of the parameters.
pub(crate) fn per_parameter(samples: &Shape, parameters: &Shape) -> Result<Shape> {
    let dims: Vec<i64> = samples.to_i64().into_iter().chain(parameters.to_i64()).collect();
    Shape::checked(&dims)
}

/// Infers the shape of `per_parameter`: input 0 describes the samples, input 1 holds the parameters.
pub(crate) fn per_parameter_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input_as_shape(0)?.concatenate(c.input(1)?);
    c.set_output(0, s);
    Ok(())
}
