//! Pad, PadV2: a tensor framed by a constant.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 15;

/// Infers the shape of a pad: known dimensions grow by `growth(size, before, after)`.
pub(super) fn infer(c: &mut ShapeContext<'_>, growth: impl Fn(i64, i64, i64) -> Result<i64>) -> Result<()> {
    let table = c.input(1)?.with_rank(2)?;
    if let Some(columns) = table.dim(1) {
        ensure!(columns == 2, InvalidArgument, "Dimension must be 2 but is {columns}");
    }
    let Some(rank) = table.dim(0).or(c.input(0)?.rank()) else { return Ok(()) };
    let input = c.input(0)?.with_rank(rank)?;
    let Some(paddings) = c.input_partial_i64s(1)?.filter(|p| p.len() == 2 * rank) else {
        c.set_output(0, PartialShape::unknown_of_rank(rank));
        return Ok(());
    };
    let mut dims = Vec::with_capacity(rank);
    for (i, pair) in paddings.chunks_exact(2).enumerate() {
        let negative = |p: Option<i64>| p.is_some_and(|p| p < 0);
        ensure!(!negative(pair[0]) && !negative(pair[1]), InvalidArgument, "Paddings must be non-negative");
        let known = input.dim(i).zip(pair[0].zip(pair[1]));
        let size = known.map(|(d, (before, after))| growth(d as i64, before, after)).transpose()?;
        dims.push(size.and_then(|n| usize::try_from(n).ok()));
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

/// Returns elements before and after, for each of `rank` dimensions.
pub(super) fn pairs(table: &Tensor, input: &Shape) -> Result<Vec<(usize, usize)>> {
    ensure!(
        table.rank() == 2 && table.shape()[1] == 2,
        InvalidArgument,
        "paddings must be a matrix with 2 columns: {}",
        table.shape()
    );
    ensure!(
        table.shape()[0] == input.rank(),
        InvalidArgument,
        "The first dimension of paddings must be the rank of inputs{} {input}",
        table.shape()
    );
    let numbers = table.to_i64s()?;
    let mut out = Vec::with_capacity(input.rank());
    for pair in numbers.chunks_exact(2) {
        match (usize::try_from(pair[0]), usize::try_from(pair[1])) {
            (Ok(before), Ok(after)) => out.push((before, after)),
            _ => bail!(InvalidArgument, "Paddings must be non-negative: {} {}", pair[0], pair[1]),
        }
    }
    Ok(out)
}

/// Returns the shape with every dimension grown by its pair.
pub(super) fn padded_shape(shape: &Shape, pairs: &[(usize, usize)]) -> Result<Shape> {
    let grown = |(&d, &(b, a)): (&usize, &(usize, usize))| d.saturating_add(b).saturating_add(a).min(i64::MAX as usize);
    Shape::checked(&shape.iter().zip(pairs).map(|p| grown(p) as i64).collect::<Vec<_>>())
}

/// Returns `x` framed by `value`.
pub(super) fn padded(threads: Threads, x: &Tensor, pairs: &[(usize, usize)], value: &Tensor) -> Result<Tensor> {
    let mut out = Tensor::new(x.dtype(), padded_shape(x.shape(), pairs)?)?;
    let shape = out.shape().clone();
    by_size!(
        x.dtype(),
        E,
        frame(threads, (E::view(x)?, x.shape()), pairs, E::view(value)?, (E::view_mut(&mut out)?, &shape))
    )?;
    Ok(out)
}

fn frame<E: Movable>(
    threads: Threads,
    (from, inside): (&[E], &Shape),
    pairs: &[(usize, usize)],
    value: &[E],
    (to, outside): (&mut [E], &Shape),
) -> Result<()> {
    let [value] = value else { bail!(InvalidArgument, "constant_values must be a scalar") };
    if to.is_empty() {
        return Ok(());
    }
    // A row consists of the last padded dimension and all those inside it.
    let Some(last) = pairs.iter().rposition(|&p| p != (0, 0)) else {
        to.clone_from_slice(from);
        return Ok(());
    };
    let block: usize = inside[last + 1..].iter().product();
    let (row, width, before) = (outside[last] * block, inside[last] * block, pairs[last].0 * block);
    // The input's row for each output row, or none.
    let source = |mut r: usize| {
        let (mut at, mut step) = (0, 1);
        for d in (0..last).rev() {
            let i = (r % outside[d]).checked_sub(pairs[d].0).filter(|&i| i < inside[d])?;
            at += i * step;
            step *= inside[d];
            r /= outside[d];
        }
        Some(at)
    };
    try_for_chunks_mut(threads, to, (BLOCK / row).max(1) * row, |start, chunk| {
        for (k, line) in chunk.chunks_exact_mut(row).enumerate() {
            match source(start / row + k) {
                Some(at) => {
                    line[..before].fill(value.clone());
                    line[before..before + width].clone_from_slice(&from[at * width..(at + 1) * width]);
                    line[before + width..].fill(value.clone());
                }
                None => line.fill(value.clone()),
            }
        }
    })?;
    Ok(())
}

fn pad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let zero = Tensor::zeros(init.dtype("T")?, Shape::scalar())?;
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        let value = ctx.inputs().get(2).unwrap_or(&zero);
        ensure!(value.rank() == 0, InvalidArgument, "constant_values must be a scalar. Found: {}", value.shape());
        let pairs = pairs(ctx.input(1)?, x.shape())?;
        let is_framed = pairs.iter().any(|&pair| pair != (0, 0));
        let out = if is_framed { padded(ctx.threads(), x, &pairs, value)? } else { ctx.take(0)? };
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let shape =
        |c: &mut ShapeContext<'_>| infer(c, |d, before, after| Ok(d.saturating_add(before).saturating_add(after)));
    let types = |op: Op| op.output("output: T").attr("T: type").attr("Tpaddings: {int32, int64} = DT_INT32");
    r.add(
        types(Op::new("Pad").input("input: T").input("paddings: Tpaddings"))
            .doc("Puts paddings[d, 0] zeros before and paddings[d, 1] after the elements of each dimension d.")
            .shape(shape)
            .kernel(pad),
    );
    r.add(
        types(Op::new("PadV2").input("input: T").input("paddings: Tpaddings").input("constant_values: T"))
            .doc(
                "Puts paddings[d, 0] copies of a value before and paddings[d, 1] after the elements of each dimension \
                 d.",
            )
            .shape(shape)
            .kernel(pad),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{DType, Result, Tensor};

    fn pad(x: &Tensor, pairs: &[[i32; 2]], value: Tensor, threads: usize) -> Result<Tensor> {
        let table = Tensor::from_slice([pairs.len(), 2], pairs.as_flattened()).unwrap();
        let args = [x.clone(), table, value].map(Arg::One);
        let got = run_args("PadV2", args.into(), &[], threads)?;
        assert_eq!(got.shapes[0].to_shape().as_ref(), Some(got.values[0].shape()));
        Ok(got.values[0].clone())
    }

    #[test]
    fn the_frame_is_the_value_and_the_middle_the_input() {
        let x = Tensor::from_slice([2, 3, 4], &(0..24u16).collect::<Vec<_>>()).unwrap();
        let cases = [[[1, 2], [0, 3], [2, 1]], [[0, 1], [2, 0], [0, 0]], [[3, 0], [0, 0], [0, 0]], [[0, 0]; 3]];
        for pairs in cases {
            let y = pad(&x, &pairs, Tensor::scalar(99u16), 2).unwrap();
            let s = y.shape().strides();
            for (n, &got) in y.slice::<u16>().unwrap().iter().enumerate() {
                let mut from = Some(0);
                for d in 0..3 {
                    let i = (n / s[d] % y.shape()[d]).checked_sub(pairs[d][0] as usize);
                    let i = i.filter(|&i| i < x.shape()[d]);
                    from = from.zip(i).map(|(f, i)| f * x.shape()[d] + i);
                }
                assert_eq!(got, from.map_or(99, |f| f as u16), "{pairs:?}");
            }
        }
    }

    #[test]
    fn nothing_strings_and_zeros() {
        let empty = Tensor::zeros(DType::F32, [0, 2]).unwrap();
        let y = pad(&empty, &[[1, 0], [0, 1]], Tensor::scalar(7f32), 1).unwrap();
        assert_eq!(y, Tensor::from_slice([1, 3], &[7f32; 3]).unwrap());
        let s = |t: &str| Tensor::from_strings([], vec![t.as_bytes().into()]).unwrap();
        assert_eq!(pad(&s("a"), &[], s("b"), 1).unwrap(), s("a"));
        let word = s("a").reshaped([1]).unwrap();
        assert_eq!(pad(&word, &[[1, 0]], s("b"), 1).unwrap().strings().unwrap()[0].as_ref(), b"b");
        let table = Tensor::from_slice([1, 2], &[1i64, 1]).unwrap();
        let y = run("Pad", &[Tensor::from_slice([1], &[true]).unwrap(), table], &[]).unwrap();
        assert_eq!(y[0].slice::<bool>().unwrap(), [false, true, false]);
    }

    #[test]
    fn faulty_tables_are_refused() {
        let x = Tensor::zeros(DType::F32, [2, 2]).unwrap();
        let zero = || Tensor::scalar(0f32);
        assert!(pad(&x, &[[0, -1], [0, 0]], zero(), 1).is_err());
        assert!(pad(&x, &[[0, 1]], zero(), 1).is_err());
        assert!(pad(&x, &[[i32::MAX; 2]; 2], zero(), 1).is_err());
        assert!(pad(&x, &[[0, 1]; 2], Tensor::from_slice([1], &[0f32]).unwrap(), 1).is_err());
        let table = Tensor::from_slice([2, 2], &[i64::MAX; 4]).unwrap();
        assert!(run("Pad", &[x, table], &[]).is_err());
    }
}
