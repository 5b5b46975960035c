//! ParseSingleSequenceExample: context and feature lists of a serialized `tf.train.SequenceExample` as tensors.

use super::feature::{Element, Feature, by_element};
use super::features::{Keys, Ragged, Sparse, no_example, set_outputs, sparse};
use super::sequence_features::{
    SequenceConfig, check_context_default, check_type, described, fill, list, no_kernel, set_shapes, unreadable,
};
use crate::wire::Malformed;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Tensor, bail, ensure};
use std::collections::HashSet;

/// Keys and what was found for them, sparse ones first.
struct Found<'a> {
    keys: Vec<Bytes>,
    messages: Vec<Option<&'a [u8]>>,
}

impl<'a> Found<'a> {
    /// Collects the parts of a message that field `part` holds.
    fn new(keys: Vec<Bytes>, example: &'a [u8], part: u32) -> Result<Found<'a>, Malformed> {
        let numbers = Keys::new(keys.iter().cloned());
        let mut messages = vec![None; keys.len()];
        numbers.find_in(example, part, &mut messages)?;
        Ok(Found { keys, messages })
    }

    fn key(&self, i: usize) -> String {
        self.keys.get(i).map(|k| String::from_utf8_lossy(k).into_owned()).unwrap_or_default()
    }

    fn message(&self, i: usize) -> Option<&'a [u8]> {
        self.messages.get(i).copied().flatten()
    }
}

struct Parser<'a> {
    config: &'a SequenceConfig,
    name: String,
}

impl Parser<'_> {
    fn context_dense(&self, found: &Found<'_>, defaults: &[Tensor]) -> Result<Vec<Tensor>> {
        let offset = self.config.context_sparse.len();
        let mut out = Vec::new();
        for (d, (dense, default)) in self.config.context_dense.iter().zip(defaults).enumerate() {
            let key = found.key(offset + d);
            let Some(message) = found.message(offset + d) else {
                ensure!(
                    default.elements() > 0,
                    InvalidArgument,
                    "Name: {}, Context feature '{key}' is required but could not be found.",
                    self.name
                );
                out.push(default.clone());
                continue;
            };
            let place = format!("Name: {}, Context feature: {key}", self.name);
            let feature = Feature::parse(message).map_err(|_| unreadable(&place))?;
            check_type(&feature, dense.dtype, &place)?;
            let mut tensor = Tensor::new(dense.dtype, dense.row.clone())?;
            let place = || format!("Name: {}, Key: {key}, Index: 0", self.name);
            by_element!(dense.dtype, T, {
                fill(<T as Element>::slice_mut(&mut tensor)?, &feature, &place, &dense.row)?
            }, else no_kernel()?);
            out.push(tensor);
        }
        Ok(out)
    }

    fn context_sparse(&self, found: &Found<'_>) -> Result<Vec<Sparse>> {
        let one = |(i, &dtype): (usize, &DType)| {
            let place = format!("Name: {}, Context feature: {}", self.name, found.key(i));
            let message = found.message(i).unwrap_or_default();
            let feature = Feature::parse(message).map_err(|_| unreadable(&place))?;
            if feature.dtype.is_some() {
                check_type(&feature, dtype, &place)?;
            }
            by_element!(dtype, T, {
                let values = feature.vector::<T>().map_err(|_| unreadable(&place))?;
                let ends = vec![values.len()];
                sparse(Ragged { values, ends }, true)
            }, else no_kernel())
        };
        self.config.context_sparse.iter().enumerate().map(one).collect()
    }

    fn list_dense(&self, found: &Found<'_>, may_lack: &HashSet<&[u8]>) -> Result<Vec<Tensor>> {
        let offset = self.config.list_sparse.len();
        let mut out = Vec::new();
        for (d, dense) in self.config.list_dense.iter().enumerate() {
            let key = found.key(offset + d);
            let message = found.message(offset + d);
            ensure!(
                message.is_some() || found.keys.get(offset + d).is_some_and(|k| may_lack.contains(&k[..])),
                InvalidArgument,
                "Name: {}, Feature list '{key}' is required but could not be found.  Did you mean to include it in \
                 feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
                self.name
            );
            let place = format!("Name: {}, Feature list: {key}", self.name);
            let features = list(message.unwrap_or_default()).map_err(|_| unreadable(&place))?;
            let mut dims = vec![features.len() as i64];
            dims.extend(dense.row.to_i64());
            let mut tensor = Tensor::new(dense.dtype, Shape::checked(&dims)?)?;
            let row = dense.row.elements();
            by_element!(dense.dtype, T, {
                let elements = <T as Element>::slice_mut(&mut tensor)?;
                for (t, feature) in features.iter().enumerate() {
                    check_type(feature, dense.dtype, &format!("{place}, Index: {t}"))?;
                    let place = || format!("Name: {}, Key: {key}, Index: {t}", self.name);
                    fill(&mut elements[t * row..(t + 1) * row], feature, &place, &dense.row)?;
                }
            }, else no_kernel()?);
            out.push(tensor);
        }
        Ok(out)
    }

    fn list_sparse(&self, found: &Found<'_>) -> Result<Vec<Sparse>> {
        let one = |(i, &dtype): (usize, &DType)| {
            let place = format!("Name: {}, Feature List: {}", self.name, found.key(i));
            let features = list(found.message(i).unwrap_or_default()).map_err(|_| unreadable(&place))?;
            by_element!(dtype, T, {
                let mut ragged: Ragged<T> = Ragged { values: Vec::new(), ends: Vec::new() };
                for (t, feature) in features.iter().enumerate() {
                    if feature.dtype.is_some() {
                        check_type(feature, dtype, &format!("{place}, Index: {t}"))?;
                    }
                    feature.values::<T>(|v| ragged.values.push(v)).map_err(|_| unreadable(&place))?;
                    ragged.ends.push(ragged.values.len());
                }
                sparse(ragged, false)
            }, else no_kernel())
        };
        self.config.list_sparse.iter().enumerate().map(one).collect()
    }
}

