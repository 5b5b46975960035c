//! SparseFillEmptyRows and its gradient: a default element in each row that has none.

use super::coordinates::Coordinates;
use super::shapes::parts;
use crate::sums::Summed;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, Movable, PartialShape, Result, Tensor, bail, by_size, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = parts(c, 0)?;
    c.input(3)?.with_rank(0)?;
    let rows = c.input_as_shape(2)?.dim(0);
    c.set_output(0, PartialShape::from_dims(&[None, input.rank]));
    c.set_output(1, PartialShape::vector(None));
    c.set_output(2, PartialShape::vector(rows));
    c.set_output(3, PartialShape::vector(input.count));
    Ok(())
}

fn gradient_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let map = c.input(0)?.with_rank(1)?;
    c.input(1)?.with_rank(1)?;
    c.set_output(0, map);
    c.set_output(1, PartialShape::scalar());
    Ok(())
}

/// Writes `default` everywhere but at `places`, which get the values.
fn put<E: Movable>(values: &Tensor, default: &Tensor, places: &[i64], out: &mut Tensor) -> Result<()> {
    let to = E::view_mut(out)?;
    if let [default] = E::view(default)? {
        to.fill(default.clone());
    }
    for (value, &place) in E::view(values)?.iter().zip(places) {
        to[place as usize] = value.clone();
    }
    Ok(())
}

fn fill(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let (indices, values, shape, default) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?);
        ensure!(shape.rank() == 1, InvalidArgument, "dense_shape must be a vector, saw: {}", shape.shape());
        ensure!(indices.rank() == 2, InvalidArgument, "indices must be a matrix, saw: {}", indices.shape());
        ensure!(values.rank() == 1, InvalidArgument, "values must be a vector, saw: {}", values.shape());
        ensure!(default.rank() == 0, InvalidArgument, "default_value must be a scalar, saw: {}", default.shape());
        let from = Coordinates::of(indices, values, shape)?;
        let Some(&rows) = from.shape.first() else { bail!(InvalidArgument, "Dense shape cannot be empty") };
        ensure!(
            rows > 0 || from.len() == 0,
            InvalidArgument,
            "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {}",
            from.len()
        );
        let mut empty = Tensor::new(DType::Bool, [rows])?;
        // `starts[r + 1]` is the number of elements of row r first, then the start of row r + 1.
        let mut starts = Tensor::zeros(DType::I64, [rows + 1])?;
        let starts = starts.slice_mut::<i64>()?;
        for (i, row) in from.rows().enumerate() {
            let row = row[0];
            ensure!((0..rows as i64).contains(&row), InvalidArgument, "indices({i}, 0) is invalid: {row} >= {rows}");
            starts[row as usize + 1] += 1;
        }
        for (r, empty) in empty.slice_mut::<bool>()?.iter_mut().enumerate() {
            *empty = starts[r + 1] == 0;
            starts[r + 1] = starts[r] + starts[r + 1].max(1);
        }
        let (count, rank) = (starts[rows] as usize, from.rank());
        let mut out_indices = Tensor::zeros(DType::I64, [count, rank])?;
        let mut map = Tensor::new(DType::I64, [from.len()])?;
        let (to, places) = (out_indices.slice_mut::<i64>()?, map.slice_mut::<i64>()?);
        for (r, empty) in empty.slice::<bool>()?.iter().enumerate() {
            if *empty {
                to[starts[r] as usize * rank] = r as i64;
            }
        }
        for (row, place) in from.rows().zip(places.iter_mut()) {
            let next = &mut starts[row[0] as usize];
            *place = *next;
            to[*next as usize * rank..][..rank].copy_from_slice(row);
            *next += 1;
        }
        let mut out_values = Tensor::new(values.dtype(), [count])?;
        by_size!(values.dtype(), E, put::<E>(values, default, places, &mut out_values))?;
        ctx.set_output(0, out_indices);
        ctx.set_output(1, out_values);
        ctx.set_output(2, empty);
        ctx.set_output(3, map);
        Ok(())
    })
}

