//! Empty, DeepCopy, InplaceUpdate, InplaceAdd, InplaceSub: tensors whose rows are written one by one.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::vector::{Binary, Element, Operand, binary_in_place_left};
use ferroflow_tensor::{Result, Scalar, Shape, Tensor, by_size, dispatch, ensure};

/// Returns the rows to write and the length of a row; rows count modulo their number.
fn rows(ctx: &KernelContext<'_>) -> Result<(Vec<usize>, usize)> {
    let (x, i, v) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    ensure!(i.rank() == 1, InvalidArgument, "i must be a vector. {}", i.shape());
    ensure!(
        x.rank() == v.rank() && x.rank() > 0,
        InvalidArgument,
        "x and v shape doesn't match (ranks differ): {} vs. {}",
        x.shape(),
        v.shape()
    );
    for d in 1..x.rank() {
        ensure!(
            x.shape()[d] == v.shape()[d],
            InvalidArgument,
            "x and v shape doesn't match at index {d} : {} vs. {}",
            x.shape(),
            v.shape()
        );
    }
    ensure!(
        i.elements() == v.shape()[0],
        InvalidArgument,
        "i and x shape doesn't match at index 0: {} vs. {}",
        i.shape(),
        v.shape()
    );
    let count = x.shape()[0] as i64;
    ensure!(count > 0 || i.elements() == 0, InvalidArgument, "x has no rows to write, its shape is {}", x.shape());
    let rows = i.to_i64s()?.into_iter().map(|i| i.rem_euclid(count.max(1)) as usize).collect();
    Ok((rows, x.shape()[1..].iter().product()))
}

fn update(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let (rows, length) = rows(ctx)?;
        let mut x = ctx.take_unique(0)?;
        let v = ctx.input(2)?;
        by_size!(x.dtype(), E, {
            let (from, to) = (E::view(v)?, E::view_mut(&mut x)?);
            for (k, row) in rows.into_iter().enumerate() {
                to[row * length..(row + 1) * length].clone_from_slice(&from[k * length..(k + 1) * length]);
            }
            Ok(())
        })?;
        ctx.set_output(0, x);
        Ok(())
    })
}

fn combine<T: Scalar + Element>(ctx: &mut KernelContext<'_>, f: Binary) -> Result<()> {
    let (rows, length) = rows(ctx)?;
    let mut x = ctx.take_unique(0)?;
    let v = ctx.input(2)?;
    let (from, to) = (v.slice::<T>()?, x.slice_mut::<T>()?);
    for (k, row) in rows.into_iter().enumerate() {
        let part = Operand::Slice(&from[k * length..(k + 1) * length]);
        binary_in_place_left(f, &mut to[row * length..(row + 1) * length], part);
    }
    ctx.set_output(0, x);
    Ok(())
}

fn combined(init: &KernelInit<'_>, f: Binary) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in number, kernel(move |ctx| combine::<T>(ctx, f)), else Err(init.unsupported()))
}

fn empty(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("dtype")?;
    kernel(move |ctx| {
        let shape = ctx.input(0)?;
        ensure!(shape.rank() == 1, InvalidArgument, "shape must be a vector of int32, got shape {}", shape.shape());
        // Zeros also without `init`: a result never depends on what memory held before.
        let out = Tensor::zeros(dtype, Shape::checked(&shape.to_i64s()?)?)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("x: T").input("i: int32").input("v: T").output("y: T").attr("T: type");
        op.shape(shape_rules::unchanged)
    };
    r.add(op("InplaceUpdate").doc("Returns x with the rows i replaced by those of v.").kernel(update));
    r.add(
        op("InplaceAdd")
            .doc("Returns x with the rows of v added to its rows i.")
            .kernel(|init| combined(init, Binary::Add)),
    );
    r.add(
        op("InplaceSub")
            .doc("Returns x with the rows of v subtracted from its rows i.")
            .kernel(|init| combined(init, Binary::Sub)),
    );
    r.add(
        Op::new("Empty")
            .input("shape: int32")
            .output("output: dtype")
            .attr("dtype: type")
            .attr("init: bool = false")
            .memoryless()
            .doc("Returns a tensor of zeros.")
            .shape(shape_rules::from_shape_input)
            .kernel(empty),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn rows_are_written_in_order() {
        let x = Tensor::from_slice([3, 2], &[1f32, 2., 3., 4., 5., 6.]).unwrap();
        let i = Tensor::from_slice([2], &[-1i32, 5]).unwrap();
        let v = Tensor::from_slice([2, 2], &[10f32, 20., 30., 40.]).unwrap();
        let of = |op: &str| run(op, &[x.clone(), i.clone(), v.clone()], &[]).unwrap().remove(0);
        assert_eq!(of("InplaceUpdate").slice::<f32>().unwrap(), [1., 2., 3., 4., 30., 40.]);
        assert_eq!(of("InplaceAdd").slice::<f32>().unwrap(), [1., 2., 3., 4., 45., 66.]);
        assert_eq!(of("InplaceSub").slice::<f32>().unwrap(), [1., 2., 3., 4., -35., -54.]);
        assert_eq!(x.slice::<f32>().unwrap(), [1., 2., 3., 4., 5., 6.]);
        assert!(run("InplaceAdd", &[x.clone(), Tensor::scalar(0i32), v.clone()], &[]).is_err());
        assert!(run("InplaceAdd", &[x, i, Tensor::from_slice([1, 2], &[1f32, 1.]).unwrap()], &[]).is_err());
    }
}
