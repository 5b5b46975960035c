//! DataFormatDimMap, DataFormatVecPermute: numbers of dimensions, and lists by dimension, in another layout of images.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, Scalar, Tensor, bail, dispatch, ensure};
use num_traits::{AsPrimitive, PrimInt, WrappingAdd};

/// Returns the place in the new layout of each dimension of the old one; layouts have 4 or 5 letters.
fn places(init: &KernelInit<'_>) -> Result<Vec<usize>> {
    let (from, to) = (init.str("src_format")?, init.str("dst_format")?);
    for (name, attr, format) in [("Source", "src_format", &from), ("Destination", "dst_format", &to)] {
        ensure!(
            matches!(format.len(), 4 | 5),
            InvalidArgument,
            "{name} format must be of length 4 or 5, received {attr} = {format}"
        );
    }
    let found: Vec<usize> = from.bytes().filter_map(|letter| to.bytes().position(|c| c == letter)).collect();
    let is_permutation = from.len() == to.len() && (0..to.len()).all(|place| found.contains(&place));
    ensure!(
        is_permutation,
        InvalidArgument,
        "Destination and source format must determine a permutation, got {from} and {to}"
    );
    Ok(found)
}

fn dim_map<T: Scalar + PrimInt + WrappingAdd>(ctx: &mut KernelContext<'_>, places: &[usize]) -> Result<()>
where
    usize: AsPrimitive<T>,
    i64: AsPrimitive<T>,
{
    let mut x = ctx.take(0)?;
    let four: T = 4i64.as_();
    for v in x.slice_mut::<T>()? {
        // TF 1.x: negative remainders are the last of four dimensions, also in a layout of five.
        let place = (v.wrapping_add(&four) % four).to_usize().unwrap_or(3);
        *v = places[place].as_();
    }
    ctx.set_output(0, x);
    Ok(())
}

fn permute<T: Scalar>(ctx: &mut KernelContext<'_>, places: &[usize]) -> Result<()> {
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
    for (place, row) in to.chunks_exact_mut(width).enumerate() {
        // The first four letters of a layout of five name the rows.
        let source = places[..].iter().position(|&p| p == place).filter(|&source| source < 4);
        let Some(source) = source else {
            bail!(InvalidArgument, "input has no row for the dimension at place {place} of dst_format")
        };
        row.copy_from_slice(&from[source * width..(source + 1) * width]);
    }
    ctx.set_output(0, out);
    Ok(())
}

fn dim_map_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let places = places(init)?;
    dispatch!(init.input_type(0)?, T in [I32, I64], kernel(move |ctx| dim_map::<T>(ctx, &places)),
        else Err(init.unsupported()))
}

fn permute_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let places = places(init)?;
    dispatch!(init.input_type(0)?, T in [I32, I64], kernel(move |ctx| permute::<T>(ctx, &places)),
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

    #[test]
    fn numbers_of_no_dimension_and_layouts_of_five_letters() {
        // By TensorFlow 1.15.5.
        let x: Vec<i32> = (-6..7).chain([i32::MAX, i32::MIN, i32::MIN + 3, i32::MAX - 4]).collect();
        for (from, to, places) in [
            ("NHWC", "NCHW", [1, 1, 0, 2, 3, 1, 0, 2, 3, 1, 0, 2, 3, 1, 0, 1, 1]),
            ("NDHWC", "NCDHW", [4, 4, 0, 2, 3, 4, 0, 2, 3, 4, 0, 2, 3, 4, 0, 4, 4]),
        ] {
            let attrs = [("src_format", AttrValue::Str(from.into())), ("dst_format", AttrValue::Str(to.into()))];
            let out = run("DataFormatDimMap", &[Tensor::from_slice([x.len()], &x).unwrap()], &attrs).unwrap();
            assert_eq!(out[0].slice::<i32>().unwrap(), places);
        }
        let x = Tensor::from_slice([4], &[0i32, 1, 2, 3]).unwrap();
        let formats =
            |to: &str| [("src_format", AttrValue::Str(b"NDHWC".to_vec())), ("dst_format", AttrValue::Str(to.into()))];
        let out = run("DataFormatVecPermute", std::slice::from_ref(&x), &formats("DHWNC")).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [1, 2, 3, 0]);
        // TensorFlow reads what is not there.
        assert!(run("DataFormatVecPermute", &[x], &formats("NCDHW")).is_err());
    }
}
