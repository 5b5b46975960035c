//! StridedSlice, StridedSliceGrad, StridedSliceAssign: `x[begin:end:stride, ...]` read, put back, and written.

use super::strided::{Walk, gathered};
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, by_size, ensure};
use smallvec::SmallVec;

/// The attributes that give single entries another meaning; bit i is entry i's.
#[derive(Clone, Copy)]
struct Masks {
    begin: i64,
    end: i64,
    ellipsis: i64,
    new_axis: i64,
    shrink: i64,
}

impl Masks {
    fn new(attrs: &AttrMap) -> Result<Masks> {
        Ok(Masks {
            begin: attrs.int32("begin_mask")?,
            end: attrs.int32("end_mask")?,
            ellipsis: attrs.int32("ellipsis_mask")?,
            new_axis: attrs.int32("new_axis_mask")?,
            shrink: attrs.int32("shrink_axis_mask")?,
        })
    }
}

fn bit(mask: i64, i: usize) -> bool {
    i < 63 && mask >> i & 1 == 1
}

/// The range that is taken of one dimension of the input.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    /// Index of the first element taken; 0 where none is, or where it is not known.
    begin: i64,
    stride: i64,
    /// Elements taken; `None`: not known.
    count: Option<usize>,
}

/// A dimension of the result: one of the input, or a new one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Input(usize),
    New,
}

#[derive(Debug)]
struct Plan {
    ranges: SmallVec<[Range; 4]>,
    result: SmallVec<[Source; 4]>,
}

/// One entry of the slice specification, as written.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// `None`: not known while the graph is built.
    begin: Option<i64>,
    end: Option<i64>,
    stride: i64,
    open_begin: bool,
    open_end: bool,
    shrink: bool,
}

impl Entry {
    const ALL: Entry =
        Entry { begin: Some(0), end: Some(0), stride: 1, open_begin: true, open_end: true, shrink: false };

    /// Returns the range it takes of dimension `i` of size `dim`.
    fn range(&self, i: usize, dim: Option<usize>) -> Result<Range> {
        let stride = self.stride;
        ensure!(stride != 0, InvalidArgument, "strides[{i}] must be non-zero");
        ensure!(!self.shrink || stride > 0, InvalidArgument, "only stride 1 allowed on non-range indexing.");
        if self.shrink && (dim.is_none() || self.begin.is_none()) {
            return Ok(Range { begin: 0, stride: 1, count: Some(1) });
        }
        let unknown = Range { begin: 0, stride, count: None };
        let Some(dim) = dim.map(|d| d as i64) else { return Ok(unknown) };
        if let (true, Some(begin)) = (self.shrink, self.begin) {
            let at = if begin < 0 { begin + dim } else { begin };
            ensure!((0..dim).contains(&at), InvalidArgument, "slice index {begin} of dimension {i} out of bounds.");
            return Ok(Range { begin: at, stride: 1, count: Some(1) });
        }
        let (low, high) = if stride > 0 { (0, dim) } else { (-1, dim - 1) };
        let bound = |open: bool, x: Option<i64>, edge: i64| match x {
            _ if open => Some(edge),
            Some(x) => Some(if x < 0 { x + dim } else { x }.clamp(low, high)),
            None => None,
        };
        let (first, last) = if stride > 0 { (low, high) } else { (high, low) };
        let (Some(begin), Some(end)) =
            (bound(self.open_begin, self.begin, first), bound(self.open_end, self.end, last))
        else {
            return Ok(unknown);
        };
        let length = if (end > begin) == (stride > 0) { begin.abs_diff(end) } else { 0 };
        let count = length.div_ceil(stride.unsigned_abs()) as usize;
        Ok(Range { begin: if count == 0 { 0 } else { begin }, stride, count: Some(count) })
    }
}

