//! OptionalFromValue, OptionalNone, OptionalHasValue, OptionalGetValue: an element or the absence of one, in a variant.

use super::value::Element;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{DType, Object, PartialShape, Result, Shape, Tensor, bail, ensure};

/// An element, or `None`.
pub(super) struct Optional(pub Option<Element>);

impl Optional {
    pub fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_objects(DType::Variant, Shape::scalar(), vec![Object::new(self)])
    }

    /// Returns the optional that a variant scalar holds.
    ///
    /// Errors: `InvalidArgument` where it holds something else.
    fn of(t: &Tensor) -> Result<&Optional> {
        let found = match (t.dtype(), t.rank()) {
            (DType::Variant, 0) => t.objects()?.first().and_then(Object::get::<Optional>),
            _ => None,
        };
        let Some(optional) = found else {
            bail!(InvalidArgument, "Input to an optional op must be a scalar variant that holds an optional.")
        };
        Ok(optional)
    }
}

fn get_value(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (types, shapes) = (init.dtypes("output_types")?, init.shapes("output_shapes")?);
    kernel(move |ctx| {
        let Some(element) = &Optional::of(ctx.input(0)?)?.0 else {
            bail!(InvalidArgument, "The given optional does not have a value.")
        };
        ensure!(
            element.len() == types.len(),
            InvalidArgument,
            "The given optional has {} components, expected {}.",
            element.len(),
            types.len()
        );
        let element = element.clone();
        for (i, ((value, dtype), shape)) in element.iter().zip(&types).zip(&shapes).enumerate() {
            ensure!(
                value.dtype() == *dtype,
                InvalidArgument,
                "The given optional does not match the expected type for component {i}. Expected: {}. Actual: {}.",
                dtype.schema_name(),
                value.dtype().schema_name()
            );
            ensure!(
                shape.is_compatible_with(&PartialShape::from(value.shape())),
                InvalidArgument,
                "The given optional does not match the expected shape for component {i}. Expected: {shape}. Actual: {}.",
                value.shape()
            );
        }
        element.into_iter().enumerate().for_each(|(i, value)| ctx.set_output(i, value));
        Ok(())
    })
}

fn value_shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    let shapes = c.shapes("output_shapes")?;
    ensure!(
        shapes.len() == c.num_outputs(),
        InvalidArgument,
        "`output_shapes` must be the same length as `output_types` ({} vs. {})",
        shapes.len(),
        c.num_outputs()
    );
    shapes.into_iter().enumerate().for_each(|(i, s)| c.set_output(i, s));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("OptionalFromValue")
            .input("components: Toutput_types")
            .output("optional: variant")
            .attr("Toutput_types: list(type) >= 1")
            .doc("Returns an optional that has the components as its value.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let element = ctx.take_inputs().into_iter().map(Tensor::into_owned).collect::<Result<_>>()?;
                    ctx.set_output(0, Optional(Some(element)).into_tensor()?);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("OptionalNone")
            .output("optional: variant")
            .doc("Returns an optional without a value.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    ctx.set_output(0, Optional(None).into_tensor()?);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("OptionalHasValue")
            .input("optional: variant")
            .output("has_value: bool")
            .doc("Returns true if an optional has a value.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let has_value = Optional::of(ctx.input(0)?)?.0.is_some();
                    ctx.set_output(0, Tensor::scalar(has_value));
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("OptionalGetValue")
            .input("optional: variant")
            .output("components: output_types")
            .attr("output_types: list(type) >= 1")
            .attr("output_shapes: list(shape) >= 1")
            .doc("Returns the components of an optional's value; an error without a value.")
            .shape(value_shapes)
            .kernel(get_value),
    );
}
