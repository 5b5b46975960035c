//! Bincount: how often each small integer occurs, or the sums of their weights.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::{Binary, CastTo, Element, Operand, binary_in_place_left};
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    let size = c.input_i64(1)?;
    if let Some(n) = size {
        ensure!(n >= 0, InvalidArgument, "size ({n}) must be non-negative");
    }
    c.set_output(0, PartialShape::vector(size.and_then(|n| usize::try_from(n).ok())));
    Ok(())
}

fn bincount<T: Scalar + Element>(ctx: &mut KernelContext<'_>) -> Result<()>
where
    bool: CastTo<T>,
{
    let (values, size, weights) = (ctx.input(0)?, ctx.input(1)?.to_scalar::<i32>()?, ctx.input(2)?);
    ensure!(size >= 0, InvalidArgument, "size ({size}) must be non-negative");
    let values = values.slice::<i32>()?;
    let weights = weights.slice::<T>()?;
    ensure!(values.iter().all(|v| *v >= 0), InvalidArgument, "Input arr must be non-negative!");
    ensure!(
        weights.is_empty() || weights.len() == values.len(),
        InvalidArgument,
        "weights has {} elements, arr has {}",
        weights.len(),
        values.len()
    );
    let mut out = Tensor::zeros(T::DTYPE, Shape::new(&[size as usize]))?;
    let bins = out.slice_mut::<T>()?;
    let one = [CastTo::<T>::cast_to(true)];
    for (i, v) in values.iter().enumerate() {
        if let Some(bin) = bins.get_mut(*v as usize) {
            let weight = weights.get(i).map_or(&one[..], std::slice::from_ref);
            binary_in_place_left(Binary::Add, std::slice::from_mut(bin), Operand::Slice(weight));
        }
    }
    ctx.set_output(0, out);
    Ok(())
}

fn bincount_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in [I32, I64, F32, F64], kernel(bincount::<T>), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Bincount")
            .input("arr: int32")
            .input("size: int32")
            .input("weights: T")
            .output("bins: T")
            .attr("T: {int32, int64, float, double}")
            .doc(
                "Returns how often each integer below size occurs, each counted by its weight where weights are given.",
            )
            .shape(shape)
            .kernel(bincount_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn numbers_are_counted_or_weighed_and_large_ones_left_out() {
        let values = Tensor::from_slice([2, 3], &[1, 0, 1, 5, 2, 1]).unwrap();
        let none = Tensor::new(DType::I64, [0]).unwrap();
        let out = run("Bincount", &[values.clone(), Tensor::scalar(4i32), none], &[]).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [1, 3, 1, 0]);
        let weights = Tensor::from_slice([2, 3], &[0.5f32, 1.0, 2.0, 4.0, 8.0, 16.0]).unwrap();
        let out = run("Bincount", &[values, Tensor::scalar(3i32), weights], &[]).unwrap();
        assert_eq!(out[0].slice::<f32>().unwrap(), [1.0, 18.5, 8.0]);
    }

    #[test]
    fn negative_numbers_and_sizes_are_refused() {
        let weights = Tensor::new(DType::F32, [0]).unwrap();
        let values = |v: i32| Tensor::from_slice([1], &[v]).unwrap();
        assert!(run("Bincount", &[values(-1), Tensor::scalar(3i32), weights.clone()], &[]).is_err());
        assert!(run("Bincount", &[values(1), Tensor::scalar(-3i32), weights], &[]).is_err());
    }
}