impl Plan {
    /// Reads a specification of `strides.len()` entries for an input of these dimensions.
    fn new(
        dims: &[Option<usize>],
        begin: Option<&[i64]>,
        end: Option<&[i64]>,
        strides: &[i64],
        masks: Masks,
    ) -> Result<Plan> {
        let n = strides.len();
        ensure!(n <= 62, InvalidArgument, "Too many slice entries: {n}");
        // Bits beyond the entries count, too.
        let is_one_bit = masks.ellipsis & masks.ellipsis.wrapping_sub(1) == 0;
        ensure!(is_one_bit, InvalidArgument, "Multiple ellipses in slice spec not allowed");
        let named = (0..n).filter(|&i| !bit(masks.ellipsis, i) && !bit(masks.new_axis, i)).count();
        ensure!(
            named <= dims.len(),
            InvalidArgument,
            "Index out of range using input dim {}; input has only {} dims",
            dims.len(),
            dims.len()
        );
        let mut plan = Plan { ranges: SmallVec::new(), result: SmallVec::new() };
        let take = |plan: &mut Plan, entry: Entry| -> Result<()> {
            let i = plan.ranges.len();
            plan.ranges.push(entry.range(i, dims[i])?);
            if !entry.shrink {
                plan.result.push(Source::Input(i));
            }
            Ok(())
        };
        for i in 0..n {
            if bit(masks.ellipsis, i) {
                for _ in 0..dims.len() - named {
                    take(&mut plan, Entry::ALL)?;
                }
            } else if bit(masks.new_axis, i) {
                plan.result.push(Source::New);
            } else {
                let entry = Entry {
                    begin: begin.map(|b| b[i]),
                    end: end.map(|e| e[i]),
                    stride: strides[i],
                    open_begin: bit(masks.begin, i),
                    open_end: bit(masks.end, i),
                    shrink: bit(masks.shrink, i),
                };
                take(&mut plan, entry)?;
            }
        }
        while plan.ranges.len() < dims.len() {
            take(&mut plan, Entry::ALL)?;
        }
        Ok(plan)
    }

    /// Returns the plan for an input of `shape`, from the three vectors that are inputs `first..first + 3`.
    fn of_inputs(inputs: &[Tensor], first: usize, shape: &Shape, masks: Masks) -> Result<Plan> {
        let [begin, end, strides] = &inputs[first..first + 3] else { bail!(Internal, "three vectors expected") };
        for v in [begin, end, strides] {
            ensure!(
                v.rank() == 1 && v.elements() == strides.elements(),
                InvalidArgument,
                "Expected begin, end, and strides to be 1D equal size tensors, but got shapes {}, {}, and {} instead.",
                begin.shape(),
                end.shape(),
                strides.shape()
            );
        }
        let dims: SmallVec<[Option<usize>; 4]> = shape.iter().map(|&d| Some(d)).collect();
        Plan::new(&dims, Some(&begin.to_i64s()?), Some(&end.to_i64s()?), &strides.to_i64s()?, masks)
    }

    fn result_shape(&self) -> PartialShape {
        let dims: SmallVec<[Option<usize>; 4]> = self
            .result
            .iter()
            .map(|s| match *s {
                Source::Input(i) => self.ranges[i].count,
                Source::New => Some(1),
            })
            .collect();
        PartialShape::from_dims(&dims)
    }

    /// Returns the elements taken, as a view of an array of `shape`.
    fn walk(&self, shape: &Shape) -> Result<Walk> {
        let strides = shape.strides();
        let base: usize = self.ranges.iter().zip(&strides).map(|(r, &s)| r.begin as usize * s).sum();
        let mut walk = Walk::new(base);
        for (r, &s) in self.ranges.iter().zip(&strides) {
            let Some(count) = r.count else { bail!(Internal, "a slice of unknown size") };
            // With two elements or more, the stride is less than the dimension, so the product fits.
            walk.push(count, if count > 1 { r.stride as isize * s as isize } else { 0 });
        }
        Ok(walk)
    }

    fn takes_all(&self, shape: &Shape) -> bool {
        self.ranges.iter().zip(shape.iter()).all(|(r, &d)| r.count == Some(d) && (r.stride == 1 || d == 1))
    }
}

fn known_shape(plan: &Plan) -> Result<Shape> {
    match plan.result_shape().to_shape() {
        Some(s) => Ok(s),
        None => bail!(Internal, "a slice of unknown size"),
    }
}

