//! BroadcastArgs, BroadcastGradientArgs: the shape two shapes broadcast to, and the dimensions a gradient sums over.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

fn sizes(t: &Tensor, i: usize) -> Result<Vec<i64>> {
    ensure!(t.rank() == 1, InvalidArgument, "In[{i}] must be a vector.{}", t.shape());
    t.to_i64s()
}

fn vector(values: &[i64], dtype: DType) -> Result<Tensor> {
    if dtype == DType::I64 {
        return Tensor::from_slice([values.len()], values);
    }
    // Dimensions and axes of int32 shapes fit int32.
    Tensor::from_slice([values.len()], &values.iter().map(|&v| v as i32).collect::<Vec<_>>())
}

/// Returns both shapes with leading ones, as long as each other.
fn aligned(a: &[i64], b: &[i64]) -> Result<Vec<(i64, i64)>> {
    let n = a.len().max(b.len());
    let at = |s: &[i64], i: usize| (i + s.len()).checked_sub(n).map_or(1, |j| s[j]);
    let pairs: Vec<_> = (0..n).map(|i| (at(a, i), at(b, i))).collect();
    if pairs.iter().any(|&(x, y)| x != y && x != 1 && y != 1) {
        let text = |s: &[i64]| s.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        bail!(InvalidArgument, "Incompatible shapes: [{}] vs. [{}]", text(a), text(b));
    }
    Ok(pairs)
}

fn args(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("T")?;
    kernel(move |ctx| {
        let pairs = aligned(&sizes(ctx.input(0)?, 0)?, &sizes(ctx.input(1)?, 1)?)?;
        let out: Vec<_> = pairs.iter().map(|&(x, y)| if x == 1 { y } else { x }).collect();
        ctx.set_output(0, vector(&out, dtype)?);
        Ok(())
    })
}

fn gradient_args(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("T")?;
    kernel(move |ctx| {
        let (a, b) = (sizes(ctx.input(0)?, 0)?, sizes(ctx.input(1)?, 1)?);
        let pairs = if a == b { vec![] } else { aligned(&a, &b)? };
        // A dimension of 1 on both sides is listed for both: the sum over one element changes nothing.
        let axes = |stretched: fn(&(i64, i64)) -> bool| -> Vec<i64> {
            pairs.iter().enumerate().filter(|(_, p)| stretched(p)).map(|(i, _)| i as i64).collect()
        };
        ctx.set_output(0, vector(&axes(|p| p.0 == 1), dtype)?);
        ctx.set_output(1, vector(&axes(|p| p.1 == 1), dtype)?);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (c.input(0)?.with_rank(1)?, c.input(1)?.with_rank(1)?);
    let longer = a.dim(0).zip(b.dim(0)).map(|(x, y)| x.max(y));
    c.set_output(0, PartialShape::vector(longer));
    Ok(())
}

fn gradient_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(1)?;
    c.input(1)?.with_rank(1)?;
    c.set_output(0, PartialShape::vector(None));
    c.set_output(1, PartialShape::vector(None));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    const T: &str = "T: {int32, int64} = DT_INT32";
    let inputs = |name: &str| Op::new(name).input("s0: T").input("s1: T").attr(T);
    r.add(
        inputs("BroadcastArgs")
            .output("r0: T")
            .doc("Returns the shape that two shapes broadcast to.")
            .shape(shape)
            .kernel(args),
    );
    r.add(
        inputs("BroadcastGradientArgs")
            .output("r0: T")
            .output("r1: T")
            .doc("Returns, for each of two broadcast shapes, the dimensions over which its gradient is summed.")
            .shape(gradient_shape)
            .kernel(gradient_args),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    fn pair(a: &[i32], b: &[i32]) -> [Tensor; 2] {
        [a, b].map(|s| Tensor::from_slice([s.len()], s).unwrap())
    }

    #[test]
    fn the_shape_and_the_summed_dimensions() {
        type Case = (&'static [i32], &'static [i32], &'static [i32], &'static [i32], &'static [i32]);
        let cases: &[Case] = &[
            (&[2, 3], &[2, 3], &[2, 3], &[], &[]),
            (&[2, 3], &[3], &[2, 3], &[], &[0]),
            (&[1, 3], &[2, 1], &[2, 3], &[0], &[1]),
            (&[], &[2, 1], &[2, 1], &[0, 1], &[1]),
            (&[4, 1, 2], &[1, 2], &[4, 1, 2], &[1], &[0, 1]),
            (&[1, 1], &[1], &[1, 1], &[0, 1], &[0, 1]),
            (&[0, 1], &[1, 5], &[0, 5], &[1], &[0]),
        ];
        for &(a, b, shape, first, second) in cases {
            let got = run("BroadcastArgs", &pair(a, b), &[]).unwrap();
            assert_eq!(got[0].slice::<i32>().unwrap(), shape);
            let got = run("BroadcastGradientArgs", &pair(a, b), &[]).unwrap();
            assert_eq!(
                (got[0].slice::<i32>().unwrap(), got[1].slice::<i32>().unwrap()),
                (first, second),
                "{a:?} {b:?}"
            );
        }
    }

    #[test]
    fn shapes_that_do_not_broadcast_are_refused() {
        for op in ["BroadcastArgs", "BroadcastGradientArgs"] {
            let e = run(op, &pair(&[2, 3], &[2]), &[]).unwrap_err();
            assert_eq!(e.message(), "Incompatible shapes: [2,3] vs. [2]");
        }
    }
}
