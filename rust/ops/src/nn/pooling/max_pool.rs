//! MaxPool, MaxPoolV2, MaxPool3D: the largest element of each window; their gradients, and the gradients of these.

use super::windows::{
    Pooling, check_shape, second_shape, second_shape_v2, shape, shape_of_channels, shape_v2, unpooled_shape,
};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeFn, kernel};
use ferroflow_tensor::pooling::{Pooled, Windows, at_first_max, every_max_gradient, max, max_gradient};
use ferroflow_tensor::{Result, Scalar, Tensor, dispatch};

fn max_pool<T: Scalar + Pooled>(ctx: &mut KernelContext<'_>, pooling: &Pooling) -> Result<()> {
    let x = ctx.input(0)?;
    let windows = pooling.windows(x.shape())?;
    let mut y = Tensor::new(x.dtype(), windows.pooled.clone())?;
    let x = x.slice::<T>()?;
    max(&windows, ctx.threads(), x, y.slice_mut::<T>()?)?;
    ctx.set_output(0, y);
    Ok(())
}

/// Returns the inputs of a gradient, checked: what was pooled, the result, and the gradient of the result.
fn gradient_inputs(ctx: &KernelContext<'_>, pooling: &Pooling) -> Result<(Windows, Tensor)> {
    let x = ctx.input(0)?;
    let windows = pooling.windows(x.shape())?;
    check_shape("orig_output", ctx.input(1)?, &windows.pooled)?;
    check_shape("grad", ctx.input(2)?, &windows.pooled)?;
    let gx = Tensor::new(x.dtype(), x.shape().clone())?;
    Ok((windows, gx))
}

fn max_pool_grad<T: Scalar + Pooled>(ctx: &mut KernelContext<'_>, pooling: &Pooling) -> Result<()> {
    let (windows, mut gx) = gradient_inputs(ctx, pooling)?;
    let (x, g) = (ctx.input(0)?.slice::<T>()?, ctx.input(2)?.slice::<T>()?);
    max_gradient(&windows, ctx.threads(), x, g, gx.slice_mut::<T>()?)?;
    ctx.set_output(0, gx);
    Ok(())
}

/// Computes TF 1.x's gradient in 3-D: every element that equals the maximum gets the gradient, and equality has a
/// tolerance.
fn max_pool_3d_grad<T: Scalar + Pooled>(ctx: &mut KernelContext<'_>, pooling: &Pooling) -> Result<()> {
    let (windows, mut gx) = gradient_inputs(ctx, pooling)?;
    let (x, y, g) = (ctx.input(0)?.slice::<T>()?, ctx.input(1)?.slice::<T>()?, ctx.input(2)?.slice::<T>()?);
    every_max_gradient(&windows, ctx.threads(), x, y, g, gx.slice_mut::<T>()?)?;
    ctx.set_output(0, gx);
    Ok(())
}

fn max_pool_grad_grad<T: Scalar + Pooled>(ctx: &mut KernelContext<'_>, pooling: &Pooling) -> Result<()> {
    let (x, g) = (ctx.input(0)?, ctx.input(2)?);
    let windows = pooling.windows(x.shape())?;
    check_shape("orig_output", ctx.input(1)?, &windows.pooled)?;
    check_shape("grad", g, x.shape())?;
    let mut out = Tensor::new(x.dtype(), windows.pooled.clone())?;
    let (x, g) = (x.slice::<T>()?, g.slice::<T>()?);
    at_first_max(&windows, ctx.threads(), x, out.slice_mut::<T>()?, |part, place| g[part + place])?;
    ctx.set_output(0, out);
    Ok(())
}

#[derive(Clone, Copy)]
enum Order {
    Forward,
    First,
    FirstOf3d,
    Second,
}

