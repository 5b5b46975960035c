//! EmptyTensorList, TensorListPushBack, TensorListPopBack, TensorListLength: what happens at a list's end.

use super::handles::{self, Reading};
use super::value::{TensorList, stated_shape};
use ferroflow_graph::{ElementsPart, HandleSource, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, ensure};

fn pushed_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    handles::element(c, Reading::Push)?;
    shape_rules::scalar(c)
}

/// Sets the shape of an element. One that was written has its own shape, whichever shape the op states.
fn popped_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = handles::element(c, Reading::Pop)?;
    c.set_output(0, PartialShape::scalar());
    c.set_output(1, shape);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("EmptyTensorList")
            .input("element_shape: shape_type")
            .input("max_num_elements: int32")
            .output("handle: variant")
            .attr("element_dtype: type")
            .attr("shape_type: {int32, int64}")
            .doc("Returns a list without elements.")
            .elements(ElementsPart::EmptyList)
            .handle_source(HandleSource::Node(handles::made::<0>))
            .shape(shape_rules::scalar)
            .kernel(|init| {
                let dtype = init.dtype("element_dtype")?;
                kernel(move |ctx| {
                    let element_shape = stated_shape(ctx.input(0)?)?;
                    let list = TensorList { dtype, element_shape, elements: Vec::new() };
                    ctx.set_output(0, list.into_tensor()?);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorListPushBack")
            .input("input_handle: variant")
            .input("tensor: element_dtype")
            .output("output_handle: variant")
            .attr("element_dtype: type")
            .doc("Returns the list with one more element at its end.")
            .elements(ElementsPart::Push)
            .handle_source(HandleSource::Node(handles::pushed))
            .shape(pushed_shape)
            .kernel(|init| {
                let dtype = init.dtype("element_dtype")?;
                kernel(move |ctx| {
                    let mut list = ctx.take(0)?;
                    let element = ctx.take(1)?.into_owned()?;
                    TensorList::update(&mut list, |l| {
                        l.check_dtype(dtype)?;
                        l.check_element(&element, "append a tensor with incompatible shape to a list")?;
                        l.elements.push(Some(element));
                        Ok(())
                    })?;
                    ctx.set_output(0, list);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorListPopBack")
            .input("input_handle: variant")
            .input("element_shape: int32")
            .output("output_handle: variant")
            .output("tensor: element_dtype")
            .attr("element_dtype: type")
            .doc("Returns the list without its last element, and that element.")
            .elements(ElementsPart::Pop)
            .handle_source(HandleSource::Node(handles::pushed))
            .shape(popped_shape)
            .kernel(|init| {
                let dtype = init.dtype("element_dtype")?;
                kernel(move |ctx| {
                    let mut list = ctx.take(0)?;
                    let given = stated_shape(ctx.input(1)?)?;
                    let element = TensorList::update(&mut list, |l| {
                        l.check_dtype(dtype)?;
                        ensure!(!l.elements.is_empty(), InvalidArgument, "Trying to pop from an empty list.");
                        match l.elements.pop().flatten() {
                            Some(value) => Ok(value),
                            None => Tensor::zeros(l.dtype, l.shape_of_zeros(&given, [])?),
                        }
                    })?;
                    ctx.set_output(0, list);
                    ctx.set_output(1, element);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("TensorListLength")
            .input("input_handle: variant")
            .output("length: int32")
            .doc("Returns the number of elements.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let length = TensorList::of(ctx.input(0)?)?.elements.len();
                    ctx.set_output(0, Tensor::from_slice(Shape::scalar(), &[length as i32])?);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    const FLOAT: (&str, AttrValue) = ("element_dtype", AttrValue::Type(DType::F32));

    fn any_shape() -> Tensor {
        Tensor::scalar(-1i32)
    }

    fn empty() -> Tensor {
        run("EmptyTensorList", &[any_shape(), Tensor::scalar(-1i32)], &[FLOAT]).unwrap().remove(0)
    }

    fn push(list: &Tensor, value: f32) -> Tensor {
        run("TensorListPushBack", &[list.clone(), Tensor::scalar(value)], &[FLOAT]).unwrap().remove(0)
    }

    fn pop(list: &Tensor) -> Result<(Tensor, f32)> {
        let mut out = run("TensorListPopBack", &[list.clone(), any_shape()], &[FLOAT])?;
        let value = out.remove(1).to_scalar()?;
        Ok((out.remove(0), value))
    }

    #[test]
    fn what_is_pushed_last_is_popped_first_and_other_holders_see_nothing_of_it() {
        let one = push(&empty(), 1.0);
        let two = push(&one, 2.0);
        let (rest, last) = pop(&two).unwrap();
        assert_eq!(last, 2.0);
        assert_eq!(pop(&rest).unwrap().1, 1.0);
        let length = |l: &Tensor| run("TensorListLength", std::slice::from_ref(l), &[]).unwrap()[0].to_scalar::<i32>();
        assert_eq!((length(&one).unwrap(), length(&two).unwrap(), length(&rest).unwrap()), (1, 2, 1));
    }

    #[test]
    fn an_empty_list_and_a_list_of_another_type_are_refused() {
        assert!(pop(&empty()).is_err());
        let int = [("element_dtype", AttrValue::Type(DType::I32))];
        assert!(run("TensorListPushBack", &[empty(), Tensor::scalar(1i32)], &int).is_err());
    }

    #[test]
    fn lists_have_zeros_and_sums_of_their_elements() {
        let list = push(&push(&empty(), 1.0), 2.0);
        let zeros = run("ZerosLike", std::slice::from_ref(&list), &[]).unwrap().remove(0);
        assert_eq!(pop(&zeros).unwrap().1, 0.0);
        let doubled =
            crate::testing::run_args("AddN", vec![crate::testing::Arg::List(vec![list.clone(), list.clone()])], &[], 1);
        let (rest, last) = pop(&doubled.unwrap().values[0]).unwrap();
        assert_eq!((last, pop(&rest).unwrap().1), (4.0, 2.0));
        assert!(super::super::sum(&list, &empty(), ferroflow_tensor::threads::Threads::single()).is_err());
    }
}
