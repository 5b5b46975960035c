//! Squeeze: drops dimensions of size 1.

use ferroflow_graph::{Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, bail, ensure};

/// Returns which of `rank` dimensions to drop, by place.
fn chosen(squeeze_dims: &[i64], rank: usize) -> Result<Vec<bool>> {
    let r = rank as i64;
    let mut drop = vec![false; rank];
    for &d in squeeze_dims {
        ensure!(
            (-r..r).contains(&d),
            InvalidArgument,
            "Tried to squeeze dim index {d} for tensor with {rank} dimensions."
        );
        drop[if d < 0 { d + r } else { d } as usize] = true;
    }
    Ok(drop)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let squeeze_dims = c.ints("squeeze_dims")?;
    let out = match c.input(0)?.dims() {
        // Without a list, an unknown dimension may or may not be dropped.
        Some(dims) if !squeeze_dims.is_empty() || dims.iter().all(Option::is_some) => {
            let rank = dims.len() as i64;
            if let Some(i) = squeeze_dims.iter().position(|d| !(-rank..rank).contains(d)) {
                bail!(InvalidArgument, "squeeze_dims[{i}] not in [{},{rank}).", -rank);
            }
            let drop = chosen(&squeeze_dims, dims.len())?;
            let mut kept = Vec::new();
            for (i, &d) in dims.iter().enumerate() {
                if drop[i] {
                    ensure!(
                        d.unwrap_or(1) == 1,
                        InvalidArgument,
                        "Can not squeeze dim[{i}], expected a dimension of 1, got {}",
                        d.unwrap_or(1)
                    );
                } else if !(squeeze_dims.is_empty() && d == Some(1)) {
                    kept.push(d);
                }
            }
            PartialShape::from_dims(&kept)
        }
        _ => PartialShape::unknown(),
    };
    c.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Squeeze")
            .input("input: T")
            .output("output: T")
            .attr("T: type")
            .attr("squeeze_dims: list(int) >= 0 = []")
            .doc("Drops the listed dimensions, which must be of size 1, or without a list all those of size 1.")
            .keeps_elements()
            .shape(shape)
            .kernel(|init| {
                let squeeze_dims = init.int32s("squeeze_dims")?;
                kernel(move |ctx| {
                    let x = ctx.take(0)?;
                    let drop = chosen(&squeeze_dims, x.rank())?;
                    let mut kept = Shape::scalar().to_vec();
                    for (i, &d) in x.shape().iter().enumerate() {
                        ensure!(
                            !drop[i] || d == 1,
                            InvalidArgument,
                            "Can not squeeze dim[{i}], expected a dimension of 1, got {d}"
                        );
                        if !(drop[i] || squeeze_dims.is_empty() && d == 1) {
                            kept.push(d);
                        }
                    }
                    ctx.set_output(0, x.reshaped(kept.as_slice())?);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn squeeze(shape: &[usize], dims: &[i64]) -> Result<Vec<usize>> {
        let x = Tensor::zeros(DType::F32, shape).unwrap();
        let dims = AttrValue::List(dims.iter().map(|&d| AttrValue::Int(d)).collect());
        Ok(run("Squeeze", &[x], &[("squeeze_dims", dims)])?[0].shape().to_vec())
    }

    #[test]
    fn ones_go_and_others_stay() {
        assert_eq!(squeeze(&[1, 2, 1, 0], &[]).unwrap(), [2, 0]);
        assert_eq!(squeeze(&[1, 2, 1], &[0]).unwrap(), [2, 1]);
        assert_eq!(squeeze(&[1, 2, 1], &[-1, 2]).unwrap(), [1, 2]);
        assert_eq!(squeeze(&[], &[]).unwrap(), [0usize; 0]);
    }

    #[test]
    fn a_dimension_that_is_not_one_cannot_go() {
        let e = squeeze(&[1, 2], &[1]).unwrap_err();
        assert!(e.message().contains("Can not squeeze dim[1], expected a dimension of 1, got 2"));
        assert!(squeeze(&[1, 2], &[2]).is_err());
        assert!(squeeze(&[1, 2], &[i64::MIN]).is_err());
    }
}
