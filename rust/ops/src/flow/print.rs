//! Print: passes a tensor on and shows others on the standard error stream; and PrintV2, which writes a text.

use super::summary::summary;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_io::file::failure;
use ferroflow_tensor::{Result, Tensor, bail, ensure};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

fn text(message: &str, data: &[Tensor], most: usize) -> Result<String> {
    let shown = data.iter().map(|t| Ok(format!("[{}]", summary(t, most)?))).collect::<Result<String>>()?;
    Ok(format!("{message}{shown}\n"))
}

fn print(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // TF 1.x: negative numbers are no limit.
    let limit = u64::try_from(init.int("first_n")?).unwrap_or(u64::MAX);
    let most = usize::try_from(init.int32("summarize")?).unwrap_or(usize::MAX);
    let message = init.str("message")?;
    let calls = AtomicU64::new(0);
    kernel(move |ctx| {
        if calls.fetch_add(1, Ordering::Relaxed) < limit {
            let text = text(&message, ctx.inputs().get(1..).unwrap_or_default(), most)?;
            // A failed write to a closed stream must not stop the step.
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
        let value = ctx.take(0)?;
        ctx.set_output(0, value);
        Ok(())
    })
}

fn text_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0).map(|_| ())
}

/// The target of PrintV2.
enum Target {
    Stdout,
    Stderr,
    /// Appended to.
    File(PathBuf),
}

impl Target {
    fn of(name: &str) -> Result<Target> {
        Ok(match name {
            "stdout" => Target::Stdout,
            // TensorFlow writes to its log here; ferroflow has the error stream only.
            "stderr" | "log(info)" | "log(warning)" | "log(error)" => Target::Stderr,
            _ => match name.strip_prefix("file://") {
                Some(path) if !path.is_empty() => Target::File(path.into()),
                _ => bail!(
                    InvalidArgument,
                    "Unknown output stream: {name}, should be one of stdout, stderr, log(info), log(warning), log(error), file://path"
                ),
            },
        })
    }

    fn write(&self, line: &[u8]) -> Result<()> {
        // A failed write to a closed stream must not stop the step.
        match self {
            Target::Stdout => {
                let mut stream = std::io::stdout().lock();
                let _ = stream.write_all(line).and_then(|()| stream.flush());
            }
            Target::Stderr => {
                let _ = std::io::stderr().lock().write_all(line);
            }
            Target::File(path) => {
                let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
                file.and_then(|mut f| f.write_all(line)).map_err(|e| failure(&path.display().to_string(), &e))?;
            }
        }
        Ok(())
    }
}

fn print_text(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (target, end) = (Target::of(&init.str("output_stream")?)?, init.bytes("end")?);
    kernel(move |ctx| {
        let text = ctx.input(0)?;
        ensure!(text.rank() == 0, InvalidArgument, "input must be a scalar string, got shape {}", text.shape());
        let mut line = text.strings()?[0].to_vec();
        line.extend_from_slice(&end);
        target.write(&line)
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("PrintV2")
            .input("input: string")
            .attr("output_stream: string = 'stderr'")
            .attr("end: string = '\n'")
            .stateful()
            .doc("Writes a text and `end` to a stream, or at the end of the file of a file:// path.")
            .shape(text_shape)
            .kernel(print_text),
    );
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
            .memoryless()
            .doc(
                "Returns `input`, and shows the first `summarize` elements of each of `data` on the standard error \
                 stream.",
            )
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
    fn texts_are_appended_to_a_file() {
        let path = std::env::temp_dir().join(format!("ferroflow-print-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let stream = AttrValue::Str(format!("file://{}", path.display()).into_bytes());
        for text in ["a", "b"] {
            let text = Tensor::from_strings([], vec![text.as_bytes().into()]).unwrap();
            run_args("PrintV2", vec![Arg::One(text)], &[("output_stream", stream.clone())], 1).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"a\nb\n");
        std::fs::remove_file(&path).unwrap();
        let nowhere = [("output_stream", AttrValue::Str(b"nowhere".to_vec()))];
        let text = Arg::One(Tensor::from_strings([], vec![b"a"[..].into()]).unwrap());
        assert!(
            run_args("PrintV2", vec![text], &nowhere, 1).err().unwrap().message().contains("Unknown output stream")
        );
    }

    #[test]
    fn the_input_passes() {
        let x = Tensor::from_slice([2], &[1f32, 2.0]).unwrap();
        let args = vec![Arg::One(x.clone()), Arg::List(vec![])];
        let got = run_args("Print", args, &[("first_n", AttrValue::Int(0))], 1).unwrap();
        assert_eq!(got.values, [x]);
    }
}
