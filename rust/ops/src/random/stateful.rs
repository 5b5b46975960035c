//! StatefulUniform and its kin: random numbers of a generator whose state is a variable; RngSkip, NonDeterministicInts.

use super::distribution::{Distribution, Draw};
use super::stream::shape_of;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, RefAccess, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::philox::{Philox, fill};
use ferroflow_tensor::threads::{Interrupted, Threads};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, dispatch, ensure};

/// The number of Philox 4x32-10 among the algorithms of generators.
const PHILOX: i64 = 1;
/// Numbers of a state: the halves of the counter, low one first, and the key.
const STATE: usize = 3;

/// Returns the part of a generator's stream for `values` values, and moves its state on. Input 0 is the state's
/// variable, input 1 the algorithm.
fn reserve(ctx: &mut KernelContext<'_>, values: usize) -> Result<Philox> {
    check_algorithm(ctx.input(1)?)?;
    advance(ctx, fill::blocks_per_run(values))
}

fn check_algorithm(algorithm: &Tensor) -> Result<()> {
    ensure!(algorithm.rank() == 0, InvalidArgument, "algorithm must be of shape [], not {}", algorithm.shape());
    let number = algorithm.to_scalar::<i64>()?;
    ensure!(number == PHILOX, InvalidArgument, "Unsupported algorithm id: {number}");
    Ok(())
}

fn advance(ctx: &mut KernelContext<'_>, blocks: u64) -> Result<Philox> {
    ctx.update(0, |state, _| {
        ensure!(
            state.rank() == 1,
            InvalidArgument,
            "RNG state must have one and only one dimension, not {}",
            state.rank()
        );
        let numbers = state.slice_mut::<i64>()?;
        ensure!(
            numbers.len() >= STATE,
            InvalidArgument,
            "For the Philox algorithm, the size of state must be at least {STATE}; got {}",
            numbers.len()
        );
        let words = |number: i64| [number as u32, (number as u64 >> 32) as u32];
        let ([a, b], [c, d]) = (words(numbers[0]), words(numbers[1]));
        let base = Philox::from_parts([a, b, c, d], words(numbers[2]));
        let counter = (u128::from(numbers[1] as u64) << 64 | u128::from(numbers[0] as u64)).wrapping_add(blocks.into());
        (numbers[0], numbers[1]) = (counter as i64, (counter >> 64) as i64);
        Ok(base)
    })
}

