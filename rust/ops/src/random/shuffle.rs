//! RandomShuffle: the rows of a tensor in random order.

use super::stream::{Stream, seeded};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::philox::shuffle;
use ferroflow_tensor::{DType, Result, Tensor, dispatch};

fn random_shuffle(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let stream = Stream::new(init)?;
    let dtype = init.output_type(0)?;
    if dtype == DType::String {
        return kernel(move |ctx| {
            let value = ctx.take(0)?;
            let out = match order(&stream, &value) {
                None => value,
                Some(order) => {
                    let from = value.strings()?;
                    let row = from.len() / order.len();
                    let strings = order.iter().flat_map(|&r| &from[r * row..(r + 1) * row]).cloned().collect();
                    Tensor::from_strings(value.shape().clone(), strings)?
                }
            };
            ctx.set_output(0, out);
            Ok(())
        });
    }
    dispatch!(dtype, T in plain, {
        kernel(move |ctx| {
            let value = ctx.take(0)?;
            let Some(order) = order(&stream, &value) else {
                ctx.set_output(0, value);
                return Ok(());
            };
            let mut out = Tensor::new(dtype, value.shape().clone())?;
            let from = value.slice::<T>()?;
            let row = from.len() / order.len();
            for (to, &r) in out.slice_mut::<T>()?.chunks_exact_mut(row).zip(&order) {
                to.copy_from_slice(&from[r * row..(r + 1) * row]);
            }
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Returns the rows' new order; `None` where there is nothing to reorder, which leaves the stream where it is.
fn order(stream: &Stream, value: &Tensor) -> Option<Vec<usize>> {
    let rows = *value.shape().first()?;
    if rows < 2 || value.elements() < 2 {
        return None;
    }
    let mut order: Vec<usize> = (0..rows).collect();
    shuffle::shuffle(&stream.reserve(shuffle::blocks_per_run(rows)), &mut order);
    Some(order)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        seeded(Op::new("RandomShuffle").input("value: T").output("output: T"))
            .attr("T: type")
            .doc("Returns the value with the slices of its first dimension in random order.")
            .shape(shape_rules::unchanged)
            .kernel(random_shuffle),
    );
}

#[cfg(test)]
mod tests {
    use crate::random::golden::{assert_runs, seeds};
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    fn counted(shape: &[usize]) -> Tensor {
        let n = shape.iter().product::<usize>() as i32;
        Tensor::from_slice(shape, &(0..n).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn runs_are_tensorflows() {
        for (case, shape) in [("shuffle_10", &[10][..]), ("shuffle_1", &[1]), ("shuffle_rows_6x2", &[6, 2])] {
            assert_runs(case, "RandomShuffle", &[counted(shape)], &seeds(1, 2));
        }
    }

    #[test]
    fn strings_are_shuffled_as_numbers_are() {
        let numbers = run("RandomShuffle", &[counted(&[6, 2])], &seeds(1, 2)).unwrap();
        let strings = (0..12).map(|i: i32| i.to_string().into_bytes().into()).collect();
        let strings = Tensor::from_strings([6, 2], strings).unwrap();
        let strings = run("RandomShuffle", &[strings], &seeds(1, 2)).unwrap();
        for (s, n) in strings[0].strings().unwrap().iter().zip(numbers[0].slice::<i32>().unwrap()) {
            assert_eq!(std::str::from_utf8(s).unwrap(), n.to_string());
        }
    }

    #[test]
    fn scalars_and_empty_tensors_pass() {
        let scalar = Tensor::scalar(5i64);
        assert_eq!(run("RandomShuffle", std::slice::from_ref(&scalar), &[]).unwrap(), [scalar]);
        let empty = Tensor::zeros(DType::F32, [4, 0]).unwrap();
        assert_eq!(run("RandomShuffle", std::slice::from_ref(&empty), &[]).unwrap(), [empty]);
    }
}
