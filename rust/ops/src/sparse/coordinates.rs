//! `Coordinates`: the positions of a sparse tensor's elements, checked, compared and put in order.

use ferroflow_tensor::{Result, Shape, Tensor, bail, by_size, ensure};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

/// The rows of an index matrix, and the dense shape they point into.
pub(super) struct Coordinates<'a> {
    indices: Cow<'a, [i64]>,
    count: usize,
    rank: usize,
    pub(super) shape: Shape,
}

/// Returns the elements of an int32 or int64 tensor, borrowed where they are int64.
pub(super) fn numbers(t: &Tensor) -> Result<Cow<'_, [i64]>> {
    match t.slice::<i64>() {
        Ok(values) => Ok(Cow::Borrowed(values)),
        Err(_) => Ok(Cow::Owned(t.to_i64s()?)),
    }
}

/// Checks that `indices` is a matrix and `shape` a vector.
fn check_ranks(indices: &Tensor, shape: &Tensor) -> Result<()> {
    ensure!(
        indices.rank() == 2,
        InvalidArgument,
        "Input indices should be a matrix but received shape {}",
        indices.shape()
    );
    ensure!(shape.rank() == 1, InvalidArgument, "Input shape should be a vector but received shape {}", shape.shape());
    Ok(())
}

impl<'a> Coordinates<'a> {
    /// Returns the coordinates of a sparse tensor given as its three parts.
    ///
    /// Errors: `InvalidArgument` where the parts have wrong ranks or do not fit each other.
    pub(super) fn of(indices: &'a Tensor, values: &Tensor, shape: &Tensor) -> Result<Coordinates<'a>> {
        ensure!(
            values.rank() == 1 || indices.rank() != 2,
            InvalidArgument,
            "Input values should be a vector but received shape {}",
            values.shape()
        );
        let found = Coordinates::without_values(indices, shape)?;
        ensure!(
            values.elements() == found.count,
            InvalidArgument,
            "Number of elements in index ({}) and values ({}) do not match.",
            found.count,
            values.elements()
        );
        Ok(found)
    }

    /// Returns the same where no values go with them.
    pub(super) fn without_values(indices: &'a Tensor, shape: &Tensor) -> Result<Coordinates<'a>> {
        check_ranks(indices, shape)?;
        let [count, rank] = indices.shape()[..] else { bail!(Internal, "a matrix has two dimensions") };
        ensure!(
            rank == shape.elements(),
            InvalidArgument,
            "Index rank ({rank}) and shape rank ({}) do not match.",
            shape.elements()
        );
        Ok(Coordinates { indices: numbers(indices)?, count, rank, shape: Shape::checked(&shape.to_i64s()?)? })
    }

    /// Coordinates that a kernel has in hand: `count` rows of `shape.rank()` numbers.
    pub(super) fn from_parts(indices: Cow<'a, [i64]>, count: usize, shape: Shape) -> Coordinates<'a> {
        Coordinates { indices, count, rank: shape.rank(), shape }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    pub(super) fn row(&self, i: usize) -> &[i64] {
        &self.indices[i * self.rank..(i + 1) * self.rank]
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[i64]> {
        (0..self.count).map(|i| self.row(i))
    }

    fn is_inside(&self, row: &[i64]) -> bool {
        row.iter().zip(self.shape.iter()).all(|(&i, &d)| i >= 0 && (i as u64) < d as u64)
    }

    fn refuse<T>(&self, i: usize, why: &str) -> Result<T> {
        let index: Vec<_> = self.row(i).iter().map(i64::to_string).collect();
        bail!(InvalidArgument, "indices[{i}] = [{}] {why}", index.join(","))
    }

    /// Errors: `InvalidArgument` for an index outside the shape.
    pub(super) fn check_bounds(&self) -> Result<()> {
        self.check_bounds_of(self.rank)
    }

    /// Errors: `InvalidArgument` for an index outside the first `dims` dimensions of the shape.
    pub(super) fn check_bounds_of(&self, dims: usize) -> Result<()> {
        match self.rows().position(|row| !self.is_inside(&row[..dims])) {
            Some(i) => self.refuse(i, &format!("is out of bounds: need 0 <= index < {}", self.shape)),
            None => Ok(()),
        }
    }

    /// Errors: `InvalidArgument` for an index outside the shape, before the one ahead of it, or equal to it.
    pub(super) fn check_order(&self) -> Result<()> {
        for i in 0..self.count {
            if !self.is_inside(self.row(i)) {
                return self.refuse(i, &format!("is out of bounds: need 0 <= index < {}", self.shape));
            }
            if i > 0 {
                match self.row(i - 1).cmp(self.row(i)) {
                    Ordering::Less => {}
                    Ordering::Equal => return self.refuse(i, "is repeated"),
                    Ordering::Greater => return self.refuse(i, "is out of order"),
                }
            }
        }
        Ok(())
    }

    /// Returns the row-major number of each index, all of which lie inside the shape.
    pub(super) fn flat(&self) -> Vec<usize> {
        let strides = self.shape.strides();
        self.rows().map(|row| row.iter().zip(&strides).map(|(&i, &s)| i as usize * s).sum()).collect()
    }

    /// Returns for each row the row-major number of its dimensions `dims` (each at most once), which compares as they
    /// do. None if an index lies outside the shape.
    fn keys(&self, dims: &[usize]) -> Option<Vec<u64>> {
        let mut strides = vec![0u64; self.rank];
        let mut stride = 1u64;
        for &d in dims.iter().rev() {
            strides[d] = stride;
            stride = stride.checked_mul(self.shape[d].max(1) as u64)?;
        }
        self.rows()
            .map(|row| self.is_inside(row).then(|| row.iter().zip(&strides).map(|(&i, s)| i as u64 * s).sum()))
            .collect()
    }

    /// Returns the row numbers in ascending order of the dimensions `dims`, of equal ones the earlier first.
    pub(super) fn sorted_by(&self, dims: &[usize]) -> Vec<usize> {
        if let Some(keys) = self.keys(dims) {
            if keys.is_sorted() {
                return (0..self.count).collect();
            }
            let mut pairs: Vec<(u64, usize)> = keys.into_iter().zip(0..).collect();
            pairs.sort_unstable();
            return pairs.into_iter().map(|(_, row)| row).collect();
        }
        let compare = |a: usize, b: usize| {
            let (a, b) = (self.row(a), self.row(b));
            dims.iter().map(|&d| a[d].cmp(&b[d])).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        };
        let mut order: Vec<usize> = (0..self.count).collect();
        order.sort_by(|&a, &b| compare(a, b));
        order
    }

    /// Returns the row numbers in row-major order, of equal ones the earlier first.
    pub(super) fn sorted(&self) -> Vec<usize> {
        let dims: Vec<usize> = (0..self.rank).collect();
        self.sorted_by(&dims)
    }

    /// Returns the runs of `order` in which the dimensions `dims` are equal.
    pub(super) fn groups(&self, order: &[usize], dims: &[usize]) -> Vec<Range<usize>> {
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (i, &row) in order.iter().enumerate() {
            let same = |other: usize| dims.iter().all(|&d| self.row(other)[d] == self.row(row)[d]);
            match groups.last_mut() {
                Some(last) if same(order[last.start]) => last.end = i + 1,
                _ => groups.push(i..i + 1),
            }
        }
        groups
    }

    /// Returns an index matrix of the rows `picked`.
    pub(super) fn pick(&self, picked: &[usize]) -> Result<Tensor> {
        let mut out = Tensor::new(ferroflow_tensor::DType::I64, [picked.len(), self.rank])?;
        if self.rank > 0 {
            for (to, &i) in out.slice_mut::<i64>()?.chunks_exact_mut(self.rank).zip(picked) {
                to.copy_from_slice(self.row(i));
            }
        }
        Ok(out)
    }
}

/// Returns the elements of a vector at `picked`, all of which it has.
pub(super) fn pick(values: &Tensor, picked: &[usize]) -> Result<Tensor> {
    let mut out = Tensor::new(values.dtype(), [picked.len()])?;
    by_size!(values.dtype(), E, {
        let from = E::view(values)?;
        for (to, &i) in E::view_mut(&mut out)?.iter_mut().zip(picked) {
            to.clone_from(&from[i]);
        }
        Ok(())
    })?;
    Ok(out)
}

/// Returns a matrix of `count` rows of `rank` indices.
pub(super) fn matrix(count: usize, rank: usize, indices: &[i64]) -> Result<Tensor> {
    Tensor::from_slice([count, rank], indices)
}

/// Returns the dimensions as an int64 vector.
pub(super) fn shape_vector(shape: &Shape) -> Result<Tensor> {
    Tensor::from_slice([shape.rank()], &shape.to_i64())
}

/// Merges two ordered lists of coordinates. `visit` is called with the row of either or both that has the next index.
pub(super) fn merge(a: &Coordinates<'_>, b: &Coordinates<'_>, mut visit: impl FnMut(Option<usize>, Option<usize>)) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let order = match (i < a.len(), j < b.len()) {
            (true, true) => a.row(i).cmp(b.row(j)),
            (true, false) => Ordering::Less,
            _ => Ordering::Greater,
        };
        let (from_a, from_b) = (order.is_le().then_some(i), order.is_ge().then_some(j));
        visit(from_a, from_b);
        i += usize::from(from_a.is_some());
        j += usize::from(from_b.is_some());
    }
}
