//! MatrixDiag, MatrixDiagPart, MatrixSetDiag, MatrixBandPart: diagonals and bands of batches of matrices.

use super::strided::{Walk, gathered};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 15;

/// Returns batches, rows and columns.
fn matrices(shape: &Shape) -> Result<(usize, usize, usize)> {
    let [batch @ .., rows, columns] = shape.dims() else {
        bail!(InvalidArgument, "input must be at least 2-dim, received shape: {shape}");
    };
    Ok((batch.iter().product(), *rows, *columns))
}

/// Returns the main diagonals of `batches` matrices, as a view.
fn diagonals((batches, rows, columns): (usize, usize, usize)) -> Walk {
    let mut walk = Walk::new(0);
    walk.push(batches, (rows * columns) as isize);
    walk.push(rows.min(columns), columns as isize + 1);
    walk
}

fn diag_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(1)?;
    let Some(mut dims) = input.dims() else { return Ok(()) };
    dims.extend(dims.last().copied());
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

/// Returns the shape of the diagonals of matrices of this shape.
fn diagonal_shape(input: &PartialShape) -> Result<PartialShape> {
    let Some(dims) = input.with_rank_at_least(2)?.dims() else { return Ok(PartialShape::unknown()) };
    let [batch @ .., rows, columns] = &dims[..] else { return Ok(PartialShape::unknown()) };
    let side = match (rows, columns) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (Some(r), Some(c)) => Some(*r.min(c)),
        _ => None,
    };
    Ok(PartialShape::from_dims(batch).concatenate(&PartialShape::vector(side)))
}

fn set_diag_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(2)?;
    let diagonal = c.input(1)?.with_rank_at_least(1)?;
    let fitting = diagonal_shape(&input)?.merge(&diagonal)?;
    let mut out = input;
    if let Some([batch @ .., _]) = fitting.dims().as_deref() {
        out = out.merge(&PartialShape::from_dims(batch).concatenate(&PartialShape::unknown_of_rank(2)))?;
    }
    c.set_output(0, out);
    Ok(())
}

fn diag(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let x = ctx.input(0)?;
        let Some(&side) = x.shape().last() else {
            bail!(InvalidArgument, "input must be at least 1-dim, received shape: []");
        };
        let mut dims = x.shape().to_i64();
        dims.push(side as i64);
        let mut out = Tensor::zeros(x.dtype(), Shape::checked(&dims)?)?;
        let walk = diagonals(matrices(out.shape())?);
        by_size!(x.dtype(), E, walk.write(E::view(x)?, E::view_mut(&mut out)?))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn diag_part(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let x = ctx.input(0)?;
        let sizes = matrices(x.shape())?;
        let mut dims = x.shape()[..x.rank() - 2].to_vec();
        dims.push(sizes.1.min(sizes.2));
        let out = gathered(ctx.threads(), x, &diagonals(sizes), Shape::new(&dims))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn set_diag(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let mut x = ctx.take_unique(0)?;
        let sizes = matrices(x.shape())?;
        let diagonal = ctx.input(1)?;
        let mut expected = x.shape()[..x.rank() - 2].to_vec();
        expected.push(sizes.1.min(sizes.2));
        ensure!(
            diagonal.shape().dims() == expected,
            InvalidArgument,
            "must have diagonal.shape == input.shape[:-2] + min(input.shape[-2:]), but received input shape: {} and \
             diagonal shape: {}",
            x.shape(),
            diagonal.shape()
        );
        by_size!(x.dtype(), E, diagonals(sizes).write(E::view(diagonal)?, E::view_mut(&mut x)?))?;
        ctx.set_output(0, x);
        Ok(())
    })
}

/// Returns the number of diagonals to keep on one side; `None`: all.
fn width(t: &Tensor, name: &str, what: &str, limit: usize) -> Result<Option<usize>> {
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be scalar, got shape {}", t.shape());
    let n = t.to_i64s()?.first().copied().unwrap_or(-1);
    ensure!(
        n <= limit as i64,
        InvalidArgument,
        "{name} must be negative or less or equal to number of {what} ({limit}) got: {n}"
    );
    Ok(usize::try_from(n).ok())
}

fn clear<E: Movable>(
    threads: Threads,
    to: &mut [E],
    (rows, columns): (usize, usize),
    (lower, upper): (Option<usize>, Option<usize>),
) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    try_for_chunks_mut(threads, to, (BLOCK / columns).max(1) * columns, |start, chunk| {
        for (k, line) in chunk.chunks_exact_mut(columns).enumerate() {
            let i = (start / columns + k) % rows;
            let begin = lower.map_or(0, |l| i.saturating_sub(l)).min(columns);
            let end = upper.map_or(columns, |u| (i + u + 1).min(columns));
            line[..begin].fill(E::default());
            line[end.max(begin)..].fill(E::default());
        }
    })?;
    Ok(())
}

