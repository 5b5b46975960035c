//! TensorArrayWrite and TensorArrayRead, of all generations.

use super::form::Form;
use super::making::{element_shape, flow, scalar_int};
use super::state::TensorArray;
use ferroflow_graph::{ElementsPart, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{PartialShape, Result};

fn write_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    element_shape(c)?.merge(c.input(2)?)?;
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

fn read_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, element_shape(c)?);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    for form in Form::ALL {
        r.add(
            form.on_array("TensorArrayWrite", ElementsPart::Write)
                .input("index: int32")
                .input("value: T")
                .input("flow_in: float")
                .output("flow_out: float")
                .attr("T: type")
                .doc("Writes one element of an array.")
                .shape(form.shape(write_shape, shape_rules::scalar))
                .kernel(|_| {
                    kernel(|ctx| {
                        let index = scalar_int(ctx.input(1)?, "index")?;
                        let array = TensorArray::of(ctx)?;
                        let value = ctx.take(2)?;
                        array.check_dtype(value.dtype(), "is trying to write")?;
                        array.write(index, value, ctx.threads())?;
                        ctx.set_output(0, flow());
                        Ok(())
                    })
                }),
        );
        r.add(
            form.on_array("TensorArrayRead", ElementsPart::Read)
                .input("index: int32")
                .input("flow_in: float")
                .output("value: dtype")
                .attr("dtype: type")
                .doc("Reads one element of an array.")
                .shape(read_shape)
                .kernel(|init| {
                    let dtype = init.dtype("dtype")?;
                    kernel(move |ctx| {
                        let index = scalar_int(ctx.input(1)?, "index")?;
                        let array = TensorArray::of(ctx)?;
                        array.check_dtype(dtype, "requested")?;
                        ctx.set_output(0, array.read(index)?);
                        Ok(())
                    })
                }),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn array(size: i32, attrs: &[(&'static str, AttrValue)]) -> Tensor {
        let mut all = vec![("dtype", AttrValue::Type(DType::F32))];
        all.extend_from_slice(attrs);
        run("TensorArrayV3", &[Tensor::scalar(size)], &all).unwrap().remove(0)
    }

    fn write(a: &Tensor, i: i32, value: f32) -> Result<Vec<Tensor>> {
        run("TensorArrayWriteV3", &[a.clone(), Tensor::scalar(i), Tensor::scalar(value), Tensor::scalar(0.0f32)], &[])
    }

    fn read(a: &Tensor, i: i32) -> Result<f32> {
        let dtype = [("dtype", AttrValue::Type(DType::F32))];
        run("TensorArrayReadV3", &[a.clone(), Tensor::scalar(i), Tensor::scalar(0.0f32)], &dtype)?[0].to_scalar()
    }

    fn gradient(a: &Tensor) -> Tensor {
        let source = [("source", AttrValue::Str(b"g".to_vec()))];
        run("TensorArrayGradV3", &[a.clone(), Tensor::scalar(0.0f32)], &source).unwrap().remove(0)
    }

    #[test]
    fn an_element_is_written_and_read_once() {
        let a = array(2, &[]);
        write(&a, 1, 5.0).unwrap();
        assert!(write(&a, 1, 6.0).is_err());
        assert_eq!(read(&a, 1).unwrap(), 5.0);
        assert!(read(&a, 1).is_err() && read(&a, 0).is_err() && read(&a, 2).is_err() && write(&a, 2, 0.0).is_err());
        let kept = array(1, &[("clear_after_read", AttrValue::Bool(false))]);
        write(&kept, 0, 5.0).unwrap();
        assert_eq!((read(&kept, 0).unwrap(), read(&kept, 0).unwrap()), (5.0, 5.0));
    }

    #[test]
    fn a_dynamic_array_grows() {
        let a = array(0, &[("dynamic_size", AttrValue::Bool(true))]);
        write(&a, 3, 1.0).unwrap();
        let size = run("TensorArraySizeV3", &[a.clone(), Tensor::scalar(0.0f32)], &[]).unwrap();
        assert_eq!(size[0].to_scalar::<i32>().unwrap(), 4);
        assert!(write(&a, i32::MAX, 1.0).is_err());
    }

    #[test]
    fn gradients_add_up_and_are_zero_where_nothing_came() {
        let a = array(2, &[]);
        write(&a, 0, 5.0).unwrap();
        write(&a, 1, 6.0).unwrap();
        let g = gradient(&a);
        write(&g, 0, 1.0).unwrap();
        write(&gradient(&a), 0, 2.0).unwrap();
        assert_eq!((read(&g, 0).unwrap(), read(&g, 1).unwrap()), (3.0, 0.0));
    }

    #[test]
    fn a_closed_array_is_refused() {
        let a = array(1, &[]);
        run("TensorArrayCloseV3", std::slice::from_ref(&a), &[]).unwrap();
        assert!(write(&a, 0, 1.0).is_err());
    }
}
