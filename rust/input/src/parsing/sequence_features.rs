//! The features of sequence examples, and functions that their parsers share.

use super::feature::{Element, Feature};
use super::features::{Dense, count_of, dense_of, sparse_of};
use crate::wire::{Fields, Malformed, Value};
use ferroflow_graph::{AttrMap, Op, ShapeContext};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Status, Tensor, bail, ensure};

/// The requested features without their keys.
pub(super) struct SequenceConfig {
    pub context_sparse: Vec<DType>,
    pub context_dense: Vec<Dense>,
    pub list_sparse: Vec<DType>,
    pub list_dense: Vec<Dense>,
}

impl SequenceConfig {
    /// Returns the features that a node's attributes request.
    pub(super) fn of(attrs: &AttrMap) -> Result<SequenceConfig> {
        let (context_sparse, context_dense) = (count_of(attrs, "Ncontext_sparse")?, count_of(attrs, "Ncontext_dense")?);
        let (list_sparse, list_dense) =
            (count_of(attrs, "Nfeature_list_sparse")?, count_of(attrs, "Nfeature_list_dense")?);
        Ok(SequenceConfig {
            context_sparse: sparse_of(attrs, "context_sparse_types", "context_sparse_keys", context_sparse)?,
            context_dense: whole(
                dense_of(attrs, "Tcontext_dense", "context_dense_shapes", "context_dense_keys", context_dense)?,
                "context_dense_shapes",
            )?,
            list_sparse: sparse_of(attrs, "feature_list_sparse_types", "feature_list_sparse_keys", list_sparse)?,
            list_dense: whole(
                dense_of(
                    attrs,
                    "feature_list_dense_types",
                    "feature_list_dense_shapes",
                    "feature_list_dense_keys",
                    list_dense,
                )?,
                "feature_list_dense_shapes",
            )?,
        })
    }
}

fn whole(dense: Vec<Dense>, shapes: &str) -> Result<Vec<Dense>> {
    for (i, d) in dense.iter().enumerate() {
        ensure!(!d.is_ragged, InvalidArgument, "{shapes}[{i}] is not fully defined: {}", d.declared);
    }
    Ok(dense)
}

/// Returns the features of a serialized feature list.
pub(super) fn list(message: &[u8]) -> Result<Vec<Feature<'_>>, Malformed> {
    let mut all = Vec::new();
    for field in Fields::of(message) {
        if let (1, Value::Bytes(feature)) = field? {
            all.push(Feature::parse(feature)?);
        }
    }
    Ok(all)
}

/// Puts a feature's values where a tensor has room for exactly as many.
pub(super) fn fill<T: Element>(
    to: &mut [T],
    feature: &Feature<'_>,
    place: &dyn Fn() -> String,
    shape: &Shape,
) -> Result<()> {
    let values = feature.vector::<T>().map_err(|_| unreadable(&place()))?;
    ensure!(
        values.len() == to.len(),
        InvalidArgument,
        "{}.  Number of {} values != expected.  values size: {} but output shape: {shape}",
        place(),
        T::NAME,
        values.len()
    );
    to.clone_from_slice(&values);
    Ok(())
}

pub(super) fn unreadable(place: &str) -> Status {
    Status::invalid_argument(format!("{place}.  Can't parse serialized SequenceExample."))
}

/// Errors: `InvalidArgument` for a feature of another type, or without values.
pub(super) fn check_type(feature: &Feature<'_>, dtype: DType, place: &str) -> Result<()> {
    ensure!(
        feature.dtype == Some(dtype),
        InvalidArgument,
        "{place}.  Data types don't match. Expected type: {}  Feature is: {}",
        dtype.schema_name(),
        feature.text()
    );
    Ok(())
}

pub(super) fn no_kernel<T>() -> Result<T> {
    bail!(Internal, "no kernel for the type of a feature")
}

/// Errors: `InvalidArgument` if a default does not fit the feature.
pub(super) fn check_context_default(d: usize, dense: &Dense, default: &Tensor) -> Result<()> {
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

/// Returns the op with the attributes of `SequenceConfig`, and with the outputs of all parsers of sequence examples.
pub(super) fn described(op: Op) -> Op {
    op.output("context_sparse_indices: Ncontext_sparse * int64")
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
}

/// Sets the shapes of the outputs for contexts and for feature lists, all behind those of `batch`; returns how many they
/// are.
pub(super) fn set_shapes(c: &mut ShapeContext<'_>, batch: &PartialShape) -> Result<usize> {
    let outer = batch.rank().unwrap_or(0);
    let mut at = 0;
    let groups = [
        ("context_sparse_types", "context_dense_shapes", outer + 1, batch.clone()),
        (
            "feature_list_sparse_types",
            "feature_list_dense_shapes",
            outer + 2,
            batch.concatenate(&PartialShape::vector(None)),
        ),
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
    Ok(at)
}
