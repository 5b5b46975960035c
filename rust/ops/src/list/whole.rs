//! TensorListStack, FromTensor, Gather, Scatter, Concat, Split: the elements of a list as one tensor, and back.

use super::handles::{self, Reading, stated_element};
use super::value::{TensorList, stated_shape};
use crate::array::rows::{cut, join, rows};
use ferroflow_graph::{
    HandleSource, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules,
};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Status, Tensor, ensure};

/// Stacks the elements at some places of a list.
fn stacked(ctx: &KernelContext<'_>, list: &TensorList, places: &[usize], given: &PartialShape) -> Result<Tensor> {
    let values = list.elements_at(places, given)?;
    let element = match values.first() {
        Some(first) => first.shape().clone(),
        None => list.shape_of_zeros(given, [])?,
    };
    for (i, value) in values.iter().enumerate() {
        ensure!(
            *value.shape() == element,
            InvalidArgument,
            "Tried to stack elements of a list whose shapes differ: element 0 has shape {element}, element {i} {}",
            value.shape()
        );
    }
    ensure!(
        given.is_compatible_with(&PartialShape::from(&element)),
        InvalidArgument,
        "Elements of shape {element} are not of the shape {given} that the op states"
    );
    let dims: Vec<i64> = [values.len() as i64].into_iter().chain(element.to_i64()).collect();
    if values.is_empty() {
        return Tensor::zeros(list.dtype, Shape::checked(&dims)?);
    }
    join(ctx.threads(), &values, 1, Shape::checked(&dims)?)
}

fn stack(ctx: &mut KernelContext<'_>, dtype: DType, count: i64) -> Result<()> {
    let list = TensorList::of_type(ctx.input(0)?, dtype)?;
    let length = list.elements.len();
    ensure!(
        count == -1 || count == length as i64,
        InvalidArgument,
        "Operation expected a list with {count} elements but got a list with {length} elements."
    );
    let out = stacked(ctx, list, &(0..length).collect::<Vec<_>>(), &stated_shape(ctx.input(1)?)?)?;
    ctx.set_output(0, out);
    Ok(())
}

fn gather(ctx: &mut KernelContext<'_>, dtype: DType) -> Result<()> {
    let list = TensorList::of_type(ctx.input(0)?, dtype)?;
    let indices = ctx.input(1)?.slice::<i32>()?;
    let places = indices.iter().map(|&i| list.place(&Tensor::scalar(i))).collect::<Result<Vec<_>>>()?;
    let out = stacked(ctx, list, &places, &stated_shape(ctx.input(2)?)?)?;
    ctx.set_output(0, out);
    Ok(())
}

/// Returns the parts of input `i` along its first dimension, which must be elements of a shape.
fn parts(ctx: &KernelContext<'_>, i: usize, element_shape: &PartialShape) -> Result<Vec<Option<Tensor>>> {
    let value = ctx.input(i)?;
    ensure!(value.rank() >= 1, InvalidArgument, "Tensor must be at least a vector, but saw shape: {}", value.shape());
    let element = Shape::new(&value.shape()[1..]);
    ensure!(
        element_shape.is_compatible_with(&PartialShape::from(&element)),
        InvalidArgument,
        "Specified a list with shape {element_shape} from a tensor with shape {element}"
    );
    Ok(rows(ctx.threads(), value)?.into_iter().map(Some).collect())
}

fn from_tensor_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some(dims) = c.input(0)?.dims() {
        stated_element(c, 1)?.merge(&PartialShape::from_dims(dims.get(1..).unwrap_or_default()))?;
    }
    shape_rules::scalar(c)
}

fn from_tensor(ctx: &mut KernelContext<'_>, dtype: DType) -> Result<()> {
    let element_shape = stated_shape(ctx.input(1)?)?;
    let elements = parts(ctx, 0, &element_shape)?;
    ctx.set_output(0, TensorList { dtype, element_shape, elements }.into_tensor()?);
    Ok(())
}

