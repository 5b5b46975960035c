//! Gather, GatherV2, ResourceGather: slices of a tensor picked by index along a dimension.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, RefAccess, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{DType, Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure, prefetch};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

/// Returns the dimension that `axis` names.
fn place(axis: i64, rank: usize) -> Result<usize> {
    let r = rank as i64;
    ensure!((-r..r).contains(&axis), InvalidArgument, "Expected axis in the range [{}, {r}), but got {axis}", -r);
    Ok(if axis < 0 { axis + r } else { axis } as usize)
}

fn batch_place(batch_dims: i64, params: usize, indices: usize, axis: usize) -> Result<usize> {
    let r = indices as i64;
    ensure!(
        (-r..=r).contains(&batch_dims),
        InvalidArgument,
        "Expected batch_dims in the range [{}, {r}], but got {batch_dims}",
        -r
    );
    let b = if batch_dims < 0 { batch_dims + r } else { batch_dims } as usize;
    ensure!(b < params, InvalidArgument, "batch_dims ({b}) must be less than rank(params) ({params}).");
    ensure!(b <= axis, InvalidArgument, "batch_dims ({b}) must be less than or equal to axis ({axis}).");
    Ok(b)
}

/// Returns `[0,2]` for element `number` of an array of `shape`.
pub(crate) fn index_text(shape: &Shape, number: usize) -> String {
    if shape.rank() == 0 {
        return String::new();
    }
    let parts: Vec<_> =
        shape.strides().iter().zip(shape.iter()).map(|(&s, &d)| (number / s.max(1) % d.max(1)).to_string()).collect();
    format!("[{}]", parts.join(","))
}

/// Rows between the one that is copied and the one that is prefetched.
const AHEAD: usize = 8;

/// Copies rows of `from`, which is `outer` groups of `limit` rows of `inner` elements: row `indices[..]` of each group.
/// The indices are below `limit`.
fn pick<E: Movable, I: Index>(threads: Threads, from: &[E], sizes: Sizes, indices: &[I], to: &mut [E]) -> Result<()> {
    let Sizes { outer, limit, inner, per_batch } = sizes;
    if to.is_empty() {
        return Ok(());
    }
    let rows = (BLOCK / inner).max(1);
    try_for_chunks_mut(threads, to, rows * inner, |start, mut chunk| {
        let mut row = start / inner;
        while !chunk.is_empty() {
            // Group g belongs to batch g / outer; each batch has its own indices.
            let (group, k) = (row / per_batch, row % per_batch);
            let from = &from[group * limit * inner..(group + 1) * limit * inner];
            let indices = &indices[group / outer * per_batch + k..(group / outer + 1) * per_batch];
            let picked = indices.len().min(chunk.len() / inner);
            let (now, later) = chunk.split_at_mut(picked * inner);
            pick_rows(from, inner, &indices[..picked], now);
            row += picked;
            chunk = later;
        }
    })?;
    Ok(())
}

/// Copies rows of one group.
fn pick_rows<E: Movable, I: Index>(from: &[E], inner: usize, indices: &[I], to: &mut [E]) {
    if inner == 1 {
        for (x, i) in to.iter_mut().zip(indices) {
            *x = from[i.place()].clone();
        }
        return;
    }
    let row = |i: I| &from[i.place() * inner..(i.place() + 1) * inner];
    for (k, (line, &i)) in to.chunks_exact_mut(inner).zip(indices).enumerate() {
        if let Some(&next) = indices.get(k + AHEAD) {
            prefetch(row(next));
        }
        line.clone_from_slice(row(i));
    }
}

/// An index that is known not to be negative.
trait Index: Copy + Send + Sync {
    fn place(self) -> usize;
}

impl Index for i32 {
    #[inline(always)]
    fn place(self) -> usize {
        self as usize
    }
}

impl Index for i64 {
    #[inline(always)]
    fn place(self) -> usize {
        self as usize
    }
}

