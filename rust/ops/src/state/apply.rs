//! The frame of the optimizers' update ops: checks, then one pass over a variable, its slots and the gradient.

use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, ShapeContext, kernel};
use ferroflow_tensor::threads::{SharedSlice, Threads, for_blocks};
use ferroflow_tensor::{PartialShape, Result, Tensor, dispatch, ensure};
use num_traits::{Float, Zero};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;
/// Elements computed at a time, in arrays of their own: the compiler sees that these do not overlap.
const LANES: usize = 64;
/// More scalars than any update has.
const MOST_SCALARS: usize = 8;

/// The scalar inputs of an update, in the order of `Rule::SCALARS`.
pub(super) type Scalars<F> = [F; MOST_SCALARS];

/// An optimizer's formula for one element; `N` counts the variable and its slots, inputs 0 to N - 1 of the op.
pub(super) trait Rule<const N: usize>: Send + Sync + 'static {
    /// Name of each variable input.
    const VARIABLES: [&'static str; N];
    /// Name and position of each scalar input.
    const SCALARS: &'static [(&'static str, usize)];
    /// Name and position of the gradient.
    const GRADIENT: (&'static str, usize);

    /// The new values of the variable and its slots.
    fn step<F: Float>(&self, s: &Scalars<F>, variables: [F; N], gradient: F) -> [F; N];
}

/// The variables, their slots and the gradient have one shape; the rest are scalars.
pub(super) fn shape<const N: usize, R: Rule<N>>(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut s = c.input(R::GRADIENT.1)?.clone();
    for i in (0..N).rev() {
        s = c.input(i)?.merge(&s)?;
    }
    for (_, i) in R::SCALARS {
        c.input(*i)?.merge(&PartialShape::scalar())?;
    }
    c.set_output(0, s);
    Ok(())
}

/// The kernel of a dense update.
pub(super) fn dense<const N: usize, R: Rule<N>>(init: &KernelInit<'_>, rule: R) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in float, {
        kernel(move |ctx| update::<N, R, T>(ctx, &rule))
    }, else Err(init.unsupported()))
}

fn scalars<const N: usize, R: Rule<N>, T: Wide>(inputs: &[Tensor]) -> Result<Scalars<T::In>> {
    let mut values = [T::In::zero(); MOST_SCALARS];
    for ((name, i), value) in R::SCALARS.iter().zip(&mut values) {
        let t = &inputs[*i];
        ensure!(t.elements() == 1 && t.rank() < 2, InvalidArgument, "{name} is not a scalar: {}", t.shape());
        *value = t.to_scalar::<T>()?.widen();
    }
    Ok(values)
}

fn same_shape(var: &Tensor, name: &str, other: &Tensor) -> Result<()> {
    ensure!(
        var.shape() == other.shape(),
        InvalidArgument,
        "var and {name} do not have the same shape{} {}",
        var.shape(),
        other.shape()
    );
    Ok(())
}

fn update<const N: usize, R: Rule<N>, T: Wide>(ctx: &mut KernelContext<'_>, rule: &R) -> Result<()> {
    let threads = ctx.threads();
    ctx.update_many(std::array::from_fn(|i| i), |variables: [&mut Tensor; N], inputs| {
        let scalars = scalars::<N, R, T>(inputs)?;
        let (name, i) = R::GRADIENT;
        for (slot, name) in variables.iter().zip(R::VARIABLES).skip(1) {
            same_shape(variables[0], name, slot)?;
        }
        same_shape(variables[0], name, &inputs[i])?;
        let gradient = inputs[i].slice::<T>()?;
        let mut slices = Vec::with_capacity(N);
        for variable in variables {
            slices.push(variable.slice_mut::<T>()?);
        }
        run_parallel::<N, R, T>(threads, rule, &scalars, slices, gradient);
        Ok(())
    })
}

fn run_parallel<const N: usize, R: Rule<N>, T: Wide>(
    threads: Threads,
    rule: &R,
    scalars: &Scalars<T::In>,
    variables: Vec<&mut [T]>,
    gradient: &[T],
) {
    let shared: Vec<_> = variables.into_iter().map(SharedSlice::new).collect();
    for_blocks(threads, gradient.len(), BLOCK, |range| {
        // SAFETY: the ranges of one `for_blocks` call are disjoint, and the slices are of different variables.
        let parts = std::array::from_fn(|k| unsafe { shared[k].range(range.clone()) });
        pass::<N, R, T>(rule, scalars, parts, &gradient[range]);
    });
}

/// One pass over slices of one length, compiled for the machine's vectors; the arithmetic is the same on all.
pub(super) fn pass<const N: usize, R: Rule<N>, T: Wide>(
    rule: &R,
    scalars: &Scalars<T::In>,
    variables: [&mut [T]; N],
    gradient: &[T],
) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
        {
            // SAFETY: this processor has the features (AVX2 comes with AVX-512).
            return unsafe { pass_avx512(rule, scalars, variables, gradient) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: this processor has the feature.
            return unsafe { pass_avx2(rule, scalars, variables, gradient) };
        }
    }
    pass_lanes(rule, scalars, variables, gradient);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn pass_avx2<const N: usize, R: Rule<N>, T: Wide>(
    rule: &R,
    scalars: &Scalars<T::In>,
    variables: [&mut [T]; N],
    gradient: &[T],
) {
    pass_lanes(rule, scalars, variables, gradient);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
fn pass_avx512<const N: usize, R: Rule<N>, T: Wide>(
    rule: &R,
    scalars: &Scalars<T::In>,
    variables: [&mut [T]; N],
    gradient: &[T],
) {
    pass_lanes(rule, scalars, variables, gradient);
}

#[inline(always)]
fn pass_lanes<const N: usize, R: Rule<N>, T: Wide>(
    rule: &R,
    scalars: &Scalars<T::In>,
    mut variables: [&mut [T]; N],
    gradient: &[T],
) {
    let mut values = [[T::In::zero(); LANES]; N];
    let mut g = [T::In::zero(); LANES];
    for (block, gradient) in gradient.chunks(LANES).enumerate() {
        let range = block * LANES..block * LANES + gradient.len();
        for (to, from) in g.iter_mut().zip(gradient) {
            *to = from.widen();
        }
        for (to, from) in values.iter_mut().zip(&variables) {
            for (to, from) in to.iter_mut().zip(&from[range.clone()]) {
                *to = from.widen();
            }
        }
        // Lanes past a short block's end hold values of the block before: computed and dropped.
        for lane in 0..LANES {
            let new = rule.step(scalars, std::array::from_fn(|k| values[k][lane]), g[lane]);
            for k in 0..N {
                values[k][lane] = new[k];
            }
        }
        for (to, from) in variables.iter_mut().zip(&values) {
            for (to, from) in to[range.clone()].iter_mut().zip(from) {
                *to = T::narrow(*from);
            }
        }
    }
}
