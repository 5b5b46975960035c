//! ParseSingleSequenceExample: context and feature lists of a serialized `tf.train.SequenceExample` as tensors.

use super::feature::{Element, Feature, by_element};
use super::features::{Dense, Keys, Ragged, Sparse, dense_of, no_example, sparse, sparse_of};
use crate::wire::{Fields, Malformed, Value};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Shape, Status, Tensor, bail, ensure};
use std::collections::HashSet;

struct Wanted {
    context_sparse: Vec<DType>,
    context_dense: Vec<Dense>,
    list_sparse: Vec<DType>,
    list_dense: Vec<Dense>,
}

fn count_of(init: &KernelInit<'_>, name: &str) -> Result<usize> {
    match usize::try_from(init.int(name)?) {
        Ok(n) => Ok(n),
        Err(_) => bail!(InvalidArgument, "{name} must not be negative"),
    }
}

/// Keys and what was found for them, sparse ones first.
struct Found<'a> {
    keys: Vec<Bytes>,
    messages: Vec<Option<&'a [u8]>>,
}

impl<'a> Found<'a> {
    /// Looks into the parts of a message that field `part` holds.
    fn new(keys: Vec<Bytes>, example: &'a [u8], part: u32) -> Result<Found<'a>, Malformed> {
        let numbers = Keys::new(keys.iter().cloned());
        let mut messages = vec![None; keys.len()];
        for field in Fields::of(example) {
            if let (number, Value::Bytes(map)) = field?
                && number == part
            {
                numbers.find(map, &mut messages)?;
            }
        }
        Ok(Found { keys, messages })
    }

    fn key(&self, i: usize) -> String {
        self.keys.get(i).map(|k| String::from_utf8_lossy(k).into_owned()).unwrap_or_default()
    }

    fn message(&self, i: usize) -> Option<&'a [u8]> {
        self.messages.get(i).copied().flatten()
    }
}

/// The features of a serialized feature list.
fn list(message: &[u8]) -> Result<Vec<Feature<'_>>, Malformed> {
    let mut all = Vec::new();
    for field in Fields::of(message) {
        if let (1, Value::Bytes(feature)) = field? {
            all.push(Feature::parse(feature)?);
        }
    }
    Ok(all)
}

/// Puts a feature's values where a tensor has room for exactly as many.
fn fill<T: Element>(to: &mut [T], feature: &Feature<'_>, place: &str, shape: &Shape) -> Result<()> {
    let values = feature.vector::<T>().map_err(|_| unreadable(place))?;
    ensure!(
        values.len() == to.len(),
        InvalidArgument,
        "{place}.  Number of {} values != expected.  values size: {} but output shape: {shape}",
        T::NAME,
        values.len()
    );
    to.clone_from_slice(&values);
    Ok(())
}

fn unreadable(place: &str) -> Status {
    Status::invalid_argument(format!("{place}.  Can't parse serialized SequenceExample."))
}

/// Errors: `InvalidArgument` for a feature of another type, or without values.
fn check_type(feature: &Feature<'_>, dtype: DType, place: &str) -> Result<()> {
    ensure!(
        feature.dtype == Some(dtype),
        InvalidArgument,
        "{place}.  Data types don't match. Expected type: {}  Feature is: {}",
        dtype.schema_name(),
        feature.text()
    );
    Ok(())
}

fn no_kernel<T>() -> Result<T> {
    bail!(Internal, "no kernel for the type of a feature")
}

struct Parser<'a> {
    wanted: &'a Wanted,
    name: String,
}

impl Parser<'_> {
    fn context_dense(&self, found: &Found<'_>, defaults: &[Tensor]) -> Result<Vec<Tensor>> {
        let offset = self.wanted.context_sparse.len();
        let mut out = Vec::new();
        for (d, (dense, default)) in self.wanted.context_dense.iter().zip(defaults).enumerate() {
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
            let place = format!("Name: {}, Key: {key}, Index: 0", self.name);
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
        self.wanted.context_sparse.iter().enumerate().map(one).collect()
    }

    fn list_dense(&self, found: &Found<'_>, may_lack: &HashSet<&[u8]>) -> Result<Vec<Tensor>> {
        let offset = self.wanted.list_sparse.len();
        let mut out = Vec::new();
        for (d, dense) in self.wanted.list_dense.iter().enumerate() {
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
                    let place = format!("Name: {}, Key: {key}, Index: {t}", self.name);
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
        self.wanted.list_sparse.iter().enumerate().map(one).collect()
    }
}

/// Sets indices, values and shapes of sparse tensors, then dense ones, from output `at` on; returns where it ended.
fn set_outputs(ctx: &mut KernelContext<'_>, at: usize, sparse: Vec<Sparse>, dense: Vec<Tensor>) -> usize {
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

fn scalar<'a>(t: &'a Tensor, what: &str) -> Result<&'a Bytes> {
    match (t.rank(), t.strings()?) {
        (0, [one]) => Ok(one),
        _ => bail!(InvalidArgument, "Expected {what} to be a scalar, got shape: {}", t.shape()),
    }
}

