//! UnicodeDecode(WithOffsets), UnicodeEncode, UnicodeTranscode: texts as code points, and in other encodings.

use super::each::to_strings;
use super::unicode_text::{Input, Output, each_point, push};
use crate::ragged::splits as row_splits;
use ferroflow_graph::{AttrMap, Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{Bytes, PartialShape, Result, Status, Tensor, bail, ensure};

const MALFORMED: &str = "Invalid formatting on input string";

/// The treatment of bytes and numbers that are no code points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Errors {
    Strict,
    Replace(u32),
    Ignore,
}

impl Errors {
    fn of(attrs: &AttrMap) -> Result<Errors> {
        let replacement = attrs.int("replacement_char")?;
        let known = u32::try_from(replacement).ok().filter(|&c| c <= u32::from(char::MAX));
        let Some(replacement) = known else {
            bail!(InvalidArgument, "replacement_char out of unicode codepoint range")
        };
        Ok(match attrs.str("errors")?.as_str() {
            "strict" => Errors::Strict,
            "ignore" => Errors::Ignore,
            _ => Errors::Replace(replacement),
        })
    }
}

/// The encoding of texts, and the treatment of what is malformed.
#[derive(Clone, Copy)]
struct Reading {
    encoding: Input,
    errors: Errors,
    replacement: u32,
    replace_controls: bool,
}

impl Reading {
    fn of(attrs: &AttrMap) -> Result<Reading> {
        Ok(Reading {
            errors: Errors::of(attrs)?,
            encoding: Input::named(&attrs.str("input_encoding")?)?,
            replacement: u32::try_from(attrs.int("replacement_char")?).unwrap_or(0xfffd),
            replace_controls: attrs.bool("replace_control_characters")?,
        })
    }

    /// Calls `f` with each code point and the place of its first byte. True if all bytes are code points that stay.
    fn read(self, text: &[u8], mut f: impl FnMut(u32, usize)) -> (bool, bool) {
        let (mut is_well_formed, mut has_controls) = (true, false);
        let mut at = 0;
        each_point(text, self.encoding, |(point, size)| {
            let is_control = self.replace_controls && point.is_some_and(|c| c <= 0x1f);
            is_well_formed &= point.is_some();
            has_controls |= is_control;
            match point.filter(|_| !is_control) {
                Some(point) => f(point, at),
                None if self.errors == Errors::Ignore => {}
                None => f(self.replacement, at),
            }
            at += size;
        });
        (is_well_formed, has_controls)
    }
}

fn decode(init: &KernelInit<'_>, with_offsets: bool) -> Result<Box<dyn Kernel>> {
    let reading = Reading::of(init)?;
    let dtype = init.output_type(0)?;
    kernel(move |ctx| {
        let (mut splits, mut points, mut offsets) = (vec![0], Vec::new(), Vec::new());
        for text in ctx.input(0)?.strings()? {
            let (is_well_formed, _) = reading.read(text, |point, at| {
                points.push(point as i32);
                offsets.push(at as i64);
            });
            ensure!(is_well_formed || reading.errors != Errors::Strict, InvalidArgument, "{MALFORMED}");
            splits.push(points.len());
        }
        ctx.set_output(0, row_splits::to_tensor(dtype, &splits)?);
        ctx.set_output(1, Tensor::from_slice([points.len()], &points)?);
        if with_offsets {
            ctx.set_output(2, Tensor::from_slice([offsets.len()], &offsets)?);
        }
        Ok(())
    })
}

fn transcode(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let reading = Reading::of(init)?;
    let output = Output::named(&init.str("output_encoding")?)?;
    kernel(move |ctx| {
        to_strings(ctx, |text| {
            let mut units = Vec::with_capacity(text.len());
            let (is_well_formed, has_controls) = reading.read(text, |point, _| push(&mut units, point));
            ensure!(
                (is_well_formed && !has_controls) || reading.errors != Errors::Strict,
                InvalidArgument,
                "{MALFORMED}"
            );
            Ok(output.write(&units).into())
        })
    })
}

fn encode(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let errors = Errors::of(init)?;
    let output = Output::named(&init.str("output_encoding")?)?;
    kernel(move |ctx| {
        let (values, splits) = (ctx.input(0)?, ctx.input(1)?);
        // TF 1.x: the step takes values of any shape, one after the other.
        ensure!(splits.rank() == 1, InvalidArgument, "input_splits must be a vector, got shape {}", splits.shape());
        let (values, splits) = (values.slice::<i32>()?, splits.to_i64s()?);
        ensure!(!splits.is_empty(), InvalidArgument, "input_splits must have at least one element");
        let mut texts: Vec<Bytes> = Vec::with_capacity(splits.len() - 1);
        // TF 1.x: the first row begins with the first value, whatever the first split is.
        let mut start = 0;
        for &split in &splits[1..] {
            let end = usize::try_from(split).ok();
            let Some((end, row)) = end.and_then(|end| Some((end, values.get(start..end)?))) else {
                bail!(
                    InvalidArgument,
                    "input_splits must ascend from 0 to at most {}, got {start} before {split}",
                    values.len()
                )
            };
            start = end;
            let mut units = Vec::with_capacity(row.len());
            for &value in row {
                match (u32::try_from(value).ok().filter(|&c| c <= u32::from(char::MAX)), errors) {
                    (Some(point), _) => push(&mut units, point),
                    (None, Errors::Replace(replacement)) => push(&mut units, replacement),
                    (None, Errors::Ignore) => {}
                    (None, Errors::Strict) => {
                        return Err(Status::invalid_argument("Code point value out of valid Unicode range."));
                    }
                }
            }
            texts.push(output.write(&units).into());
        }
        ctx.set_output(0, Tensor::from_strings([texts.len()], texts)?);
        Ok(())
    })
}

