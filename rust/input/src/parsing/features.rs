//! The requested features, their places in an example, and their results: rows of a dense tensor, or the values of a
//! sparse one.

use super::feature::{Element, Feature, by_element};
use crate::wire::{Fields, Malformed, Value, entry};
use ferroflow_graph::{AttrMap, KernelContext};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Status, Tensor, bail, ensure};
use std::collections::HashMap;

/// A requested dense feature.
pub(super) struct Dense {
    pub dtype: DType,
    /// As declared; where its first dimension is unknown, the number of rows differs from example to example.
    pub declared: PartialShape,
    /// Shape of what is of fixed size: the whole, or a row.
    pub row: Shape,
    pub is_ragged: bool,
}

fn check_dtype(dtype: DType) -> Result<()> {
    ensure!(
        matches!(dtype, DType::F32 | DType::I64 | DType::String),
        InvalidArgument,
        "Received input dtype: {}",
        dtype.schema_name()
    );
    Ok(())
}

/// Returns the number in attribute `name`, of features of one kind.
pub(super) fn count_of(attrs: &AttrMap, name: &str) -> Result<usize> {
    match usize::try_from(attrs.int(name)?) {
        Ok(n) => Ok(n),
        Err(_) => bail!(InvalidArgument, "{name} must not be negative"),
    }
}

/// Returns the types of sparse features that attribute `types` lists, of which there are to be `count`.
pub(super) fn sparse_of(attrs: &AttrMap, types: &str, keys: &str, count: usize) -> Result<Vec<DType>> {
    let dtypes = attrs.dtypes(types)?;
    ensure!(dtypes.len() == count, InvalidArgument, "len({keys}) != len({types})");
    dtypes.iter().try_for_each(|&d| check_dtype(d))?;
    Ok(dtypes)
}

/// Returns the dense features that attributes `types` and `shapes` list, of which there are to be `count`.
pub(super) fn dense_of(attrs: &AttrMap, types: &str, shapes: &str, keys: &str, count: usize) -> Result<Vec<Dense>> {
    let (dtypes, declared) = (attrs.dtypes(types)?, attrs.shapes(shapes)?);
    ensure!(dtypes.len() == count, InvalidArgument, "len({keys}) != len({types})");
    ensure!(declared.len() == count, InvalidArgument, "len({keys}) != len({shapes})");
    let dense = |(i, (dtype, declared)): (usize, (DType, PartialShape))| {
        check_dtype(dtype)?;
        let dims = declared.dims().unwrap_or_default();
        let is_ragged = dims.first() == Some(&None);
        let row = PartialShape::from_dims(&dims[usize::from(is_ragged)..]).to_shape();
        match row {
            Some(row) if declared.rank().is_some() => Ok(Dense { dtype, declared, row, is_ragged }),
            _ => bail!(InvalidArgument, "dense_shapes[{i}] has unknown rank or unknown inner dimensions: {declared}"),
        }
    };
    dtypes.into_iter().zip(declared).enumerate().map(dense).collect()
}

/// Errors: `InvalidArgument` if a default does not fit the feature.
pub(super) fn check_default(d: usize, dense: &Dense, default: &Tensor) -> Result<()> {
    if dense.is_ragged {
        ensure!(
            default.elements() == 1,
            InvalidArgument,
            "dense_shape[{d}] is a variable length shape: {}, therefore def_value[{d}] must contain a single element (the \
             padding element).  But its shape is: {}",
            dense.declared,
            default.shape()
        );
    } else if default.elements() > 0 {
        ensure!(
            *default.shape() == dense.row,
            InvalidArgument,
            "def_value[{d}].shape() == {} is not compatible with dense_shapes_[{d}] == {}",
            default.shape(),
            dense.declared
        );
    }
    ensure!(
        default.dtype() == dense.dtype,
        InvalidArgument,
        "dense_defaults[{d}].dtype() == {} != dense_types_[{d}] == {}",
        default.dtype().schema_name(),
        dense.dtype.schema_name()
    );
    Ok(())
}