/// Puts the parts of input `i` at the places that input `i + 1` lists; a list grows where it must.
fn scatter(ctx: &KernelContext<'_>, i: usize, list: &mut TensorList) -> Result<()> {
    let indices = ctx.input(i + 1)?.slice::<i32>()?.to_vec();
    let elements = parts(ctx, i, &list.element_shape)?;
    ensure!(
        indices.len() == elements.len(),
        InvalidArgument,
        "Specified {} indices for a tensor with {} rows",
        indices.len(),
        elements.len()
    );
    for (&index, element) in indices.iter().zip(elements) {
        ensure!(index >= 0, InvalidArgument, "Indices in TensorListScatter must all be non-negative.");
        if index as usize >= list.elements.len() {
            list.resize(&Tensor::scalar(index.saturating_add(1)))?;
        }
        list.elements[index as usize] = element;
    }
    Ok(())
}

fn scattered(ctx: &mut KernelContext<'_>, dtype: DType, has_count: bool) -> Result<()> {
    let none = Tensor::scalar(0i32);
    let count = if has_count { ctx.input(3)?.clone() } else { none.clone() };
    let count = if count.to_scalar::<i32>()? == -1 { none } else { count };
    let mut list = TensorList::reserved(dtype, stated_shape(ctx.input(2)?)?, &count)?;
    scatter(ctx, 0, &mut list)?;
    ctx.set_output(0, list.into_tensor()?);
    Ok(())
}

fn scattered_into_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    handles::element(c, Reading::Item)?;
    c.input(1)?.with_rank_at_least(1)?;
    shape_rules::scalar(c)
}

fn scattered_into(ctx: &mut KernelContext<'_>, dtype: DType) -> Result<()> {
    let mut list = TensorList::of_type(ctx.input(0)?, dtype)?.clone();
    scatter(ctx, 1, &mut list)?;
    ctx.set_output(0, list.into_tensor()?);
    Ok(())
}

/// The shapes that joined elements have, as far as the op and the list state them.
struct Joined {
    /// The first dimension of all elements.
    first: Option<usize>,
    rest: PartialShape,
}

impl Joined {
    fn new(element: &PartialShape) -> Result<Joined> {
        let Some(dims) = element.dims() else { return Ok(Joined { first: None, rest: PartialShape::unknown() }) };
        ensure!(!dims.is_empty(), InvalidArgument, "Concat requires elements to be at least vectors, found scalars");
        Ok(Joined { first: dims[0], rest: PartialShape::from_dims(&dims[1..]) })
    }

    /// Adds what the elements of a list have in common.
    fn add(&mut self, elements: &[Option<Tensor>]) -> Result<()> {
        let mut lengths = Vec::new();
        for (i, element) in elements.iter().enumerate() {
            let Some(element) = element else { continue };
            ensure!(
                element.rank() > 0,
                InvalidArgument,
                "Concat saw a scalar shape at index {i} but requires at least vectors."
            );
            self.rest = self.rest.merge(&PartialShape::from(&Shape::new(&element.shape()[1..])))?;
            let length = element.shape()[0];
            ensure!(
                self.first.is_none_or(|first| first == length),
                InvalidArgument,
                "First entry of element_shape input does not match the first dim of list element at index: {i} \
                 Expected: {} Actual: {length}",
                self.first.unwrap_or_default()
            );
            lengths.push(length);
        }
        if self.first.is_none() && lengths.windows(2).all(|pair| pair[0] == pair[1]) {
            self.first = lengths.first().copied();
        }
        Ok(())
    }
}

/// Returns a shape with an unknown first dimension: TensorListConcat does not compare it with the elements.
fn without_first(shape: &PartialShape) -> PartialShape {
    match shape.dims() {
        Some(mut dims) if !dims.is_empty() => {
            dims[0] = None;
            PartialShape::from_dims(&dims)
        }
        _ => shape.clone(),
    }
}

