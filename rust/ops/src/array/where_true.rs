//! The op Where: the indices of the elements that are true, or not zero.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Movable, PartialShape, Result, Tensor, by_size, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let rank = c.input(0)?.rank();
    c.set_output(0, PartialShape::from_dims(&[None, rank]));
    Ok(())
}

/// Returns the row-major numbers of the elements that are not zero; -0.0 is zero, NaN is not.
fn places(x: &Tensor) -> Result<Vec<usize>> {
    fn of<T: Default + PartialEq>(x: &[T]) -> Vec<usize> {
        let zero = T::default();
        x.iter().enumerate().filter(|(_, v)| **v != zero).map(|(i, _)| i).collect()
    }
    dispatch!(x.dtype(), T in plain, Ok(of(x.slice::<T>()?)), else by_size!(x.dtype(), E, Ok(of(<E as Movable>::view(x)?))))
}

fn indices(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let x = ctx.input(0)?;
        ensure!(x.rank() >= 1, InvalidArgument, "WhereOp : Unhandled input dimensions: 0");
        let (places, strides, shape) = (places(x)?, x.shape().strides(), x.shape());
        let mut out = Tensor::new(ferroflow_tensor::DType::I64, [places.len(), shape.rank()])?;
        let rows = out.slice_mut::<i64>()?;
        for (row, place) in rows.chunks_exact_mut(shape.rank().max(1)).zip(places) {
            for (d, i) in row.iter_mut().enumerate() {
                *i = (place / strides[d] % shape[d]) as i64;
            }
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Where")
            .input("input: T")
            .output("index: int64")
            .attr("T: {numbertype, bool} = DT_BOOL")
            .doc("Returns the index of each element that is true or not zero, one row each, in row-major order.")
            .shape(shape)
            .kernel(indices),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn true_and_nonzero_elements_are_listed() {
        let x = Tensor::from_slice([2, 3], &[true, false, true, false, false, true]).unwrap();
        let y = &run("Where", &[x], &[]).unwrap()[0];
        assert_eq!((y.shape().dims(), y.slice::<i64>().unwrap()), (&[3, 2][..], &[0, 0, 0, 2, 1, 2][..]));
        let x = Tensor::from_slice([4], &[0f32, -0.0, f32::NAN, 1e-45]).unwrap();
        assert_eq!(run("Where", &[x], &[]).unwrap()[0].slice::<i64>().unwrap(), [2, 3]);
        let e = run("Where", &[Tensor::scalar(5u8)], &[]).unwrap_err();
        assert_eq!(e.message(), "WhereOp : Unhandled input dimensions: 0");
        let none = Tensor::zeros(DType::Complex64, [0, 3]).unwrap();
        assert_eq!(run("Where", &[none], &[]).unwrap()[0].shape().dims(), [0, 2]);
    }
}
