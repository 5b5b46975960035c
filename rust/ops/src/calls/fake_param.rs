//! FakeParam: a value in the place of an argument that the branch which runs does not read.

use ferroflow_graph::{Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{DType, Shape, Tensor};

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("FakeParam")
            .output("output: dtype")
            .attr("dtype: type")
            .attr("shape: shape")
            .doc("Returns zeros in the place of a value that nothing reads.")
            .shape(shape_rules::from_shape_attr)
            .kernel(|init| {
                // TF 1.x: without a known shape, the value has no elements.
                let shape = init.shape("shape")?.to_shape().unwrap_or_else(|| Shape::new(&[0]));
                let dtype = init.dtype("dtype")?;
                if matches!(dtype, DType::Resource | DType::Variant) {
                    return Err(init.unsupported());
                }
                kernel(move |ctx| {
                    let value = Tensor::zeros(dtype, shape.clone())?;
                    ctx.set_output(0, value);
                    Ok(())
                })
            }),
    );
}