/// Joins the elements along their first dimension. The first dimensions of places without a value are `leading`.
fn concat(ctx: &mut KernelContext<'_>, dtype: DType, stated: &PartialShape, leading: &[i64]) -> Result<()> {
    let list = TensorList::of_type(ctx.input(0)?, dtype)?;
    let mut common = Joined::new(stated)?;
    if !list.element_shape.is_fully_known() {
        common.add(&list.elements)?;
    }
    let rest = common.rest.to_shape().ok_or_else(|| {
        Status::invalid_argument(format!(
            "All except the first dimension must be fully defined to concatenate a list of {} elements. \
             element_shape: {stated}",
            list.elements.len()
        ))
    })?;
    let dims_of = |length: i64| -> Vec<i64> { [length].into_iter().chain(rest.to_i64()).collect() };
    let mut values = Vec::with_capacity(list.elements.len());
    let mut lengths = Vec::with_capacity(list.elements.len());
    for (i, element) in list.elements.iter().enumerate() {
        let value = match element {
            Some(value) => value.clone(),
            None => {
                let length = leading.get(i).copied().or(common.first.map(|first| first as i64)).unwrap_or(-1);
                ensure!(
                    length >= 0,
                    InvalidArgument,
                    "List contains uninitialized tensor at index {i} but leading_dims has only {} elements.",
                    leading.len()
                );
                Tensor::zeros(dtype, Shape::checked(&dims_of(length))?)?
            }
        };
        ensure!(
            value.rank() >= 1 && value.shape()[1..] == rest[..],
            InvalidArgument,
            "Element {i} of a list to join has shape {}, and others have {rest} behind the first dimension",
            value.shape()
        );
        lengths.push(value.shape()[0] as i64);
        values.push(value);
    }
    let shape = Shape::checked(&dims_of(lengths.iter().sum()))?;
    let out = if values.is_empty() { Tensor::zeros(dtype, shape)? } else { join(ctx.threads(), &values, 1, shape)? };
    ctx.set_output(0, out);
    ctx.set_output(1, Tensor::from_slice([lengths.len()], &lengths)?);
    Ok(())
}

/// Returns the shape of a part of a tensor along its first dimension.
fn split_part(tensor: &PartialShape) -> PartialShape {
    match tensor.dims().as_deref() {
        Some([_, rest @ ..]) => PartialShape::vector(None).concatenate(&PartialShape::from_dims(rest)),
        _ => PartialShape::unknown(),
    }
}

fn split_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let part = split_part(&c.input(0)?.with_rank_at_least(1)?);
    stated_element(c, 1)?.merge(&part)?;
    c.input(2)?.with_rank(1)?;
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

fn split(ctx: &mut KernelContext<'_>, dtype: DType) -> Result<()> {
    let element_shape = stated_shape(ctx.input(1)?)?;
    let (value, lengths) = (ctx.input(0)?, ctx.input(2)?);
    ensure!(value.rank() >= 1, InvalidArgument, "Tensor must be at least a vector, but saw shape: {}", value.shape());
    ensure!(
        lengths.rank() == 1,
        InvalidArgument,
        "Expected lengths to be a vector, received shape: {}",
        lengths.shape()
    );
    ensure!(
        split_part(&PartialShape::from(value.shape())).is_compatible_with(&element_shape),
        InvalidArgument,
        "The parts of a tensor of shape {} are not compatible with the element shape {element_shape}",
        value.shape()
    );
    let lengths = lengths.to_i64s()?;
    let mut total = 0i64;
    let mut shapes = Vec::with_capacity(lengths.len());
    for &length in &lengths {
        ensure!(length >= 0, InvalidArgument, "Invalid value in lengths: {length}");
        total = total.saturating_add(length);
        shapes.push([length as usize].into_iter().chain(value.shape()[1..].iter().copied()).collect::<Shape>());
    }
    ensure!(
        total == value.shape()[0] as i64,
        InvalidArgument,
        "Unused values in tensor. Length of tensor: {} Values used: {total}",
        value.shape()[0]
    );
    let elements = cut(ctx.threads(), value, 1, &shapes)?.into_iter().map(Some).collect();
    ctx.set_output(0, TensorList { dtype, element_shape, elements }.into_tensor()?);
    Ok(())
}

/// Sets output 0 to `count` elements of the shape that input `i` states.
fn stacked_shape(c: &mut ShapeContext<'_>, count: Option<usize>, i: usize, reading: Reading) -> Result<()> {
    let element = handles::element(c, reading)?.merge(&stated_element(c, i)?)?;
    c.set_output(0, PartialShape::vector(count).concatenate(&element));
    Ok(())
}

