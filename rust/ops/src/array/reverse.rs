//! Reverse, ReverseV2: dimensions in reverse order.

use super::strided::{Walk, gathered};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Result, Tensor, ensure};

/// Returns which of `rank` dimensions the list names.
fn chosen(axes: &[i64], rank: usize) -> Result<Vec<bool>> {
    let r = rank as i64;
    let mut reversed = vec![false; rank];
    for (i, &axis) in axes.iter().enumerate() {
        ensure!((-r..r).contains(&axis), InvalidArgument, "'axis'[{i}] = {axis} is out of valid range [0, {}", r - 1);
        let at = if axis < 0 { axis + r } else { axis } as usize;
        ensure!(!reversed[at], InvalidArgument, "axis {at} specified more than once.");
        reversed[at] = true;
    }
    Ok(reversed)
}

fn reverse(ctx: &mut KernelContext<'_>, reversed: &[bool]) -> Result<()> {
    let x = ctx.input(0)?;
    let (shape, strides) = (x.shape().clone(), x.shape().strides());
    let is_reversed = |d: usize| reversed[d] && shape[d] > 1;
    let base = (0..shape.rank()).filter(|&d| is_reversed(d)).map(|d| (shape[d] - 1) * strides[d]).sum();
    let mut walk = Walk::new(base);
    for d in 0..shape.rank() {
        let s = strides[d] as isize;
        walk.push(shape[d], if is_reversed(d) { -s } else { s });
    }
    let out = if (0..shape.rank()).any(is_reversed) { gathered(ctx.threads(), x, &walk, shape)? } else { ctx.take(0)? };
    ctx.set_output(0, out);
    Ok(())
}

/// Returns the kernel that reverses the dimensions that `choose` finds in the second input, for the first one's rank.
/// A scalar is its own reverse: the second input may then hold anything, as in TensorFlow.
fn reversing(choose: fn(&Tensor, usize) -> Result<Vec<bool>>) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let rank = ctx.input(0)?.rank();
        let reversed = if rank == 0 { Vec::new() } else { choose(ctx.input(1)?, rank)? };
        reverse(ctx, &reversed)
    })
}

fn by_flags(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    reversing(|flags, rank| {
        ensure!(flags.rank() == 1, InvalidArgument, "'dims' must be 1-dimension, not {}", flags.rank());
        ensure!(
            flags.elements() == rank,
            InvalidArgument,
            "'dims' must have the same number of values as 'input' has dimensions. 'input' has {rank}'dims' has {} values",
            flags.elements()
        );
        Ok(flags.slice::<bool>()?.to_vec())
    })
}

fn by_axes(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    reversing(|axes, rank| {
        ensure!(axes.rank() == 1, InvalidArgument, "'dims' must be 1-dimension, not {}", axes.rank());
        chosen(&axes.to_i64s()?, rank)
    })
}

fn shape_by_flags(c: &mut ShapeContext<'_>) -> Result<()> {
    let flags = c.input(1)?.with_rank(1)?;
    let mut input = c.input(0)?.clone();
    if let Some(n) = flags.dim(0) {
        ensure!(n <= 8, InvalidArgument, "reverse does not work on tensors with more than 8 dimensions");
        input = input.with_rank(n)?;
    }
    c.set_output(0, input);
    Ok(())
}

fn shape_by_axes(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(1)?;
    let input = c.input(0)?.clone();
    if let (Some(axes), Some(rank)) = (c.input_i64s(1)?, input.rank()) {
        chosen(&axes, rank)?;
    }
    c.set_output(0, input);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    const OLD: &str =
        "T: {uint8, int8, uint16, int16, int32, int64, bool, half, float, double, complex64, complex128, string}";
    const NEW: &str = "T: {uint8, int8, uint16, int16, int32, int64, bool, bfloat16, half, float, double, complex64, complex128, string}";
    r.add(
        Op::new("Reverse")
            .input("tensor: T")
            .input("dims: bool")
            .output("output: T")
            .attr(OLD)
            .doc("Reverses the dimensions whose flag is set.")
            .shape(shape_by_flags)
            .kernel(by_flags),
    );
    r.add(
        Op::new("ReverseV2")
            .input("tensor: T")
            .input("axis: Tidx")
            .output("output: T")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .attr(NEW)
            .doc("Reverses the dimensions that `axis` lists.")
            .shape(shape_by_axes)
            .kernel(by_axes),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;
    use ferroflow_tensor::DType;

    fn reversed(x: &Tensor, axes: &[i32]) -> Result<Tensor> {
        let list = Tensor::from_slice([axes.len()], axes).unwrap();
        let new = run("ReverseV2", &[x.clone(), list], &[])?[0].clone();
        let flags: Vec<bool> =
            (0..x.rank() as i32).map(|d| axes.contains(&d) || axes.contains(&(d - x.rank() as i32))).collect();
        let old = run("Reverse", &[x.clone(), Tensor::from_slice([x.rank()], &flags).unwrap()], &[])?;
        assert_eq!(old[0], new);
        Ok(new)
    }

    #[test]
    fn listed_dimensions_run_backwards() {
        let x = Tensor::from_slice([2, 3, 4], &(0..24i32).collect::<Vec<_>>()).unwrap();
        for axes in [&[][..], &[0], &[1], &[2], &[0, 1], &[1, 2], &[-1, 0], &[2, 1, 0]] {
            let y = reversed(&x, axes).unwrap();
            for (n, &got) in y.slice::<i32>().unwrap().iter().enumerate() {
                let index = [n / 12, n / 4 % 3, n % 4];
                let from = (0..3).fold(0, |at, d| {
                    let back = axes.contains(&(d as i32)) || axes.contains(&(d as i32 - 3));
                    at * x.shape()[d] + if back { x.shape()[d] - 1 - index[d] } else { index[d] }
                });
                assert_eq!(got, from as i32, "{axes:?}");
            }
        }
        let empty = Tensor::zeros(DType::String, [0, 2]).unwrap();
        assert_eq!(reversed(&empty, &[0, 1]).unwrap(), empty);
    }

    #[test]
    fn faulty_axes_are_refused() {
        let x = Tensor::zeros(DType::F32, [2, 2]).unwrap();
        for axes in [[2, 0], [0, 0], [1, -1], [-3, 0]] {
            let list = Tensor::from_slice([2], &axes).unwrap();
            assert!(run("ReverseV2", &[x.clone(), list], &[]).is_err());
        }
        let flags = Tensor::from_slice([1], &[true]).unwrap();
        assert!(run("Reverse", &[x, flags], &[]).is_err());
    }
}
