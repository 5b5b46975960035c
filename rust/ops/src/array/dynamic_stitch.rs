//! DynamicStitch, ParallelDynamicStitch: slices of several tensors put in the places that index tensors name.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let n = c.num_inputs() / 2;
    let mut largest = Some(-1i64);
    let mut slice = PartialShape::unknown();
    for i in 0..n {
        let values = c.input_i64s(i)?;
        let top = values.map(|v| v.into_iter().max().unwrap_or(-1));
        largest = largest.zip(top).map(|(a, b)| a.max(b));
        let (Some(index), Some(data)) = (c.input(i)?.dims(), c.input(n + i)?.dims()) else { continue };
        ensure!(
            data.len() >= index.len(),
            InvalidArgument,
            "Shape must be at least rank {} but is rank {}",
            index.len(),
            data.len()
        );
        PartialShape::from_dims(&index).merge(&PartialShape::from_dims(&data[..index.len()]))?;
        slice = slice.merge(&PartialShape::from_dims(&data[index.len()..]))?;
    }
    let first = largest.and_then(|l| usize::try_from(l + 1).ok());
    c.set_output(0, PartialShape::vector(first).concatenate(&slice));
    Ok(())
}

fn put<E: Movable>(data: &Tensor, places: &[i32], inner: usize, to: &mut Tensor) -> Result<()> {
    let (from, to) = (E::view(data)?, E::view_mut(to)?);
    for (line, &place) in from.chunks_exact(inner).zip(places) {
        let at = place as usize * inner;
        to[at..at + inner].clone_from_slice(line);
    }
    Ok(())
}

fn stitch(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let (indices, data) = ctx.inputs().split_at(ctx.num_inputs() / 2);
        let Some((index0, data0)) = indices.first().zip(data.first()) else {
            bail!(InvalidArgument, "DynamicStitch: Must have some inputs");
        };
        let mut largest = -1;
        for (k, (index, data)) in indices.iter().zip(data).enumerate() {
            ensure!(
                data.shape().starts_with(index.shape()),
                InvalidArgument,
                "data[{k}].shape = {} does not start with indices[{k}].shape = {}",
                data.shape(),
                index.shape()
            );
            ensure!(
                data.shape()[index.rank()..] == data0.shape()[index0.rank()..],
                InvalidArgument,
                "Need data[0].shape[{}:] = data[{k}].shape[{}:], got data[0].shape = {}, data[{k}].shape = {}, \
                 indices[0].shape = {}, indices[{k}].shape = {}",
                index0.rank(),
                index.rank(),
                data0.shape(),
                data.shape(),
                index0.shape(),
                index.shape()
            );
            largest = index.slice::<i32>()?.iter().fold(largest, |most, &place| most.max(place));
        }
        // TF 1.x: without a place from 0 on there is no row to write, and no index is checked.
        let written = if largest < 0 { &indices[..0] } else { indices };
        for index in written {
            for (i, &place) in index.slice::<i32>()?.iter().enumerate() {
                ensure!(place >= 0, InvalidArgument, "indices[{i}] is out of range");
            }
        }
        let slice = &data0.shape()[index0.rank()..];
        let inner: usize = slice.iter().product();
        let dims: Vec<i64> = std::iter::once(i64::from(largest) + 1).chain(slice.iter().map(|&d| d as i64)).collect();
        let mut out = Tensor::zeros(data0.dtype(), Shape::checked(&dims)?)?;
        if inner > 0 {
            // If two slices have one place, the later one stays.
            for (index, data) in written.iter().zip(data) {
                by_size!(data.dtype(), E, put::<E>(data, index.slice::<i32>()?, inner, &mut out))?;
            }
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    for name in ["DynamicStitch", "ParallelDynamicStitch"] {
        r.add(
            Op::new(name)
                .input("indices: N * int32")
                .input("data: N * T")
                .output("merged: T")
                .attr("N: int >= 1")
                .attr("T: type")
                .doc("Puts slice data[m][i] at place indices[m][i]; of several at one place the last stays.")
                .shape(shape)
                .kernel(stitch),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_tensor::{Result, Tensor};

    fn stitch(indices: Vec<Tensor>, data: Vec<Tensor>) -> Result<Tensor> {
        let got = run_args("DynamicStitch", vec![Arg::List(indices), Arg::List(data)], &[], 1)?;
        assert_eq!(got.shapes[0].to_shape().as_ref(), Some(got.values[0].shape()));
        Ok(got.values[0].clone())
    }

    #[test]
    fn slices_land_in_their_places_and_the_last_stays() {
        let indices = vec![
            Tensor::scalar(6i32),
            Tensor::from_slice([2], &[4i32, 1]).unwrap(),
            Tensor::from_slice([2, 2], &[5i32, 2, 0, 4]).unwrap(),
        ];
        let data = vec![
            Tensor::from_slice([2], &[61i32, 62]).unwrap(),
            Tensor::from_slice([2, 2], &[41, 42, 11, 12]).unwrap(),
            Tensor::from_slice([2, 2, 2], &[51, 52, 21, 22, 1, 2, 43, 44]).unwrap(),
        ];
        let y = stitch(indices, data).unwrap();
        assert_eq!(y.shape().dims(), [7, 2]);
        assert_eq!(y.slice::<i32>().unwrap(), [1, 2, 11, 12, 21, 22, 0, 0, 43, 44, 51, 52, 61, 62]);
        let none = Tensor::from_slice([0], &[0i32; 0]).unwrap();
        assert_eq!(
            stitch(vec![none], vec![Tensor::from_slice([0, 3], &[0f32; 0]).unwrap()]).unwrap().shape().dims(),
            [0, 3]
        );
    }

    #[test]
    fn indices_below_zero_alone_name_no_row() {
        for indices in [&[-1][..], &[-1, -7], &[i32::MIN]] {
            let data = Tensor::from_slice([indices.len(), 3], &vec![1f32; indices.len() * 3]).unwrap();
            let indices = vec![Tensor::from_slice([indices.len()], indices).unwrap()];
            assert_eq!(stitch(indices, vec![data]).unwrap().shape().dims(), [0, 3]);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let index = |v: &[i32]| Tensor::from_slice([v.len()], v).unwrap();
        let floats = |d: &[usize]| Tensor::zeros(ferroflow_tensor::DType::F32, d).unwrap();
        assert!(stitch(vec![index(&[0, -1])], vec![floats(&[2])]).is_err());
        assert!(stitch(vec![index(&[0, 1])], vec![floats(&[3])]).is_err());
        assert!(stitch(vec![index(&[0]), index(&[1])], vec![floats(&[1, 2]), floats(&[1, 3])]).is_err());
    }
}
