//! MatrixDiagV2, MatrixDiagPartV2, MatrixSetDiagV2 and their third versions: several diagonals of batches of matrices.

use crate::room::room;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, by_size, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

/// The side of a row on which a short diagonal begins, for diagonals above and below the main one.
#[derive(Clone, Copy)]
struct Align {
    above_left: bool,
    below_left: bool,
}

impl Align {
    const ATTR: &'static str = "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'";

    /// Reads the attribute; second versions have none, and all diagonals begin at the left.
    fn of(init: &KernelInit<'_>) -> Result<Align> {
        let align = if init.node.attrs.get("align").is_some() { init.str("align")? } else { "LEFT_LEFT".to_owned() };
        Ok(Align { above_left: align.starts_with("LEFT"), below_left: align.ends_with("LEFT") })
    }
}

/// The diagonals from `lower` to `upper`, in matrices of some size; 0 is the main one, positive ones are above it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Band {
    lower: i64,
    upper: i64,
    rows: i64,
    columns: i64,
}

impl Band {
    fn count(&self) -> usize {
        (self.upper - self.lower + 1) as usize
    }

    fn length(&self, diagonal: i64) -> usize {
        (self.rows + diagonal.min(0)).min(self.columns - diagonal.max(0)).max(0) as usize
    }

    /// Returns the length of the longest diagonal.
    fn longest(&self) -> usize {
        (self.rows + self.upper.min(0)).min(self.columns - self.lower.max(0)).max(0) as usize
    }

    /// Checks that the diagonals lie in the matrices.
    fn check(&self) -> Result<()> {
        let inside = |d: i64| (-self.rows < d && d < self.columns) || d == 0;
        ensure!(
            inside(self.lower),
            InvalidArgument,
            "lower_diag_index is out of bound: {}. It must be between {} and {}",
            self.lower,
            -self.rows,
            self.columns
        );
        ensure!(
            inside(self.upper),
            InvalidArgument,
            "upper_diag_index is out of bound: {}. It must be between {} and {}",
            self.upper,
            -self.rows,
            self.columns
        );
        Ok(())
    }

    /// Lists the place of each element in a packed row of diagonals, and its place in the matrix.
    fn places(&self, align: Align) -> Result<Vec<(usize, usize)>> {
        let longest = self.longest();
        let mut places = room(self.count().saturating_mul(longest), "places of diagonals")?;
        for (row, diagonal) in (self.lower..=self.upper).rev().enumerate() {
            let length = self.length(diagonal);
            let is_left = (diagonal >= 0 && align.above_left) || (diagonal <= 0 && align.below_left);
            let skipped = if is_left { 0 } else { longest - length };
            let first = ((-diagonal).max(0) * self.columns + diagonal.max(0)) as usize;
            let packed = row * longest + skipped;
            places.extend((0..length).map(|i| (packed + i, first + i * (self.columns as usize + 1))));
        }
        Ok(places)
    }

    /// Writes the packed diagonals `from` to matrices.
    fn unpack<E: Clone + Send + Sync>(&self, threads: Threads, align: Align, from: &[E], to: &mut [E]) -> Result<()> {
        let (packed, size) = (self.count() * self.longest(), self.size());
        if packed == 0 || size == 0 {
            return Ok(());
        }
        let places = self.places(align)?;
        try_for_chunks_mut(threads, to, (BLOCK / size).max(1) * size, |start, to| {
            for (from, to) in from[start / size * packed..].chunks_exact(packed).zip(to.chunks_exact_mut(size)) {
                places.iter().for_each(|&(i, at)| to[at].clone_from(&from[i]));
            }
        })?;
        Ok(())
    }

