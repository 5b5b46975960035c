//! ParseSequenceExample: contexts and feature lists of a batch of serialized `tf.train.SequenceExample` messages.

use super::feature::{Element, Feature, by_element};
use super::features::{Dense, Failure, Message, Sparse, columns, fixed, ragged, set_outputs, sparse};
use super::sequence_features::{
    SequenceConfig, check_context_default, check_type, described, fill, list, no_kernel, set_shapes, unreadable,
};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, Result, Shape, Status, Tensor, bail, ensure};
use std::collections::HashSet;

/// The values of a feature; a dense feature list also has the number of steps of each example.
enum Column {
    Sparse(Sparse),
    Dense(Tensor),
    Steps(Tensor, Tensor),
}

struct Parser<'a> {
    config: &'a SequenceConfig,
    names: &'a [Bytes],
    context_keys: &'a [Bytes],
    list_keys: &'a [Bytes],
    /// The feature lists that an example may lack.
    may_lack: &'a HashSet<Bytes>,
}

/// Returns a key as text.
fn text(keys: &[Bytes], k: usize) -> String {
    keys.get(k).map(|key| String::from_utf8_lossy(key).into_owned()).unwrap_or_default()
}

impl Parser<'_> {
    fn name(&self, e: usize) -> String {
        self.names.get(e).map_or("<unknown>".into(), |n| String::from_utf8_lossy(n).into_owned())
    }

    /// Returns the values of context feature `k`.
    fn context(
        &self,
        k: usize,
        count: usize,
        message: Message<'_, '_>,
        defaults: &[Tensor],
    ) -> Result<Column, Failure> {
        let key = text(self.context_keys, k);
        let place = |e: usize| format!("Name: {}, Context feature: {key}.  ", self.name(e));
        if let Some(&dtype) = self.config.context_sparse.get(k) {
            let mismatch =
                |e: usize, _| format!("{}Data types don't match. Expected type: {}", place(e), dtype.schema_name());
            return by_element!(dtype, T, {
                let ragged = ragged::<T>(count, message, &place, &mismatch)?;
                sparse(ragged, false).map(Column::Sparse).map_err(|s| (0, s))
            }, else no_kernel().map_err(|s| (0, s)));
        }
        let d = k - self.config.context_sparse.len();
        let (Some(dense), Some(default)) = (self.config.context_dense.get(d), defaults.get(d)) else {
            return no_kernel().map_err(|s| (0, s));
        };
        let missing =
            |e: usize| format!("Name: {}, Context feature '{key}' is required but could not be found.", self.name(e));
        fixed(dense, default, count, message, &place, &missing).map(Column::Dense)
    }

    /// Returns the steps of feature list `k`.
    fn list(&self, k: usize, count: usize, message: Message<'_, '_>) -> Result<Column, Failure> {
        let mut all = Vec::with_capacity(count);
        let is_dense = k >= self.config.list_sparse.len();
        let may_lack = !is_dense || self.list_keys.get(k).is_some_and(|key| self.may_lack.contains(key));
        for e in 0..count {
            let message = message(e);
            if message.is_none() && !may_lack {
                let (name, key) = (self.name(e), text(self.list_keys, k));
                return Err((
                    e,
                    Status::invalid_argument(format!(
                        "Name: {name}, Feature list '{key}' is required but could not be found.  Did you mean to \
                         include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
                    )),
                ));
            }
            let features = list(message.unwrap_or_default()).map_err(|_| (e, unreadable(&self.place(e, k))))?;
            all.push(features);
        }
        if let Some(&dtype) = self.config.list_sparse.get(k) {
            return by_element!(dtype, T, {
                self.sparse_list::<T>(k, &all)
            }, else no_kernel().map_err(|s| (0, s)));
        }
        match self.config.list_dense.get(k - self.config.list_sparse.len()) {
            Some(dense) => by_element!(dense.dtype, T, {
                self.dense_list::<T>(k, dense, &all)
            }, else no_kernel().map_err(|s| (0, s))),
            None => no_kernel().map_err(|s| (0, s)),
        }
    }

    fn place(&self, e: usize, k: usize) -> String {
        format!("Name: {}, Feature list: {}", self.name(e), text(self.list_keys, k))
    }

    fn sparse_list<T: Element>(&self, k: usize, all: &[Vec<Feature<'_>>]) -> Result<Column, Failure> {
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        let mut longest = 0;
        for (e, features) in all.iter().enumerate() {
            for (t, feature) in features.iter().enumerate() {
                let place = || format!("{}, Index: {t}", self.place(e, k));
                if feature.dtype.is_some_and(|d| d != T::DTYPE) {
                    check_type(feature, T::DTYPE, &place()).map_err(|s| (e, s))?;
                }
                let before = values.len();
                feature.values::<T>(|v| values.push(v)).map_err(|_| (e, unreadable(&place())))?;
                longest = longest.max(values.len() - before);
                indices.extend((0..values.len() - before).flat_map(|i| [e as i64, t as i64, i as i64]));
            }
        }
        let steps = all.iter().map(Vec::len).max().unwrap_or(0);
        let shape = [all.len() as i64, steps as i64, longest as i64];
        let parts = || -> Result<Sparse> {
            let indices = Tensor::from_slice([values.len(), 3], &indices)?;
            let count = Shape::new(&[values.len()]);
            Ok([indices, T::tensor(count, values)?, Tensor::from_slice([3], &shape)?])
        };
        parts().map(Column::Sparse).map_err(|s| (0, s))
    }

    fn dense_list<T: Element>(&self, k: usize, dense: &Dense, all: &[Vec<Feature<'_>>]) -> Result<Column, Failure> {
        let first = |s: Status| (0, s);
        let steps = all.iter().map(Vec::len).max().unwrap_or(0);
        let mut dims = vec![all.len() as i64, steps as i64];
        dims.extend(dense.row.to_i64());
        // Zeros and empty strings where an example has fewer steps.
        let mut out = Tensor::zeros(T::DTYPE, Shape::checked(&dims).map_err(first)?).map_err(first)?;
        let row = dense.row.elements();
        let elements = T::slice_mut(&mut out).map_err(first)?;
        for (e, features) in all.iter().enumerate() {
            for (t, feature) in features.iter().enumerate() {
                let at = (e * steps + t) * row;
                if feature.dtype != Some(T::DTYPE) {
                    check_type(feature, T::DTYPE, &format!("{}, Index: {t}", self.place(e, k))).map_err(|s| (e, s))?;
                }
                let place = || format!("Name: {}, Key: {}, Index: {t}", self.name(e), text(self.list_keys, k));
                fill(&mut elements[at..at + row], feature, &place, &dense.row).map_err(|s| (e, s))?;
            }
        }
        let lengths: Vec<i64> = all.iter().map(|features| features.len() as i64).collect();
        let lengths = Tensor::from_slice([lengths.len()], &lengths).map_err(first)?;
        Ok(Column::Steps(out, lengths))
    }
}

fn keys_of(init: &KernelInit<'_>, names: [(&str, usize); 2]) -> Result<Vec<Bytes>> {
    let mut all = Vec::new();
    for (name, count) in names {
        let keys = init.bytes_list(name)?;
        ensure!(keys.len() == count, InvalidArgument, "len({name}) is {} and not {count}", keys.len());
        all.extend(keys.into_iter().map(Bytes::from_vec));
    }
    Ok(all)
}

fn parse(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let config = SequenceConfig::of(init)?;
    let context_keys = keys_of(
        init,
        [("context_sparse_keys", config.context_sparse.len()), ("context_dense_keys", config.context_dense.len())],
    )?;
    let list_keys = keys_of(
        init,
        [("feature_list_sparse_keys", config.list_sparse.len()), ("feature_list_dense_keys", config.list_dense.len())],
    )?;
    let may_lack = init.bytes_list("feature_list_dense_missing_assumed_empty")?;
    let may_lack: HashSet<Bytes> = may_lack.into_iter().map(Bytes::from_vec).collect();
    kernel(move |ctx| {
        let [serialized, names, defaults @ ..] = ctx.inputs() else {
            bail!(Internal, "ParseSequenceExample lacks inputs")
        };
        ensure!(
            serialized.rank() == 1,
            InvalidArgument,
            "Expected serialized to be a vector, got shape: {}",
            serialized.shape()
        );
        ensure!(
            names.elements() == 0 || (names.rank() == 1 && names.elements() == serialized.elements()),
            InvalidArgument,
            "example_names must be empty or have the correct number of elements"
        );
        for (d, (dense, default)) in config.context_dense.iter().zip(defaults).enumerate() {
            check_context_default(d, dense, default)?;
        }
        let parser = Parser {
            config: &config,
            names: names.strings()?,
            context_keys: &context_keys,
            list_keys: &list_keys,
            may_lack: &may_lack,
        };
        let serialized = serialized.strings()?;
        let contexts = columns(&context_keys, 1, serialized, ctx.threads(), &|k, count, message| {
            parser.context(k, count, message, defaults)
        })?;
        let lists =
            columns(&list_keys, 2, serialized, ctx.threads(), &|k, count, message| parser.list(k, count, message))?;
        let mut at = 0;
        let mut lengths = Vec::new();
        for group in [contexts, lists] {
            let (mut sparse, mut dense) = (Vec::new(), Vec::new());
            for column in group {
                match column {
                    Column::Sparse(parts) => sparse.push(parts),
                    Column::Dense(tensor) => dense.push(tensor),
                    Column::Steps(tensor, steps) => {
                        dense.push(tensor);
                        lengths.push(steps);
                    }
                }
            }
            at = set_outputs(ctx, at, sparse, dense);
        }
        for (i, steps) in lengths.into_iter().enumerate() {
            ctx.set_output(at + i, steps);
        }
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    SequenceConfig::of(c)?;
    let batch = c.input(0)?.with_rank(1)?;
    c.input(1)?.with_rank(1)?;
    let at = set_shapes(c, &batch)?;
    for i in 0..c.dtypes("feature_list_dense_types")?.len() {
        c.set_output(at + i, batch.clone());
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(
            Op::new("ParseSequenceExample")
                .input("serialized: string")
                .input("debug_name: string")
                .input("context_dense_defaults: Tcontext_dense")
                .attr("feature_list_dense_missing_assumed_empty: list(string) >= 0")
                .attr("context_sparse_keys: list(string) >= 0")
                .attr("context_dense_keys: list(string) >= 0")
                .attr("feature_list_sparse_keys: list(string) >= 0")
                .attr("feature_list_dense_keys: list(string) >= 0"),
        )
        .output("feature_list_dense_lengths: Nfeature_list_dense * int64")
        .doc("Returns the contexts and the feature lists of a batch of serialized sequence examples.")
        .shape(shape)
        .kernel(parse),
    );
}
