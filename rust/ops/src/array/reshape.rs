//! Reshape: the same elements in other dimensions.

use ferroflow_graph::{Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, bail, ensure};

/// Returns the known dimensions' product and the place of the only unknown one; `None` for more unknown ones.
fn one_unknown(shape: &PartialShape) -> Option<(usize, Option<usize>)> {
    let (mut product, mut unknown) = (1usize, None);
    let dims = shape.dims()?;
    // No elements, whatever the others are.
    if dims.contains(&Some(0)) {
        return Some((0, None));
    }
    for (i, d) in dims.iter().enumerate() {
        match d {
            Some(d) => product = product.checked_mul(*d)?,
            None if unknown.is_none() => unknown = Some(i),
            None => return None,
        }
    }
    Some((product, unknown))
}

pub(crate) fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?;
    let mut out = c.input_as_shape(1)?;
    if let (Some((have, in_at)), Some((expected, out_at))) = (one_unknown(input), one_unknown(&out)) {
        let mut dims = out.dims().unwrap_or_default();
        match (in_at, out_at) {
            (None, None) => ensure!(
                have == expected,
                InvalidArgument,
                "Cannot reshape a tensor with {have} elements to shape {out} ({expected} elements)"
            ),
            (None, Some(i)) if expected > 0 => {
                ensure!(
                    have % expected == 0,
                    InvalidArgument,
                    "Dimension size must be evenly divisible by {expected} but is {have}"
                );
                dims[i] = Some(have / expected);
            }
            (Some(_), None) if have > 0 => ensure!(
                expected % have == 0,
                InvalidArgument,
                "Dimension size must be evenly divisible by {have} but is {expected}"
            ),
            (Some(j), Some(i)) if have == expected => dims[i] = input.dim(j),
            _ => {}
        }
        out = PartialShape::from_dims(&dims);
    }
    c.set_output(0, out);
    Ok(())
}

/// Returns the requested shape, with its -1 computed.
///
/// TF 1.15: where a size is 0, the -1 stands for what the other sizes leave of the input's dimensions that are not 0.
fn resolve(dims: &[i64], input: &Shape) -> Result<Shape> {
    let mut dims = dims.to_vec();
    let mut unknown = None;
    let mut product = Some(1i64);
    let has_zero = dims.contains(&0);
    for (i, &d) in dims.iter().enumerate() {
        if d == -1 {
            if let Some(first) = unknown {
                bail!(InvalidArgument, "Only one input size may be -1, not both {first} and {i}");
            }
            unknown = Some(i);
            continue;
        }
        ensure!(d >= 0, InvalidArgument, "Size {i} must be non-negative, not {d}");
        product = product.and_then(|p| p.checked_mul(d.max(i64::from(d == 0))));
    }
    let Some(product) = product.or((has_zero && unknown.is_none()).then_some(0)) else {
        bail!(InvalidArgument, "Shape {dims:?} would have more than 2**63 - 1 elements")
    };
    if let Some(i) = unknown {
        let counted = input.iter().map(|&d| d as i64).filter(|&d| d > 0 || !has_zero);
        let elements = counted.fold(1i64, i64::saturating_mul);
        ensure!(
            elements % product == 0 || (has_zero && input.contains(&0)),
            InvalidArgument,
            "Input to reshape is a tensor with {elements} values, but the requested shape requires a multiple of {product}"
        );
        dims[i] = elements / product;
    }
    Shape::checked(&dims)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Reshape")
            .input("tensor: T")
            .input("shape: Tshape")
            .output("output: T")
            .attr("T: type")
            .attr("Tshape: {int32, int64} = DT_INT32")
            .doc("Returns the same elements, in the same order, with the dimensions of `shape`; one of them may be -1.")
            .keeps_elements()
            .shape(shape)
            .kernel(|_| {
                kernel(|ctx| {
                    let sizes = ctx.input(1)?;
                    ensure!(sizes.rank() == 1, InvalidArgument, "sizes input must be 1-D, not {}", sizes.shape());
                    let target = resolve(&sizes.to_i64s()?, ctx.input(0)?.shape())?;
                    let value = ctx.take(0)?.reshaped(target)?;
                    ctx.set_output(0, value);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    fn reshape(from: &[usize], to: &[i32]) -> Result<Vec<usize>> {
        let x = Tensor::zeros(DType::F32, from).unwrap();
        let to = Tensor::from_slice([to.len()], to).unwrap();
        Ok(run("Reshape", &[x, to], &[])?[0].shape().to_vec())
    }

    #[test]
    fn dimensions_are_those_asked_for() {
        assert_eq!(reshape(&[2, 3], &[6]).unwrap(), [6]);
        assert_eq!(reshape(&[2, 3], &[3, -1]).unwrap(), [3, 2]);
        assert_eq!(reshape(&[1], &[]).unwrap(), [0usize; 0]);
        assert_eq!(reshape(&[0, 3], &[3, 0]).unwrap(), [3, 0]);
        assert_eq!(reshape(&[0, 3], &[-1, 3]).unwrap(), [0, 3]);
    }

    #[test]
    fn a_size_beside_zero_is_what_the_other_dimensions_leave() {
        for (from, to, found) in [
            (&[0usize, 3][..], &[0, -1][..], &[0usize, 3][..]),
            (&[3, 0, 2], &[-1, 0], &[6, 0]),
            (&[0], &[0, -1, 2], &[0, 0, 2]),
            (&[0, 4, 5], &[-1, 0, 7], &[2, 0, 7]),
        ] {
            assert_eq!(reshape(from, to).unwrap(), found);
        }
        assert!(reshape(&[2, 3], &[0, -1]).is_err());
    }

    #[test]
    fn elements_are_shared_not_copied() {
        let x = Tensor::from_slice([100], &[1f32; 100]).unwrap();
        let to = Tensor::from_slice([2], &[10i64, 10]).unwrap();
        assert_eq!(run("Reshape", &[x.clone(), to], &[]).unwrap()[0].data_ptr(), x.data_ptr());
    }

    #[test]
    fn impossible_dimensions_are_refused() {
        for (from, to) in [(&[2usize, 3][..], &[4][..]), (&[2, 3], &[-1, 4]), (&[2, 3], &[-1, -1]), (&[6], &[-2, -3])] {
            assert!(reshape(from, to).is_err(), "{from:?} {to:?}");
        }
        let message = |dims: &[i64], n: usize| resolve(dims, &Shape::new(&[n])).unwrap_err().message().to_owned();
        assert!(message(&[-1, 4], 6).contains("requested shape requires a multiple of 4"));
        assert!(resolve(&[1 << 40, 1 << 40], &Shape::new(&[6])).is_err());
        let mismatch = Tensor::zeros(DType::F32, [6]).unwrap().reshaped([4]).unwrap_err();
        assert_eq!(mismatch.message(), "Input to reshape is a tensor with 6 values, but the requested shape has 4");
    }
}
