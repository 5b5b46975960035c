//! Cumsum and Cumprod: running sums and products along an axis.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::{Columns, Threads, try_for_chunks_mut, try_for_rows_mut};
use ferroflow_tensor::vector::{Binary, Element, Operand, binary_in_place_left};
use ferroflow_tensor::{DType, Result, Scalar, Tensor, dispatch, elementwise, ensure};
use num_complex::Complex;
use std::ops::{Add, Mul};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;

#[derive(Clone, Copy)]
struct Scan {
    f: Binary,
    exclusive: bool,
    reverse: bool,
}

/// A type with sums and products; those of integers wrap.
trait Scanned: Scalar + Element {
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! scanned {
    ($($t:ty: $plus:expr, $times:expr;)*) => {$(
        impl Scanned for $t {
            #[inline(always)]
            fn plus(self, other: $t) -> $t {
                $plus(self, other)
            }
            #[inline(always)]
            fn times(self, other: $t) -> $t {
                $times(self, other)
            }
        }
    )*};
    ($($t:ident)*) => {
        scanned! { $($t: $t::wrapping_add, $t::wrapping_mul;)* }
    };
}

scanned!(i8 i16 i32 i64 u8 u16 u32 u64);
scanned! {
    f32: Add::add, Mul::mul;
    f64: Add::add, Mul::mul;
    Complex<f32>: Add::add, Mul::mul;
    Complex<f64>: Add::add, Mul::mul;
}

/// Scans the middle dimension of an array of shape (outer, n, inner), from the first to the last element.
fn scan<T: Scanned>(
    s: Scan,
    threads: Threads,
    x: &[T],
    (_, n, inner): (usize, usize, usize),
    start: T,
    out: &mut [T],
) -> Result<()> {
    if inner == 1 {
        return match s.f {
            Binary::Mul => scan_rows(s, threads, x, n, start, out, T::times),
            _ => scan_rows(s, threads, x, n, start, out, T::plus),
        };
    }
    // A task is one part of the columns of one matrix.
    let width = inner.min((BLOCK / n).max(64));
    let columns = Columns::new(out, (n, inner), width);
    let per_task = (BLOCK / (n * width)).max(1);
    try_for_rows_mut(threads, columns.count(), per_task, columns, |range, mut pieces| {
        let mut running = vec![start; width];
        for number in range {
            let Some(mut piece) = pieces.piece(number) else { return };
            let running = &mut running[..piece.columns()];
            running.fill(start);
            for step in 0..n {
                let row = if s.reverse { n - 1 - step } else { step };
                let at = piece.place(row);
                let to = piece.row(row);
                if s.exclusive {
                    to.copy_from_slice(running);
                }
                binary_in_place_left(s.f, running, Operand::Slice(&x[at]));
                if !s.exclusive {
                    to.copy_from_slice(running);
                }
            }
        }
    })?;
    Ok(())
}

/// Rows that are scanned side by side, since each sum waits for the one before it.
const SIDE_BY_SIDE: usize = 8;

/// Scans each row of `n` elements, from the first to the last element.
fn scan_rows<T: Scanned>(
    s: Scan,
    threads: Threads,
    x: &[T],
    n: usize,
    start: T,
    out: &mut [T],
    f: impl Fn(T, T) -> T + Copy + Sync,
) -> Result<()> {
    let rows = SIDE_BY_SIDE * (BLOCK / (n * SIDE_BY_SIDE)).max(1);
    try_for_chunks_mut(threads, out, rows * n, |from, out| {
        let group = SIDE_BY_SIDE * n;
        let x = &x[from..from + out.len()];
        let (mut groups, mut groups_of_x) = (out.chunks_exact_mut(group), x.chunks_exact(group));
        for (out, x) in groups.by_ref().zip(groups_of_x.by_ref()) {
            scan_side_by_side::<T, SIDE_BY_SIDE>(s, x, n, start, out, f);
        }
        for (out, x) in groups.into_remainder().chunks_exact_mut(n).zip(groups_of_x.remainder().chunks_exact(n)) {
            scan_side_by_side::<T, 1>(s, x, n, start, out, f);
        }
    })?;
    Ok(())
}

/// Scans `ROWS` rows of `n` elements.
fn scan_side_by_side<T: Scanned, const ROWS: usize>(
    s: Scan,
    x: &[T],
    n: usize,
    start: T,
    out: &mut [T],
    f: impl Fn(T, T) -> T,
) {
    let mut running = [start; ROWS];
    for step in 0..n {
        let column = if s.reverse { n - 1 - step } else { step };
        for (row, running) in running.iter_mut().enumerate() {
            let before = *running;
            *running = f(before, x[row * n + column]);
            out[row * n + column] = if s.exclusive { before } else { *running };
        }
    }
}

/// Returns the axis of input 0 that input 1 names.
pub(super) fn axis_of(ctx: &KernelContext<'_>) -> Result<usize> {
    let (x, axis) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(axis.rank() == 0, InvalidArgument, "ScanOp: axis must be a scalar, not {}", axis.shape());
    let (rank, dim) = (x.rank() as i64, axis.to_i64s()?.first().copied().unwrap_or_default());
    let axis = if dim < 0 { dim + rank } else { dim };
    ensure!(
        (0..rank).contains(&axis),
        InvalidArgument,
        "ScanOp: Expected scan axis in the range [{}, {rank}), but got {dim}",
        -rank
    );
    Ok(axis as usize)
}

fn scan_kernel(init: &KernelInit<'_>, f: Binary) -> Result<Box<dyn Kernel>> {
    let s = Scan { f, exclusive: init.bool("exclusive")?, reverse: init.bool("reverse")? };
    let dtype = init.input_type(0)?;
    // Running results of 16-bit floats are kept in f32.
    let wide = if matches!(dtype, DType::F16 | DType::BF16) { DType::F32 } else { dtype };
    dispatch!(wide, T in [F32, F64, I32, I64, U8, I8, U16, I16, U32, U64, Complex64, Complex128], {
        kernel(move |ctx| {
            let axis = axis_of(ctx)?;
            let threads = ctx.threads();
            let x = elementwise::cast(ctx.take(0)?, wide, threads)?;
            let mut out = Tensor::new(wide, x.shape().clone())?;
            if x.elements() > 0 {
                let one = elementwise::cast(Tensor::scalar(f == Binary::Mul), wide, threads)?.to_scalar::<T>()?;
                scan(s, threads, x.slice::<T>()?, x.shape().around(axis), one, out.slice_mut()?)?;
            }
            let out = elementwise::cast(out, dtype, threads)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        Op::new(name)
            .input("x: T")
            .input("axis: Tidx")
            .output("out: T")
            .attr("exclusive: bool = false")
            .attr("reverse: bool = false")
            .attr("T: numbertype")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .shape(shape_rules::unchanged)
    };
    r.add(op("Cumsum").doc("Returns the running sums along an axis.").kernel(|init| scan_kernel(init, Binary::Add)));
    r.add(
        op("Cumprod").doc("Returns the running products along an axis.").kernel(|init| scan_kernel(init, Binary::Mul)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Shape, Tensor, f16};

    #[test]
    fn every_axis_and_direction_gives_the_naive_scan_at_any_number_of_threads() {
        for shape in [&[5][..], &[3, 4], &[2, 3, 4], &[400, 300], &[13, 70_001], &[3, 90, 700], &[1000, 4, 40]] {
            let n: usize = shape.iter().product();
            let values: Vec<f64> = (0..n).map(|i| ((i * 7) % 5) as f64 - 2.0).collect();
            let x = Tensor::from_slice(Shape::new(shape), &values).unwrap();
            for axis in 0..shape.len() {
                let (outer, n, inner) = x.shape().around(axis);
                for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
                    let mut expected = vec![0.0; values.len()];
                    for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
                        let mut sum = 0.0;
                        for k in 0..n {
                            let at = (o * n + if reverse { n - 1 - k } else { k }) * inner + i;
                            expected[at] = if exclusive { sum } else { sum + values[at] };
                            sum += values[at];
                        }
                    }
                    let attrs = [("exclusive", AttrValue::Bool(exclusive)), ("reverse", AttrValue::Bool(reverse))];
                    for threads in [1, 2, 4] {
                        let args = vec![Arg::One(x.clone()), Arg::One(Tensor::scalar(axis as i32))];
                        let got = run_args("Cumsum", args, &attrs, threads).unwrap();
                        assert_eq!(got.values[0].slice::<f64>().unwrap(), expected, "{shape:?} {axis}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_and_halves() {
        let x = Tensor::from_slice([4], &[1i32, 2, 3, 4]).unwrap();
        let out = run("Cumprod", &[x, Tensor::scalar(-1i32)], &[]).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [1, 2, 6, 24]);
        let x = Tensor::from_slice([3], &[f16::from_f32(2048.0), f16::ONE, f16::ONE]).unwrap();
        let out = run("Cumsum", &[x, Tensor::scalar(0i32)], &[]).unwrap();
        assert_eq!(out[0].slice::<f16>().unwrap()[2], f16::from_f32(2050.0));
        assert!(run("Cumsum", &[Tensor::scalar(1i32), Tensor::scalar(0i32)], &[]).is_err());
    }
}
