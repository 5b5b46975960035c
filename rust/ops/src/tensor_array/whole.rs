//! TensorArrayGather, Scatter, Concat and Split, of all generations, and Pack and Unpack: many elements as one tensor.

use super::form::Form;
use super::making::{element_shape, flow};
use super::state::TensorArray;
use crate::array::rows::{cut, join, rows};
use crate::room::room;
use ferroflow_graph::{
    ElementsPart, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules,
};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// Returns a vector input of indices.
fn indices(t: &Tensor) -> Result<Vec<i64>> {
    ensure!(t.rank() == 1, InvalidArgument, "Expected indices to be a vector, but received shape: {}", t.shape());
    t.to_i64s()
}

/// Returns the indices of so many elements from the first one on.
fn all(count: usize) -> Result<Vec<i64>> {
    let mut indices = room(count, "indices")?;
    indices.extend(0..count as i64);
    Ok(indices)
}

fn gather_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let count = c.input(1)?.dim(0);
    let element = c.shape("element_shape")?.merge(&element_shape(c)?)?;
    c.set_output(0, PartialShape::vector(count).concatenate(&element));
    Ok(())
}

fn scatter_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let rows = c.input(1)?.with_rank(1)?;
    let value = c.input(2)?.with_rank_at_least(1)?;
    if let Some([count, element @ ..]) = value.dims().as_deref() {
        rows.merge(&PartialShape::vector(*count))?;
        element_shape(c)?.merge(&PartialShape::from_dims(element))?;
    }
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

/// The elements that an op reads or writes.
#[derive(Clone, Copy)]
enum Which {
    /// The elements whose indices are input 1.
    Given,
    All,
}

fn gather(ctx: &KernelContext<'_>, which: Which, dtype: DType, given: &PartialShape) -> Result<Tensor> {
    let array = TensorArray::of(ctx)?;
    array.check_dtype(dtype, "requested")?;
    let which = match which {
        Which::Given => indices(ctx.input(1)?)?,
        Which::All => all(array.joined()?)?,
    };
    // TF 1.x: it stays, for elements without a value and for later writes.
    let element_shape = array.merge_element_shape(given)?;
    if which.is_empty() {
        let Some(shape) = element_shape.to_shape() else {
            bail!(
                Unimplemented,
                "TensorArray has size zero, but element shape {element_shape} is not fully defined. Currently only static \
                 shapes are supported when packing zero-size TensorArrays."
            );
        };
        return Tensor::zeros(dtype, [0].into_iter().chain(shape.iter().copied()).collect::<Shape>());
    }
    let values = which.iter().map(|&i| array.read(i)).collect::<Result<Vec<_>>>()?;
    let first = values[0].shape().clone();
    ensure!(
        element_shape.is_compatible_with(&PartialShape::from(&first)),
        InvalidArgument,
        "TensorArray was passed element_shape {element_shape} which does not match the Tensor at index 0: {first}"
    );
    let mut dims = first.to_i64();
    dims.insert(0, values.len() as i64);
    let shape = Shape::checked(&dims)?;
    // TF 1.x: the others may have any shape if the first one is empty.
    if first.elements() == 0 {
        return Tensor::zeros(dtype, shape);
    }
    for (i, v) in values.iter().enumerate() {
        ensure!(
            *v.shape() == first,
            InvalidArgument,
            "TensorArray has inconsistent shapes.  Index 0 has shape: {first} but index {i} has shape: {}",
            v.shape()
        );
    }
    join(ctx.threads(), &values, 1, shape)
}

fn scatter(ctx: &KernelContext<'_>, extent: Which) -> Result<()> {
    let array = TensorArray::of(ctx)?;
    let (value, given) = match extent {
        Which::Given => (ctx.input(2)?, Some(indices(ctx.input(1)?)?)),
        Which::All => (ctx.input(1)?, None),
    };
    array.check_dtype(value.dtype(), "is trying to write")?;
    let shape = value.shape();
    ensure!(
        shape.rank() >= 1,
        InvalidArgument,
        "Input value for unpack must be at least a vector but received shape: {shape}"
    );
    let which = match given {
        Some(indices) => indices,
        None => all(shape[0])?,
    };
    ensure!(
        which.len() == shape[0],
        InvalidArgument,
        "Expected len(indices) == values.shape[0], but saw: {} vs. {}",
        which.len(),
        shape[0]
    );
    if let Some(&last) = which.iter().max() {
        array.reserve(usize::try_from(last).unwrap_or(0).saturating_add(1))?;
    }
    if let Which::All = extent {
        let size = array.size()?;
        ensure!(
            size == shape[0],
            InvalidArgument,
            "Input value must have first dimension equal to the array size ({} vs. {size})",
            shape[0]
        );
    }
    let parts = rows(ctx.threads(), value)?;
    for (&i, part) in which.iter().zip(parts) {
        array.write(i, part, ctx.threads())?;
    }
    Ok(())
}

