//! Transpose, ConjugateTranspose: dimensions in another order.

use super::strided::{Walk, gathered};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Complex32, Complex64, DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// Checks that `perm` has a place for each of `rank` dimensions.
fn check_length(perm: &[i64], rank: usize) -> Result<()> {
    ensure!(
        perm.len() == rank,
        InvalidArgument,
        "transpose expects a vector of size {rank}. But input(1) is a vector of size {}",
        perm.len()
    );
    Ok(())
}

/// Returns the places that `perm` names, each checked to be one of 0..rank.
fn places(perm: &[i64], rank: usize) -> Result<Vec<usize>> {
    check_length(perm, rank)?;
    let mut out = Vec::with_capacity(rank);
    for &p in perm {
        // TF 1.x: the shape rule counts a negative place from the end, and the kernel refuses it.
        let place = if p < 0 { p.saturating_add(rank as i64) } else { p };
        let Some(place) = usize::try_from(place).ok().filter(|&p| p < rank) else {
            bail!(InvalidArgument, "perm dim {p} is out of range of input rank {rank}");
        };
        out.push(place);
    }
    Ok(out)
}

/// Checks that `perm` names each of 0..rank once.
fn permutation(perm: &[i64], rank: usize) -> Result<Vec<usize>> {
    check_length(perm, rank)?;
    if let Some(negative) = perm.iter().find(|p| **p < 0) {
        bail!(InvalidArgument, "{negative} is out of range [0 .. {rank})");
    }
    let out = places(perm, rank)?;
    if let Some(missing) = (0..rank).find(|i| !out.contains(i)) {
        let perm: Vec<_> = perm.iter().map(i64::to_string).collect();
        bail!(InvalidArgument, "{missing} is missing from {{{}}}.", perm.join(","));
    }
    Ok(out)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (input, table) = (c.input(0)?, c.input(1)?.with_rank(1)?);
    let perm = c.input_i64s(1)?;
    let rank = input.rank().or(table.dim(0)).or(perm.as_ref().map(Vec::len));
    let Some(rank) = rank else { return Ok(()) };
    // TF 1.x: the rank stays unknown if the input's is and `perm` has less than two places.
    if rank < 2 && input.rank().is_none() {
        return Ok(());
    }
    let input = input.with_rank(rank)?;
    if let Some(n) = table.dim(0) {
        ensure!(n == rank, InvalidArgument, "Dimension must be {rank} but is {n}");
    }
    let mut out = PartialShape::unknown_of_rank(rank);
    if let Some(perm) = perm {
        // TF 1.x: a place named twice is the step's error, not the graph's.
        let dims: Vec<_> = places(&perm, rank)?.into_iter().map(|p| input.dim(p)).collect();
        out = PartialShape::from_dims(&dims);
    }
    c.set_output(0, out);
    Ok(())
}

/// Returns the tensor with its dimensions in the order of `perm`, which names each once.
pub(crate) fn transposed(threads: Threads, x: Tensor, perm: &[usize]) -> Result<Tensor> {
    let shape: Shape = perm.iter().map(|&p| x.shape()[p]).collect();
    let moving = perm.iter().filter(|&&p| x.shape()[p] != 1);
    if moving.is_sorted() {
        return x.reshaped(shape);
    }
    let strides = x.shape().strides();
    let mut walk = Walk::new(0);
    for &p in perm {
        walk.push(x.shape()[p], strides[p] as isize);
    }
    gathered(threads, &x, &walk, shape)
}

