//! ScatterNdUpdate, ScatterNdAdd, ScatterNdSub, over references and over handles: writes to the slices of a variable that
//! rows of indices name.

use super::row_update::{RowUpdate, Updates, place};
use crate::array::scatter_nd::shape_into;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{Result, Shape, Tensor, bail, ensure};

/// The slices that a variable's shape and the indices' shape define.
struct Slices {
    /// Dimensions that an index addresses.
    depth: usize,
    /// Elements of one slice.
    size: usize,
    /// Dimensions of the indices that number the slices.
    outer: Shape,
}

impl Slices {
    fn new(var: &Shape, indices: &Shape, updates: &Shape) -> Result<Slices> {
        ensure!(var.rank() > 0, InvalidArgument, "Output must be at least 1-D, got shape: {var}");
        // TF 1.x: a vector holds indices along the first dimension.
        let (depth, outer) = match indices.dims() {
            [] => bail!(InvalidArgument, "indices must be at least 1-D, got shape: {indices}"),
            [_] => (1, indices.dims()),
            [outer @ .., depth] => (*depth, outer),
        };
        let fits = depth <= var.rank() && updates.iter().eq(outer.iter().chain(&var[depth..]));
        ensure!(
            fits,
            InvalidArgument,
            "Must have updates.shape = indices.shape[:batch_dim] + params_shape[slice_dim:], got updates.shape: {updates}, \
             indices.shape: {indices}, params_shape: {var}, slice_dim: {depth}, and batch_dim: {}",
            outer.len()
        );
        Ok(Slices { depth, size: var[depth..].iter().product(), outer: Shape::new(outer) })
    }

    /// Returns the number of each slice named, all of them in the variable.
    fn named(&self, var: &Shape, indices: &Tensor) -> Result<Vec<usize>> {
        let count = self.outer.elements();
        let values = indices.to_i64s()?;
        let mut slices = Vec::with_capacity(count);
        for i in 0..count {
            let index = &values[i * self.depth..(i + 1) * self.depth];
            let mut slice = 0;
            for (&x, &d) in index.iter().zip(var.iter()) {
                match usize::try_from(x) {
                    Ok(x) if x < d => slice = slice * d + x,
                    _ => {
                        bail!(
                            InvalidArgument,
                            "indices{} = {index:?} does not index into shape {var}",
                            place(self.outer.dims(), i)
                        )
                    }
                }
            }
            slices.push(slice);
        }
        ensure!(
            slices.is_empty() || var[..self.depth].iter().all(|&d| d > 0),
            InvalidArgument,
            "Indices and updates specified for empty output.  indices shape: {}",
            indices.shape()
        );
        Ok(slices)
    }
}

