//! DynamicPartition: slices of a tensor dealt out to several by number.

use super::gather::index_text;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (Some(data), Some(parts)) = (c.input(0)?.dims(), c.input(1)?.dims()) else { return Ok(()) };
    ensure!(
        data.len() >= parts.len(),
        InvalidArgument,
        "Shape must be at least rank {} but is rank {}",
        parts.len(),
        data.len()
    );
    PartialShape::from_dims(&parts).merge(&PartialShape::from_dims(&data[..parts.len()]))?;
    let each = PartialShape::vector(None).concatenate(&PartialShape::from_dims(&data[parts.len()..]));
    for i in 0..c.num_outputs() {
        c.set_output(i, each.clone());
    }
    Ok(())
}

fn deal<E: Movable>(data: &Tensor, parts: &[usize], inner: usize, outputs: &mut [Tensor]) -> Result<()> {
    let mut slots = outputs.iter_mut().map(E::view_mut).collect::<Result<Vec<_>>>()?;
    let mut filled = vec![0; slots.len()];
    for (line, &p) in E::view(data)?.chunks_exact(inner).zip(parts) {
        slots[p][filled[p]..filled[p] + inner].clone_from_slice(line);
        filled[p] += inner;
    }
    Ok(())
}

fn partition(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let n = init.node.outputs.len();
    kernel(move |ctx| {
        let (data, partitions) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(
            data.shape().starts_with(partitions.shape()),
            InvalidArgument,
            "data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
            data.shape(),
            partitions.shape()
        );
        let mut counts = vec![0usize; n];
        let mut parts = Vec::with_capacity(partitions.elements());
        for (i, &p) in partitions.slice::<i32>()?.iter().enumerate() {
            let Some(p) = usize::try_from(p).ok().filter(|&p| p < n) else {
                bail!(InvalidArgument, "partitions{} = {p} is not in [0, {n})", index_text(partitions.shape(), i));
            };
            counts[p] += 1;
            parts.push(p);
        }
        let slice = &data.shape()[partitions.rank()..];
        let inner: usize = slice.iter().product();
        let mut outputs = Vec::with_capacity(n);
        for count in counts {
            let shape: Shape = std::iter::once(count).chain(slice.iter().copied()).collect();
            outputs.push(Tensor::new(data.dtype(), shape)?);
        }
        if inner > 0 {
            by_size!(data.dtype(), E, deal::<E>(data, &parts, inner, &mut outputs))?;
        }
        for (i, o) in outputs.into_iter().enumerate() {
            ctx.set_output(i, o);
        }
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("DynamicPartition")
            .input("data: T")
            .input("partitions: int32")
            .output("outputs: num_partitions * T")
            .attr("num_partitions: int >= 1")
            .attr("T: type")
            .doc("Gives slice data[i] to output partitions[i]; slices of one output keep their order.")
            .shape(shape)
            .kernel(partition),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn partition(data: Tensor, dims: &[usize], parts: &[i32], n: i64) -> Result<Vec<Tensor>> {
        let parts = Tensor::from_slice(dims, parts).unwrap();
        run("DynamicPartition", &[data, parts], &[("num_partitions", AttrValue::Int(n))])
    }

    #[test]
    fn slices_go_to_their_output_in_order() {
        let x = Tensor::from_slice([4, 2], &(0..8i64).collect::<Vec<_>>()).unwrap();
        let got = partition(x.clone(), &[4], &[1, 0, 1, 1], 3).unwrap();
        assert_eq!(got[0].slice::<i64>().unwrap(), [2, 3]);
        assert_eq!(got[1].slice::<i64>().unwrap(), [0, 1, 4, 5, 6, 7]);
        assert_eq!(got[2].shape().dims(), [0, 2]);
        let got = partition(x.clone(), &[4, 2], &[0, 1, 0, 1, 0, 1, 0, 1], 2).unwrap();
        assert_eq!(got[1].slice::<i64>().unwrap(), [1, 3, 5, 7]);
        let whole = partition(x.clone(), &[], &[1], 2).unwrap();
        assert_eq!((whole[0].shape().dims(), whole[1].shape().dims()), (&[0, 4, 2][..], &[1, 4, 2][..]));
        let e = partition(x.clone(), &[4], &[0, 0, 5, 0], 2).unwrap_err();
        assert!(e.message().contains("partitions[2] = 5 is not in [0, 2)"));
        assert!(partition(x, &[3], &[0; 3], 2).is_err());
    }
}
