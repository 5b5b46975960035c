//! `Table`: rows of values found by key, behind one lock.

use ferroflow_sync::RwLock;
use ferroflow_tensor::{Buffer, Bytes, DType, Result, Shape, Status, Tensor, bail, ensure};
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// The kinds of tables: filled once, or changed at will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Static,
    Mutable,
}

/// The types and shapes of a table's keys and values.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub kind: Kind,
    pub key_dtype: DType,
    pub value_dtype: DType,
    pub key_shape: Shape,
    pub value_shape: Shape,
}

/// Row numbers by key.
enum Index {
    /// Keys of at most eight bytes.
    Bits(FxHashMap<u64, usize>),
    /// Not the fast hash: who chooses the words must not choose collisions.
    Words(HashMap<Bytes, usize>),
}

fn bits(key: &[u8]) -> u64 {
    key.iter().rev().fold(0, |bits, &b| bits << 8 | u64::from(b))
}

impl Index {
    fn new(layout: &Layout) -> Index {
        let size = layout.key_dtype.size() * layout.key_shape.elements();
        if (1..=8).contains(&size) { Index::Bits(FxHashMap::default()) } else { Index::Words(HashMap::new()) }
    }

    fn get(&self, key: &[u8]) -> Option<usize> {
        match self {
            Index::Bits(map) => map.get(&bits(key)).copied(),
            Index::Words(map) => map.get(key).copied(),
        }
    }

    fn set(&mut self, key: &[u8], row: usize) {
        match self {
            Index::Bits(map) => map.insert(bits(key), row),
            Index::Words(map) => map.insert(key.into(), row),
        };
    }

    fn remove(&mut self, key: &[u8]) {
        match self {
            Index::Bits(map) => map.remove(&bits(key)),
            Index::Words(map) => map.remove(key),
        };
    }
}

/// Rows of elements of one dtype, each of the same number.
#[derive(Clone)]
enum Column {
    Plain(Vec<u8>),
    Strings(Vec<Bytes>),
}

/// A tensor seen as rows.
enum Rows<'a> {
    Plain { bytes: &'a [u8], width: usize },
    Strings { items: &'a [Bytes], width: usize },
}

impl<'a> Rows<'a> {
    fn new(t: &'a Tensor, shape: &Shape) -> Result<Rows<'a>> {
        Ok(match t.bytes() {
            Some(bytes) => Rows::Plain { bytes, width: shape.elements() * t.dtype().size() },
            None => Rows::Strings { items: t.strings()?, width: shape.elements() },
        })
    }

    fn plain(&self, row: usize) -> &'a [u8] {
        match *self {
            Rows::Plain { bytes, width } => &bytes[row * width..(row + 1) * width],
            Rows::Strings { .. } => &[],
        }
    }

    fn strings(&self, row: usize) -> &'a [Bytes] {
        match *self {
            Rows::Strings { items, width } => &items[row * width..(row + 1) * width],
            Rows::Plain { .. } => &[],
        }
    }

    /// Returns the row as a key: strings one after the other, each behind its length where there are several.
    fn key(&self, row: usize) -> std::borrow::Cow<'a, [u8]> {
        match (self, self.strings(row)) {
            (Rows::Plain { .. }, _) => self.plain(row).into(),
            (_, [one]) => (&**one).into(),
            (_, many) => {
                let each =
                    many.iter().flat_map(|s| (s.len() as u64).to_le_bytes().into_iter().chain(s.iter().copied()));
                each.collect::<Vec<u8>>().into()
            }
        }
    }
}

impl Column {
    fn new(dtype: DType) -> Column {
        if dtype == DType::String { Column::Strings(Vec::new()) } else { Column::Plain(Vec::new()) }
    }

    fn push(&mut self, from: &Rows<'_>, row: usize) {
        match self {
            Column::Plain(all) => all.extend_from_slice(from.plain(row)),
            Column::Strings(all) => all.extend_from_slice(from.strings(row)),
        }
    }

    /// Replaces row `to` by row `row` of `from`.
    fn set(&mut self, to: usize, from: &Rows<'_>, row: usize) {
        match self {
            Column::Plain(all) => {
                let value = from.plain(row);
                all[to * value.len()..(to + 1) * value.len()].copy_from_slice(value);
            }
            Column::Strings(all) => {
                let value = from.strings(row);
                all[to * value.len()..(to + 1) * value.len()].clone_from_slice(value);
            }
        }
    }

