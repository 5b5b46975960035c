//! Numbers for elements, equal where the elements are equal: what Unique and ListDiff stand on.

use ferroflow_tensor::{Complex32, Complex64, DType, Movable, Result, Tensor, bf16, by_size, ensure, f16};
use rustc_hash::FxBuildHasher;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

/// Room for this many different elements is made at first: a table that grows moves all it holds.
const ROOM: usize = 1 << 12;

/// Numbers by first appearance. A key of `None` equals nothing, not even itself.
struct Numbering<K, S> {
    seen: HashMap<K, usize, S>,
    next: usize,
}

impl<K: Hash + Eq, S: BuildHasher + Default> Numbering<K, S> {
    fn new(keys: usize) -> Self {
        Numbering { seen: HashMap::with_capacity_and_hasher(keys.min(ROOM), S::default()), next: 0 }
    }

    fn of(&mut self, keys: impl Iterator<Item = Option<K>>) -> Vec<usize> {
        let fresh = |next: &mut usize| {
            *next += 1;
            *next - 1
        };
        keys.map(|key| match key {
            Some(key) => *self.seen.entry(key).or_insert_with(|| fresh(&mut self.next)),
            None => fresh(&mut self.next),
        })
        .collect()
    }
}

fn number<'a, S: BuildHasher + Default, K: Hash + Eq, E>(
    lists: &[&'a [E]],
    key: impl Fn(&'a E) -> Option<K>,
) -> Vec<Vec<usize>> {
    let mut numbering = Numbering::<K, S>::new(lists.iter().map(|list| list.len()).sum());
    lists.iter().map(|list| numbering.of(list.iter().map(&key))).collect()
}

/// Returns the bits to compare: -0.0 equals 0.0, NaN equals nothing.
fn float(x: f64) -> Option<u64> {
    if x.is_nan() { None } else { Some((x + 0.0).to_bits()) }
}

fn complex(re: f64, im: f64) -> Option<(u64, u64)> {
    float(re).zip(float(im))
}

/// Returns a number for each element of each tensor; numbers are 0, 1, ... by first appearance over all tensors.
pub(crate) fn numbers(tensors: &[&Tensor]) -> Result<Vec<Vec<usize>>> {
    let Some(first) = tensors.first() else { return Ok(vec![]) };
    let dtype = first.dtype();
    ensure!(tensors.iter().all(|t| t.dtype() == dtype), Internal, "tensors of several types are compared");
    macro_rules! compare {
        ($t:ty, $key:expr) => {{
            let lists = tensors.iter().map(|t| t.slice::<$t>()).collect::<Result<Vec<_>>>()?;
            Ok(number::<FxBuildHasher, _, _>(&lists, $key))
        }};
    }
    match dtype {
        DType::F16 => compare!(f16, |x| float(f64::from(*x))),
        DType::BF16 => compare!(bf16, |x| float(f64::from(*x))),
        DType::F32 => compare!(f32, |x| float(f64::from(*x))),
        DType::F64 => compare!(f64, |x| float(*x)),
        DType::Complex64 => compare!(Complex32, |z| complex(f64::from(z.re), f64::from(z.im))),
        DType::Complex128 => compare!(Complex64, |z| complex(z.re, z.im)),
        // Strings come from strangers, who could choose those that a quick hash makes equal.
        DType::String => {
            let lists = tensors.iter().map(|t| t.strings()).collect::<Result<Vec<_>>>()?;
            Ok(number::<RandomState, _, _>(&lists, Some))
        }
        _ => by_size!(dtype, E, {
            let lists = tensors.iter().map(|t| <E as Movable>::view(t)).collect::<Result<Vec<_>>>()?;
            Ok(number::<FxBuildHasher, _, _>(&lists, Some))
        }),
    }
}

/// Returns the same for the runs of `width` numbers that `elements` consists of.
pub(super) fn rows(elements: &[usize], width: usize) -> Vec<usize> {
    let mut numbering = Numbering::<_, FxBuildHasher>::new(elements.len() / width.max(1));
    numbering.of(elements.chunks_exact(width.max(1)).map(Some))
}