fn scatter_nd(init: &KernelInit<'_>, how: RowUpdate) -> Result<Box<dyn Kernel>> {
    if !how.supports(init.dtype("T")?) {
        return Err(init.unsupported());
    }
    kernel(move |ctx| {
        ctx.update(0, |var, inputs| {
            let (indices, updates) = (&inputs[1], &inputs[2]);
            let slices = Slices::new(var.shape(), indices.shape(), updates.shape())?;
            let named = slices.named(var.shape(), indices)?;
            how.run(var, slices.size, &named, &Updates { values: updates, is_scalar: false })
        })
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str, use_locking: &str, doc: &'static str| {
        Op::new(name)
            .input("ref: Ref(T)")
            .input("indices: Tindices")
            .input("updates: T")
            .output("output_ref: Ref(T)")
            .attr(types)
            .attr("Tindices: {int32, int64}")
            .attr(use_locking)
            .doc(doc)
            .shape(shape_into)
    };
    use RowUpdate::{Combine, Replace};
    let (locked, unlocked) = ("use_locking: bool = true", "use_locking: bool = false");
    // TF 1.x: the ops over handles lock by default.
    macro_rules! both {
        ($name:literal, $types:literal, $lock:expr, $how:expr, $doc:literal) => {
            r.add(op($name, $types, $lock, $doc).kernel(|init| scatter_nd(init, $how)));
            r.add(op($name, "T: type", locked, $doc).kernel(|init| scatter_nd(init, $how)).over_handles());
        };
    }
    both!("ScatterNdUpdate", "T: type", locked, Replace, "Replaces elements or slices of a variable.");
    both!("ScatterNdAdd", "T: numbertype", unlocked, Combine(Binary::Add), "Adds to elements or slices of a variable.");
    both!(
        "ScatterNdSub",
        "T: numbertype",
        unlocked,
        Combine(Binary::Sub),
        "Subtracts from elements or slices of a variable."
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Rerun};
    use ferroflow_tensor::{Result, Tensor};

    fn cube() -> Tensor {
        Tensor::from_slice([2, 3, 2], &(0..12).map(f64::from).collect::<Vec<_>>()).unwrap()
    }

    fn node(op: &str, indices: Tensor, updates: Tensor) -> Result<Rerun> {
        Rerun::of_args(op, vec![Arg::Variable(cube()), Arg::One(indices), Arg::One(updates)], &[])
    }

    fn scattered(op: &str, indices: Tensor, updates: Tensor) -> Vec<f64> {
        let node = node(op, indices, updates).unwrap();
        node.run(2).unwrap();
        node.variable(0).unwrap().slice::<f64>().unwrap().to_vec()
    }

    #[test]
    fn an_index_names_an_element_or_a_slice() {
        let elements = Tensor::from_slice([3, 3], &[0i32, 0, 1, 1, 2, 0, 0, 0, 1]).unwrap();
        let updates = Tensor::from_slice([3], &[100.0f64, 200.0, 300.0]).unwrap();
        let mut expected: Vec<f64> = (0..12).map(f64::from).collect();
        (expected[1], expected[10]) = (300.0, 200.0);
        assert_eq!(scattered("ScatterNdUpdate", elements.clone(), updates.clone()), expected);
        (expected[1], expected[10]) = (401.0, 210.0);
        assert_eq!(scattered("ScatterNdAdd", elements.clone(), updates.clone()), expected);
        (expected[1], expected[10]) = (-399.0, -190.0);
        assert_eq!(scattered("ScatterNdSub", elements, updates), expected);
        let slices = Tensor::from_slice([1, 2], &[1i64, 1]).unwrap();
        let updates = Tensor::from_slice([1, 2], &[-1.0f64, -2.0]).unwrap();
        let mut expected: Vec<f64> = (0..12).map(f64::from).collect();
        (expected[8], expected[9]) = (-1.0, -2.0);
        assert_eq!(scattered("ScatterNdUpdate", slices, updates), expected);
    }

    #[test]
    fn an_index_out_of_range_leaves_the_variable_as_it_was() {
        let indices = Tensor::from_slice([2, 2], &[0i32, 1, 0, 7]).unwrap();
        let updates = Tensor::from_slice([2, 2], &[1.0f64; 4]).unwrap();
        let node = node("ScatterNdAdd", indices, updates).unwrap();
        let e = node.run(1).unwrap_err();
        assert_eq!(e.message(), "indices[1] = [0, 7] does not index into shape [2,3,2]");
        assert_eq!(node.variable(0).unwrap(), cube());
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let updates = Tensor::from_slice([2], &[1.0f64; 2]).unwrap();
        for shape in [[2, 2], [1, 3]] {
            let indices = Tensor::zeros(ferroflow_tensor::DType::I32, shape).unwrap();
            assert!(node("ScatterNdAdd", indices, updates.clone()).is_err(), "{shape:?}");
        }
        // TF 1.x: the step refuses it.
        let indices = Tensor::zeros(ferroflow_tensor::DType::I32, [2, 4]).unwrap();
        assert!(node("ScatterNdAdd", indices, updates).unwrap().run(1).is_err());
    }
}
