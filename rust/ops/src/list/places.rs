//! TensorListReserve, TensorListResize, TensorListGetItem, TensorListSetItem, TensorListElementShape,
//! TensorListConcatLists, TensorListPushBackBatch: lists whose elements have places, and lists of lists' elements.

use super::handles::{self, Reading, stated_element};
use super::value::{TensorList, stated_shape};
use crate::array::rows::rows;
use ferroflow_graph::{HandleSource, KernelContext, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{DType, Object, PartialShape, Result, Tensor, ensure};

/// Sets the shape of a shape: that of elements of any rank is the scalar -1, and that of others a vector.
fn element_shape_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let rank = c.input_handle(0)?.and_then(|list| list.shape.rank());
    c.set_output(0, rank.map_or_else(PartialShape::unknown, |rank| PartialShape::vector(Some(rank))));
    Ok(())
}

fn set_item_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some(list) = c.input_handle(0)? {
        c.input(2)?.merge(&list.shape)?;
    }
    shape_rules::scalar(c)
}

fn joined_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    handles::joined(c)?;
    shape_rules::merged(c)
}

fn element_shape(ctx: &mut KernelContext<'_>, dtype: DType) -> Result<()> {
    let shape = TensorList::of(ctx.input(0)?)?.element_shape.clone();
    let dims = shape.to_wire().map(<[i64]>::to_vec);
    let out = match (dims, dtype) {
        (None, DType::I64) => Tensor::scalar(-1i64),
        (None, _) => Tensor::scalar(-1i32),
        (Some(dims), DType::I64) => Tensor::from_slice([dims.len()], &dims)?,
        (Some(dims), _) => {
            let small: Vec<i32> = dims.iter().map(|&d| i32::try_from(d).unwrap_or(-1)).collect();
            Tensor::from_slice([small.len()], &small)?
        }
    };
    ctx.set_output(0, out);
    Ok(())
}

fn joined(ctx: &KernelContext<'_>, dtype: DType) -> Result<Tensor> {
    let (a, b) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(a.shape() == b.shape(), InvalidArgument, "Lists to join have shapes {} and {}", a.shape(), b.shape());
    let mut objects = Vec::with_capacity(a.elements());
    for (x, y) in a.objects()?.iter().zip(b.objects()?) {
        let (x, y) = (list_in(x, dtype)?, list_in(y, dtype)?);
        ensure!(
            x.element_shape == y.element_shape,
            InvalidArgument,
            "input_a and input_b TensorList element shapes are not identical at index {}.  Saw {} vs. {}",
            objects.len(),
            x.element_shape,
            y.element_shape
        );
        let element_shape = x.element_shape.clone();
        let elements = x.elements.iter().chain(&y.elements).cloned().collect();
        objects.push(Object::new(TensorList { dtype, element_shape, elements }));
    }
    Tensor::from_objects(DType::Variant, a.shape().clone(), objects)
}

fn list_in(object: &Object, dtype: DType) -> Result<&TensorList> {
    let list = object.get::<TensorList>();
    let list =
        list.ok_or_else(|| ferroflow_tensor::Status::invalid_argument("An element of the input is not a list"))?;
    list.check_dtype(dtype)?;
    Ok(list)
}

