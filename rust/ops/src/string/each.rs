//! A function of each string of a tensor, in parallel.

use ferroflow_graph::KernelContext;
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{Bytes, Result, Scalar, Status, Tensor};

/// Strings of one parallel block.
const BLOCK: usize = 1 << 10;

/// Computes `out[i] = f(i)`, with an `f` made for each block; of several failures the first one counts.
fn fill<O: Send, F: FnMut(usize) -> Result<O>>(
    threads: Threads,
    out: &mut [O],
    make: impl Fn() -> F + Sync,
) -> Result<()> {
    let failure: Mutex<Option<(usize, Status)>> = Mutex::new(None);
    try_for_chunks_mut(threads, out, BLOCK, |start, chunk| {
        let mut f = make();
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
    let mut out = empty(count);
    fill(threads, &mut out, || &f)?;
    Ok(out)
}

/// Sets output 0 to `f` of each string of input 0.
pub(super) fn to_strings(ctx: &mut KernelContext<'_>, f: impl Fn(&[u8]) -> Result<Bytes> + Sync) -> Result<()> {
    to_strings_by(ctx, || &f)
}

/// Sets output 0 to a function of each string of input 0. `make` returns the function, once for each block of strings:
/// what it uses belongs to one thread then.
pub(super) fn to_strings_by<F: FnMut(&[u8]) -> Result<Bytes>>(
    ctx: &mut KernelContext<'_>,
    make: impl Fn() -> F + Sync,
) -> Result<()> {
    let input = ctx.input(0)?;
    let strings = input.strings()?;
    let mut out = empty(input.elements());
    fill(ctx.threads(), &mut out, || of_string(strings, make()))?;
    let out = Tensor::from_strings(input.shape().clone(), out)?;
    ctx.set_output(0, out);
    Ok(())
}

/// Sets output 0 to `f` of each string of input 0.
pub(super) fn to_values<T: Scalar>(ctx: &mut KernelContext<'_>, f: impl Fn(&[u8]) -> Result<T> + Sync) -> Result<()> {
    to_values_by(ctx, || &f)
}

/// Sets output 0 to a function of each string of input 0, which `make` returns as for [`to_strings_by`].
pub(super) fn to_values_by<T: Scalar, F: FnMut(&[u8]) -> Result<T>>(
    ctx: &mut KernelContext<'_>,
    make: impl Fn() -> F + Sync,
) -> Result<()> {
    let input = ctx.input(0)?;
    let mut out = Tensor::new(T::DTYPE, input.shape().clone())?;
    let strings = input.strings()?;
    fill(ctx.threads(), out.slice_mut::<T>()?, || of_string(strings, make()))?;
    ctx.set_output(0, out);
    Ok(())
}

/// Returns a function of a string's number.
fn of_string<O>(strings: &[Bytes], mut f: impl FnMut(&[u8]) -> Result<O>) -> impl FnMut(usize) -> Result<O> {
    move |i| f(&strings[i])
}

/// Returns empty strings. Made one by one: copies of an empty string take longer than its making.
fn empty(count: usize) -> Vec<Bytes> {
    std::iter::repeat_with(Bytes::new).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_failures_the_first_counts() {
        for threads in [1, 4] {
            let mut out = vec![0usize; 10 * BLOCK];
            let bad = |i: usize| if i % 3000 == 2999 { Err(Status::unknown(i.to_string())) } else { Ok(i) };
            assert_eq!(fill(Threads::new(threads), &mut out, || bad).unwrap_err().message(), "2999");
            fill(Threads::new(threads), &mut out, || Ok).unwrap();
            assert!(out.iter().enumerate().all(|(i, &x)| i == x));
        }
    }
}
