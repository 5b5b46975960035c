//! Laws of the ops: layouts, types, sizes and refusals.

use crate::testing::{Arg, run, run_args};
use ferroflow_graph::AttrValue;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Code, DType, Result, Tensor, elementwise};

fn list(values: &[i64]) -> AttrValue {
    AttrValue::List(values.iter().map(|&v| AttrValue::Int(v)).collect())
}

fn text(value: &str) -> AttrValue {
    AttrValue::Str(value.as_bytes().to_vec())
}

/// Returns small integers, so that sums are exact in every type.
fn counted(shape: &[usize]) -> Tensor {
    let n = shape.iter().product::<usize>();
    Tensor::from_slice(shape, &(0..n).map(|i| (i * 7 % 5) as f32 - 2.0).collect::<Vec<_>>()).unwrap()
}

fn cast(x: &Tensor, to: DType) -> Tensor {
    elementwise::cast(x.clone(), to, Threads::single()).unwrap()
}

fn sizes(shape: &[i32]) -> Tensor {
    Tensor::from_slice([shape.len()], shape).unwrap()
}

fn transposed(x: &Tensor, perm: &[i32]) -> Tensor {
    run("Transpose", &[x.clone(), sizes(perm)], &[]).unwrap().remove(0)
}

fn conv2d(x: &Tensor, f: &Tensor, strides: [i64; 4], padding: &str, more: &[(&str, AttrValue)]) -> Result<Tensor> {
    let mut attrs = vec![("strides", list(&strides)), ("padding", text(padding))];
    attrs.extend_from_slice(more);
    run("Conv2D", &[x.clone(), f.clone()], &attrs).map(|mut v| v.remove(0))
}

