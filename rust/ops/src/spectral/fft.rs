//! FFT, IFFT, RFFT, IRFFT over the last one, two or three dimensions.

use crate::array::strided::{Walk, gathered};
use ferroflow_fourier::{ComplexRows, Real, RealInverseRows, RealRows};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::fourier::{
    self, ColumnTransform, Direction, RealInverseRowTransform, RealRowTransform, RowTransform, scaled,
};
use ferroflow_tensor::threads::{Columns, Threads, try_for_chunks_mut, try_for_rows_mut};
use ferroflow_tensor::transpose;
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Shape, Tensor, bail, ensure};
use num_complex::Complex;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 13;
/// Elements of the columns that are transformed together: they fit the first cache.
const COLUMN_BLOCK: usize = 1 << 11;
/// Columns that are transformed together are at least, and a multiple of, those of whole blocks of a transpose.
const COLUMNS: usize = transpose::BLOCK_SIDE;

/// A real type and the complex type over it.
trait Pair: Real + fourier::Real {
    type Complex: Scalar + From<Complex<Self>>;
    fn complex(t: &Tensor) -> Result<&[Complex<Self>]>;
    fn complex_mut(t: &mut Tensor) -> Result<&mut [Complex<Self>]>;
    fn scale(x: f64) -> Self;
}

macro_rules! pair {
    ($($t:ty),*) => {$(
        impl Pair for $t {
            type Complex = Complex<$t>;
            fn complex(t: &Tensor) -> Result<&[Complex<$t>]> {
                t.slice()
            }
            fn complex_mut(t: &mut Tensor) -> Result<&mut [Complex<$t>]> {
                t.slice_mut()
            }
            fn scale(x: f64) -> $t {
                x as $t
            }
        }
    )*};
}
pair!(f32, f64);

/// Returns the number of rows of `n` elements that one parallel block holds, times `n`.
fn block(n: usize) -> usize {
    (BLOCK / n.max(1)).max(1) * n.max(1)
}

/// Transforms the rows of `n` elements and multiplies them by a factor.
fn along_rows<T: Pair>(
    threads: Threads,
    t: Tensor,
    n: usize,
    direction: Direction,
    factor: Option<T>,
) -> Result<Tensor> {
    let count = t.elements() / n.max(1);
    let (from, mut out) = place::<T>(t)?;
    let from = from.as_ref().map(<T as Pair>::complex).transpose()?;
    if let Some(transform) = RowTransform::new(n, count, direction) {
        transform.run(threads, from, T::complex_mut(&mut out)?, factor)?;
        return Ok(out);
    }
    let rows = ComplexRows::<T>::new(n, direction);
    try_for_chunks_mut(threads, T::complex_mut(&mut out)?, block(n), |start, chunk| {
        if let Some(from) = from {
            chunk.copy_from_slice(&from[start..start + chunk.len()]);
        }
        transform(&rows, chunk, &mut rows.scratch(), factor);
    })?;
    Ok(out)
}

/// Returns a tensor to write results to; the other one, if there is one, holds the elements.
fn place<T: Pair>(mut t: Tensor) -> Result<(Option<Tensor>, Tensor)> {
    if t.is_unique() {
        return Ok((None, t));
    }
    let out = Tensor::new(T::Complex::DTYPE, t.shape().clone())?;
    Ok((Some(t), out))
}

/// Transforms whole rows in their place and multiplies them by a factor.
fn transform<T: Pair>(rows: &ComplexRows<T>, data: &mut [Complex<T>], scratch: &mut [Complex<T>], factor: Option<T>) {
    rows.run(data, scratch);
    let Some(factor) = factor else { return };
    let zero = T::scale(0.0);
    // Without an early end, which would keep the loop from using vectors.
    if data.iter().fold(true, |all, x| all & x.re.is_finite() & x.im.is_finite()) {
        // Equal to `scaled`, without its test for each number.
        data.iter_mut().for_each(|x| *x = Complex::new(x.re * factor - x.im * zero, x.re * zero + x.im * factor));
    } else {
        data.iter_mut().for_each(|x| *x = scaled(*x, factor));
    }
}

