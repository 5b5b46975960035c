//! MaxPoolWithArgmax: the largest element of each window and its place; and the gradients that go by these places.

use super::windows::{Pooling, check_shape, second_shape_by_place, shape_with_argmax, unpooled_shape};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::pooling::{Pooled, Windows, at_first_max};
use ferroflow_tensor::{Result, Scalar, Status, Tensor, dispatch};

/// The type of the places.
trait Place: Scalar {
    fn of(place: usize) -> Result<Self>;
    fn get(self) -> Option<usize>;
}

macro_rules! places {
    ($($t:ty)*) => {$(
        impl Place for $t {
            fn of(place: usize) -> Result<$t> {
                <$t>::try_from(place).map_err(|_| Status::invalid_argument(format!("place {place} overflows Targmax")))
            }
            fn get(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
        }
    )*};
}
places!(i32 i64);

fn with_argmax(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let pooling = Pooling::of_attrs(init, 2)?.of_mean()?;
    let with_batch = init.bool("include_batch_in_index")?;
    let place_type = init.output_type(1)?;
    dispatch!(init.output_type(0)?, T in real, dispatch!(place_type, P in [I32, I64], {
        kernel(move |ctx| {
            let x = ctx.input(0)?;
            let windows = pooling.windows(x.shape())?;
            let mut y = Tensor::new(x.dtype(), windows.pooled.clone())?;
            let mut places = Tensor::new(place_type, windows.pooled.clone())?;
            let x = x.slice::<T>()?;
            let last = if with_batch { x.len() } else { windows.in_part() };
            P::of(last)?;
            at_first_max(&windows, ctx.threads(), x, places.slice_mut::<P>()?, |part, place| {
                // The greatest place was checked to fit.
                P::of(if with_batch { part + place } else { place }).unwrap_or_default()
            })?;
            at_first_max(&windows, ctx.threads(), x, y.slice_mut::<T>()?, |part, place| x[part + place])?;
            ctx.set_output(0, y);
            ctx.set_output(1, places);
            Ok(())
        })
    }, else Err(init.unsupported())), else Err(init.unsupported()))
}

/// Returns the element of the input that each output position names, checked.
fn named<P: Place>(windows: &Windows, places: &[P], elements: usize, with_batch: bool) -> Result<Vec<usize>> {
    let part = (places.len() / windows.outer.max(1)).max(1);
    places
        .iter()
        .enumerate()
        .map(|(i, place)| {
            let base = if with_batch { 0 } else { i / part * windows.in_part() };
            let found = place.get().and_then(|p| p.checked_add(base)).filter(|&p| p < elements);
            found
                .ok_or_else(|| Status::invalid_argument(format!("Invalid input backprop index: {place:?}, {elements}")))
        })
        .collect()
}

fn gradient(init: &KernelInit<'_>, second: bool) -> Result<Box<dyn Kernel>> {
    let pooling = Pooling::of_attrs(init, 2)?.of_mean()?;
    let with_batch = init.bool("include_batch_in_index")?;
    let place_type = init.input_type(2)?;
    dispatch!(init.output_type(0)?, T in real, dispatch!(place_type, P in [I32, I64], {
        kernel(move |ctx| {
            let (x, g, places) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
            let windows = pooling.windows(x.shape())?;
            check_shape("argmax", places, &windows.pooled)?;
            check_shape("grad", g, if second { x.shape() } else { &windows.pooled })?;
            let named = named(&windows, places.slice::<P>()?, x.elements(), with_batch)?;
            let g = g.slice::<T>()?;
            let out = if second {
                let values: Vec<T> = named.iter().map(|&i| g[i]).collect();
                Tensor::from_slice(windows.pooled.clone(), &values)?
            } else {
                let mut gx = Tensor::zeros_by(ctx.threads(), x.dtype(), x.shape().clone())?;
                let sums = gx.slice_mut::<T>()?;
                for (&i, &g) in named.iter().zip(g) {
                    sums[i] = Pooled::plus(sums[i], g);
                }
                gx
            };
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported())), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let sized = |name: &str| Op::new(name).attr("ksize: list(int) >= 4").attr("strides: list(int) >= 4");
    let with_batch = "include_batch_in_index: bool = false";
    r.add(
        sized("MaxPoolWithArgmax")
            .attr("Targmax: {int32, int64} = DT_INT64")
            .attr("padding: {'SAME', 'VALID'}")
            .attr(with_batch)
            .input("input: T")
            .output("output: T")
            .output("argmax: Targmax")
            .attr("T: realnumbertype")
            .doc(
                "Returns the largest element of each window, and its place in the image: `(row * width + column) * \
                 channels + channel`.",
            )
            .shape(shape_with_argmax)
            .kernel(with_argmax),
    );
    let gradient_op = |name: &str| {
        sized(name)
            .attr("padding: {'SAME', 'VALID'}")
            .attr(with_batch)
            .attr("Targmax: {int32, int64}")
            .input("input: T")
            .input("grad: T")
            .input("argmax: Targmax")
            .output("output: T")
            .attr("T: realnumbertype")
    };
    r.add(
        gradient_op("MaxPoolGradWithArgmax")
            .doc("Returns the gradient of `MaxPoolWithArgmax`: that of the result at the places.")
            .shape(unpooled_shape::<2>)
            .kernel(|init| gradient(init, false)),
    );
    r.add(
        gradient_op("MaxPoolGradGradWithArgmax")
            .doc("Returns the gradient of `MaxPoolGradWithArgmax`: what is at the places.")
            .shape(second_shape_by_place)
            .kernel(|init| gradient(init, true)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, Tensor};

    fn attrs(with_batch: bool) -> Vec<(&'static str, AttrValue)> {
        let sizes = || AttrValue::List([1, 2, 2, 1].map(AttrValue::Int).to_vec());
        vec![
            ("ksize", sizes()),
            ("strides", sizes()),
            ("padding", AttrValue::Str(b"SAME".to_vec())),
            ("include_batch_in_index", AttrValue::Bool(with_batch)),
        ]
    }

    #[test]
    fn places_are_counted_within_the_image_or_all_over() {
        let x = Tensor::from_slice([2, 2, 3, 1], &[1f32, 5., 2., 5., 0., 7., 3., 3., 3., 9., 9., 1.]).unwrap();
        for (with_batch, expected) in [(false, [1i64, 5, 3, 2]), (true, [1, 5, 9, 8])] {
            let y = run("MaxPoolWithArgmax", std::slice::from_ref(&x), &attrs(with_batch)).unwrap();
            assert_eq!(y[0].slice::<f32>().unwrap(), [5., 7., 9., 3.]);
            assert_eq!(y[1].slice::<i64>().unwrap(), expected);
            let g = Tensor::from_slice([2, 1, 2, 1], &[1f32, 2., 3., 4.]).unwrap();
            let gx = run("MaxPoolGradWithArgmax", &[x.clone(), g.clone(), y[1].clone()], &attrs(with_batch)).unwrap();
            assert_eq!(gx[0].slice::<f32>().unwrap(), [0., 1., 0., 0., 0., 2., 0., 0., 4., 3., 0., 0.]);
            let back = run("MaxPoolGradGradWithArgmax", &[x.clone(), gx[0].clone(), y[1].clone()], &attrs(with_batch))
                .unwrap();
            assert_eq!(back[0], g);
        }
    }

    #[test]
    fn places_outside_are_refused() {
        let x = Tensor::from_slice([1, 2, 2, 1], &[1f32, 5., 2., 5.]).unwrap();
        let g = Tensor::from_slice([1, 1, 1, 1], &[1f32]).unwrap();
        for place in [-1i64, 4, i64::MAX] {
            let place = Tensor::from_slice([1, 1, 1, 1], &[place]).unwrap();
            let e = run("MaxPoolGradWithArgmax", &[x.clone(), g.clone(), place], &attrs(false)).unwrap_err();
            assert_eq!(e.code(), Code::InvalidArgument);
        }
    }
}
