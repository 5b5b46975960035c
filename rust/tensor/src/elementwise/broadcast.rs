//! Broadcasting of two operands as runs of elements: which parts of each meet at which part of the output.

use crate::shape::{Shape, broadcast};
use crate::status::Result;
use crate::threads::{Interrupted, Threads, try_for_chunks_mut};
use crate::vector::Operand;
use smallvec::SmallVec;

/// The elements of two operands: both in slices, or one of them in the output, to be replaced.
#[derive(Clone, Copy)]
pub enum Inputs<'a, T> {
    Both(&'a [T], &'a [T]),
    /// The left operand's elements are in the output.
    InLeft(&'a [T]),
    /// The right operand's elements are in the output.
    InRight(&'a [T]),
}

/// The same for one run of outputs.
#[derive(Clone, Copy)]
pub enum Terms<'a, T> {
    Both(Operand<'a, T>, Operand<'a, T>),
    InLeft(Operand<'a, T>),
    InRight(Operand<'a, T>),
}

impl<'a, T> Inputs<'a, T> {
    fn terms(
        self,
        left: impl FnOnce(&'a [T]) -> Operand<'a, T>,
        right: impl FnOnce(&'a [T]) -> Operand<'a, T>,
    ) -> Terms<'a, T> {
        match self {
            Inputs::Both(a, b) => Terms::Both(left(a), right(b)),
            Inputs::InLeft(b) => Terms::InLeft(right(b)),
            Inputs::InRight(a) => Terms::InRight(left(a)),
        }
    }

    fn left(self) -> Option<&'a [T]> {
        match self {
            Inputs::Both(a, _) | Inputs::InRight(a) => Some(a),
            Inputs::InLeft(_) => None,
        }
    }

    fn right(self) -> Option<&'a [T]> {
        match self {
            Inputs::Both(_, b) | Inputs::InLeft(b) => Some(b),
            Inputs::InRight(_) => None,
        }
    }
}

/// Neighbouring dimensions over which each operand either advances or is stretched.
#[derive(Clone, Copy, Debug)]
struct Group {
    extent: usize,
    /// Distance of neighbours in the operand; 0 where it is stretched.
    left: usize,
    right: usize,
}

#[derive(Debug)]
enum Pairing {
    /// Both have the output's elements, in order.
    Same,
    LeftIsOne,
    RightIsOne,
    /// Outermost first; the last group is the run.
    Runs(SmallVec<[Group; 4]>),
}

/// The way in which two shapes become one.
#[derive(Debug)]
pub struct Broadcast {
    pub shape: Shape,
    pairing: Pairing,
}

/// Runs shorter than this are gathered until they fill a block, so that the call of a loop is worth its cost.
const SHORT: usize = 64;
/// Elements of such a block.
const GATHERED: usize = 512;

impl Broadcast {
    /// Errors: `InvalidArgument` for shapes that do not broadcast.
    pub fn new(left: &Shape, right: &Shape) -> Result<Broadcast> {
        let shape = broadcast(left, right)?;
        let elements = shape.elements();
        let pairing = match (left.elements(), right.elements()) {
            (a, b) if a == elements && b == elements => Pairing::Same,
            (1, _) => Pairing::LeftIsOne,
            (_, 1) => Pairing::RightIsOne,
            _ => Pairing::Runs(groups(left, right, &shape)),
        };
        Ok(Broadcast { shape, pairing })
    }

    /// Calls `f` once for every run of outputs, with what meets it. `block`: elements worth a thread.
    ///
    /// The slices have the lengths of the shapes this was made of, and `out` that of `shape`.
    pub fn apply<T, O>(
        &self,
        threads: Threads,
        block: usize,
        inputs: Inputs<'_, T>,
        out: &mut [O],
        f: impl Fn(Terms<'_, T>, &mut [O]) + Sync,
    ) -> Result<(), Interrupted>
    where
        T: Copy + Default + Send + Sync,
        O: Send,
    {
        // Without elements there are runs of length 0, by which nothing can be divided.
        if out.is_empty() {
            return Ok(());
        }
        match &self.pairing {
            Pairing::Same => try_for_chunks_mut(threads, out, block, |start, out| {
                let part = |v| Operand::Slice(part(v, start, out.len()));
                f(inputs.terms(part, part), out);
            }),
            Pairing::LeftIsOne => try_for_chunks_mut(threads, out, block, |start, out| {
                f(inputs.terms(|v| Operand::Scalar(v[0]), |v| Operand::Slice(part(v, start, out.len()))), out);
            }),
            Pairing::RightIsOne => try_for_chunks_mut(threads, out, block, |start, out| {
                f(inputs.terms(|v| Operand::Slice(part(v, start, out.len())), |v| Operand::Scalar(v[0])), out);
            }),
            Pairing::Runs(groups) => {
                let Some((run, outer)) = groups.split_last() else { return Ok(()) };
                if run.extent >= SHORT {
                    try_for_chunks_mut(threads, out, block, |start, out| long_runs(outer, *run, start, inputs, out, &f))
                } else {
                    let gathered = run.extent * (GATHERED / run.extent);
                    let block = block.next_multiple_of(gathered);
                    try_for_chunks_mut(threads, out, block, |start, out| {
                        short_runs(outer, *run, gathered, start, inputs, out, &f);
                    })
                }
            }
        }
    }
}

fn part<T>(values: &[T], start: usize, length: usize) -> &[T] {
    &values[start..start + length]
}

fn groups(left: &Shape, right: &Shape, shape: &Shape) -> SmallVec<[Group; 4]> {
    let at = |s: &Shape, i: usize| (i + s.rank()).checked_sub(shape.rank()).map_or(1, |j| s[j]);
    // Innermost first while they are built; `left` and `right` only say whether the operand advances.
    let mut groups: SmallVec<[Group; 4]> = SmallVec::new();
    for (i, &extent) in shape.iter().enumerate().rev() {
        if extent == 1 {
            continue;
        }
        let (l, r) = (usize::from(at(left, i) == extent), usize::from(at(right, i) == extent));
        match groups.last_mut() {
            Some(g) if (g.left, g.right) == (l, r) => g.extent *= extent,
            _ => groups.push(Group { extent, left: l, right: r }),
        }
    }
    let (mut l, mut r) = (1, 1);
    for g in &mut groups {
        if g.left == 1 {
            g.left = l;
            l *= g.extent;
        }
        if g.right == 1 {
            g.right = r;
            r *= g.extent;
        }
    }
    groups.reverse();
    groups
}

/// The place of a run in both operands.
struct Cursor<'a> {
    outer: &'a [Group],
    index: SmallVec<[usize; 4]>,
    left: usize,
    right: usize,
}

impl<'a> Cursor<'a> {
    fn new(outer: &'a [Group], mut run: usize) -> Self {
        let mut cursor = Cursor { outer, index: SmallVec::from_elem(0, outer.len()), left: 0, right: 0 };
        for (g, index) in outer.iter().zip(&mut cursor.index).rev() {
            *index = run % g.extent;
            run /= g.extent;
            cursor.left += *index * g.left;
            cursor.right += *index * g.right;
        }
        cursor
    }

    #[inline]
    fn advance(&mut self) {
        for (g, index) in self.outer.iter().zip(&mut self.index).rev() {
            *index += 1;
            self.left += g.left;
            self.right += g.right;
            if *index < g.extent {
                return;
            }
            *index = 0;
            self.left -= g.left * g.extent;
            self.right -= g.right * g.extent;
        }
    }
}

fn long_runs<'a, T: Copy, O>(
    outer: &[Group],
    run: Group,
    start: usize,
    inputs: Inputs<'a, T>,
    mut out: &mut [O],
    f: &impl Fn(Terms<'_, T>, &mut [O]),
) {
    let mut cursor = Cursor::new(outer, start / run.extent);
    let mut offset = start % run.extent;
    while !out.is_empty() {
        let (now, later) = out.split_at_mut((run.extent - offset).min(out.len()));
        let operand = |v: &'a [T], at: usize, stride: usize| match stride {
            0 => Operand::Scalar(v[at]),
            _ => Operand::Slice(part(v, at + offset, now.len())),
        };
        let terms = inputs.terms(|v| operand(v, cursor.left, run.left), |v| operand(v, cursor.right, run.right));
        f(terms, now);
        cursor.advance();
        offset = 0;
        out = later;
    }
}

