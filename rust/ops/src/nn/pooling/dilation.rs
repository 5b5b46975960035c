//! Dilation2D: the largest sum of image and filter in each window; and its gradients.

use super::windows::check_shape;
use crate::room::filled;
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::pooling::{Axis, Pooled};
use ferroflow_tensor::threads::{try_for_chunks_mut, try_for_rows_mut};
use ferroflow_tensor::vector::on_best_isa;
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, dispatch, ensure};

/// The attributes: for rows and columns, how far windows and their elements lie apart.
#[derive(Clone, Copy)]
struct Dilation {
    strides: [i64; 2],
    rates: [i64; 2],
    same: bool,
}

/// One dimension of the windows.
#[derive(Clone, Copy)]
struct Span {
    input: usize,
    output: usize,
    filter: usize,
    stride: usize,
    rate: usize,
    before: usize,
}

impl Span {
    /// Returns the element of the image under element `f` of the filter in window `o`.
    fn element(&self, o: usize, f: usize) -> Option<usize> {
        (o * self.stride + f * self.rate).checked_sub(self.before).filter(|&i| i < self.input)
    }
}

impl Dilation {
    fn of(attrs: &AttrMap) -> Result<Dilation> {
        let pair = |name: &str, what: &str| -> Result<[i64; 2]> {
            let values = attrs.int32s(name)?;
            ensure!(
                values.len() == 4,
                InvalidArgument,
                "Dilation2D requires the {name} attribute to contain 4 values, but got: {}",
                values.len()
            );
            ensure!(values[1] > 0 && values[2] > 0, InvalidArgument, "{what} must be > 0, but got {values:?}");
            Ok([values[1], values[2]])
        };
        let (strides, rates) = (pair("strides", "Stride")?, pair("rates", "Rate")?);
        Ok(Dilation { strides, rates, same: attrs.str("padding")? == "SAME" })
    }

    /// Returns `of`, if windows are within images and channels. TF 1.x: the shape does not depend on that.
    fn within_channels(attrs: &AttrMap) -> Result<Dilation> {
        for (name, what) in [("strides", "Stride"), ("rates", "Rate")] {
            let values = attrs.int32s(name)?;
            ensure!(
                values.len() != 4 || (values[0] == 1 && values[3] == 1),
                Unimplemented,
                "{what} is only supported across spatial dimensions."
            );
        }
        Dilation::of(attrs)
    }

    fn span(&self, d: usize, input: usize, filter: usize) -> Result<Span> {
        let (stride, rate) = (self.strides[d], self.rates[d]);
        let wide = (filter as i64 - 1).checked_mul(rate).and_then(|n| n.checked_add(1));
        let Some(wide) = wide else {
            ferroflow_tensor::bail!(InvalidArgument, "a filter of {filter} at rate {rate} is too large");
        };
        let axis = Axis::new(input, wide, stride, self.same)?;
        Ok(Span {
            input,
            output: axis.output,
            filter,
            stride: stride as usize,
            rate: rate as usize,
            before: axis.before(),
        })
    }
}

/// The windows of an image and a filter.
struct Windows {
    batch: usize,
    rows: Span,
    columns: Span,
    depth: usize,
}

impl Windows {
    fn of(dilation: &Dilation, input: &Shape, filter: &Shape) -> Result<Windows> {
        ensure!(input.rank() == 4, InvalidArgument, "input must be 4-dimensional{input}");
        ensure!(filter.rank() == 3, InvalidArgument, "filter must be 3-dimensional: {filter}");
        ensure!(
            input[3] == filter[2],
            InvalidArgument,
            "input and filter must have the same depth: {} vs {}",
            input[3],
            filter[2]
        );
        let rows = dilation.span(0, input[1], filter[0])?;
        Ok(Windows { batch: input[0], rows, columns: dilation.span(1, input[2], filter[1])?, depth: input[3] })
    }

    fn pooled(&self) -> Shape {
        Shape::new(&[self.batch, self.rows.output, self.columns.output, self.depth])
    }

    /// Lists the places of the elements, in the image and in the filter, of the window at `row` (of all images) and
    /// `column`.
    fn place(&self, row: usize, column: usize, places: &mut Vec<(usize, usize)>) {
        places.clear();
        let (image, row) = (row / self.rows.output, row % self.rows.output);
        for fr in 0..self.rows.filter {
            let Some(r) = self.rows.element(row, fr) else { continue };
            for fc in 0..self.columns.filter {
                let Some(c) = self.columns.element(column, fc) else { continue };
                let at = (image * self.rows.input + r) * self.columns.input + c;
                places.push((at * self.depth, (fr * self.columns.filter + fc) * self.depth));
            }
        }
    }
}

