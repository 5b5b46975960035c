//! SetSize and the set operations of dense and sparse tensors, whose sets are the innermost rows.

use super::coordinates::{Coordinates, matrix, shape_vector};
use super::shapes::parts;
use crate::room::{filled, room};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_rows_mut};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Tensor, bail, dispatch, ensure};
use std::cmp::Ordering;
use std::ops::Range;

/// Elements of one parallel block.
const BLOCK: usize = 1 << 13;

#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Difference,
    ReverseDifference,
    Intersection,
    Union,
}

impl Operation {
    fn named(name: &str) -> Result<Operation> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "a-b" => Operation::Difference,
            "b-a" => Operation::ReverseDifference,
            "intersection" => Operation::Intersection,
            "union" => Operation::Union,
            other => bail!(InvalidArgument, "Invalid set_operation {other}."),
        })
    }

    /// Returns true if an element is in the result. `found` compares the next elements of both sets: the lesser one is in its
    /// set alone.
    fn keeps(self, found: Ordering) -> bool {
        match self {
            Operation::Difference => found.is_lt(),
            Operation::ReverseDifference => found.is_gt(),
            Operation::Intersection => found.is_eq(),
            Operation::Union => true,
        }
    }

    /// Appends the result of two sorted lists without repetition.
    fn apply<E: Ord + Clone>(self, a: &[E], b: &[E], result: &mut Vec<E>) {
        let (mut i, mut j) = (0, 0);
        loop {
            let order = match (a.get(i), b.get(j)) {
                (Some(x), Some(y)) => x.cmp(y),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            let (in_a, in_b) = (order.is_le(), order.is_ge());
            if self.keeps(order)
                && let Some(x) = if in_a { a.get(i) } else { b.get(j) }
            {
                result.push(x.clone());
            }
            i += usize::from(in_a);
            j += usize::from(in_b);
        }
    }
}

/// Sets of the innermost rows of a tensor.
struct Sets<E> {
    /// The dimensions before the last.
    shape: Shape,
    /// The elements of all rows, one row behind the other.
    values: Vec<E>,
    /// The row-major numbers of the rows that have elements, ascending, and where in `values` each set lies, sorted and
    /// without repetition.
    rows: Vec<(usize, Range<usize>)>,
}

