//! `Slice`: a rectangular part of a tensor, as checkpoints spell it and as keys encode it.

use super::ordered_code::{put_signed, put_string, put_unsigned};
use ferroflow_proto::tensorflow::TensorSliceProto;
use ferroflow_proto::tensorflow::tensor_slice_proto::{Extent, extent::HasLengthHack};
use ferroflow_tensor::{Result, Shape, bail, ensure};
use std::fmt;
use std::ops::Range;

/// First index and length in each dimension; `None` where all of it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    extents: Vec<Option<(i64, i64)>>,
}

/// A slice with the shape of the whole and its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceSpec {
    pub full: Shape,
    pub slice: Slice,
    pub shape: Shape,
}

impl Slice {
    /// Returns the whole of a tensor of that rank.
    pub fn whole(rank: usize) -> Slice {
        Slice { extents: vec![None; rank] }
    }

    pub(super) fn from_message(message: &TensorSliceProto) -> Slice {
        let extent = |e: &Extent| {
            let Some(HasLengthHack::Length(length)) = e.has_length_hack else { return None };
            (length >= 0).then_some((e.start, length))
        };
        Slice { extents: message.extent.iter().map(extent).collect() }
    }

    pub(super) fn to_message(&self) -> TensorSliceProto {
        let extent = |e: &Option<(i64, i64)>| match *e {
            Some((start, length)) => Extent { start, has_length_hack: Some(HasLengthHack::Length(length)) },
            None => Extent::default(),
        };
        TensorSliceProto { extent: self.extents.iter().map(extent).collect() }
    }

    /// Returns `offset,length` for each dimension, or `-` for all of it, separated by colons.
    fn parse(text: &str) -> Result<Slice> {
        let mut extents = Vec::new();
        for item in text.split(':').filter(|item| !item.is_empty()) {
            if item == "-" {
                extents.push(None);
                continue;
            }
            let mut numbers = item.split(',').filter(|n| !n.is_empty()).map(str::parse::<i64>);
            let (Some(Ok(start)), Some(Ok(length)), None) = (numbers.next(), numbers.next(), numbers.next()) else {
                bail!(InvalidArgument, "Expected a pair of numbers or '-' but got '{item}': string = {text}");
            };
            ensure!(
                start >= 0 && length > 0,
                InvalidArgument,
                "Expected non-negative start and positive length but got start = {start}, length = {length}: string = {text}"
            );
            extents.push(Some((start, length)));
        }
        Ok(Slice { extents })
    }

    /// Returns the indices in each dimension of a tensor of that shape.
    pub(super) fn ranges(&self, full: &Shape) -> Result<Vec<Range<usize>>> {
        ensure!(
            full.rank() == self.extents.len(),
            InvalidArgument,
            "Mismatching ranks: shape = {full}, slice = {self}"
        );
        let mut ranges = Vec::with_capacity(full.rank());
        for (d, (extent, &size)) in self.extents.iter().zip(full.iter()).enumerate() {
            let range = match *extent {
                None => Some(0..size),
                Some((start, length)) => usize::try_from(start)
                    .ok()
                    .zip(start.checked_add(length).and_then(|end| usize::try_from(end).ok()))
                    .filter(|&(start, end)| start <= end && end <= size)
                    .map(|(start, end)| start..end),
            };
            let Some(range) = range else {
                bail!(InvalidArgument, "Extent in dimension {d} out of bounds: shape = {full}, slice = {self}");
            };
            ranges.push(range);
        }
        Ok(ranges)
    }

    /// Returns the shape of the slice of a tensor of that shape.
    pub fn shape(&self, full: &Shape) -> Result<Shape> {
        Ok(self.ranges(full)?.into_iter().map(|r| r.len()).collect())
    }

    /// Returns true if it spells out nothing: the whole of any tensor of its rank.
    pub(super) fn is_whole(&self) -> bool {
        self.extents.iter().all(Option::is_none)
    }

    /// Returns true if it is all of a tensor of that shape.
    pub(super) fn covers(&self, full: &Shape) -> bool {
        self.is_whole() || self.shape(full).is_ok_and(|shape| shape == *full)
    }

    /// Returns the key under which the slice of that tensor is kept.
    pub(super) fn key(&self, name: &[u8]) -> Vec<u8> {
        let mut key = Vec::new();
        put_unsigned(&mut key, 0);
        put_string(&mut key, name);
        put_unsigned(&mut key, self.extents.len() as u64);
        for extent in &self.extents {
            let (start, length) = extent.unwrap_or((0, -1));
            put_signed(&mut key, start);
            put_signed(&mut key, length);
        }
        key
    }
}

