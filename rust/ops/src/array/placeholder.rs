//! Placeholders: tensors whose value a step is fed.

use ferroflow_graph::{Op, Registry, Role, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{PartialShape, Result, bail};

/// Returns the attribute's shape. TF 1.x: rank 0 meant "unknown" for the op `Placeholder` of graphs older than version
/// 24.
fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    shape_rules::from_shape_attr(c)
}

fn with_default(c: &mut ShapeContext<'_>) -> Result<()> {
    let declared = c.shape("shape")?;
    let input = c.input(0)?;
    if !input.is_compatible_with(&declared) {
        bail!(InvalidArgument, "Shapes {input} and {declared} of the default and the placeholder are not compatible");
    }
    c.set_output(0, declared);
    Ok(())
}

fn wire(shape: &PartialShape) -> String {
    match shape.to_wire() {
        Some(dims) => {
            let dims: Vec<_> = dims.iter().map(|d| if *d < 0 { "?".to_owned() } else { d.to_string() }).collect();
            format!(" and shape [{}]", dims.join(","))
        }
        None => String::new(),
    }
}

pub(super) fn register(r: &mut Registry) {
    for name in ["Placeholder", "PlaceholderV2"] {
        r.add(
            Op::new(name)
                .role(Role::Placeholder)
                .output("output: dtype")
                .attr("dtype: type")
                .attr(if name == "Placeholder" { "shape: shape = { unknown_rank: true }" } else { "shape: shape" })
                .doc("Returns a tensor that must be fed.")
                .stateful()
                .listed_stateful(false)
                .shape(shape)
                .kernel(|init| {
                    let (dtype, shape) = (init.dtype("dtype")?, init.shape("shape")?);
                    let known = if shape.rank() == Some(0) { String::new() } else { wire(&shape) };
                    kernel(move |ctx| {
                        bail!(
                            InvalidArgument,
                            "You must feed a value for placeholder tensor '{}' with dtype {}{known}",
                            ctx.name(),
                            dtype.schema_name()
                        )
                    })
                }),
        );
    }
    r.add(
        Op::new("PlaceholderWithDefault")
            .role(Role::Placeholder)
            .input("input: dtype")
            .output("output: dtype")
            .attr("dtype: type")
            .attr("shape: shape")
            .doc("Returns its input, unless it is fed.")
            .shape(with_default)
            .kernel(|_| {
                kernel(|ctx| {
                    let value = ctx.take(0)?;
                    ctx.set_output(0, value);
                    Ok(())
                })
            }),
    );
}
