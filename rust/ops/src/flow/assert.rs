//! Assert: an error that shows tensors where a condition does not hold.

use super::summary::summary;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Result, bail};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    Ok(())
}

fn check(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // TF 1.x: a negative number shows all elements.
    let most = usize::try_from(init.int32("summarize")?).unwrap_or(usize::MAX);
    kernel(move |ctx| {
        if ctx.input(0)?.to_scalar::<bool>()? {
            return Ok(());
        }
        let shown = (1..ctx.num_inputs()).map(|i| summary(ctx.input(i)?, most)).collect::<Result<Vec<_>>>()?;
        bail!(InvalidArgument, "assertion failed: [{}]", shown.join("] ["))
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Assert")
            .input("condition: bool")
            .input("data: T")
            .attr("T: list(type) >= 1")
            .attr("summarize: int = 3")
            .only_checks()
            .doc("Fails, showing the first `summarize` elements of each of `data`, where `condition` is false.")
            .shape(shape)
            .kernel(check),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn failing(condition: bool, data: Vec<Tensor>, summarize: i64) -> Result<()> {
        let args = vec![Arg::One(Tensor::scalar(condition)), Arg::List(data)];
        run_args("Assert", args, &[("summarize", AttrValue::Int(summarize))], 1).map(|_| ())
    }

    #[test]
    fn a_condition_that_holds_passes() {
        failing(true, vec![Tensor::scalar(1f32)], 3).unwrap();
    }

    #[test]
    fn a_failure_shows_the_first_elements_of_each_tensor() {
        let text = Tensor::from_strings([], vec![b"x = ".to_vec().into()]).unwrap();
        let x = Tensor::from_slice([4], &[1f32, -0.5, 3., 4.]).unwrap();
        let flags = Tensor::from_slice([2], &[true, false]).unwrap();
        let error = failing(false, vec![text, x, flags], 3).unwrap_err();
        assert_eq!(error.message(), "assertion failed: [x = ] [1 -0.5 3...] [1 0]");
    }

    #[test]
    fn rows_of_matrices_are_in_brackets() {
        let x = Tensor::from_slice([2, 2], &[1i32, 2, 3, 4]).unwrap();
        let all = failing(false, vec![x.clone()], -1).unwrap_err();
        assert_eq!(all.message(), "assertion failed: [[1 2][3 4]]");
        let three = failing(false, vec![x], 3).unwrap_err();
        assert_eq!(three.message(), "assertion failed: [[1 2][3...]...]");
        let cube = Tensor::zeros(ferroflow_tensor::DType::F32, [2, 2, 2]).unwrap();
        let five = failing(false, vec![cube], 5).unwrap_err();
        assert_eq!(five.message(), "assertion failed: [[[0 0][0 0]][[0...]]...]");
        let empty = failing(false, vec![Tensor::zeros(ferroflow_tensor::DType::F32, [0, 2]).unwrap()], 3).unwrap_err();
        assert_eq!(empty.message(), "assertion failed: []");
    }
}
