//! EuclideanNorm: square roots of sums of squares.

use super::elements::{COMPUTED, Elements, Scratch};
use super::fold::Numeric;
use super::reduction::{Axes, fold_innermost, reduce};
use ferroflow_graph::{Kernel, KernelInit, kernel};
use ferroflow_tensor::vector::Reduce;
use ferroflow_tensor::{Complex32, Complex64, DType, Result, Scalar, dispatch, elementwise};
use std::ops::Range;

/// The square of an element's modulus, and the square root of a sum of such.
trait Length: Scalar {
    fn squared(self) -> Self;
    fn root(self) -> Self;
}

macro_rules! lengths {
    ($($t:ty: $x:ident => $squared:expr, $root:expr;)*) => {$(
        impl Length for $t {
            fn squared(self) -> $t {
                let $x = self;
                $squared
            }

            fn root(self) -> $t {
                let $x = self;
                $root
            }
        }
    )*};
}
lengths! {
    f32: x => x * x, x.sqrt();
    f64: x => x * x, x.sqrt();
    i32: x => x.wrapping_mul(x), f64::from(x).sqrt() as i32;
    i64: x => x.wrapping_mul(x), (x as f64).sqrt() as i64;
    u8: x => x.wrapping_mul(x), f64::from(x).sqrt() as u8;
    i8: x => x.wrapping_mul(x), f64::from(x).sqrt() as i8;
    u16: x => x.wrapping_mul(x), f64::from(x).sqrt() as u16;
    u32: x => x.wrapping_mul(x), f64::from(x).sqrt() as u32;
    u64: x => x.wrapping_mul(x), (x as f64).sqrt() as u64;
    i16: x => x.wrapping_mul(x), f64::from(x).sqrt() as i16;
    Complex32: x => Complex32::new(x.norm_sqr(), 0.0), Complex32::new(x.re.sqrt(), x.im);
    Complex64: x => Complex64::new(x.norm_sqr(), 0.0), Complex64::new(x.re.sqrt(), x.im);
}

/// The squares of elements.
struct Squares<'a, T>(&'a [T]);

impl<T: Length> Elements<T> for Squares<'_, T> {
    const PORTION: usize = COMPUTED;

    fn read<'a>(&'a self, range: Range<usize>, scratch: &'a mut Scratch) -> Result<&'a [T]> {
        let out = scratch.of::<T>(range.len())?;
        out.iter_mut().zip(&self.0[range]).for_each(|(to, x)| *to = x.squared());
        Ok(out)
    }
}

pub(super) fn kernel_of(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (keep_dims, dtype) = (init.bool("keep_dims")?, init.input_type(0)?);
    let wide = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
    dispatch!(wide, T in [F32, F64, I32, I64, U8, I8, U16, I16, U32, U64, Complex64, Complex128], kernel(move |ctx| {
        let (x, threads) = (ctx.take(0)?, ctx.threads());
        let Axes { mut groups, out_shape, .. } = Axes::new(x.shape(), ctx.input(1)?, keep_dims)?;
        if x.elements() > 0 && groups.iter().all(|(_, is_reduced)| !is_reduced) {
            // TF 1.x: a reduction of single elements only changes the shape; negative ones stay.
            ctx.set_output(0, x.reshaped(out_shape)?);
            return Ok(());
        }
        let mut x = elementwise::cast(x, wide, threads)?;
        let sum = Numeric(Reduce::Sum);
        if x.elements() > 0 && let Some(sums) = fold_innermost(&sum, threads, &Squares(x.slice::<T>()?), &mut groups)? {
            x = sums;
        }
        let mut out = reduce::<T>(&sum, threads, x, groups, out_shape)?;
        out.slice_mut::<T>()?.iter_mut().for_each(|v| *v = v.root());
        let out = elementwise::cast(out, dtype, threads)?;
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{Complex32, Shape, Tensor};

    fn axes(axes: &[i32]) -> Tensor {
        Tensor::from_slice([axes.len()], axes).unwrap()
    }

    #[test]
    fn the_norm_is_the_root_of_the_sum_of_squares() {
        let x = Tensor::from_slice([2, 2], &[3f32, 4., -5., 12.]).unwrap();
        let y = run("EuclideanNorm", &[x, axes(&[1])], &[]).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [5., 13.]);
        let z = Tensor::from_slice([2], &[Complex32::new(3., 4.), Complex32::new(0., -12.)]).unwrap();
        let y = run("EuclideanNorm", &[z, axes(&[0])], &[]).unwrap();
        assert_eq!(y[0].slice::<Complex32>().unwrap(), [Complex32::new(13., 0.)]);
        let n = run("EuclideanNorm", &[Tensor::from_slice([2], &[3i32, 3]).unwrap(), axes(&[0])], &[]).unwrap();
        assert_eq!(n[0].slice::<i32>().unwrap(), [4]);
    }

    #[test]
    fn the_norm_has_the_bits_of_the_root_of_the_sum_of_squares_over_any_axes() {
        for shape in [vec![70_001], vec![9000, 11], vec![3, 9000], vec![130, 4, 300], vec![2, 150, 1000], vec![0, 3]] {
            let n: usize = shape.iter().product();
            let values: Vec<f32> = (0..n).map(|i| (i as f32 * 0.7).sin()).collect();
            let x = Tensor::from_slice(Shape::new(&shape), &values).unwrap();
            let squares: Vec<f32> = values.iter().map(|x| x * x).collect();
            let squares = Tensor::from_slice(Shape::new(&shape), &squares).unwrap();
            for set in 1..1u32 << shape.len() {
                let list: Vec<i32> = (0..shape.len() as i32).filter(|a| set >> a & 1 == 1).collect();
                let sums = run("Sum", &[squares.clone(), axes(&list)], &[]).unwrap();
                let roots = run("Sqrt", &sums, &[]).unwrap();
                for threads in [1, 3] {
                    let given = vec![Arg::One(x.clone()), Arg::One(axes(&list))];
                    let norms = run_args("EuclideanNorm", given, &[], threads).unwrap().values;
                    assert!(norms == roots, "{shape:?} {list:?}");
                }
            }
        }
    }
}