/// Returns the kernel of an op with so many inputs before the sizes, if these are inputs.
fn made(init: &KernelInit<'_>, order: Order, spatial: usize, sizes_at: Option<usize>) -> Result<Box<dyn Kernel>> {
    let fixed = match sizes_at {
        None => Some(Pooling::of_attrs(init, spatial)?),
        Some(_) => None,
    };
    let check = |pooling: Pooling| match order {
        _ if spatial == 3 => pooling.within_channels(),
        Order::Forward => pooling.of_windows()?.of_one_channel(),
        _ => pooling.within_images(),
    };
    let fixed = fixed.map(check).transpose()?;
    let (attrs, first) = (init.node.attrs.clone(), sizes_at.unwrap_or_default());
    dispatch!(init.output_type(0)?, T in real, {
        kernel(move |ctx| {
            let pooling = match &fixed {
                Some(pooling) => pooling.clone(),
                None if matches!(order, Order::Forward) => Pooling::of_inputs(&attrs, ctx, first)?.of_one_channel()?,
                None => Pooling::of_inputs(&attrs, ctx, first)?,
            };
            match order {
                Order::Forward => max_pool::<T>(ctx, &pooling),
                Order::First => max_pool_grad::<T>(ctx, &pooling),
                Order::FirstOf3d => max_pool_3d_grad::<T>(ctx, &pooling),
                Order::Second => max_pool_grad_grad::<T>(ctx, &pooling),
            }
        })
    }, else Err(init.unsupported()))
}

const SIZES: [&str; 3] = ["ksize: list(int) >= 4", "strides: list(int) >= 4", "padding: {'SAME', 'VALID'}"];
const SIZES_3D: [&str; 3] = ["ksize: list(int) >= 5", "strides: list(int) >= 5", "padding: {'SAME', 'VALID'}"];

fn with_attrs(op: Op, attrs: &[&str]) -> Op {
    attrs.iter().fold(op, |op, attr| op.attr(attr))
}

/// Returns an op on what was pooled, the result, and a gradient.
fn gradient_op(name: &str, attrs: &[&str], shape: ShapeFn) -> Op {
    let op = Op::new(name).input("orig_input: T").input("orig_output: T").input("grad: T").output("output: T");
    with_attrs(op, attrs).shape(shape)
}

