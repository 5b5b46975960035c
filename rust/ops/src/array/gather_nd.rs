//! GatherNd, ResourceGatherNd: slices of a tensor picked by the index of their first dimensions.

use super::gather::check_variable_type;
use crate::room::filled;
use ferroflow_graph::{KernelContext, Op, RefAccess, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, by_size, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

/// Returns the slices that the last dimension of `indices` picks from a tensor of `shape`. Each is its row-major number
/// among the slices of the tensor's first dimensions. A row that lies outside is the error: its number and values.
pub(super) fn slice_numbers(indices: &[i64], depth: usize, shape: &[usize]) -> Result<Vec<usize>, (usize, Vec<i64>)> {
    let mut numbers = Vec::with_capacity(indices.len() / depth.max(1));
    for (row, index) in indices.chunks_exact(depth.max(1)).enumerate() {
        let mut number = 0;
        for (&i, &d) in index.iter().zip(shape) {
            match usize::try_from(i) {
                Ok(i) if i < d => number = number * d + i,
                _ => return Err((row, index.to_vec())),
            }
        }
        numbers.push(number);
    }
    Ok(numbers)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let indices = c.input(1)?.with_rank_at_least(1)?;
    let (Some(params), Some(index)) = (c.input(0)?.dims(), indices.dims()) else { return Ok(()) };
    let Some((Some(depth), outer)) = index.split_last() else { return Ok(()) };
    ensure!(
        *depth <= params.len(),
        InvalidArgument,
        "indices.shape[-1] must be <= params.rank, but saw indices shape: {indices} and params shape: {}",
        c.input(0)?
    );
    let dims: Vec<_> = outer.iter().chain(&params[*depth..]).copied().collect();
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn pick<E: Movable>(threads: Threads, from: &[E], numbers: &[usize], inner: usize, to: &mut [E]) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    try_for_chunks_mut(threads, to, (BLOCK / inner).max(1) * inner, |start, chunk| {
        for (line, &number) in chunk.chunks_exact_mut(inner).zip(&numbers[start / inner..]) {
            line.clone_from_slice(&from[number * inner..(number + 1) * inner]);
        }
    })?;
    Ok(())
}

fn gather_nd(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (params, indices) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(params.rank() >= 1, InvalidArgument, "params must be at least a vector");
    let Some((&depth, outer)) = indices.shape().split_last() else {
        ferroflow_tensor::bail!(InvalidArgument, "indices must be at least a vector");
    };
    let p = params.shape();
    ensure!(
        depth <= p.rank(),
        InvalidArgument,
        "index innermost dimension length must be <= params rank; saw: {depth} vs. {}",
        p.rank()
    );
    let rows = outer.iter().product::<usize>();
    ensure!(
        rows == 0 || params.elements() > 0,
        InvalidArgument,
        "Requested more than 0 entries, but params is empty.  Params shape: {p}"
    );
    let numbers = match depth {
        0 => Ok(filled(rows, 0, "indices")?),
        _ => slice_numbers(&indices.to_i64s()?, depth, p),
    };
    let numbers = numbers.map_err(|(row, index)| {
        let index: Vec<_> = index.iter().map(i64::to_string).collect();
        ferroflow_tensor::Status::invalid_argument(format!(
            "flat indices[{row}, :] = [{}] does not index into param (shape: {p}).",
            index.join(", ")
        ))
    })?;
    let dims: Vec<i64> = outer.iter().chain(&p[depth..]).map(|&d| d as i64).collect();
    let mut out = Tensor::new(params.dtype(), Shape::checked(&dims)?)?;
    let inner = p[depth..].iter().product();
    by_size!(params.dtype(), E, {
        pick(ctx.threads(), E::view(params)?, &numbers, inner, E::view_mut(&mut out)?)?;
        Ok(())
    })?;
    ctx.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("GatherNd")
            .input("params: Tparams")
            .input("indices: Tindices")
            .output("output: Tparams")
            .attr("Tparams: type")
            .attr("Tindices: {int32, int64}")
            .doc("Returns the slices of `params` at the indices that the last dimension of `indices` holds.")
            .shape(shape)
            .kernel(|_| kernel(gather_nd)),
    );
    r.add(
        Op::new("ResourceGatherNd")
            .input("resource: resource")
            .input("indices: Tindices")
            .output("output: dtype")
            .attr("dtype: type")
            .attr("Tindices: {int32, int64}")
            .doc("Returns the slices of a handle's variable at the indices that the last dimension of `indices` holds.")
            .handles(RefAccess::Read)
            .shape(|c| {
                check_variable_type(c, "read")?;
                shape(c)
            })
            .kernel(|init| {
                let dtype = init.dtype("dtype")?;
                kernel(move |ctx| {
                    ctx.read_handle(0, dtype)?;
                    gather_nd(ctx)
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn gather(params: &Tensor, dims: &[usize], indices: &[i32]) -> Result<Tensor> {
        Ok(run("GatherNd", &[params.clone(), Tensor::from_slice(dims, indices).unwrap()], &[])?[0].clone())
    }

    #[test]
    fn elements_rows_and_the_whole_are_picked() {
        let x = Tensor::from_slice([2, 3], &[0f32, 1., 2., 10., 11., 12.]).unwrap();
        let y = gather(&x, &[2, 2], &[1, 2, 0, 1]).unwrap();
        assert_eq!(y, Tensor::from_slice([2], &[12f32, 1.]).unwrap());
        let y = gather(&x, &[1, 2, 1], &[1, 0]).unwrap();
        assert_eq!(y, Tensor::from_slice([1, 2, 3], &[10f32, 11., 12., 0., 1., 2.]).unwrap());
        let y = gather(&x, &[2, 0], &[]).unwrap();
        assert_eq!(y.shape().dims(), [2, 2, 3]);
        assert_eq!(y.slice::<f32>().unwrap()[6..], *x.slice::<f32>().unwrap());
        let empty = Tensor::zeros(DType::String, [0, 3]).unwrap();
        assert_eq!(gather(&empty, &[0, 1], &[]).unwrap().shape().dims(), [0, 3]);
    }

    #[test]
    fn indices_outside_name_themselves() {
        let x = Tensor::from_slice([3], &[1f32, 2., 3.]).unwrap();
        let e = gather(&x, &[2, 1], &[1, 7]).unwrap_err();
        assert!(e.message().contains("flat indices[1, :] = [7] does not index into param (shape: [3])"));
        assert!(gather(&x, &[1, 1], &[-1]).is_err());
        assert!(gather(&x, &[1, 2], &[0, 0]).is_err());
        let empty = Tensor::zeros(DType::F32, [0]).unwrap();
        assert!(gather(&empty, &[1, 1], &[0]).is_err());
    }
}