fn floats(init: &KernelInit<'_>, distribution: Distribution) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in float, {
        let fill = T::fill(distribution);
        kernel(move |ctx| {
            let mut out = Tensor::new(dtype, shape_of(ctx.input(2)?)?)?;
            let base = reserve(ctx, out.elements())?;
            fill(&base, ctx.threads(), out.slice_mut::<T>()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Words of a stream, which are the bits of whole numbers.
trait Word: Scalar {
    const FILL: fn(&Philox, Threads, &mut [Self]) -> Result<(), Interrupted>;
    /// Returns a number in [low, high), the low ones slightly more often. Signed numbers have the same bits.
    fn within(self, low: Self, high: Self) -> Self;
}

macro_rules! words {
    ($($t:ty: $fill:ident;)*) => {$(
        impl Word for $t {
            const FILL: fn(&Philox, Threads, &mut [$t]) -> Result<(), Interrupted> = fill::$fill;

            fn within(self, low: $t, high: $t) -> $t {
                low.wrapping_add(self % high.wrapping_sub(low))
            }
        }
    )*};
}
words! {
    u32: fill_words_u32;
    u64: fill_words_u64;
}

/// Returns the type of the words that whole numbers are made of.
fn word_type(init: &KernelInit<'_>) -> Result<DType> {
    match init.output_type(0)? {
        DType::I32 | DType::U32 => Ok(DType::U32),
        DType::I64 | DType::U64 => Ok(DType::U64),
        _ => Err(init.unsupported()),
    }
}

fn full_ints(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, words) = (init.output_type(0)?, word_type(init)?);
    dispatch!(words, T in [U32, U64], {
        kernel(move |ctx| {
            let mut out = Tensor::new(words, shape_of(ctx.input(2)?)?)?;
            let base = reserve(ctx, out.elements())?;
            T::FILL(&base, ctx.threads(), out.slice_mut::<T>()?)?;
            ctx.set_output(0, out.bitcast_same_size(dtype)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Checks the bounds, inputs 3 and 4. TF 1.x: the order of unsigned ones counts only if a number is drawn.
fn check_bounds(ctx: &KernelContext<'_>, dtype: DType, draws: bool) -> Result<()> {
    for (i, name) in [(3, "minval"), (4, "maxval")] {
        let t = ctx.input(i)?;
        ensure!(t.rank() == 0, InvalidArgument, "{name} must be 0-D, got shape {}", t.shape());
    }
    dispatch!(dtype, T in [I32, U32, I64, U64], {
        let (low, high) = (ctx.input(3)?.to_scalar::<T>()?, ctx.input(4)?.to_scalar::<T>()?);
        let may_be_empty = !draws && matches!(dtype, DType::U32 | DType::U64);
        ensure!(low < high || may_be_empty, InvalidArgument, "Need minval < maxval, got {low} >= {high}");
    }, else ());
    Ok(())
}

fn ints(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, words) = (init.output_type(0)?, word_type(init)?);
    dispatch!(words, T in [U32, U64], {
        kernel(move |ctx| {
            let mut out = Tensor::new(words, shape_of(ctx.input(2)?)?)?;
            check_bounds(ctx, dtype, out.elements() > 0)?;
            let bound = |t: &Tensor| t.clone().bitcast_same_size(words)?.to_scalar::<T>();
            let (low, high) = (bound(ctx.input(3)?)?, bound(ctx.input(4)?)?);
            let base = reserve(ctx, out.elements())?;
            let numbers = out.slice_mut::<T>()?;
            T::FILL(&base, ctx.threads(), numbers)?;
            numbers.iter_mut().for_each(|n| *n = n.within(low, high));
            ctx.set_output(0, out.bitcast_same_size(dtype)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn unseeded(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, words) = (init.output_type(0)?, word_type(init)?);
    dispatch!(words, T in [U32, U64], {
        kernel(move |ctx| {
            let mut out = Tensor::new(words, shape_of(ctx.input(0)?)?)?;
            // Two zeros stand for a stream that no other run shares.
            T::FILL(&Philox::of_op(0, 0), ctx.threads(), out.slice_mut::<T>()?)?;
            ctx.set_output(0, out.bitcast_same_size(dtype)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn skip(ctx: &mut KernelContext<'_>) -> Result<()> {
    check_algorithm(ctx.input(1)?)?;
    let delta = ctx.input(2)?;
    ensure!(delta.rank() == 0, InvalidArgument, "delta must be of shape [], not {}", delta.shape());
    // A value of a generator uses as many blocks as one of an op with seeds.
    let values = delta.to_scalar::<i64>()? as u64;
    advance(ctx, values.wrapping_mul(fill::blocks_per_run(1)))?;
    Ok(())
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.merge(&PartialShape::scalar())?;
    for i in 3..c.num_inputs() {
        c.input(i)?.merge(&PartialShape::scalar())?;
    }
    let s = c.input_as_shape(2)?;
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let drawn = |name: &str, bounds: bool, dtype: &str| {
        let op = Op::new(name).input("resource: resource").input("algorithm: int64").input("shape: shape_dtype");
        let op = if bounds { op.input("minval: dtype").input("maxval: dtype") } else { op };
        op.output("output: dtype")
            .attr(&format!("dtype: type = {dtype}"))
            .attr("shape_dtype: type = DT_INT64")
            .handles(RefAccess::Write)
            .shape(shape)
    };
    for (name, distribution, doc) in [
        ("StatefulUniform", Distribution::Uniform, "Returns numbers of a generator that are uniform in [0, 1)."),
        ("StatefulStandardNormalV2", Distribution::Normal, "Returns standard normal numbers of a generator."),
        (
            "StatefulTruncatedNormal",
            Distribution::Truncated,
            "Returns standard normal numbers of a generator, within 2 of 0.",
        ),
    ] {
        let kernel: ferroflow_graph::KernelFactory = match distribution {
            Distribution::Uniform => |init| floats(init, Distribution::Uniform),
            Distribution::Normal => |init| floats(init, Distribution::Normal),
            Distribution::Truncated => |init| floats(init, Distribution::Truncated),
        };
        r.add(drawn(name, false, "DT_FLOAT").doc(doc).kernel(kernel));
    }
    r.add(
        drawn("StatefulUniformFullInt", false, "DT_UINT64")
            .doc("Returns whole numbers of a generator that are uniform in the whole range of their type.")
            .kernel(full_ints),
    );
    r.add(
        drawn("StatefulUniformInt", true, "DT_INT64")
            .doc("Returns whole numbers of a generator that are uniform in [minval, maxval), but for a remainder's bias.")
            .kernel(ints),
    );
    r.add(
        Op::new("RngSkip")
            .input("resource: resource")
            .input("algorithm: int64")
            .input("delta: int64")
            .doc("Moves a generator on as `delta` values of one number each do.")
            .handles(RefAccess::Write)
            .shape(|c| {
                c.input(1)?.merge(&PartialShape::scalar())?;
                c.input(2)?.merge(&PartialShape::scalar())?;
                Ok(())
            })
            .kernel(|_| kernel(skip)),
    );
    r.add(
        Op::new("NonDeterministicInts")
            .input("shape: shape_dtype")
            .output("output: dtype")
            .attr("dtype: type = DT_INT64")
            .attr("shape_dtype: type = DT_INT64")
            .doc("Returns whole numbers that differ from run to run.")
            .stateful()
            .shape(shape_rules::from_shape_input)
            .kernel(unseeded),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Rerun};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn a_state_moves_on_and_numbers_are_tensorflows() {
        let state = Tensor::from_slice([3], &[5074i64 - 768, 0, 0]).unwrap();
        let shape = Tensor::from_slice([1], &[3i64]).unwrap();
        let args = vec![Arg::Handle(state), Arg::One(Tensor::scalar(1i64)), Arg::One(shape)];
        let attrs = [("dtype", AttrValue::Type(DType::U32))];
        let drawn = Rerun::of_args("StatefulUniformFullInt", args, &attrs).unwrap();
        let first = drawn.run(1).unwrap();
        assert_eq!(first[0].slice::<u32>().unwrap(), [4_011_822_765, 1_556_472_325, 2_441_413_310]);
        let second = drawn.run(1).unwrap();
        let next: Vec<u32> = [1_041_588_062i32, 1_255_925_256, -791_703_677].map(|n| n as u32).into();
        assert_eq!(second[0].slice::<u32>().unwrap(), next);
    }
}