/// Channels whose sums are compared together.
const LANES: usize = 8;

/// Returns the largest sums of `N` channels, and the numbers of their places; 0 where no sum is above the lowest number.
#[inline(always)]
fn largest_of<T: Pooled, const N: usize>(
    places: &[(usize, usize)],
    x: &[T],
    filter: &[T],
    channel: usize,
) -> ([T; N], [u32; N]) {
    let (mut sums, mut which) = ([T::LOWEST; N], [0; N]);
    for (number, &(i, f)) in places.iter().enumerate() {
        let (x, filter) = (x[i + channel..].first_chunk::<N>(), filter[f + channel..].first_chunk::<N>());
        let (Some(x), Some(filter)) = (x, filter) else { break };
        for lane in 0..N {
            let sum = x[lane].plus(filter[lane]);
            let is_larger = T::is_less(sums[lane], sum);
            sums[lane] = if is_larger { sum } else { sums[lane] };
            which[lane] = if is_larger { number as u32 } else { which[lane] };
        }
    }
    (sums, which)
}

/// The largest sums of a window in each channel, and which of its places has each: the first of equals.
#[derive(Clone)]
struct Largest<T> {
    places: Vec<(usize, usize)>,
    sums: Vec<T>,
    which: Vec<u32>,
}

impl<T: Pooled> Largest<T> {
    fn new(depth: usize) -> Result<Largest<T>> {
        Ok(Largest {
            places: Vec::new(),
            sums: filled(depth, T::LOWEST, "channels")?,
            which: filled(depth, 0, "channels")?,
        })
    }

    /// Finds the largest sums of the window at `row` (of all images) and `column`.
    fn find(&mut self, windows: &Windows, (row, column): (usize, usize), x: &[T], filter: &[T]) {
        windows.place(row, column, &mut self.places);
        let (places, depth) = (&self.places[..], self.sums.len());
        let (sums, which) = (&mut self.sums[..], &mut self.which[..]);
        on_best_isa(move || {
            let whole = depth / LANES * LANES;
            for channel in (0..whole).step_by(LANES) {
                let found = largest_of::<T, LANES>(places, x, filter, channel);
                sums[channel..channel + LANES].copy_from_slice(&found.0);
                which[channel..channel + LANES].copy_from_slice(&found.1);
            }
            for channel in whole..depth {
                let ([sum], [number]) = largest_of::<T, 1>(places, x, filter, channel);
                (sums[channel], which[channel]) = (sum, number);
            }
        });
    }

    /// Returns the places of the largest sums in the image and in the filter, by channel; none of a window without
    /// elements.
    fn found(&self) -> impl Iterator<Item = (usize, usize)> {
        let which = if self.places.is_empty() { &[][..] } else { &self.which };
        which.iter().enumerate().map(|(channel, &number)| {
            let (i, f) = self.places[number as usize];
            (i + channel, f + channel)
        })
    }
}

fn forward<T: Scalar + Pooled>(ctx: &mut KernelContext<'_>, dilation: &Dilation) -> Result<()> {
    let (x, filter) = (ctx.input(0)?, ctx.input(1)?);
    let windows = Windows::of(dilation, x.shape(), filter.shape())?;
    let mut y = Tensor::new(x.dtype(), windows.pooled())?;
    let (x, filter) = (x.slice::<T>()?, filter.slice::<T>()?);
    let width = windows.columns.output * windows.depth;
    if width > 0 {
        let largest = Largest::new(windows.depth)?;
        try_for_chunks_mut(ctx.threads(), y.slice_mut::<T>()?, width, |start, line| {
            let mut largest = largest.clone();
            for (column, cell) in line.chunks_exact_mut(windows.depth).enumerate() {
                largest.find(&windows, (start / width, column), x, filter);
                cell.copy_from_slice(&largest.sums);
            }
        })?;
    }
    ctx.set_output(0, y);
    Ok(())
}

