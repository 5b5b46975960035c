//! Functions of two string tensors stretched to one shape.

use ferroflow_tensor::elementwise::{Broadcast, Inputs, Terms};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::Operand;
use ferroflow_tensor::{Bytes, DType, Result, Tensor};

/// The result of a function of two strings.
pub(super) trait Text: Send + Sized {
    fn slots(t: &mut Tensor) -> Result<&mut [Self]>;
}

impl Text for Bytes {
    fn slots(t: &mut Tensor) -> Result<&mut [Bytes]> {
        t.strings_mut()
    }
}

impl Text for bool {
    fn slots(t: &mut Tensor) -> Result<&mut [bool]> {
        t.slice_mut()
    }
}

/// Returns `f` of each pair of strings, with NumPy's broadcasting. `dtype` is the type of `f`'s results.
pub(super) fn zip_strings<O: Text>(
    a: &Tensor,
    b: &Tensor,
    dtype: DType,
    f: impl Fn(&[u8], &[u8]) -> O + Sync,
) -> Result<Tensor> {
    let plan = Broadcast::new(a.shape(), b.shape())?;
    let mut out = Tensor::new(dtype, plan.shape.clone())?;
    let (left, right) = (a.strings()?, b.strings()?);
    let numbers: Vec<usize> = (0..left.len().max(right.len())).collect();
    let inputs = Inputs::Both(&numbers[..left.len()], &numbers[..right.len()]);
    plan.apply(Threads::single(), 1 << 20, inputs, O::slots(&mut out)?, |terms, out| {
        let Terms::Both(a, b) = terms else { return };
        let at = |o: Operand<'_, usize>, i: usize| match o {
            Operand::Slice(s) => s[i],
            Operand::Scalar(v) => v,
        };
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = f(&left[at(a, i)], &right[at(b, i)]);
        }
    })?;
    Ok(out)
}