fn concat_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let rest = c.shape("element_shape_except0")?;
    c.set_output(0, PartialShape::vector(None).concatenate(&rest));
    c.set_output(1, PartialShape::vector(None));
    Ok(())
}

fn concat(ctx: &KernelContext<'_>, dtype: DType, rest: &PartialShape) -> Result<(Tensor, Tensor)> {
    let array = TensorArray::of(ctx)?;
    array.check_dtype(dtype, "requested")?;
    let size = array.joined()?;
    if size == 0 {
        let Some(shape) = rest.to_shape() else {
            bail!(
                Unimplemented,
                "TensorArray has size zero, but element_shape_except0 {rest} is not fully defined. Currently only static \
                 shapes are supported when concatenating zero-size TensorArrays."
            );
        };
        let empty = Tensor::zeros(dtype, [0].into_iter().chain(shape.iter().copied()).collect::<Shape>())?;
        return Ok((empty, Tensor::new(DType::I64, [0])?));
    }
    let values = (0..size as i64).map(|i| array.read(i)).collect::<Result<Vec<_>>>()?;
    let mut lengths = Vec::with_capacity(size);
    for (i, v) in values.iter().enumerate() {
        ensure!(
            v.rank() >= 1,
            InvalidArgument,
            "Concat saw a scalar shape at index {i} but requires at least vectors.  Did you mean to call pack?"
        );
        let (own, first) = (&v.shape()[1..], &values[0].shape()[1..]);
        ensure!(
            own == first,
            InvalidArgument,
            "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: {} but index {i} has \
             (excepting dimension 0) shape: {}",
            Shape::new(first),
            Shape::new(own)
        );
        lengths.push(v.shape()[0] as i64);
    }
    let tail = Shape::new(&values[0].shape()[1..]);
    ensure!(
        rest.is_compatible_with(&PartialShape::from(&tail)),
        InvalidArgument,
        "TensorArray was passed element_shape_except0 {rest} but index 0 has (excepting dimension 0) shape: {tail} which \
         does not match."
    );
    let mut dims = tail.to_i64();
    dims.insert(0, lengths.iter().sum());
    Ok((join(ctx.threads(), &values, 1, Shape::checked(&dims)?)?, Tensor::from_slice([size], &lengths)?))
}

fn split(ctx: &KernelContext<'_>) -> Result<()> {
    let array = TensorArray::of(ctx)?;
    let value = ctx.input(1)?;
    array.check_dtype(value.dtype(), "is trying to write")?;
    let lengths = ctx.input(2)?;
    ensure!(
        lengths.rank() == 1,
        InvalidArgument,
        "Expected lengths to be a vector, received shape: {}",
        lengths.shape()
    );
    let shape = value.shape();
    ensure!(shape.rank() >= 1, InvalidArgument, "Expected value to be at least a vector, but received shape: {shape}");
    let lengths = lengths.to_i64s()?;
    let mut total = 0i64;
    let mut shapes = Vec::with_capacity(lengths.len());
    for &n in &lengths {
        ensure!(n >= 0, InvalidArgument, "Expected lengths to be non-negative, got {n}");
        total = total.saturating_add(n);
        shapes.push([n as usize].into_iter().chain(shape[1..].iter().copied()).collect::<Shape>());
    }
    ensure!(
        total == shape[0] as i64,
        InvalidArgument,
        "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {total} and value's shape is: {shape}"
    );
    array.reserve(lengths.len())?;
    let size = array.size()?;
    ensure!(
        size == lengths.len(),
        InvalidArgument,
        "TensorArray's size is not equal to the size of lengths ({size} vs. {}), and the TensorArray is not marked as \
         dynamically resizeable",
        lengths.len()
    );
    array.mark_parts()?;
    for (i, part) in cut(ctx.threads(), value, 1, &shapes)?.into_iter().enumerate() {
        array.write(i as i64, part, ctx.threads())?;
    }
    Ok(())
}

/// Sets the shape of a joined tensor, which is not known, and that of the vector of lengths.
fn lengths_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(1, PartialShape::vector(None));
    Ok(())
}

fn gather_kernel(init: &KernelInit<'_>, which: Which) -> Result<Box<dyn Kernel>> {
    let (dtype, element_shape) = (init.dtype("dtype")?, init.shape("element_shape")?);
    kernel(move |ctx| {
        let value = gather(ctx, which, dtype, &element_shape)?;
        ctx.set_output(0, value);
        Ok(())
    })
}

