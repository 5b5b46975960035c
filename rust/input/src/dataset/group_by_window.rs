//! GroupByWindowDataset: elements gathered by a key, and a dataset made of each full window of them.

use super::function::Captured;
use super::position::{Made, Position};
use super::saved::{Reader, Saved, Writer};
use super::schema::{described, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, DatasetValue, Element, Pull, SharedDataset, Signature, dataset_input,
    dataset_kernel,
};
use super::window::Elements;
use ferroflow_graph::Registry;
use ferroflow_tensor::{DType, Result, Tensor, bail, ensure};
use std::collections::BTreeMap;
use std::sync::Arc;

struct Functions {
    key: Arc<Captured>,
    reduce: Arc<Captured>,
    window_size: Arc<Captured>,
    signature: Signature,
}

struct GroupByWindow {
    input: SharedDataset,
    functions: Arc<Functions>,
}

struct Group {
    elements: Vec<Element>,
    size: usize,
}

impl Saved for Group {
    fn put(&self, to: &mut Writer) -> Result<()> {
        self.elements.put(to)?;
        self.size.put(to)
    }

    fn get(from: &mut Reader<'_>) -> Result<Group> {
        Ok(Group { elements: Vec::get(from)?, size: usize::get(from)? })
    }
}

/// The elements of one key, and the number of windows before.
#[derive(Clone)]
struct Window {
    key: i64,
    number: u64,
    elements: Arc<[Element]>,
}

impl Saved for Window {
    fn put(&self, to: &mut Writer) -> Result<()> {
        self.key.put(to)?;
        self.number.put(to)?;
        self.elements.to_vec().put(to)
    }

    fn get(from: &mut Reader<'_>) -> Result<Window> {
        Ok(Window { key: i64::get(from)?, number: u64::get(from)?, elements: Vec::get(from)?.into() })
    }
}

impl Functions {
    /// Returns an iterator of the dataset that `reduce_func` makes of a window.
    fn reduced(&self, window: &Window, pull: Pull<'_>) -> Result<BoxedIterator> {
        let dataset = SharedDataset::new(Elements(window.elements.clone()));
        let value = DatasetValue { dataset, signature: self.signature.clone(), recipe: None };
        let arguments = [Tensor::scalar(window.key), value.into_tensor()?];
        Ok(self.reduce.dataset(arguments, window.number, pull, "`reduce_func`")?.dataset.iterator())
    }
}

struct GroupByWindowIterator {
    input: Option<BoxedIterator>,
    /// Taken from the input, and in no group yet.
    element: Option<Element>,
    /// The key of a group that is full.
    full: Option<i64>,
    functions: Arc<Functions>,
    groups: BTreeMap<i64, Group>,
    /// Requested window sizes.
    sizes: BTreeMap<i64, usize>,
    current: Option<Made<Window>>,
    /// Windows made so far.
    windows: u64,
}

impl Dataset for GroupByWindow {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(GroupByWindowIterator {
            input: Some(self.input.iterator()),
            element: None,
            full: None,
            functions: self.functions.clone(),
            groups: BTreeMap::new(),
            sizes: BTreeMap::new(),
            current: None,
            windows: 0,
        })
    }
}

/// Returns the number that a function's only result holds.
pub(super) fn scalar_result(results: &[Tensor], function: &str) -> Result<i64> {
    match results {
        [one] if one.dtype() == DType::I64 && one.rank() == 0 => one.to_scalar(),
        _ => bail!(InvalidArgument, "`{function}` must return a scalar int64."),
    }
}

impl GroupByWindowIterator {
    fn window_size(&mut self, key: i64, pull: Pull<'_>) -> Result<usize> {
        if let Some(&size) = self.sizes.get(&key) {
            return Ok(size);
        }
        let results = self.functions.window_size.call([Tensor::scalar(key)], pull)?;
        let size = scalar_result(&results, "window_size_func")?;
        ensure!(size > 0, InvalidArgument, "Window size must be greater than zero, but got {size}.");
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        self.sizes.insert(key, size);
        Ok(size)
    }

    /// Returns the key of an element and the size of its windows.
    fn key_and_size(&mut self, element: &Element, pull: Pull<'_>) -> Result<(i64, usize)> {
        let results = self.functions.key.call(element.iter().cloned(), pull)?;
        let key = scalar_result(&results, "key_func")?;
        Ok((key, self.window_size(key, pull)?))
    }

