//! UnravelIndex: the coordinates of elements that are counted in row-major order.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, dispatch, ensure};
use num_traits::AsPrimitive;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (indices, dims) = (c.input(0)?.with_rank_at_most(1)?, c.input(1)?.with_rank(1)?);
    let out = match indices.dims() {
        None => return Ok(()),
        Some(n) if n.is_empty() => dims,
        Some(n) => PartialShape::from_dims(&[dims.dim(0), n[0]]),
    };
    c.set_output(0, out);
    Ok(())
}

fn unravel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [I32, I64], kernel(move |ctx| {
        let (indices, dims) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(indices.rank() <= 1, InvalidArgument, "The indices can only be scalar or vector.");
        ensure!(dims.rank() == 1, InvalidArgument, "The indices can only be 1-D.");
        let sizes = dims.to_i64s()?;
        let mut total = 1i64;
        for &d in &sizes {
            ensure!(d != 0, InvalidArgument, "Input dims cannot contain a dim of zero, but dims contains zero");
            ensure!(d > 0, InvalidArgument, "Input dims must not be negative, but one is {d}");
            total = match total.checked_mul(d) {
                Some(n) => n,
                None => bail!(InvalidArgument, "Input dims product is causing integer overflow"),
            };
        }
        let n = indices.elements();
        let shape = if indices.rank() == 0 { vec![sizes.len()] } else { vec![sizes.len(), n] };
        let mut out = Tensor::new(dtype, shape.as_slice())?;
        let to = out.slice_mut::<T>()?;
        for (k, mut index) in indices.to_i64s()?.into_iter().enumerate() {
            ensure!((0..total).contains(&index), InvalidArgument, "index is out of bound as with dims");
            for (d, &size) in sizes.iter().enumerate().rev() {
                to[d * n + k] = (index % size).as_();
                index /= size;
            }
        }
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("UnravelIndex")
            .input("indices: Tidx")
            .input("dims: Tidx")
            .output("output: Tidx")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .doc(
                "Returns the coordinates, in an array of the sizes `dims`, of the elements of these numbers in \
                 row-major order.",
            )
            .shape(shape)
            .kernel(unravel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Result, Tensor};

    fn unravel(indices: Tensor, dims: &[i32]) -> Result<Tensor> {
        Ok(run("UnravelIndex", &[indices, Tensor::from_slice([dims.len()], dims).unwrap()], &[])?[0].clone())
    }

    #[test]
    fn coordinates_are_those_of_the_row_major_order() {
        let y = unravel(Tensor::from_slice([3], &[2i32, 5, 7]).unwrap(), &[3, 3]).unwrap();
        assert_eq!(y, Tensor::from_slice([2, 3], &[0i32, 1, 2, 2, 2, 1]).unwrap());
        let y = unravel(Tensor::scalar(1621i32), &[6, 7, 8, 9]).unwrap();
        assert_eq!(y.slice::<i32>().unwrap(), [3, 1, 4, 1]);
    }

    #[test]
    fn what_is_outside_is_refused() {
        for (index, dims) in [(9, &[3, 3][..]), (-1, &[3, 3]), (0, &[0, 3]), (0, &[-1]), (0, &[i32::MAX; 3])] {
            assert!(unravel(Tensor::scalar(index), dims).is_err());
        }
    }
}