/// Transforms the columns of each row-major matrix of `n` rows and `columns` columns, and multiplies them by a factor.
///
/// Columns that `ColumnTransform` does not take are copied, a few at a time, to rows that fit the cache.
fn along_columns<T: Pair>(
    threads: Threads,
    t: Tensor,
    (n, columns): (usize, usize),
    direction: Direction,
    factor: Option<T>,
) -> Result<Tensor> {
    let (from, mut out) = place::<T>(t)?;
    let from = from.as_ref().map(<T as Pair>::complex).transpose()?;
    if let Some(transform) = ColumnTransform::new(n, columns, direction) {
        transform.run(threads, from, T::complex_mut(&mut out)?, columns, factor)?;
        return Ok(out);
    }
    let fft = ComplexRows::<T>::new(n, direction);
    let width = (COLUMN_BLOCK / n / COLUMNS * COLUMNS).clamp(COLUMNS, columns.max(COLUMNS));
    let groups = Columns::new(T::complex_mut(&mut out)?, (n, columns), width);
    let block = (BLOCK / (width * n)).max(1);
    try_for_rows_mut(threads, groups.count(), block, groups, |range, mut groups| {
        let mut scratch = fft.scratch();
        let (mut tile, mut lines) = (vec![Complex::default(); width * n], vec![Complex::default(); width * n]);
        for number in range {
            let Some(mut group) = groups.piece(number) else { continue };
            let width = group.columns();
            for (i, to) in tile.chunks_exact_mut(width).take(n).enumerate() {
                let place = group.place(i);
                to.copy_from_slice(from.map_or_else(|| &*group.row(i), |from| &from[place]));
            }
            let lines = &mut lines[..width * n];
            transpose::matrix(&tile, width, (n, width), lines, n);
            transform(&fft, lines, &mut scratch, factor);
            transpose::matrix(lines, n, (width, n), &mut tile, width);
            for (i, from) in tile.chunks_exact(width).take(n).enumerate() {
                group.row(i).copy_from_slice(from);
            }
        }
    })?;
    Ok(out)
}

/// Returns the first `lengths` elements of the last dimensions.
fn cropped(threads: Threads, t: &Tensor, lengths: &[usize]) -> Result<Tensor> {
    let outer = t.rank() - lengths.len();
    if t.shape()[outer..] == *lengths {
        return Ok(t.clone());
    }
    let strides = t.shape().strides();
    let mut dims = t.shape().to_vec();
    dims[outer..].copy_from_slice(lengths);
    let mut walk = Walk::new(0);
    for (&dim, &stride) in dims.iter().zip(&strides) {
        walk.push(dim, stride as isize);
    }
    gathered(threads, t, &walk, Shape::new(&dims))
}

/// Transforms along the dimensions from `first` up to, without, `end`, and multiplies the last results by a factor.
fn along_axes<T: Pair>(
    threads: Threads,
    mut t: Tensor,
    (first, end): (usize, usize),
    direction: Direction,
    factor: Option<T>,
) -> Result<Tensor> {
    for axis in (first..end).rev() {
        let n = t.shape()[axis];
        let factor = factor.filter(|_| axis == first);
        t = if axis + 1 == t.rank() {
            along_rows::<T>(threads, t, n, direction, factor)?
        } else {
            let columns = t.shape()[axis + 1..].iter().product();
            along_columns::<T>(threads, t, (n, columns), direction, factor)?
        };
    }
    Ok(t)
}

fn check_rank(t: &Tensor, rank: usize) -> Result<()> {
    ensure!(t.rank() >= rank, InvalidArgument, "Input must have rank of at least {rank} but got: {}", t.shape());
    Ok(())
}