/// The requested keys, each with its number.
pub(super) struct Keys(HashMap<Bytes, usize>);

impl Keys {
    pub(super) fn new(keys: impl IntoIterator<Item = Bytes>) -> Keys {
        let mut numbers = HashMap::new();
        for (i, key) in keys.into_iter().enumerate() {
            numbers.entry(key).or_insert(i);
        }
        Keys(numbers)
    }

    /// Sets `found[i]` to the value of key `i` in a serialized map; of several values the last counts.
    pub(super) fn find<'a>(&self, map: &'a [u8], found: &mut [Option<&'a [u8]>]) -> Result<(), Malformed> {
        for field in Fields::of(map) {
            if let (1, Value::Bytes(message)) = field? {
                let (key, value) = entry(message)?;
                if let Some(slot) = self.0.get(key).and_then(|&i| found.get_mut(i)) {
                    *slot = Some(value);
                }
            }
        }
        Ok(())
    }

    /// Returns `find` in all maps that field `part` of a serialized example holds.
    pub(super) fn find_in<'a>(
        &self,
        example: &'a [u8],
        part: u32,
        found: &mut [Option<&'a [u8]>],
    ) -> Result<(), Malformed> {
        for field in Fields::of(example) {
            if let (number, Value::Bytes(map)) = field?
                && number == part
            {
                self.find(map, found)?;
            }
        }
        Ok(())
    }
}

/// The message of an error at a key, by the number of the example.
pub(super) type Message<'m, 'a> = &'m (dyn Fn(usize) -> Option<&'a [u8]> + Sync);

/// Returns one column for each key that field `part` of serialized examples has values for. If several examples fail,
/// the first failure is returned.
///
/// `column(k, count, message)` makes column `k` of the first `count` examples.
pub(super) fn columns<'a, C: Send>(
    keys: &[Bytes],
    part: u32,
    serialized: &'a [Bytes],
    threads: Threads,
    column: &(dyn Fn(usize, usize, Message<'_, 'a>) -> Result<C, Failure> + Sync),
) -> Result<Vec<C>> {
    let (width, count) = (keys.len(), serialized.len());
    let numbers = Keys::new(keys.iter().cloned());
    let mut found: Vec<Option<&[u8]>> = vec![None; width * count];
    let mut failure: Option<Failure> = None;
    for (e, (example, found)) in serialized.iter().zip(found.chunks_exact_mut(width.max(1))).enumerate() {
        if numbers.find_in(example, part, found).is_err() {
            failure = Some((e, no_example(example)));
            break;
        }
    }
    // Examples behind an unreadable one are not read: its failure comes first.
    let readable = failure.as_ref().map_or(count, |(e, _)| *e);
    let results: Vec<Mutex<Option<Result<C, Failure>>>> = keys.iter().map(|_| Mutex::new(None)).collect();
    threads.run(width, &|k| {
        let column = column(k, readable, &|e: usize| found.get(e * width + k).copied().flatten());
        *results[k].lock() = Some(column);
    });
    let mut columns = Vec::with_capacity(width);
    for result in results {
        match result.into_inner() {
            Some(Ok(column)) => columns.push(column),
            Some(Err((e, s))) if failure.as_ref().is_none_or(|(first, _)| e < *first) => failure = Some((e, s)),
            Some(Err(_)) => {}
            None => bail!(Internal, "a feature was not parsed"),
        }
    }
    match failure {
        Some((_, s)) => Err(s),
        None => Ok(columns),
    }
}

/// Sets indices, values and shapes of sparse tensors, then dense ones, from output `at` on; returns where it ended.
pub(super) fn set_outputs(ctx: &mut KernelContext<'_>, at: usize, sparse: Vec<Sparse>, dense: Vec<Tensor>) -> usize {
    let (count, end) = (sparse.len(), at + 3 * sparse.len() + dense.len());
    for (s, parts) in sparse.into_iter().enumerate() {
        for (i, part) in parts.into_iter().enumerate() {
            ctx.set_output(at + i * count + s, part);
        }
    }
    for (d, tensor) in dense.into_iter().enumerate() {
        ctx.set_output(at + 3 * count + d, tensor);
    }
    end
}