fn keys_of(inputs: &[Tensor], what: &str) -> Result<Vec<Bytes>> {
    inputs.iter().enumerate().map(|(i, t)| scalar(t, &format!("{what}[{i}]")).cloned()).collect()
}

fn check_default(d: usize, dense: &Dense, default: &Tensor) -> Result<()> {
    if default.elements() > 0 {
        ensure!(
            *default.shape() == dense.row,
            InvalidArgument,
            "def_value[{d}].shape() == {} != context_dense_shapes_[{d}] == {}",
            default.shape(),
            dense.row
        );
        ensure!(
            default.dtype() == dense.dtype,
            InvalidArgument,
            "context_dense_defaults[{d}].dtype() == {} != context_dense_types_[{d}] == {}",
            default.dtype().schema_name(),
            dense.dtype.schema_name()
        );
    }
    Ok(())
}

fn whole(dense: Vec<Dense>, shapes: &str) -> Result<Vec<Dense>> {
    for (i, d) in dense.iter().enumerate() {
        ensure!(!d.is_ragged, InvalidArgument, "{shapes}[{i}] is not fully defined: {}", d.declared);
    }
    Ok(dense)
}

fn parse(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (context_sparse, context_dense) = (count_of(init, "Ncontext_sparse")?, count_of(init, "Ncontext_dense")?);
    let (list_sparse, list_dense) = (count_of(init, "Nfeature_list_sparse")?, count_of(init, "Nfeature_list_dense")?);
    let wanted = Wanted {
        context_sparse: sparse_of(init, "context_sparse_types", "context_sparse_keys", context_sparse)?,
        context_dense: whole(
            dense_of(init, "Tcontext_dense", "context_dense_shapes", "context_dense_keys", context_dense)?,
            "context_dense_shapes",
        )?,
        list_sparse: sparse_of(init, "feature_list_sparse_types", "feature_list_sparse_keys", list_sparse)?,
        list_dense: whole(
            dense_of(
                init,
                "feature_list_dense_types",
                "feature_list_dense_shapes",
                "feature_list_dense_keys",
                list_dense,
            )?,
            "feature_list_dense_shapes",
        )?,
    };
    kernel(move |ctx| {
        let inputs = ctx.inputs();
        let mut groups = Vec::new();
        let mut rest = inputs.get(2..).unwrap_or_default();
        for count in [context_sparse, context_dense, list_sparse, list_dense, context_dense] {
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
        for (d, (dense, default)) in wanted.context_dense.iter().zip(*defaults).enumerate() {
            check_default(d, dense, default)?;
        }
        let context = Found::new(context_keys, serialized, 1).map_err(|_| no_example(serialized))?;
        let lists = Found::new(list_keys, serialized, 2).map_err(|_| no_example(serialized))?;
        let may_lack: HashSet<&[u8]> = may_lack.strings()?.iter().map(|k| &k[..]).collect();
        let parser = Parser { wanted: &wanted, name };
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
    c.input(0)?.with_rank(0)?;
    c.input(1)?.with_rank(1)?;
    let mut at = 0;
    let groups = [
        ("context_sparse_types", "context_dense_shapes", 1, PartialShape::scalar()),
        ("feature_list_sparse_types", "feature_list_dense_shapes", 2, PartialShape::vector(None)),
    ];
    for (types, shapes, rank, leading) in groups {
        let count = c.dtypes(types)?.len();
        for i in at..at + count {
            c.set_output(i, PartialShape::from_dims(&[None, Some(rank)]));
            c.set_output(count + i, PartialShape::vector(None));
            c.set_output(2 * count + i, PartialShape::vector(Some(rank)));
        }
        at += 3 * count;
        for shape in c.shapes(shapes)? {
            c.set_output(at, leading.concatenate(&shape));
            at += 1;
        }
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ParseSingleSequenceExample")
            .input("serialized: string")
            .input("feature_list_dense_missing_assumed_empty: string")
            .input("context_sparse_keys: Ncontext_sparse * string")
            .input("context_dense_keys: Ncontext_dense * string")
            .input("feature_list_sparse_keys: Nfeature_list_sparse * string")
            .input("feature_list_dense_keys: Nfeature_list_dense * string")
            .input("context_dense_defaults: Tcontext_dense")
            .input("debug_name: string")
            .output("context_sparse_indices: Ncontext_sparse * int64")
            .output("context_sparse_values: context_sparse_types")
            .output("context_sparse_shapes: Ncontext_sparse * int64")
            .output("context_dense_values: Tcontext_dense")
            .output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
            .output("feature_list_sparse_values: feature_list_sparse_types")
            .output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
            .output("feature_list_dense_values: feature_list_dense_types")
            .attr("Ncontext_sparse: int >= 0 = 0")
            .attr("Ncontext_dense: int >= 0 = 0")
            .attr("Nfeature_list_sparse: int >= 0 = 0")
            .attr("Nfeature_list_dense: int >= 0 = 0")
            .attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
            .attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
            .attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
            .attr("context_dense_shapes: list(shape) >= 0 = []")
            .attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
            .attr("feature_list_dense_shapes: list(shape) >= 0 = []")
            .doc("The context and the feature lists of one serialized sequence example.")
            .shape(shape)
            .kernel(parse),
    );
}