/// Sets the shapes of joined elements and of their lengths; `element` is the shape of an element.
fn joined_shape(c: &mut ShapeContext<'_>, element: &PartialShape) -> Result<()> {
    let rest = element.dims().map(|dims| PartialShape::from_dims(dims.get(1..).unwrap_or_default()));
    let joined = rest.map_or_else(PartialShape::unknown, |rest| PartialShape::vector(None).concatenate(&rest));
    c.set_output(0, joined);
    c.set_output(1, PartialShape::vector(None));
    Ok(())
}

fn concat_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let element = c.shape("element_shape")?.merge(&handles::element(c, Reading::Whole)?)?;
    joined_shape(c, &element)
}

fn concat_v2_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let element = stated_element(c, 1)?.merge(&handles::element(c, Reading::Whole)?)?;
    joined_shape(c, &element)
}

/// Makes a kernel of lists whose elements have the type of the attribute `element_dtype`.
fn typed(
    init: &KernelInit<'_>,
    f: impl Fn(&mut KernelContext<'_>, DType) -> Result<()> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("element_dtype")?;
    kernel(move |ctx| f(ctx, dtype))
}

pub(super) fn register(r: &mut Registry) {
    let read = |name: &str| Op::new(name).input("input_handle: variant");
    let shaped = |op: Op| op.attr("element_dtype: type").attr("shape_type: {int32, int64}");
    r.add(
        read("TensorListStack")
            .input("element_shape: int32")
            .output("tensor: element_dtype")
            .attr("element_dtype: type")
            .attr("num_elements: int = -1")
            .doc("Stacks all elements.")
            .shape(|c| {
                let count = usize::try_from(c.int32("num_elements")?).ok();
                stacked_shape(c, count, 1, Reading::Whole)
            })
            .kernel(|init| {
                let count = init.int("num_elements")?;
                typed(init, move |ctx, dtype| stack(ctx, dtype, count))
            }),
    );
    r.add(
        read("TensorListGather")
            .input("indices: int32")
            .input("element_shape: int32")
            .output("values: element_dtype")
            .attr("element_dtype: type")
            .doc("Stacks the elements at some places.")
            .shape(|c| {
                let count = c.input(1)?.with_rank(1)?.dim(0);
                stacked_shape(c, count, 2, Reading::Item)
            })
            .kernel(|init| typed(init, gather)),
    );
    r.add(
        shaped(Op::new("TensorListFromTensor").input("tensor: element_dtype").input("element_shape: shape_type"))
            .output("output_handle: variant")
            .doc("Returns the list of a tensor's parts along its first dimension.")
            .handle_source(HandleSource::Node(handles::made::<1>))
            .shape(from_tensor_shape)
            .kernel(|init| typed(init, from_tensor)),
    );
    let scattering = |name: &str| {
        let op = Op::new(name).input("tensor: element_dtype").input("indices: int32");
        op.input("element_shape: shape_type")
            .output("output_handle: variant")
            .shape(shape_rules::scalar)
            .handle_source(HandleSource::Node(handles::made::<2>))
    };
    r.add(
        shaped(scattering("TensorListScatter"))
            .doc("Returns the list that has the parts of a tensor at some places.")
            .kernel(|init| typed(init, |ctx, dtype| scattered(ctx, dtype, false))),
    );
    r.add(
        shaped(scattering("TensorListScatterV2").input("num_elements: int32"))
            .doc("Returns the list of `num_elements` places that has the parts of a tensor at some of them.")
            .kernel(|init| typed(init, |ctx, dtype| scattered(ctx, dtype, true))),
    );
    r.add(
        read("TensorListScatterIntoExistingList")
            .input("tensor: element_dtype")
            .input("indices: int32")
            .output("output_handle: variant")
            .attr("element_dtype: type")
            .doc("Returns the list with the parts of a tensor at some places.")
            .handle_source(HandleSource::FirstInput)
            .shape(scattered_into_shape)
            .kernel(|init| typed(init, scattered_into)),
    );
    r.add(
        read("TensorListConcat")
            .output("tensor: element_dtype")
            .output("lengths: int64")
            .attr("element_dtype: type")
            .attr("element_shape: shape = { unknown_rank: true }")
            .doc("Joins the elements along their first dimension; also returns their lengths.")
            .shape(concat_shape)
            .kernel(|init| {
                let shape = init.shape("element_shape")?;
                typed(init, move |ctx, dtype| concat(ctx, dtype, &without_first(&shape), &[]))
            }),
    );
    r.add(
        shaped(read("TensorListConcatV2").input("element_shape: shape_type").input("leading_dims: int64"))
            .output("tensor: element_dtype")
            .output("lengths: int64")
            .doc("Joins the elements along their first dimension; also returns their lengths.")
            .shape(concat_v2_shape)
            .kernel(|init| {
                typed(init, |ctx, dtype| {
                    let (stated, leading) = (stated_shape(ctx.input(1)?)?, ctx.input(2)?.to_i64s()?);
                    let shape = TensorList::of_type(ctx.input(0)?, dtype)?.element_shape.merge(&stated)?;
                    concat(ctx, dtype, &shape, &leading)
                })
            }),
    );
    r.add(
        shaped(Op::new("TensorListSplit").input("tensor: element_dtype").input("element_shape: shape_type"))
            .input("lengths: int64")
            .output("output_handle: variant")
            .doc("Returns the list of a tensor's parts of given lengths along its first dimension.")
            .handle_source(HandleSource::Node(handles::made::<1>))
            .shape(split_shape)
            .kernel(|init| typed(init, split)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, DType, Tensor};

    const FLOAT: (&str, AttrValue) = ("element_dtype", AttrValue::Type(DType::F32));

    #[test]
    fn rows_without_elements_that_no_memory_lists_are_refused() {
        let x = Tensor::zeros(DType::F32, [1 << 40, 0]).unwrap();
        let error = run("TensorListFromTensor", &[x, Tensor::scalar(-1i32)], &[FLOAT]).unwrap_err();
        assert_eq!(error.code(), Code::ResourceExhausted);
    }

    #[test]
    fn parts_of_a_tensor_are_stacked_to_the_tensor() {
        let x = Tensor::from_slice([3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let any = Tensor::scalar(-1i32);
        let list = run("TensorListFromTensor", &[x.clone(), any.clone()], &[FLOAT]).unwrap().remove(0);
        assert_eq!(run("TensorListStack", &[list.clone(), any.clone()], &[FLOAT]).unwrap()[0], x);
        let places = Tensor::from_slice([2], &[2i32, 0]).unwrap();
        let some = run("TensorListGather", &[list, places, any], &[FLOAT]).unwrap().remove(0);
        assert_eq!(some.slice::<f32>().unwrap(), [5.0, 6.0, 1.0, 2.0]);
    }

    #[test]
    fn places_without_values_are_zeros() {
        let shape = Tensor::from_slice([1], &[2i32]).unwrap();
        let list = run("TensorListReserve", &[shape.clone(), Tensor::scalar(2i32)], &[FLOAT]).unwrap().remove(0);
        let one = Tensor::from_slice([2], &[1.0f32, 2.0]).unwrap();
        let list = run("TensorListSetItem", &[list, Tensor::scalar(1i32), one], &[FLOAT]).unwrap().remove(0);
        let all = run("TensorListStack", &[list.clone(), shape.clone()], &[FLOAT]).unwrap().remove(0);
        assert_eq!(all.slice::<f32>().unwrap(), [0.0, 0.0, 1.0, 2.0]);
        assert!(run("TensorListGetItem", &[list, Tensor::scalar(2i32), shape], &[FLOAT]).is_err());
    }

    #[test]
    fn split_parts_are_joined_again() {
        let x = Tensor::from_slice([3], &[1.0f32, 2.0, 3.0]).unwrap();
        let lengths = Tensor::from_slice([2], &[1i64, 2]).unwrap();
        let any = Tensor::scalar(-1i32);
        let list = run("TensorListSplit", &[x.clone(), any.clone(), lengths.clone()], &[FLOAT]).unwrap().remove(0);
        let out = run("TensorListConcat", std::slice::from_ref(&list), &[FLOAT]).unwrap();
        assert_eq!(out, [x, lengths]);
        let wrong = Tensor::from_slice([1], &[2i64]).unwrap();
        assert!(run("TensorListSplit", &[out[0].clone(), any, wrong], &[FLOAT]).is_err());
    }
}