/// Returns the error for bytes that are no example.
pub(super) fn no_example(serialized: &[u8]) -> Status {
    Status::invalid_argument(format!("Could not parse example input, value: '{}'", String::from_utf8_lossy(serialized)))
}

/// The place of an error: example and key to a beginning of the message.
pub(super) type Place<'a> = &'a (dyn Fn(usize) -> String + Sync);

fn unreadable(place: Place<'_>, e: usize) -> Status {
    Status::invalid_argument(format!("{}Can't parse serialized Example.", place(e)))
}

fn feature<'a>(message: Option<&'a [u8]>, place: Place<'_>, e: usize) -> Result<Feature<'a>> {
    Feature::parse(message.unwrap_or_default()).map_err(|_| unreadable(place, e))
}

/// An example that failed, and how.
pub(super) type Failure = (usize, Status);

/// Returns the rows of a dense feature of fixed size, one for each of `messages`, in a tensor of shape `[messages] +
/// row`.
///
/// `missing(e)` is the error for an example that has no value and no default.
pub(super) fn fixed<'a>(
    dense: &Dense,
    default: &Tensor,
    count: usize,
    message: impl Fn(usize) -> Option<&'a [u8]>,
    place: Place<'_>,
    missing: &dyn Fn(usize) -> String,
) -> Result<Tensor, Failure> {
    by_element!(dense.dtype, T, {
        fixed_of::<T>(dense, default, count, message, place, missing)
    }, else Err((0, Status::internal("no kernel for the type of a feature"))))
}

fn fixed_of<'a, T: Element>(
    dense: &Dense,
    default: &Tensor,
    count: usize,
    message: impl Fn(usize) -> Option<&'a [u8]>,
    place: Place<'_>,
    missing: &dyn Fn(usize) -> String,
) -> Result<Tensor, Failure> {
    let row = dense.row.elements();
    let at = |e: usize| move |s: Status| (e, s);
    let mut dims = vec![count as i64];
    dims.extend(dense.row.to_i64());
    let shape = Shape::checked(&dims).map_err(at(0))?;
    let mut out = Tensor::new(T::DTYPE, shape).map_err(at(0))?;
    let elements = T::slice_mut(&mut out).map_err(at(0))?;
    let default = T::slice(default).map_err(at(0))?;
    for e in 0..count {
        let here = &mut elements[e * row..(e + 1) * row];
        let feature = feature(message(e), place, e).map_err(at(e))?;
        match feature.dtype {
            None if default.is_empty() => return Err((e, Status::invalid_argument(missing(e)))),
            None => here.clone_from_slice(default),
            Some(dtype) if dtype != dense.dtype => {
                let (got, expected) = (dtype.schema_name(), dense.dtype.schema_name());
                let message =
                    format!("{}Data types don't match. Data type: {got} but expected type: {expected}", place(e));
                return Err((e, Status::invalid_argument(message)));
            }
            Some(_) => {
                let mut given = 0;
                let each = |value| {
                    if let Some(to) = here.get_mut(given) {
                        *to = value;
                    }
                    given += 1;
                };
                feature.values::<T>(each).map_err(|_| (e, unreadable(place, e)))?;
                if given != row {
                    let message = format!(
                        "{}Number of {} values != expected.  Values size: {given} but output shape: {}",
                        place(e),
                        T::NAME,
                        dense.declared
                    );
                    return Err((e, Status::invalid_argument(message)));
                }
            }
        }
    }
    Ok(out)
}

/// The values of a feature whose number differs: all of them, and where each example's end.
pub(super) struct Ragged<T> {
    pub values: Vec<T>,
    pub ends: Vec<usize>,
}

impl<T> Ragged<T> {
    /// Returns the number of values each example has.
    pub(super) fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        let starts = std::iter::once(&0).chain(&self.ends);
        self.ends.iter().zip(starts).map(|(end, start)| end - start)
    }
}