/// Refuses indices outside of `0..limit`.
fn check_indices<I: Index + Into<i64>>(indices: &[I], limit: usize, shape: &Shape) -> Result<()> {
    // Whole blocks without a branch: negative ones are large as unsigned numbers.
    let is_inside = |i: &I| (Into::<i64>::into(*i) as u64) < limit as u64;
    if indices.chunks(1024).all(|block| block.iter().fold(true, |held, i| held & is_inside(i))) {
        return Ok(());
    }
    for (k, &i) in indices.iter().enumerate() {
        ensure!(
            is_inside(&i),
            InvalidArgument,
            "indices{} = {} is not in [0, {limit})",
            index_text(shape, k),
            i.into()
        );
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Sizes {
    /// Groups of rows per batch.
    outer: usize,
    /// Rows of a group.
    limit: usize,
    /// Elements of a row.
    inner: usize,
    /// Indices per batch.
    per_batch: usize,
}

fn gather(ctx: &mut KernelContext<'_>, axis: i64, batch_dims: i64) -> Result<()> {
    let (params, indices) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(params.rank() >= 1, InvalidArgument, "params must be at least 1 dimensional");
    let axis = place(axis, params.rank())?;
    let batch = batch_place(batch_dims, params.rank(), indices.rank(), axis)?;
    let (p, i) = (params.shape(), indices.shape());
    ensure!(
        p[..batch] == i[..batch],
        InvalidArgument,
        "params.shape[:{batch}]: {p} should be equal to indices.shape[:{batch}]: {i}"
    );
    let dims: Vec<i64> = p[..axis].iter().chain(&i[batch..]).chain(&p[axis + 1..]).map(|&d| d as i64).collect();
    let shape = Shape::checked(&dims)?;
    let sizes = Sizes {
        outer: p[batch..axis].iter().product(),
        limit: p[axis],
        inner: p[axis + 1..].iter().product(),
        per_batch: i[batch..].iter().product(),
    };
    let out = match indices.dtype() {
        DType::I32 => gathered(ctx.threads(), params, sizes, shape, indices.slice::<i32>()?, i)?,
        _ => gathered(ctx.threads(), params, sizes, shape, indices.slice::<i64>()?, i)?,
    };
    ctx.set_output(0, out);
    Ok(())
}

fn gathered<I: Index + Into<i64>>(
    threads: Threads,
    params: &Tensor,
    sizes: Sizes,
    shape: Shape,
    indices: &[I],
    indices_shape: &Shape,
) -> Result<Tensor> {
    // TF 1.x: if there is nothing to read from, indices are not checked.
    if sizes.outer > 0 {
        check_indices(indices, sizes.limit, indices_shape)?;
    }
    if matches!(params.dtype(), DType::Resource | DType::Variant) {
        let objects = params.objects()?;
        let mut places = vec![0u64; shape.elements()];
        pick(threads, &(0..objects.len() as u64).collect::<Vec<_>>(), sizes, indices, &mut places)?;
        let picked = places.into_iter().map(|p| objects[p as usize].clone()).collect();
        return Tensor::from_objects(params.dtype(), shape, picked);
    }
    let mut out = Tensor::new(params.dtype(), shape)?;
    by_size!(params.dtype(), E, {
        pick(threads, E::view(params)?, sizes, indices, E::view_mut(&mut out)?)?;
        Ok(())
    })?;
    Ok(out)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let params = c.input(0)?.with_rank_at_least(1)?;
    let Some(rest) = params.dims() else { return Ok(()) };
    let tail = PartialShape::from_dims(&rest[1..]);
    let out = c.input(1)?.concatenate(&tail);
    c.set_output(0, out);
    Ok(())
}

/// Checks that a node's `dtype` is the type of the variable that input 0 is a handle of, if that is known.
pub(crate) fn check_variable_type(c: &ShapeContext<'_>, what: &str) -> Result<()> {
    if let Some(known) = c.input_handle(0)? {
        let dtype = c.dtype("dtype")?;
        ensure!(
            known.dtype == dtype,
            InvalidArgument,
            "Trying to {what} variable with wrong dtype. Expected {} got {}",
            known.dtype.name(),
            dtype.name()
        );
    }
    Ok(())
}

/// Sets the shape of what is gathered from a variable. Its dimensions before `batch_dims` number the batches.
fn shape_of_variable(c: &mut ShapeContext<'_>) -> Result<()> {
    check_variable_type(c, "read")?;
    let batch_dims = c.int32("batch_dims")?;
    let Ok(batch) = usize::try_from(batch_dims) else {
        bail!(InvalidArgument, "batch_dims is negative ({batch_dims})")
    };
    let params = c.input(0)?.with_rank_at_least(batch + 1)?;
    let indices = c.input(1)?.with_rank_at_least(batch)?;
    let (Some(p), Some(i)) = (params.dims(), indices.dims()) else { return Ok(()) };
    let sizes: Vec<_> = p[..batch].iter().chain(&i[batch..]).chain(&p[batch + 1..]).copied().collect();
    c.set_output(0, PartialShape::from_dims(&sizes));
    Ok(())
}

fn shape_v2(c: &mut ShapeContext<'_>) -> Result<()> {
    let params = c.input(0)?.with_rank_at_least(1)?;
    c.input(2)?.with_rank(0)?;
    let (axis, batch_dims) = (c.input_i64(2)?, c.int("batch_dims")?);
    if let (Some(rank), Some(axis)) = (params.rank(), axis) {
        let needed = if axis < 0 { axis.unsigned_abs() } else { axis.unsigned_abs() + 1 };
        ensure!(rank as u64 >= needed, InvalidArgument, "Shape must be at least rank {needed} but is rank {rank}");
    }
    let (Some(p), Some(i)) = (params.dims(), c.input(1)?.dims()) else { return Ok(()) };
    let Some(axis) = axis else {
        if batch_dims == 0 {
            c.set_output(0, PartialShape::unknown_of_rank(p.len() + i.len() - 1));
        }
        return Ok(());
    };
    let axis = place(axis, p.len())?;
    let batch = batch_place(batch_dims, p.len(), i.len(), axis)?;
    let common = PartialShape::from_dims(&p[..batch]).merge(&PartialShape::from_dims(&i[..batch]))?;
    let rest: Vec<_> = p[batch..axis].iter().chain(&i[batch..]).chain(&p[axis + 1..]).copied().collect();
    c.set_output(0, common.concatenate(&PartialShape::from_dims(&rest)));
    Ok(())
}

fn gather_v2(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let batch_dims = init.int32("batch_dims")?;
    kernel(move |ctx| {
        let axis = ctx.input(2)?;
        let axis = match axis.to_i64s()?[..] {
            [a] if axis.rank() == 0 => a,
            _ => bail!(InvalidArgument, "axis must be scalar"),
        };
        gather(ctx, axis, batch_dims)
    })
}

pub(super) fn register(r: &mut Registry) {
    let types = |op: Op| op.attr("Tparams: type").attr("Tindices: {int32, int64}");
    let inputs = |name: &str| Op::new(name).input("params: Tparams").input("indices: Tindices");
    r.add(
        types(inputs("Gather").output("output: Tparams").attr("validate_indices: bool = true"))
            .doc("Returns the slices of `params` that `indices` picks along the first dimension.")
            .shape(shape)
            .kernel(|_| kernel(|ctx| gather(ctx, 0, 0))),
    );
    r.add(
        types(inputs("GatherV2").input("axis: Taxis").output("output: Tparams"))
            .attr("Taxis: {int32, int64}")
            .attr("batch_dims: int = 0")
            .doc("Returns the slices of `params` that `indices` picks along the dimension `axis`.")
            .shape(shape_v2)
            .kernel(gather_v2),
    );
    r.add(
        Op::new("ResourceGather")
            .input("resource: resource")
            .input("indices: Tindices")
            .output("output: dtype")
            .attr("batch_dims: int = 0")
            .attr("validate_indices: bool = true")
            .attr("dtype: type")
            .attr("Tindices: {int32, int64}")
            .doc(
                "Returns the slices of a handle's variable that `indices` picks along the first dimension after the \
                 batches'.",
            )
            .handles(RefAccess::Read)
            .shape(shape_of_variable)
            .kernel(|init| {
                let (dtype, batch_dims) = (init.dtype("dtype")?, init.int32("batch_dims")?);
                kernel(move |ctx| {
                    ctx.read_handle(0, dtype)?;
                    gather(ctx, batch_dims, batch_dims)
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::DType;

    fn gather_v2(params: &Tensor, indices: &Tensor, axis: i32, batch: i64) -> Result<Tensor> {
        let args = [params.clone(), indices.clone(), Tensor::scalar(axis)].map(Arg::One);
        let got = run_args("GatherV2", args.into(), &[("batch_dims", AttrValue::Int(batch))], 2)?;
        assert_eq!(got.shapes[0].to_shape().as_ref(), Some(got.values[0].shape()));
        Ok(got.values[0].clone())
    }

    #[test]
    fn slices_of_a_variable_behind_a_handle() {
        let params = Tensor::from_slice([3, 2], &[0f32, 1., 10., 11., 20., 21.]).unwrap();
        let args = vec![Arg::Handle(params), Arg::One(Tensor::from_slice([2], &[2i32, 0]).unwrap())];
        let got = run_args("ResourceGather", args, &[("dtype", AttrValue::Type(DType::F32))], 1).unwrap();
        assert_eq!(got.values[0], Tensor::from_slice([2, 2], &[20f32, 21., 0., 1.]).unwrap());
        assert_eq!(got.shapes[0], PartialShape::from_dims(&[Some(2), Some(2)]));
    }

    #[test]
    fn slices_follow_the_indices() {
        let params = Tensor::from_slice([3, 2], &[0f32, 1., 10., 11., 20., 21.]).unwrap();
        let indices = Tensor::from_slice([2, 2], &[2i32, 0, 1, 2]).unwrap();
        let expected = Tensor::from_slice([2, 2, 2], &[20f32, 21., 0., 1., 10., 11., 20., 21.]).unwrap();
        assert_eq!(run("Gather", &[params.clone(), indices.clone()], &[]).unwrap()[0], expected);
        assert_eq!(gather_v2(&params, &indices, 0, 0).unwrap(), expected);
        let column = gather_v2(&params, &Tensor::scalar(1i64), -1, 0).unwrap();
        assert_eq!(column, Tensor::from_slice([3], &[1f32, 11., 21.]).unwrap());
    }

    #[test]
    fn each_batch_has_its_own_indices() {
        let (b, o, l, i, n) = (2usize, 3usize, 4usize, 2usize, 5usize);
        let params = Tensor::from_slice([b, o, l, i], &(0..48i32).collect::<Vec<_>>()).unwrap();
        let picks: Vec<i64> = (0..10).map(|k| (k * 3 + k / 5) % 4).collect();
        let indices = Tensor::from_slice([b, n], &picks).unwrap();
        let y = gather_v2(&params, &indices, 2, 1).unwrap();
        assert_eq!(y.shape().dims(), [b, o, n, i]);
        for (k, &got) in y.slice::<i32>().unwrap().iter().enumerate() {
            let (x, j, g, bb) = (k % i, k / i % n, k / i / n % o, k / i / n / o);
            assert_eq!(got as usize, ((bb * o + g) * l + picks[bb * n + j] as usize) * i + x);
        }
    }

    #[test]
    fn strings_and_nothing_are_gathered() {
        let words = Tensor::from_strings([2], vec![b"a"[..].into(), b"b"[..].into()]).unwrap();
        let y = gather_v2(&words, &Tensor::from_slice([1, 3], &[1i32, 1, 0]).unwrap(), 0, 0).unwrap();
        assert_eq!(y.strings().unwrap()[1].as_ref(), b"b");
        let empty = Tensor::zeros(DType::F32, [0, 3]).unwrap();
        let none = Tensor::from_slice([0], &[0i32; 0]).unwrap();
        assert_eq!(gather_v2(&empty, &none, 0, 0).unwrap().shape().dims(), [0, 3]);
        assert!(gather_v2(&empty, &Tensor::scalar(0i32), 0, 0).is_err());
    }

    #[test]
    fn indices_outside_name_themselves() {
        let x = Tensor::from_slice([3], &[1f32, 2., 3.]).unwrap();
        let message = |i: Tensor| run("Gather", &[x.clone(), i], &[]).unwrap_err().message().to_owned();
        assert!(message(Tensor::from_slice([2], &[0i32, 7]).unwrap()).contains("indices[1] = 7 is not in [0, 3)"));
        let m = message(Tensor::from_slice([2, 2], &[0i64, 1, -1, 0]).unwrap());
        assert!(m.contains("indices[1,0] = -1 is not in [0, 3)"));
        assert!(message(Tensor::scalar(3i32)).contains("indices = 3 is not in [0, 3)"));
        assert!(gather_v2(&x, &Tensor::scalar(0i32), 1, 0).is_err());
    }
}