    fn holds(&self, at: usize, from: &Rows<'_>, row: usize) -> bool {
        match self {
            Column::Plain(all) => {
                let value = from.plain(row);
                all[at * value.len()..(at + 1) * value.len()] == *value
            }
            Column::Strings(all) => {
                let value = from.strings(row);
                all[at * value.len()..(at + 1) * value.len()] == *value
            }
        }
    }

    /// Removes row `row`; the last one takes its place.
    fn swap_remove(&mut self, row: usize, rows: usize) {
        fn cut<T: Clone>(all: &mut Vec<T>, row: usize, rows: usize) {
            let width = all.len() / rows.max(1);
            let last = all.split_off(all.len() - width);
            if row + 1 < rows {
                all[row * width..(row + 1) * width].clone_from_slice(&last);
            }
        }
        match self {
            Column::Plain(all) => cut(all, row, rows),
            Column::Strings(all) => cut(all, row, rows),
        }
    }

    fn as_rows(&self, width: usize) -> Rows<'_> {
        match self {
            Column::Plain(bytes) => Rows::Plain { bytes, width },
            Column::Strings(items) => Rows::Strings { items, width },
        }
    }

    fn into_tensor(self, dtype: DType, shape: Shape) -> Result<Tensor> {
        match self {
            Column::Strings(all) => Tensor::from_strings(shape, all),
            Column::Plain(all) => {
                let mut buffer = Buffer::new(all.len())?;
                if let Some(to) = buffer.bytes_mut() {
                    to.copy_from_slice(&all);
                }
                Tensor::from_buffer(dtype, shape, buffer)
            }
        }
    }
}

struct State {
    is_initialized: bool,
    index: Index,
    rows: usize,
    keys: Column,
    values: Column,
}

impl State {
    fn new(layout: &Layout) -> State {
        State {
            is_initialized: layout.kind == Kind::Mutable,
            index: Index::new(layout),
            rows: 0,
            keys: Column::new(layout.key_dtype),
            values: Column::new(layout.value_dtype),
        }
    }

    fn insert(&mut self, keys: &Rows<'_>, values: &Rows<'_>, i: usize) {
        let key = keys.key(i);
        match self.index.get(&key) {
            Some(row) => self.values.set(row, values, i),
            None => {
                self.index.set(&key, self.rows);
                self.keys.push(keys, i);
                self.values.push(values, i);
                self.rows += 1;
            }
        }
    }
}

pub(super) struct Table {
    pub layout: Layout,
    /// The keys that TensorFlow's dense table marks free places with, and those of deleted rows.
    reserved: [Option<Bytes>; 2],
    state: RwLock<State>,
}

fn joined(a: &[usize], b: &Shape) -> Shape {
    Shape::new(&a.iter().chain(b.iter()).copied().collect::<Vec<_>>())
}

impl Table {
    pub(super) fn new(layout: Layout) -> Table {
        Table { state: RwLock::new(State::new(&layout)), reserved: [None, None], layout }
    }

    /// Returns a table that refuses the keys `empty` and `deleted`, tensors of the layout's key shape.
    ///
    /// Errors: `InvalidArgument` if the two keys are equal or of different shapes.
    pub(super) fn with_reserved(layout: Layout, empty: &Tensor, deleted: Option<&Tensor>) -> Result<Table> {
        let key = |t: &Tensor| Ok::<Bytes, Status>(Rows::new(t, &layout.key_shape)?.key(0).into_owned().into());
        let free = key(empty)?;
        let deleted = match deleted {
            None => None,
            Some(deleted) => {
                ensure!(
                    deleted.shape() == empty.shape(),
                    InvalidArgument,
                    "Empty and deleted keys must have same shape, got shapes: {} and {}",
                    empty.shape(),
                    deleted.shape()
                );
                let deleted = key(deleted)?;
                ensure!(deleted != free, InvalidArgument, "Empty and deleted keys cannot be equal");
                Some(deleted)
            }
        };
        Ok(Table { reserved: [Some(free), deleted], ..Table::new(layout) })
    }

    fn check_types(&self, keys: DType, values: DType) -> Result<()> {
        let (key, value) = (self.layout.key_dtype, self.layout.value_dtype);
        ensure!(keys == key, InvalidArgument, "Key must be type {} but got {}", key.schema_name(), keys.schema_name());
        ensure!(
            values == value,
            InvalidArgument,
            "Value must be type {} but got {}",
            value.schema_name(),
            values.schema_name()
        );
        Ok(())
    }

