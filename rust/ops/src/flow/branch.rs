//! Switch, Merge and the ops that bound a loop's frame: without kernels, the planner resolves them.

use ferroflow_graph::{Flow, Op, Registry, ShapeContext, shape_rules};
use ferroflow_tensor::{PartialShape, Result};

fn switch_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    let shape = c.input(0)?.clone();
    c.set_output(0, shape.clone());
    c.set_output(1, shape);
    Ok(())
}

/// Sets the shape that all inputs share; dimensions that differ become unknown.
fn merge_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut shape = c.input(0)?.clone();
    for i in 1..c.num_inputs() {
        shape = shape.most_specific_common(c.input(i)?);
    }
    c.set_output(0, shape);
    c.set_output(1, PartialShape::scalar());
    Ok(())
}

/// Sets the dimensions that are the same in all iterations; a loop variable may change its shape from one to the next.
fn enter_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = if c.bool("is_constant")? { c.input(0)?.clone() } else { PartialShape::unknown() };
    c.set_output(0, shape);
    Ok(())
}

fn condition_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = c.input(0)?.with_rank(0)?;
    c.set_output(0, shape);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let of = |is_ref: bool, ty: &str| if is_ref { format!("Ref({ty})") } else { ty.to_owned() };
    for (prefix, is_ref) in [("", false), ("Ref", true)] {
        let (one, many) = (of(is_ref, "T"), of(is_ref, "N * T"));
        let op = |name: &str, input: &str| {
            let op = Op::new(&format!("{prefix}{name}")).input(input).attr("T: type");
            if is_ref { op.value_form(name) } else { op }
        };
        let data = format!("data: {one}");
        let output = format!("output: {one}");
        r.add(
            op("Switch", &data)
                .input("pred: bool")
                .output(&format!("output_false: {one}"))
                .output(&format!("output_true: {one}"))
                .flow(Flow::Switch)
                .doc("Hands its data to one of its outputs; what reads the other one does not run.")
                .shape(switch_shape),
        );
        r.add(
            op("Merge", &format!("inputs: {many}"))
                .output(&output)
                .output("value_index: int32")
                .attr("N: int >= 1")
                .flow(Flow::Merge)
                .doc("Forwards the input that has a value, and its position.")
                .shape(merge_shape),
        );
        r.add(
            op("Enter", &data)
                .output(&output)
                .attr("frame_name: string")
                .attr("is_constant: bool = false")
                .attr("parallel_iterations: int = 10")
                .flow(Flow::Enter)
                .doc(
                    "Brings its data into the loop of that name: as the first value of a loop variable, or for all \
                     iterations.",
                )
                .shape(if is_ref { shape_rules::unchanged } else { enter_shape }),
        );
        r.add(
            op("Exit", &data)
                .output(&output)
                .flow(Flow::Exit)
                .doc("Brings its data out of the loop after the last iteration.")
                .shape(shape_rules::unchanged),
        );
        r.add(
            op("NextIteration", &data)
                .output(&output)
                .flow(Flow::NextIteration)
                .doc("Hands its data to the next iteration of the loop.")
                .shape(shape_rules::unchanged),
        );
    }
    r.add(
        Op::new("LoopCond")
            .input("input: bool")
            .output("output: bool")
            .flow(Flow::LoopCond)
            .doc("Forwards the value that decides if the loop continues.")
            .shape(condition_shape),
    );
}
