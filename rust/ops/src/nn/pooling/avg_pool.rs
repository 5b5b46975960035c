//! AvgPool, AvgPool3D: the mean of each window's elements, without padding; and their gradients.

use super::windows::{Pooling, check_shape, described_shape, shape};
use crate::wide::{narrowed, widened};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::pooling::{mean, mean_gradient};
use ferroflow_tensor::{DType, Result, Shape, Tensor, dispatch, ensure};

fn avg_pool(init: &KernelInit<'_>, spatial: usize) -> Result<Box<dyn Kernel>> {
    let pooling = Pooling::of_attrs(init, spatial)?.of_mean()?;
    let dtype = init.output_type(0)?;
    dispatch!(compute_type(dtype), T in [F32, F64], {
        kernel(move |ctx| {
            let x = ctx.take(0)?;
            let windows = pooling.windows(x.shape())?;
            let x = widened(x)?;
            let mut y = Tensor::new(x.dtype(), windows.pooled.clone())?;
            let x = x.slice::<T>()?;
            mean(&windows, ctx.threads(), x, y.slice_mut::<T>()?)?;
            ctx.set_output(0, narrowed(y, dtype)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn avg_pool_grad(init: &KernelInit<'_>, spatial: usize) -> Result<Box<dyn Kernel>> {
    let pooling = Pooling::of_attrs(init, spatial)?.of_mean()?;
    let dtype = init.output_type(0)?;
    dispatch!(compute_type(dtype), T in [F32, F64], {
        kernel(move |ctx| {
            let (dims, g) = (ctx.take(0)?, ctx.take(1)?);
            ensure!(
                dims.rank() == 1 && dims.elements() == spatial + 2,
                InvalidArgument,
                "orig_input_shape must be 1-dimensional and {} elements",
                spatial + 2
            );
            let shape = Shape::checked(&dims.to_i64s()?)?;
            let windows = pooling.windows(&shape)?;
            check_shape("grad", &g, &windows.pooled)?;
            let g = widened(g)?;
            let mut gx = Tensor::new(g.dtype(), shape)?;
            let g = g.slice::<T>()?;
            mean_gradient(&windows, ctx.threads(), g, gx.slice_mut::<T>()?)?;
            ctx.set_output(0, narrowed(gx, dtype)?);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn compute_type(dtype: DType) -> DType {
    if dtype == DType::F64 { dtype } else { DType::F32 }
}

pub(super) fn register(r: &mut Registry) {
    let doc = "The mean of each window.";
    let grad_doc = "The gradient of the means: in equal parts at the elements of each window.";
    let types = "T: {half, bfloat16, float, double}";
    let sized = |op: Op, count: usize, format: &str| {
        op.attr(&format!("ksize: list(int) >= {count}"))
            .attr(&format!("strides: list(int) >= {count}"))
            .attr("padding: {'SAME', 'VALID'}")
            .attr(format)
            .attr(types)
    };
    let format = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
    let op = Op::new("AvgPool").input("value: T").output("output: T");
    r.add(sized(op, 4, format).doc(doc).shape(shape::<2>).kernel(|init| avg_pool(init, 2)));
    let op = Op::new("AvgPoolGrad").input("orig_input_shape: int32").input("grad: T").output("output: T");
    r.add(sized(op, 4, format).doc(grad_doc).shape(described_shape::<2>).kernel(|init| avg_pool_grad(init, 2)));
    let format = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'";
    let op = Op::new("AvgPool3D").input("input: T").output("output: T");
    r.add(sized(op, 5, format).doc(doc).shape(shape::<3>).kernel(|init| avg_pool(init, 3)));
    let op = Op::new("AvgPool3DGrad").input("orig_input_shape: int32").input("grad: T").output("output: T");
    r.add(sized(op, 5, format).doc(grad_doc).shape(described_shape::<3>).kernel(|init| avg_pool_grad(init, 3)));
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Tensor, f16};

    fn attrs(k: i64, s: i64, rank: usize, padding: &str) -> Vec<(&'static str, AttrValue)> {
        let sizes = |n: i64| {
            let mut all = vec![AttrValue::Int(n); rank];
            all[0] = AttrValue::Int(1);
            all[rank - 1] = AttrValue::Int(1);
            AttrValue::List(all)
        };
        vec![("ksize", sizes(k)), ("strides", sizes(s)), ("padding", AttrValue::Str(padding.as_bytes().to_vec()))]
    }

    #[test]
    fn padding_does_not_count() {
        let x = Tensor::from_slice([1, 3, 3, 1], &[1f64, 2., 3., 4., 5., 6., 7., 8., 9.]).unwrap();
        let at = attrs(2, 2, 4, "SAME");
        let y = run("AvgPool", std::slice::from_ref(&x), &at).unwrap();
        assert_eq!(y[0].slice::<f64>().unwrap(), [3.0, 4.5, 7.5, 9.0]);
        let dims = Tensor::from_slice([4], &[1i32, 3, 3, 1]).unwrap();
        let gx = run("AvgPoolGrad", &[dims, y[0].clone()], &at).unwrap();
        assert_eq!(gx[0].slice::<f64>().unwrap(), [0.75, 0.75, 2.25, 0.75, 0.75, 2.25, 3.75, 3.75, 9.0]);
    }

    #[test]
    fn sixteen_bit_floats_are_summed_in_single_precision() {
        let x = Tensor::from_slice([1, 50, 50, 1], &[f16::from_f32(100.0); 2500]).unwrap();
        let y = run("AvgPool", &[x], &attrs(50, 1, 4, "VALID")).unwrap();
        assert_eq!(y[0].slice::<f16>().unwrap(), [f16::from_f32(100.0)]);
    }

    #[test]
    fn the_gradient_is_the_transpose_of_the_mean() {
        let values = |n: usize, k: usize| (0..n).map(|i| (i * k % 13) as f64).collect::<Vec<_>>();
        for (k, s, padding) in [(3, 2, "SAME"), (2, 2, "VALID"), (3, 1, "SAME"), (1, 2, "SAME")] {
            let x = Tensor::from_slice([2, 5, 4, 6, 3], &values(720, 7)).unwrap();
            let at = attrs(k, s, 5, padding);
            let y = run("AvgPool3D", std::slice::from_ref(&x), &at).unwrap().remove(0);
            let g = Tensor::from_slice(y.shape().clone(), &values(y.elements(), 5)).unwrap();
            let dims = Tensor::from_slice([5], &[2i32, 5, 4, 6, 3]).unwrap();
            let gx = run("AvgPool3DGrad", &[dims, g.clone()], &at).unwrap().remove(0);
            let dot = |a: &Tensor, b: &Tensor| {
                a.slice::<f64>().unwrap().iter().zip(b.slice::<f64>().unwrap()).map(|(a, b)| a * b).sum::<f64>()
            };
            assert!((dot(&y, &g) - dot(&x, &gx)).abs() < 1e-8);
        }
    }

    #[test]
    fn the_distance_along_channels_of_images_has_no_effect() {
        let x = Tensor::from_slice([1, 3, 3, 2], &(0..18).map(f64::from).collect::<Vec<_>>()).unwrap();
        let plain = attrs(2, 1, 4, "VALID");
        let y = run("AvgPool", std::slice::from_ref(&x), &plain).unwrap();
        let dims = Tensor::from_slice([4], &[1i32, 3, 3, 2]).unwrap();
        let gradient = |at: &[(&str, AttrValue)]| run("AvgPoolGrad", &[dims.clone(), y[0].clone()], at).unwrap();
        for stride in [-1, 0, 2, 7] {
            let mut at = plain.clone();
            at[1].1 = AttrValue::List([1, 1, 1, stride].map(AttrValue::Int).to_vec());
            assert_eq!(run("AvgPool", std::slice::from_ref(&x), &at).unwrap(), y);
            assert_eq!(gradient(&at), gradient(&plain));
            let of_volume = Tensor::from_slice([1, 1, 3, 3, 2], x.slice::<f64>().unwrap()).unwrap();
            at[0].1 = AttrValue::List([1, 1, 2, 2, 1].map(AttrValue::Int).to_vec());
            at[1].1 = AttrValue::List([1, 1, 1, 1, stride].map(AttrValue::Int).to_vec());
            assert!(run("AvgPool3D", &[of_volume], &at).is_err());
        }
    }

    #[test]
    fn a_gradient_of_another_shape_is_refused() {
        let at = attrs(2, 2, 4, "SAME");
        let g = Tensor::from_slice([1, 2, 2, 1], &[1f32; 4]).unwrap();
        for dims in [vec![1i32, 9, 9, 1], vec![1, 3, 3], vec![1, -1, 3, 1], vec![i32::MAX; 4]] {
            let dims = Tensor::from_slice([dims.len()], &dims).unwrap();
            assert!(run("AvgPoolGrad", &[dims, g.clone()], &at).is_err());
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..2 * 90 * 40 * 8).map(|i| 1.0 / (i + 1) as f32).collect();
        let g = Tensor::from_slice([2, 90, 40, 8], &x).unwrap();
        let dims = Tensor::from_slice([4], &[2i32, 90, 40, 8]).unwrap();
        let args = || vec![Arg::One(dims.clone()), Arg::One(g.clone())];
        let by = |n| run_args("AvgPoolGrad", args(), &attrs(3, 1, 4, "SAME"), n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
