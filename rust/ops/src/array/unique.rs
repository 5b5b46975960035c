//! Unique, UniqueWithCounts and their forms with an axis: the different elements in the order they appear.

use super::equality::{numbers, rows};
use super::strided::{Walk, gathered};
use crate::room::filled;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// Counts or places as int32 or int64.
fn indices(values: &[usize], dtype: DType) -> Result<Tensor> {
    let n = values.len();
    if dtype == DType::I64 {
        return Tensor::from_slice([n], &values.iter().map(|&v| v as i64).collect::<Vec<_>>());
    }
    ensure!(
        i32::try_from(n).is_ok(),
        InvalidArgument,
        "unique does not support input tensors larger than {} elements",
        i32::MAX
    );
    Tensor::from_slice([n], &values.iter().map(|&v| v as i32).collect::<Vec<_>>())
}

/// Returns the entries of `x` along `axis` that `picked` lists, in order.
fn entries(threads: ferroflow_tensor::threads::Threads, x: &Tensor, axis: usize, picked: &[usize]) -> Result<Tensor> {
    let (outer, dim, inner) = x.shape().around(axis);
    let mut dims = x.shape().to_vec();
    dims[axis] = 1;
    let one = Shape::new(&dims);
    let mut parts = Vec::with_capacity(picked.len());
    for &i in picked {
        let mut walk = Walk::new(i * inner);
        walk.push(outer, (dim * inner) as isize);
        walk.push(inner, 1);
        parts.push(gathered(threads, x, &walk, one.clone())?);
    }
    dims[axis] = picked.len();
    if parts.is_empty() {
        return Tensor::new(x.dtype(), Shape::new(&dims));
    }
    super::rows::join(threads, &parts, outer, Shape::new(&dims))
}

/// Returns the axis that input 1 holds: none when it is empty.
fn axis_of(t: &Tensor, rank: usize) -> Result<Option<usize>> {
    ensure!(t.rank() == 1, InvalidArgument, "axis expects a 1D vector.");
    let axis = match t.to_i64s()?[..] {
        [] => return Ok(None),
        [axis] => axis,
        _ => bail!(InvalidArgument, "axis does not support input tensors larger than 1 elements"),
    };
    let at = if axis < 0 { axis + rank as i64 } else { axis };
    ensure!((0..rank as i64).contains(&at), InvalidArgument, "axis has to be between [0, {rank})");
    Ok(Some(at as usize))
}

fn unique(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("out_idx")?;
    let (has_axis, has_counts) = (init.node.op.inputs.len() > 1, init.node.outputs.len() > 2);
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        let axis = if has_axis { axis_of(ctx.input(1)?, x.rank())? } else { None };
        ensure!(axis.is_some() || x.rank() == 1, InvalidArgument, "unique expects a 1D vector.");
        let axis = axis.unwrap_or(0);
        let (outer, dim, inner) = x.shape().around(axis);
        let places = if outer * inner == 1 {
            numbers(&[x])?.into_iter().flatten().collect()
        } else if outer * inner == 0 {
            filled(dim, 0, "numbers of entries")?
        } else {
            let mut walk = Walk::new(0);
            walk.push(dim, inner as isize);
            walk.push(outer, (dim * inner) as isize);
            walk.push(inner, 1);
            let by_entry = gathered(ctx.threads(), x, &walk, [dim, outer * inner].into())?;
            let elements: Vec<usize> = numbers(&[&by_entry])?.into_iter().flatten().collect();
            rows(&elements, outer * inner)
        };
        // Numbers are given by first appearance, so a new element has the number of elements before it.
        let (mut firsts, mut counts) = (Vec::new(), Vec::new());
        for (i, &place) in places.iter().enumerate() {
            if place == firsts.len() {
                firsts.push(i);
                counts.push(0);
            }
            counts[place] += 1;
        }
        let values = if x.rank() == 1 {
            let mut picked = Tensor::new(x.dtype(), [firsts.len()])?;
            ferroflow_tensor::by_size!(x.dtype(), E, {
                let from = E::view(x)?;
                for (to, &i) in E::view_mut(&mut picked)?.iter_mut().zip(&firsts) {
                    to.clone_from(&from[i]);
                }
                Ok(())
            })?;
            picked
        } else {
            entries(ctx.threads(), x, axis, &firsts)?
        };
        ctx.set_output(0, values);
        ctx.set_output(1, indices(&places, dtype)?);
        if has_counts {
            ctx.set_output(2, indices(&counts, dtype)?);
        }
        Ok(())
    })
}

/// Returns the static shapes. TF 1.x: a step checks the rank of a counted input.
fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let is_counted = c.num_outputs() > 2;
    let input = if is_counted { c.input(0)?.clone() } else { c.input(0)?.with_rank(1)? };
    c.set_output(0, PartialShape::vector(None));
    c.set_output(1, input);
    c.set_output(2, PartialShape::vector(None));
    Ok(())
}

