//! Complex numbers from their parts and their parts from them: Complex, Real, Imag, Angle, ComplexAbs.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::elementwise::{Broadcast, Inputs, Terms};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::{Operand, on_best_isa};
use ferroflow_tensor::{Complex32, Complex64, DType, Result, Scalar, Tensor};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

fn map<S: Scalar, D: Scalar>(f: impl Fn(S) -> D + Send + Sync + 'static) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        let mut out = Tensor::new(D::DTYPE, x.shape().clone())?;
        let values = x.slice::<S>()?;
        try_for_chunks_mut(ctx.threads(), out.slice_mut::<D>()?, BLOCK, |start, out| {
            on_best_isa(|| out.iter_mut().zip(&values[start..]).for_each(|(o, v)| *o = f(*v)));
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Returns a function of complex numbers with real values: one for the numbers of f32, in double precision, and one for
/// those of f64.
fn part(
    init: &KernelInit<'_>,
    of_f32: impl Fn(Complex64) -> f64 + Send + Sync + 'static,
    of_f64: impl Fn(Complex64) -> f64 + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    match (init.input_type(0)?, init.output_type(0)?) {
        (DType::Complex64, DType::F32) => {
            map(move |z: Complex32| of_f32(Complex64::new(z.re.into(), z.im.into())) as f32)
        }
        (DType::Complex128, DType::F64) => map(of_f64),
        _ => Err(init.unsupported()),
    }
}

fn join<S: Scalar, D: Scalar>(f: impl Fn(S, S) -> D + Send + Sync + 'static) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let (re, im) = (ctx.input(0)?, ctx.input(1)?);
        let plan = Broadcast::new(re.shape(), im.shape())?;
        let mut out = Tensor::new(D::DTYPE, plan.shape.clone())?;
        let inputs = Inputs::Both(re.slice::<S>()?, im.slice::<S>()?);
        plan.apply(ctx.threads(), BLOCK, inputs, out.slice_mut::<D>()?, |terms, out| {
            let Terms::Both(re, im) = terms else { return };
            let at = |o: Operand<'_, S>, i: usize| match o {
                Operand::Slice(s) => s[i],
                Operand::Scalar(v) => v,
            };
            for (i, o) in out.iter_mut().enumerate() {
                *o = f(at(re, i), at(im, i));
            }
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn angle(z: Complex64) -> f64 {
    libm::atan2(z.im, z.re)
}

/// Returns the absolute value of a number of f32, whose square does not overflow in double precision.
#[inline(always)]
fn size(z: Complex64) -> f64 {
    let size = (z.re * z.re + z.im * z.im).sqrt();
    // Infinity with NaN as the other part is infinity.
    if z.re.is_infinite() | z.im.is_infinite() { f64::INFINITY } else { size }
}

pub(super) fn register(r: &mut Registry) {
    let of_complex = |name: &str, input: &str, output: &str| {
        Op::new(name)
            .input(input)
            .output(output)
            .attr("T: {complex64, complex128} = DT_COMPLEX64")
            .attr("Tout: {float, double} = DT_FLOAT")
            .shape(shape_rules::unchanged)
    };
    let op = |name: &str| of_complex(name, "input: T", "output: Tout");
    r.add(op("Real").doc("Returns the real part.").kernel(|init| part(init, |z| z.re, |z| z.re)));
    r.add(op("Imag").doc("Returns the imaginary part.").kernel(|init| part(init, |z| z.im, |z| z.im)));
    r.add(op("Angle").doc("Returns the argument, in radians from -pi to pi.").kernel(|init| part(init, angle, angle)));
    r.add(
        of_complex("ComplexAbs", "x: T", "y: Tout")
            .doc("Returns the absolute value of complex numbers.")
            .kernel(|init| part(init, size, |z| libm::hypot(z.re, z.im))),
    );
    r.add(
        Op::new("Complex")
            .input("real: T")
            .input("imag: T")
            .output("out: Tout")
            .attr("T: {float, double} = DT_FLOAT")
            .attr("Tout: {complex64, complex128} = DT_COMPLEX64")
            .doc("Returns complex numbers with these parts.")
            .shape(shape_rules::broadcast_binary)
            .kernel(|init| match (init.input_type(0)?, init.output_type(0)?) {
                (DType::F32, DType::Complex64) => join(Complex32::new),
                (DType::F64, DType::Complex128) => join(Complex64::new),
                _ => Err(init.unsupported()),
            }),
    );
}

#[cfg(test)]
mod tests {
    use super::size;
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Complex32, Complex64, DType, Tensor};

    #[test]
    fn absolute_values_of_f32_are_those_of_hypot() {
        let parts = [0.0f32, -0.0, 1e-45, -3.5e-20, 0.1, 1.0, -2.5, 7e18, f32::MAX, f32::INFINITY, f32::NEG_INFINITY];
        for re in parts.into_iter().chain([f32::NAN]) {
            for im in parts.into_iter().chain([f32::NAN]) {
                let z = Complex64::new(re.into(), im.into());
                assert_eq!((size(z) as f32).to_bits(), (libm::hypot(z.re, z.im) as f32).to_bits(), "{re} {im}");
            }
        }
    }

    #[test]
    fn parts_make_a_number_and_come_back() {
        let re = Tensor::from_slice([2, 1], &[3.0f32, -1.0]).unwrap();
        let im = Tensor::from_slice([2], &[4.0f32, 0.0]).unwrap();
        let z = run("Complex", &[re, im], &[]).unwrap();
        assert_eq!(z[0].slice::<Complex32>().unwrap()[1], Complex32::new(3.0, 0.0));
        let part = |op: &str| run(op, &z, &[]).unwrap()[0].slice::<f32>().unwrap().to_vec();
        assert_eq!(part("Real"), [3.0, 3.0, -1.0, -1.0]);
        assert_eq!(part("Imag"), [4.0, 0.0, 4.0, 0.0]);
        assert_eq!(part("ComplexAbs"), [5.0, 3.0, 17f32.sqrt(), 1.0]);
        assert_eq!(part("Angle")[3], std::f32::consts::PI);
    }

    #[test]
    fn double_precision_stays_double() {
        let z = Tensor::scalar(Complex64::new(3e200, -4e200));
        let attrs = [("Tout", AttrValue::Type(DType::F64))];
        let out = run("ComplexAbs", std::slice::from_ref(&z), &attrs).unwrap();
        let absolute = out[0].to_scalar::<f64>().unwrap();
        assert!((absolute / 5e200 - 1.0).abs() < 1e-15, "{absolute}");
        assert!(run("ComplexAbs", &[z], &[]).is_err());
    }
}