    /// Returns the dimensions of a tensor of keys before those of one key.
    fn outer<'a>(&self, keys: &'a Tensor) -> Result<&'a [usize]> {
        let (all, one) = (keys.shape(), &self.layout.key_shape);
        match all.rank().checked_sub(one.rank()) {
            Some(at) if all[at..] == one[..] => Ok(&all[..at]),
            _ => bail!(InvalidArgument, "Input key shape {all} must end with the table's key shape {one}"),
        }
    }

    fn check_key(&self, key: &[u8]) -> Result<()> {
        for (reserved, name) in self.reserved.iter().zip(["empty_key", "deleted_key"]) {
            ensure!(
                reserved.as_deref() != Some(key),
                InvalidArgument,
                "Using the {name} as a table key is not allowed"
            );
        }
        Ok(())
    }

    /// Returns the value of each key, or `default` where there is none.
    pub(super) fn find(&self, keys: &Tensor, default: &Tensor) -> Result<Tensor> {
        self.check_types(keys.dtype(), default.dtype())?;
        let outer = self.outer(keys)?;
        ensure!(
            *default.shape() == self.layout.value_shape,
            InvalidArgument,
            "Expected shape {} for default value, got {}",
            self.layout.value_shape,
            default.shape()
        );
        let count: usize = outer.iter().product();
        let key_rows = Rows::new(keys, &self.layout.key_shape)?;
        let default = Rows::new(default, &self.layout.value_shape)?;
        let state = self.state.read();
        ensure!(state.is_initialized, FailedPrecondition, "Table not initialized.");
        let width = match default {
            Rows::Plain { width, .. } | Rows::Strings { width, .. } => width,
        };
        let values = state.values.as_rows(width);
        let mut out = Column::new(self.layout.value_dtype);
        for i in 0..count {
            let key = key_rows.key(i);
            self.check_key(&key)?;
            match state.index.get(&key) {
                Some(row) => out.push(&values, row),
                None => out.push(&default, 0),
            }
        }
        out.into_tensor(self.layout.value_dtype, joined(outer, &self.layout.value_shape))
    }

    fn checked_rows<'a>(&self, keys: &'a Tensor, values: &'a Tensor) -> Result<(usize, Rows<'a>, Rows<'a>)> {
        self.check_types(keys.dtype(), values.dtype())?;
        let outer = self.outer(keys)?;
        let expected = joined(outer, &self.layout.value_shape);
        ensure!(
            *values.shape() == expected,
            InvalidArgument,
            "Expected shape {expected} for value, got {}",
            values.shape()
        );
        let rows = (Rows::new(keys, &self.layout.key_shape)?, Rows::new(values, &self.layout.value_shape)?);
        for i in 0..outer.iter().product() {
            self.check_key(&rows.0.key(i))?;
        }
        Ok((outer.iter().product(), rows.0, rows.1))
    }

    fn must_be_mutable(&self, what: &str) -> Result<()> {
        ensure!(
            self.layout.kind == Kind::Mutable,
            Unimplemented,
            "{what} not supported by InitializableLookupTable implementations"
        );
        Ok(())
    }

    /// Adds rows; those of keys that are there take the new values.
    pub(super) fn insert(&self, keys: &Tensor, values: &Tensor) -> Result<()> {
        self.must_be_mutable("Insert")?;
        let (count, keys, values) = self.checked_rows(keys, values)?;
        let mut state = self.state.write();
        (0..count).for_each(|i| state.insert(&keys, &values, i));
        Ok(())
    }

    /// Takes the rows of some keys out.
    pub(super) fn remove(&self, keys: &Tensor) -> Result<()> {
        self.must_be_mutable("Remove")?;
        self.check_types(keys.dtype(), self.layout.value_dtype)?;
        let count: usize = self.outer(keys)?.iter().product();
        let keys = Rows::new(keys, &self.layout.key_shape)?;
        let mut state = self.state.write();
        let state = &mut *state;
        let key_width = match keys {
            Rows::Plain { width, .. } | Rows::Strings { width, .. } => width,
        };
        for i in 0..count {
            let key = keys.key(i);
            self.check_key(&key)?;
            let Some(row) = state.index.get(&key) else { continue };
            let last = state.keys.as_rows(key_width).key(state.rows - 1).into_owned();
            state.index.set(&last, row);
            state.index.remove(&key);
            state.keys.swap_remove(row, state.rows);
            state.values.swap_remove(row, state.rows);
            state.rows -= 1;
        }
        Ok(())
    }

    /// Replaces all rows.
    pub(super) fn import(&self, keys: &Tensor, values: &Tensor) -> Result<()> {
        if self.layout.kind == Kind::Static {
            return self.initialize(keys, values);
        }
        let (count, keys, values) = self.checked_rows(keys, values)?;
        let mut fresh = State::new(&self.layout);
        (0..count).for_each(|i| fresh.insert(&keys, &values, i));
        *self.state.write() = fresh;
        Ok(())
    }

    /// Fills a static table, once. TF 1.x: a filled table keeps its rows, and takes as many rows again for the same ones.
    ///
    /// Errors: `FailedPrecondition` if it is filled with another number of rows, or a key has two values. `InvalidArgument`
    /// for a mutable table, and for no rows.
    pub(super) fn initialize(&self, keys: &Tensor, values: &Tensor) -> Result<()> {
        ensure!(self.layout.kind == Kind::Static, InvalidArgument, "Table is not initializable");
        let (count, keys, values) = self.checked_rows(keys, values)?;
        ensure!(count > 0, InvalidArgument, "keys and values cannot be empty tensors.");
        let mut state = self.state.write();
        if state.is_initialized {
            ensure!(count == state.rows, FailedPrecondition, "Table was already initialized with different data.");
            return Ok(());
        }
        let mut fresh = State::new(&self.layout);
        for i in 0..count {
            let key = keys.key(i);
            if let Some(row) = fresh.index.get(&key) {
                ensure!(
                    fresh.values.holds(row, &values, i),
                    FailedPrecondition,
                    "HashTable has different value for same key. Key {} has one and trying to add another",
                    self.shown(&key)
                );
            }
            fresh.insert(&keys, &values, i);
        }
        fresh.is_initialized = true;
        *state = fresh;
        Ok(())
    }

    fn shown(&self, key: &[u8]) -> String {
        match self.layout.key_dtype {
            DType::String => String::from_utf8_lossy(key).into_owned(),
            DType::I32 => (bits(key) as u32 as i32).to_string(),
            _ => (bits(key) as i64).to_string(),
        }
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.state.read().is_initialized
    }

    pub(super) fn rows(&self) -> usize {
        self.state.read().rows
    }

    /// Returns all keys and their values, in the order in which the keys came.
    pub(super) fn export(&self) -> Result<(Tensor, Tensor)> {
        let state = self.state.read();
        ensure!(state.is_initialized, Aborted, "HashTable is not initialized.");
        let (keys, values, rows) = (state.keys.clone(), state.values.clone(), [state.rows]);
        drop(state);
        let l = &self.layout;
        Ok((
            keys.into_tensor(l.key_dtype, joined(&rows, &l.key_shape))?,
            values.into_tensor(l.value_dtype, joined(&rows, &l.value_shape))?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::Code;

    fn words(list: &[&str]) -> Tensor {
        Tensor::from_strings([list.len()], list.iter().map(|s| s.as_bytes().into()).collect()).unwrap()
    }

    fn numbers(list: &[i64]) -> Tensor {
        Tensor::from_slice([list.len()], list).unwrap()
    }

    fn layout(kind: Kind, key_dtype: DType, value_shape: &[usize]) -> Layout {
        let (key_shape, value_shape) = (Shape::scalar(), Shape::new(value_shape));
        Layout { kind, key_dtype, value_dtype: DType::I64, key_shape, value_shape }
    }

    #[test]
    fn a_static_table_keeps_its_first_rows() {
        let t = Table::new(layout(Kind::Static, DType::String, &[]));
        let (keys, default) = (words(&["a", "b"]), Tensor::scalar(-1i64));
        assert_eq!(t.find(&keys, &default).unwrap_err().message(), "Table not initialized.");
        t.initialize(&keys, &numbers(&[0, 1])).unwrap();
        t.initialize(&keys, &numbers(&[5, 6])).unwrap();
        let other = t.initialize(&words(&["a"]), &numbers(&[0])).unwrap_err();
        assert_eq!(other.message(), "Table was already initialized with different data.");
        let nothing = Table::new(layout(Kind::Static, DType::String, &[])).initialize(&words(&[]), &numbers(&[]));
        assert_eq!(nothing.unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(t.insert(&keys, &numbers(&[0, 1])).unwrap_err().code(), Code::Unimplemented);
        assert_eq!(t.find(&words(&["b", "c", "a"]), &default).unwrap(), numbers(&[1, -1, 0]));
        assert!(t.find(&keys, &Tensor::scalar(0i32)).is_err() && t.find(&default, &default).is_err());
    }

    #[test]
    fn a_key_with_two_values_leaves_the_table_unfilled() {
        let t = Table::new(layout(Kind::Static, DType::I64, &[]));
        let e = t.initialize(&numbers(&[7, 8, 7]), &numbers(&[0, 1, 2])).unwrap_err();
        assert!(e.message().starts_with("HashTable has different value for same key. Key 7 "), "{e}");
        assert!(!t.is_initialized());
        t.initialize(&numbers(&[7, 8, 7]), &numbers(&[0, 1, 0])).unwrap();
        assert_eq!(t.rows(), 2);
    }

    #[test]
    fn rows_of_a_mutable_table_are_added_replaced_and_removed() {
        let t = Table::new(layout(Kind::Mutable, DType::I64, &[2]));
        let rows = |v: &[i64]| Tensor::from_slice([v.len() / 2, 2], v).unwrap();
        t.insert(&numbers(&[1, 2, 3]), &rows(&[1, 1, 2, 2, 3, 3])).unwrap();
        t.insert(&numbers(&[2, 4]), &rows(&[5, 5, 4, 4])).unwrap();
        let (keys, values) = t.export().unwrap();
        assert_eq!((keys, values), (numbers(&[1, 2, 3, 4]), rows(&[1, 1, 5, 5, 3, 3, 4, 4])));
        t.remove(&numbers(&[1, 9])).unwrap();
        let default = numbers(&[0, 0]);
        assert_eq!(t.find(&numbers(&[4, 1, 2]), &default).unwrap(), rows(&[4, 4, 0, 0, 5, 5]));
        t.remove(&numbers(&[4, 2, 3])).unwrap();
        assert_eq!(t.rows(), 0);
        t.import(&numbers(&[9]), &rows(&[9, 9])).unwrap();
        assert_eq!(t.find(&numbers(&[9]), &default).unwrap(), rows(&[9, 9]));
        assert!(t.insert(&numbers(&[1]), &numbers(&[1])).is_err());
    }

    #[test]
    fn keys_may_be_vectors_and_two_of_them_are_reserved() {
        let key_shape = Shape::new(&[2]);
        let layout = Layout { key_shape, ..layout(Kind::Mutable, DType::I64, &[]) };
        let equal = Table::with_reserved(layout.clone(), &numbers(&[0, 0]), Some(&numbers(&[0, 0]))).err().unwrap();
        assert_eq!(equal.message(), "Empty and deleted keys cannot be equal");
        let other = Table::with_reserved(layout.clone(), &numbers(&[0, 0]), Some(&numbers(&[1]))).err().unwrap();
        assert_eq!(other.message(), "Empty and deleted keys must have same shape, got shapes: [2] and [1]");
        let t = Table::with_reserved(layout, &numbers(&[0, 0]), Some(&numbers(&[0, 1]))).unwrap();
        let keys = Tensor::from_slice([2, 2], &[1i64, 2, 2, 1]).unwrap();
        t.insert(&keys, &numbers(&[12, 21])).unwrap();
        let keys = Tensor::from_slice([3, 2], &[2i64, 1, 1, 1, 1, 2]).unwrap();
        assert_eq!(t.find(&keys, &Tensor::scalar(-1i64)).unwrap(), numbers(&[21, -1, 12]));
        let e = t.find(&numbers(&[0, 0]), &Tensor::scalar(-1i64)).unwrap_err();
        assert_eq!(e.message(), "Using the empty_key as a table key is not allowed");
        assert!(t.insert(&numbers(&[0, 0]), &Tensor::scalar(1i64)).is_err());
        let e = t.find(&numbers(&[0, 1]), &Tensor::scalar(-1i64)).unwrap_err();
        assert_eq!(e.message(), "Using the deleted_key as a table key is not allowed");
    }
}
