//! ScatterUpdate, ScatterAdd and their kin, over references and over handles: writes to the rows of a variable that indices
//! name.

use super::row_update::{RowUpdate, Updates, place};
use crate::array::gather::check_variable_type;
use ferroflow_graph::{Kernel, KernelInit, Op, RefAccess, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let var = c.input(0)?.with_rank_at_least(1)?;
    if c.input(2)?.rank() != Some(0) {
        let row = match var.dims() {
            Some(dims) => PartialShape::from_dims(&dims[1..]),
            None => PartialShape::unknown(),
        };
        c.input(1)?.concatenate(&row).merge(c.input(2)?)?;
    }
    let var = c.input(0)?.clone();
    c.set_output(0, var);
    Ok(())
}

fn shape_over_handle(c: &mut ShapeContext<'_>) -> Result<()> {
    check_variable_type(c, "read")?;
    shape(c)
}

/// Returns the rows that the indices name, all of them in the variable.
fn rows(indices: &Tensor, rows: usize) -> Result<Vec<usize>> {
    let mut named = Vec::with_capacity(indices.elements());
    for (i, index) in indices.to_i64s()?.into_iter().enumerate() {
        match usize::try_from(index) {
            Ok(r) if r < rows => named.push(r),
            _ => bail!(InvalidArgument, "indices{} = {index} is not in [0, {rows})", place(indices.shape(), i)),
        }
    }
    Ok(named)
}