fn decoded_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let texts = c.input(0)?.elements();
    c.set_output(0, PartialShape::vector(texts.map(|n| n + 1)));
    for i in 1..c.num_outputs() {
        c.set_output(i, PartialShape::vector(None));
    }
    Ok(())
}

fn encoded_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(1)?;
    let splits = c.input(1)?.with_rank(1)?.dim(0);
    ensure!(splits != Some(0), InvalidArgument, "Negative dimension size caused by subtracting 1 from 0");
    c.set_output(0, PartialShape::vector(splits.map(|n| n - 1)));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let errors = "errors: {'strict', 'replace', 'ignore'} = 'replace'";
    let replacement = "replacement_char: int = 65533";
    let controls = "replace_control_characters: bool = false";
    let splits = "Tsplits: {int32, int64} = DT_INT64";
    let reader = |name: &str| {
        let op = Op::new(name).input("input: string").attr("input_encoding: string").attr(errors);
        op.attr(replacement).attr(controls)
    };
    let decoder = |name: &str| reader(name).output("row_splits: Tsplits").output("char_values: int32").attr(splits);
    r.add(
        decoder("UnicodeDecode")
            .doc("Returns the code points of texts, and the places at which the texts begin among them.")
            .shape(decoded_shape)
            .kernel(|init| decode(init, false)),
    );
    r.add(
        decoder("UnicodeDecodeWithOffsets")
            .output("char_to_byte_starts: int64")
            .doc("Computes `UnicodeDecode`, and the place of each code point's first byte in its text.")
            .shape(decoded_shape)
            .kernel(|init| decode(init, true)),
    );
    r.add(
        reader("UnicodeTranscode")
            .output("output: string")
            .attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
            .doc("Returns texts in another encoding.")
            .shape(shape_rules::unchanged)
            .kernel(transcode),
    );
    r.add(
        Op::new("UnicodeEncode")
            .input("input_values: int32")
            .input("input_splits: Tsplits")
            .output("output: string")
            .attr("errors: {'ignore', 'replace', 'strict'} = 'replace'")
            .attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}")
            .attr(replacement)
            .attr(splits)
            .doc("Returns the texts whose code points are rows of the input.")
            .shape(encoded_shape)
            .kernel(encode),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Bytes, Result, Tensor};

    fn text(s: &str) -> AttrValue {
        AttrValue::Str(s.into())
    }

    fn decoded(bytes: &[u8], errors: &str, controls: bool) -> Result<Vec<i32>> {
        let attrs = [
            ("input_encoding", text("UTF-8")),
            ("errors", text(errors)),
            ("replace_control_characters", AttrValue::Bool(controls)),
        ];
        let input = Tensor::from_strings([1], vec![Bytes::from(bytes)])?;
        Ok(run("UnicodeDecode", &[input], &attrs)?[1].slice::<i32>()?.to_vec())
    }

    #[test]
    fn malformed_bytes_are_replaced_dropped_or_refused() {
        assert_eq!(decoded(b"a\xffb", "replace", false).unwrap(), [97, 65533, 98]);
        assert_eq!(decoded(b"a\xffb", "ignore", false).unwrap(), [97, 98]);
        assert_eq!(decoded(b"a\xffb", "strict", false).unwrap_err().message(), super::MALFORMED);
        assert_eq!(decoded(b"a\tb", "strict", true).unwrap(), [97, 65533, 98]);
        assert_eq!(decoded(b"a\tb", "ignore", true).unwrap(), [97, 98]);
    }

    #[test]
    fn numbers_that_are_no_code_points_are_refused_where_that_is_strict() {
        let encode = |values: &[i32], splits: &[i64], errors: &str| -> Result<Vec<Bytes>> {
            let inputs = [Tensor::from_slice([values.len()], values)?, Tensor::from_slice([splits.len()], splits)?];
            let attrs = [("errors", text(errors)), ("output_encoding", text("UTF-8"))];
            Ok(run("UnicodeEncode", &inputs, &attrs)?[0].strings()?.to_vec())
        };
        assert_eq!(encode(&[97, -1, 98], &[0, 2, 3], "ignore").unwrap(), [Bytes::from(&b"a"[..]), b"b"[..].into()]);
        assert_eq!(encode(&[0x11_0000], &[0, 1], "replace").unwrap(), [Bytes::from("\u{fffd}".as_bytes())]);
        assert!(encode(&[-1], &[0, 1], "strict").is_err());
        assert!(encode(&[97], &[0, 2], "replace").is_err());
        assert!(encode(&[97], &[0, 1, 0], "replace").is_err());
        for first in [-1, 1, 2, 5] {
            let texts = encode(&[97, 98, 99], &[first, 2, 2, 3], "replace").unwrap();
            assert_eq!(texts, [Bytes::from(&b"ab"[..]), b""[..].into(), b"c"[..].into()]);
        }
    }
}