fn complex<T: Pair>(rank: usize, direction: Direction) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let threads = ctx.threads();
        let t = ctx.take(0)?;
        check_rank(&t, rank)?;
        let end = t.rank();
        let count: usize = t.shape()[end - rank..].iter().product();
        let out = if t.elements() == 0 {
            t
        } else {
            let factor = (direction == Direction::Inverse).then(|| T::scale(1.0 / count as f64));
            along_axes::<T>(threads, t, (end - rank, end), direction, factor)?
        };
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Returns the lengths of the transforms, checked against the input. If `half`, the input's last dimension holds the
/// non-negative frequencies alone.
fn lengths(t: &Tensor, fft_length: &Tensor, rank: usize, half: bool) -> Result<Vec<usize>> {
    check_rank(t, rank)?;
    ensure!(
        fft_length.rank() == 1 && fft_length.elements() == rank,
        InvalidArgument,
        "fft_length must have shape [{rank}]"
    );
    let mut lengths = Vec::with_capacity(rank);
    for (i, n) in fft_length.to_i64s()?.into_iter().enumerate() {
        let Ok(n) = usize::try_from(n) else {
            bail!(InvalidArgument, "fft_length[{i}] must be >= 0, but got: {n}");
        };
        let at = t.rank() - rank + i;
        let least = if half && i + 1 == rank { n / 2 + 1 } else { n };
        ensure!(
            t.shape()[at] == 0 || t.shape()[at] >= least,
            InvalidArgument,
            "Input dimension {at} must have length of at least {least} but got: {}",
            t.shape()[at]
        );
        lengths.push(n);
    }
    Ok(lengths)
}

/// Returns the shape of a result whose last dimensions are these.
fn result_shape(t: &Tensor, last: &[usize]) -> Result<Shape> {
    let outer = &t.shape()[..t.rank() - last.len()];
    Shape::checked(&outer.iter().chain(last).map(|&n| n as i64).collect::<Vec<_>>())
}

/// Returns a tensor for the transform of `t`: zeros where that has no elements.
fn results(dtype: DType, t: &Tensor, shape: Shape) -> Result<Tensor> {
    if t.elements() == 0 { Tensor::zeros(dtype, shape) } else { Tensor::new(dtype, shape) }
}

