//! LowerBound, UpperBound: where values belong among the sorted elements of their row.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{Result, Scalar, Tensor, dispatch, ensure};
use num_traits::AsPrimitive;
use std::cmp::Ordering;

/// Searches of one parallel block.
const BLOCK: usize = 1 << 10;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (sorted, values) = (c.input(0)?.with_rank(2)?, c.input(1)?.with_rank(2)?);
    if let (Some(a), Some(b)) = (sorted.dim(0), values.dim(0)) {
        ensure!(a == b, InvalidArgument, "Dimension 0 in both shapes must be equal, but are {a} and {b}");
    }
    c.set_output(0, values);
    Ok(())
}

fn search<T: Scalar + PartialOrd>(sorted: &[T], value: T, upper: bool) -> usize {
    // A NaN, which does not compare, is neither a greater element nor a smaller one.
    let is = |x: &T, order| x.partial_cmp(&value) == Some(order);
    if upper {
        sorted.partition_point(|x| !is(x, Ordering::Greater))
    } else {
        sorted.partition_point(|x| is(x, Ordering::Less))
    }
}

fn bound(init: &KernelInit<'_>, upper: bool) -> Result<Box<dyn Kernel>> {
    let out_type = init.output_type(0)?;
    dispatch!(init.input_type(0)?, T in real, dispatch!(out_type, U in [I32, I64], kernel(move |ctx| {
        let (sorted, values) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(
            sorted.rank() == 2 && values.rank() == 2 && sorted.shape()[0] == values.shape()[0],
            InvalidArgument,
            "Leading dim_size of both tensors must match: {} and {}",
            sorted.shape(),
            values.shape()
        );
        let (n, m) = (sorted.shape()[1], values.shape()[1]);
        ensure!(i32::try_from(n).is_ok(), InvalidArgument, "values tensor size must less than INT_MAX");
        let mut out = Tensor::new(out_type, values.shape().clone())?;
        let (table, values) = (sorted.slice::<T>()?, values.slice::<T>()?);
        try_for_chunks_mut(ctx.threads(), out.slice_mut::<U>()?, BLOCK, |start, chunk| {
            for (k, to) in chunk.iter_mut().enumerate() {
                let row = (start + k) / m;
                let found = search(&table[row * n..(row + 1) * n], values[start + k], upper);
                *to = AsPrimitive::<U>::as_(found);
            }
        })?;
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported())), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("sorted_inputs: T").input("values: T").output("output: out_type");
        op.attr("T: type").attr("out_type: {int32, int64} = DT_INT32").shape(shape)
    };
    r.add(
        op("LowerBound")
            .doc("Returns, for each value, the index of the first element of its sorted row that is not less than it.")
            .kernel(|init| bound(init, false)),
    );
    r.add(
        op("UpperBound")
            .doc("Returns, for each value, the index of the first element of its sorted row that is greater than it.")
            .kernel(|init| bound(init, true)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn equals_are_between_the_bounds() {
        let sorted = Tensor::from_slice([2, 4], &[0f32, 3., 9., 9., 1., 2., 3., 4.]).unwrap();
        let values = Tensor::from_slice([2, 3], &[9f32, -1., 20., 2., 2.5, f32::NAN]).unwrap();
        let lower = run("LowerBound", &[sorted.clone(), values.clone()], &[]).unwrap();
        assert_eq!(lower[0].slice::<i32>().unwrap(), [2, 0, 4, 1, 2, 0]);
        let wide = [("out_type", AttrValue::Type(DType::I64))];
        let upper = run("UpperBound", &[sorted, values], &wide).unwrap();
        assert_eq!(upper[0].slice::<i64>().unwrap(), [4, 0, 4, 2, 2, 4]);
    }

    #[test]
    fn rows_must_match_and_may_be_empty() {
        let pair = |a: [usize; 2], b: [usize; 2]| {
            let zeros = |s: [usize; 2]| Tensor::zeros(DType::I32, s).unwrap();
            run("LowerBound", &[zeros(a), zeros(b)], &[])
        };
        assert!(pair([2, 3], [3, 3]).is_err());
        assert_eq!(pair([2, 0], [2, 3]).unwrap()[0].slice::<i32>().unwrap(), [0; 6]);
        assert_eq!(pair([0, 3], [0, 3]).unwrap()[0].elements(), 0);
    }
}
