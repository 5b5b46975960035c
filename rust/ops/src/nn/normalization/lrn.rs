//! LRN, LRNGrad: each channel divided by a power of the squares of its neighbours.
//!
//! Source: Krizhevsky, Sutskever, Hinton, "ImageNet classification with deep convolutional neural networks", 2012.

use crate::wide::{narrowed, widened};
use ferroflow_graph::{AttrMap, Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::{Binary, Operand, binary_in_place_left, on_best_isa};
use ferroflow_tensor::{DType, Result, Tensor, ensure};

/// Elements of one parallel block, as near as whole rows allow.
const BLOCK: usize = 1 << 13;
/// Channels that are summed together.
const LANES: usize = 16;

#[derive(Clone, Copy)]
struct Response {
    radius: usize,
    bias: f32,
    alpha: f32,
    beta: f32,
}

impl Response {
    fn of(attrs: &AttrMap) -> Result<Response> {
        let radius = attrs.int("depth_radius")?;
        ensure!(
            i32::try_from(radius).is_ok_and(|r| r >= 0),
            InvalidArgument,
            "depth_radius = {radius} larger than int max"
        );
        let (bias, alpha, beta) = (attrs.float("bias")?, attrs.float("alpha")?, attrs.float("beta")?);
        Ok(Response { radius: radius as usize, bias, alpha, beta })
    }

    /// Returns the distance of the farthest neighbours among `depth` channels.
    fn reach(&self, depth: usize) -> usize {
        self.radius.min(depth.saturating_sub(1))
    }

    /// Returns a row with room for `reach` channels on either side, in whole blocks. They hold -0, the only number that
    /// changes no sum.
    fn padded(&self, depth: usize) -> Vec<f32> {
        vec![-0.0; depth.next_multiple_of(LANES) + 2 * self.reach(depth)]
    }

    /// Sums each element of a padded row and its neighbours, from the nearest ones to the farthest.
    #[inline(always)]
    fn add_neighbours(&self, padded: &[f32], sums: &mut [f32]) {
        let reach = self.reach(sums.len());
        for (block, sums) in sums.chunks_mut(LANES).enumerate() {
            let at = |offset: usize| padded[block * LANES + offset..].first_chunk::<LANES>();
            let Some(mut lanes) = at(reach).copied() else { return };
            for apart in 1..=reach {
                let (Some(before), Some(behind)) = (at(reach - apart), at(reach + apart)) else { return };
                for ((sum, before), behind) in lanes.iter_mut().zip(before).zip(behind) {
                    *sum = (*sum + before) + behind;
                }
            }
            sums.copy_from_slice(&lanes[..sums.len()]);
        }
    }

    /// Computes `bias + alpha * (sum of the squares)`.
    #[inline(always)]
    fn norm(&self, x: &[f32], padded: &mut [f32], norm: &mut [f32]) {
        for (s, v) in padded[self.reach(x.len())..].iter_mut().zip(x) {
            *s = v * v;
        }
        self.add_neighbours(padded, norm);
        for n in norm {
            *n = self.bias + self.alpha * *n;
        }
    }

    /// Raises norms to the power `-beta`; that of 1/2, the default, needs no logarithm.
    #[inline(always)]
    fn raise(&self, norms: &mut [f32]) {
        if self.beta == 0.5 {
            norms.iter_mut().for_each(|n| *n = 1.0 / n.sqrt());
        } else {
            binary_in_place_left(Binary::Pow, norms, Operand::Scalar(-self.beta));
        }
    }

    #[inline(always)]
    fn row(&self, x: &[f32], padded: &mut [f32], y: &mut [f32]) {
        self.norm(x, padded, y);
        self.raise(y);
        for (y, x) in y.iter_mut().zip(x) {
            *y *= x;
        }
    }

    /// Computes a row of the gradient. TF 1.x: a gradient of zero adds nothing, also beside an infinity.
    #[inline(always)]
    fn grad_row(&self, [g, x, y]: [&[f32]; 3], padded: &mut [f32], [norm, sums]: [&mut [f32]; 2], gx: &mut [f32]) {
        self.norm(x, padded, norm);
        let shares = &mut padded[self.reach(x.len())..];
        for (((s, g), y), n) in shares.iter_mut().zip(g).zip(y).zip(&*norm) {
            *s = if *g == 0.0 { -0.0 } else { g * y / n };
        }
        self.add_neighbours(padded, sums);
        self.raise(norm);
        let factor = -2.0 * self.alpha * self.beta;
        for ((((gx, g), x), n), s) in gx.iter_mut().zip(g).zip(x).zip(&*norm).zip(&*sums) {
            *gx = if *g == 0.0 { 0.0 } else { g * n } + factor * x * s;
        }
    }
}

fn lrn(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let response = Response::of(init)?;
    kernel(move |ctx| {
        let x = ctx.take(0)?;
        ensure!(x.rank() == 4, InvalidArgument, "in must be 4-dimensional");
        let (dtype, depth) = (x.dtype(), x.shape()[3]);
        let x = widened(x)?;
        let mut y = Tensor::new(DType::F32, x.shape().clone())?;
        let x = x.slice::<f32>()?;
        if !x.is_empty() {
            try_for_chunks_mut(ctx.threads(), y.slice_mut::<f32>()?, (BLOCK / depth).max(1) * depth, |start, out| {
                let mut padded = response.padded(depth);
                on_best_isa(|| {
                    for (x, y) in x[start..].chunks_exact(depth).zip(out.chunks_exact_mut(depth)) {
                        response.row(x, &mut padded, y);
                    }
                });
            })?;
        }
        ctx.set_output(0, narrowed(y, dtype)?);
        Ok(())
    })
}

fn lrn_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let response = Response::of(init)?;
    kernel(move |ctx| {
        let (g, x, y) = (ctx.take(0)?, ctx.take(1)?, ctx.take(2)?);
        ensure!(g.rank() == 4 && x.rank() == 4, InvalidArgument, "inputs must be 4-dimensional");
        ensure!(
            g.shape() == x.shape() && y.shape() == x.shape(),
            InvalidArgument,
            "input_grads, input_image, and out_image should have the same shape"
        );
        let (dtype, depth) = (x.dtype(), x.shape()[3]);
        let (g, x, y) = (widened(g)?, widened(x)?, widened(y)?);
        let mut gx = Tensor::new(DType::F32, x.shape().clone())?;
        let (g, x, y) = (g.slice::<f32>()?, x.slice::<f32>()?, y.slice::<f32>()?);
        if !x.is_empty() {
            try_for_chunks_mut(ctx.threads(), gx.slice_mut::<f32>()?, (BLOCK / depth).max(1) * depth, |start, out| {
                let mut padded = response.padded(depth);
                let (mut norm, mut sums) = (vec![0.0; depth], vec![0.0; depth]);
                on_best_isa(|| {
                    for (row, gx) in out.chunks_exact_mut(depth).enumerate() {
                        let at = start + row * depth..start + (row + 1) * depth;
                        let rows = [&g[at.clone()], &x[at.clone()], &y[at]];
                        response.grad_row(rows, &mut padded, [&mut norm, &mut sums], gx);
                    }
                });
            })?;
        }
        ctx.set_output(0, narrowed(gx, dtype)?);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.with_rank(4)?;
    c.set_output(0, s);
    Ok(())
}

fn grad_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.merge(c.input(1)?)?.merge(c.input(2)?)?.with_rank(4)?;
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let with_attrs = |op: Op| {
        op.attr("depth_radius: int = 5")
            .attr("bias: float = 1.0")
            .attr("alpha: float = 1.0")
            .attr("beta: float = 0.5")
            .attr("T: {half, bfloat16, float} = DT_FLOAT")
    };
    r.add(
        with_attrs(Op::new("LRN").input("input: T").output("output: T"))
            .doc("Returns each channel divided by `(bias + alpha * (sum of its neighbours' squares)) ** beta`.")
            .shape(shape)
            .kernel(lrn),
    );
    let op = Op::new("LRNGrad").input("input_grads: T").input("input_image: T").input("output_image: T");
    r.add(with_attrs(op.output("output: T")).doc("Returns the gradient of `LRN`.").shape(grad_shape).kernel(lrn_grad));
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn attrs(radius: i64) -> Vec<(&'static str, AttrValue)> {
        vec![
            ("depth_radius", AttrValue::Int(radius)),
            ("bias", AttrValue::Float(1.5)),
            ("alpha", AttrValue::Float(0.3)),
            ("beta", AttrValue::Float(0.7)),
        ]
    }

    fn reference(x: &[f64], depth: usize, radius: usize) -> Vec<f64> {
        (0..x.len())
            .map(|i| {
                let (row, d) = (i / depth * depth, i % depth);
                let near = d.saturating_sub(radius)..(d + radius + 1).min(depth);
                let squares: f64 = near.map(|k| x[row + k] * x[row + k]).sum();
                x[i] * (1.5 + 0.3 * squares).powf(-0.7)
            })
            .collect()
    }

    #[test]
    fn neighbours_are_those_within_the_radius_and_gradients_are_differences() {
        for (depth, radius) in [(7, 2), (5, 0), (4, 9), (1, 3), (16, 4), (37, 5)] {
            let n = 2 * 3 * depth;
            let x: Vec<f64> = (0..n).map(|i| (i * 7 % 11) as f64 / 4.0 - 1.0).collect();
            let g: Vec<f64> = (0..n).map(|i| (i * 5 % 13) as f64 / 6.0 - 1.0).collect();
            let t = |v: &[f64]| {
                Tensor::from_slice([2, 1, 3, depth], &v.iter().map(|&v| v as f32).collect::<Vec<_>>()).unwrap()
            };
            let y = run("LRN", &[t(&x)], &attrs(radius)).unwrap().remove(0);
            let expected = reference(&x, depth, radius as usize);
            assert!(y.slice::<f32>().unwrap().iter().zip(&expected).all(|(&a, b)| (f64::from(a) - b).abs() < 1e-5));
            let gx = run("LRNGrad", &[t(&g), t(&x), y], &attrs(radius)).unwrap().remove(0);
            for i in 0..n {
                let moved = |by: f64| {
                    let mut x = x.clone();
                    x[i] += by;
                    reference(&x, depth, radius as usize).iter().zip(&g).map(|(y, g)| y * g).sum::<f64>()
                };
                let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((f64::from(gx.slice::<f32>().unwrap()[i]) - expected).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn gradients_of_zero_add_nothing_beside_infinities() {
        let t = |v: [f32; 5]| Tensor::from_slice([1, 1, 1, 5], &v).unwrap();
        let of = |g, x, y| run("LRNGrad", &[t(g), t(x), t(y)], &attrs(2)).unwrap().remove(0);
        let (x, y) = ([1., 2., -1., 0.5, 3.], [0.5, 0.7, f32::INFINITY, -0.1, 1.]);
        let got = of([1., -2., 0., 0.5, 0.], x, y);
        assert_eq!(got, of([1., -2., 0., 0.5, 0.], x, [0.5, 0.7, 0., -0.1, 0.]));
        assert!(got.slice::<f32>().unwrap().iter().all(|x| x.is_finite()));
        let got = of([0.; 5], [f32::INFINITY, 1., 1., 1., 1.], y);
        assert!(got.slice::<f32>().unwrap()[3..].iter().all(|&x| x == 0.0));
    }

    #[test]
    fn only_images_have_neighbours() {
        let x = Tensor::from_slice([2, 3], &[1f32; 6]).unwrap();
        assert!(run("LRN", &[x], &attrs(1)).is_err());
        let x = Tensor::from_slice([1, 1, 2, 3], &[1f32; 6]).unwrap();
        assert!(run("LRN", &[x], &attrs(-1)).is_err());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..4 * 30 * 30 * 20).map(|i| (i % 91) as f32 / 17.0).collect();
        let x = Tensor::from_slice([4, 30, 30, 20], &x).unwrap();
        let by = |n| run_args("LRN", vec![Arg::One(x.clone())], &attrs(4), n).unwrap().values;
        assert_eq!(by(2), by(1));
    }
}