fn text(dims: &[usize]) -> String {
    dims.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

/// Returns all dimensions but the last.
fn group_shape(shape: &Shape) -> Result<Shape> {
    ensure!(shape.rank() >= 2, InvalidArgument, "Shape [{}] has rank {} < 2", text(shape), shape.rank());
    Ok(Shape::new(&shape[..shape.rank() - 1]))
}

/// Moves the first of each run of equal elements to the front, and returns how many there are.
fn distinct<E: Eq>(sorted: &mut [E]) -> usize {
    let mut count = sorted.len().min(1);
    for i in 1..sorted.len() {
        if sorted[i] != sorted[count - 1] {
            sorted.swap(i, count);
            count += 1;
        }
    }
    count
}

impl<E: Member> Sets<E> {
    fn of_dense(threads: Threads, shape: &Shape, values: &[E]) -> Result<Sets<E>> {
        let groups = group_shape(shape)?;
        let width = shape.last().copied().unwrap_or_default();
        let mut own = room(values.len(), "elements of sets")?;
        own.extend_from_slice(values);
        let mut values: Vec<E> = own;
        if values.is_empty() {
            return Ok(Sets { shape: groups, values, rows: Vec::new() });
        }
        let count = values.len() / width;
        let mut sizes = filled(count, 0, "sizes of sets")?;
        let block = (BLOCK / width).max(1);
        try_for_rows_mut(threads, count, block, (&mut values[..], &mut sizes[..]), |_, (values, sizes)| {
            for (row, size) in values.chunks_exact_mut(width).zip(sizes) {
                row.sort_unstable();
                *size = distinct(row);
            }
        })?;
        let rows = sizes.iter().enumerate().map(|(i, size)| (i, i * width..i * width + size)).collect();
        Ok(Sets { shape: groups, values, rows })
    }

    fn of_sparse(coordinates: &Coordinates<'_>, values: &[E], validate: bool) -> Result<Sets<E>> {
        ensure!(coordinates.rank() >= 2, InvalidArgument, "Invalid rank {}.", coordinates.rank());
        if validate {
            coordinates.check_order()?;
        } else {
            coordinates.check_bounds()?;
        }
        let shape = group_shape(&coordinates.shape)?;
        let strides = shape.strides();
        let number = |row: &[i64]| row.iter().zip(&strides).map(|(&i, &s)| i as usize * s).sum::<usize>();
        let mut elements: Vec<_> = coordinates.rows().map(number).zip(values).collect();
        elements.sort_unstable();
        elements.dedup();
        let mut rows = Vec::<(usize, Range<usize>)>::new();
        for (i, (number, _)) in elements.iter().enumerate() {
            match rows.last_mut() {
                Some((last, range)) if last == number => range.end = i + 1,
                _ => rows.push((*number, i..i + 1)),
            }
        }
        Ok(Sets { shape, values: elements.into_iter().map(|(_, value)| value.clone()).collect(), rows })
    }
}

/// An element type of sets, and how a vector of them is read and made.
trait Member: Ord + Clone + Send + Sync + Sized {
    fn slice(t: &Tensor) -> Result<&[Self]>;
    fn vector(values: Vec<Self>) -> Result<Tensor>;
}

macro_rules! members {
    ($($t:ty)*) => {$(
        impl Member for $t {
            fn slice(t: &Tensor) -> Result<&[$t]> {
                t.slice()
            }
            fn vector(values: Vec<$t>) -> Result<Tensor> {
                Tensor::from_slice([values.len()], &values)
            }
        }
    )*};
}
members!(i8 i16 i32 i64 u8 u16);

impl Member for Bytes {
    fn slice(t: &Tensor) -> Result<&[Bytes]> {
        t.strings()
    }
    fn vector(values: Vec<Bytes>) -> Result<Tensor> {
        Tensor::from_strings([values.len()], values)
    }
}

/// The kinds of the two operands.
#[derive(Clone, Copy)]
enum Operands {
    DenseDense,
    DenseSparse,
    SparseSparse,
}

fn sparse<E: Member>(ctx: &KernelContext<'_>, at: usize, validate: bool) -> Result<Sets<E>> {
    let values = ctx.input(at + 1)?;
    Sets::of_sparse(&Coordinates::of(ctx.input(at)?, values, ctx.input(at + 2)?)?, E::slice(values)?, validate)
}

fn dense<E: Member>(ctx: &KernelContext<'_>, at: usize) -> Result<Sets<E>> {
    let t = ctx.input(at)?;
    Sets::of_dense(ctx.threads(), t.shape(), E::slice(t)?)
}

fn combine<E: Member>(ctx: &mut KernelContext<'_>, f: Operation, kinds: Operands, validate: bool) -> Result<()> {
    let (a, b) = match kinds {
        Operands::DenseDense => (dense::<E>(ctx, 0)?, dense::<E>(ctx, 1)?),
        Operands::DenseSparse => (dense::<E>(ctx, 0)?, sparse::<E>(ctx, 1, validate)?),
        Operands::SparseSparse => (sparse::<E>(ctx, 0, validate)?, sparse::<E>(ctx, 3, validate)?),
    };
    ensure!(a.shape == b.shape, InvalidArgument, "Mismatched shapes [{}] vs [{}]", text(&a.shape), text(&b.shape));
    let rank = a.shape.rank() + 1;
    let (mut indices, mut values, mut largest) = (Vec::new(), Vec::new(), 0);
    let strides = a.shape.strides();
    let (mut rows_of_a, mut rows_of_b) = (a.rows.iter().peekable(), b.rows.iter().peekable());
    loop {
        let next = [rows_of_a.peek(), rows_of_b.peek()].into_iter().flatten().map(|(number, _)| *number).min();
        let Some(number) = next else { break };
        let in_a = rows_of_a.next_if(|row| row.0 == number).map_or(0..0, |row| row.1.clone());
        let in_b = rows_of_b.next_if(|row| row.0 == number).map_or(0..0, |row| row.1.clone());
        let start = values.len();
        f.apply(&a.values[in_a], &b.values[in_b], &mut values);
        let count = values.len() - start;
        largest = largest.max(count);
        for k in 0..count {
            indices.extend(strides.iter().zip(a.shape.iter()).map(|(s, d)| (number / s % d) as i64));
            indices.push(k as i64);
        }
    }
    let shape: Shape = a.shape.iter().copied().chain([largest]).collect();
    ctx.set_output(0, matrix(values.len(), rank, &indices)?);
    ctx.set_output(1, E::vector(values)?);
    ctx.set_output(2, shape_vector(&shape)?);
    Ok(())
}

fn operation(init: &KernelInit<'_>, kinds: Operands) -> Result<Box<dyn Kernel>> {
    let f = Operation::named(&init.str("set_operation")?)?;
    let (dtype, validate) = (init.dtype("T")?, init.bool("validate_indices")?);
    if dtype == DType::String {
        return kernel(move |ctx| combine::<Bytes>(ctx, f, kinds, validate));
    }
    dispatch!(dtype, T in [I8, I16, I32, I64, U8, U16], {
        kernel(move |ctx| combine::<T>(ctx, f, kinds, validate))
    }, else Err(init.unsupported()))
}

fn count<E: Member>(ctx: &mut KernelContext<'_>, validate: bool) -> Result<()> {
    let sets = sparse::<E>(ctx, 0, validate)?;
    let mut out = Tensor::zeros(DType::I32, sets.shape)?;
    let sizes = out.slice_mut::<i32>()?;
    for (number, row) in sets.rows {
        sizes[number] = i32::try_from(row.len()).unwrap_or(i32::MAX);
    }
    ctx.set_output(0, out);
    Ok(())
}

fn size(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, validate) = (init.dtype("T")?, init.bool("validate_indices")?);
    if dtype == DType::String {
        return kernel(move |ctx| count::<Bytes>(ctx, validate));
    }
    dispatch!(dtype, T in [I8, I16, I32, I64, U8, U16], {
        kernel(move |ctx| count::<T>(ctx, validate))
    }, else Err(init.unsupported()))
}

