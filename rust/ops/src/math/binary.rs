//! The ops that apply one function to the elements of two tensors stretched to one shape.

use super::text::zip_strings;
use ferroflow_graph::{Elementwise, Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{Bytes, DType, Result, bail, dispatch, elementwise, ensure};

const ADDED: &str =
    "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}";
const ADDED_V2: &str = "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}";
const MORE: &str =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128}";
const FEWER: &str = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";
const REAL: &str = "T: {bfloat16, half, float, double, int32, int64}";
const DIVISION: &str = "T: {half, float, double, complex64, complex128}";
const FLOAT: &str = "T: {bfloat16, half, float, double, complex64, complex128}";

/// (op, function, types, whether the operands may be exchanged, documentation)
const TABLE: [(&str, Binary, &str, bool, &str); 19] = [
    ("Add", Binary::Add, ADDED, false, "Returns x + y; of strings, x followed by y."),
    ("AddV2", Binary::Add, ADDED_V2, true, "Returns x + y."),
    ("Sub", Binary::Sub, MORE, false, "Returns x - y."),
    ("Mul", Binary::Mul, MORE, true, "Returns x * y."),
    ("Div", Binary::Div, MORE, false, "Returns x / y; of integers, rounded to zero."),
    ("RealDiv", Binary::Div, MORE, false, "Returns x / y."),
    ("TruncateDiv", Binary::TruncateDiv, MORE, false, "Returns x / y; of integers, rounded to zero."),
    ("FloorDiv", Binary::FloorDiv, MORE, false, "Returns x / y rounded down."),
    ("DivNoNan", Binary::DivNoNan, DIVISION, false, "Returns x / y, and zero where y is zero."),
    ("Mod", Binary::TruncateMod, REAL, false, "Returns the remainder of x / y, with the sign of x."),
    ("TruncateMod", Binary::TruncateMod, REAL, false, "Returns the remainder of x / y, with the sign of x."),
    ("FloorMod", Binary::FloorMod, REAL, false, "Returns the remainder of x / y, with the sign of y."),
    ("Pow", Binary::Pow, FEWER, false, "Returns x to the power y."),
    (
        "Maximum",
        Binary::Maximum,
        REAL,
        false,
        "Returns the larger of x and y; a NaN in x stays, and one in y is passed over.",
    ),
    (
        "Minimum",
        Binary::Minimum,
        REAL,
        false,
        "Returns the smaller of x and y; a NaN in x stays, and one in y is passed over.",
    ),
    ("SquaredDifference", Binary::SquaredDifference, FEWER, true, "Returns the square of x - y."),
    (
        "MulNoNan",
        Binary::MulNoNan,
        DIVISION,
        false,
        "Returns x * y, and zero where y is zero, even of x that is not finite.",
    ),
    ("Xlogy", Binary::Xlogy, FLOAT, false, "Returns x log(y), and zero where x is zero."),
    ("Xdivy", Binary::Xdivy, FLOAT, false, "Returns x / y, and zero where x is zero."),
];

/// (op, function, documentation): gradients of functions y = f(x) by y and the gradient dy.
const GRADIENTS: [(&str, Binary, &str); 6] = [
    ("TanhGrad", Binary::TanhGrad, "Returns dy * (1 - y * y): the gradient of y = tanh(x)."),
    ("SigmoidGrad", Binary::SigmoidGrad, "Returns dy * y * (1 - y): the gradient of y = sigmoid(x)."),
    ("SqrtGrad", Binary::SqrtGrad, "Returns dy / 2 / y: the gradient of y = sqrt(x)."),
    ("RsqrtGrad", Binary::RsqrtGrad, "Returns dy * y * y * y / -2: the gradient of y = rsqrt(x)."),
    ("InvGrad", Binary::INV_GRAD, "Returns -dy * y * y: the gradient of y = 1 / x."),
    ("ReciprocalGrad", Binary::ReciprocalGrad, "Returns -dy * y * y: the gradient of y = 1 / x."),
];

fn function(init: &KernelInit<'_>) -> Result<Binary> {
    let Some(Elementwise::Binary(f)) = init.node.op.elementwise else {
        bail!(Internal, "{} is no binary function", init.node.op.name);
    };
    if !dispatch!(init.input_type(0)?, T in number, f.supports::<T>(), else false) {
        return Err(init.unsupported());
    }
    Ok(f)
}

/// Returns the kernel of every op whose definition names a binary elementwise function.
pub(crate) fn binary_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let f = function(init)?;
    kernel(move |ctx| {
        let (x, y) = (ctx.take(0)?, ctx.take(1)?);
        let z = elementwise::binary(f, x, y, ctx.threads())?;
        ctx.set_output(0, z);
        Ok(())
    })
}

/// Returns `binary_kernel` for operands that must have one shape.
pub(crate) fn gradient_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let f = function(init)?;
    kernel(move |ctx| {
        let (y, dy) = (ctx.take(0)?, ctx.take(1)?);
        ensure!(
            y.shape() == dy.shape(),
            InvalidArgument,
            "{}: inputs must have the same shape: {} vs. {}",
            ctx.name(),
            y.shape(),
            dy.shape()
        );
        let z = elementwise::binary(f, y, dy, ctx.threads())?;
        ctx.set_output(0, z);
        Ok(())
    })
}

fn add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    if init.input_type(0)? != DType::String {
        return binary_kernel(init);
    }
    kernel(|ctx| {
        let z = zip_strings(ctx.input(0)?, ctx.input(1)?, DType::String, |x, y| {
            let mut both = Bytes::with_capacity(x.len() + y.len());
            both.extend_from_slice(x);
            both.extend_from_slice(y);
            both
        })?;
        ctx.set_output(0, z);
        Ok(())
    })
}

