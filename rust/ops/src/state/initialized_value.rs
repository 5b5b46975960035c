//! InitializedValue: a variable's value, or its initial value while it has none.

use ferroflow_graph::{Op, Registry, kernel, shape_rules};

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("InitializedValue")
            .input("ref: Ref(T)")
            .input("initial_value: T")
            .output("output: T")
            .attr("T: type")
            .doc("The variable's value, or `initial_value` where it has none: TF 1.x has a conditional for this.")
            .inspects_ref()
            .stateful()
            .shape(shape_rules::merged)
            .kernel(|_| {
                kernel(|ctx| {
                    let value = match ctx.variable(0)?.read() {
                        Some(value) => value,
                        None => ctx.take(1)?,
                    };
                    ctx.set_output(0, value);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Rerun};
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn a_value_hides_the_initial_one() {
        let (old, initial) = (Tensor::scalar(1.0f32), Tensor::scalar(2.0f32));
        let op = Rerun::of_args("InitializedValue", vec![Arg::Variable(old.clone()), Arg::One(initial)], &[]).unwrap();
        assert_eq!(op.run(1).unwrap(), [old]);
    }

    #[test]
    fn without_a_value_it_is_the_initial_one() {
        let initial = Tensor::scalar(2.0f32);
        let args = vec![Arg::Uninitialized(DType::F32), Arg::One(initial.clone())];
        assert_eq!(Rerun::of_args("InitializedValue", args, &[]).unwrap().run(1).unwrap(), [initial]);
    }
}
