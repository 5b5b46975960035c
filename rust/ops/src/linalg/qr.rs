//! Qr: orthogonal times triangular, by Householder reflections.

use super::batch::Batch;
use super::matrix_shape::{batch_of, smaller, split};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_linalg::{Algorithms, Wide};
use ferroflow_tensor::{Result, Tensor, dispatch, ensure};
use num_complex::{Complex, ComplexFloat};

/// A real or complex number of double precision.
trait Number: ComplexFloat<Real = f64> + std::ops::AddAssign + std::ops::SubAssign + From<f64> {}
impl Number for f64 {}
impl Number for Complex<f64> {}

/// A column-major matrix, so that reflections run along columns.
struct Columns<F> {
    rows: usize,
    data: Vec<F>,
}

impl<F: Number> Columns<F> {
    fn column(&mut self, j: usize) -> &mut [F] {
        &mut self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// Replaces rows `k..` of column `j` by `x - tau v (v* x)`.
    fn reflect(&mut self, j: usize, k: usize, v: &[F], tau: F) {
        let x = &mut self.column(j)[k..];
        let mut dot = F::zero();
        for (&v, &x) in v.iter().zip(x.iter()) {
            dot += v.conj() * x;
        }
        let scale = tau * dot;
        for (x, &v) in x.iter_mut().zip(v) {
            *x -= scale * v;
        }
    }
}

/// Computes Q and R of a row-major matrix; `inner` is the number of Q's columns and of R's rows.
fn factor<F: Number>(a: &[F], (rows, columns): (usize, usize), inner: usize, to_q: &mut [F], to_r: &mut [F]) {
    let steps = rows.min(columns);
    let data = (0..columns).flat_map(|j| (0..rows).map(move |i| a[i * columns + j])).collect();
    let mut r = Columns { rows, data };
    let mut reflections = Vec::with_capacity(steps);
    for k in 0..steps {
        let mut v = r.column(k)[k..].to_vec();
        let tau = reflector(&mut v);
        for j in k..columns {
            r.reflect(j, k, &v, tau.conj());
        }
        reflections.push((v, tau));
    }
    let mut q = Columns { rows, data: vec![F::zero(); rows * inner] };
    for j in 0..inner {
        q.column(j)[j] = F::one();
        for (k, (v, tau)) in reflections.iter().enumerate().rev() {
            q.reflect(j, k, v, *tau);
        }
    }
    for (place, to) in to_q.iter_mut().enumerate() {
        *to = q.data[place % inner * rows + place / inner];
    }
    for (place, to) in to_r.iter_mut().enumerate() {
        let (i, j) = (place / columns, place % columns);
        *to = if i > j { F::zero() } else { r.data[j * rows + i] };
    }
}

/// Turns `x` into v, and returns tau, with `(1 - conj(tau) v v*) x` a multiple of the first unit vector, of the sign
/// that cancels nothing. Zero where `x` is such a multiple already.
///
/// Source: LAPACK's xLARFG.
fn reflector<F: Number>(x: &mut [F]) -> F {
    let Some((&first, tail)) = x.split_first() else { return F::zero() };
    let largest = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let is_multiple = tail.iter().all(|x| x.is_zero()) && first.im() == 0.0;
    let tau = if is_multiple || largest == 0.0 {
        F::zero()
    } else {
        // Scaled, so that squares neither overflow nor underflow.
        let norm = largest * x.iter().map(|x| (x.abs() / largest).powi(2)).sum::<f64>().sqrt();
        let beta: F = (if first.re() >= 0.0 { -norm } else { norm }).into();
        let divisor = first - beta;
        x[1..].iter_mut().for_each(|x| *x = *x / divisor);
        (beta - first) / beta
    };
    x[0] = F::one();
    tau
}

/// Sides from which on the algorithms of `ferroflow_linalg` are faster than one reflection after the other. Real factors are the same;
/// complex ones differ in the phases of R's diagonal, which is real, as LAPACK's, where reflections are one by one.
const BLOCKED: usize = 32;
/// Multiplications for one element of a matrix times its shorter side.
const WORK: usize = 3;

fn qr(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let full = init.bool("full_matrices")?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let a = ctx.input(0)?;
            let rank = a.rank();
            ensure!(rank >= 2, InvalidArgument, "Input must have rank >= 2, got {rank}");
            let batch = Batch::of(a, 0)?;
            let sides = (batch.rows, batch.columns);
            let shortest = sides.0.min(sides.1);
            let inner = if full { sides.0 } else { shortest };
            let mut q = Tensor::zeros(dtype, batch.shape_of(&[sides.0, inner])?)?;
            let mut r = Tensor::zeros(dtype, batch.shape_of(&[inner, sides.1])?)?;
            let size = batch.size();
            let outputs = [q.slice_mut::<T>()?, r.slice_mut::<T>()?];
            batch.for_each(ctx.threads(), WORK * size * shortest, [a.slice()?], outputs, |_, [a], [q, r]| {
                if shortest >= BLOCKED {
                    Wide::<T>::qr(a, sides, inner, q, r);
                } else {
                    factor(a, sides, inner, q, r);
                }
                Ok(())
            })?;
            ctx.set_output(0, q);
            ctx.set_output(1, r);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    let full = c.bool("full_matrices")?;
    let Some((batch, rows, columns)) = split(c.input(0)?)? else { return Ok(()) };
    let inner = if full { rows } else { smaller(rows, columns) };
    c.set_output(0, batch_of(&batch, &[rows, inner]));
    c.set_output(1, batch_of(&batch, &[inner, columns]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Qr")
            .input("input: T")
            .output("q: T")
            .output("r: T")
            .attr("full_matrices: bool = false")
            .attr("T: {double, float, half, complex64, complex128}")
            .doc(
                "Returns a unitary and an upper triangular matrix whose product is the input, for each matrix of a \
                 batch.",
            )
            .shape(shapes)
            .kernel(qr),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};
    use num_complex::Complex;

    /// Returns numbers without a pattern, in (-1, 1).
    fn numbers(n: usize) -> impl Iterator<Item = f64> {
        (0..n).map(|i| ((i as f64 + 1.0) * 0.754_877_666).fract() * 2.0 - 1.0)
    }

    fn product(a: &[f64], b: &[f64], (m, k, n): (usize, usize, usize)) -> Vec<f64> {
        let cell = |i: usize, j: usize| (0..k).map(|p| a[i * k + p] * b[p * n + j]).sum();
        (0..m * n).map(|c| cell(c / n, c % n)).collect()
    }

    fn assert_close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 1e-13, "{a} {b}");
        }
    }

    #[test]
    fn factors_multiply_to_the_input_and_q_is_orthogonal() {
        for (m, n) in [(1, 1), (5, 3), (3, 5), (4, 4), (1, 4), (4, 1), (33, 20), (50, 40), (40, 90)] {
            for full in [false, true] {
                let a: Vec<f64> = numbers(m * n).collect();
                let input = Tensor::from_slice([m, n], &a).unwrap();
                let out = run("Qr", &[input], &[("full_matrices", AttrValue::Bool(full))]).unwrap();
                let inner = if full { m } else { m.min(n) };
                assert_eq!((out[0].shape().to_vec(), out[1].shape().to_vec()), (vec![m, inner], vec![inner, n]));
                let (q, r) = (out[0].slice::<f64>().unwrap(), out[1].slice::<f64>().unwrap());
                assert_close(&product(q, r, (m, inner, n)), &a);
                let transposed: Vec<f64> = (0..inner * m).map(|c| q[(c % m) * inner + c / m]).collect();
                let identity: Vec<f64> = (0..inner * inner).map(|c| f64::from(c / inner == c % inner)).collect();
                assert_close(&product(&transposed, q, (inner, m, inner)), &identity);
                assert!((0..inner * n).all(|c| c / n <= c % n || r[c] == 0.0));
            }
        }
    }

    #[test]
    fn signs_are_the_same_one_by_one_and_in_blocks() {
        let n = super::BLOCKED;
        let mut a: Vec<f64> = numbers(n * n).collect();
        // Far from singular, because the factors of a nearly singular matrix are uncertain.
        (0..n).for_each(|i| a[i * (n + 1)] += 4.0);
        let (mut q, mut r) = (vec![0.0; n * n], vec![0.0; n * n]);
        super::factor(&a, (n, n), n, &mut q, &mut r);
        let out = run("Qr", &[Tensor::from_slice([n, n], &a).unwrap()], &[]).unwrap();
        assert_close(out[0].slice().unwrap(), &q);
        assert_close(out[1].slice().unwrap(), &r);
    }

    #[test]
    fn complex_factors_multiply_to_the_input() {
        let values: Vec<f64> = numbers(12).collect();
        let a: Vec<Complex<f64>> = values.chunks(2).map(|c| Complex::new(c[0], c[1])).collect();
        let out = run("Qr", &[Tensor::from_slice([3, 2], &a).unwrap()], &[]).unwrap();
        let (q, r) = (out[0].slice::<Complex<f64>>().unwrap(), out[1].slice::<Complex<f64>>().unwrap());
        for (c, expected) in a.iter().enumerate() {
            let found = q[c / 2 * 2] * r[c % 2] + q[c / 2 * 2 + 1] * r[2 + c % 2];
            assert!((found - expected).norm() < 1e-14);
        }
        let overlap = (0..3).map(|i| q[i * 2].conj() * q[i * 2 + 1]).sum::<Complex<f64>>();
        assert!(overlap.norm() < 1e-14);
    }

    #[test]
    fn every_matrix_of_a_batch_is_factored() {
        let a: Vec<f32> = numbers(12).map(|x| x as f32).collect();
        let both = run("Qr", &[Tensor::from_slice([2, 3, 2], &a).unwrap()], &[]).unwrap();
        for i in 0..2 {
            let one = run("Qr", &[Tensor::from_slice([3, 2], &a[i * 6..i * 6 + 6]).unwrap()], &[]).unwrap();
            let q = &both[0].slice::<f32>().unwrap()[i * 6..i * 6 + 6];
            assert_eq!(q, one[0].slice::<f32>().unwrap());
        }
    }

    #[test]
    fn empty_matrices_and_huge_elements_pass() {
        let empty = run("Qr", &[Tensor::zeros(DType::F32, [0, 3]).unwrap()], &[]).unwrap();
        assert_eq!((empty[0].shape().to_vec(), empty[1].shape().to_vec()), (vec![0, 0], vec![0, 3]));
        let huge = Tensor::from_slice([2, 1], &[3e200f64, 4e200]).unwrap();
        let r = &run("Qr", &[huge], &[]).unwrap()[1];
        assert!((r.slice::<f64>().unwrap()[0] / -5e200 - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_vector_is_refused() {
        assert!(run("Qr", &[Tensor::zeros(DType::F32, [3]).unwrap()], &[]).is_err());
    }
}
