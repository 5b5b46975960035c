//! The ops that make, save and restore an ensemble, and describe its growth.

use super::ensemble::{Ensemble, EnsembleResource};
use super::inputs::{scalar, scalar_bytes, scalars};
use ferroflow_graph::{
    Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, Unnamed, kernel, resource_kernel, shape_rules,
};
use ferroflow_proto::Message;
use ferroflow_tensor::{Bytes, PartialShape, Result, Tensor};

fn handle(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    resource_kernel(init, Unnamed::NodeName, |_, _| Ok(EnsembleResource::default()), |_| Ok(()))
}

fn scalars_only(c: &mut ShapeContext<'_>) -> Result<()> {
    scalars(c, 0..c.num_inputs())?;
    shape_rules::scalar(c)
}

fn states_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    scalars_only(c)?;
    c.set_output(4, PartialShape::vector(Some(2)));
    Ok(())
}

fn parsed(ctx: &KernelContext<'_>) -> Result<Ensemble> {
    let stamp = scalar(ctx, 1, "stamp_token")?;
    Ensemble::parse(scalar_bytes(ctx, 2, "tree_ensemble_serialized")?, stamp)
}

/// Creates the ensemble; one that exists stays as it is.
fn create(ctx: &mut KernelContext<'_>) -> Result<()> {
    let made = parsed(ctx)?;
    EnsembleResource::of(ctx)?.0.write().get_or_insert(made);
    Ok(())
}

fn deserialize(ctx: &mut KernelContext<'_>) -> Result<()> {
    EnsembleResource::write(ctx, |ensemble| {
        *ensemble = parsed(ctx)?;
        Ok(())
    })
}

fn is_initialized(ctx: &mut KernelContext<'_>) -> Result<()> {
    let exists = EnsembleResource::of(ctx)?.0.read().is_some();
    ctx.set_output(0, Tensor::scalar(exists));
    Ok(())
}

fn serialize(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (stamp, bytes) = EnsembleResource::read(ctx, |e| Ok((e.stamp, e.message.encode_to_vec())))?;
    ctx.set_output(0, Tensor::scalar(stamp));
    ctx.set_output(1, Tensor::from_strings([], vec![Bytes::from(bytes)])?);
    Ok(())
}

fn states(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (stamp, trees, finalized, growth) = EnsembleResource::read(ctx, |e| {
        Ok((e.stamp, e.message.trees.len() as i32, e.finalized_trees() as i32, e.growth()))
    })?;
    ctx.set_output(0, Tensor::scalar(stamp));
    ctx.set_output(1, Tensor::scalar(trees));
    ctx.set_output(2, Tensor::scalar(finalized));
    ctx.set_output(3, Tensor::scalar(growth.num_layers_attempted as i32));
    // Of an empty ensemble, the first layer is the root that will be.
    let range = [growth.last_layer_node_start, growth.last_layer_node_end.max(1)];
    ctx.set_output(4, Tensor::from_slice([2], &range)?);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("BoostedTreesEnsembleResourceHandleOp")
            .output("resource: resource")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .doc("Returns the handle of a tree ensemble, which need not be created.")
            .shape(shape_rules::scalar)
            .kernel(handle),
    );
    let op = |name: &str| Op::new(name).input("tree_ensemble_handle: resource").stateful();
    let set = |name: &str| op(name).input("stamp_token: int64").input("tree_ensemble_serialized: string");
    r.add(
        op("IsBoostedTreesEnsembleInitialized")
            .output("is_initialized: bool")
            .doc("Returns true if the tree ensemble has been created.")
            .shape(scalars_only)
            .kernel(|_| kernel(is_initialized)),
    );
    r.add(
        set("BoostedTreesCreateEnsemble")
            .doc("Creates a tree ensemble from a serialized message; one that exists stays as it is.")
            .shape(scalars_only)
            .kernel(|_| kernel(create)),
    );
    r.add(
        set("BoostedTreesDeserializeEnsemble")
            .doc("Replaces a tree ensemble by that of a serialized message.")
            .shape(scalars_only)
            .kernel(|_| kernel(deserialize)),
    );
    r.add(
        op("BoostedTreesSerializeEnsemble")
            .output("stamp_token: int64")
            .output("tree_ensemble_serialized: string")
            .doc("Returns a tree ensemble as a serialized message, and its stamp.")
            .shape(scalars_only)
            .kernel(|_| kernel(serialize)),
    );
    r.add(
        op("BoostedTreesGetEnsembleStates")
            .output("stamp_token: int64")
            .output("num_trees: int32")
            .output("num_finalized_trees: int32")
            .output("num_attempted_layers: int32")
            .output("last_layer_nodes_range: int32")
            .doc("Returns the stamp of a tree ensemble, its trees, its layers and the nodes of its last layer.")
            .shape(states_shape)
            .kernel(|_| kernel(states)),
    );
}
