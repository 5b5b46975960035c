//! Roll: elements moved along dimensions, around their ends.

use super::strided::{Walk, gathered};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Result, Shape, Tensor, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let input = c.input(0)?.with_rank_at_least(1)?;
    let (shift, axis) = (c.input(1)?.with_rank_at_most(1)?, c.input(2)?.with_rank_at_most(1)?);
    shift.merge(&axis)?;
    c.set_output(0, input);
    Ok(())
}

/// Returns the distance by which each dimension moves, from 0 to its size; several shifts of one dimension add up.
fn distances(shape: &Shape, shifts: &[i64], axes: &[i64]) -> Result<Vec<usize>> {
    let rank = shape.rank() as i64;
    let mut sums = vec![0; shape.rank()];
    for (&shift, &axis) in shifts.iter().zip(axes) {
        let at = if axis < 0 { axis.saturating_add(rank) } else { axis };
        ensure!((0..rank).contains(&at), InvalidArgument, "axis {at} is out of range");
        let (at, size) = (at as usize, shape[at as usize].max(1) as i64);
        sums[at] = (sums[at] + shift.rem_euclid(size) as usize) % size as usize;
    }
    Ok(sums)
}

fn roll(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (shift, axis) = (ctx.input(1)?, ctx.input(2)?);
    ensure!(ctx.input(0)?.rank() >= 1, InvalidArgument, "input must be 1-D or higher");
    for (name, t) in [("shift", shift), ("axis", axis)] {
        ensure!(t.rank() <= 1, InvalidArgument, "{name} must be a scalar or a 1-D vector. Found: {}", t.shape());
    }
    ensure!(shift.shape() == axis.shape(), InvalidArgument, "shift and axis must have the same size");
    let distances = distances(ctx.input(0)?.shape(), &shift.to_i64s()?, &axis.to_i64s()?)?;
    let mut out = ctx.take(0)?;
    for (at, distance) in distances.into_iter().enumerate() {
        if distance != 0 {
            out = moved(ctx, &out, at, distance)?;
        }
    }
    ctx.set_output(0, out);
    Ok(())
}

/// Returns `x` moved along one dimension: its end, then its beginning.
fn moved(ctx: &KernelContext<'_>, x: &Tensor, at: usize, distance: usize) -> Result<Tensor> {
    let (outer, n, inner) = x.shape().around(at);
    let part = |from: usize, length: usize| {
        let mut walk = Walk::new(from * inner);
        walk.push(outer, (n * inner) as isize);
        walk.push(length * inner, 1);
        gathered(ctx.threads(), x, &walk, Shape::new(&[outer, length * inner]))
    };
    let parts = [part(n - distance, distance)?, part(0, n - distance)?];
    super::rows::join(ctx.threads(), &parts, outer, x.shape().clone())
}

fn roll_kernel(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(roll)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Roll")
            .input("input: T")
            .input("shift: Tshift")
            .input("axis: Taxis")
            .output("output: T")
            .attr("T: type")
            .attr("Tshift: {int32, int64}")
            .attr("Taxis: {int32, int64}")
            .doc("Moves elements by `shift` places along `axis`; those that leave at one end come in at the other.")
            .shape(shape)
            .kernel(roll_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn rolled(x: &Tensor, shift: &[i32], axis: &[i64]) -> Result<Tensor> {
        let shift = Tensor::from_slice([shift.len()], shift)?;
        let axis = Tensor::from_slice([axis.len()], axis)?;
        Ok(run("Roll", &[x.clone(), shift, axis], &[])?[0].clone())
    }

    #[test]
    fn what_leaves_at_one_end_comes_in_at_the_other() {
        let x = Tensor::from_slice([5], &[0i32, 1, 2, 3, 4]).unwrap();
        let y = run("Roll", &[x.clone(), Tensor::scalar(2i64), Tensor::scalar(0i32)], &[]).unwrap();
        assert_eq!(y[0].slice::<i32>().unwrap(), [3, 4, 0, 1, 2]);
        assert_eq!(rolled(&x, &[-7], &[0]).unwrap().slice::<i32>().unwrap(), [2, 3, 4, 0, 1]);
        assert_eq!(rolled(&x, &[5], &[-1]).unwrap(), x);
        assert_eq!(rolled(&x, &[2, -1], &[0, 0]).unwrap(), rolled(&x, &[1], &[0]).unwrap());
    }

    #[test]
    fn every_element_of_a_cube_moves_by_the_shifts() {
        let x = Tensor::from_slice([2, 3, 4], &(0..24i32).collect::<Vec<_>>()).unwrap();
        for shifts in [[0, 1, 0], [1, 2, 3], [-1, 0, 5], [0, 0, -1]] {
            let y = rolled(&x, &shifts, &[0, 1, 2]).unwrap();
            for (n, &v) in x.slice::<i32>().unwrap().iter().enumerate() {
                let index = [n / 12, n / 4 % 3, n % 4];
                let to = (0..3).fold(0, |at, d| {
                    let size = x.shape()[d];
                    at * size + (index[d] as i32 + shifts[d]).rem_euclid(size as i32) as usize
                });
                assert_eq!(y.slice::<i32>().unwrap()[to], v, "{shifts:?}");
            }
        }
    }

    #[test]
    fn strings_and_empty_tensors_move_too() {
        let x = Tensor::from_strings([2], vec![b"a".to_vec().into(), b"b".to_vec().into()]).unwrap();
        assert_eq!(rolled(&x, &[1], &[0]).unwrap().strings().unwrap()[0].as_ref(), b"b");
        let empty = Tensor::zeros(DType::F32, [0, 3]).unwrap();
        assert_eq!(rolled(&empty, &[1, 1], &[0, 1]).unwrap(), empty);
    }

    #[test]
    fn faulty_arguments_are_refused() {
        let x = Tensor::zeros(DType::F32, [2, 2]).unwrap();
        assert!(rolled(&x, &[1], &[2]).unwrap_err().message().contains("axis 2 is out of range"));
        assert!(rolled(&x, &[1, 2], &[0]).is_err());
        assert!(rolled(&Tensor::scalar(1.0f32), &[1], &[0]).is_err());
    }
}
