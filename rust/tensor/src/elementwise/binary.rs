//! Functions and comparisons of two tensors, stretched to one shape.

use super::broadcast::{Broadcast, Inputs, Terms};
use super::grain;
use crate::dtype::{DType, Scalar};
use crate::status::Result;
use crate::streams::Streams;
use crate::tensor::Tensor;
use crate::threads::Threads;
use crate::vector::{self, Binary, Comparable, Compare, Element, Operand};
use crate::{bail, dispatch, ensure};

/// Returns `f(a, b)` element by element, with NumPy's broadcasting; in the memory of an operand that has the output's
/// shape and that nothing else refers to.
///
/// Errors: `InvalidArgument` if the shapes do not broadcast, or if `f` does not exist for the type. Also for an integer
/// division by zero, and for a negative integer exponent.
pub fn binary(f: Binary, a: Tensor, b: Tensor, threads: Threads) -> Result<Tensor> {
    dispatch!(a.dtype(), T in number, zip::<T>(f, a, b, threads), else {
        bail!(InvalidArgument, "{f:?} is not defined for type {}", a.dtype().schema_name())
    })
}

/// Returns the truth of `a f b` element by element, with NumPy's broadcasting: a bool tensor.
///
/// Errors: `InvalidArgument` for shapes that do not broadcast and where the comparison does not exist for the type.
pub fn compare(f: Compare, a: &Tensor, b: &Tensor, threads: Threads) -> Result<Tensor> {
    dispatch!(a.dtype(), T in plain, truth::<T>(f, a, b, threads), else {
        bail!(InvalidArgument, "{f:?} is not defined for type {}", a.dtype().schema_name())
    })
}

/// Refuses the integer operands that have no result; `b` meets at least one element.
fn check_divisor<T: Element>(f: Binary, dtype: DType, b: &[T]) -> Result<()> {
    use Binary::*;
    if !dtype.is_integer() {
        return Ok(());
    }
    match f {
        Div | FloorDiv | TruncateDiv | FloorMod | TruncateMod => {
            ensure!(!vector::has_zero(b), InvalidArgument, "Integer division by zero");
        }
        Pow => {
            // The sign of signed integers alone can be -1, which is how negative exponents are found.
            let mut sign = [T::default(); 256];
            for block in b.chunks(256) {
                let sign = &mut sign[..block.len()];
                vector::unary(vector::Unary::Sign, block, sign);
                vector::binary_in_place_left(Binary::Minimum, sign, Operand::Scalar(T::default()));
                ensure!(
                    sign.iter().all(|s| *s == T::default()),
                    InvalidArgument,
                    "Integers to negative integer powers are not allowed"
                );
            }
        }
        _ => {}
    }
    Ok(())
}

fn zip<T: Scalar + Element>(f: Binary, mut a: Tensor, mut b: Tensor, threads: Threads) -> Result<Tensor> {
    ensure!(f.supports::<T>(), InvalidArgument, "{f:?} is not defined for type {}", a.dtype().schema_name());
    if let ([x], [y]) = (a.slice::<T>()?, b.slice::<T>()?)
        && a.rank() == 0
        && b.rank() == 0
    {
        check_divisor(f, T::DTYPE, &[*y])?;
        let mut value = [*x];
        vector::binary_in_place_left(f, &mut value, Operand::Slice(&[*y]));
        return Ok(Tensor::scalar(value[0]));
    }
    let plan = Broadcast::new(a.shape(), b.shape())?;
    if plan.shape.elements() > 0 {
        check_divisor(f, T::DTYPE, b.slice::<T>()?)?;
    }
    let block = grain::of_binary(f);
    // With one operand to read, processors see for themselves that whole lines are written.
    let bytes = if a.shape() == b.shape() { plan.shape.elements() * size_of::<T>() } else { 0 };
    let run = |terms: Terms<'_, T>, out: &mut [T]| match terms {
        Terms::Both(a, b) => Streams::in_pieces(bytes, out, |first, piece| {
            vector::binary(f, a.part(first, piece.len()), b.part(first, piece.len()), piece);
        }),
        Terms::InLeft(b) => vector::binary_in_place_left(f, out, b),
        Terms::InRight(a) => vector::binary_in_place_right(f, a, out),
    };
    if a.shape() == &plan.shape && a.is_unique() {
        plan.apply(threads, block, Inputs::InLeft(b.slice()?), a.slice_mut()?, run)?;
        return Ok(a);
    }
    if b.shape() == &plan.shape && b.is_unique() {
        plan.apply(threads, block, Inputs::InRight(a.slice()?), b.slice_mut()?, run)?;
        return Ok(b);
    }
    let mut out = Tensor::new(T::DTYPE, plan.shape.clone())?;
    plan.apply(threads, block, Inputs::Both(a.slice()?, b.slice()?), out.slice_mut()?, run)?;
    Ok(out)
}

