//! Substr: parts of strings by position and length.

use super::each::texts;
use super::length::Unit;
use super::offsets::offsets;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, broadcast, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (input, pos, len) = (c.input(0)?, c.input(1)?, c.input(2)?);
    if let (Some(a), Some(b)) = (pos.dims(), len.dims()) {
        ensure!(
            a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a == b || a.is_none() || b.is_none()),
            InvalidArgument,
            "pos and len shapes must match: {pos} vs. {len}"
        );
    }
    let out = PartialShape::broadcast(input, pos)?;
    c.set_output(0, out);
    Ok(())
}

/// The places that the elements of a broadcast tensor come from.
enum Sources {
    Same,
    One,
    Listed(Vec<usize>),
}

impl Sources {
    fn of(from: &Shape, to: &Shape) -> Result<Sources> {
        Ok(match from {
            _ if from == to => Sources::Same,
            _ if from.elements() == 1 => Sources::One,
            _ => Sources::Listed(stretched(from, to)?),
        })
    }

    fn at(&self, index: usize) -> usize {
        match self {
            Sources::Same => index,
            Sources::One => 0,
            Sources::Listed(places) => places[index],
        }
    }
}

/// Returns, for each element of `to`, the element of a tensor of shape `from` stretched to it.
fn stretched(from: &Shape, to: &Shape) -> Result<Vec<usize>> {
    let lead = to.rank() - from.rank();
    let strides = from.strides();
    let step = |axis: usize| axis.checked_sub(lead).map_or(0, |a| if from[a] == 1 { 0 } else { strides[a] });
    offsets(&to.iter().enumerate().map(|(axis, &size)| (size, step(axis))).collect::<Vec<_>>())
}

/// Returns `text[pos..pos + len]` in units; a negative position counts from the end, and a length may reach over it.
fn part(text: &[u8], pos: i64, len: i64, unit: Unit) -> Option<&[u8]> {
    let count = unit.count(text) as i64;
    let from = if pos < 0 { pos.checked_add(count)? } else { pos };
    if !(0..=count).contains(&from) {
        return None;
    }
    let to = match (len < 0, unit) {
        // TF 1.x: a negative length is a very large one of bytes, but no character long.
        (true, Unit::Byte) => count,
        (true, _) => from,
        (false, _) => from.saturating_add(len).min(count),
    };
    if unit == Unit::Byte {
        return Some(&text[from as usize..to as usize]);
    }
    let mut starts = text.iter().enumerate().filter(|&(_, &b)| unit.starts(b)).map(|(i, _)| i);
    let first = starts.clone().nth(from as usize).unwrap_or(text.len());
    let end = starts.nth(to as usize).unwrap_or(text.len());
    Some(&text[first..end])
}

fn substr(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let unit = Unit::of(init)?;
    kernel(move |ctx| {
        let (input, pos, len) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
        ensure!(
            pos.shape() == len.shape(),
            InvalidArgument,
            "pos and len should have the same shape, got: {} vs. {}",
            pos.shape(),
            len.shape()
        );
        let shape = broadcast(input.shape(), pos.shape())?;
        let (sources, places) = (Sources::of(input.shape(), &shape)?, Sources::of(pos.shape(), &shape)?);
        let (strings, pos, len) = (input.strings()?, pos.to_i64s()?, len.to_i64s()?);
        let out = texts(ctx.threads(), shape.elements(), |i| {
            let (text, at) = (&strings[sources.at(i)], places.at(i));
            let part = part(text, pos[at], len[at], unit);
            ensure!(
                part.is_some(),
                InvalidArgument,
                "pos {} out of range for string b'{}' at index {i}",
                pos[at],
                String::from_utf8_lossy(text)
            );
            Ok(part.unwrap_or_default().into())
        })?;
        ctx.set_output(0, Tensor::from_strings(shape, out)?);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Substr")
            .input("input: string")
            .input("pos: T")
            .input("len: T")
            .output("output: string")
            .attr("T: {int32, int64}")
            .attr(Unit::ATTR)
            .doc(
                "Returns the part of each string that begins at `pos` and has `len` bytes, or fewer where the string \
                 ends.",
            )
            .shape(shape)
            .kernel(substr),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_either_end() {
        let of = |pos, len| part(b"hello", pos, len, Unit::Byte);
        assert_eq!(of(1, 3), Some(&b"ell"[..]));
        assert_eq!(of(3, 9), Some(&b"lo"[..]));
        assert_eq!((of(5, 1), of(-2, 1)), (Some(&b""[..]), Some(&b"l"[..])));
        assert_eq!((of(6, 0), of(-6, 1), of(i64::MIN, i64::MAX)), (None, None, None));
        let text = "aé€x".as_bytes();
        assert_eq!(part(text, 1, 2, Unit::Utf8Character), Some("é€".as_bytes()));
        assert_eq!(part(text, -1, 5, Unit::Utf8Character), Some(&b"x"[..]));
        assert_eq!(part(text, 1, -1, Unit::Utf8Character), Some(&b""[..]));
        assert_eq!(of(1, -1), Some(&b"ello"[..]));
    }

    #[test]
    fn strings_and_positions_stretch() {
        let from = Shape::new(&[2, 1]);
        assert_eq!(stretched(&from, &Shape::new(&[2, 3])).unwrap(), [0, 0, 0, 1, 1, 1]);
        assert_eq!(stretched(&Shape::new(&[3]), &Shape::new(&[2, 3])).unwrap(), [0, 1, 2, 0, 1, 2]);
        assert_eq!(stretched(&Shape::scalar(), &Shape::new(&[2])).unwrap(), [0, 0]);
    }
}
