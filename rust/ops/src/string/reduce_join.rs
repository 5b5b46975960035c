//! ReduceJoin: the strings along some dimensions, joined.

use super::offsets::offsets;
use crate::room::room;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, PartialShape, Result, Status, Tensor, bail, ensure};

/// Returns the dimensions to join along, in the order given: the first one varies fastest.
fn axes(given: &[i64], rank: usize) -> Result<Vec<usize>> {
    let r = rank as i64;
    let mut out = Vec::with_capacity(given.len());
    for &axis in given {
        ensure!(
            (-r..r).contains(&axis),
            OutOfRange,
            "Invalid reduction dimension {axis} for input with {rank} dimension(s)"
        );
        out.push(if axis < 0 { axis + r } else { axis } as usize);
    }
    Ok(out)
}

/// Returns the error of the shape function. TF 1.x: it is not the kernel's.
fn of_shape(e: Status) -> Status {
    Status::invalid_argument(e.message().replace("dimension(s)", "dimensions."))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let keep = c.bool("keep_dims")?;
    c.input(1)?.with_rank_at_most(1)?;
    let Some(dims) = c.input(0)?.dims() else { return Ok(()) };
    let out = match c.input_i64s(1)? {
        Some(given) => {
            let joined = axes(&given, dims.len()).map_err(of_shape)?;
            let left = dims.iter().enumerate().filter_map(|(i, d)| match joined.contains(&i) {
                true => keep.then_some(Some(1)),
                false => Some(*d),
            });
            PartialShape::from_dims(&left.collect::<Vec<_>>())
        }
        None if keep => PartialShape::unknown_of_rank(dims.len()),
        None => return Ok(()),
    };
    c.set_output(0, out);
    Ok(())
}

fn reduce_join(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (keep, separator) = (init.bool("keep_dims")?, init.bytes("separator")?);
    kernel(move |ctx| {
        let input = ctx.input(0)?;
        let given = ctx.input(1)?.to_i64s()?;
        let joined = axes(&given, input.rank())?;
        if let Some(i) = (1..joined.len()).find(|&i| joined[..i].contains(&joined[i])) {
            bail!(InvalidArgument, "Duplicate reduction dimension {}", given[i]);
        }
        let kept: Vec<usize> = (0..input.rank()).filter(|i| !joined.contains(i)).collect();
        let out_dims: Vec<usize> = (0..input.rank())
            .filter_map(|i| match joined.contains(&i) {
                true => keep.then_some(1),
                false => Some(input.shape()[i]),
            })
            .collect();
        let strings = input.strings()?;
        let (shape, strides) = (input.shape(), input.shape().strides());
        let steps = |axes: Vec<usize>| axes.into_iter().map(|axis| (shape[axis], strides[axis])).collect::<Vec<_>>();
        let kept = offsets(&steps(kept))?;
        // Without strings, either nothing is joined or there is nothing to join.
        let parts = if strings.is_empty() { Vec::new() } else { offsets(&steps(joined.into_iter().rev().collect()))? };
        let mut out: Vec<Bytes> = room(kept.len(), "strings")?;
        for at in kept {
            out.push(parts.iter().map(|p| &*strings[at + p]).collect::<Vec<&[u8]>>().join(&separator[..]).into());
        }
        ctx.set_output(0, Tensor::from_strings(out_dims.as_slice(), out)?);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ReduceJoin")
            .input("inputs: string")
            .input("reduction_indices: int32")
            .output("output: string")
            .attr("keep_dims: bool = false")
            .attr("separator: string = ''")
            .doc("Joins the strings along the given dimensions, in their order, with `separator` between them.")
            .shape(shape)
            .kernel(reduce_join),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Code, Result, Tensor};

    fn join(axes: &[i32]) -> Result<Vec<String>> {
        let x = ["a", "b", "c", "d"].map(|s| s.as_bytes().into()).to_vec();
        let x = Tensor::from_strings([2, 2], x)?;
        let y = run("ReduceJoin", &[x, Tensor::from_slice([axes.len()], axes)?], &[])?;
        Ok(y[0].strings()?.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect())
    }

    #[test]
    fn the_order_of_dimensions_is_the_order_of_joining() {
        assert_eq!(join(&[0]).unwrap(), ["ac", "bd"]);
        assert_eq!(join(&[-1]).unwrap(), ["ab", "cd"]);
        assert_eq!(join(&[0, 1]).unwrap(), ["acbd"]);
        assert_eq!(join(&[1, 0]).unwrap(), ["abcd"]);
        assert_eq!(join(&[]).unwrap(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn dimensions_outside_or_twice_are_errors() {
        assert!(join(&[2]).is_err());
        assert_eq!(join(&[0, -2]).unwrap_err().code(), Code::InvalidArgument);
    }
}