fn backward<T: Scalar + Pooled>(ctx: &mut KernelContext<'_>, dilation: &Dilation, of_filter: bool) -> Result<()> {
    let (x, filter, g) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let windows = Windows::of(dilation, x.shape(), filter.shape())?;
    check_shape("out_backprop", g, &windows.pooled())?;
    let like = if of_filter { filter } else { x };
    let mut out = Tensor::zeros_by(ctx.threads(), like.dtype(), like.shape().clone())?;
    let (x, filter, g) = (x.slice::<T>()?, filter.slice::<T>()?, g.slice::<T>()?);
    let image = windows.rows.input * windows.columns.input * windows.depth;
    let largest = Largest::new(windows.depth)?;
    let visit = |images: std::ops::Range<usize>, base: usize, out: &mut [T]| {
        let mut largest = largest.clone();
        for row in images.start * windows.rows.output..images.end * windows.rows.output {
            for column in 0..windows.columns.output {
                largest.find(&windows, (row, column), x, filter);
                let g = &g[(row * windows.columns.output + column) * windows.depth..];
                for ((i, f), g) in largest.found().zip(g) {
                    let to = &mut out[if of_filter { f } else { i - base }];
                    *to = to.plus(*g);
                }
            }
        }
    };
    if of_filter {
        visit(0..windows.batch, 0, out.slice_mut::<T>()?);
    } else {
        try_for_rows_mut(ctx.threads(), windows.batch, 1, out.slice_mut::<T>()?, |images, own| {
            let base = images.start * image;
            visit(images, base, own);
        })?;
    }
    ctx.set_output(0, out);
    Ok(())
}

