//! Complex numbers from their parts and their parts from them: Complex, Real, Imag, Angle, ComplexAbs.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::elementwise::{Broadcast, Inputs, Terms};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::Operand;
use ferroflow_tensor::{Complex32, Complex64, DType, Result, Scalar, Tensor};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

fn map<S: Scalar, D: Scalar>(f: impl Fn(S) -> D + Send + Sync + 'static) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        let mut out = Tensor::new(D::DTYPE, x.shape().clone())?;
        let values = x.slice::<S>()?;
        try_for_chunks_mut(ctx.threads(), out.slice_mut::<D>()?, BLOCK, |start, out| {
            for (o, v) in out.iter_mut().zip(&values[start..]) {
                *o = f(*v);
            }
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Returns a function of complex numbers with real values, in double precision.
fn part(init: &KernelInit<'_>, f: fn(Complex64) -> f64) -> Result<Box<dyn Kernel>> {
    match (init.input_type(0)?, init.output_type(0)?) {
        (DType::Complex64, DType::F32) => map(move |z: Complex32| f(Complex64::new(z.re.into(), z.im.into())) as f32),
        (DType::Complex128, DType::F64) => map(f),
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
    r.add(op("Real").doc("Returns the real part.").kernel(|init| part(init, |z| z.re)));
    r.add(op("Imag").doc("Returns the imaginary part.").kernel(|init| part(init, |z| z.im)));
    r.add(
        op("Angle")
            .doc("Returns the argument, in radians from -pi to pi.")
            .kernel(|init| part(init, |z| libm::atan2(z.im, z.re))),
    );
    r.add(
        of_complex("ComplexAbs", "x: T", "y: Tout")
            .doc("Returns the absolute value of complex numbers.")
            .kernel(|init| part(init, |z| libm::hypot(z.re, z.im))),
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
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Complex32, Complex64, DType, Tensor};

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