/// One operand of gathered runs.
struct Gathered<T> {
    block: [T; GATHERED],
    /// It advances everywhere: no need to gather.
    is_whole: bool,
    /// It is stretched over all but the run: every block is the same.
    is_periodic: bool,
    is_filled: bool,
}

impl<T: Copy + Default> Gathered<T> {
    fn new(outer: &[Group], run: Group, stride: impl Fn(&Group) -> usize) -> Self {
        let is_whole = stride(&run) != 0 && outer.iter().all(|g| stride(g) != 0);
        let is_periodic = outer.iter().all(|g| stride(g) == 0);
        Gathered { block: [T::default(); GATHERED], is_whole, is_periodic, is_filled: false }
    }

    fn needs_copy(&self) -> bool {
        !(self.is_whole || self.is_periodic && self.is_filled)
    }

    fn put(&mut self, values: &[T], run: usize, extent: usize, at: usize, stride: usize) {
        let to = &mut self.block[run * extent..(run + 1) * extent];
        if stride == 0 { to.fill(values[at]) } else { to.copy_from_slice(part(values, at, extent)) }
    }

    fn operand<'a>(&'a self, values: &'a [T], start: usize, length: usize) -> Operand<'a, T> {
        Operand::Slice(if self.is_whole { part(values, start, length) } else { &self.block[..length] })
    }
}

fn short_runs<T: Copy + Default, O>(
    outer: &[Group],
    run: Group,
    gathered: usize,
    start: usize,
    inputs: Inputs<'_, T>,
    out: &mut [O],
    f: &impl Fn(Terms<'_, T>, &mut [O]),
) {
    let mut left = Gathered::new(outer, run, |g| g.left);
    let mut right = Gathered::new(outer, run, |g| g.right);
    let mut cursor = Cursor::new(outer, start / run.extent);
    for (block, out) in out.chunks_mut(gathered).enumerate() {
        let start = start + block * gathered;
        let copied_left = inputs.left().filter(|_| left.needs_copy());
        let copied_right = inputs.right().filter(|_| right.needs_copy());
        if copied_left.is_some() || copied_right.is_some() {
            for i in 0..out.len() / run.extent {
                if let Some(values) = copied_left {
                    left.put(values, i, run.extent, cursor.left, run.left);
                }
                if let Some(values) = copied_right {
                    right.put(values, i, run.extent, cursor.right, run.right);
                }
                cursor.advance();
            }
            left.is_filled = true;
            right.is_filled = true;
        }
        let terms = match inputs {
            Inputs::Both(a, b) => Terms::Both(left.operand(a, start, out.len()), right.operand(b, start, out.len())),
            Inputs::InLeft(b) => Terms::InLeft(right.operand(b, start, out.len())),
            Inputs::InRight(a) => Terms::InRight(left.operand(a, start, out.len())),
        };
        f(terms, out);
    }
}