fn scatter_kernel(which: Which) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        scatter(ctx, which)?;
        ctx.set_output(0, flow());
        Ok(())
    })
}

/// Adds the attributes and output of an op that reads stacked elements.
fn stacked(op: Op) -> Op {
    op.input("flow_in: float")
        .output("value: dtype")
        .attr("dtype: type")
        .attr("element_shape: shape = { unknown_rank: true }")
}

/// Adds the flow and the type of an op that writes elements.
fn writing(op: Op) -> Op {
    op.input("flow_in: float").output("flow_out: float").attr("T: type").shape(shape_rules::scalar)
}

pub(super) fn register(r: &mut Registry) {
    for form in Form::ALL {
        r.add(
            stacked(form.on_array("TensorArrayGather", ElementsPart::ReadRows).input("indices: int32"))
                .doc("Reads elements of an array, stacked.")
                .shape(form.shape(gather_shape, shape_rules::unknown))
                .kernel(|init| gather_kernel(init, Which::Given)),
        );
        r.add(
            writing(
                form.on_array("TensorArrayScatter", ElementsPart::WriteRows).input("indices: int32").input("value: T"),
            )
            .doc("Writes the parts of a tensor along its first dimension to elements of an array.")
            .shape(form.shape(scatter_shape, shape_rules::scalar))
            .kernel(|_| scatter_kernel(Which::Given)),
        );
        r.add(
            form.on_array("TensorArrayConcat", ElementsPart::Inspect)
                .input("flow_in: float")
                .output("value: dtype")
                .output("lengths: int64")
                .attr("dtype: type")
                .attr("element_shape_except0: shape = { unknown_rank: true }")
                .doc("Reads all elements of an array, joined along their first dimension, and their lengths there.")
                .shape(form.shape(concat_shape, lengths_shape))
                .kernel(|init| {
                    let (dtype, rest) = (init.dtype("dtype")?, init.shape("element_shape_except0")?);
                    kernel(move |ctx| {
                        let (value, lengths) = concat(ctx, dtype, &rest)?;
                        ctx.set_output(0, value);
                        ctx.set_output(1, lengths);
                        Ok(())
                    })
                }),
        );
        r.add(
            writing(
                form.on_array("TensorArraySplit", ElementsPart::WriteParts).input("value: T").input("lengths: int64"),
            )
            .doc(
                "Writes parts of a tensor, of the given lengths along its first dimension, to the elements of an \
                     array.",
            )
            .kernel(|_| {
                kernel(|ctx| {
                    split(ctx)?;
                    ctx.set_output(0, flow());
                    Ok(())
                })
            }),
        );
    }
    // Of the first generation only.
    r.add(
        stacked(Form::First.on_array("TensorArrayPack", ElementsPart::Inspect))
            .doc("Reads all elements of an array, stacked.")
            .shape(shape_rules::unknown)
            .kernel(|init| gather_kernel(init, Which::All)),
    );
    r.add(
        writing(Form::First.on_array("TensorArrayUnpack", ElementsPart::WriteRows).input("value: T"))
            .doc("Writes the parts of a tensor along its first dimension to the elements of an array.")
            .kernel(|_| scatter_kernel(Which::All)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    const FLOAT: (&str, AttrValue) = ("dtype", AttrValue::Type(DType::F32));

    fn array(size: i32) -> Tensor {
        run("TensorArrayV3", &[Tensor::scalar(size)], &[FLOAT]).unwrap().remove(0)
    }

    fn flow() -> Tensor {
        Tensor::scalar(0.0f32)
    }

    #[test]
    fn what_is_scattered_is_gathered() {
        let a = array(3);
        let x = Tensor::from_slice([2, 2], &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
        let at = Tensor::from_slice([2], &[2i32, 0]).unwrap();
        run("TensorArrayScatterV3", &[a.clone(), at.clone(), x.clone(), flow()], &[]).unwrap();
        assert_eq!(run("TensorArrayGatherV3", &[a, at, flow()], &[FLOAT]).unwrap()[0], x);
    }

    #[test]
    fn what_is_split_is_joined_again() {
        let x = Tensor::from_slice([3, 1], &[1.0f32, 2.0, 3.0]).unwrap();
        let lengths = Tensor::from_slice([3], &[2i64, 0, 1]).unwrap();
        let a = array(3);
        run("TensorArraySplitV3", &[a.clone(), x.clone(), lengths.clone(), flow()], &[]).unwrap();
        let out = run("TensorArrayConcatV3", &[a, flow()], &[FLOAT]).unwrap();
        assert_eq!(out, [x.clone(), lengths]);
        let wrong = Tensor::from_slice([1], &[4i64]).unwrap();
        assert!(run("TensorArraySplitV3", &[array(1), x, wrong, flow()], &[]).is_err());
    }
}
