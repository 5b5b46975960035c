//! StringSplit, StringSplitV2: the parts of strings as a sparse matrix with a row for each string.

use super::to_number::is_space;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, PartialShape, Result, Tensor, ensure};

/// Returns parts between bytes of a set; each byte for an empty set. No text has no parts.
fn by_set<'a>(text: &'a [u8], set: &[u8], skip_empty: bool) -> Vec<&'a [u8]> {
    if set.is_empty() {
        return text.chunks(1).collect();
    }
    if text.is_empty() {
        return Vec::new();
    }
    text.split(|c| set.contains(c)).filter(|part| !skip_empty || !part.is_empty()).collect()
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|w| w == word)
}

/// Returns parts as Python's `str.split` gives them: between occurrences of `separator`, or between spaces where it is
/// empty; no more than `most` splits.
fn by_word<'a>(text: &'a [u8], separator: &[u8], most: Option<usize>) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut rest = text;
    let skip_spaces = |t: &'a [u8]| &t[t.iter().position(|&c| !is_space(c)).unwrap_or(t.len())..];
    if most == Some(0) {
        return vec![text];
    }
    if separator.is_empty() {
        rest = skip_spaces(rest);
        while !rest.is_empty() {
            let end = rest.iter().position(|&c| is_space(c)).unwrap_or(rest.len());
            parts.push(&rest[..end]);
            rest = skip_spaces(&rest[end..]);
            if most == Some(parts.len()) {
                parts.push(rest);
                break;
            }
        }
        return parts;
    }
    while most != Some(parts.len())
        && let Some(at) = find(rest, separator)
    {
        parts.push(&rest[..at]);
        rest = &rest[at + separator.len()..];
    }
    parts.push(rest);
    parts
}

fn split<'a>(ctx: &'a KernelContext<'_>, parts: impl Fn(&'a [u8]) -> Vec<&'a [u8]>) -> Result<[Tensor; 3]> {
    let input = ctx.input(0)?;
    let (mut indices, mut values, mut widest) = (Vec::new(), Vec::<Bytes>::new(), 0);
    for (row, text) in input.strings()?.iter().enumerate() {
        let parts = parts(text);
        widest = widest.max(parts.len());
        for (column, part) in parts.into_iter().enumerate() {
            indices.extend([row as i64, column as i64]);
            values.push(part.into());
        }
    }
    let count = values.len();
    Ok([
        Tensor::from_slice([count, 2], &indices)?,
        Tensor::from_strings([count], values)?,
        Tensor::from_slice([2], &[input.elements() as i64, widest as i64])?,
    ])
}

fn check(ctx: &KernelContext<'_>, separator: &str) -> Result<()> {
    let (input, by) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(input.rank() == 1, InvalidArgument, "input must be a vector, got shape: {}", input.shape());
    ensure!(by.rank() == 0, InvalidArgument, "{separator} must be a scalar, got shape: {}", by.shape());
    Ok(())
}

fn set_outputs(ctx: &mut KernelContext<'_>, outputs: [Tensor; 3]) {
    outputs.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
}

fn split_v1(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let skip_empty = init.bool("skip_empty")?;
    kernel(move |ctx| {
        check(ctx, "delimiter")?;
        let outputs = split(ctx, |text| {
            let set = ctx.inputs()[1].strings().ok().and_then(|s| s.first()).map_or(&[][..], |s| s);
            by_set(text, set, skip_empty)
        })?;
        set_outputs(ctx, outputs);
        Ok(())
    })
}

fn split_v2(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let most = usize::try_from(init.int32("maxsplit")?).ok();
    kernel(move |ctx| {
        check(ctx, "sep")?;
        let outputs = split(ctx, |text| {
            let separator = ctx.inputs()[1].strings().ok().and_then(|s| s.first()).map_or(&[][..], |s| s);
            by_word(text, separator, most)
        })?;
        set_outputs(ctx, outputs);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(1)?;
    c.input(1)?.with_rank(0)?;
    c.set_output(0, PartialShape::from_dims(&[None, Some(2)]));
    c.set_output(1, PartialShape::vector(None));
    c.set_output(2, PartialShape::vector(Some(2)));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, by: &str| {
        let op = Op::new(name).input("input: string").input(by);
        op.output("indices: int64").output("values: string").output("shape: int64").shape(shape)
    };
    r.add(
        op("StringSplit", "delimiter: string")
            .attr("skip_empty: bool = true")
            .doc(
                "Returns the parts of each string between the bytes of `delimiter`; its single bytes where that is \
                 empty.",
            )
            .kernel(split_v1),
    );
    r.add(
        op("StringSplitV2", "sep: string")
            .attr("maxsplit: int = -1")
            .doc("Returns the parts of each string between occurrences of `sep`, as Python's `str.split` finds them.")
            .kernel(split_v2),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(parts: Vec<&[u8]>) -> Vec<String> {
        parts.into_iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect()
    }

    #[test]
    fn a_set_of_bytes_splits() {
        assert_eq!(words(by_set(b"a,b c", b", ", true)), ["a", "b", "c"]);
        assert_eq!(words(by_set(b",a,,b", b",", true)), ["a", "b"]);
        assert_eq!(words(by_set(b",a,,b", b",", false)), ["", "a", "", "b"]);
        assert_eq!(words(by_set(b"abc", b"", true)), ["a", "b", "c"]);
        assert!(by_set(b"", b",", false).is_empty() && by_set(b"", b"", false).is_empty());
    }

    #[test]
    fn a_word_splits_as_in_python() {
        assert_eq!(words(by_word(b"a--b---c", b"--", None)), ["a", "b", "-c"]);
        assert_eq!(words(by_word(b"a--b--c", b"--", Some(1))), ["a", "b--c"]);
        assert_eq!(words(by_word(b"", b"--", None)), [""]);
        assert_eq!(words(by_word(b"  a  b c ", b"", None)), ["a", "b", "c"]);
        assert_eq!(words(by_word(b" a  b c ", b"", Some(1))), ["a", "b c "]);
        assert_eq!(words(by_word(b" a b", b"", Some(0))), [" a b"]);
    }
}