pub(super) fn register(r: &mut Registry) {
    let types = "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT";
    let formats = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'";
    let format = "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
    let padding = SIZES[2];
    let doc = "The largest element of each window.";
    r.add(
        with_attrs(Op::new("MaxPool").attr(types), &SIZES)
            .attr(formats)
            .input("input: T")
            .output("output: T")
            .doc(doc)
            .shape(shape_of_channels)
            .kernel(|init| made(init, Order::Forward, 2, None)),
    );
    r.add(
        Op::new("MaxPoolV2")
            .attr(types)
            .attr(padding)
            .attr(formats)
            .input("input: T")
            .input("ksize: int32")
            .input("strides: int32")
            .output("output: T")
            .doc(doc)
            .shape(shape_v2)
            .kernel(|init| made(init, Order::Forward, 2, Some(1))),
    );
    let doc = "The gradient of `MaxPool`: that of the result at the first largest element of each window.";
    r.add(
        gradient_op("MaxPoolGrad", &SIZES, unpooled_shape::<2>)
            .attr(format)
            .attr("T: realnumbertype = DT_FLOAT")
            .doc(doc)
            .kernel(|init| made(init, Order::First, 2, None)),
    );
    r.add(
        gradient_op("MaxPoolGradV2", &[padding], unpooled_shape::<2>)
            .input("ksize: int32")
            .input("strides: int32")
            .attr(format)
            .attr("T: realnumbertype = DT_FLOAT")
            .doc(doc)
            .kernel(|init| made(init, Order::First, 2, Some(3))),
    );
    let doc = "The gradient of `MaxPoolGrad`: what is at the first largest element of each window.";
    r.add(
        gradient_op("MaxPoolGradGrad", &SIZES, second_shape::<2>)
            .attr(format)
            .attr("T: realnumbertype")
            .doc(doc)
            .kernel(|init| made(init, Order::Second, 2, None)),
    );
    r.add(
        gradient_op("MaxPoolGradGradV2", &[padding], second_shape_v2)
            .input("ksize: int32")
            .input("strides: int32")
            .attr(format)
            .attr("T: realnumbertype")
            .doc(doc)
            .kernel(|init| made(init, Order::Second, 2, Some(3))),
    );
    let format = "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'";
    r.add(
        with_attrs(Op::new("MaxPool3D").input("input: T").output("output: T"), &SIZES_3D)
            .attr(format)
            .attr("T: {half, bfloat16, float}")
            .doc("Returns the largest element of each window.")
            .shape(shape::<3>)
            .kernel(|init| made(init, Order::Forward, 3, None)),
    );
    let op = Op::new("MaxPool3DGrad").input("orig_input: TInput").input("orig_output: TInput").input("grad: T");
    r.add(
        with_attrs(op.output("output: T"), &SIZES_3D)
            .attr(format)
            .attr("T: {half, bfloat16, float} = DT_FLOAT")
            .attr("TInput: {half, bfloat16, float} = DT_FLOAT")
            .doc("Returns the gradient of `MaxPool3D`: that of the result at every largest element of each window.")
            .shape(unpooled_shape::<3>)
            .kernel(|init| {
                if init.input_type(0)? != init.output_type(0)? {
                    return Err(init.unsupported());
                }
                made(init, Order::FirstOf3d, 3, None)
            }),
    );
    r.add(
        gradient_op("MaxPool3DGradGrad", &SIZES_3D, second_shape::<3>)
            .attr(format)
            .attr("T: realnumbertype")
            .doc("Returns the gradient of `MaxPool3DGrad`: what is at the first largest element of each window.")
            .kernel(|init| made(init, Order::Second, 3, None)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, DType, Tensor};

    fn ints(values: &[i64]) -> AttrValue {
        AttrValue::List(values.iter().map(|&v| AttrValue::Int(v)).collect())
    }

    fn attrs(ksize: &[i64], strides: &[i64], padding: &str) -> Vec<(&'static str, AttrValue)> {
        vec![
            ("ksize", ints(ksize)),
            ("strides", ints(strides)),
            ("padding", AttrValue::Str(padding.as_bytes().to_vec())),
        ]
    }

    fn counted(shape: &[usize], period: usize) -> Tensor {
        let n = shape.iter().product::<usize>();
        Tensor::from_slice(shape, &(0..n).map(|i| (i * 31 % period) as f32).collect::<Vec<_>>()).unwrap()
    }

    /// Returns the places of each window of a `[h, w]` plane, straight from the definition.
    fn windows(h: usize, w: usize, k: usize, s: usize, same: bool) -> (usize, usize, Vec<Vec<(usize, usize)>>) {
        let out = |n: usize| if same { n.div_ceil(s) } else { (n - k) / s + 1 };
        let before = |n: usize| if same { ((out(n) - 1) * s + k).saturating_sub(n) / 2 } else { 0 };
        let mut all = Vec::new();
        for oh in 0..out(h) {
            for ow in 0..out(w) {
                let mut places = Vec::new();
                for y in 0..h {
                    for x in 0..w {
                        let (py, px) = (y + before(h), x + before(w));
                        if (oh * s..oh * s + k).contains(&py) && (ow * s..ow * s + k).contains(&px) {
                            places.push((y, x));
                        }
                    }
                }
                all.push(places);
            }
        }
        (out(h), out(w), all)
    }

    #[test]
    fn windows_give_their_largest_and_take_the_gradient_back() {
        for (k, s, same) in
            [(2, 2, true), (2, 2, false), (3, 2, true), (3, 1, true), (3, 1, false), (2, 3, true), (1, 2, false)]
        {
            let (n, h, w, c) = (2, 7, 6, 70);
            let x = counted(&[n, h, w, c], 23);
            let (oh, ow, places) = windows(h, w, k, s, same);
            let at =
                attrs(&[1, k as i64, k as i64, 1], &[1, s as i64, s as i64, 1], if same { "SAME" } else { "VALID" });
            let y = run("MaxPool", std::slice::from_ref(&x), &at).unwrap().remove(0);
            assert_eq!(y.shape().dims(), [n, oh, ow, c]);
            let g = counted(&[n, oh, ow, c], 101);
            let gx = run("MaxPoolGrad", &[x.clone(), y.clone(), g.clone()], &at).unwrap().remove(0);
            let gg = run("MaxPoolGradGrad", &[x.clone(), y.clone(), gx.clone()], &at).unwrap().remove(0);
            let (xs, ys) = (x.slice::<f32>().unwrap(), y.slice::<f32>().unwrap());
            let (mut expected, gs) = (vec![0f32; xs.len()], g.slice::<f32>().unwrap());
            let mut firsts = Vec::new();
            for (o, &value) in ys.iter().enumerate() {
                let (channel, cell, image) = (o % c, o / c % (oh * ow), o / c / (oh * ow));
                let index = |&(y, x): &(usize, usize)| ((image * h + y) * w + x) * c + channel;
                let best = places[cell].iter().map(|p| xs[index(p)]).fold(f32::MIN, f32::max);
                assert_eq!(value, best);
                let first = places[cell].iter().map(index).find(|&i| xs[i] == best).unwrap();
                expected[first] += gs[o];
                firsts.push(first);
            }
            assert_eq!(gx.slice::<f32>().unwrap(), expected, "{k} {s} {same}");
            let second: Vec<f32> = firsts.iter().map(|&i| expected[i]).collect();
            assert_eq!(gg.slice::<f32>().unwrap(), second);
        }
    }

    #[test]
    fn sizes_may_be_inputs_and_channels_first() {
        let x = counted(&[2, 4, 6, 3], 17);
        let at = attrs(&[1, 2, 3, 1], &[1, 2, 2, 1], "SAME");
        let y = run("MaxPool", std::slice::from_ref(&x), &at).unwrap();
        let sizes =
            [Tensor::from_slice([4], &[1i32, 2, 3, 1]).unwrap(), Tensor::from_slice([4], &[1i32, 2, 2, 1]).unwrap()];
        let inputs = [x.clone(), sizes[0].clone(), sizes[1].clone()];
        assert_eq!(run("MaxPoolV2", &inputs, &at[2..]).unwrap(), y);
        let g = counted(&[2, 2, 3, 3], 7);
        let gx = run("MaxPoolGrad", &[x.clone(), y[0].clone(), g.clone()], &at).unwrap();
        let inputs = [x.clone(), y[0].clone(), g, sizes[0].clone(), sizes[1].clone()];
        assert_eq!(run("MaxPoolGradV2", &inputs, &at[2..]).unwrap(), gx);
        let transpose = |t: &Tensor| {
            run("Transpose", &[t.clone(), Tensor::from_slice([4], &[0i32, 3, 1, 2]).unwrap()], &[]).unwrap()
        };
        let mut first = attrs(&[1, 1, 2, 3], &[1, 1, 2, 2], "SAME");
        first.push(("data_format", AttrValue::Str(b"NCHW".to_vec())));
        assert_eq!(run("MaxPool", &transpose(&x), &first).unwrap(), transpose(&y[0]));
    }

    #[test]
    fn channels_are_pooled_in_whole_windows_only() {
        let x = counted(&[1, 2, 2, 6], 19);
        let y = run("MaxPool", std::slice::from_ref(&x), &attrs(&[1, 1, 1, 3], &[1, 1, 1, 3], "VALID")).unwrap();
        let expected: Vec<f32> =
            x.slice::<f32>().unwrap().chunks(3).map(|c| c.iter().copied().fold(0.0, f32::max)).collect();
        assert_eq!(y[0].slice::<f32>().unwrap(), expected);
        for (k, s) in [
            ([1, 1, 1, 4], [1, 1, 1, 4]),
            ([1, 1, 1, 2], [1, 1, 1, 1]),
            ([1, 2, 2, 2], [1, 1, 1, 2]),
            ([2, 1, 1, 1], [1, 1, 1, 1]),
        ] {
            let e = run("MaxPool", std::slice::from_ref(&x), &attrs(&k, &s, "VALID")).unwrap_err();
            assert!(matches!(e.code(), Code::Unimplemented | Code::Internal), "{e:?}");
        }
    }

    #[test]
    fn all_equal_elements_of_a_cube_share_in_the_gradient() {
        let at = attrs(&[1, 2, 2, 2, 1], &[1, 2, 2, 2, 1], "SAME");
        let x = Tensor::from_slice([1, 2, 2, 2, 1], &[3f32, 1., 3., 0., 3.000_001, 0., 0., 0.]).unwrap();
        let y = run("MaxPool3D", std::slice::from_ref(&x), &at).unwrap();
        let g = Tensor::from_slice([1, 1, 1, 1, 1], &[2f32]).unwrap();
        let gx = run("MaxPool3DGrad", &[x.clone(), y[0].clone(), g], &at).unwrap();
        assert_eq!(gx[0].slice::<f32>().unwrap(), [2., 0., 2., 0., 2., 0., 0., 0.]);
        let gg = run("MaxPool3DGradGrad", &[x.clone(), y[0].clone(), x.clone()], &at).unwrap();
        assert_eq!(gg[0].slice::<f32>().unwrap(), [3.000_001]);
    }

    #[test]
    fn wrong_sizes_and_shapes_are_refused() {
        let x = counted(&[1, 3, 3, 1], 7);
        for (k, s, padding) in [
            (vec![1, 5, 5, 1], vec![1, 1, 1, 1], "VALID"),
            (vec![1, 0, 2, 1], vec![1, 1, 1, 1], "SAME"),
            (vec![1, 2, 2, 1], vec![1, 0, 1, 1], "SAME"),
            (vec![1, 2, 2, 1], vec![1, -1, 1, 1], "SAME"),
            (vec![1, i64::MAX, 2, 1], vec![1, 1, 1, 1], "VALID"),
            (vec![1, 2, 2, 1, 1], vec![1, 1, 1, 1], "SAME"),
        ] {
            assert!(run("MaxPool", std::slice::from_ref(&x), &attrs(&k, &s, padding)).is_err(), "{k:?} {s:?}");
        }
        let at = attrs(&[1, 2, 2, 1], &[1, 2, 2, 1], "SAME");
        let wrong = counted(&[1, 3, 3, 1], 7);
        assert!(run("MaxPoolGrad", &[x.clone(), wrong.clone(), wrong], &at).is_err());
        let most = i64::from(i32::MAX);
        let huge = attrs(&[1, most, most, 1], &[1, most, 1, 1], "SAME");
        assert_eq!(run("MaxPool", &[x], &huge).unwrap()[0].shape().dims(), [1, 1, 3, 1]);
    }

    #[test]
    fn empty_batches_pass() {
        let at = attrs(&[1, 2, 2, 1], &[1, 2, 2, 1], "SAME");
        for shape in [[0, 4, 4, 3], [2, 4, 4, 0], [2, 0, 4, 3]] {
            let x = Tensor::zeros(DType::F32, shape).unwrap();
            let y = run("MaxPool", std::slice::from_ref(&x), &at).unwrap().remove(0);
            assert_eq!(y.elements(), 0);
            let gx = run("MaxPoolGrad", &[x.clone(), y.clone(), y], &at).unwrap();
            assert_eq!(gx[0].shape(), x.shape());
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x = counted(&[2, 61, 40, 33], 997);
        for k in [2, 5] {
            let at = attrs(&[1, k, k, 1], &[1, 2, 2, 1], "SAME");
            let y = run("MaxPool", std::slice::from_ref(&x), &at).unwrap().remove(0);
            let args = || vec![Arg::One(x.clone()), Arg::One(y.clone()), Arg::One(y.clone())];
            let by = |n| run_args("MaxPoolGrad", args(), &at, n).unwrap().values;
            assert_eq!(by(2), by(1));
            assert_eq!(by(4), by(1));
        }
    }
}