/// Returns the plan as far as the graph alone decides it; inputs `first..first + 3` are the three vectors.
fn plan_of_graph(c: &ShapeContext<'_>, input: &PartialShape, first: usize) -> Result<Option<Plan>> {
    let mut n = PartialShape::vector(None);
    for i in first..first + 3 {
        n = n.merge(c.input(i)?)?;
    }
    let (Some(dims), Some(strides)) = (input.dims(), c.input_i64s(first + 2)?) else { return Ok(None) };
    let (begin, end) = (c.input_i64s(first)?, c.input_i64s(first + 1)?);
    Plan::new(&dims, begin.as_deref(), end.as_deref(), &strides, Masks::new(c)?).map(Some)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some(plan) = plan_of_graph(c, c.input(0)?, 1)? {
        c.set_output(0, plan.result_shape());
    }
    Ok(())
}

fn slice(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let masks = Masks::new(init)?;
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        let plan = Plan::of_inputs(ctx.inputs(), 1, x.shape(), masks)?;
        let shape = known_shape(&plan)?;
        let out = if plan.takes_all(x.shape()) {
            ctx.take(0)?.reshaped(shape)?
        } else {
            gathered(ctx.threads(), x, &plan.walk(x.shape())?, shape)?
        };
        ctx.set_output(0, out);
        Ok(())
    })
}

fn grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let masks = Masks::new(init)?;
    kernel(move |ctx| {
        let dims = ctx.input(0)?;
        ensure!(dims.rank() == 1, InvalidArgument, "shape must be 1-D, got shape.shape = {}", dims.shape());
        let shape = Shape::checked(&dims.to_i64s()?)?;
        let plan = Plan::of_inputs(ctx.inputs(), 1, &shape, masks)?;
        let (expected, dy) = (known_shape(&plan)?, ctx.input(4)?);
        ensure!(expected == *dy.shape(), InvalidArgument, "shape of dy was {} instead of {expected}", dy.shape());
        let mut out = Tensor::zeros_by(ctx.threads(), dy.dtype(), shape)?;
        let walk = plan.walk(out.shape())?;
        by_size!(dy.dtype(), E, walk.write(E::view(dy)?, E::view_mut(&mut out)?))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn assign_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let variable = c.input(0)?.clone();
    plan_of_graph(c, &variable, 1)?;
    c.set_output(0, variable);
    Ok(())
}

fn assign(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let masks = Masks::new(init)?;
    kernel(move |ctx: &mut KernelContext<'_>| {
        ctx.update(0, |variable, inputs| {
            let plan = Plan::of_inputs(inputs, 1, variable.shape(), masks)?;
            let (expected, value) = (known_shape(&plan)?, &inputs[4]);
            // TF 1.x: if the place has no elements, nothing is written and any shape of the value is accepted.
            if expected.elements() == 0 {
                return Ok(());
            }
            ensure!(
                expected == *value.shape(),
                Unimplemented,
                "sliced l-value shape {expected} does not match r-value shape {}. Automatic broadcasting not yet implemented.",
                value.shape()
            );
            let walk = plan.walk(variable.shape())?;
            by_size!(value.dtype(), E, walk.write(E::view(value)?, E::view_mut(variable)?))
        })
    })
}