#[test]
fn a_window_slides_over_the_image() {
    let x = Tensor::from_slice([1, 2, 3, 1], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let f = Tensor::from_slice([2, 2, 1, 1], &[1.0f32, 10.0, 100.0, 1000.0]).unwrap();
    let y = conv2d(&x, &f, [1; 4], "VALID", &[]).unwrap();
    assert_eq!(y.slice::<f32>().unwrap(), [5421.0, 6532.0]);
    let y = conv2d(&x, &f, [1; 4], "SAME", &[]).unwrap();
    assert_eq!(y.slice::<f32>().unwrap(), [5421.0, 6532.0, 603.0, 54.0, 65.0, 6.0]);
    let around = [("explicit_paddings", list(&[0, 0, 1, 0, 0, 0, 0, 0]))];
    let y = conv2d(&x, &f, [1; 4], "EXPLICIT", &around).unwrap();
    assert_eq!(y.slice::<f32>().unwrap(), [2100.0, 3200.0, 5421.0, 6532.0]);
}

#[test]
fn every_type_gives_the_same_sums() {
    let (x, f) = (counted(&[2, 5, 6, 3]), counted(&[3, 2, 3, 4]));
    let expected = conv2d(&x, &f, [1, 2, 1, 1], "SAME", &[]).unwrap();
    for dtype in [DType::F64, DType::F16, DType::BF16, DType::I32] {
        let y = conv2d(&cast(&x, dtype), &cast(&f, dtype), [1, 2, 1, 1], "SAME", &[]).unwrap();
        assert_eq!(y.dtype(), dtype);
        assert_eq!(cast(&y, DType::F32).slice::<f32>().unwrap(), expected.slice::<f32>().unwrap());
    }
}

#[test]
fn channels_first_is_channels_last_transposed() {
    let (x, f, nchw) = (counted(&[2, 5, 6, 3]), counted(&[3, 2, 3, 4]), ("data_format", text("NCHW")));
    let first = |x: &Tensor| transposed(x, &[0, 3, 1, 2]);
    let last = conv2d(&x, &f, [1, 2, 1, 1], "SAME", &[]).unwrap();
    let y = conv2d(&first(&x), &f, [1, 1, 2, 1], "SAME", std::slice::from_ref(&nchw)).unwrap();
    assert_eq!(y, first(&last));
    let common = [("padding", text("SAME"))];
    let (of_last, of_first) = ([("strides", list(&[1, 2, 1, 1]))], [("strides", list(&[1, 1, 2, 1])), nchw]);
    let attrs = |own: &[(&'static str, AttrValue)]| [own, &common[..]].concat();
    let dx = run("Conv2DBackpropInput", &[sizes(&[2, 5, 6, 3]), f.clone(), last.clone()], &attrs(&of_last)).unwrap();
    let dx_first =
        run("Conv2DBackpropInput", &[sizes(&[2, 3, 5, 6]), f.clone(), y.clone()], &attrs(&of_first)).unwrap();
    assert_eq!(dx_first[0], first(&dx[0]));
    let df = run("Conv2DBackpropFilter", &[x.clone(), sizes(&[3, 2, 3, 4]), last.clone()], &attrs(&of_last)).unwrap();
    let df_first = run("Conv2DBackpropFilter", &[first(&x), sizes(&[3, 2, 3, 4]), y], &attrs(&of_first)).unwrap();
    assert_eq!(df_first, df);
}

#[test]
fn three_dimensions_with_one_flat_are_two() {
    let (x, f) = (counted(&[2, 5, 6, 3]), counted(&[3, 2, 3, 4]));
    let expected = conv2d(&x, &f, [1, 2, 1, 1], "SAME", &[]).unwrap();
    let attrs = [("strides", list(&[1, 1, 2, 1, 1])), ("padding", text("SAME"))];
    let solid = |x: &Tensor, shape: [usize; 5]| x.clone().reshaped(shape).unwrap();
    let (x3, f3) = (solid(&x, [2, 1, 5, 6, 3]), solid(&f, [1, 3, 2, 3, 4]));
    let y = run("Conv3D", &[x3.clone(), f3.clone()], &attrs).unwrap().remove(0);
    assert_eq!(y.slice::<f32>().unwrap(), expected.slice::<f32>().unwrap());
    let dx = run("Conv3DBackpropInputV2", &[sizes(&[2, 1, 5, 6, 3]), f3.clone(), y.clone()], &attrs).unwrap();
    let old = run("Conv3DBackpropInput", &[x3.clone(), f3.clone(), y.clone()], &attrs).unwrap();
    assert_eq!(dx, old);
    let df = run("Conv3DBackpropFilterV2", &[x3.clone(), sizes(&[1, 3, 2, 3, 4]), y.clone()], &attrs).unwrap();
    assert_eq!(df, run("Conv3DBackpropFilter", &[x3, f3, y], &attrs).unwrap());
}

#[test]
fn what_is_empty_gives_zeros_or_nothing() {
    let shape = |x: &[usize], f: &[usize]| conv2d(&counted(x), &counted(f), [1; 4], "SAME", &[]).unwrap();
    assert_eq!(shape(&[0, 5, 5, 2], &[3, 3, 2, 4]).shape().dims(), [0, 5, 5, 4]);
    assert_eq!(shape(&[2, 5, 5, 2], &[3, 3, 2, 0]).shape().dims(), [2, 5, 5, 0]);
    assert_eq!(shape(&[1, 2, 2, 0], &[3, 3, 0, 1]).slice::<f32>().unwrap(), [0.0; 4]);
    assert_eq!(shape(&[1, 2, 2, 1], &[0, 3, 1, 1]).slice::<f32>().unwrap(), [0.0; 4]);
    let attrs = [("strides", list(&[1; 4])), ("padding", text("SAME"))];
    let df =
        run("Conv2DBackpropFilter", &[counted(&[0, 5, 5, 2]), sizes(&[3, 3, 2, 1]), counted(&[0, 5, 5, 1])], &attrs);
    assert_eq!(df.unwrap()[0].slice::<f32>().unwrap(), [0.0; 18]);
}

/// Has the rules of TF 1.x: groups of channels are for GPUs alone, and what is empty comes first.
#[test]
fn filters_of_a_part_of_the_channels_have_nothing_to_sum() {
    let cases: [(&[usize], &[usize], bool); 7] = [
        (&[0, 3, 4, 4], &[2, 2, 2, 3], true),
        (&[2, 0, 4, 4], &[2, 2, 1, 3], true),
        (&[2, 3, 4, 4], &[2, 2, 2, 0], true),
        (&[2, 3, 4, 0], &[2, 2, 2, 3], false),
        (&[2, 3, 4, 4], &[2, 2, 2, 3], false),
        (&[2, 3, 4, 4], &[2, 2, 3, 3], false),
        (&[2, 3, 4, 4], &[2, 2, 0, 3], false),
    ];
    for (x, f, has_output) in cases {
        for space in [2, 3] {
            let with_depth = |shape: &[usize], depth: usize| {
                let mut shape = shape.to_vec();
                (space == 3).then(|| shape.insert(1, depth));
                shape
            };
            let (x, f) = (with_depth(x, 2), with_depth(f, 1));
            let (channels, part) = (x[space + 1], f[space]);
            let mut y = x.clone();
            y[space + 1] = f[space + 1];
            let attrs = [("strides", list(&vec![1; space + 2])), ("padding", text("SAME"))];
            let vector = |shape: &[usize]| sizes(&shape.iter().map(|&n| n as i32).collect::<Vec<_>>());
            let (version, op) = if space == 2 { ("", "Conv2D") } else { ("V2", "Conv3D") };
            let forward = run(op, &[counted(&x), counted(&f)], &attrs);
            let by_input = run(&format!("{op}BackpropInput{version}"), &[vector(&x), counted(&f), counted(&y)], &attrs);
            let by_filter =
                run(&format!("{op}BackpropFilter{version}"), &[counted(&x), vector(&f), counted(&y)], &attrs);
            let of_gradient =
                if channels.checked_rem(part) == Some(0) { Code::Unimplemented } else { Code::InvalidArgument };
            let is_empty = has_output || channels == 0;
            // The shapes of the forward op are refused when it is built.
            for (result, shape, has_result, code) in [
                (forward, &y, has_output, Code::InvalidArgument),
                (by_input, &x, is_empty, of_gradient),
                (by_filter, &f, is_empty, of_gradient),
            ] {
                match result {
                    Ok(result) => {
                        assert!(has_result, "{op} of {x:?} and {f:?}");
                        assert_eq!(result[0].shape().dims(), shape.as_slice());
                        assert!(result[0].slice::<f32>().unwrap().iter().all(|&value| value == 0.0));
                    }
                    Err(error) => {
                        assert!(!has_result, "{op} of {x:?} and {f:?}: {error}");
                        assert_eq!(error.code(), code, "{op} of {x:?} and {f:?}: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn attributes_that_are_no_convolutions_are_refused() {
    let (x, f) = (counted(&[1, 5, 5, 2]), counted(&[3, 3, 2, 2]));
    let message = |strides, padding, more: &[(&str, AttrValue)]| {
        let e = conv2d(&x, &f, strides, padding, more).unwrap_err();
        assert_eq!(e.code(), Code::InvalidArgument);
        e.message().to_owned()
    };
    assert!(message([2, 1, 1, 1], "SAME", &[]).contains("strides in the batch and depth dimensions"));
    assert!(message([1, 0, 1, 1], "SAME", &[]).contains("Stride must be > 0"));
    assert!(message([1, 1 << 31, 1, 1], "SAME", &[]).contains("2147483648 out of range for an int32"));
    assert!(message([1; 4], "SAME", &[("dilations", list(&[1, 0, 1, 1]))]).contains("Dilation rate must be >= 1"));
    assert!(
        message([1; 4], "SAME", &[("dilations", list(&[1, 1, 1, 2]))]).contains("dilations in the batch and depth")
    );
    assert!(message([1; 4], "SAME", &[("explicit_paddings", list(&[0; 8]))]).contains("must be empty"));
    assert!(message([1; 4], "EXPLICIT", &[("explicit_paddings", list(&[0; 7]))]).contains("must contain 8 values"));
    assert!(message([1; 4], "EXPLICIT", &[("explicit_paddings", list(&[0, 1, 0, 0, 0, 0, 0, 0]))]).contains("batch"));
    assert!(message([1; 4], "VALID", &[("dilations", list(&[1, 3, 1, 1]))]).contains("subtracting 7 from 5"));
}

#[test]
fn gradients_of_other_sizes_are_refused() {
    let attrs = [("strides", list(&[1; 4])), ("padding", text("SAME"))];
    let f = counted(&[3, 3, 2, 4]);
    for dy in [&[1, 5, 5, 3][..], &[2, 5, 5, 4], &[1, 5, 4, 4], &[1, 5, 4]] {
        let r = run("Conv2DBackpropInput", &[sizes(&[1, 5, 5, 2]), f.clone(), counted(dy)], &attrs);
        assert_eq!(r.unwrap_err().code(), Code::InvalidArgument);
        let r = run("Conv2DBackpropFilter", &[counted(&[1, 5, 5, 2]), sizes(&[3, 3, 2, 4]), counted(dy)], &attrs);
        assert_eq!(r.unwrap_err().code(), Code::InvalidArgument);
    }
    for shape in [&[1, 5, -5, 2][..], &[1, 5, 5], &[1, 5, 5, 3]] {
        let r = run("Conv2DBackpropInput", &[sizes(shape), f.clone(), counted(&[1, 5, 5, 4])], &attrs);
        assert!(r.is_err(), "{shape:?}");
    }
}

#[test]
fn depthwise_convolutions_keep_channels_apart() {
    let x = Tensor::from_slice([1, 1, 2, 2], &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let f = Tensor::from_slice([1, 2, 2, 2], &[1.0f32, 10.0, 1.0, 10.0, 2.0, 20.0, 3.0, 30.0]).unwrap();
    let attrs = [("strides", list(&[1; 4])), ("padding", text("VALID"))];
    let y = run("DepthwiseConv2dNative", &[x.clone(), f.clone()], &attrs).unwrap();
    assert_eq!(y[0].slice::<f32>().unwrap(), [7.0, 70.0, 14.0, 140.0]);
    let dy = counted(&[1, 1, 1, 4]);
    let dx = run("DepthwiseConv2dNativeBackpropInput", &[sizes(&[1, 1, 2, 2]), f, dy.clone()], &attrs).unwrap();
    assert_eq!(dx[0].slice::<f32>().unwrap(), [-2.0 + 0.0, 2.0 - 10.0, -4.0 + 0.0, 6.0 - 30.0]);
    let df = run("DepthwiseConv2dNativeBackpropFilter", &[x, sizes(&[1, 2, 2, 2]), dy], &attrs).unwrap();
    assert_eq!(df[0].slice::<f32>().unwrap(), [-2.0, 0.0, 4.0, -2.0, -6.0, 0.0, 8.0, -4.0]);
}

#[test]
fn fused_ops_give_the_bits_of_the_steps() {
    let x = counted(&[3, 9, 10, 24]);
    let bias = Tensor::from_slice([20], &(0..20).map(|i| i as f32 / 3.0 - 3.0).collect::<Vec<_>>()).unwrap();
    for (filter, padding) in [([3, 3, 24, 20], "SAME"), ([2, 3, 24, 20], "VALID"), ([1, 1, 24, 20], "SAME")] {
        let f = counted(&filter);
        let attrs = [("strides", list(&[1; 4])), ("padding", text(padding))];
        let y = run("Conv2D", &[x.clone(), f.clone()], &attrs).unwrap().remove(0);
        let sum = run("BiasAdd", &[y, bias.clone()], &[]).unwrap().remove(0);
        let relu = run("Relu", std::slice::from_ref(&sum), &[]).unwrap().remove(0);
        let fused = |ops: &[&str], bias: &Tensor| {
            let ops = AttrValue::List(ops.iter().map(|o| text(o)).collect());
            let attrs = [&attrs[..], &[("fused_ops", ops)]].concat();
            let args = vec![Arg::One(x.clone()), Arg::One(f.clone()), Arg::List(vec![bias.clone()])];
            run_args("_FusedConv2D", args, &attrs, 2).map(|mut o| o.values.remove(0))
        };
        assert_eq!(fused(&["BiasAdd"], &bias).unwrap(), sum);
        assert_eq!(fused(&["BiasAdd", "Relu"], &bias).unwrap(), relu);
        assert!(fused(&["Elu"], &bias).is_err());
        assert_eq!(fused(&["BiasAdd"], &counted(&[19])).unwrap_err().code(), Code::InvalidArgument);
    }
}
