//! `PartialShape`: what is known of a shape while a graph is built; rank or single dimensions may be unknown.

use crate::shape::{MAX_RANK, Shape};
use crate::status::Result;
use crate::{bail, ensure};
use smallvec::SmallVec;
use std::fmt;

/// Dimension not known before the graph runs.
const UNKNOWN: i64 = -1;

/// A shape of which the rank or some dimensions may be unknown.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PartialShape {
    /// `None`: unknown rank. A dimension of -1 is unknown.
    dims: Option<SmallVec<[i64; 4]>>,
}

impl PartialShape {
    pub fn unknown() -> Self {
        PartialShape { dims: None }
    }

    /// Returns a shape with no dimension known. A rank that no tensor has (it came from a user's number) is unknown
    /// too, and costs no memory.
    pub fn unknown_of_rank(rank: usize) -> Self {
        PartialShape { dims: (rank <= MAX_RANK).then(|| SmallVec::from_elem(UNKNOWN, rank)) }
    }

    pub fn scalar() -> Self {
        PartialShape { dims: Some(SmallVec::new()) }
    }

    pub fn vector(n: Option<usize>) -> Self {
        PartialShape::from_dims(&[n])
    }

    pub fn from_dims(dims: &[Option<usize>]) -> Self {
        PartialShape { dims: Some(dims.iter().map(|d| d.map_or(UNKNOWN, |d| d as i64)).collect()) }
    }

    /// Converts wire dimensions, of which -1 (or any negative one) is unknown.
    pub fn from_wire(dims: Option<&[i64]>) -> Self {
        PartialShape { dims: dims.map(|d| d.iter().map(|&d| d.max(UNKNOWN)).collect()) }
    }

    /// Returns dimensions with -1 for unknown; `None` for unknown rank.
    pub fn to_wire(&self) -> Option<&[i64]> {
        self.dims.as_deref()
    }

    pub fn rank(&self) -> Option<usize> {
        self.dims.as_ref().map(|d| d.len())
    }

    /// Returns the dimension `axis`, `None` where it (or the rank) is unknown.
    pub fn dim(&self, axis: usize) -> Option<usize> {
        self.dims.as_ref().and_then(|d| d.get(axis)).and_then(|&d| usize::try_from(d).ok())
    }

    /// Returns the dimensions when the rank is known.
    pub fn dims(&self) -> Option<SmallVec<[Option<usize>; 4]>> {
        self.dims.as_ref().map(|d| d.iter().map(|&d| usize::try_from(d).ok()).collect())
    }

    pub fn is_fully_known(&self) -> bool {
        self.dims.as_ref().is_some_and(|d| d.iter().all(|&d| d >= 0))
    }

    pub fn to_shape(&self) -> Option<Shape> {
        self.dims.as_ref()?.iter().map(|&d| usize::try_from(d).ok()).collect()
    }

