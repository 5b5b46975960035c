//! StringFormat: a text with the summaries of tensors in its places.

use crate::flow::summary::element_texts;
use ferroflow_graph::{AttrMap, Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Tensor, ensure};

/// Returns a string in quotes, with C's escapes for what does not print in ASCII.
fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for &b in bytes {
        match b {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'"' | b'\'' | b'\\' => out.extend_from_slice(&[b'\\', b]),
            0..0x20 | 0x7f.. => out.extend_from_slice(format!("\\{b:03o}").as_bytes()),
            _ => out.push(b),
        }
    }
    out.push(b'"');
    out
}

/// The elements of a tensor in nested brackets; of each dimension no more than `ends` from either end.
struct Brackets<'a> {
    sizes: &'a [usize],
    ends: usize,
    element: &'a dyn Fn(usize) -> Vec<u8>,
}

impl Brackets<'_> {
    /// Returns the separator of two neighbours along a dimension; empty lines separate the outer ones.
    fn gap(&self, dimension: usize) -> String {
        let inner = self.sizes.len() - 1 - dimension;
        if inner == 0 { " ".to_owned() } else { "\n".repeat(inner) + &" ".repeat(dimension + 1) }
    }

    /// Adds dimension `d` of the elements from flat position `first` on.
    fn add(&self, d: usize, first: usize, out: &mut Vec<u8>) {
        let Some(&size) = self.sizes.get(d) else {
            out.extend((self.element)(first));
            return;
        };
        let step: usize = self.sizes[d + 1..].iter().product();
        let gap = self.gap(d);
        out.push(b'[');
        for i in 0..self.ends.min(size) {
            if i > 0 {
                out.extend_from_slice(gap.as_bytes());
            }
            self.add(d + 1, first + i * step, out);
        }
        if size > self.ends.saturating_mul(2) {
            out.extend_from_slice(gap.as_bytes());
            out.extend_from_slice(b"...");
        }
        for i in self.ends.max(size.saturating_sub(self.ends))..size {
            out.extend_from_slice(gap.as_bytes());
            self.add(d + 1, first + i * step, out);
        }
        out.push(b']');
    }
}

/// Adds the summary of a tensor; `most` counts elements at either end of a dimension.
fn add_summary(t: &Tensor, most: usize, out: &mut Vec<u8>) -> Result<()> {
    let element: Box<dyn Fn(usize) -> Vec<u8>> = if t.dtype() == DType::String {
        let strings = t.strings()?;
        Box::new(|i| quoted(&strings[i]))
    } else {
        let text = element_texts(t)?;
        Box::new(move |i| text(i).into_bytes())
    };
    let ends = most.min(t.elements());
    if t.rank() == 0 && ends == 0 {
        out.extend_from_slice(b"...");
    } else {
        Brackets { sizes: t.shape(), ends, element: &element }.add(0, 0, out);
    }
    Ok(())
}

/// Returns the parts of the template around its placeholders, of which there is one for each input.
fn parts(attrs: &AttrMap, inputs: usize) -> Result<Vec<String>> {
    let (template, place) = (attrs.str("template")?, attrs.str("placeholder")?);
    ensure!(!place.is_empty(), InvalidArgument, "placeholder must not be empty");
    let parts: Vec<String> = template.split(&place).map(str::to_owned).collect();
    let places = parts.len() - 1;
    ensure!(
        places == inputs,
        InvalidArgument,
        "num placeholders in template and num inputs must match: {places} vs. {inputs}"
    );
    Ok(parts)
}

fn format(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let parts = parts(&init.node.attrs, init.node.inputs.len())?;
    // TF 1.x: negative numbers are no limit.
    let most = usize::try_from(init.int32("summarize")?).unwrap_or(usize::MAX);
    kernel(move |ctx| {
        let mut out = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                add_summary(ctx.input(i - 1)?, most, &mut out)?;
            }
            out.extend_from_slice(part.as_bytes());
        }
        ctx.set_output(0, Tensor::from_strings([], vec![Bytes::from(out)])?);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    parts(c, c.num_inputs())?;
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("StringFormat")
            .input("inputs: T")
            .output("output: string")
            .attr("T: list(type) >= 0")
            .attr("template: string = '%s'")
            .attr("placeholder: string = '%s'")
            .attr("summarize: int = 3")
            .doc("Returns the template with its placeholders replaced by the summaries of the inputs, in order.")
            .shape(shape)
            .kernel(format),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn format(template: &str, inputs: Vec<Tensor>, most: i64) -> Result<String> {
        let text = |s: &str| AttrValue::Str(s.as_bytes().to_vec());
        let types = inputs.iter().map(|t| AttrValue::Type(t.dtype())).collect();
        let attrs = [
            ("template", text(template)),
            ("placeholder", text("{}")),
            ("summarize", AttrValue::Int(most)),
            ("T", AttrValue::List(types)),
        ];
        let out = run_args("StringFormat", vec![Arg::List(inputs)], &attrs, 1)?;
        Ok(String::from_utf8_lossy(&out.values[0].strings()?[0]).into_owned())
    }

    fn numbers(shape: &[usize]) -> Tensor {
        let values: Vec<i32> = (0..shape.iter().product::<usize>() as i32).collect();
        Tensor::from_slice(shape, &values).unwrap()
    }

    #[test]
    fn summaries_are_tensorflows() {
        assert_eq!(format("a {} b", vec![numbers(&[10])], 3).unwrap(), "a [0 1 2 ... 7 8 9] b");
        assert_eq!(format("{}", vec![numbers(&[6])], 3).unwrap(), "[0 1 2 3 4 5]");
        let cube = "[[[0 1 2 3]\n  [4 5 6 7]\n  [8 9 10 11]]\n\n [[12 13 14 15]\n  [16 17 18 19]\n  [20 21 22 23]]]";
        assert_eq!(format("{}", vec![numbers(&[2, 3, 4])], 3).unwrap(), cube);
        assert_eq!(format("{}", vec![numbers(&[3, 4])], 1).unwrap(), "[[0 ... 3]\n ...\n [8 ... 11]]");
        assert_eq!(format("{}", vec![numbers(&[10])], 0).unwrap(), "[ ...]");
        assert_eq!(format("{}", vec![numbers(&[2, 0])], 3).unwrap(), "[\n ...]");
        assert_eq!(format("{}", vec![numbers(&[0])], -1).unwrap(), "[]");
        let words = Tensor::from_strings([2], vec![b"a\n\"b'"[..].into(), b"\0"[..].into()]).unwrap();
        assert_eq!(format("{}", vec![words], 3).unwrap(), r#"["a\n\"b\'" "\000"]"#);
        let (x, y) = (Tensor::scalar(0.1f32), Tensor::scalar(true));
        assert_eq!(format("{}, {}", vec![x, y], 3).unwrap(), "0.1, 1");
        assert_eq!(format("none", vec![], 3).unwrap(), "none");
    }

    #[test]
    fn placeholders_and_inputs_must_match() {
        let wrong = format("{} {}", vec![numbers(&[1])], 3).unwrap_err();
        assert!(wrong.message().contains("num placeholders in template and num inputs must match: 2 vs. 1"));
    }
}
