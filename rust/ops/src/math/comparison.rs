//! The ops that compare the elements of two tensors, and tests of single elements; their outputs are bool.

use super::text::zip_strings;
use ferroflow_graph::{Elementwise, Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::scalar;
use ferroflow_tensor::vector::{CastTo, Compare, Wide, on_best_isa};
use ferroflow_tensor::{Complex64, DType, PartialShape, Result, Scalar, Tensor, bail, dispatch, elementwise, ensure};

const EQUALITY: &str = "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, quint8, qint8, \
    qint32, string, bool, complex128}";
const ORDER: &str = "T: realnumbertype";

/// (op, comparison, types, documentation)
const TABLE: [(&str, Compare, &str, &str); 6] = [
    ("Equal", Compare::Equal, EQUALITY, "Returns whether x = y."),
    ("NotEqual", Compare::NotEqual, EQUALITY, "Returns whether x and y differ."),
    ("Less", Compare::Less, ORDER, "Returns whether x < y."),
    ("LessEqual", Compare::LessEqual, ORDER, "Returns whether x <= y."),
    ("Greater", Compare::Greater, ORDER, "Returns whether x > y."),
    ("GreaterEqual", Compare::GreaterEqual, ORDER, "Returns whether x >= y."),
];

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;

fn compare(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let Some(Elementwise::Compare(f)) = init.node.op.elementwise else {
        bail!(Internal, "{} is no comparison", init.node.op.name);
    };
    let dtype = init.input_type(0)?;
    if init.bool("incompatible_shape_error").is_ok_and(|is_error| !is_error) {
        return compare_or_differ(init, f);
    }
    comparison(init, f, dtype)
}

/// Returns a comparison in which tensors of shapes that do not broadcast are one thing each, and differ.
fn compare_or_differ(init: &KernelInit<'_>, f: Compare) -> Result<Box<dyn Kernel>> {
    let inner = comparison(init, f, init.input_type(0)?)?;
    kernel(move |ctx| {
        let (x, y) = (ctx.input(0)?.shape(), ctx.input(1)?.shape());
        if PartialShape::broadcast(&x.into(), &y.into()).is_err() {
            ctx.set_output(0, Tensor::scalar(f == Compare::NotEqual));
            return Ok(());
        }
        inner.compute(ctx)
    })
}

/// Sets the output of comparisons whose operands may have shapes that do not broadcast.
fn equality_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    if c.bool("incompatible_shape_error")? {
        return shape_rules::broadcast_binary(c);
    }
    let (x, y) = (c.input(0)?, c.input(1)?);
    if x.is_fully_known() && y.is_fully_known() && PartialShape::broadcast(x, y).is_ok() {
        return shape_rules::broadcast_binary(c);
    }
    Ok(())
}

fn comparison(init: &KernelInit<'_>, f: Compare, dtype: DType) -> Result<Box<dyn Kernel>> {
    if dtype == DType::String {
        return kernel(move |ctx| {
            let (x, y) = (ctx.input(0)?, ctx.input(1)?);
            let z = zip_strings(x, y, DType::Bool, |x, y| (x == y) == (f == Compare::Equal))?;
            ctx.set_output(0, z);
            Ok(())
        });
    }
    if !dispatch!(dtype, T in plain, f.supports::<T>(), else false) {
        return Err(init.unsupported());
    }
    kernel(move |ctx| {
        let z = elementwise::compare(f, ctx.input(0)?, ctx.input(1)?, ctx.threads())?;
        ctx.set_output(0, z);
        Ok(())
    })
}

