//! The exchange of tensors that all ranks have: sums in rank order, concatenations, broadcasts.

use crate::operation::{Place, Reduction, Scale};
use crate::transport::{Part, Transport};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::{Binary, Element, Operand, binary_in_place_left};
use ferroflow_tensor::{DType, Result, Scalar, Shape, Tensor, bail, dispatch, elementwise, ensure};
use std::ops::Range;

/// Most bytes of one message; MPI counts them in 32 bits.
const MESSAGE_BYTES: usize = 1 << 28;

/// Parts of a sum begin at multiples of this many elements, so that the loops over them are aligned.
const ALIGNMENT: usize = 64;

/// Replaces a tensor by the scaled sum of the tensors of all ranks.
///
/// Each rank sums one part of the elements, in rank order, and sends the sum to all. So the bits depend neither on the
/// part that an element is in nor on timing. It sends and receives as many bytes as a ring does.
pub(crate) fn sum(
    transport: &mut dyn Transport,
    place: Place,
    tensor: &mut Tensor,
    scale: Scale,
    reduction: Reduction,
    piece_bytes: usize,
) -> Result<()> {
    let dtype = tensor.dtype();
    dispatch!(dtype, T in real, {
        scaled::<T>(tensor, 0..tensor.elements(), Binary::Mul, scale.before)?;
        let ends = |tensor: &mut Tensor, range: Range<usize>| {
            if scale.is_average {
                scaled::<T>(tensor, range.clone(), Binary::Div, place.size as f64)?;
            }
            scaled::<T>(tensor, range, Binary::Mul, scale.after)
        };
        if reduction == Reduction::Library && transport.sum(tensor.writable_bytes()?, dtype)? {
            return ends(tensor, 0..tensor.elements());
        }
        let most = (piece_bytes / dtype.size()).max(1);
        let mut scratch = scratch(dtype, place, tensor.elements().min(most))?;
        let mut start = 0;
        while start < tensor.elements() {
            let end = tensor.elements().min(start + most);
            sum_piece::<T>(transport, place, tensor, start..end, &mut scratch, &ends)?;
            start = end;
        }
        Ok(())
    }, else bail!(InvalidArgument, "tensors of type {} cannot be summed", dtype.name()))
}

/// Returns the sum over a group of one process.
pub(crate) fn sum_alone(mut tensor: Tensor, scale: Scale) -> Result<Tensor> {
    let (dtype, all) = (tensor.dtype(), 0..tensor.elements());
    dispatch!(dtype, T in real, {
        scaled::<T>(&mut tensor, all.clone(), Binary::Mul, scale.before)?;
        scaled::<T>(&mut tensor, all, Binary::Mul, scale.after)?;
        Ok(tensor)
    }, else bail!(InvalidArgument, "tensors of type {} cannot be summed", dtype.name()))
}

/// Returns the elements of each rank's part of a piece.
fn parts(elements: usize, size: usize) -> Vec<usize> {
    let part = elements.div_ceil(size).next_multiple_of(ALIGNMENT);
    (0..size).map(|rank| elements.saturating_sub(rank.saturating_mul(part)).min(part)).collect()
}

/// Returns room for the parts that a rank receives.
fn scratch(dtype: DType, place: Place, elements: usize) -> Result<Tensor> {
    let part = parts(elements, place.size).into_iter().max().unwrap_or(0);
    Tensor::new(dtype, Shape::new(&[part.saturating_mul(place.size - 1)]))
}

fn sum_piece<T: Scalar + Element>(
    transport: &mut dyn Transport,
    place: Place,
    tensor: &mut Tensor,
    piece: Range<usize>,
    scratch: &mut Tensor,
    ends: &impl Fn(&mut Tensor, Range<usize>) -> Result<()>,
) -> Result<()> {
    let parts = parts(piece.len(), place.size);
    let sizes: Vec<usize> = parts.iter().map(|n| n * size_of::<T>()).collect();
    let bytes = piece.start * size_of::<T>()..piece.end * size_of::<T>();
    let own_start = piece.start + parts[..place.rank].iter().sum::<usize>();
    let own = own_start..own_start + parts[place.rank];
    let received = own.len() * (place.size - 1);
    let room = &mut scratch.writable_bytes()?[..received * size_of::<T>()];
    transport.exchange(&tensor.writable_bytes()?[bytes.clone()], &sizes, room)?;
    add_in_rank_order(
        &mut tensor.slice_mut::<T>()?[own.clone()],
        &mut scratch.slice_mut::<T>()?[..received],
        place.rank,
    );
    ends(tensor, own)?;
    transport.gather(&mut tensor.writable_bytes()?[bytes], &sizes)
}

/// Adds the parts of the other ranks to this rank's as if all had been added from the first rank to the last.
fn add_in_rank_order<T: Scalar + Element>(own: &mut [T], others: &mut [T], rank: usize) {
    if own.is_empty() {
        return;
    }
    let add = |a: &mut [T], b: &[T]| binary_in_place_left(Binary::Add, a, Operand::Slice(b));
    let (before, after) = others.split_at_mut(rank * own.len());
    if let Some((first, rest)) = before.split_at_mut_checked(own.len()) {
        rest.chunks_exact(own.len()).for_each(|part| add(first, part));
        add(own, first);
    }
    after.chunks_exact(own.len()).for_each(|part| add(own, part));
}

