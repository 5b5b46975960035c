//! Print: passes a tensor on and shows others on the standard error stream.

use super::summary::summary;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, Tensor};
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

fn text(message: &str, data: &[Tensor], most: usize) -> Result<String> {
    let shown = data.iter().map(|t| Ok(format!("[{}]", summary(t, most)?))).collect::<Result<String>>()?;
    Ok(format!("{message}{shown}\n"))
}

fn print(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // TF 1.x: negative numbers are no limit.
    let limit = u64::try_from(init.int("first_n")?).unwrap_or(u64::MAX);
    let most = usize::try_from(init.int("summarize")?).unwrap_or(usize::MAX);
    let message = init.str("message")?;
    let calls = AtomicU64::new(0);
    kernel(move |ctx| {
        if calls.fetch_add(1, Ordering::Relaxed) < limit {
            let text = text(&message, ctx.inputs().get(1..).unwrap_or_default(), most)?;
            // A closed stream is no reason to stop the step.
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
        let value = ctx.take(0)?;
        ctx.set_output(0, value);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Print")
            .input("input: T")
            .input("data: U")
            .output("output: T")
            .attr("T: type")
            .attr("U: list(type) >= 0")
            .attr("message: string = ''")
            .attr("first_n: int = -1")
            .attr("summarize: int = 3")
            .stateful()
            .doc("Returns `input`, and shows the first `summarize` elements of each of `data` on the standard error stream.")
            .shape(shape_rules::unchanged)
            .kernel(print),
    );
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    #[test]
    fn the_line_is_the_message_and_each_tensor_in_brackets() {
        let x = Tensor::from_slice([4], &[1i32, 2, 3, 4]).unwrap();
        assert_eq!(text("x = ", &[x.clone(), Tensor::scalar(true)], 3).unwrap(), "x = [1 2 3...][1]\n");
        assert_eq!(text("", &[x], usize::MAX).unwrap(), "[1 2 3 4]\n");
    }

    #[test]
    fn the_input_passes() {
        let x = Tensor::from_slice([2], &[1f32, 2.0]).unwrap();
        let args = vec![Arg::One(x.clone()), Arg::List(vec![])];
        let got = run_args("Print", args, &[("first_n", AttrValue::Int(0))], 1).unwrap();
        assert_eq!(got.values, [x]);
    }
}