    /// Takes an element to its group; the group's key where that is full now.
    fn gather(&mut self, element: Element, pull: Pull<'_>) -> Result<Option<i64>> {
        let (key, size) = match self.key_and_size(&element, pull) {
            Ok(found) => found,
            Err(e) => {
                self.element = pull.is_interrupted().then_some(element);
                return Err(e);
            }
        };
        let group = self.groups.entry(key).or_insert_with(|| Group { elements: Vec::new(), size });
        group.elements.push(element);
        Ok((group.elements.len() >= group.size).then_some(key))
    }

    fn begin_window(&mut self, key: i64, elements: Arc<[Element]>, pull: Pull<'_>) -> Result<()> {
        let window = Window { key, number: self.windows, elements };
        let iterator = self.functions.reduced(&window, pull)?;
        self.windows += 1;
        self.current = Some(Made { arguments: window, iterator });
        Ok(())
    }
}

impl DatasetIterator for GroupByWindowIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        loop {
            pull.check()?;
            if let Some(current) = &mut self.current {
                if let Some(element) = current.iterator.next(pull)? {
                    return Ok(Some(element));
                }
                self.current = None;
            }
            let full = if let Some(key) = self.full.take() {
                Some(key)
            } else if let Some(element) = self.element.take() {
                self.gather(element, pull)?
            } else if let Some(input) = &mut self.input {
                match input.next(pull)? {
                    Some(element) => self.gather(element, pull)?,
                    None => {
                        self.input = None;
                        continue;
                    }
                }
            } else {
                // The remaining groups, by ascending key.
                match self.groups.keys().next() {
                    Some(&key) => Some(key),
                    None => return Ok(None),
                }
            };
            if let Some(key) = full
                && let Some(Group { elements, size }) = self.groups.remove(&key)
            {
                let elements: Arc<[Element]> = elements.into();
                let begun = self.begin_window(key, elements.clone(), pull);
                if begun.is_err() && pull.is_interrupted() {
                    self.groups.insert(key, Group { elements: elements.to_vec(), size });
                    self.full = Some(key);
                }
                begun?;
            }
        }
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.until_its_end(&mut self.input, |input, position| position.iterator(input))?;
        position.value(&mut self.element)?;
        position.value(&mut self.full)?;
        position.value(&mut self.groups)?;
        position.value(&mut self.sizes)?;
        position.value(&mut self.windows)?;
        let functions = &self.functions;
        position.made(&mut self.current, |window, pull| functions.reduced(&window, pull))
    }
}

pub(super) fn register(r: &mut Registry) {
    let op = unary("GroupByWindowDataset")
        .input("key_func_other_arguments: Tkey_func_other_arguments")
        .input("reduce_func_other_arguments: Treduce_func_other_arguments")
        .input("window_size_func_other_arguments: Twindow_size_func_other_arguments")
        .attr("key_func: func")
        .attr("reduce_func: func")
        .attr("window_size_func: func")
        .attr("Tkey_func_other_arguments: list(type) >= 0")
        .attr("Treduce_func_other_arguments: list(type) >= 0")
        .attr("Twindow_size_func_other_arguments: list(type) >= 0");
    r.add(
        described(op)
            .doc("Returns the elements of the datasets that `reduce_func` makes of windows of elements with one key.")
            .kernel(|init| {
                let names = [init.func("key_func")?, init.func("reduce_func")?, init.func("window_size_func")?];
                let [key, reduce, window_size] = names.map(|f| f.name);
                let keys = 1 + init.dtypes("Tkey_func_other_arguments")?.len();
                let reduces = keys + init.dtypes("Treduce_func_other_arguments")?.len();
                dataset_kernel(init, move |ctx| {
                    let input = dataset_input(ctx, 0)?;
                    let functions = Functions {
                        key: Captured::new(ctx, &key, 1..keys)?,
                        reduce: Captured::new(ctx, &reduce, keys..reduces)?,
                        window_size: Captured::new(ctx, &window_size, reduces..ctx.num_inputs())?,
                        signature: input.signature,
                    };
                    Ok(GroupByWindow { input: input.dataset, functions: Arc::new(functions) })
                })
            }),
    );
}
