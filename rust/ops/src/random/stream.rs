//! `Stream`: the random numbers of one node in one session; and the shape that an input asks for.

use ferroflow_graph::{KernelInit, Op};
use ferroflow_tensor::philox::Philox;
use ferroflow_tensor::{Result, Shape, Tensor, ensure};
use parking_lot::Mutex;

/// The generator of one node; every run takes the next part of its stream.
pub(super) struct Stream(Mutex<Philox>);

impl Stream {
    /// The stream of the attributes `seed` and `seed2`; where both are 0, one that no other node shares.
    pub(super) fn new(init: &KernelInit<'_>) -> Result<Stream> {
        Ok(Stream(Mutex::new(Philox::of_op(init.int("seed")?, init.int("seed2")?))))
    }

    /// The part of the stream that a run may use.
    pub(super) fn reserve(&self, blocks: u64) -> Philox {
        self.0.lock().reserve(blocks)
    }
}

/// A stateful op with the attributes of its seeds.
pub(super) fn seeded(op: Op) -> Op {
    op.attr("seed: int = 0").attr("seed2: int = 0").stateful()
}

/// The shape that a vector of int32 or int64 describes.
pub(super) fn shape_of(input: &Tensor) -> Result<Shape> {
    ensure!(
        input.rank() == 1,
        InvalidArgument,
        "shape must be a vector of {{int32,int64}}, got shape {}",
        input.shape()
    );
    Shape::checked(&input.to_i64s()?)
}