/// Sets an unknown shape. TF 1.x: nothing is known of the sizes' shape before the step.
fn size_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    parts(c, 0)?;
    Ok(())
}

fn set_result(c: &mut ShapeContext<'_>, rank: Option<usize>) {
    c.set_output(0, PartialShape::from_dims(&[None, rank]));
    c.set_output(1, PartialShape::vector(None));
    c.set_output(2, PartialShape::vector(rank));
}

fn dense_dense_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (c.input(0)?.with_rank_at_least(2)?, c.input(1)?.with_rank_at_least(2)?);
    let rank = a.rank().or(b.rank());
    if let (Some(rank), Some(a_dims)) = (a.rank(), a.dims()) {
        let b = b.with_rank(rank)?;
        if let Some(b_dims) = b.dims() {
            PartialShape::from_dims(&a_dims[..rank - 1]).merge(&PartialShape::from_dims(&b_dims[..rank - 1]))?;
        }
    }
    set_result(c, rank);
    Ok(())
}

fn dense_sparse_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (dense, sparse) = (c.input(0)?.with_rank_at_least(2)?, parts(c, 1)?);
    if let Some((a, b)) = dense.rank().zip(sparse.rank) {
        ensure!(a == b, InvalidArgument, "Dimension must be {a} but is {b}");
    }
    set_result(c, dense.rank().or(sparse.rank));
    Ok(())
}