fn truth<T: Scalar + Comparable>(f: Compare, a: &Tensor, b: &Tensor, threads: Threads) -> Result<Tensor> {
    ensure!(f.supports::<T>(), InvalidArgument, "{f:?} is not defined for type {}", a.dtype().schema_name());
    let plan = Broadcast::new(a.shape(), b.shape())?;
    let mut out = Tensor::new(DType::Bool, plan.shape.clone())?;
    plan.apply(threads, grain::LIGHT, Inputs::Both(a.slice::<T>()?, b.slice()?), out.slice_mut()?, |terms, out| {
        if let Terms::Both(a, b) = terms {
            vector::compare(f, a, b, out);
        }
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn ramp(shape: &[usize], from: f32) -> Tensor {
        let n: usize = shape.iter().product();
        let values: Vec<f32> = (0..n).map(|i| from + i as f32 * 0.25).collect();
        Tensor::from_slice(Shape::new(shape), &values).unwrap()
    }

    /// Returns the element at `index` of a tensor stretched to a shape of `index.len()` dimensions.
    fn at(t: &Tensor, index: &[usize]) -> f32 {
        let skip = index.len() - t.rank();
        let flat = t.shape().iter().zip(&index[skip..]).fold(0, |flat, (&d, &i)| flat * d + if d == 1 { 0 } else { i });
        t.slice::<f32>().unwrap()[flat]
    }

    fn naive(a: &Tensor, b: &Tensor, shape: &Shape, f: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        let strides = shape.strides();
        (0..shape.elements())
            .map(|flat| {
                let index: Vec<usize> = shape.iter().zip(&strides).map(|(d, s)| flat / s % d).collect();
                f(at(a, &index), at(b, &index))
            })
            .collect()
    }

    const PAIRS: [(&[usize], &[usize]); 19] = [
        (&[], &[]),
        (&[3], &[]),
        (&[1, 1], &[5]),
        (&[7], &[7]),
        (&[4, 3], &[3]),
        (&[3], &[4, 3]),
        (&[4, 1], &[4, 3]),
        (&[4, 1], &[1, 3]),
        (&[400, 10], &[10]),
        (&[400, 10], &[400, 1]),
        (&[1000, 3], &[1000, 1]),
        (&[6, 100], &[100]),
        (&[6, 1], &[6, 100]),
        (&[2, 3, 4, 5], &[3, 1, 5]),
        (&[2, 1, 4, 1], &[1, 3, 1, 5]),
        (&[2, 1, 70], &[5, 1]),
        (&[300, 700], &[300, 1]),
        (&[1, 150, 1, 40], &[30, 1, 2, 1]),
        (&[0, 3], &[3]),
    ];

    #[test]
    fn broadcasting_is_numpys_for_every_sharing_and_any_threads() {
        for (x, y) in PAIRS {
            let (a, b) = (ramp(x, 1.0), ramp(y, -3.0));
            let shape = crate::broadcast(a.shape(), b.shape()).unwrap();
            let expected = naive(&a, &b, &shape, |a, b| a - b);
            for threads in [1, 2, 4] {
                let threads = Threads::new(threads);
                for (a, b) in [
                    (a.clone(), b.clone()),
                    (a.deep_copy().unwrap(), b.clone()),
                    (a.clone(), b.deep_copy().unwrap()),
                    (a.deep_copy().unwrap(), b.deep_copy().unwrap()),
                ] {
                    let got = binary(Binary::Sub, a, b, threads).unwrap();
                    assert_eq!(got.shape(), &shape);
                    assert_eq!(got.slice::<f32>().unwrap(), expected, "{x:?} {y:?}");
                }
            }
            let less = compare(Compare::Less, &a, &b, Threads::new(2)).unwrap();
            let expected = naive(&a, &b, &shape, |a, b| f32::from(u8::from(a < b)));
            let got: Vec<f32> = less.slice::<bool>().unwrap().iter().map(|&t| f32::from(u8::from(t))).collect();
            assert_eq!(got, expected, "{x:?} {y:?}");
        }
    }

    #[test]
    fn the_operand_with_the_outputs_shape_is_written_in_place() {
        let (a, b) = (ramp(&[10, 20], 0.0), ramp(&[20], 1.0));
        let address = a.data_ptr();
        let sum = binary(Binary::Add, b.clone(), a, Threads::single()).unwrap();
        assert_eq!(sum.data_ptr(), address);
        let again = binary(Binary::Add, sum, b, Threads::single()).unwrap();
        assert_eq!(again.data_ptr(), address);
    }

    #[test]
    fn integer_division_by_zero_is_an_error_unless_nothing_is_divided() {
        let zero = Tensor::from_slice([2], &[3i32, 0]).unwrap();
        for f in [Binary::Div, Binary::FloorDiv, Binary::TruncateDiv, Binary::FloorMod, Binary::TruncateMod] {
            let e = binary(f, Tensor::scalar(1i32), zero.clone(), Threads::single()).unwrap_err();
            assert_eq!(e.message(), "Integer division by zero");
            assert!(binary(f, Tensor::scalar(1i32), Tensor::scalar(0i32), Threads::single()).is_err());
        }
        let nothing = Tensor::new(DType::I32, [0, 2]).unwrap();
        assert!(binary(Binary::Div, nothing, zero, Threads::single()).is_ok());
    }

    #[test]
    fn negative_integer_powers_are_an_error() {
        let exponents = Tensor::from_slice([2], &[3i64, -1]).unwrap();
        assert!(binary(Binary::Pow, Tensor::scalar(2i64), exponents, Threads::single()).is_err());
        let exponents = Tensor::from_slice([2], &[3u8, 255]).unwrap();
        assert!(binary(Binary::Pow, Tensor::scalar(1u8), exponents, Threads::single()).is_ok());
    }

    #[test]
    fn shapes_and_types_that_do_not_fit_are_errors() {
        let e = binary(Binary::Add, ramp(&[2], 0.0), ramp(&[3], 0.0), Threads::single()).unwrap_err();
        assert_eq!(e.message(), "Incompatible shapes: [2] vs. [3]");
        assert!(binary(Binary::Add, Tensor::scalar(1i32), Tensor::scalar(1f32), Threads::single()).is_err());
        assert!(binary(Binary::Atan2, Tensor::scalar(1i32), Tensor::scalar(1i32), Threads::single()).is_err());
        let c = Tensor::scalar(crate::Complex32::new(0.0, 1.0));
        assert!(compare(Compare::Less, &c, &c, Threads::single()).is_err());
    }
}
