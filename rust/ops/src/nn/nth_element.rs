//! NthElement: the entry of each last-axis row that sorting would put at place `n`.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, bail, dispatch, ensure};
use std::cmp::Ordering;

/// Entries of one parallel block, as near as whole rows allow.
const BLOCK: usize = 1 << 13;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(1)?;
    c.input(1)?.with_rank(0)?;
    let n = c.input_i64(1)?;
    if let Some(n) = n {
        ensure!(n >= 0, InvalidArgument, "Dimension size, given by scalar input 1, must be non-negative but is {n}");
    }
    let Some(dims) = input.dims() else { return Ok(()) };
    let Some((last, outer)) = dims.split_last() else { return Ok(()) };
    if let (Some(last), Some(n)) = (*last, n) {
        ensure!(last as i64 > n, InvalidArgument, "Input must have last dimension > n = {n} but is {last}");
    }
    c.set_output(0, PartialShape::from_dims(outer));
    Ok(())
}

/// Orders ascending, NaN after all numbers.
fn order<T: PartialOrd>(x: &T, y: &T) -> Ordering {
    x.partial_cmp(y).unwrap_or_else(|| {
        let is_nan = |v: &T| v.partial_cmp(v).is_none();
        is_nan(x).cmp(&is_nan(y))
    })
}

fn nth_element<T: Scalar + PartialOrd>(ctx: &mut KernelContext<'_>, reverse: bool) -> Result<()> {
    let (input, n) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(n.rank() == 0, InvalidArgument, "N must be scalar, got shape {}", n.shape());
    let n = n.to_scalar::<i32>()?;
    let Ok(n) = usize::try_from(n) else { bail!(InvalidArgument, "Need n >= 0, got {n}") };
    let Some((&columns, outer)) = input.shape().split_last() else {
        bail!(InvalidArgument, "Input must be >= 1-D, got shape {}", input.shape())
    };
    ensure!(columns > n, InvalidArgument, "Input must have at least n+1 columns");
    let place = if reverse { columns - 1 - n } else { n };
    let mut out = Tensor::new(input.dtype(), Shape::new(outer))?;
    let values = input.slice::<T>()?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<T>()?, (BLOCK / columns).max(1), |start, found| {
        let mut row = Vec::with_capacity(columns);
        let rows = values[start * columns..].chunks_exact(columns);
        for (slot, entries) in found.iter_mut().zip(rows) {
            row.clear();
            row.extend_from_slice(entries);
            *slot = *row.select_nth_unstable_by(place, order).1;
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn nth_element_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let reverse = init.bool("reverse")?;
    dispatch!(init.output_type(0)?, T in real, kernel(move |ctx| nth_element::<T>(ctx, reverse)), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("NthElement")
            .input("input: T")
            .input("n: int32")
            .output("values: T")
            .attr("reverse: bool = false")
            .attr("T: realnumbertype")
            .doc("Returns the n-th smallest entry of each last-axis row, or with `reverse` the n-th largest.")
            .shape(shape)
            .kernel(nth_element_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn nth(x: &Tensor, n: i32, reverse: bool) -> Result<Tensor> {
        Ok(run("NthElement", &[x.clone(), Tensor::scalar(n)], &[("reverse", AttrValue::Bool(reverse))])?[0].clone())
    }

    #[test]
    fn agrees_with_sorting_every_row() {
        let x: Vec<i64> = (0..7 * 301).map(|i| (i * 7919) % 131).collect();
        let rows = Tensor::from_slice([7, 301], &x).unwrap();
        for n in [0, 1, 150, 300] {
            let (mut low, mut high) = (Vec::new(), Vec::new());
            for row in x.chunks(301) {
                let mut row = row.to_vec();
                row.sort_unstable();
                low.push(row[n]);
                high.push(row[300 - n]);
            }
            assert_eq!(nth(&rows, n as i32, false).unwrap(), Tensor::from_slice([7], &low).unwrap());
            assert_eq!(nth(&rows, n as i32, true).unwrap(), Tensor::from_slice([7], &high).unwrap());
        }
    }

    #[test]
    fn numbers_come_before_nan() {
        let x = Tensor::from_slice([3], &[f32::NAN, 2.0, 1.0]).unwrap();
        assert_eq!(nth(&x, 1, false).unwrap().to_scalar::<f32>().unwrap(), 2.0);
    }

    #[test]
    fn places_outside_the_row_are_errors() {
        let x = Tensor::from_slice([2], &[1.0f32, 2.0]).unwrap();
        assert!(nth(&x, 2, false).is_err());
        assert!(nth(&x, -1, false).is_err());
        assert!(nth(&Tensor::scalar(1.0f32), 0, false).is_err());
        assert!(nth(&Tensor::from_slice([2, 0], &[0.0f32; 0]).unwrap(), 0, false).is_err());
    }
}