fn sparse_sparse_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (a, b) = (parts(c, 0)?.rank, parts(c, 3)?.rank);
    for (i, rank) in [a, b].into_iter().enumerate() {
        if let Some(rank) = rank {
            ensure!(rank >= 2, InvalidArgument, "Input {i}, expected rank >= 2, got {rank}.");
        }
    }
    if let Some((a, b)) = a.zip(b) {
        ensure!(a == b, InvalidArgument, "Dimension must be {a} but is {b}");
    }
    set_result(c, a.or(b));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    const TYPES: &str = "T: {int8, int16, int32, int64, uint8, uint16, string}";
    let sparse = |op: Op, name: &str| {
        op.input(&format!("{name}_indices: int64"))
            .input(&format!("{name}_values: T"))
            .input(&format!("{name}_shape: int64"))
    };
    r.add(
        sparse(Op::new("SetSize"), "set")
            .output("size: int32")
            .attr("validate_indices: bool = true")
            .attr(TYPES)
            .doc("Returns the number of different elements of each innermost row.")
            .shape(size_shape)
            .kernel(size),
    );
    let outputs = |op: Op| {
        op.output("result_indices: int64")
            .output("result_values: T")
            .output("result_shape: int64")
            .attr("set_operation: string")
            .attr("validate_indices: bool = true")
            .attr(TYPES)
            .doc(
                "Returns the union, intersection or difference of the sets in innermost rows of two tensors, in order.",
            )
    };
    r.add(
        outputs(Op::new("DenseToDenseSetOperation").input("set1: T").input("set2: T"))
            .shape(dense_dense_shape)
            .kernel(|init| operation(init, Operands::DenseDense)),
    );
    r.add(
        outputs(sparse(Op::new("DenseToSparseSetOperation").input("set1: T"), "set2"))
            .shape(dense_sparse_shape)
            .kernel(|init| operation(init, Operands::DenseSparse)),
    );
    r.add(
        outputs(sparse(sparse(Op::new("SparseToSparseSetOperation"), "set1"), "set2"))
            .shape(sparse_sparse_shape)
            .kernel(|init| operation(init, Operands::SparseSparse)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn combine(a: &Tensor, b: &Tensor, operation: &str) -> Result<Vec<Tensor>> {
        run("DenseToDenseSetOperation", &[a.clone(), b.clone()], &[("set_operation", AttrValue::Str(operation.into()))])
    }

    #[test]
    fn results_are_sorted_and_without_repetition() {
        let a = Tensor::from_slice([2, 3], &[9i32, 1, 9, 4, 4, 4]).unwrap();
        let b = Tensor::from_slice([2, 2], &[1i32, 5, 4, 4]).unwrap();
        let of = |operation: &str| {
            let out = combine(&a, &b, operation).unwrap();
            let parts = [0, 2].map(|i| out[i].slice::<i64>().unwrap().to_vec());
            (out[1].slice::<i32>().unwrap().to_vec(), parts)
        };
        assert_eq!(of("union"), (vec![1, 5, 9, 4], [vec![0, 0, 0, 1, 0, 2, 1, 0], vec![2, 3]]));
        assert_eq!(of("Intersection"), (vec![1, 4], [vec![0, 0, 1, 0], vec![2, 1]]));
        assert_eq!(of("a-b"), (vec![9], [vec![0, 0], vec![2, 1]]));
        assert_eq!(of("b-a"), (vec![5], [vec![0, 0], vec![2, 1]]));
        let none = Tensor::from_slice([2, 0], &[0i32; 0]).unwrap();
        assert_eq!(combine(&none, &none, "union").unwrap()[2].slice::<i64>().unwrap(), [2, 0]);
        assert!(combine(&a, &b, "product").is_err());
        let other = Tensor::from_slice([1, 2], &[1i32, 5]).unwrap();
        assert!(combine(&a, &other, "union").is_err());
    }

    #[test]
    fn sparse_rows_are_sets_of_strings_too() {
        let word = |s: &str| s.as_bytes().into();
        let indices = Tensor::from_slice([3, 2], &[0i64, 0, 0, 4, 2, 1]).unwrap();
        let values = Tensor::from_strings([3], vec![word("b"), word("a"), word("c")]).unwrap();
        let shape = Tensor::from_slice([2], &[3i64, 5]).unwrap();
        let set = [indices, values, shape];
        let dense = Tensor::from_strings([3, 1], vec![word("a"), word("a"), word("c")]).unwrap();
        let attrs = [("set_operation", AttrValue::Str("a-b".into()))];
        let out = run("DenseToSparseSetOperation", &[&[dense], &set[..]].concat(), &attrs).unwrap();
        assert_eq!((out[0].slice::<i64>().unwrap(), out[1].strings().unwrap()), (&[1, 0][..], &[word("a")][..]));
        let out = run("SparseToSparseSetOperation", &[&set[..], &set[..]].concat(), &attrs).unwrap();
        assert_eq!(out[1].elements(), 0);
        let out = run("SetSize", &set, &[]).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [2, 0, 1]);
    }

    #[test]
    fn the_order_of_indices_is_checked_where_asked() {
        let set = [
            Tensor::from_slice([2, 2], &[1i64, 0, 0, 0]).unwrap(),
            Tensor::from_slice([2], &[1i8, 2]).unwrap(),
            Tensor::from_slice([2], &[2i64, 5]).unwrap(),
        ];
        assert_eq!(run("SetSize", &set, &[]).unwrap_err().message(), "indices[1] = [0,0] is out of order");
        let loose = [("validate_indices", AttrValue::Bool(false))];
        assert_eq!(run("SetSize", &set, &loose).unwrap()[0].slice::<i32>().unwrap(), [1, 1]);
        let mut outside = set;
        outside[2] = Tensor::from_slice([2], &[1i64, 5]).unwrap();
        assert!(run("SetSize", &outside, &loose).is_err());
    }
}