fn scatter(init: &KernelInit<'_>, dtype: DType, how: RowUpdate) -> Result<Box<dyn Kernel>> {
    if !how.supports(dtype) {
        return Err(init.unsupported());
    }
    kernel(move |ctx| {
        ctx.update(0, |var, inputs| {
            let (indices, updates) = (&inputs[1], &inputs[2]);
            let Some((&count, row)) = var.shape().split_first() else {
                bail!(InvalidArgument, "params must be at least 1-D, got shape {}", var.shape())
            };
            let is_scalar = updates.rank() == 0;
            let fits = updates.shape().iter().eq(indices.shape().iter().chain(row));
            ensure!(
                is_scalar || fits,
                InvalidArgument,
                "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape {}, \
                 indices.shape {}, params.shape {}",
                updates.shape(),
                indices.shape(),
                var.shape()
            );
            let row = row.iter().product();
            how.run(var, row, &rows(indices, count)?, &Updates { values: updates, is_scalar })
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
            .shape(shape)
    };
    let number = "T: numbertype";
    let ordered = "T: {half, bfloat16, float, double, int32, int64}";
    let unlocked = "use_locking: bool = false";
    let over_handle = |name: &str, types: &str, doc: &'static str| {
        Op::new(name)
            .input("resource: resource")
            .input("indices: Tindices")
            .input("updates: dtype")
            .attr(types)
            .attr("Tindices: {int32, int64}")
            .doc(doc)
            .handles(RefAccess::Write)
            .shape(shape_over_handle)
    };
    // One row for each way to update: the op over references, its types and lock, the op over handles, its types.
    macro_rules! both {
        ($name:literal, $types:expr, $lock:expr, $handle_types:literal, $how:expr, $doc:literal) => {
            r.add(op($name, $types, $lock, $doc).kernel(|init| scatter(init, init.dtype("T")?, $how)));
            r.add(
                over_handle(concat!("Resource", $name), $handle_types, $doc)
                    .kernel(|init| scatter(init, init.dtype("dtype")?, $how)),
            );
        };
    }
    use RowUpdate::{Combine, Replace};
    let locked = "use_locking: bool = true";
    both!("ScatterUpdate", "T: type", locked, "dtype: type", Replace, "Replaces rows of a variable.");
    both!("ScatterAdd", number, unlocked, "dtype: numbertype", Combine(Binary::Add), "Adds to rows of a variable.");
    both!(
        "ScatterSub",
        number,
        unlocked,
        "dtype: numbertype",
        Combine(Binary::Sub),
        "Subtracts from rows of a variable."
    );
    both!("ScatterMul", number, unlocked, "dtype: numbertype", Combine(Binary::Mul), "Multiplies rows of a variable.");
    both!("ScatterDiv", number, unlocked, "dtype: numbertype", Combine(Binary::Div), "Divides rows of a variable.");
    both!(
        "ScatterMin",
        ordered,
        unlocked,
        "dtype: numbertype",
        Combine(Binary::Minimum),
        "Lowers rows of a variable to the updates."
    );
    both!(
        "ScatterMax",
        ordered,
        unlocked,
        "dtype: numbertype",
        Combine(Binary::Maximum),
        "Raises rows of a variable to the updates."
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Rerun};
    use ferroflow_tensor::{Code, DType, Result, Tensor};

    fn matrix() -> Tensor {
        Tensor::from_slice([3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap()
    }

    fn node(op: &str, var: Tensor, indices: Tensor, updates: Tensor) -> Result<Rerun> {
        Rerun::of_args(op, vec![Arg::Variable(var), Arg::One(indices), Arg::One(updates)], &[])
    }

    fn scattered(op: &str, indices: Tensor, updates: Tensor) -> Vec<f32> {
        let node = node(op, matrix(), indices, updates).unwrap();
        node.run(2).unwrap();
        node.variable(0).unwrap().slice::<f32>().unwrap().to_vec()
    }

    #[test]
    fn named_rows_are_updated_in_order() {
        let indices = || Tensor::from_slice([3], &[2i64, 0, 2]).unwrap();
        let updates = || Tensor::from_slice([3, 2], &[10.0f32, 20.0, 4.0, 0.5, 2.0, 8.0]).unwrap();
        for (op, expected) in [
            ("ScatterUpdate", [4.0, 0.5, 3.0, 4.0, 2.0, 8.0]),
            ("ScatterAdd", [5.0, 2.5, 3.0, 4.0, 17.0, 34.0]),
            ("ScatterSub", [-3.0, 1.5, 3.0, 4.0, -7.0, -22.0]),
            ("ScatterMul", [4.0, 1.0, 3.0, 4.0, 100.0, 960.0]),
            ("ScatterDiv", [0.25, 4.0, 3.0, 4.0, 0.25, 0.0375]),
            ("ScatterMin", [1.0, 0.5, 3.0, 4.0, 2.0, 6.0]),
            ("ScatterMax", [4.0, 2.0, 3.0, 4.0, 10.0, 20.0]),
        ] {
            assert_eq!(scattered(op, indices(), updates()), expected, "{op}");
        }
    }

    #[test]
    fn indices_of_any_rank_and_scalar_updates() {
        let updates = Tensor::from_slice([1, 2, 2], &[1.0f32, 1.0, 2.0, 2.0]).unwrap();
        let indices = Tensor::from_slice([1, 2], &[1i32, 0]).unwrap();
        assert_eq!(scattered("ScatterAdd", indices.clone(), updates), [3.0, 4.0, 4.0, 5.0, 5.0, 6.0]);
        assert_eq!(scattered("ScatterAdd", indices.clone(), Tensor::scalar(1.0f32)), [2.0, 3.0, 4.0, 5.0, 5.0, 6.0]);
        assert_eq!(scattered("ScatterUpdate", indices, Tensor::scalar(9.0f32)), [9.0, 9.0, 9.0, 9.0, 5.0, 6.0]);
        let row = Tensor::from_slice([2], &[7.0f32, 8.0]).unwrap();
        assert_eq!(scattered("ScatterUpdate", Tensor::scalar(2i32), row), [1.0, 2.0, 3.0, 4.0, 7.0, 8.0]);
    }

    #[test]
    fn strings_and_booleans_can_be_replaced() {
        let text =
            |s: &[&str]| Tensor::from_strings([s.len()], s.iter().map(|s| s.as_bytes().into()).collect()).unwrap();
        let strings =
            node("ScatterUpdate", text(&["a", "b"]), Tensor::scalar(1i32), text(&["c"]).reshaped([]).unwrap());
        let strings = strings.unwrap();
        strings.run(1).unwrap();
        assert_eq!(strings.variable(0).unwrap(), text(&["a", "c"]));
        let bools = Tensor::from_slice([2], &[false, false]).unwrap();
        let bools = node("ScatterUpdate", bools, Tensor::scalar(0i32), Tensor::scalar(true)).unwrap();
        bools.run(1).unwrap();
        assert_eq!(bools.variable(0).unwrap().slice::<bool>().unwrap(), [true, false]);
    }

    #[test]
    fn an_index_out_of_range_leaves_the_variable_as_it_was() {
        for (indices, place) in [
            (Tensor::from_slice([2], &[0i32, 7]).unwrap(), "indices[1] = 7"),
            (Tensor::from_slice([1, 2], &[0i64, -1]).unwrap(), "indices[0,1] = -1"),
            (Tensor::scalar(3i32), "indices = 3"),
        ] {
            let node = node("ScatterAdd", matrix(), indices, Tensor::scalar(1.0f32)).unwrap();
            let e = node.run(1).unwrap_err();
            assert_eq!(e.code(), Code::InvalidArgument);
            assert_eq!(e.message(), format!("{place} is not in [0, 3)"));
            assert_eq!(node.variable(0).unwrap(), matrix());
        }
    }

    #[test]
    fn handles_reach_the_same_rows() {
        let updates = Tensor::from_slice([1, 2], &[10.0f32, 20.0]).unwrap();
        let args = vec![Arg::Handle(matrix()), Arg::One(Tensor::from_slice([1], &[1i32]).unwrap()), Arg::One(updates)];
        let node = Rerun::of_args("ResourceScatterAdd", args, &[]).unwrap();
        node.run(1).unwrap();
        assert_eq!(node.variable(0).unwrap().slice::<f32>().unwrap(), [1.0, 2.0, 13.0, 24.0, 5.0, 6.0]);
    }

    #[test]
    fn misuse_is_an_error() {
        let zeros = |s: &[usize]| Tensor::zeros(DType::F32, s).unwrap();
        let indices = Tensor::from_slice([2], &[0i32, 1]).unwrap();
        assert!(node("ScatterAdd", matrix(), indices.clone(), zeros(&[3, 2])).is_err());
        assert!(node("ScatterAdd", Tensor::scalar(1.0f32), indices.clone(), zeros(&[2])).is_err());
        let whole = Tensor::from_slice([2], &[6i32, 7]).unwrap();
        let divided = node("ScatterDiv", whole.clone(), indices, Tensor::scalar(0i32)).unwrap();
        assert_eq!(divided.run(1).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(divided.variable(0).unwrap(), whole);
    }
}
