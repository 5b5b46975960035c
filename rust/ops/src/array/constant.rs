//! Const: a value that the graph holds.

use ferroflow_graph::{Op, Registry, Role, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let value = c.tensor("value")?;
    let dtype = c.dtype("dtype")?;
    ensure!(
        value.dtype().without_quantization() == dtype.without_quantization(),
        InvalidArgument,
        "The value of a Const has type {}, its attr 'dtype' is {}",
        value.dtype().name(),
        dtype.name()
    );
    let s = PartialShape::from(value.shape());
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Const")
            .role(Role::Constant)
            .output("output: dtype")
            .attr("value: tensor")
            .attr("dtype: type")
            .doc("Returns a constant tensor.")
            .shape(shape)
            .kernel(|init| {
                let value = init.tensor("value")?;
                kernel(move |ctx| {
                    ctx.set_output(0, value.clone());
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn returns_its_value() {
        let value = Tensor::from_slice([2], &[1.5f32, 2.5]).unwrap();
        let attrs = [("value", AttrValue::Tensor(value.clone())), ("dtype", AttrValue::Type(DType::F32))];
        assert_eq!(run("Const", &[], &attrs).unwrap(), [value]);
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        let value = Tensor::from_slice([2], &[1.5f32, 2.5]).unwrap();
        let attrs = [("value", AttrValue::Tensor(value)), ("dtype", AttrValue::Type(DType::I32))];
        assert!(run("Const", &[], &attrs).is_err());
    }
}