fn band_part(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let mut x = ctx.take_unique(0)?;
        let (_, rows, columns) = matrices(x.shape())?;
        let lower = width(ctx.input(1)?, "num_lower", "rows", rows)?;
        let upper = width(ctx.input(2)?, "num_upper", "columns", columns)?;
        by_size!(x.dtype(), E, {
            clear(ctx.threads(), E::view_mut(&mut x)?, (rows, columns), (lower, upper))?;
            Ok(())
        })?;
        ctx.set_output(0, x);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    // The names with "Batch" are those of graphs before TensorFlow 1.0.
    for prefix in ["", "Batch"] {
        let op = |name: &str| Op::new(&format!("{prefix}{name}"));
        r.add(
            op("MatrixDiag")
                .input("diagonal: T")
                .output("output: T")
                .attr("T: type")
                .doc(
                    "Returns square matrices with the last dimension of the input on the diagonal and zeros elsewhere.",
                )
                .shape(diag_shape)
                .kernel(diag),
        );
        r.add(
            op("MatrixDiagPart")
                .input("input: T")
                .output("diagonal: T")
                .attr("T: type")
                .doc("Returns the main diagonals of matrices.")
                .shape(|c| {
                    let s = diagonal_shape(c.input(0)?)?;
                    c.set_output(0, s);
                    Ok(())
                })
                .kernel(diag_part),
        );
        r.add(
            op("MatrixSetDiag")
                .input("input: T")
                .input("diagonal: T")
                .output("output: T")
                .attr("T: type")
                .doc("Returns matrices with their main diagonals replaced.")
                .shape(set_diag_shape)
                .kernel(set_diag),
        );
        let band = op("MatrixBandPart").input("input: T");
        let band = match prefix {
            "" => band.input("num_lower: Tindex").input("num_upper: Tindex"),
            _ => band.input("num_lower: int64").input("num_upper: int64"),
        };
        let band = band.output("band: T").attr("T: type");
        let band = if prefix.is_empty() { band.attr("Tindex: {int32, int64} = DT_INT64") } else { band };
        r.add(
            band.doc(
                "Clears what lies outside the band of `num_lower` diagonals below and `num_upper` above; negative: \
                 all.",
            )
            .shape(shape_rules::unchanged)
            .kernel(band_part),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Result, Tensor};

    #[test]
    fn diagonals_go_in_and_come_out() {
        let d = Tensor::from_slice([2, 2], &[1i16, 2, 3, 4]).unwrap();
        let m = run("MatrixDiag", std::slice::from_ref(&d), &[]).unwrap();
        assert_eq!(m[0], Tensor::from_slice([2, 2, 2], &[1i16, 0, 0, 2, 3, 0, 0, 4]).unwrap());
        assert_eq!(run("MatrixDiagPart", &m, &[]).unwrap()[0], d);
        let wide = Tensor::from_slice([2, 2, 3], &[9i16; 12]).unwrap();
        let set = run("MatrixSetDiag", &[wide.clone(), d.clone()], &[]).unwrap();
        assert_eq!(set[0].slice::<i16>().unwrap(), [1, 9, 9, 9, 2, 9, 3, 9, 9, 9, 4, 9]);
        assert_eq!(run("MatrixDiagPart", &set, &[]).unwrap()[0], d);
        assert_eq!(wide.slice::<i16>().unwrap()[0], 9);
        let tall = Tensor::from_slice([3, 1], &[5f32, 6., 7.]).unwrap();
        assert_eq!(run("MatrixDiagPart", &[tall], &[]).unwrap()[0].slice::<f32>().unwrap(), [5.]);
        let none = Tensor::zeros(DType::F32, [2, 0, 3]).unwrap();
        assert_eq!(run("MatrixDiagPart", &[none], &[]).unwrap()[0].shape().dims(), [2, 0]);
        assert!(run("MatrixSetDiag", &[d.clone(), d], &[]).is_err());
        assert!(run("MatrixDiag", &[Tensor::scalar(1f32)], &[]).is_err());
    }

    #[test]
    fn bands_keep_the_diagonals_asked_for() {
        let (rows, columns) = (4usize, 3usize);
        let x = Tensor::from_slice([2, rows, columns], &[7u8; 24]).unwrap();
        let band = |l: i64, u: i64| -> Result<Tensor> {
            Ok(run("MatrixBandPart", &[x.clone(), Tensor::scalar(l), Tensor::scalar(u)], &[])?[0].clone())
        };
        for lower in -1..=4 {
            for upper in -1..=3 {
                let y = band(lower, upper).unwrap();
                for (n, &v) in y.slice::<u8>().unwrap().iter().enumerate() {
                    let (i, j) = ((n / columns % rows) as i64, (n % columns) as i64);
                    let keep = (lower < 0 || i - j <= lower) && (upper < 0 || j - i <= upper);
                    assert_eq!(v, if keep { 7 } else { 0 }, "{lower} {upper} at {i} {j}");
                }
            }
        }
        assert!(band(5, 0).is_err() && band(0, 4).is_err());
    }
}