/// Refuses integers. TF 1.x has no kernel for them here.
fn real_division(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    if init.input_type(0)?.is_integer() { Err(init.unsupported()) } else { binary_kernel(init) }
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, [x, y]: [&str; 2], f| {
        Op::new(name).input(x).input(y).output("z: T").elementwise(Elementwise::Binary(f))
    };
    for (name, f, types, commutes, doc) in TABLE {
        let op = op(name, ["x: T", "y: T"], f).attr(types).doc(doc).shape(shape_rules::broadcast_binary);
        let op = if commutes { op.commutative() } else { op };
        r.add(match name {
            "Add" => op.kernel(add),
            "AddV2" => op.aggregate().kernel(binary_kernel),
            "RealDiv" => op.kernel(real_division),
            _ => op.kernel(binary_kernel),
        });
    }
    r.add(
        op("Atan2", ["y: T", "x: T"], Binary::Atan2)
            .attr("T: {bfloat16, half, float, double}")
            .doc("Returns the angle of the point (x, y), in radians.")
            .shape(shape_rules::broadcast_binary)
            .kernel(binary_kernel),
    );
    r.add(
        Op::new("NextAfter")
            .input("x1: T")
            .input("x2: T")
            .output("output: T")
            .attr("T: {double, float} = DT_FLOAT")
            .elementwise(Elementwise::Binary(Binary::NextAfter))
            .doc("Returns the number beside x1 on the way to x2; x2 where they are equal.")
            .shape(shape_rules::broadcast_binary)
            .kernel(binary_kernel),
    );
    for (name, f, doc) in GRADIENTS {
        let op = op(name, ["y: T", "dy: T"], f).attr(FLOAT).doc(doc);
        r.add(op.shape(shape_rules::merged).kernel(gradient_kernel));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{Complex64, Tensor};

    #[test]
    fn every_row_broadcasts_and_has_equal_bits_at_any_number_of_threads() {
        let x: Vec<f32> = (0..90_000).map(|i| (i % 777) as f32 * 0.01 + 0.1).collect();
        let y: Vec<f32> = (0..300).map(|i| i as f32 * 0.02 + 0.3).collect();
        let (a, b) = (Tensor::from_slice([300, 300], &x).unwrap(), Tensor::from_slice([300], &y).unwrap());
        for (name, f, ..) in TABLE {
            let mut expected = x.clone();
            for row in expected.chunks_mut(300) {
                ferroflow_tensor::vector::binary_in_place_left(f, row, ferroflow_tensor::vector::Operand::Slice(&y));
            }
            let expected = Tensor::from_slice([300, 300], &expected).unwrap();
            for threads in [1, 2, 4] {
                let got = run_args(name, vec![Arg::One(a.clone()), Arg::One(b.clone())], &[], threads).unwrap();
                assert!(got.values[0] == expected, "{name}");
                assert_eq!(got.shapes[0].to_shape().unwrap(), [300, 300].into());
            }
        }
    }

    #[test]
    fn known_values() {
        for (op, x, y, z) in [
            ("FloorDiv", -7, 2, -4),
            ("TruncateDiv", -7, 2, -3),
            ("Div", -7, 2, -3),
            ("FloorMod", -7, 2, 1),
            ("Mod", -7, 2, -1),
            ("Pow", 3, 4, 81),
            ("Maximum", 3, 4, 4),
            ("SquaredDifference", 3, 5, 4),
        ] {
            assert_eq!(run(op, &[Tensor::scalar(x), Tensor::scalar(y)], &[]).unwrap(), [Tensor::scalar(z)], "{op}");
        }
        let z = run("Atan2", &[Tensor::scalar(1.0f64), Tensor::scalar(-1.0f64)], &[]).unwrap();
        assert_eq!(z[0].to_scalar::<f64>().unwrap(), 0.75 * std::f64::consts::PI);
        let c = |re, im| Tensor::scalar(Complex64::new(re, im));
        assert_eq!(run("Mul", &[c(1.0, 2.0), c(3.0, -1.0)], &[]).unwrap(), [c(5.0, 5.0)]);
    }

    #[test]
    fn strings_are_joined() {
        let text = |shape: &[usize], parts: &[&str]| {
            Tensor::from_strings(shape, parts.iter().map(|p| p.as_bytes().into()).collect()).unwrap()
        };
        let z = run("Add", &[text(&[2, 1], &["a", "b"]), text(&[2], &["x", "yz"])], &[]).unwrap();
        assert_eq!(z, [text(&[2, 2], &["ax", "ayz", "bx", "byz"])]);
    }

    #[test]
    fn gradients_take_one_shape() {
        let y = Tensor::from_slice([2], &[0.5f32, -0.25]).unwrap();
        let dy = Tensor::from_slice([2], &[2.0f32, 1.0]).unwrap();
        let z = run("TanhGrad", &[y.clone(), dy], &[]).unwrap();
        assert_eq!(z[0].slice::<f32>().unwrap(), [1.5, 0.9375]);
        assert!(run("TanhGrad", &[y, Tensor::scalar(1.0f32)], &[]).is_err());
    }

    #[test]
    fn faults_of_the_operands_are_errors() {
        let e = run("FloorDiv", &[Tensor::scalar(1i32), Tensor::scalar(0i32)], &[]).err().unwrap();
        assert_eq!(e.message(), "Integer division by zero");
        assert!(run("RealDiv", &[Tensor::scalar(1i32), Tensor::scalar(2i32)], &[]).is_err());
        let pair = |n: usize| Tensor::from_slice([n], &vec![1.0f32; n]).unwrap();
        assert!(run("Add", &[pair(2), pair(3)], &[]).is_err());
    }
}