/// Returns the values of a feature in each of `count` messages, which are to be of type `T`.
///
/// `mismatch(e, dtype)` is the error for another type.
pub(super) fn ragged<'a, T: Element>(
    count: usize,
    message: impl Fn(usize) -> Option<&'a [u8]>,
    place: Place<'_>,
    mismatch: &dyn Fn(usize, DType) -> String,
) -> Result<Ragged<T>, Failure> {
    let mut out = Ragged { values: Vec::new(), ends: Vec::with_capacity(count) };
    for e in 0..count {
        let feature = feature(message(e), place, e).map_err(|s| (e, s))?;
        if let Some(dtype) = feature.dtype {
            if dtype != T::DTYPE {
                return Err((e, Status::invalid_argument(mismatch(e, dtype))));
            }
            feature.values::<T>(|v| out.values.push(v)).map_err(|_| (e, unreadable(place, e)))?;
        }
        out.ends.push(out.values.len());
    }
    Ok(out)
}

/// Indices, values and shape of a sparse tensor.
pub(super) type Sparse = [Tensor; 3];

/// Returns the values as a sparse tensor with a row for each example; without rows where there is but one example,
/// `single`.
pub(super) fn sparse<T: Element>(ragged: Ragged<T>, single: bool) -> Result<Sparse> {
    let (examples, total) = (ragged.ends.len() as i64, ragged.values.len());
    let longest = ragged.lengths().max().unwrap_or(0) as i64;
    let columns = if single { 1 } else { 2 };
    let mut indices = Tensor::new(DType::I64, [total, columns])?;
    {
        let mut to = indices.slice_mut::<i64>()?.iter_mut();
        for (e, length) in ragged.lengths().enumerate() {
            for k in 0..length {
                let example = if single { None } else { to.next() };
                if let Some(example) = example {
                    *example = e as i64;
                }
                if let Some(position) = to.next() {
                    *position = k as i64;
                }
            }
        }
    }
    let shape = if single { vec![longest] } else { vec![examples, longest] };
    let shape = Tensor::from_slice([columns], &shape)?;
    Ok([indices, T::tensor(Shape::new(&[total]), ragged.values)?, shape])
}

/// Returns the values as rows of a dense tensor, each example's padded to the longest; of one example alone where
/// `single`.
///
/// `uneven(e, n)` is the error for `n` values that are no whole rows.
pub(super) fn padded<T: Element>(
    ragged: Ragged<T>,
    dense: &Dense,
    padding: &Tensor,
    single: bool,
    uneven: &dyn Fn(usize, usize) -> String,
) -> Result<Tensor, Failure> {
    let row = dense.row.elements();
    let at = |e: usize| move |s: Status| (e, s);
    let mut longest = 0;
    for (e, length) in ragged.lengths().enumerate() {
        let rows = length.checked_div(row).unwrap_or(0);
        if rows * row != length {
            return Err((e, Status::invalid_argument(uneven(e, length))));
        }
        longest = longest.max(rows);
    }
    let mut dims: Vec<i64> = if single { vec![] } else { vec![ragged.ends.len() as i64] };
    dims.push(longest as i64);
    dims.extend(dense.row.to_i64());
    let shape = Shape::checked(&dims).map_err(at(0))?;
    if single {
        return T::tensor(shape, ragged.values).map_err(at(0));
    }
    let mut out = Tensor::new(T::DTYPE, shape).map_err(at(0))?;
    let padding = T::slice(padding).map_err(at(0))?.first().cloned().unwrap_or_default();
    let lengths: Vec<usize> = ragged.lengths().collect();
    let mut values = ragged.values.into_iter();
    let width = longest * row;
    let elements = T::slice_mut(&mut out).map_err(at(0))?;
    for (to, length) in elements.chunks_exact_mut(width.max(1)).zip(lengths) {
        let (filled, rest) = to.split_at_mut(length);
        for slot in filled {
            *slot = values.next().unwrap_or_default();
        }
        rest.fill(padding.clone());
    }
    Ok(out)
}