    /// Writes the diagonals of the matrices `from` to packed rows.
    fn pack<E: Clone + Send + Sync>(&self, threads: Threads, align: Align, from: &[E], to: &mut [E]) -> Result<()> {
        let (packed, size) = (self.count() * self.longest(), self.size());
        if packed == 0 || size == 0 {
            return Ok(());
        }
        let places = self.places(align)?;
        try_for_chunks_mut(threads, to, (BLOCK / packed).max(1) * packed, |start, to| {
            for (from, to) in from[start / packed * size..].chunks_exact(size).zip(to.chunks_exact_mut(packed)) {
                places.iter().for_each(|&(i, at)| to[i].clone_from(&from[at]));
            }
        })?;
        Ok(())
    }

    /// Returns the number of elements of one matrix.
    fn size(&self) -> usize {
        (self.rows * self.columns) as usize
    }

    /// Returns the dimensions of packed diagonals behind those of the batch.
    fn packed(&self, batch: &[usize]) -> Vec<usize> {
        let mut dims = batch.to_vec();
        if self.lower < self.upper {
            dims.push(self.count());
        }
        dims.push(self.longest());
        dims
    }
}

/// Returns the numbers of the lowest and the highest diagonal in an input.
fn bounds(k: &Tensor) -> Result<(i64, i64)> {
    ensure!(k.rank() <= 1, InvalidArgument, "diag_index must be a scalar or vector, received shape: {}", k.shape());
    let (lower, upper) = match k.to_i64s()?[..] {
        [both] => (both, both),
        [lower, upper] => (lower, upper),
        _ => bail!(InvalidArgument, "diag_index must have only one or two elements, received {}", k.elements()),
    };
    ensure!(
        lower <= upper,
        InvalidArgument,
        "lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}"
    );
    Ok((lower, upper))
}

fn only(ctx: &KernelContext<'_>, i: usize, name: &str) -> Result<i64> {
    let t = ctx.input(i)?;
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be a scalar, received shape: {}", t.shape());
    Ok(i64::from(t.to_scalar::<i32>()?))
}

/// Returns the rows and columns of a matrix with diagonals of `longest` elements, as small as fits where one is -1.
fn sizes_of(lower: i64, upper: i64, longest: i64, rows: i64, columns: i64) -> Result<(i64, i64)> {
    let least_rows = longest - upper.min(0);
    let least_columns = longest + lower.max(0);
    ensure!(rows == -1 || rows >= least_rows, InvalidArgument, "The number of rows is too small.");
    ensure!(columns == -1 || columns >= least_columns, InvalidArgument, "The number of columns is too small.");
    let (rows, columns) = match (rows, columns) {
        (-1, -1) => (least_rows.max(least_columns), least_rows.max(least_columns)),
        (-1, columns) => (least_rows, columns),
        (rows, -1) => (rows, least_columns),
        given => given,
    };
    ensure!(
        rows == least_rows || columns == least_columns,
        InvalidArgument,
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."
    );
    Ok((rows, columns))
}