pub(super) fn register(r: &mut Registry) {
    let attrs = |op: Op| {
        op.attr("T: type")
            .attr("Index: {int32, int64}")
            .attr("begin_mask: int = 0")
            .attr("end_mask: int = 0")
            .attr("ellipsis_mask: int = 0")
            .attr("new_axis_mask: int = 0")
            .attr("shrink_axis_mask: int = 0")
    };
    let vectors = |op: Op| op.input("begin: Index").input("end: Index").input("strides: Index");
    r.add(
        attrs(vectors(Op::new("StridedSlice").input("input: T")).output("output: T"))
            .doc(
                "Returns `input[begin:end:strides]`; the masks mark open ends, `...`, new dimensions and single \
                 indices.",
            )
            .shape(shape)
            .kernel(slice),
    );
    r.add(
        attrs(vectors(Op::new("StridedSliceGrad").input("shape: Index")).input("dy: T").output("output: T"))
            .doc("Returns zeros of `shape` with `dy` in the places that StridedSlice takes.")
            .shape(ferroflow_graph::shape_rules::from_shape_input)
            .kernel(grad),
    );
    r.add(
        attrs(
            vectors(Op::new("StridedSliceAssign").input("ref: Ref(T)")).input("value: T").output("output_ref: Ref(T)"),
        )
        .doc("Writes `value` to the places of a variable that StridedSlice takes.")
        .shape(assign_shape)
        .kernel(assign),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;

    const NONE: Masks = Masks { begin: 0, end: 0, ellipsis: 0, new_axis: 0, shrink: 0 };

    fn attrs(m: Masks) -> [(&'static str, AttrValue); 5] {
        let int = AttrValue::Int;
        [
            ("begin_mask", int(m.begin)),
            ("end_mask", int(m.end)),
            ("ellipsis_mask", int(m.ellipsis)),
            ("new_axis_mask", int(m.new_axis)),
            ("shrink_axis_mask", int(m.shrink)),
        ]
    }

    fn vectors(spec: &[(i64, i64, i64)]) -> [Tensor; 3] {
        let pick = |f: fn(&(i64, i64, i64)) -> i64| {
            Tensor::from_slice([spec.len()], &spec.iter().map(f).collect::<Vec<_>>()).unwrap()
        };
        [pick(|s| s.0), pick(|s| s.1), pick(|s| s.2)]
    }

    fn slice(x: &Tensor, spec: &[(i64, i64, i64)], masks: Masks) -> Result<Tensor> {
        let args = std::iter::once(x.clone()).chain(vectors(spec)).map(Arg::One).collect();
        let got = run_args("StridedSlice", args, &attrs(masks), 1)?;
        assert_eq!(got.shapes[0].to_shape().as_ref(), Some(got.values[0].shape()));
        Ok(got.values[0].clone())
    }

    fn cube() -> Tensor {
        Tensor::from_slice([3, 4, 5], &(0..60i32).collect::<Vec<_>>()).unwrap()
    }

    /// Returns the indices that Python's rule gives for one dimension.
    fn python(dim: i64, begin: Option<i64>, end: Option<i64>, stride: i64) -> Vec<i64> {
        let clamp = |x: i64, low: i64, high: i64| if x < 0 { x + dim } else { x }.clamp(low, high);
        let mut out = Vec::new();
        if stride > 0 {
            let (mut at, end) = (begin.map_or(0, |b| clamp(b, 0, dim)), end.map_or(dim, |e| clamp(e, 0, dim)));
            while at < end {
                out.push(at);
                at += stride;
            }
        } else {
            let mut at = begin.map_or(dim - 1, |b| clamp(b, -1, dim - 1));
            let end = end.map_or(-1, |e| clamp(e, -1, dim - 1));
            while at > end {
                out.push(at);
                at += stride;
            }
        }
        out
    }

    #[test]
    fn a_range_takes_what_python_takes() {
        let x = Tensor::from_slice([5], &(0..5i64).collect::<Vec<_>>()).unwrap();
        for stride in [-7, -3, -2, -1, 1, 2, 3, 7] {
            for begin in -7..8 {
                for end in -7..8 {
                    for open in 0..4 {
                        let masks = Masks { begin: open & 1, end: open >> 1, ..NONE };
                        let y = slice(&x, &[(begin, end, stride)], masks).unwrap();
                        let (b, e) = ((open & 1 == 0).then_some(begin), (open >> 1 == 0).then_some(end));
                        assert_eq!(y.slice::<i64>().unwrap(), python(5, b, e, stride), "{b:?}:{e:?}:{stride}");
                    }
                }
            }
        }
    }

    #[test]
    fn ellipsis_new_axes_and_single_indices() {
        let x = cube();
        let all = (0, 0, 1);
        let dims = |t: &Tensor| t.shape().to_vec();
        // x[..., 2]
        let y = slice(&x, &[all, (2, 3, 1)], Masks { ellipsis: 1, shrink: 2, ..NONE }).unwrap();
        assert_eq!((dims(&y), y.slice::<i32>().unwrap()[1]), (vec![3, 4], 7));
        // x[1, newaxis, ..., newaxis, ::-2]
        let spec = [(1, 2, 1), all, all, all, (0, 0, -2)];
        let m = Masks { shrink: 1, new_axis: 0b1010, ellipsis: 0b100, begin: 16, end: 16 };
        let y = slice(&x, &spec, m).unwrap();
        assert_eq!((dims(&y), &y.slice::<i32>().unwrap()[..4]), (vec![1, 4, 1, 3], &[24, 22, 20, 29][..]));
        // x[-1], x[-1, -1, -1], x[()]
        assert_eq!(dims(&slice(&x, &[(-1, 0, 1)], Masks { shrink: 1, ..NONE }).unwrap()), [4, 5]);
        let y = slice(&x, &[(-1, 0, 1); 3], Masks { shrink: 7, ..NONE }).unwrap();
        assert_eq!(y, Tensor::scalar(59));
        assert_eq!(slice(&x, &[], NONE).unwrap(), x);
        // An ellipsis for no dimension.
        let y = slice(&x, &[(0, 1, 1), (0, 1, 1), (0, 1, 1), all], Masks { ellipsis: 8, ..NONE }).unwrap();
        assert_eq!(dims(&y), [1, 1, 1]);
    }

    #[test]
    fn a_range_of_unknown_bounds_or_dimension_has_unknown_size() {
        let two = Plan::new(&[None, Some(4)], None, None, &[1, 1], Masks { shrink: 2, ..NONE }).unwrap();
        assert_eq!(two.result_shape(), PartialShape::vector(None));
        let open = Plan::new(&[Some(4)], None, None, &[-2], Masks { begin: 1, end: 1, ..NONE }).unwrap();
        assert_eq!(open.result_shape(), PartialShape::vector(Some(2)));
        let some = Plan::new(&[Some(4)], Some(&[1]), None, &[1], NONE).unwrap();
        assert_eq!(some.result_shape(), PartialShape::vector(None));
    }

    #[test]
    fn faulty_specifications_are_refused() {
        let x = cube();
        let fails = |spec: &[(i64, i64, i64)], m: Masks, words: &str| {
            let e = slice(&x, spec, m).unwrap_err();
            assert!(e.message().contains(words), "{e}");
        };
        fails(&[(5, 6, 1)], Masks { shrink: 1, ..NONE }, "slice index 5 of dimension 0 out of bounds.");
        fails(&[(-4, 6, 1)], Masks { shrink: 1, ..NONE }, "of dimension 0 out of bounds.");
        fails(&[(0, 1, 0)], NONE, "strides[0] must be non-zero");
        fails(&[(0, 1, -1)], Masks { shrink: 1, ..NONE }, "only stride 1 allowed on non-range indexing.");
        fails(&[(0, 1, 1); 4], NONE, "Index out of range using input dim 3; input has only 3 dims");
        fails(&[(0, 1, 1); 2], Masks { ellipsis: 3, ..NONE }, "Multiple ellipses in slice spec not allowed");
        for extreme in [i64::MIN, i64::MAX] {
            assert!(slice(&x, &[(extreme, -extreme.saturating_add(1), 1)], NONE).is_ok());
            assert!(slice(&x, &[(0, 3, extreme)], NONE).is_ok());
        }
    }

    #[test]
    fn the_gradient_puts_back_what_the_slice_took() {
        let x = cube();
        let spec = [(-1, -4, -1), (0, 0, 2), (3, 4, 1)];
        let m = Masks { begin: 2, end: 2, shrink: 4, ..NONE };
        let y = slice(&x, &spec, m).unwrap();
        let mut args = vec![Tensor::from_slice([3], &[3i64, 4, 5]).unwrap()];
        args.extend(vectors(&spec));
        args.push(y.clone());
        let back = &run("StridedSliceGrad", &args, &attrs(m)).unwrap()[0];
        assert_eq!(slice(back, &spec, m).unwrap(), y);
        let kept = back.slice::<i32>().unwrap().iter().filter(|&&v| v != 0).count();
        assert_eq!(kept, y.elements());
        args[4] = Tensor::scalar(1i32);
        assert!(run("StridedSliceGrad", &args, &attrs(m)).is_err());
    }
}