    /// Returns the number of elements; `None` where it is unknown or overflows. A dimension of 0 decides it alone.
    pub fn elements(&self) -> Option<usize> {
        let dims = self.dims.as_ref()?;
        if dims.contains(&0) {
            return Some(0);
        }
        dims.iter().try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?))
    }

    /// Returns the dimensions that both shapes state together; an error if they disagree.
    ///
    /// Errors: `InvalidArgument` where ranks or known dimensions differ.
    pub fn merge(&self, other: &PartialShape) -> Result<PartialShape> {
        let (Some(a), Some(b)) = (&self.dims, &other.dims) else {
            return Ok(if self.dims.is_some() { self.clone() } else { other.clone() });
        };
        ensure!(a.len() == b.len(), InvalidArgument, "Shapes must be equal rank, but are {} and {}", a.len(), b.len());
        let mut dims = a.clone();
        for (i, (x, &y)) in dims.iter_mut().zip(b).enumerate() {
            if *x == UNKNOWN {
                *x = y;
            } else if y != UNKNOWN && *x != y {
                bail!(
                    InvalidArgument,
                    "Dimension {i} in both shapes must be equal, but are {x} and {y}. Shapes are {self} and {other}."
                );
            }
        }
        Ok(PartialShape { dims: Some(dims) })
    }

    /// Returns the most specific shape that includes both: dimensions that differ, or a rank that differs, become
    /// unknown.
    #[must_use]
    pub fn most_specific_common(&self, other: &PartialShape) -> PartialShape {
        match (self.dims(), other.dims()) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                let dims: SmallVec<[Option<usize>; 4]> =
                    a.iter().zip(&b).map(|(x, y)| if x == y { *x } else { None }).collect();
                PartialShape::from_dims(&dims)
            }
            _ => PartialShape::unknown(),
        }
    }

    /// Returns true if some full shape fits both.
    pub fn is_compatible_with(&self, other: &PartialShape) -> bool {
        self.merge(other).is_ok()
    }

    /// Checks the rank where it is known and fixes it where it is not.
    pub fn with_rank(&self, rank: usize) -> Result<PartialShape> {
        match self.rank() {
            None => Ok(PartialShape::unknown_of_rank(rank)),
            Some(r) if r == rank => Ok(self.clone()),
            Some(r) => bail!(InvalidArgument, "Shape must be rank {rank} but is rank {r}"),
        }
    }

    pub fn with_rank_at_least(&self, rank: usize) -> Result<PartialShape> {
        match self.rank() {
            Some(r) if r < rank => bail!(InvalidArgument, "Shape must be at least rank {rank} but is rank {r}"),
            _ => Ok(self.clone()),
        }
    }

    pub fn with_rank_at_most(&self, rank: usize) -> Result<PartialShape> {
        match self.rank() {
            Some(r) if r > rank => bail!(InvalidArgument, "Shape must be at most rank {rank} but is rank {r}"),
            _ => Ok(self.clone()),
        }
    }

    /// Returns the dimensions of `self` followed by those of `other`.
    pub fn concatenate(&self, other: &PartialShape) -> PartialShape {
        match (&self.dims, &other.dims) {
            (Some(a), Some(b)) => PartialShape { dims: Some(a.iter().chain(b).copied().collect()) },
            _ => PartialShape::unknown(),
        }
    }

    /// Returns broadcast of two partly known shapes; a dimension is unknown where either's stretch is undecided.
    pub fn broadcast(a: &PartialShape, b: &PartialShape) -> Result<PartialShape> {
        let (Some(x), Some(y)) = (&a.dims, &b.dims) else {
            return Ok(PartialShape::unknown());
        };
        let rank = x.len().max(y.len());
        let at = |s: &[i64], i: usize| (i + s.len()).checked_sub(rank).map_or(1, |j| s[j]);
        let dims = (0..rank)
            .map(|i| match (at(x, i), at(y, i)) {
                (p, q) if p == q => Ok(p),
                (1, q) => Ok(q),
                (p, 1) => Ok(p),
                (UNKNOWN, q) => Ok(q),
                (p, UNKNOWN) => Ok(p),
                (p, q) => bail!(
                    InvalidArgument,
                    "Dimensions must be equal, but are {p} and {q}. Incompatible shapes for broadcasting: {a} and {b}"
                ),
            })
            .collect::<Result<_>>()?;
        Ok(PartialShape { dims: Some(dims) })
    }
}

impl From<&Shape> for PartialShape {
    fn from(shape: &Shape) -> Self {
        PartialShape { dims: Some(shape.iter().map(|&d| d as i64).collect()) }
    }
}

impl From<Shape> for PartialShape {
    fn from(shape: Shape) -> Self {
        PartialShape::from(&shape)
    }
}

/// `[2,?]`, or `<unknown>`: the notation of TensorFlow's shape messages.
impl fmt::Display for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(dims) = &self.dims else {
            return f.write_str("<unknown>");
        };
        f.write_str("[")?;
        for (i, d) in dims.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "," })?;
            if *d == UNKNOWN { f.write_str("?")? } else { write!(f, "{d}")? }
        }
        f.write_str("]")
    }
}

impl fmt::Debug for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<PartialShape> {
        vec![
            PartialShape::unknown(),
            PartialShape::scalar(),
            PartialShape::vector(None),
            PartialShape::vector(Some(3)),
            PartialShape::from_dims(&[Some(2), None]),
            PartialShape::from_dims(&[None, Some(3)]),
            PartialShape::from_dims(&[Some(1), Some(3)]),
        ]
    }

    #[test]
    fn elements_are_known_of_known_dimensions_and_beside_an_empty_one() {
        let elements: Vec<_> = samples().iter().map(PartialShape::elements).collect();
        assert_eq!(elements, [None, Some(1), None, Some(3), None, None, Some(3)]);
        assert_eq!(PartialShape::from_dims(&[None, Some(0), Some(usize::MAX >> 1)]).elements(), Some(0));
    }

    #[test]
    fn merge_is_commutative_and_idempotent() {
        for a in samples() {
            assert_eq!(a.merge(&a).unwrap(), a);
            for b in samples() {
                assert_eq!(a.merge(&b).ok(), b.merge(&a).ok());
            }
        }
    }

    #[test]
    fn a_rank_that_no_tensor_has_is_unknown() {
        assert_eq!(PartialShape::unknown_of_rank(254).rank(), Some(254));
        assert_eq!(PartialShape::unknown_of_rank(usize::MAX), PartialShape::unknown());
    }

    #[test]
    fn broadcast_of_known_shapes_is_the_value_rule() {
        for a in samples() {
            for b in samples() {
                if let (Some(x), Some(y)) = (a.to_shape(), b.to_shape()) {
                    let expected = crate::broadcast(&x, &y).ok().map(PartialShape::from);
                    assert_eq!(PartialShape::broadcast(&a, &b).ok(), expected);
                }
            }
        }
    }
}