/// Returns the lists of a tensor of lists, each with one more element: a part of input 1 along its first dimension.
fn pushed(ctx: &KernelContext<'_>, dtype: DType) -> Result<Tensor> {
    let (lists, values) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(
        values.rank() >= 1 && values.shape()[0] == lists.elements(),
        InvalidArgument,
        "Expected one element for each of {} lists, got shape {}",
        lists.elements(),
        values.shape()
    );
    let parts = rows(ctx.threads(), values)?;
    let mut objects = Vec::with_capacity(parts.len());
    for (object, part) in lists.objects()?.iter().zip(parts) {
        let mut list = list_in(object, dtype)?.clone();
        list.elements.push(Some(part));
        objects.push(Object::new(list));
    }
    Tensor::from_objects(DType::Variant, lists.shape().clone(), objects)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("TensorListReserve")
            .input("element_shape: shape_type")
            .input("num_elements: int32")
            .output("handle: variant")
            .attr("element_dtype: type")
            .attr("shape_type: {int32, int64}")
            .doc("Returns a list of places without values.")
            .handle_source(HandleSource::Node(handles::made::<0>))
            .shape(shape_rules::scalar)
            .kernel(|init| {
                let dtype = init.dtype("element_dtype")?;
                kernel(move |ctx| {
                    let list = TensorList::reserved(dtype, stated_shape(ctx.input(0)?)?, ctx.input(1)?)?;
                    ctx.set_output(0, list.into_tensor()?);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorListResize")
            .input("input_handle: variant")
            .input("size: int32")
            .output("output_handle: variant")
            .stateful()
            .doc("Returns the list with another number of places, the first ones with their values.")
            .handle_source(HandleSource::FirstInput)
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let (mut list, size) = (ctx.take(0)?, ctx.take(1)?);
                    TensorList::update(&mut list, |l| l.resize(&size))?;
                    ctx.set_output(0, list);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorListGetItem")
            .input("input_handle: variant")
            .input("index: int32")
            .input("element_shape: int32")
            .output("item: element_dtype")
            .attr("element_dtype: type")
            .doc("Returns the element at a place; zeros where it has no value.")
            .shape(|c| {
                let shape = handles::element(c, Reading::Item)?.merge(&stated_element(c, 2)?)?;
                c.set_output(0, shape);
                Ok(())
            })
            .kernel(|init| {
                let dtype = init.dtype("element_dtype")?;
                kernel(move |ctx| {
                    let list = TensorList::of_type(ctx.input(0)?, dtype)?;
                    let found = match &list.elements[list.place(ctx.input(1)?)?] {
                        Some(value) => value.clone(),
                        None => {
                            let shape = list.shape_of_zeros(&stated_shape(ctx.input(2)?)?, &list.elements)?;
                            Tensor::zeros(dtype, shape)?
                        }
                    };
                    ctx.set_output(0, found);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorListSetItem")
            .input("input_handle: variant")
            .input("index: int32")
            .input("item: element_dtype")
            .output("output_handle: variant")
            .attr("element_dtype: type")
            .doc("Returns the list with another element at a place.")
            .handle_source(HandleSource::Node(handles::pushed))
            .shape(set_item_shape)
            .kernel(|init| {
                let dtype = init.dtype("element_dtype")?;
                kernel(move |ctx| {
                    let (mut list, index, item) = (ctx.take(0)?, ctx.take(1)?, ctx.take(2)?.into_owned()?);
                    TensorList::update(&mut list, |l| {
                        l.check_dtype(dtype)?;
                        let place = l.place(&index)?;
                        l.check_element(&item, "set a tensor with incompatible shape at a list index")?;
                        l.elements[place] = Some(item);
                        Ok(())
                    })?;
                    ctx.set_output(0, list);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorListElementShape")
            .input("input_handle: variant")
            .output("element_shape: shape_type")
            .attr("shape_type: {int32, int64}")
            .doc("Returns the shape of all elements: -1 for a dimension that may differ, the scalar -1 for any shape.")
            .shape(element_shape_shape)
            .kernel(|init| {
                let dtype = init.dtype("shape_type")?;
                kernel(move |ctx| element_shape(ctx, dtype))
            }),
    );
    r.add(
        Op::new("TensorListConcatLists")
            .input("input_a: variant")
            .input("input_b: variant")
            .output("output: variant")
            .attr("element_dtype: type")
            .doc("Returns lists that have the elements of `input_a`'s lists, and then those of `input_b`'s.")
            .handle_source(HandleSource::Node(|c| handles::joined(c).ok().flatten()))
            .shape(joined_shape)
            .kernel(|init| {
                let dtype = init.dtype("element_dtype")?;
                kernel(move |ctx| {
                    let out = joined(ctx, dtype)?;
                    ctx.set_output(0, out);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorListPushBackBatch")
            .input("input_handles: variant")
            .input("tensor: element_dtype")
            .output("output_handles: variant")
            .attr("element_dtype: type")
            .doc("Returns lists with one more element each: the parts of a tensor along its first dimension.")
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let dtype = init.dtype("element_dtype")?;
                kernel(move |ctx| {
                    let out = pushed(ctx, dtype)?;
                    ctx.set_output(0, out);
                    Ok(())
                })
            }),
    );
}