fn made(init: &KernelInit<'_>, order: usize) -> Result<Box<dyn Kernel>> {
    let dilation = Dilation::within_channels(init)?;
    dispatch!(init.output_type(0)?, T in real, {
        kernel(move |ctx| match order {
            0 => forward::<T>(ctx, &dilation),
            order => backward::<T>(ctx, &dilation, order == 2),
        })
    }, else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let dilation = Dilation::of(c)?;
    let (input, filter) = (c.input(0)?.with_rank(4)?, c.input(1)?.with_rank(3)?);
    let depth = PartialShape::vector(input.dim(3)).merge(&PartialShape::vector(filter.dim(2)))?.dim(0);
    let size = |d: usize| match (input.dim(d + 1), filter.dim(d)) {
        (Some(i), Some(f)) => {
            let output = dilation.span(d, i, f)?.output;
            ensure!(
                output > 0 || i == 0,
                InvalidArgument,
                "Negative dimension size caused by subtracting {} from {i}",
                (f as i64 - 1) * dilation.rates[d] + 1
            );
            Ok(Some(output))
        }
        _ => Ok(None),
    };
    let dims = [input.dim(0), size(0)?, size(1)?, depth];
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn shape_of_input<const I: usize>(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(I)?.clone();
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let with_attrs = |op: Op| {
        op.attr("T: realnumbertype")
            .attr("strides: list(int) >= 4")
            .attr("rates: list(int) >= 4")
            .attr("padding: {'SAME', 'VALID'}")
    };
    let inputs = |name: &str| Op::new(name).input("input: T").input("filter: T");
    r.add(
        with_attrs(inputs("Dilation2D").output("output: T"))
            .doc("Returns the largest sum of image and filter in each window.")
            .shape(shape)
            .kernel(|init| made(init, 0)),
    );
    r.add(
        with_attrs(inputs("Dilation2DBackpropInput").input("out_backprop: T").output("in_backprop: T"))
            .doc("Returns the gradient of `Dilation2D` by the image: at the first largest sum of each window.")
            .shape(shape_of_input::<0>)
            .kernel(|init| made(init, 1)),
    );
    r.add(
        with_attrs(inputs("Dilation2DBackpropFilter").input("out_backprop: T").output("filter_backprop: T"))
            .doc("Returns the gradient of `Dilation2D` by the filter: at the first largest sum of each window.")
            .shape(shape_of_input::<1>)
            .kernel(|init| made(init, 2)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn attrs(strides: i64, rates: i64, padding: &str) -> Vec<(&'static str, AttrValue)> {
        let four = |n: i64| AttrValue::List([1, n, n, 1].map(AttrValue::Int).to_vec());
        vec![
            ("strides", four(strides)),
            ("rates", four(rates)),
            ("padding", AttrValue::Str(padding.as_bytes().to_vec())),
        ]
    }

    fn values(shape: &[usize], k: usize) -> Tensor {
        let n = shape.iter().product::<usize>();
        Tensor::from_slice(shape, &(0..n).map(|i| (i * k % 37) as f64 / 4.0).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn sums_are_largest_and_gradients_go_where_they_are() {
        for (stride, rate, padding) in [(1, 1, "SAME"), (2, 1, "VALID"), (1, 2, "SAME"), (2, 2, "VALID")] {
            let (x, f) = (values(&[2, 7, 6, 3], 11), values(&[2, 3, 3], 5));
            let at = attrs(stride, rate, padding);
            let y = run("Dilation2D", &[x.clone(), f.clone()], &at).unwrap().remove(0);
            let g = values(y.shape().dims(), 7);
            let args = [x.clone(), f.clone(), g.clone()];
            let gx = run("Dilation2DBackpropInput", &args, &at).unwrap().remove(0);
            let gf = run("Dilation2DBackpropFilter", &args, &at).unwrap().remove(0);
            let sum = |t: &Tensor| t.slice::<f64>().unwrap().iter().sum::<f64>();
            assert!((sum(&gx) - sum(&g)).abs() < 1e-9 && (sum(&gf) - sum(&g)).abs() < 1e-9);
            // y is linear where the largest stays the largest, so y = <gx of ones> x + <gf of ones> f in total.
            let ones = Tensor::from_slice(y.shape().clone(), &vec![1.0; y.elements()]).unwrap();
            let args = [x.clone(), f.clone(), ones];
            let dot = |a: &Tensor, b: &Tensor| {
                a.slice::<f64>().unwrap().iter().zip(b.slice::<f64>().unwrap()).map(|(a, b)| a * b).sum::<f64>()
            };
            let gx = run("Dilation2DBackpropInput", &args, &at).unwrap().remove(0);
            let gf = run("Dilation2DBackpropFilter", &args, &at).unwrap().remove(0);
            assert!((dot(&gx, &x) + dot(&gf, &f) - sum(&y)).abs() < 1e-8);
        }
    }

    #[test]
    fn a_hand_made_window() {
        let x = Tensor::from_slice([1, 2, 2, 1], &[0.25f32, 0.5, 0.75, 1.0]).unwrap();
        let f = Tensor::from_slice([2, 2, 1], &[1.0f32, 0.75, 0.25, 0.0]).unwrap();
        let y = run("Dilation2D", &[x.clone(), f.clone()], &attrs(1, 1, "VALID")).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [1.25]);
        let y = run("Dilation2D", &[x, f], &attrs(1, 1, "SAME")).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [1.25, 1.5, 1.75, 2.0]);
    }

    #[test]
    fn nan_is_passed_over_and_a_window_of_nothing_else_has_its_first_place() {
        let x = Tensor::from_slice([1, 1, 3, 1], &[f32::NAN, 1.0, f32::NAN]).unwrap();
        let f = Tensor::from_slice([1, 1, 1], &[0.5f32]).unwrap();
        let at = attrs(1, 1, "VALID");
        let y = run("Dilation2D", &[x.clone(), f.clone()], &at).unwrap().remove(0);
        assert_eq!(y.slice::<f32>().unwrap(), [f32::MIN, 1.5, f32::MIN]);
        let g = Tensor::from_slice([1, 1, 3, 1], &[1.0f32, 2.0, 4.0]).unwrap();
        let gx = run("Dilation2DBackpropInput", &[x, f, g], &at).unwrap().remove(0);
        assert_eq!(gx.slice::<f32>().unwrap(), [1.0, 2.0, 4.0]);
    }

    #[test]
    fn misuse_is_an_error() {
        let (x, f) = (values(&[1, 3, 3, 2], 3), values(&[2, 2, 2], 5));
        for at in [attrs(0, 1, "SAME"), attrs(1, 0, "SAME"), attrs(1, 3, "VALID"), attrs(1, i64::MAX, "SAME")] {
            assert!(run("Dilation2D", &[x.clone(), f.clone()], &at).is_err());
        }
        assert!(run("Dilation2D", &[x.clone(), values(&[2, 2, 1], 5)], &attrs(1, 1, "SAME")).is_err());
        assert!(run("Dilation2DBackpropInput", &[x.clone(), f, x], &attrs(1, 1, "VALID")).is_err());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let (x, f) = (values(&[4, 20, 20, 3], 11), values(&[3, 3, 3], 5));
        let g = values(&[4, 20, 20, 3], 13);
        let args = || [x.clone(), f.clone(), g.clone()].map(Arg::One).into();
        let by = |n| run_args("Dilation2DBackpropInput", args(), &attrs(1, 1, "SAME"), n).unwrap().values;
        assert_eq!(by(2), by(1));
    }
}
