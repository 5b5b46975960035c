//! SparseSlice and its gradient: the elements of a sparse tensor in a box.

use super::coordinates::{Coordinates, pick, shape_vector};
use super::shapes::set_parts;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Movable, Result, Shape, Tensor, by_size, ensure};
use std::borrow::Cow;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let rank = c.input(2)?.with_rank(1)?;
    let rank = rank.merge(&c.input(3)?.with_rank(1)?)?.merge(&c.input(4)?.with_rank(1)?)?.dim(0);
    c.input(0)?.with_rank(2)?;
    c.input(1)?.with_rank(1)?;
    set_parts(c, 0, None, rank);
    Ok(())
}

fn gradient_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let indices = c.input(1)?.with_rank(2)?;
    c.set_output(0, ferroflow_tensor::PartialShape::vector(indices.dim(0)));
    Ok(())
}

/// Returns the elements in the box, with indices that count from its corner, and the part of the box inside the tensor.
fn boxed(from: &Coordinates<'_>, start: &[i64], size: &[i64]) -> Result<(Vec<usize>, Vec<i64>, Shape)> {
    let dims: Vec<i64> =
        (0..from.rank()).map(|d| size[d].min((from.shape[d] as i64).saturating_sub(start[d])).max(0)).collect();
    let (mut picked, mut numbers) = (Vec::new(), Vec::new());
    for (i, row) in from.rows().enumerate() {
        let inside = row
            .iter()
            .zip(start.iter().zip(size))
            .all(|(&at, (&start, &size))| start <= at && at < start.saturating_add(size));
        if inside {
            picked.push(i);
            numbers.extend(row.iter().zip(start).map(|(at, start)| at - start));
        }
    }
    Ok((picked, numbers, Shape::checked(&dims)?))
}

fn slice(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let (values, start, size) = (ctx.input(1)?, ctx.input(3)?, ctx.input(4)?);
        let from = Coordinates::of(ctx.input(0)?, values, ctx.input(2)?)?;
        for (name, t) in [("start", start), ("size", size)] {
            ensure!(t.rank() == 1, InvalidArgument, "Input {name} should be a vector but received shape {}", t.shape());
            ensure!(
                t.elements() == from.rank(),
                InvalidArgument,
                "Expected {name} to be a vector of length {} but got length {}",
                from.rank(),
                t.elements()
            );
        }
        let (start, size) = (start.to_i64s()?, size.to_i64s()?);
        for (d, &s) in start.iter().enumerate() {
            ensure!(s >= 0, InvalidArgument, "Expected start of dimension {d} to be non-negative but got {s}");
        }
        let (picked, numbers, shape) = boxed(&from, &start, &size)?;
        let values = pick(values, &picked)?;
        let out = Coordinates::from_parts(Cow::Owned(numbers), picked.len(), shape);
        let every: Vec<usize> = (0..picked.len()).collect();
        let (indices, shape) = (out.pick(&every)?, shape_vector(&out.shape)?);
        ctx.set_output(0, indices);
        ctx.set_output(1, values);
        ctx.set_output(2, shape);
        Ok(())
    })
}

/// Writes the gradients of the rows of `output`, each at its row of `input` before `start` was subtracted.
fn put_back<E: Movable>(
    grad: &Tensor,
    rank: usize,
    [input, start, output]: [&[i64]; 3],
    out: &mut Tensor,
) -> Result<()> {
    // Both go through the elements in one order.
    let mut next = output.chunks_exact(rank).zip(E::view(grad)?).peekable();
    for (to, row) in E::view_mut(out)?.iter_mut().zip(input.chunks_exact(rank)) {
        let is_here = |(at, _): &(&[i64], &E)| {
            at.iter().zip(start).zip(row).all(|((at, start), &row)| at.saturating_add(*start) == row)
        };
        if let Some((_, value)) = next.next_if(is_here) {
            *to = value.clone();
        }
    }
    let left = next.count();
    let all = output.len() / rank;
    ensure!(
        left == 0,
        Internal,
        "Elements of backprop_val_grad aren't all propagated. Num elements:{all}, used: {}",
        all - left
    );
    Ok(())
}

