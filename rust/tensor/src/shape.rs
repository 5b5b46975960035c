//! `Shape`: a fully known list of dimensions, and the broadcasting rule.

use crate::status::Result;
use crate::{bail, ensure};
use smallvec::SmallVec;
use std::fmt;
use std::ops::Deref;

/// TF 1.x: the most dimensions a tensor has.
pub(crate) const MAX_RANK: usize = 254;

/// Returns the product of sizes: `usize::MAX`, which no memory holds, where it is larger. This crate is compiled
/// without overflow checks, for its numeric loops; a product that wraps would be a small size of something large.
#[inline]
pub(crate) fn product(sizes: impl IntoIterator<Item = usize>) -> usize {
    sizes.into_iter().fold(1, usize::saturating_mul)
}

/// Dimensions of a tensor, outermost first. The number of elements always fits `i64`.
#[derive(PartialEq, Eq, Hash, Default)]
pub struct Shape {
    dims: SmallVec<[usize; 4]>,
}

/// Copies all dimensions at once; the derived version would push one after the other. Every forwarded tensor needs this
/// copy. It made the copies ten times as fast in a loop that writes scalars to an array.
impl Clone for Shape {
    #[inline]
    fn clone(&self) -> Shape {
        if self.dims.spilled() {
            return Shape { dims: SmallVec::from_slice(&self.dims) };
        }
        // SAFETY: dimensions that are not spilled lie in the vector itself, and are plain numbers. The copy of its bits
        // owns nothing that the original owns.
        Shape { dims: unsafe { std::ptr::read(&self.dims) } }
    }
}

impl Shape {
    #[inline]
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// Returns a shape known to be small: dimensions that came from tensors that exist.
    pub fn new(dims: &[usize]) -> Shape {
        Shape { dims: SmallVec::from_slice(dims) }
    }

    /// Checks user-given dimensions: none negative, the number of elements below 2^63 (zero dimensions count as one).
    pub fn checked(dims: &[i64]) -> Result<Shape> {
        let mut out = SmallVec::with_capacity(dims.len());
        let mut elements: i64 = 1;
        for &d in dims {
            ensure!(d >= 0, InvalidArgument, "Dimension {d} must be >= 0 in shape {dims:?}");
            match elements.checked_mul(d.max(1)) {
                Some(n) => elements = n,
                None => bail!(InvalidArgument, "Shape {dims:?} would have more than 2**63 - 1 elements"),
            }
            out.push(d as usize);
        }
        ensure!(
            out.len() <= MAX_RANK,
            InvalidArgument,
            "Shapes may have at most {MAX_RANK} dimensions, got {}",
            out.len()
        );
        Ok(Shape { dims: out })
    }

    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    #[inline]
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Returns `usize::MAX` for a broadcast shape with more elements than any memory holds, which then finds none.
    #[inline]
    pub fn elements(&self) -> usize {
        product(self.dims.iter().copied())
    }

    /// Returns the row-major strides in elements; `usize::MAX` where `elements` is that.
    pub fn strides(&self) -> SmallVec<[usize; 4]> {
        let mut strides: SmallVec<[usize; 4]> = SmallVec::from_elem(1, self.rank());
        for i in (1..self.rank()).rev() {
            strides[i - 1] = strides[i].saturating_mul(self.dims[i]);
        }
        strides
    }

    pub fn to_i64(&self) -> Vec<i64> {
        self.dims.iter().map(|&d| d as i64).collect()
    }

    /// Returns the product of the dimensions before `axis`, the dimension, and the product of those after it.
    pub fn around(&self, axis: usize) -> (usize, usize, usize) {
        let of = |dims: &[usize]| product(dims.iter().copied());
        (of(&self.dims[..axis]), self.dims[axis], of(&self.dims[axis + 1..]))
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.dims
    }
}

impl From<&[usize]> for Shape {
    fn from(dims: &[usize]) -> Shape {
        Shape::new(dims)
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(dims: [usize; N]) -> Shape {
        Shape::new(&dims)
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(iter: I) -> Shape {
        Shape { dims: iter.into_iter().collect() }
    }
}

/// `[2,3]`, as TensorFlow's messages write it.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, d) in self.dims.iter().enumerate() {
            write!(f, "{}{d}", if i == 0 { "" } else { "," })?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the shape both operands are broadcast to: dimensions are matched from the last, and 1 stretches.
pub fn broadcast(a: &Shape, b: &Shape) -> Result<Shape> {
    if a == b {
        return Ok(a.clone());
    }
    let rank = a.rank().max(b.rank());
    let at = |s: &Shape, i: usize| (i + s.rank()).checked_sub(rank).map_or(1, |j| s[j]);
    (0..rank)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y => Ok(x),
            (1, y) => Ok(y),
            (x, 1) => Ok(x),
            _ => bail!(InvalidArgument, "Incompatible shapes: {a} vs. {b}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_no_memory_holds_never_wrap_to_small_ones() {
        // Plain products would wrap to 0 here.
        let huge = Shape::new(&[1 << 32, 3, 1 << 32]);
        assert_eq!((huge.elements(), huge.around(1)), (usize::MAX, (1 << 32, 3, 1 << 32)));
        assert_eq!(Shape::new(&[1 << 40, 1 << 40, 5]).around(2), (usize::MAX, 5, 1));
        assert_eq!(Shape::new(&[7, 1 << 40, 1 << 40]).strides()[..], [usize::MAX, 1 << 40, 1]);
        assert_eq!(product([1 << 40, 1 << 40, 0]), 0);
        assert!(crate::Tensor::new(crate::DType::F32, huge).is_err());
    }

    #[test]
    fn broadcast_is_commutative_and_scalar_is_its_unit() {
        let shapes: Vec<Shape> =
            vec![[].into(), [1].into(), [3].into(), [2, 3].into(), [2, 1].into(), [4, 1, 3].into(), [0, 3].into()];
        for a in &shapes {
            assert_eq!(&broadcast(a, &Shape::scalar()).unwrap(), a);
            for b in &shapes {
                assert_eq!(broadcast(a, b).ok(), broadcast(b, a).ok());
            }
        }
        assert_eq!(broadcast(&[4, 1, 3].into(), &[2, 1].into()).unwrap(), [4, 2, 3].into());
        assert!(broadcast(&[2].into(), &[3].into()).is_err());
    }

    #[test]
    fn copies_are_equal_and_apart_in_place_and_spilled() {
        for rank in 0..9 {
            let shape: Shape = (1..=rank).collect();
            let copy = shape.clone();
            assert_eq!(copy, shape);
            assert_eq!(copy.dims(), (1..=rank).collect::<Vec<_>>());
            drop(shape);
            let longer: Shape = copy.iter().copied().chain([7]).collect();
            assert_eq!(copy.rank() + 1, longer.rank());
            assert_eq!(copy.dims(), &longer[..rank]);
        }
    }

    #[test]
    fn products_that_overflow_are_refused() {
        assert!(Shape::checked(&[1 << 32, 1 << 32]).is_err());
        assert!(Shape::checked(&[0, 1 << 62, 4]).is_err());
        assert!(Shape::checked(&[-1]).is_err());
        assert_eq!(Shape::checked(&[2, 0]).unwrap().elements(), 0);
        // A broadcast of tensors that exist; its product is 2^64.
        let huge: Shape = [1 << 16; 4].into();
        assert_eq!(crate::Tensor::new(crate::DType::U8, huge).unwrap_err().code(), crate::Code::ResourceExhausted);
        assert_eq!(Shape::new(&[1 << 40, 1 << 40, 0]).elements(), 0);
    }
}