fn transpose(init: &KernelInit<'_>, conjugate: bool) -> Result<Box<dyn Kernel>> {
    let conjugate = conjugate && init.input_type(0)?.is_complex();
    kernel(move |ctx| {
        let perm = ctx.input(1)?;
        ensure!(perm.rank() == 1, InvalidArgument, "perm must be a vector, not {}", perm.shape());
        let x = ctx.input(0)?;
        let perm = permutation(&perm.to_i64s()?, x.rank())?;
        let (x, threads) = (ctx.take(0)?, ctx.threads());
        let mut out = transposed(threads, x, &perm)?;
        match out.dtype() {
            DType::Complex64 if conjugate => out.slice_mut::<Complex32>()?.iter_mut().for_each(|z| *z = z.conj()),
            DType::Complex128 if conjugate => out.slice_mut::<Complex64>()?.iter_mut().for_each(|z| *z = z.conj()),
            _ => {}
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("x: T").input("perm: Tperm").output("y: T").attr("T: type");
        op.attr("Tperm: {int32, int64} = DT_INT32").shape(shape)
    };
    r.add(
        op("Transpose")
            .doc("Reorders the dimensions of `x`: dimension i of the result is dimension perm[i] of `x`.")
            .kernel(|init| transpose(init, false)),
    );
    r.add(
        op("ConjugateTranspose")
            .doc("Reorders the dimensions of `x` and conjugates its elements.")
            .kernel(|init| transpose(init, true)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{Code, Complex32, DType, Tensor};

    #[test]
    fn elements_move_with_their_index() {
        let dims = [3usize, 1, 70, 5];
        let n = dims.iter().product::<usize>();
        let x = Tensor::from_slice(dims, &(0..n as i16).collect::<Vec<_>>()).unwrap();
        let perms: Vec<[i32; 4]> = (0..256)
            .map(|k| [k & 3, k >> 2 & 3, k >> 4 & 3, k >> 6 & 3])
            .filter(|p| (0..4).all(|d| p.contains(&d)))
            .collect();
        assert_eq!(perms.len(), 24);
        for perm in perms {
            let args = || vec![Arg::One(x.clone()), Arg::One(Tensor::from_slice([4], &perm).unwrap())];
            let got = run_args("Transpose", args(), &[], 1).unwrap();
            let y = &got.values[0];
            assert_eq!(got.shapes[0].to_shape().unwrap(), *y.shape());
            let (xs, ys) = (x.shape().strides(), y.shape().strides());
            for i in 0..n {
                let from: usize = (0..4).map(|d| i / ys[d] % y.shape()[d] * xs[perm[d] as usize]).sum();
                assert_eq!(y.slice::<i16>().unwrap()[i] as usize, from);
            }
            assert_eq!(run_args("Transpose", args(), &[], 3).unwrap().values[0], *y);
        }
    }

    #[test]
    fn strings_empty_tensors_and_conjugates() {
        let strings = ["a", "b", "c", "d"].map(|s| s.as_bytes().into()).to_vec();
        let x = Tensor::from_strings([2, 2], strings).unwrap();
        let swap = Tensor::from_slice([2], &[1i32, 0]).unwrap();
        let y = &run("Transpose", &[x, swap.clone()], &[]).unwrap()[0];
        assert_eq!(y.strings().unwrap()[1].as_ref(), b"c");
        let empty = Tensor::zeros(DType::F32, [0, 7]).unwrap();
        assert_eq!(run("Transpose", &[empty, swap.clone()], &[]).unwrap()[0].shape().dims(), [7, 0]);
        let z = Tensor::from_slice([1, 2], &[Complex32::new(1., 2.), Complex32::new(3., -4.)]).unwrap();
        let y = &run("ConjugateTranspose", &[z, swap], &[]).unwrap()[0];
        assert_eq!(y.slice::<Complex32>().unwrap()[1], Complex32::new(3., 4.));
    }

    #[test]
    fn negative_places_have_a_static_shape_and_no_value() {
        // As in TensorFlow 1.15.5.
        for perm in [[-1i32, 0], [1, -2], [-1, -2]] {
            let x = Tensor::from_slice([2, 3], &[0i8, 1, 2, 3, 4, 5]).unwrap();
            let perm = Tensor::from_slice([2], &perm).unwrap();
            let error = run("Transpose", &[x, perm], &[]).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().ends_with("is out of range [0 .. 2)"), "{}", error.message());
        }
    }

    #[test]
    fn what_is_no_permutation_is_refused() {
        let x = Tensor::zeros(DType::F32, [2, 3]).unwrap();
        for perm in [&[0i32, 0][..], &[0, 2], &[0], &[0, 1, 2], &[-3, 0], &[]] {
            let perm = Tensor::from_slice([perm.len()], perm).unwrap();
            assert!(run("Transpose", &[x.clone(), perm], &[]).is_err());
        }
    }
}
