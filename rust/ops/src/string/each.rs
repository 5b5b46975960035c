//! A function of each string of a tensor, in parallel.

use ferroflow_graph::KernelContext;
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{Bytes, Result, Scalar, Status, Tensor};

/// Strings of one parallel block.
const BLOCK: usize = 1 << 10;

/// Computes `out[i] = f(i)`; of several failures the first one counts.
fn fill<O: Send>(threads: Threads, out: &mut [O], f: impl Fn(usize) -> Result<O> + Sync) -> Result<()> {
    let failure: Mutex<Option<(usize, Status)>> = Mutex::new(None);
    try_for_chunks_mut(threads, out, BLOCK, |start, chunk| {
        for (k, slot) in chunk.iter_mut().enumerate() {
            match f(start + k) {
                Ok(value) => *slot = value,
                Err(e) => {
                    let mut first = failure.lock();
                    if first.as_ref().is_none_or(|(i, _)| start + k < *i) {
                        *first = Some((start + k, e));
                    }
                    return;
                }
            }
        }
    })?;
    match failure.into_inner() {
        Some((_, e)) => Err(e),
        None => Ok(()),
    }
}

/// Returns the strings `f` of each number below `count`; of several failures the first one counts.
pub(super) fn texts(threads: Threads, count: usize, f: impl Fn(usize) -> Result<Bytes> + Sync) -> Result<Vec<Bytes>> {
    // Made one by one: copies of an empty string take longer than its making.
    let mut out: Vec<Bytes> = std::iter::repeat_with(Bytes::new).take(count).collect();
    fill(threads, &mut out, f)?;
    Ok(out)
}

/// Sets output 0 to `f` of each string of input 0.
pub(super) fn to_strings(ctx: &mut KernelContext<'_>, f: impl Fn(&[u8]) -> Result<Bytes> + Sync) -> Result<()> {
    let input = ctx.input(0)?;
    let strings = input.strings()?;
    let out = texts(ctx.threads(), input.elements(), |i| f(&strings[i]))?;
    let out = Tensor::from_strings(input.shape().clone(), out)?;
    ctx.set_output(0, out);
    Ok(())
}

/// Sets output 0 to `f` of each string of input 0.
pub(super) fn to_values<T: Scalar>(ctx: &mut KernelContext<'_>, f: impl Fn(&[u8]) -> Result<T> + Sync) -> Result<()> {
    let input = ctx.input(0)?;
    let mut out = Tensor::new(T::DTYPE, input.shape().clone())?;
    let strings = input.strings()?;
    fill(ctx.threads(), out.slice_mut::<T>()?, |i| f(&strings[i]))?;
    ctx.set_output(0, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_failures_the_first_counts() {
        for threads in [1, 4] {
            let mut out = vec![0usize; 10 * BLOCK];
            let bad = |i: usize| if i % 3000 == 2999 { Err(Status::unknown(i.to_string())) } else { Ok(i) };
            assert_eq!(fill(Threads::new(threads), &mut out, bad).unwrap_err().message(), "2999");
            fill(Threads::new(threads), &mut out, Ok).unwrap();
            assert!(out.iter().enumerate().all(|(i, &x)| i == x));
        }
    }
}