/// Compares |x - y| with the tolerance, in double precision for all types but float.
fn approximate_equal(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    /// Returns the kernel of a type whose distances are those of its elements cast to `W`.
    fn run<T: Scalar + CastTo<W>, W: std::ops::Sub<Output = W>>(
        is_near: impl Fn(W) -> bool + Copy + Send + Sync + 'static,
    ) -> Result<Box<dyn Kernel>> {
        kernel(move |ctx| {
            let (x, y) = (ctx.input(0)?, ctx.input(1)?);
            ensure!(
                x.shape() == y.shape(),
                InvalidArgument,
                "x and y must be of the same shape. x shape: {}. y shape: {}",
                x.shape(),
                y.shape()
            );
            let mut out = Tensor::new(DType::Bool, x.shape().clone())?;
            let (x, y) = (x.slice::<T>()?, y.slice::<T>()?);
            try_for_chunks_mut(ctx.threads(), out.slice_mut::<bool>()?, BLOCK, |start, out| {
                on_best_isa(|| {
                    for ((o, x), y) in out.iter_mut().zip(&x[start..]).zip(&y[start..]) {
                        *o = is_near(CastTo::<W>::cast_to(*x) - CastTo::<W>::cast_to(*y));
                    }
                });
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }
    let dtype = init.input_type(0)?;
    let single = init.float("tolerance")?;
    let tolerance = f64::from(single);
    match dtype {
        // TF 1.15: a distance equal to the tolerance is near for these two types, and for no other.
        DType::F32 => return run::<f32, f32>(move |distance| distance.abs() <= single),
        DType::F64 => return run::<f64, f64>(move |distance| distance.abs() <= tolerance),
        _ => {}
    }
    // A whole number's tolerance is a whole number.
    let tolerance = if dtype.is_integer() { tolerance.trunc() } else { tolerance };
    dispatch!(dtype, T in real, run::<T, f64>(move |distance| distance.abs() < tolerance), else {
        dispatch!(dtype, T in number, run::<T, Complex64>(move |distance| scalar::norm(distance) < tolerance), else Err(init.unsupported()))
    })
}

/// Returns a test of each element, in the type that it is computed in.
macro_rules! test_kernel {
    ($init:expr, $test:ident) => {
        dispatch!($init.input_type(0)?, T in float, {
            kernel(move |ctx| {
                let x = ctx.input(0)?;
                let mut out = Tensor::new(DType::Bool, x.shape().clone())?;
                let values = x.slice::<T>()?;
                try_for_chunks_mut(ctx.threads(), out.slice_mut::<bool>()?, BLOCK, |start, out| {
                    on_best_isa(|| out.iter_mut().zip(&values[start..]).for_each(|(o, v)| *o = v.widen().$test()));
                })?;
                ctx.set_output(0, out);
                Ok(())
            })
        }, else Err($init.unsupported()))
    };
}

pub(super) fn register(r: &mut Registry) {
    for (name, f, types, doc) in TABLE {
        let op = Op::new(name).input("x: T").input("y: T").output("z: bool").attr(types).doc(doc);
        let op = if matches!(f, Compare::Equal | Compare::NotEqual) {
            op.commutative().attr("incompatible_shape_error: bool = true").shape(equality_shape)
        } else {
            op.shape(shape_rules::broadcast_binary)
        };
        r.add(op.elementwise(Elementwise::Compare(f)).kernel(compare));
    }
    r.add(
        Op::new("ApproximateEqual")
            .input("x: T")
            .input("y: T")
            .output("z: bool")
            .attr("T: numbertype")
            .attr("tolerance: float = 0.00001")
            .commutative()
            .doc("Returns whether |x - y| < tolerance; for float and double, whether it is at most the tolerance.")
            .shape(shape_rules::merged)
            .kernel(approximate_equal),
    );
    let test = |name: &str| {
        let op = Op::new(name).input("x: T").output("y: bool").attr("T: {bfloat16, half, float, double}");
        op.shape(shape_rules::unchanged)
    };
    r.add(test("IsNan").doc("Returns whether x is not a number.").kernel(|init| test_kernel!(init, is_nan)));
    r.add(test("IsInf").doc("Returns whether x is infinite.").kernel(|init| test_kernel!(init, is_infinite)));
    r.add(
        test("IsFinite")
            .doc("Returns whether x is neither infinite nor NaN.")
            .kernel(|init| test_kernel!(init, is_finite)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::f16;

    fn truths(op: &str, inputs: &[Tensor]) -> Vec<bool> {
        run(op, inputs, &[]).unwrap()[0].slice::<bool>().unwrap().to_vec()
    }

    #[test]
    fn comparisons_follow_their_names_and_nan_equals_nothing() {
        let x = Tensor::from_slice([4], &[1.0f32, 2.0, 3.0, f32::NAN]).unwrap();
        let two = Tensor::scalar(2.0f32);
        for (op, expected) in [
            ("Equal", [false, true, false, false]),
            ("NotEqual", [true, false, true, true]),
            ("Less", [true, false, false, false]),
            ("LessEqual", [true, true, false, false]),
            ("Greater", [false, false, true, false]),
            ("GreaterEqual", [false, true, true, false]),
        ] {
            assert_eq!(truths(op, &[x.clone(), two.clone()]), expected, "{op}");
        }
    }

    #[test]
    fn strings_and_booleans_have_equality() {
        let a = Tensor::from_strings([2, 1], vec![b"a"[..].into(), b"b"[..].into()]).unwrap();
        let b = Tensor::from_strings([2], vec![b"b"[..].into(), b"a"[..].into()]).unwrap();
        assert_eq!(truths("Equal", &[a.clone(), b.clone()]), [false, true, true, false]);
        assert_eq!(truths("NotEqual", &[a.clone(), b]), [true, false, false, true]);
        assert!(run("Less", &[a.clone(), a], &[]).is_err());
        assert_eq!(truths("Equal", &[Tensor::scalar(true), Tensor::scalar(true)]), [true]);
    }

    #[test]
    fn approximate_equality_is_of_one_shape_and_strict_for_whole_numbers() {
        let x = Tensor::from_slice([3], &[1.0f32, 1.5, 2.0]).unwrap();
        let y = Tensor::from_slice([3], &[1.25f32, 1.0, 1.0]).unwrap();
        let attrs = [("tolerance", AttrValue::Float(0.5))];
        let z = run("ApproximateEqual", &[x.clone(), y], &attrs).unwrap();
        assert_eq!(z[0].slice::<bool>().unwrap(), [true, true, false]);
        assert!(run("ApproximateEqual", &[x, Tensor::scalar(1.0f32)], &attrs).is_err());
        let x = Tensor::from_slice([3], &[3i32, 4, 5]).unwrap();
        let y = Tensor::from_slice([3], &[3i32, 3, 3]).unwrap();
        let near = |tolerance: f32| {
            let attrs = [("tolerance", AttrValue::Float(tolerance))];
            run("ApproximateEqual", &[x.clone(), y.clone()], &attrs).unwrap()[0].slice::<bool>().unwrap().to_vec()
        };
        assert_eq!(near(0.5), [false, false, false]);
        assert_eq!(near(1.5), [true, false, false]);
        assert_eq!(near(2.0), [true, true, false]);
    }

    #[test]
    fn special_values_are_told_apart() {
        let x = [1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let half: Vec<f16> = x.iter().map(|&v| f16::from_f32(v)).collect();
        for t in [[Tensor::from_slice([4], &x).unwrap()], [Tensor::from_slice([4], &half).unwrap()]] {
            assert_eq!(truths("IsNan", &t), [false, false, false, true]);
            assert_eq!(truths("IsInf", &t), [false, true, true, false]);
            assert_eq!(truths("IsFinite", &t), [true, false, false, false]);
        }
    }
}
