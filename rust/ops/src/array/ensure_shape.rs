//! EnsureShape: an error where a tensor does not have the shape that was promised.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.merge(&c.shape("shape")?)?;
    c.set_output(0, s);
    Ok(())
}

fn check(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let expected = init.shape("shape")?;
    kernel(move |ctx| {
        let x = ctx.take(0)?;
        ensure!(
            expected.is_compatible_with(&PartialShape::from(x.shape())),
            InvalidArgument,
            "Shape of tensor {} {} is not compatible with expected shape {expected}.",
            ctx.name(),
            x.shape()
        );
        ctx.set_output(0, x);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("EnsureShape")
            .input("input: T")
            .output("output: T")
            .attr("shape: shape")
            .attr("T: type")
            .doc("Returns its input; fails where its shape does not fit `shape`.")
            .shape(shape)
            .kernel(check),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, PartialShape, Tensor};

    #[test]
    fn fitting_shapes_pass() {
        let x = Tensor::zeros(DType::String, [2, 3]).unwrap();
        for (dims, fits) in [(vec![None, Some(3)], true), (vec![Some(2), Some(2)], false), (vec![None], false)] {
            let shape = AttrValue::Shape(PartialShape::from_dims(&dims));
            assert_eq!(run("EnsureShape", std::slice::from_ref(&x), &[("shape", shape)]).is_ok(), fits);
        }
    }
}