/// Multiplies or divides a range of the elements by a number, if that changes them.
fn scaled<T: Scalar + Element>(tensor: &mut Tensor, range: Range<usize>, f: Binary, by: f64) -> Result<()> {
    if by != 1.0 {
        let by = elementwise::cast(Tensor::scalar(by), T::DTYPE, Threads::single())?.to_scalar::<T>()?;
        binary_in_place_left(f, &mut tensor.slice_mut::<T>()?[range], Operand::Scalar(by));
    }
    Ok(())
}

/// Sums several tensors of one type in one buffer.
pub(crate) fn sum_together(
    transport: &mut dyn Transport,
    place: Place,
    tensors: &mut [Tensor],
    scale: Scale,
    reduction: Reduction,
    piece_bytes: usize,
) -> Result<()> {
    if let [tensor] = tensors {
        return sum(transport, place, tensor, scale, reduction, piece_bytes);
    }
    let Some(dtype) = tensors.first().map(Tensor::dtype) else { return Ok(()) };
    let total = tensors.iter().map(Tensor::elements).sum::<usize>();
    let mut buffer = Tensor::new(dtype, Shape::new(&[total]))?;
    let mut to = buffer.writable_bytes()?;
    for tensor in tensors.iter() {
        let Some(bytes) = tensor.bytes() else { bail!(Internal, "strings cannot be summed") };
        let (room, rest) = to.split_at_mut(bytes.len());
        room.copy_from_slice(bytes);
        to = rest;
    }
    sum(transport, place, &mut buffer, scale, reduction, piece_bytes)?;
    let Some(mut from) = buffer.bytes() else { bail!(Internal, "strings cannot be summed") };
    for tensor in tensors {
        if !tensor.is_unique() {
            *tensor = Tensor::new(tensor.dtype(), tensor.shape().clone())?;
        }
        let to = tensor.writable_bytes()?;
        let (bytes, rest) = from.split_at(to.len());
        to.copy_from_slice(bytes);
        from = rest;
    }
    Ok(())
}

/// Returns the tensors of all ranks, one after the other along their first dimension.
///
/// Args: `rows`, the first dimension of each rank's tensor.
pub(crate) fn concatenate(
    transport: &mut dyn Transport,
    place: Place,
    tensor: &Tensor,
    rows: &[usize],
) -> Result<Tensor> {
    let dims = tensor.shape().dims();
    ensure!(
        rows.len() == place.size && rows.get(place.rank) == dims.first(),
        Internal,
        "an allgather of {rows:?} rows does not fit a tensor of shape {}",
        tensor.shape()
    );
    let mut all = tensor.shape().dims().to_vec();
    all[0] = rows.iter().sum();
    let Some(own) = tensor.bytes() else { bail!(InvalidArgument, "strings cannot be gathered") };
    let row_bytes = dims[1..].iter().product::<usize>() * tensor.dtype().size();
    let sizes: Vec<usize> = rows.iter().map(|n| n * row_bytes).collect();
    let start = sizes[..place.rank].iter().sum::<usize>();
    received(tensor.dtype(), &all, |bytes| {
        bytes[start..start + own.len()].copy_from_slice(own);
        if bytes.len() <= MESSAGE_BYTES {
            return transport.gather(bytes, &sizes);
        }
        let mut rest = bytes;
        for (root, &size) in sizes.iter().enumerate() {
            let (part, others) = rest.split_at_mut(size);
            broadcast_bytes(transport, place, Part::Receive(part), root)?;
            rest = others;
        }
        Ok(())
    })
}

/// Returns the tensor of rank `root`.
pub(crate) fn broadcast(
    transport: &mut dyn Transport,
    place: Place,
    mut tensor: Tensor,
    root: usize,
) -> Result<Tensor> {
    if place.rank == root {
        let Some(bytes) = tensor.bytes() else { bail!(InvalidArgument, "strings cannot be broadcast") };
        broadcast_bytes(transport, place, Part::Send(bytes), root)?;
        return Ok(tensor);
    }
    if tensor.dtype() != DType::Bool && tensor.is_unique() {
        broadcast_bytes(transport, place, Part::Receive(tensor.writable_bytes()?), root)?;
        return Ok(tensor);
    }
    let dims = tensor.shape().dims().to_vec();
    received(tensor.dtype(), &dims, |bytes| broadcast_bytes(transport, place, Part::Receive(bytes), root))
}

/// Broadcasts bytes in messages of limited size. At the root, `Receive` has the data, too.
fn broadcast_bytes(transport: &mut dyn Transport, place: Place, data: Part<'_>, root: usize) -> Result<()> {
    match data {
        Part::Send(bytes) => bytes.chunks(MESSAGE_BYTES).try_for_each(|b| transport.broadcast(Part::Send(b), root)),
        Part::Receive(bytes) => bytes.chunks_mut(MESSAGE_BYTES).try_for_each(|b| {
            let part = if place.rank == root { Part::Send(b) } else { Part::Receive(b) };
            transport.broadcast(part, root)
        }),
    }
}

/// Returns a tensor whose bytes `fill` writes. Those of bool are checked: other values than 0 and 1 become 1.
fn received(dtype: DType, dims: &[usize], fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Tensor> {
    ensure!(dtype.is_plain(), InvalidArgument, "tensors of type {} cannot be sent", dtype.name());
    if dtype != DType::Bool {
        let mut tensor = Tensor::new(dtype, Shape::new(dims))?;
        fill(tensor.writable_bytes()?)?;
        return Ok(tensor);
    }
    let mut bytes = Tensor::new(DType::U8, Shape::new(dims))?;
    fill(bytes.writable_bytes()?)?;
    let values: Vec<bool> = bytes.slice::<u8>()?.iter().map(|&b| b != 0).collect();
    Tensor::from_slice(Shape::new(dims), &values)
}