fn diag(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let align = Align::of(init)?;
    kernel(move |ctx| {
        let diagonal = ctx.input(0)?;
        let (lower, upper) = bounds(ctx.input(1)?)?;
        let (rows, columns) = (only(ctx, 2, "num_rows")?, only(ctx, 3, "num_cols")?);
        let padding = ctx.input(4)?;
        ensure!(padding.rank() == 0, InvalidArgument, "padding_value must be a scalar, got {}", padding.shape());
        let Some((&longest, outer)) = diagonal.shape().dims().split_last() else {
            bail!(InvalidArgument, "diagonal must be at least 1-dim, received shape: {}", diagonal.shape());
        };
        let count = (upper - lower + 1) as usize;
        let batch = if lower < upper {
            let Some((&given, batch)) = outer.split_last() else {
                bail!(InvalidArgument, "diagonal must be at least 2-dim, received shape: {}", diagonal.shape());
            };
            ensure!(
                given == count,
                InvalidArgument,
                "The number of diagonals provided in the input does not match the lower_diag_index and \
                 upper_diag_index range: {given} is not {count}"
            );
            batch
        } else {
            outer
        };
        let (rows, columns) = sizes_of(lower, upper, longest as i64, rows, columns)?;
        let band = Band { lower, upper, rows, columns };
        band.check()?;
        let mut dims: Vec<i64> = batch.iter().map(|&d| d as i64).collect();
        dims.extend([band.rows, band.columns]);
        let mut out = super::fill::filled(ctx.threads(), padding, Shape::checked(&dims)?)?;
        by_size!(diagonal.dtype(), E, {
            band.unpack(ctx.threads(), align, E::view(diagonal)?, E::view_mut(&mut out)?)
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Returns the sizes of an input's matrices, with the band that input `k` describes.
fn band_of(x: &Tensor, k: &Tensor) -> Result<Band> {
    let [.., rows, columns] = *x.shape().dims() else {
        bail!(InvalidArgument, "input must be at least 2-dim, received shape: {}", x.shape());
    };
    let (lower, upper) = bounds(k)?;
    let band = Band { lower, upper, rows: rows as i64, columns: columns as i64 };
    band.check()?;
    Ok(band)
}

fn diag_part(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let align = Align::of(init)?;
    kernel(move |ctx| {
        let (x, padding) = (ctx.input(0)?, ctx.input(2)?);
        ensure!(padding.rank() == 0, InvalidArgument, "padding_value must be a scalar, got {}", padding.shape());
        let band = band_of(x, ctx.input(1)?)?;
        let dims = band.packed(&x.shape()[..x.rank() - 2]);
        let mut out = super::fill::filled(ctx.threads(), padding, Shape::new(&dims))?;
        by_size!(x.dtype(), E, band.pack(ctx.threads(), align, E::view(x)?, E::view_mut(&mut out)?))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn set_diag(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let align = Align::of(init)?;
    kernel(move |ctx| {
        let mut x = ctx.take_unique(0)?;
        let band = band_of(&x, ctx.input(2)?)?;
        let diagonal = ctx.input(1)?;
        let expected = band.packed(&x.shape()[..x.rank() - 2]);
        ensure!(
            diagonal.shape().dims() == expected,
            InvalidArgument,
            "The diagonals must have shape {}, but received input shape: {} and diagonal shape: {}",
            Shape::new(&expected),
            x.shape(),
            diagonal.shape()
        );
        by_size!(x.dtype(), E, band.unpack(ctx.threads(), align, E::view(diagonal)?, E::view_mut(&mut x)?))?;
        ctx.set_output(0, x);
        Ok(())
    })
}

/// Returns the bounds that a constant input holds.
fn known_bounds(c: &ShapeContext<'_>, i: usize) -> Result<Option<(i64, i64)>> {
    c.input(i)?.with_rank_at_most(1)?;
    match c.input_value(i)? {
        Some(k) => bounds(&k).map(Some),
        None => Ok(None),
    }
}

fn size(c: &ShapeContext<'_>, i: usize) -> Result<Option<i64>> {
    c.input(i)?.with_rank(0)?;
    c.input_i64(i)
}

fn diag_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let diagonal = c.input(0)?.with_rank_at_least(1)?;
    for scalar in 2..5 {
        c.input(scalar)?.with_rank(0)?;
    }
    let (rows, columns) = (size(c, 2)?, size(c, 3)?);
    let (Some((lower, upper)), Some(dims)) = (known_bounds(c, 1)?, diagonal.dims()) else { return Ok(()) };
    let outer = dims.len() - if lower < upper { 2.min(dims.len()) } else { 1 };
    if lower < upper {
        // TF 1.x: an unknown number of diagonals is -1, and refused. Of a vector, it is the only dimension.
        let count = dims[outer].map_or(-1, |count| count as i64);
        ensure!(
            count == upper - lower + 1,
            InvalidArgument,
            "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and \
             `d_upper`.\nnum_diags = {count}, d_lower = {lower}, d_upper = {upper}"
        );
    }
    let batch = PartialShape::from_dims(&dims[..outer]);
    let longest = dims.last().copied().flatten();
    // TF 1.x: diagonals of unknown length are taken for such of -1 elements, which few sizes fit.
    let length = longest.map_or(-1, |n| n as i64);
    let (given, stated) = ([rows, columns], [rows.unwrap_or(-1), columns.unwrap_or(-1)]);
    let (rows, columns) = sizes_of(lower, upper, length, stated[0], stated[1])?;
    let is_known = longest.is_some() && given.iter().all(Option::is_some);
    let side = |size: i64, stated: i64| if is_known || stated != -1 { usize::try_from(size).ok() } else { None };
    let sides = [side(rows, stated[0]), side(columns, stated[1])];
    // TF 1.x: a vector of several diagonals has a vector's shape here; the step refuses it.
    let known = if lower < upper && dims.len() == 1 { &sides[1..] } else { &sides[..] };
    c.set_output(0, batch.concatenate(&PartialShape::from_dims(known)));
    Ok(())
}

/// Returns the shape of the packed diagonals of matrices.
fn packed_shape(input: &PartialShape, bounds: Option<(i64, i64)>) -> Result<PartialShape> {
    let (Some((lower, upper)), Some(dims)) = (bounds, input.dims()) else { return Ok(PartialShape::unknown()) };
    let [batch @ .., rows, columns] = &dims[..] else { return Ok(PartialShape::unknown()) };
    let mut out = batch.to_vec();
    if lower < upper {
        out.push(Some((upper - lower + 1) as usize));
    }
    out.push(match (rows, columns) {
        (Some(rows), Some(columns)) => {
            let band = Band { lower, upper, rows: *rows as i64, columns: *columns as i64 };
            band.check()?;
            Some(band.longest())
        }
        _ => None,
    });
    Ok(PartialShape::from_dims(&out))
}

fn diag_part_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(2)?;
    c.input(2)?.with_rank(0)?;
    let shape = packed_shape(&input, known_bounds(c, 1)?)?;
    c.set_output(0, shape);
    Ok(())
}

fn set_diag_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(2)?;
    let mut diagonal = c.input(1)?.with_rank_at_least(1)?;
    let known = known_bounds(c, 2)?;
    if let Some(rank) = input.rank() {
        // Several diagonals have a dimension of their own.
        diagonal = diagonal.with_rank_at_least(rank - 1)?.with_rank_at_most(rank)?;
        if let Some((lower, upper)) = known {
            diagonal = diagonal.with_rank(if lower < upper { rank } else { rank - 1 })?;
        }
    }
    packed_shape(&input, known)?.merge(&diagonal)?;
    let mut out = input.clone();
    // The batch is the diagonals', too.
    let inner = match (known, input.rank(), diagonal.rank()) {
        (Some((lower, upper)), ..) => Some(if lower < upper { 2 } else { 1 }),
        (None, Some(rank), Some(of_diagonal)) => Some(of_diagonal + 2 - rank),
        _ => None,
    };
    if let (Some(inner), Some(dims)) = (inner, diagonal.dims()) {
        ensure!(
            dims.len() >= inner,
            InvalidArgument,
            "Subshape end out of bounds: -{inner}, for shape with rank {}",
            dims.len()
        );
        let outer = dims.len() - inner;
        let batch = PartialShape::from_dims(&dims[..outer]);
        out = out.merge(&batch.concatenate(&PartialShape::unknown_of_rank(2)))?;
    }
    c.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    for version in ["V2", "V3"] {
        let op = |name: &str| Op::new(&format!("{name}{version}"));
        let typed = |op: Op| {
            let op = op.attr("T: type");
            if version == "V3" { op.attr(Align::ATTR) } else { op }
        };
        r.add(typed(
            op("MatrixDiag")
                .input("diagonal: T")
                .input("k: int32")
                .input("num_rows: int32")
                .input("num_cols: int32")
                .input("padding_value: T")
                .output("output: T")
                .doc("Returns matrices with the diagonals from k[0] to k[1], and `padding_value` elsewhere.")
                .shape(diag_shape)
                .kernel(diag),
        ));
        r.add(typed(
            op("MatrixDiagPart")
                .input("input: T")
                .input("k: int32")
                .input("padding_value: T")
                .output("diagonal: T")
                .doc("Returns the diagonals from k[0] to k[1] of matrices, from the upper to the lower one.")
                .shape(diag_part_shape)
                .kernel(diag_part),
        ));
        r.add(typed(
            op("MatrixSetDiag")
                .input("input: T")
                .input("diagonal: T")
                .input("k: int32")
                .output("output: T")
                .doc("Returns matrices with their diagonals from k[0] to k[1] replaced.")
                .shape(set_diag_shape)
                .kernel(set_diag),
        ));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn ints(shape: &[usize], values: &[i32]) -> Tensor {
        Tensor::from_slice(shape, values).unwrap()
    }

    fn of(version: &str, x: &Tensor, k: &[i32], align: Option<&str>) -> Result<Tensor> {
        let attrs: Vec<_> = align.map(|a| ("align", AttrValue::Str(a.as_bytes().to_vec()))).into_iter().collect();
        let inputs = [x.clone(), ints(&[k.len()], k), Tensor::scalar(9i32)];
        Ok(run(&format!("MatrixDiagPart{version}"), &inputs, &attrs)?.remove(0))
    }

    #[test]
    fn diagonals_lie_where_their_alignment_says() {
        let x = ints(&[3, 4], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6]);
        assert_eq!(of("V2", &x, &[-1, 1], None).unwrap(), ints(&[3, 3], &[2, 7, 6, 1, 6, 7, 5, 8, 9]));
        assert_eq!(of("V2", &x, &[2, 3], None).unwrap(), ints(&[2, 2], &[4, 9, 3, 8]));
        assert_eq!(of("V3", &x, &[2, 3], None).unwrap(), ints(&[2, 2], &[9, 4, 3, 8]));
        assert_eq!(of("V3", &x, &[2, 3], Some("LEFT_RIGHT")).unwrap(), ints(&[2, 2], &[4, 9, 3, 8]));
        assert!(of("V2", &x, &[4], None).is_err());
        assert!(of("V2", &x, &[1, 0], None).is_err());
    }

    #[test]
    fn what_was_packed_is_put_back() {
        let x = ints(&[2, 3, 4], &(1..25).collect::<Vec<_>>());
        for k in [[0, 0], [-2, 3], [1, 2], [-2, -1]] {
            let packed = of("V3", &x, &k, None).unwrap();
            let band = ints(&[2], &k);
            let again = run("MatrixSetDiagV3", &[x.clone(), packed.clone(), band.clone()], &[]).unwrap();
            assert_eq!(again[0], x, "{k:?}");
            let sizes = [Tensor::scalar(3i32), Tensor::scalar(4i32), Tensor::scalar(0i32)];
            let inputs = [packed.clone(), band, sizes[0].clone(), sizes[1].clone(), sizes[2].clone()];
            if k == [-2, 3] {
                assert_eq!(run("MatrixDiagV3", &inputs, &[]).unwrap()[0], x);
            }
        }
    }

    #[test]
    fn any_number_of_threads_moves_the_same_diagonals() {
        let x = ints(&[3000, 3, 4], &(0..36_000).collect::<Vec<_>>());
        let k = ints(&[2], &[-1, 2]);
        let part = |n| {
            run_args("MatrixDiagPartV3", [x.clone(), k.clone(), Tensor::scalar(-1i32)].map(Arg::One).into(), &[], n)
        };
        let packed = part(1).unwrap().values.remove(0);
        assert_eq!(part(4).unwrap().values[0], packed);
        for n in [1, 4] {
            let inputs = [ints(&[3000, 3, 4], &[0; 36_000]), packed.clone(), k.clone()].map(Arg::One).into();
            let filled = run_args("MatrixSetDiagV3", inputs, &[], n).unwrap().values.remove(0);
            let expected = (0..36_000).map(|i| if i % 12 == 3 || i % 12 == 8 { 0 } else { i }).collect::<Vec<_>>();
            assert_eq!(filled, ints(&[3000, 3, 4], &expected));
        }
    }
}