/// Builds the kernel of the gradient: each element of the input gets the gradient of its element of the output, others
/// zero.
fn gradient(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let (grad, input, start, output) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
        for (name, t) in [("input_indices", input), ("output_indices", output)] {
            ensure!(t.rank() == 2, InvalidArgument, "{name} should be a matrix but received shape {}", t.shape());
        }
        ensure!(
            grad.rank() == 1 && start.rank() == 1,
            InvalidArgument,
            "Input backprop_val_grad and input_start should be vectors but received shapes {} and {}",
            grad.shape(),
            start.shape()
        );
        let rank = input.shape()[1];
        ensure!(
            output.shape()[1] == rank && start.elements() == rank,
            InvalidArgument,
            "The input and output should have the same ndims: got: {rank} and {}",
            output.shape()[1]
        );
        ensure!(
            output.shape()[0] <= input.shape()[0],
            InvalidArgument,
            "# rows of output_indices should be not greater than of input_indices, got {} and {}",
            output.shape()[0],
            input.shape()[0]
        );
        ensure!(
            grad.elements() == output.shape()[0],
            InvalidArgument,
            "# elements of backprop_val_grad and # rows of output_indices should match (#nnz of sum): got {} and {}",
            grad.elements(),
            output.shape()[0]
        );
        let (input, output, start) = (input.slice::<i64>()?, output.slice::<i64>()?, start.slice::<i64>()?);
        let mut out = Tensor::zeros(grad.dtype(), [ctx.input(1)?.shape()[0]])?;
        by_size!(grad.dtype(), E, put_back::<E>(grad, rank.max(1), [input, start, output], &mut out))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseSlice")
            .input("indices: int64")
            .input("values: T")
            .input("shape: int64")
            .input("start: int64")
            .input("size: int64")
            .output("output_indices: int64")
            .output("output_values: T")
            .output("output_shape: int64")
            .attr("T: type")
            .doc("Returns the elements of the box of `size` at `start`, cut at the tensor's bounds.")
            .shape(shape)
            .kernel(slice),
    );
    r.add(
        Op::new("SparseSliceGrad")
            .input("backprop_val_grad: T")
            .input("input_indices: int64")
            .input("input_start: int64")
            .input("output_indices: int64")
            .output("val_grad: T")
            .attr("T: numbertype")
            .doc("Returns the gradient of SparseSlice's values.")
            .shape(gradient_shape)
            .kernel(gradient),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Result, Tensor};

    fn vector(v: &[i64]) -> Tensor {
        Tensor::from_slice([v.len()], v).unwrap()
    }

    fn input() -> Tensor {
        Tensor::from_slice([4, 2], &[0i64, 0, 0, 2, 1, 1, 2, 2]).unwrap()
    }

    fn slice(start: &[i64], size: &[i64]) -> Result<Vec<Tensor>> {
        let values = Tensor::from_slice([4], &[1.0f32, 2.0, 3.0, 4.0])?;
        run("SparseSlice", &[input(), values, vector(&[3, 3]), vector(start), vector(size)], &[])
    }

    #[test]
    fn the_box_is_cut_at_the_bounds() {
        let out = slice(&[0, 1], &[2, 9]).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [0, 1, 1, 0]);
        assert_eq!(out[1].slice::<f32>().unwrap(), [2.0, 3.0]);
        assert_eq!(out[2].slice::<i64>().unwrap(), [2, 2]);
        let none = slice(&[5, 0], &[i64::MAX, 1]).unwrap();
        assert_eq!((none[1].elements(), none[2].slice::<i64>().unwrap()), (0, &[0, 1][..]));
        assert!(slice(&[0], &[1]).is_err() && slice(&[-1, 0], &[1, 1]).is_err());
    }

    #[test]
    fn the_gradient_goes_to_the_elements_of_the_box() {
        let out = slice(&[0, 1], &[2, 2]).unwrap();
        let grad = Tensor::from_slice([2], &[5.0f32, 7.0]).unwrap();
        let back = run("SparseSliceGrad", &[grad, input(), vector(&[0, 1]), out[0].clone()], &[]).unwrap();
        assert_eq!(back[0].slice::<f32>().unwrap(), [0.0, 5.0, 7.0, 0.0]);
    }
}