/// `0,2:-`
impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, extent) in self.extents.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ":" })?;
            match extent {
                Some((start, length)) => write!(f, "{start},{length}")?,
                None => f.write_str("-")?,
            }
        }
        Ok(())
    }
}

impl SliceSpec {
    /// Returns the sizes of the whole, then the slice, separated by spaces; "" is no slice.
    pub fn parse(text: &str) -> Result<Option<SliceSpec>> {
        if text.is_empty() {
            return Ok(None);
        }
        let Some((sizes, slice)) = text.rsplit_once(' ') else {
            bail!(InvalidArgument, "Need least two elements in shape_and_slice specification: {text}");
        };
        let slice = Slice::parse(slice)?;
        let Ok(dims) = sizes.split(' ').map(str::parse).collect::<std::result::Result<Vec<i64>, _>>() else {
            bail!(InvalidArgument, "Non numerical dimension in shape_and_slice: {text}");
        };
        let full = Shape::checked(&dims)?;
        let shape = slice.shape(&full)?;
        Ok(Some(SliceSpec { full, slice, shape }))
    }
}

/// Returns the indices that two lists of ranges have in common; `None` where there are none.
pub(super) fn intersection(a: &[Range<usize>], b: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
    let both = a.iter().zip(b).map(|(a, b)| a.start.max(b.start)..a.end.min(b.end)).collect::<Vec<_>>();
    both.iter().all(|r| !r.is_empty()).then_some(both)
}

/// Returns the number of indices there are in ranges.
pub(super) fn volume(ranges: &[Range<usize>]) -> usize {
    ranges.iter().fold(1, |n: usize, r| n.saturating_mul(r.len()))
}

/// Calls `f(from, to, length)` for each run of elements that lies together in two parts of one tensor. The arguments
/// are the first positions in either part, and the number of elements.
pub(super) fn for_runs(from: &[Range<usize>], to: &[Range<usize>], mut f: impl FnMut(usize, usize, usize)) {
    let Some(both) = intersection(from, to) else { return };
    let Some((inner, outer)) = both.split_last() else { return f(0, 0, 1) };
    let position = |part: &[Range<usize>], index: &[usize]| {
        part.iter().zip(index).fold(0, |at, (range, &i)| at * range.len() + (i - range.start))
    };
    let mut index: Vec<usize> = both.iter().map(|r| r.start).collect();
    loop {
        f(position(from, &index), position(to, &index), inner.len());
        let Some(d) = (0..outer.len()).rev().find(|&d| index[d] + 1 < both[d].end) else { return };
        index[d] += 1;
        for later in d + 1..outer.len() {
            index[later] = both[later].start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_parsed_and_checked() {
        assert_eq!(SliceSpec::parse("").unwrap(), None);
        let spec = SliceSpec::parse("4 5 1,2:-").unwrap().unwrap();
        assert_eq!((spec.full.dims(), spec.shape.dims()), (&[4, 5][..], &[2, 5][..]));
        assert_eq!(spec.slice.to_string(), "1,2:-");
        assert_eq!(Slice::from_message(&spec.slice.to_message()), spec.slice);
        assert!(SliceSpec::parse("4 5 0,4:0,5").unwrap().unwrap().slice.covers(&Shape::new(&[4, 5])));
        for bad in
            ["4", "x 0,1", "4 0,1,2", "4 0", "4 -1,2", "4 0,0", "4 3,2", "4 5 0,4", "4 9223372036854775807,2", "-1 -"]
        {
            assert!(SliceSpec::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn runs_cover_what_two_parts_share() {
        // A 4 by 5 tensor; rows 1..4 of columns 0..3 on the one side, rows 0..3 of columns 2..5 on the other.
        let (from, to) = ([1..4, 0..3], [0..3, 2..5]);
        let mut runs = Vec::new();
        for_runs(&from, &to, |a, b, n| runs.push((a, b, n)));
        assert_eq!(runs, [(2, 3, 1), (5, 6, 1)]);
        let mut scalar = Vec::new();
        for_runs(&[], &[], |a, b, n| scalar.push((a, b, n)));
        assert_eq!(scalar, [(0, 0, 1)]);
        for_runs(&[0..2, 0..1], &[2..4, 0..1], |_, _, _| panic!("nothing is shared"));
    }
}