fn spread<T: Summed>(map: &[i64], grad: &Tensor) -> Result<(Tensor, Tensor)> {
    let grad = grad.slice::<T>()?;
    let mut values = Tensor::new(T::DTYPE, [map.len()])?;
    let mut taken = vec![false; grad.len()];
    for (i, (to, &place)) in values.slice_mut::<T>()?.iter_mut().zip(map).enumerate() {
        let found = usize::try_from(place).ok().filter(|&p| p < grad.len());
        let Some(place) = found else {
            bail!(InvalidArgument, "Elements in reverse index must be in [0, {}) but got {place} at {i}", grad.len())
        };
        *to = grad[place];
        taken[place] = true;
    }
    let mut rest = T::default();
    for (&g, _) in grad.iter().zip(taken).filter(|(_, taken)| !taken) {
        rest = rest.plus(g);
    }
    Ok((values, Tensor::scalar(rest)))
}

fn gradient(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.dtype("T")?, T in number, kernel(|ctx| {
        let (map, grad) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(map.rank() == 1, InvalidArgument, "reverse_index_map must be a vector, saw: {}", map.shape());
        ensure!(grad.rank() == 1, InvalidArgument, "grad_values must be a vector, saw: {}", grad.shape());
        let (values, default) = spread::<T>(map.slice::<i64>()?, grad)?;
        ctx.set_output(0, values);
        ctx.set_output(1, default);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseFillEmptyRows")
            .input("indices: int64")
            .input("values: T")
            .input("dense_shape: int64")
            .input("default_value: T")
            .output("output_indices: int64")
            .output("output_values: T")
            .output("empty_row_indicator: bool")
            .output("reverse_index_map: int64")
            .attr("T: type")
            .doc(
                "Returns the elements with `default_value` at the front of each row that has none, and where each \
                 went.",
            )
            .shape(shape)
            .kernel(fill),
    );
    r.add(
        Op::new("SparseFillEmptyRowsGrad")
            .input("reverse_index_map: int64")
            .input("grad_values: T")
            .output("d_values: T")
            .output("d_default_value: T")
            .attr("T: type")
            .doc("Returns the gradients of SparseFillEmptyRows's values and default value.")
            .shape(gradient_shape)
            .kernel(gradient),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Result, Tensor};

    fn fill(indices: &[i64], shape: &[i64]) -> Result<Vec<Tensor>> {
        let n = indices.len() / 2;
        let values: Vec<f32> = (1..=n).map(|i| i as f32).collect();
        let inputs = [
            Tensor::from_slice([n, 2], indices)?,
            Tensor::from_slice([n], &values)?,
            Tensor::from_slice([shape.len()], shape)?,
            Tensor::scalar(-1.0f32),
        ];
        run("SparseFillEmptyRows", &inputs, &[])
    }

    #[test]
    fn empty_rows_get_the_default() {
        let out = fill(&[3, 1, 0, 2, 3, 0], &[5, 6]).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [0, 2, 1, 0, 2, 0, 3, 1, 3, 0, 4, 0]);
        assert_eq!(out[1].slice::<f32>().unwrap(), [2.0, -1.0, -1.0, 1.0, 3.0, -1.0]);
        assert_eq!(out[2].slice::<bool>().unwrap(), [false, true, true, false, true]);
        assert_eq!(out[3].slice::<i64>().unwrap(), [3, 0, 4]);
        let grad = Tensor::from_slice([6], &[1.0f32, 2.0, 4.0, 8.0, 16.0, 32.0]).unwrap();
        let back = run("SparseFillEmptyRowsGrad", &[out[3].clone(), grad], &[]).unwrap();
        assert_eq!(back[0].slice::<f32>().unwrap(), [8.0, 1.0, 16.0]);
        assert_eq!(back[1].to_scalar::<f32>().unwrap(), 38.0);
        assert_eq!(fill(&[], &[0, 6]).unwrap()[1].elements(), 0);
    }

    #[test]
    fn rows_outside_are_refused() {
        let message = |i: &[i64], s: &[i64]| fill(i, s).unwrap_err().message().to_owned();
        assert_eq!(message(&[5, 0], &[5, 6]), "indices(0, 0) is invalid: 5 >= 5");
        assert!(message(&[0, 0], &[0, 6]).contains("dense_shape[0] = 0 but indices.shape[0] = 1"));
        assert!(fill(&[0, 0], &[1 << 62, 1]).is_err());
        let bad = [Tensor::from_slice([1], &[2i64]).unwrap(), Tensor::from_slice([1], &[1.0f32]).unwrap()];
        assert!(run("SparseFillEmptyRowsGrad", &bad, &[]).is_err());
    }
}
