//! ListDiff: the elements of one list that are not in another.

use super::equality::numbers;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, Movable, PartialShape, Result, Tensor, by_size, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(1)?;
    c.input(1)?.with_rank(1)?;
    c.set_output(0, PartialShape::vector(None));
    c.set_output(1, PartialShape::vector(None));
    Ok(())
}

fn pick<E: Movable>(from: &[E], places: &[usize], to: &mut [E]) {
    for (to, &i) in to.iter_mut().zip(places) {
        to.clone_from(&from[i]);
    }
}

fn diff(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("out_idx")?;
    kernel(move |ctx| {
        let (x, y) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(x.rank() == 1, InvalidArgument, "x should be a 1D vector.");
        ensure!(y.rank() == 1, InvalidArgument, "y should be a 1D vector.");
        ensure!(i32::try_from(x.elements()).is_ok(), InvalidArgument, "x too large for int32 indexing");
        // Numbers are given to y first, so elements of x that are not in y have higher numbers.
        let numbered = numbers(&[y, x])?;
        let limit = numbered[0].iter().max().map_or(0, |&m| m + 1);
        let kept: Vec<usize> = (0..x.elements()).filter(|&i| numbered[1][i] >= limit).collect();
        let mut out = Tensor::new(x.dtype(), [kept.len()])?;
        by_size!(x.dtype(), E, {
            pick(E::view(x)?, &kept, E::view_mut(&mut out)?);
            Ok(())
        })?;
        let idx = match dtype {
            DType::I64 => Tensor::from_slice([kept.len()], &kept.iter().map(|&i| i as i64).collect::<Vec<_>>())?,
            _ => Tensor::from_slice([kept.len()], &kept.iter().map(|&i| i as i32).collect::<Vec<_>>())?,
        };
        ctx.set_output(0, out);
        ctx.set_output(1, idx);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ListDiff")
            .input("x: T")
            .input("y: T")
            .output("out: T")
            .output("idx: out_idx")
            .attr("T: type")
            .attr("out_idx: {int32, int64} = DT_INT32")
            .doc(
                "Returns the elements of `x` that are not in `y`, in order and with repetitions, and where they stand \
                 in `x`.",
            )
            .shape(shape)
            .kernel(diff),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn what_is_in_both_goes() {
        let x = Tensor::from_slice([6], &[1i32, 2, 3, 4, 5, 3]).unwrap();
        let y = Tensor::from_slice([3], &[1i32, 5, 7]).unwrap();
        let got = run("ListDiff", &[x.clone(), y], &[]).unwrap();
        assert_eq!(got[0].slice::<i32>().unwrap(), [2, 3, 4, 3]);
        assert_eq!(got[1].slice::<i32>().unwrap(), [1, 2, 3, 5]);
        let none = Tensor::from_slice([0], &[0i32; 0]).unwrap();
        assert_eq!(run("ListDiff", &[x.clone(), none.clone()], &[]).unwrap()[0], x);
        assert_eq!(run("ListDiff", &[none, x], &[]).unwrap()[0].elements(), 0);
        let words =
            |w: &[&str]| Tensor::from_strings([w.len()], w.iter().map(|s| s.as_bytes().into()).collect()).unwrap();
        let got = run("ListDiff", &[words(&["a", "b"]), words(&["b"])], &[]).unwrap();
        assert_eq!(got[0], words(&["a"]));
    }
}
