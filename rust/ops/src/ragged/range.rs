//! RaggedRange: evenly spaced numbers in each row.

use super::splits;
use crate::math::sequence::Step;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (mut has_vectors, mut rows) = (false, None);
    for i in 0..3 {
        let input = c.input(i)?.with_rank_at_most(1)?;
        if input.rank() == Some(0) {
            continue;
        }
        has_vectors = true;
        if let (Some(a), Some(b)) = (rows, input.dim(0)) {
            ensure!(a == b, InvalidArgument, "Dimensions must be equal, but are {b} and {a}");
        }
        rows = rows.or(input.dim(0));
    }
    let rows = if has_vectors { rows } else { Some(1) };
    c.set_output(0, PartialShape::vector(rows.map(|n| n + 1)));
    c.set_output(1, PartialShape::vector(None));
    Ok(())
}

/// One argument of every row's range.
struct Column<'a, T> {
    values: &'a [T],
    is_scalar: bool,
}

impl<T: Step> Column<'_, T> {
    fn of(tensor: &Tensor) -> Result<Column<'_, T>> {
        Ok(Column { values: tensor.slice()?, is_scalar: tensor.rank() == 0 })
    }

    fn at(&self, row: usize) -> T {
        self.values[if self.is_scalar { 0 } else { row }]
    }
}

/// Returns the number of rows that the arguments describe.
fn rows_of(arguments: &[Tensor]) -> Result<usize> {
    for (argument, name) in arguments.iter().zip(["starts", "limits", "deltas"]) {
        ensure!(argument.rank() <= 1, InvalidArgument, "{name} must be a scalar or vector");
    }
    let mut vectors = arguments.iter().filter(|a| a.rank() == 1).map(Tensor::elements);
    let Some(rows) = vectors.next() else { return Ok(1) };
    ensure!(vectors.all(|n| n == rows), InvalidArgument, "starts, limits, and deltas must have the same shape");
    Ok(rows)
}

fn count<T: Step>(start: T, limit: T, delta: T) -> Result<usize> {
    ensure!(delta != T::ZERO, InvalidArgument, "Requires delta != 0");
    if (delta > T::ZERO && limit < start) || (delta < T::ZERO && limit > start) {
        return Ok(0);
    }
    match T::steps(start, limit, delta).and_then(|n| usize::try_from(n).ok()) {
        Some(n) => Ok(n),
        None => bail!(InvalidArgument, "Requires ((limit - start) / delta) <= 2**53"),
    }
}

fn range<T: Step>(ctx: &mut KernelContext<'_>, splits_type: DType) -> Result<()> {
    let rows = rows_of(ctx.inputs())?;
    let (starts, limits, deltas) =
        (Column::<T>::of(ctx.input(0)?)?, Column::<T>::of(ctx.input(1)?)?, Column::<T>::of(ctx.input(2)?)?);
    let mut ends = Vec::with_capacity(rows + 1);
    ends.push(0);
    let mut total = 0usize;
    for row in 0..rows {
        let Some(end) = total.checked_add(count(starts.at(row), limits.at(row), deltas.at(row))?) else {
            bail!(InvalidArgument, "the ranges have too many elements")
        };
        total = end;
        ends.push(total);
    }
    let Ok(total) = i64::try_from(total) else { bail!(InvalidArgument, "the ranges have too many elements") };
    let mut out = Tensor::new(T::DTYPE, Shape::checked(&[total])?)?;
    let values = out.slice_mut::<T>()?;
    for row in 0..rows {
        // TF 1.x: floats are added up, so that the rounding of each step carries on.
        let mut value = starts.at(row);
        for to in &mut values[ends[row]..ends[row + 1]] {
            *to = value;
            value = value.plus(deltas.at(row));
        }
    }
    ctx.set_output(0, splits::to_tensor(splits_type, &ends)?);
    ctx.set_output(1, out);
    Ok(())
}

fn range_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let splits_type = init.output_type(0)?;
    dispatch!(init.output_type(1)?, T in [I32, I64, F32, F64, BF16], kernel(move |ctx| range::<T>(ctx, splits_type)),
        else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RaggedRange")
            .input("starts: T")
            .input("limits: T")
            .input("deltas: T")
            .output("rt_nested_splits: Tsplits")
            .output("rt_dense_values: T")
            .attr("T: {bfloat16, float, double, int32, int64} = DT_INT32")
            .attr("Tsplits: {int32, int64} = DT_INT64")
            .doc("Returns rows of evenly spaced numbers; row i goes from `starts[i]` to before `limits[i]`.")
            .shape(shape)
            .kernel(range_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, PartialShape, Result, Tensor};

    fn vector<T: ferroflow_tensor::Scalar>(values: &[T]) -> Tensor {
        Tensor::from_slice([values.len()], values).unwrap()
    }

    #[test]
    fn rows_go_up_and_down_and_may_be_empty() {
        let args = [vector(&[0i32, 5, 5]), vector(&[3, 2, 0]), vector(&[1, -2, 1])].map(Arg::One);
        let got = run_args("RaggedRange", args.into(), &[], 1).unwrap();
        assert_eq!(got.values[0].slice::<i64>().unwrap(), [0, 3, 5, 5]);
        assert_eq!(got.values[1].slice::<i32>().unwrap(), [0, 1, 2, 5, 3]);
        assert_eq!(got.shapes[0], PartialShape::vector(Some(4)));
    }

    #[test]
    fn scalars_serve_every_row() {
        let args = [Tensor::scalar(0.5f32), vector(&[2.6f32, -1.0]), Tensor::scalar(0.5f32)];
        let got = run("RaggedRange", &args, &[("Tsplits", AttrValue::Type(DType::I32))]).unwrap();
        assert_eq!(got[0].slice::<i32>().unwrap(), [0, 5, 5]);
        assert_eq!(got[1].slice::<f32>().unwrap(), [0.5, 1.0, 1.5, 2.0, 2.5]);
        let one = run("RaggedRange", &[0i32, 3, 2].map(Tensor::scalar), &[]).unwrap();
        assert_eq!(one[0].slice::<i64>().unwrap(), [0, 2]);
    }

    #[test]
    fn bad_arguments_are_refused() {
        let message = |args: [Tensor; 3]| -> Result<_> { run("RaggedRange", &args, &[]) };
        let zero = message([vector(&[0i32]), vector(&[3]), vector(&[0])]).unwrap_err();
        assert_eq!(zero.message(), "Requires delta != 0");
        let unequal = message([vector(&[0i32, 1]), vector(&[3]), Tensor::scalar(1)]).unwrap_err();
        assert!(unequal.message().contains("Dimensions must be equal, but are 1 and 2"));
        assert!(message([0.0f32, f32::INFINITY, 1.0].map(Tensor::scalar)).is_err());
    }
}
