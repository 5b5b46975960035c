//! ReverseSequence: the beginning of each sequence of a batch in reverse order.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

/// Returns an attribute that names one of `rank` dimensions.
fn place(name: &str, axis: i64, rank: usize) -> Result<usize> {
    ensure!(axis < rank as i64, InvalidArgument, "{name} must be < input rank: {axis} vs. {rank}");
    match usize::try_from(axis) {
        Ok(axis) => Ok(axis),
        Err(_) => bail!(InvalidArgument, "{name} must be >= 0, got {axis}"),
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let lengths = c.input(1)?.with_rank(1)?;
    let (seq, batch) = (c.int("seq_dim")?, c.int("batch_dim")?);
    let Some(mut dims) = c.input(0)?.dims() else { return Ok(()) };
    let batch = place("batch_dim", batch, dims.len())?;
    place("seq_dim", seq, dims.len())?;
    let size = PartialShape::vector(dims[batch]).merge(&lengths)?;
    dims[batch] = size.dim(0);
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn reverse_ends<E: Movable>(
    threads: Threads,
    from: &[E],
    shape: &Shape,
    axes: (usize, usize),
    lengths: &[usize],
    to: &mut [E],
) -> Result<()> {
    let (seq, batch) = axes;
    if to.is_empty() {
        return Ok(());
    }
    // A row consists of the dimensions inside both.
    let inner: usize = shape[seq.max(batch) + 1..].iter().product();
    let strides = shape.strides();
    let (seq_rows, batch_rows) = (strides[seq] / inner, strides[batch] / inner);
    try_for_chunks_mut(threads, to, (BLOCK / inner).max(1) * inner, |start, chunk| {
        for (k, line) in chunk.chunks_exact_mut(inner).enumerate() {
            let row = start / inner + k;
            let (i, n) = (row / seq_rows % shape[seq], lengths[row / batch_rows % shape[batch]]);
            let source = if i < n { row - i * seq_rows + (n - 1 - i) * seq_rows } else { row };
            line.clone_from_slice(&from[source * inner..(source + 1) * inner]);
        }
    })?;
    Ok(())
}

fn reverse(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (seq, batch) = (init.int32("seq_dim")?, init.int32("batch_dim")?);
    kernel(move |ctx| {
        let (x, lengths) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(lengths.rank() == 1, InvalidArgument, "seq_lens input must be 1-dim, not {}", lengths.rank());
        ensure!(seq != batch, InvalidArgument, "batch_dim == seq_dim == {seq}");
        let (seq, batch) = (place("seq_dim", seq, x.rank())?, place("batch_dim", batch, x.rank())?);
        ensure!(
            lengths.elements() == x.shape()[batch],
            InvalidArgument,
            "len(seq_lens) != input.dims({batch}), ({} vs. {})",
            lengths.elements(),
            x.shape()[batch]
        );
        let mut ends = Vec::with_capacity(lengths.elements());
        for (i, n) in lengths.to_i64s()?.into_iter().enumerate() {
            let Ok(n) = usize::try_from(n) else { bail!(InvalidArgument, "seq_lens({i}) < 0") };
            ensure!(n <= x.shape()[seq], InvalidArgument, "seq_lens({i}) > input.dims({seq})");
            ends.push(n);
        }
        let mut out = Tensor::new(x.dtype(), x.shape().clone())?;
        by_size!(x.dtype(), E, {
            reverse_ends(ctx.threads(), E::view(x)?, x.shape(), (seq, batch), &ends, E::view_mut(&mut out)?)?;
            Ok(())
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ReverseSequence")
            .input("input: T")
            .input("seq_lengths: Tlen")
            .output("output: T")
            .attr("seq_dim: int")
            .attr("batch_dim: int = 0")
            .attr("T: type")
            .attr("Tlen: {int32, int64} = DT_INT64")
            .doc("Reverses the first seq_lengths[i] entries along `seq_dim` of entry i along `batch_dim`.")
            .shape(shape)
            .kernel(reverse),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn reversed(x: &Tensor, lengths: &[i64], seq: i64, batch: i64) -> Result<Tensor> {
        let lengths = Tensor::from_slice([lengths.len()], lengths).unwrap();
        let attrs = [("seq_dim", AttrValue::Int(seq)), ("batch_dim", AttrValue::Int(batch))];
        Ok(run("ReverseSequence", &[x.clone(), lengths], &attrs)?[0].clone())
    }

    #[test]
    fn each_sequence_is_turned_up_to_its_length() {
        let x = Tensor::from_slice([2, 3, 2, 2], &(0..24i32).collect::<Vec<_>>()).unwrap();
        for (seq, batch, lengths) in
            [(1, 0, vec![2i64, 3]), (0, 1, vec![1, 2, 0]), (3, 1, vec![2, 0, 1]), (2, 3, vec![2, 1])]
        {
            let y = reversed(&x, &lengths, seq as i64, batch as i64).unwrap();
            let s = x.shape().strides();
            for (n, &got) in y.slice::<i32>().unwrap().iter().enumerate() {
                let mut index: Vec<usize> = (0..4).map(|d| n / s[d] % x.shape()[d]).collect();
                let end = lengths[index[batch]] as usize;
                if index[seq] < end {
                    index[seq] = end - 1 - index[seq];
                }
                assert_eq!(got as usize, index.iter().zip(&s).map(|(a, b)| a * b).sum::<usize>());
            }
        }
    }

    #[test]
    fn faulty_lengths_and_dimensions_are_refused() {
        let x = Tensor::from_slice([2, 3], &[0i32; 6]).unwrap();
        for (lengths, seq, batch) in
            [(&[4i64, 0][..], 1, 0), (&[-1, 0], 1, 0), (&[1], 1, 0), (&[1, 1], 0, 0), (&[1, 1], 2, 0), (&[1, 1], -1, 0)]
        {
            assert!(reversed(&x, lengths, seq, batch).is_err());
        }
    }
}