fn real<T: Pair>(rank: usize) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let threads = ctx.threads();
        let t = ctx.input(0)?;
        let lengths = lengths(t, ctx.input(1)?, rank, false)?;
        let n = lengths[rank - 1];
        let half = if n == 0 { 0 } else { n / 2 + 1 };
        let mut dims = lengths.clone();
        dims[rank - 1] = half;
        let mut out = results(T::Complex::DTYPE, t, result_shape(t, &dims)?)?;
        if t.elements() > 0 && out.elements() > 0 {
            let mut rows = lengths;
            rows[rank - 1] = t.shape()[t.rank() - 1];
            let from = cropped(threads, t, &rows)?;
            let (from, stride) = (from.slice::<T>()?, rows[rank - 1]);
            let to = T::complex_mut(&mut out)?;
            if let Some(transform) = RealRowTransform::new(n, to.len() / half) {
                transform.run(threads, from, stride, to)?;
            } else {
                let fft = RealRows::<T>::new(n);
                try_for_chunks_mut(threads, to, block(half), |start, to| {
                    let row = start / half;
                    fft.run(&from[row * stride..(row + to.len() / half) * stride], stride, to);
                })?;
            }
            let end = out.rank() - 1;
            out = along_axes::<T>(threads, out, (end + 1 - rank, end), Direction::Forward, None)?;
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

fn real_inverse<T: Pair>(rank: usize) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let threads = ctx.threads();
        let t = ctx.input(0)?;
        let lengths = lengths(t, ctx.input(1)?, rank, true)?;
        let n = lengths[rank - 1];
        let mut out = results(T::DTYPE, t, result_shape(t, &lengths)?)?;
        if t.elements() > 0 && out.elements() > 0 {
            let scale = T::scale(1.0 / lengths.iter().product::<usize>() as f64);
            let half = n / 2 + 1;
            let mut rows = lengths;
            rows[rank - 1] = half;
            let from = cropped(threads, t, &rows)?;
            let end = from.rank() - 1;
            let from = along_axes::<T>(threads, from, (end + 1 - rank, end), Direction::Inverse, None)?;
            let from = <T as Pair>::complex(&from)?;
            let to = out.slice_mut::<T>()?;
            if let Some(transform) = RealInverseRowTransform::new(n, to.len() / n) {
                transform.run(threads, from, to, scale)?;
            } else {
                let fft = RealInverseRows::<T>::new(n);
                try_for_chunks_mut(threads, to, block(n), |start, to| {
                    let row = start / n;
                    fft.run(&from[row * half..(row + to.len() / n) * half], half, to);
                    to.iter_mut().for_each(|x| *x = *x * scale);
                })?;
            }
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

fn complex_kernel<const RANK: usize, const INVERSE: bool>(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let direction = if INVERSE { Direction::Inverse } else { Direction::Forward };
    match init.output_type(0)? {
        DType::Complex64 => complex::<f32>(RANK, direction),
        DType::Complex128 => complex::<f64>(RANK, direction),
        _ => Err(init.unsupported()),
    }
}

fn real_kernel<const RANK: usize, const INVERSE: bool>(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (from, to) = (init.input_type(0)?, init.output_type(0)?);
    match if INVERSE { (to, from) } else { (from, to) } {
        (DType::F32, DType::Complex64) if INVERSE => real_inverse::<f32>(RANK),
        (DType::F64, DType::Complex128) if INVERSE => real_inverse::<f64>(RANK),
        (DType::F32, DType::Complex64) => real::<f32>(RANK),
        (DType::F64, DType::Complex128) => real::<f64>(RANK),
        _ => Err(init.unsupported()),
    }
}

fn unchanged<const RANK: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = c.input(0)?.with_rank_at_least(RANK)?;
    c.set_output(0, shape);
    Ok(())
}

fn real_shape<const RANK: usize, const INVERSE: bool>(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(RANK)?;
    let count = c.input(1)?.with_rank(1)?.dim(0);
    ensure!(
        count.is_none_or(|n| n == RANK),
        InvalidArgument,
        "Dimension must be {RANK} but is {}",
        count.unwrap_or(RANK)
    );
    let lengths = c.input_i64s(1)?;
    let Some(mut dims) = input.dims() else { return Ok(()) };
    let first = dims.len() - RANK;
    for i in 0..RANK {
        dims[first + i] = match &lengths {
            Some(lengths) => {
                let Some(&n) = lengths.get(i) else { bail!(InvalidArgument, "fft_length must hold {RANK} numbers") };
                // The kernel refuses a negative length; a graph may hold -1 as an unknown one.
                let n = if !INVERSE && i + 1 == RANK && n != 0 { n / 2 + 1 } else { n };
                ensure!(n >= -1, InvalidArgument, "Dimension {n} must be >= 0");
                usize::try_from(n).ok()
            }
            None => None,
        };
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn complex_op(name: &str) -> Op {
    Op::new(name)
        .input("input: Tcomplex")
        .output("output: Tcomplex")
        .attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
        .doc(
            "Returns the discrete Fourier transform over the last dimensions; an inverse one is divided by the number \
             of elements.",
        )
}

fn old_op(name: &str) -> Op {
    Op::new(name)
        .input("input: complex64")
        .output("output: complex64")
        .doc(
            "Returns the discrete Fourier transform over the last dimensions; an inverse one is divided by the number \
             of elements.",
        )
        .shape(shape_rules::unknown)
}

fn real_op(name: &str) -> Op {
    Op::new(name)
        .input("input: Treal")
        .input("fft_length: int32")
        .output("output: Tcomplex")
        .attr("Treal: {float, double} = DT_FLOAT")
        .attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
        .paired_types("Treal", "Tcomplex")
        .doc("Returns the non-negative frequencies of the discrete Fourier transform of real numbers.")
}

fn real_inverse_op(name: &str) -> Op {
    Op::new(name)
        .input("input: Tcomplex")
        .input("fft_length: int32")
        .output("output: Treal")
        .attr("Treal: {float, double} = DT_FLOAT")
        .attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")
        .paired_types("Treal", "Tcomplex")
        .doc("Returns real numbers from the non-negative frequencies of their discrete Fourier transform.")
}

macro_rules! ranks {
    ($r:expr; $($rank:literal $suffix:literal),*) => {$(
        $r.add(complex_op(concat!("FFT", $suffix)).shape(unchanged::<$rank>).kernel(complex_kernel::<$rank, false>));
        $r.add(complex_op(concat!("IFFT", $suffix)).shape(unchanged::<$rank>).kernel(complex_kernel::<$rank, true>));
        $r.add(old_op(concat!("BatchFFT", $suffix)).kernel(complex_kernel::<$rank, false>));
        $r.add(old_op(concat!("BatchIFFT", $suffix)).kernel(complex_kernel::<$rank, true>));
        $r.add(real_op(concat!("RFFT", $suffix)).shape(real_shape::<$rank, false>).kernel(real_kernel::<$rank, false>));
        $r.add(
            real_inverse_op(concat!("IRFFT", $suffix))
                .shape(real_shape::<$rank, true>)
                .kernel(real_kernel::<$rank, true>),
        );
    )*};
}

pub(super) fn register(r: &mut Registry) {
    ranks!(r; 1 "", 2 "2D", 3 "3D");
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Shape, Tensor};
    use num_complex::Complex;

    fn numbers(dims: &[usize]) -> Tensor {
        let n = dims.iter().product();
        let values: Vec<_> = (0..n).map(|i| Complex::new((i as f64 * 0.7).sin(), (i as f64 * 1.9).cos())).collect();
        Tensor::from_slice(Shape::new(dims), &values).unwrap()
    }

    fn double() -> Vec<(&'static str, AttrValue)> {
        vec![("Treal", AttrValue::Type(DType::F64)), ("Tcomplex", AttrValue::Type(DType::Complex128))]
    }

    fn close(a: &[Complex<f64>], b: &[Complex<f64>]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-12)
    }

    #[test]
    fn the_transform_of_planes_is_one_of_rows_then_of_columns() {
        // Few matrices, many, and columns that are more than one tile.
        for dims in [[3, 4, 5], [17, 4, 5], [16, 9, 1], [19, 70, 131], [2, 211, 33]] {
            let x = numbers(&dims);
            let two = run("FFT2D", std::slice::from_ref(&x), &[]).unwrap();
            let rows = run("FFT", &[x], &[]).unwrap();
            let perm = Tensor::from_slice([3], &[0i32, 2, 1]).unwrap();
            let transposed = run("Transpose", &[rows[0].clone(), perm.clone()], &[]).unwrap();
            let columns = run("FFT", &transposed, &[]).unwrap();
            let back = run("Transpose", &[columns[0].clone(), perm], &[]).unwrap();
            assert!(close(two[0].slice().unwrap(), back[0].slice().unwrap()));
            // Columns in lanes are other sums than single rows; those with a large prime factor are the same sums.
            assert!(dims[1] != 211 || two == back);
        }
    }

    #[test]
    fn an_inverse_undoes_a_transform_at_any_number_of_threads() {
        for (suffix, dims) in [("", vec![300, 40]), ("2D", vec![2, 30, 64]), ("3D", vec![2, 3, 4, 50])] {
            let x = numbers(&dims);
            let there = run(&format!("FFT{suffix}"), std::slice::from_ref(&x), &[]).unwrap();
            for threads in [2, 4] {
                let again = run_args(&format!("FFT{suffix}"), vec![Arg::One(x.clone())], &[], threads).unwrap();
                assert!(again.values == there);
            }
            let back = run(&format!("IFFT{suffix}"), &there, &[]).unwrap();
            assert!(close(back[0].slice().unwrap(), x.slice().unwrap()));
        }
    }

    #[test]
    fn a_real_transform_cuts_to_its_length_and_comes_back() {
        let x: Vec<f64> = (0..2 * 4 * 7).map(|i| (f64::from(i) * 0.3).sin()).collect();
        let x = Tensor::from_slice([2, 4, 7], &x).unwrap();
        for n in [5, 6, 7] {
            let length = Tensor::from_slice([2], &[3, n]).unwrap();
            let half = run("RFFT2D", &[x.clone(), length.clone()], &double()).unwrap();
            assert_eq!(half[0].shape(), &[2, 3, n as usize / 2 + 1].into());
            let back = run("IRFFT2D", &[half[0].clone(), length], &double()).unwrap();
            let (back, x) = (back[0].slice::<f64>().unwrap(), x.slice::<f64>().unwrap());
            let n = n as usize;
            for (c, value) in back.iter().enumerate() {
                assert!((value - x[c / (3 * n) * 28 + c / n % 3 * 7 + c % n]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn what_is_not_finite_and_the_sign_of_zero_survive_short_transforms() {
        let bits = |t: &Tensor| -> Vec<(u64, u64)> {
            // All NaNs are equal here.
            let bits = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
            t.slice::<Complex<f64>>().unwrap().iter().map(|x| (bits(x.re), bits(x.im))).collect()
        };
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        let one = |re, im| Tensor::from_slice([1], &[Complex::new(re, im)]).unwrap();
        for (re, im) in [(-0.0, -0.0), (nan, 1.0), (inf, nan), (1.0, inf)] {
            let x = one(re, im);
            assert_eq!(bits(&run("FFT", std::slice::from_ref(&x), &[]).unwrap()[0]), bits(&x));
        }
        for (from, to) in [
            ((-0.0, -0.0), (0.0, -0.0)),
            ((nan, 1.0), (nan, nan)),
            ((inf, nan), (inf, nan)),
            ((-inf, inf), (-inf, inf)),
        ] {
            let y = run("IFFT", &[one(from.0, from.1)], &[]).unwrap();
            assert_eq!(bits(&y[0]), bits(&one(to.0, to.1)), "{from:?}");
        }
        let length = |n: i32| Tensor::from_slice([1], &[n]).unwrap();
        let real = |x: &[f64]| {
            let x = Tensor::from_slice([x.len()], x).unwrap();
            let n = length(x.elements() as i32);
            bits(&run("RFFT", &[x, n], &double()).unwrap()[0])
        };
        assert_eq!(real(&[-0.0]), bits(&one(-0.0, 0.0)));
        assert_eq!(real(&[inf, inf]), [bits(&one(inf, 0.0)), bits(&one(nan, 0.0))].concat());
        let y = run("IRFFT", &[one(1.0, nan), length(1)], &double()).unwrap();
        assert!(y[0].slice::<f64>().unwrap()[0].is_nan());
    }

    #[test]
    fn empty_tensors_pass_and_wrong_lengths_are_refused() {
        let zeros = |shape: &[usize]| Tensor::zeros(DType::F32, Shape::new(shape)).unwrap();
        let length = |n: &[i32]| Tensor::from_slice([n.len()], n).unwrap();
        assert_eq!(run("RFFT", &[zeros(&[2, 0]), length(&[4])], &[]).unwrap()[0].shape(), &[2, 3].into());
        assert_eq!(run("RFFT", &[zeros(&[2, 3]), length(&[0])], &[]).unwrap()[0].shape(), &[2, 0].into());
        assert!(run("RFFT", &[zeros(&[2, 3]), length(&[4])], &[]).is_err());
        assert!(run("RFFT", &[zeros(&[2, 3]), length(&[-1])], &[]).is_err());
        assert!(run("RFFT2D", &[zeros(&[2, 3]), length(&[2])], &[]).is_err());
        assert!(run("FFT2D", &[Tensor::zeros(DType::Complex64, [3]).unwrap()], &[]).is_err());
    }
}
