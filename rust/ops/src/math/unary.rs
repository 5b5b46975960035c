//! The ops that apply one function to each element of one tensor.

use ferroflow_graph::{Elementwise, Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::vector::Unary;
use ferroflow_tensor::{Result, bail, dispatch, elementwise};

const REAL: &str = "T: {bfloat16, half, float, double}";
const FLOAT: &str = "T: {bfloat16, half, float, double, complex64, complex128}";
const NUMBER: &str = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";

/// (op, function, types, documentation)
const TABLE: [(&str, Unary, &str, &str); 34] = [
    ("Neg", Unary::Neg, NUMBER, "Returns -x."),
    (
        "Abs",
        Unary::Abs,
        "T: {bfloat16, half, float, double, int8, int16, int32, int64}",
        "Returns the absolute value of x.",
    ),
    ("Sign", Unary::Sign, NUMBER, "Returns -1, 0 or 1 as x is negative, zero or positive; x / |x| of complex numbers."),
    ("Square", Unary::Square, NUMBER, "Returns x * x."),
    ("Sqrt", Unary::Sqrt, FLOAT, "Returns the square root of x."),
    ("Rsqrt", Unary::Rsqrt, FLOAT, "Returns one over the square root of x."),
    ("Inv", Unary::Reciprocal, NUMBER, "Returns 1 / x."),
    ("Reciprocal", Unary::Reciprocal, NUMBER, "Returns 1 / x."),
    ("Exp", Unary::Exp, FLOAT, "Returns e to the power x."),
    ("Expm1", Unary::Expm1, FLOAT, "Returns exp(x) - 1, exact for small x."),
    ("Log", Unary::Log, FLOAT, "Returns the natural logarithm of x."),
    ("Log1p", Unary::Log1p, FLOAT, "Returns log(1 + x), exact for small x."),
    ("Sin", Unary::Sin, FLOAT, "Returns the sine of x, in radians."),
    ("Cos", Unary::Cos, FLOAT, "Returns the cosine of x, in radians."),
    ("Tan", Unary::Tan, NUMBER, "Returns the tangent of x, in radians."),
    ("Asin", Unary::Asin, NUMBER, "Returns the angle in radians whose sine is x."),
    ("Acos", Unary::Acos, NUMBER, "Returns the angle in radians whose cosine is x."),
    ("Atan", Unary::Atan, NUMBER, "Returns the angle in radians whose tangent is x."),
    ("Sinh", Unary::Sinh, FLOAT, "Returns the hyperbolic sine of x."),
    ("Cosh", Unary::Cosh, FLOAT, "Returns the hyperbolic cosine of x."),
    ("Tanh", Unary::Tanh, FLOAT, "Returns the hyperbolic tangent of x."),
    ("Asinh", Unary::Asinh, FLOAT, "Returns the number whose hyperbolic sine is x."),
    ("Acosh", Unary::Acosh, FLOAT, "Returns the number whose hyperbolic cosine is x."),
    ("Atanh", Unary::Atanh, FLOAT, "Returns the number whose hyperbolic tangent is x."),
    ("Sigmoid", Unary::Sigmoid, FLOAT, "Returns 1 / (1 + exp(-x))."),
    ("Erf", Unary::Erf, REAL, "Returns the Gauss error function of x."),
    ("Erfc", Unary::Erfc, REAL, "Returns 1 - erf(x), exact for large x."),
    ("Lgamma", Unary::Lgamma, REAL, "Returns the logarithm of the absolute value of the gamma function of x."),
    ("Digamma", Unary::Digamma, REAL, "Returns the derivative of lgamma at x."),
    ("Floor", Unary::Floor, REAL, "Returns the largest integer not above x."),
    ("Ceil", Unary::Ceil, REAL, "Returns the smallest integer not below x."),
    ("Round", Unary::Round, NUMBER, "Returns the integer nearest to x, half to even."),
    ("Rint", Unary::Rint, REAL, "Returns the integer nearest to x, half to even."),
    ("Conj", Unary::Conj, "T: {complex64, complex128} = DT_COMPLEX64", "Returns the complex conjugate."),
];

/// Returns the kernel of every op whose definition names a unary elementwise function.
pub(crate) fn unary_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let Some(Elementwise::Unary(f)) = init.node.op.elementwise else {
        bail!(Internal, "{} is no unary function", init.node.op.name);
    };
    if !dispatch!(init.input_type(0)?, T in number, f.supports::<T>(), else false) {
        return Err(init.unsupported());
    }
    kernel(move |ctx| {
        let x = ctx.take(0)?;
        let y = elementwise::unary(f, x, ctx.threads())?;
        ctx.set_output(0, y);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    for (name, f, types, doc) in TABLE {
        let (input, output) = if name == "Conj" { ("input: T", "output: T") } else { ("x: T", "y: T") };
        r.add(
            Op::new(name)
                .input(input)
                .output(output)
                .attr(types)
                .doc(doc)
                .elementwise(Elementwise::Unary(f))
                .shape(shape_rules::unchanged)
                .kernel(unary_kernel),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{Complex32, DType, Tensor, bf16, f16};

    #[test]
    fn every_row_computes_its_function_at_any_number_of_threads() {
        let values: Vec<f32> = (0..70_000).map(|i| (i % 1999) as f32 * 1e-3 - 0.999).collect();
        let x = Tensor::from_slice([70, 1000], &values).unwrap();
        for (name, f, ..) in TABLE.iter().filter(|row| row.1.supports::<f32>()) {
            let mut expected = vec![0.0; values.len()];
            ferroflow_tensor::vector::unary(*f, &values, &mut expected);
            let expected = Tensor::from_slice([70, 1000], &expected).unwrap();
            for threads in [1, 2, 4] {
                let got = run_args(name, vec![Arg::One(x.clone())], &[], threads).unwrap();
                assert!(got.values[0] == expected, "{name}");
                assert_eq!(got.shapes[0].to_shape().unwrap(), [70, 1000].into());
            }
        }
    }

    #[test]
    fn known_values() {
        let one = |op: &str, x: f64| run(op, &[Tensor::scalar(x)], &[]).unwrap()[0].to_scalar::<f64>().unwrap();
        for (op, x, y) in [
            ("Neg", 2.0, -2.0),
            ("Rsqrt", 4.0, 0.5),
            ("Inv", 4.0, 0.25),
            ("Round", 2.5, 2.0),
            ("Rint", 3.5, 4.0),
            ("Floor", -1.5, -2.0),
            ("Sign", -7.0, -1.0),
            ("Sigmoid", 0.0, 0.5),
            ("Lgamma", 5.0, 24f64.ln()),
            ("Atanh", 0.5, 0.5f64.atanh()),
        ] {
            assert!((one(op, x) - y).abs() < 1e-14, "{op} {}", one(op, x));
        }
    }

    #[test]
    fn integers_halves_and_complex_numbers_where_the_function_has_them() {
        assert_eq!(run("Neg", &[Tensor::scalar(3i64)], &[]).unwrap(), [Tensor::scalar(-3i64)]);
        assert_eq!(run("Round", &[Tensor::scalar(3i32)], &[]).unwrap(), [Tensor::scalar(3i32)]);
        let half = run("Square", &[Tensor::scalar(f16::from_f32(1.5))], &[]).unwrap();
        assert_eq!(half, [Tensor::scalar(f16::from_f32(2.25))]);
        let brain = run("Exp", &[Tensor::scalar(bf16::from_f32(0.0))], &[]).unwrap();
        assert_eq!(brain, [Tensor::scalar(bf16::from_f32(1.0))]);
        let z = run("Conj", &[Tensor::scalar(Complex32::new(1.0, 2.0))], &[]).unwrap();
        assert_eq!(z, [Tensor::scalar(Complex32::new(1.0, -2.0))]);
    }

    #[test]
    fn types_without_the_function_are_refused() {
        assert!(run("Exp", &[Tensor::scalar(1i32)], &[]).is_err());
        let e = run("Tan", &[Tensor::scalar(1i32)], &[]).err().unwrap();
        assert!(e.message().contains("No OpKernel was registered to support Op 'Tan'"), "{e}");
        assert!(run("Neg", &[Tensor::new(DType::String, [2]).unwrap()], &[]).is_err());
    }
}