fn scalar<'a>(t: &'a Tensor, what: &str) -> Result<&'a Bytes> {
    match (t.rank(), t.strings()?) {
        (0, [one]) => Ok(one),
        _ => bail!(InvalidArgument, "Expected {what} to be a scalar, got shape: {}", t.shape()),
    }
}

fn keys_of(inputs: &[Tensor], what: &str) -> Result<Vec<Bytes>> {
    inputs.iter().enumerate().map(|(i, t)| scalar(t, &format!("{what}[{i}]")).cloned()).collect()
}

fn parse(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let config = SequenceConfig::of(init)?;
    let counts =
        [config.context_sparse.len(), config.context_dense.len(), config.list_sparse.len(), config.list_dense.len()];
    kernel(move |ctx| {
        let inputs = ctx.inputs();
        let mut groups = Vec::new();
        let mut rest = inputs.get(2..).unwrap_or_default();
        for count in counts.into_iter().chain([config.context_dense.len()]) {
            let Some((group, after)) = rest.split_at_checked(count) else {
                bail!(Internal, "ParseSingleSequenceExample lacks inputs")
            };
            groups.push(group);
            rest = after;
        }
        let ([serialized, may_lack, ..], [debug_name], [cs, cd, ls, ld, defaults]) = (inputs, rest, &groups[..]) else {
            bail!(Internal, "ParseSingleSequenceExample lacks inputs")
        };
        let context_keys = [keys_of(cs, "context_sparse_keys")?, keys_of(cd, "context_dense_keys")?].concat();
        let list_keys = [keys_of(ls, "feature_list_sparse_keys")?, keys_of(ld, "feature_list_dense_keys")?].concat();
        ensure!(
            may_lack.rank() == 1,
            InvalidArgument,
            "Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: {}",
            may_lack.shape()
        );
        let name = match debug_name.elements() {
            0 => "<unknown>".to_owned(),
            _ => String::from_utf8_lossy(scalar(debug_name, "debug_name")?).into_owned(),
        };
        let serialized = scalar(serialized, "serialized")?;
        for (d, (dense, default)) in config.context_dense.iter().zip(*defaults).enumerate() {
            check_context_default(d, dense, default)?;
        }
        let context = Found::new(context_keys, serialized, 1).map_err(|_| no_example(serialized))?;
        let lists = Found::new(list_keys, serialized, 2).map_err(|_| no_example(serialized))?;
        let may_lack: HashSet<&[u8]> = may_lack.strings()?.iter().map(|k| &k[..]).collect();
        let parser = Parser { config: &config, name };
        let context_dense = parser.context_dense(&context, defaults)?;
        let context_sparse = parser.context_sparse(&context)?;
        let list_dense = parser.list_dense(&lists, &may_lack)?;
        let list_sparse = parser.list_sparse(&lists)?;
        let end = set_outputs(ctx, 0, context_sparse, context_dense);
        set_outputs(ctx, end, list_sparse, list_dense);
        Ok(())
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    SequenceConfig::of(c)?;
    c.input(0)?.with_rank(0)?;
    c.input(1)?.with_rank(1)?;
    set_shapes(c, &PartialShape::scalar())?;
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(
            Op::new("ParseSingleSequenceExample")
                .input("serialized: string")
                .input("feature_list_dense_missing_assumed_empty: string")
                .input("context_sparse_keys: Ncontext_sparse * string")
                .input("context_dense_keys: Ncontext_dense * string")
                .input("feature_list_sparse_keys: Nfeature_list_sparse * string")
                .input("feature_list_dense_keys: Nfeature_list_dense * string")
                .input("context_dense_defaults: Tcontext_dense")
                .input("debug_name: string"),
        )
        .doc("Returns the context and the feature lists of one serialized sequence example.")
        .shape(shape)
        .kernel(parse),
    );
}