fn shape_with_axis(c: &mut ShapeContext<'_>) -> Result<()> {
    let axis = c.input_i64s(1)?;
    let mut index = PartialShape::vector(None);
    // TF 1.x: more than one axis is refused by the step.
    let axis = axis.filter(|axis| axis.len() <= 1);
    if let (Some(mut dims), Some(axis)) = (c.input(0)?.dims(), axis) {
        let at = match axis[..] {
            [axis] => {
                let at = if axis < 0 { axis + dims.len() as i64 } else { axis };
                usize::try_from(at).ok().filter(|&a| a < dims.len())
            }
            _ => (dims.len() == 1).then_some(0),
        };
        let Some(at) = at else { bail!(InvalidArgument, "axis has to be between [0, {})", dims.len()) };
        index = PartialShape::vector(dims[at].take());
        c.set_output(0, PartialShape::from_dims(&dims));
    }
    c.set_output(1, index);
    c.set_output(2, PartialShape::vector(None));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    for (name, doc) in [
        (
            "Unique",
            "Returns the different elements in the order they appear, and for each element its place among them.",
        ),
        (
            "UniqueWithCounts",
            "Returns the different elements, for each element its place among them, and how often each is there.",
        ),
    ] {
        let op = Op::new(name).input("x: T").output("y: T").output("idx: out_idx");
        let op = if name == "Unique" { op } else { op.output("count: out_idx") };
        r.add(op.attr("T: type").attr("out_idx: {int32, int64} = DT_INT32").doc(doc).shape(shape).kernel(unique));
        let op = Op::new(&format!("{name}V2")).input("x: T").input("axis: Taxis").output("y: T").output("idx: out_idx");
        let op = if name == "Unique" { op } else { op.output("count: out_idx") };
        let op = op.attr("T: type").attr("Taxis: {int32, int64} = DT_INT64");
        r.add(op.attr("out_idx: {int32, int64} = DT_INT32").doc(doc).shape(shape_with_axis).kernel(unique));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn elements_are_listed_once_in_order_of_appearance() {
        let x = Tensor::from_slice([6], &[4i32, 2, 4, 9, 2, 4]).unwrap();
        let got = run("UniqueWithCounts", std::slice::from_ref(&x), &[]).unwrap();
        assert_eq!(got[0].slice::<i32>().unwrap(), [4, 2, 9]);
        assert_eq!(got[1].slice::<i32>().unwrap(), [0, 1, 0, 2, 1, 0]);
        assert_eq!(got[2].slice::<i32>().unwrap(), [3, 2, 1]);
        let wide = [("out_idx", AttrValue::Type(DType::I64))];
        assert_eq!(run("Unique", &[x], &wide).unwrap()[1].slice::<i64>().unwrap(), [0, 1, 0, 2, 1, 0]);
        let words = ["b", "a", "b"].map(|s| s.as_bytes().into()).to_vec();
        let got = run("Unique", &[Tensor::from_strings([3], words).unwrap()], &[]).unwrap();
        assert_eq!(got[0].strings().unwrap(), [&b"b"[..], b"a"].map(ferroflow_tensor::Bytes::from));
        let none = Tensor::zeros(DType::F32, [0]).unwrap();
        assert_eq!(run("Unique", &[none], &[]).unwrap()[0].elements(), 0);
    }

    #[test]
    fn zeros_are_equal_and_nan_equals_nothing() {
        let x = Tensor::from_slice([4], &[0f32, f32::NAN, -0.0, f32::NAN]).unwrap();
        assert_eq!(run("Unique", &[x], &[]).unwrap()[1].slice::<i32>().unwrap(), [0, 1, 0, 2]);
    }

    #[test]
    fn rows_and_columns_are_compared_whole() {
        let x = Tensor::from_slice([3, 3], &[1i64, 0, 0, 1, 0, 0, 2, 0, 0]).unwrap();
        let axis = |a: i32| Tensor::from_slice([1], &[a]).unwrap();
        let got = run("UniqueWithCountsV2", &[x.clone(), axis(0)], &[]).unwrap();
        assert_eq!(got[0], Tensor::from_slice([2, 3], &[1i64, 0, 0, 2, 0, 0]).unwrap());
        assert_eq!(got[1].slice::<i32>().unwrap(), [0, 0, 1]);
        assert_eq!(got[2].slice::<i32>().unwrap(), [2, 1]);
        let got = run("UniqueV2", &[x.clone(), axis(-1)], &[]).unwrap();
        assert_eq!(got[0], Tensor::from_slice([3, 2], &[1i64, 0, 1, 0, 2, 0]).unwrap());
        assert_eq!(got[1].slice::<i32>().unwrap(), [0, 1, 1]);
        assert!(run("UniqueV2", &[x.clone(), axis(2)], &[]).is_err());
        assert!(run("Unique", &[x], &[]).is_err());
    }
}
