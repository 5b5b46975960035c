//! AddSparseToTensorsMap, AddManySparseToTensorsMap, TakeManySparseFromTensorsMap: sparse tensors kept between steps.

use super::coordinates::Coordinates;
use super::shapes::parts;
use super::stacking::{Parts, empty_row, row_parts, row_shape, rows, stacked};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ResourceName, ShapeContext, Unnamed, kernel};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, ensure};
use std::collections::HashMap;
use std::sync::Arc;

/// The stored tensors, by handle.
#[derive(Default)]
struct TensorsMap {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    next: i64,
    tensors: HashMap<i64, Parts>,
}

impl TensorsMap {
    fn of(ctx: &KernelContext<'_>, name: &ResourceName) -> Result<Arc<TensorsMap>> {
        ctx.step.resources.lookup_or_create(&name.container, &name.name, || Ok(TensorsMap::default()))
    }

    fn add(&self, parts: Parts) -> Result<i64> {
        let parts = Parts {
            indices: parts.indices.into_owned()?,
            values: parts.values.into_owned()?,
            shape: parts.shape.into_owned()?,
        };
        let mut kept = self.kept.lock();
        let handle = kept.next;
        kept.next += 1;
        kept.tensors.insert(handle, parts);
        Ok(handle)
    }

    /// Takes all or none.
    fn take(&self, handles: &[i64], name: &str) -> Result<Vec<Parts>> {
        let mut kept = self.kept.lock();
        if let Some(missing) = handles.iter().find(|h| !kept.tensors.contains_key(h)) {
            bail!(InvalidArgument, "Unable to find SparseTensor: {missing} in map: {name}");
        }
        let taken: Vec<Parts> = handles.iter().filter_map(|h| kept.tensors.get(h).cloned()).collect();
        handles.iter().for_each(|h| drop(kept.tensors.remove(h)));
        Ok(taken)
    }
}

fn one_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    parts(c, 0)?;
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

fn many_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    parts(c, 0)?;
    let count = c.input_as_shape(2)?.dim(0);
    c.set_output(0, PartialShape::vector(count));
    Ok(())
}

fn take_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(1)?;
    c.set_output(0, PartialShape::from_dims(&[None, None]));
    c.set_output(1, PartialShape::vector(None));
    c.set_output(2, PartialShape::vector(None));
    Ok(())
}

fn add_one(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let name = ResourceName::of(init, Unnamed::NodeName)?;
    kernel(move |ctx| {
        let (indices, values, shape) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
        Coordinates::of(indices, values, shape)?;
        let parts = Parts { indices: indices.clone(), values: values.clone(), shape: shape.clone() };
        let handle = TensorsMap::of(ctx, &name)?.add(parts)?;
        ctx.set_output(0, Tensor::scalar(handle));
        Ok(())
    })
}

fn add_many(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let name = ResourceName::of(init, Unnamed::NodeName)?;
    kernel(move |ctx| {
        let values = ctx.input(1)?;
        let input = Coordinates::of(ctx.input(0)?, values, ctx.input(2)?)?;
        let mut filled = rows(&input)?.into_iter().peekable();
        let shape = row_shape(&input)?;
        let map = TensorsMap::of(ctx, &name)?;
        let mut handles = Tensor::new(ferroflow_tensor::DType::I64, [input.shape[0]])?;
        for (number, handle) in handles.slice_mut::<i64>()?.iter_mut().enumerate() {
            let (indices, values) = match filled.next_if(|row| row.number == number) {
                Some(row) => row_parts(&input, values, &row)?,
                None => empty_row(&input, values.dtype())?,
            };
            *handle = map.add(Parts { indices, values, shape: shape.clone() })?;
        }
        ctx.set_output(0, handles);
        Ok(())
    })
}

fn take_many(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (name, dtype) = (ResourceName::of(init, Unnamed::Private)?, init.dtype("dtype")?);
    kernel(move |ctx| {
        let handles = ctx.input(0)?;
        ensure!(
            handles.rank() == 1,
            InvalidArgument,
            "sparse_handles should be a vector but received shape {}",
            handles.shape()
        );
        ensure!(
            handles.elements() > 0,
            InvalidArgument,
            "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"
        );
        let taken = TensorsMap::of(ctx, &name)?.take(handles.slice::<i64>()?, &name.name)?;
        let Parts { indices, values, shape } = stacked(&taken, &[taken.len()], dtype)?;
        ctx.set_output(0, indices);
        ctx.set_output(1, values);
        ctx.set_output(2, shape);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let keeper = |name: &str, output: &str| {
        Op::new(name)
            .input("sparse_indices: int64")
            .input("sparse_values: T")
            .input("sparse_shape: int64")
            .output(output)
            .attr("T: type")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
    };
    r.add(
        keeper("AddSparseToTensorsMap", "sparse_handle: int64")
            .doc("Keeps a sparse tensor in a map and returns its handle.")
            .shape(one_shape)
            .kernel(add_one),
    );
    r.add(
        keeper("AddManySparseToTensorsMap", "sparse_handles: int64")
            .doc("Keeps each row of a sparse tensor in a map and returns their handles.")
            .shape(many_shape)
            .kernel(add_many),
    );
    r.add(
        Op::new("TakeManySparseFromTensorsMap")
            .input("sparse_handles: int64")
            .output("sparse_indices: int64")
            .output("sparse_values: dtype")
            .output("sparse_shape: int64")
            .attr("dtype: type")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .doc("Takes sparse tensors out of a map and returns them as rows of one.")
            .shape(take_shape)
            .kernel(take_many),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(value: f32) -> Parts {
        Parts {
            indices: Tensor::from_slice([1, 1], &[0i64]).unwrap(),
            values: Tensor::from_slice([1], &[value]).unwrap(),
            shape: Tensor::from_slice([1], &[2i64]).unwrap(),
        }
    }

    #[test]
    fn what_is_kept_can_be_taken_once() {
        let map = TensorsMap::default();
        let (a, b) = (map.add(parts(1.0)).unwrap(), map.add(parts(2.0)).unwrap());
        let missing = map.take(&[a, 99], "m").err().unwrap();
        assert_eq!(missing.message(), "Unable to find SparseTensor: 99 in map: m");
        let taken = map.take(&[b, a], "m").unwrap();
        assert_eq!(taken[0].values.to_scalar::<f32>().unwrap(), 2.0);
        assert!(map.take(&[a], "m").is_err());
    }
}
