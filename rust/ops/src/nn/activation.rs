//! Activations of one element (Relu, Elu, Softplus ...) and their gradients, as tables.

use ferroflow_graph::{Elementwise, Fusion, Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::{Binary, Operand, Unary, binary, binary_in_place_left, unary, unary_in_place};
use ferroflow_tensor::{Result, Tensor, dispatch, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

const FLOATS: &str = "T: {half, bfloat16, float, double}";
const REALS: &str = "T: realnumbertype";

/// (name, function, types, doc)
const ACTIVATIONS: [(&str, Unary, &str, &str); 6] = [
    ("Relu", Unary::Relu, REALS, "The larger of the feature and 0."),
    ("Relu6", Unary::Relu6, REALS, "The feature brought into [0, 6]."),
    ("Elu", Unary::Elu, FLOATS, "The feature where it is positive, `exp(x) - 1` elsewhere."),
    ("Selu", Unary::Selu, FLOATS, "`Elu` scaled so that layers keep mean 0 and variance 1."),
    ("Softplus", Unary::Softplus, FLOATS, "`ln(1 + exp(x))`."),
    ("Softsign", Unary::Softsign, FLOATS, "`x / (1 + |x|)`."),
];

/// (name, second input, function, types, doc)
const GRADIENTS: [(&str, &str, Binary, &str, &str); 6] = [
    ("ReluGrad", "features: T", Binary::ReluGrad, REALS, "The gradient of `Relu`."),
    ("Relu6Grad", "features: T", Binary::Relu6Grad, REALS, "The gradient of `Relu6`."),
    ("EluGrad", "outputs: T", Binary::EluGrad, FLOATS, "The gradient of `Elu`, from its output."),
    ("SeluGrad", "outputs: T", Binary::SeluGrad, FLOATS, "The gradient of `Selu`, from its output."),
    ("SoftplusGrad", "features: T", Binary::SoftplusGrad, FLOATS, "The gradient of `Softplus`."),
    ("SoftsignGrad", "features: T", Binary::SoftsignGrad, FLOATS, "The gradient of `Softsign`."),
];

/// Returns the kernel of a function that may be computed in place.
fn activation(init: &KernelInit<'_>, f: Unary) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in real, {
        if !f.supports::<T>() {
            return Err(init.unsupported());
        }
        kernel(move |ctx| {
            let mut x = ctx.take(0)?;
            if x.is_unique() {
                try_for_chunks_mut(ctx.threads(), x.slice_mut::<T>()?, BLOCK, |_, chunk| unary_in_place(f, chunk))?;
                ctx.set_output(0, x);
                return Ok(());
            }
            let mut y = Tensor::new(x.dtype(), x.shape().clone())?;
            let x = x.slice::<T>()?;
            try_for_chunks_mut(ctx.threads(), y.slice_mut::<T>()?, BLOCK, |start, chunk| {
                unary(f, &x[start..start + chunk.len()], chunk);
            })?;
            ctx.set_output(0, y);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Returns the kernel of `f(gradients, x)`, two tensors of one shape.
fn gradient(init: &KernelInit<'_>, f: Binary) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in real, {
        if !f.supports::<T>() {
            return Err(init.unsupported());
        }
        kernel(move |ctx| {
            let (mut g, x) = (ctx.take(0)?, ctx.take(1)?);
            same_size(&g, &x)?;
            let x = x.slice::<T>()?;
            if g.is_unique() {
                try_for_chunks_mut(ctx.threads(), g.slice_mut::<T>()?, BLOCK, |start, chunk| {
                    let part = Operand::Slice(&x[start..start + chunk.len()]);
                    binary_in_place_left(f, chunk, part);
                })?;
                ctx.set_output(0, g);
                return Ok(());
            }
            let mut y = Tensor::new(g.dtype(), g.shape().clone())?;
            let g = g.slice::<T>()?;
            try_for_chunks_mut(ctx.threads(), y.slice_mut::<T>()?, BLOCK, |start, chunk| {
                let range = start..start + chunk.len();
                binary(f, Operand::Slice(&g[range.clone()]), Operand::Slice(&x[range]), chunk);
            })?;
            ctx.set_output(0, y);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn same_size(g: &Tensor, x: &Tensor) -> Result<()> {
    ensure!(
        g.shape() == x.shape(),
        InvalidArgument,
        "g and a must be the same size, but have shapes {} and {}",
        g.shape(),
        x.shape()
    );
    Ok(())
}

macro_rules! kernels {
    ($make:ident, $kind:ident: $($f:ident),*) => {
        |f: $kind| -> Option<fn(&KernelInit<'_>) -> Result<Box<dyn Kernel>>> {
            match f {
                $($kind::$f => Some(|init| $make(init, $kind::$f)),)*
                _ => None,
            }
        }
    };
}

pub(super) fn register(r: &mut Registry) {
    let unary_kernel = kernels!(activation, Unary: Relu, Relu6, Elu, Selu, Softplus, Softsign);
    let binary_kernel = kernels!(gradient, Binary: ReluGrad, Relu6Grad, EluGrad, SeluGrad, SoftplusGrad, SoftsignGrad);
    for (name, f, types, doc) in ACTIVATIONS {
        let op = Op::new(name).input("features: T").output("activations: T").attr(types).doc(doc);
        let op = op.shape(shape_rules::unchanged).elementwise(Elementwise::Unary(f));
        // The fused forms of products have this activation only.
        let op = if f == Unary::Relu { op.fusion(Fusion::Activation) } else { op };
        r.add(match unary_kernel(f) {
            Some(k) => op.kernel(k),
            None => op,
        });
    }
    for (name, second, f, types, doc) in GRADIENTS {
        let op = Op::new(name).input("gradients: T").input(second).output("backprops: T").attr(types).doc(doc);
        let op = op.shape(shape_rules::merged).elementwise(Elementwise::Binary(f));
        r.add(match binary_kernel(f) {
            Some(k) => op.kernel(k),
            None => op,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{ACTIVATIONS, GRADIENTS};
    use crate::testing::{Arg, Rerun, run, run_args};
    use ferroflow_tensor::Tensor;

    const X: [f64; 8] = [-30.0, -2.5, -0.25, 0.3, 1.0, 5.5, 6.5, 40.0];

    fn naive(name: &str, x: f64) -> f64 {
        let (scale, alpha) = (1.0507009873554805, 1.6732632423543772);
        match name {
            "Relu" => x.max(0.0),
            "Relu6" => x.clamp(0.0, 6.0),
            "Elu" => {
                if x > 0.0 {
                    x
                } else {
                    x.exp_m1()
                }
            }
            "Selu" => scale * if x > 0.0 { x } else { alpha * x.exp_m1() },
            "Softplus" => x.exp().ln_1p(),
            _ => x / (1.0 + x.abs()),
        }
    }

    #[test]
    fn activations_are_their_formulas() {
        for (name, ..) in ACTIVATIONS {
            let y = run(name, &[Tensor::from_slice([2, 4], &X).unwrap()], &[]).unwrap();
            assert_eq!(y[0].shape().dims(), [2, 4]);
            for (y, x) in y[0].slice::<f64>().unwrap().iter().zip(X) {
                assert!((y - naive(name, x)).abs() <= 1e-14 * (1.0 + x.abs()), "{name}({x}) = {y}");
            }
        }
    }

    #[test]
    fn gradients_are_those_of_the_activations() {
        let h = 1e-6;
        for ((name, second, ..), (function, ..)) in GRADIENTS.into_iter().zip(ACTIVATIONS) {
            let arg = if second.starts_with("outputs") { X.map(|x| naive(function, x)) } else { X };
            let g = [2.0f64; 8];
            let d = run(name, &[Tensor::from_slice([8], &g).unwrap(), Tensor::from_slice([8], &arg).unwrap()], &[]);
            for (d, x) in d.unwrap()[0].slice::<f64>().unwrap().iter().zip(X) {
                let expected = 2.0 * (naive(function, x + h) - naive(function, x - h)) / (2.0 * h);
                assert!((d - expected).abs() < 1e-6, "{name} at {x}: {d}, not {expected}");
            }
        }
    }

    #[test]
    fn integers_have_relu_and_no_softplus() {
        let x = Tensor::from_slice([3], &[-3i32, 0, 9]).unwrap();
        assert_eq!(run("Relu", std::slice::from_ref(&x), &[]).unwrap()[0].slice::<i32>().unwrap(), [0, 0, 9]);
        let e = run("Softplus", &[x], &[]).unwrap_err();
        assert!(e.message().contains("not in list of allowed values"), "{e}");
    }

    #[test]
    fn shared_inputs_are_not_overwritten_and_others_are_computed_in_place() {
        let x = Tensor::from_slice([64], &[-1.0f32; 64]).unwrap();
        for (op, inputs) in [("Elu", vec![x.clone()]), ("EluGrad", vec![x.clone(), x.clone()])] {
            let node = Rerun::new(op, &inputs, &[]).unwrap();
            assert_eq!(node.run(1).unwrap(), node.run_unshared(1).unwrap());
            assert_eq!(x.slice::<f32>().unwrap(), [-1.0; 64]);
        }
    }

    #[test]
    fn shapes_must_agree() {
        let g = Tensor::zeros(ferroflow_tensor::DType::F32, [2]).unwrap();
        let x = Tensor::zeros(ferroflow_tensor::DType::F32, [3]).unwrap();
        assert!(run("ReluGrad", &[g, x], &[]).is_err());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..70_001).map(|i| (i as f32 - 35_000.0) / 3000.0).collect();
        let x = Tensor::from_slice([x.len()], &x).unwrap();
        let by = |n| run_args("Elu", vec![Arg::One(x.clone())], &[], n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
