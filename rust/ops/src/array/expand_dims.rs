//! ExpandDims: one more dimension of size 1.

use ferroflow_graph::{Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, ensure};

/// Returns the new dimension's place in 0..=rank.
fn place(dim: i64, rank: usize) -> Result<usize> {
    let r = rank as i64;
    ensure!(
        (-1 - r..=r).contains(&dim),
        InvalidArgument,
        "Tried to expand dim index {dim} for tensor with {rank} dimensions."
    );
    Ok(if dim < 0 { dim + r + 1 } else { dim } as usize)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (input, dim) = (c.input(0)?, c.input_i64(1)?);
    let out = match (input.dims(), dim) {
        (Some(mut dims), Some(dim)) => {
            let at = place(dim, dims.len())?;
            dims.insert(at, Some(1));
            PartialShape::from_dims(&dims)
        }
        _ => PartialShape::unknown(),
    };
    c.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ExpandDims")
            .input("input: T")
            .input("dim: Tdim")
            .output("output: T")
            .attr("T: type")
            .attr("Tdim: {int32, int64} = DT_INT32")
            .doc("Inserts a dimension of size 1 at the place `dim`.")
            .shape(shape)
            .kernel(|_| {
                kernel(|ctx| {
                    let dim = match ctx.input(1)?.to_i64s()?[..] {
                        [dim] => dim,
                        _ => ferroflow_tensor::bail!(InvalidArgument, "'dim' must be a tensor with a single value"),
                    };
                    let x = ctx.take(0)?;
                    let at = place(dim, x.rank())?;
                    let dims: Shape = x.shape()[..at].iter().chain(&[1]).chain(&x.shape()[at..]).copied().collect();
                    ctx.set_output(0, x.reshaped(dims)?);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn one_is_inserted_at_every_place_and_no_other() {
        let x = Tensor::zeros(DType::String, [2, 3]).unwrap();
        for (dim, expected) in [(0, [1usize, 2, 3]), (1, [2, 1, 3]), (2, [2, 3, 1]), (-1, [2, 3, 1]), (-3, [1, 2, 3])] {
            let got = run("ExpandDims", &[x.clone(), Tensor::scalar(dim)], &[]).unwrap();
            assert_eq!(got[0].shape().dims(), expected);
        }
        for dim in [3i64, -4, i64::MIN, i64::MAX] {
            assert!(run("ExpandDims", &[x.clone(), Tensor::scalar(dim)], &[]).is_err());
        }
    }
}
