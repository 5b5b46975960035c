//! DataFormatDimMap, DataFormatVecPermute: numbers of dimensions, and lists by dimension, in another layout of images.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, Scalar, Tensor, dispatch, ensure};
use num_traits::{AsPrimitive, PrimInt};

/// Returns the place in the new layout of each dimension of the old one.
fn places(init: &KernelInit<'_>) -> Result<[usize; 4]> {
    let (from, to) = (init.str("src_format")?, init.str("dst_format")?);
    ensure!(from.len() == 4, InvalidArgument, "Source format must of length 4, received src_format = {from}");
    ensure!(to.len() == 4, InvalidArgument, "Destination format must of length 4, received dst_format = {to}");
    let mut places = [0; 4];
    for (place, letter) in places.iter_mut().zip(from.bytes()) {
        let found = to.bytes().position(|c| c == letter);
        let is_once = from.bytes().filter(|&c| c == letter).count() == 1;
        ensure!(
            found.is_some() && is_once,
            InvalidArgument,
            "src_format and dst_format must have the same letters, each once: got {from} and {to}"
        );
        *place = found.unwrap_or_default();
    }
    Ok(places)
}

fn dim_map<T: Scalar + PrimInt + AsPrimitive<i64>>(ctx: &mut KernelContext<'_>, places: [usize; 4]) -> Result<()>
where
    usize: AsPrimitive<T>,
{
    let mut x = ctx.take(0)?;
    for v in x.slice_mut::<T>()? {
        // TF 1.x: numbers outside of -4 to 3 are the last dimension.
        let i = AsPrimitive::<i64>::as_(*v);
        let i = if (-4..4).contains(&i) { i.rem_euclid(4) as usize } else { 3 };
        *v = places[i].as_();
    }
    ctx.set_output(0, x);
    Ok(())
}

fn permute<T: Scalar>(ctx: &mut KernelContext<'_>, places: [usize; 4]) -> Result<()> {
    let x = ctx.input(0)?;
    let width = match *x.shape().dims() {
        [4] => 1,
        [4, 2] => 2,
        [_] => {
            ensure!(false, InvalidArgument, "1D input must be of size 4, but got shape {}", x.shape());
            0
        }
        [rows, _] => {
            let what = if rows == 4 {
                "Second dimension of 2D input must be of size 2"
            } else {
                "First dimension of 2D input must be of size 4"
            };
            ensure!(false, InvalidArgument, "{what}, but got shape {}", x.shape());
            0
        }
        _ => {
            ensure!(false, InvalidArgument, "input must be a vector or 2D tensor, but got shape {}", x.shape());
            0
        }
    };
    let mut out = Tensor::new(x.dtype(), x.shape().clone())?;
    let (from, to) = (x.slice::<T>()?, out.slice_mut::<T>()?);
    for (row, place) in from.chunks_exact(width).zip(places) {
        to[place * width..(place + 1) * width].copy_from_slice(row);
    }
    ctx.set_output(0, out);
    Ok(())
}

fn dim_map_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let places = places(init)?;
    dispatch!(init.input_type(0)?, T in [I32, I64], kernel(move |ctx| dim_map::<T>(ctx, places)),
        else Err(init.unsupported()))
}

fn permute_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let places = places(init)?;
    dispatch!(init.input_type(0)?, T in [I32, I64], kernel(move |ctx| permute::<T>(ctx, places)),
        else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("x: T").output("y: T").attr("T: {int32, int64} = DT_INT32");
        op.attr("src_format: string = 'NHWC'").attr("dst_format: string = 'NCHW'").shape(shape_rules::unchanged)
    };
    r.add(op("DataFormatDimMap").doc("Returns numbers of dimensions in another layout.").kernel(dim_map_kernel));
    r.add(
        op("DataFormatVecPermute")
            .doc("Returns numbers by dimension, or pairs of them, in the order of another layout.")
            .kernel(permute_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    #[test]
    fn dimensions_move_to_the_new_layout() {
        let x = Tensor::from_slice([6], &[-4i32, -1, 0, 1, 2, 3]).unwrap();
        let out = run("DataFormatDimMap", &[x], &[]).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [0, 1, 0, 2, 3, 1]);
        let x = Tensor::from_slice([4], &[7i64, 4, 9, 3]).unwrap();
        let out = run("DataFormatVecPermute", std::slice::from_ref(&x), &[]).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [7, 3, 4, 9]);
        let pairs = Tensor::from_slice([4, 2], &[1i32, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let out = run("DataFormatVecPermute", &[pairs], &[]).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [1, 2, 7, 8, 3, 4, 5, 6]);
        for wrong in ["NHW", "NNWC", "ABCD"] {
            let attrs = [("src_format", AttrValue::Str(wrong.as_bytes().to_vec()))];
            assert!(run("DataFormatVecPermute", std::slice::from_ref(&x), &attrs).is_err());
        }
        assert!(run("DataFormatVecPermute", &[Tensor::scalar(1i32)], &[]).is_err());
    }
}
