//! InvertPermutation: where each of 0..n stands in a permutation of them.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, Result, Scalar, Tensor, bail, ensure};
use num_traits::{AsPrimitive, ToPrimitive};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.with_rank(1)?;
    c.set_output(0, s);
    Ok(())
}

fn invert<T: Scalar + ToPrimitive + AsPrimitive<i64>>(x: &Tensor) -> Result<Tensor>
where
    i64: AsPrimitive<T>,
{
    ensure!(x.rank() == 1, InvalidArgument, "invert_permutation expects a 1D vector.");
    let n = x.elements();
    let mut y = Tensor::new(x.dtype(), [n])?;
    let places = y.slice_mut::<T>()?;
    places.fill((-1).as_());
    for (i, &p) in x.slice::<T>()?.iter().enumerate() {
        let Some(place) = p.to_usize().and_then(|p| places.get_mut(p)) else {
            bail!(InvalidArgument, "{p:?} is not between 0 and {n}");
        };
        ensure!(place.as_() < 0, InvalidArgument, "{p:?} is duplicated in the input.");
        *place = (i as i64).as_();
    }
    Ok(y)
}

fn inverse(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("T")?;
    kernel(move |ctx| {
        let x = ctx.input(0)?;
        let y = if dtype == DType::I32 { invert::<i32>(x)? } else { invert::<i64>(x)? };
        ctx.set_output(0, y);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("InvertPermutation")
            .input("x: T")
            .output("y: T")
            .attr("T: {int32, int64} = DT_INT32")
            .doc("Returns the permutation that undoes the permutation `x` of 0..n.")
            .shape(shape)
            .kernel(inverse),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn places_become_values() {
        let x = Tensor::from_slice([5], &[3i64, 4, 0, 2, 1]).unwrap();
        assert_eq!(run("InvertPermutation", &[x], &[]).unwrap()[0].slice::<i64>().unwrap(), [2, 4, 3, 0, 1]);
        for faulty in [&[0i32, 0][..], &[0, 2], &[-1, 0]] {
            let x = Tensor::from_slice([2], faulty).unwrap();
            assert!(run("InvertPermutation", &[x], &[]).is_err());
        }
        assert!(run("InvertPermutation", &[Tensor::scalar(0i32)], &[]).is_err());
    }
}
