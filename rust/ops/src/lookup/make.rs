//! HashTable, MutableHashTable, MutableHashTableOfTensors, MutableDenseHashTable: ops that name a table.

use super::table::{Kind, Layout, Table};
use ferroflow_graph::{
    AttrMap, HandleSource, HandleType, Kernel, KernelInit, Op, Registry, ShapeContext, Unnamed, resource_kernel,
};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, bail, ensure};

fn reference_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::vector(Some(2)));
    Ok(())
}

fn handle_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

fn dense_handle_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank_at_most(1)?;
    handle_shape(c)
}

/// Returns what the attributes say of a table of scalar keys.
fn by_scalars(attrs: &AttrMap, value_shape: PartialShape) -> Option<HandleType> {
    let keys = Some((attrs.dtype("key_dtype").ok()?, PartialShape::scalar()));
    Some(HandleType { keys, ..HandleType::new(attrs.dtype("value_dtype").ok()?, value_shape) })
}

fn of_scalars(attrs: &AttrMap) -> Option<HandleType> {
    by_scalars(attrs, PartialShape::scalar())
}

fn of_tensors(attrs: &AttrMap) -> Option<HandleType> {
    by_scalars(attrs, attrs.shape("value_shape").ok()?)
}

fn of_dense(c: &ShapeContext<'_>) -> Option<HandleType> {
    let keys = Some((c.dtype("key_dtype").ok()?, c.input(0).ok()?.clone()));
    Some(HandleType { keys, ..HandleType::new(c.dtype("value_dtype").ok()?, c.shape("value_shape").ok()?) })
}

fn unnamed(init: &KernelInit<'_>) -> Result<Unnamed> {
    Ok(if init.bool("use_node_name_sharing")? { Unnamed::NodeName } else { Unnamed::Private })
}

fn layout_of(init: &KernelInit<'_>, kind: Kind, value_shape: Shape) -> Result<Layout> {
    let (key_dtype, value_dtype) = (init.dtype("key_dtype")?, init.dtype("value_dtype")?);
    let storable = |d: DType| d.is_plain() || d == DType::String;
    if !storable(key_dtype) || !storable(value_dtype) || key_dtype.is_complex() {
        bail!(
            InvalidArgument,
            "No OpKernel was registered to support Op '{}' with keys of type {} and values of type {}",
            init.node.op.name,
            key_dtype.schema_name(),
            value_dtype.schema_name()
        );
    }
    Ok(Layout { kind, key_dtype, value_dtype, key_shape: Shape::scalar(), value_shape })
}

fn value_shape(init: &KernelInit<'_>) -> Result<Shape> {
    match init.shape("value_shape")?.to_shape() {
        Some(s) => Ok(s),
        None => bail!(InvalidArgument, "value_shape must be fully defined"),
    }
}

fn check(table: &Table, expected: &Layout, name: &str) -> Result<()> {
    let got = &table.layout;
    ensure!(
        (got.key_dtype, got.value_dtype) == (expected.key_dtype, expected.value_dtype),
        InvalidArgument,
        "Conflicting key/value dtypes {}->{} with {}-{} for table {name}",
        expected.key_dtype.schema_name(),
        expected.value_dtype.schema_name(),
        got.key_dtype.schema_name(),
        got.value_dtype.schema_name()
    );
    Ok(())
}

fn make(init: &KernelInit<'_>, layout: Layout) -> Result<Box<dyn Kernel>> {
    let (expected, name) = (layout.clone(), init.node.name.to_string());
    let new = move |_: &ferroflow_graph::KernelContext<'_>, _: &str| Ok(Table::new(layout.clone()));
    resource_kernel(init, unnamed(init)?, new, move |t| check(t, &expected, &name))
}

fn hash_table(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    make(init, layout_of(init, Kind::Static, Shape::scalar())?)
}

fn mutable_hash_table(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    make(init, layout_of(init, Kind::Mutable, Shape::scalar())?)
}

fn mutable_hash_table_of_tensors(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let shape = value_shape(init)?;
    ensure!(shape.rank() == 1, InvalidArgument, "Default value must be a vector, got shape {shape}");
    make(init, layout_of(init, Kind::Mutable, shape)?)
}

fn mutable_dense_hash_table(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let shape = value_shape(init)?;
    ensure!(shape.rank() <= 1, InvalidArgument, "Empty value must be a scalar or a vector, got shape {shape}");
    let load = init.float("max_load_factor")?;
    ensure!(load > 0.0 && load < 1.0, InvalidArgument, "max_load_factor must be between 0 and 1, got: {load}");
    let buckets = init.int("initial_num_buckets")?;
    ensure!(
        buckets >= 4 && buckets & (buckets - 1) == 0,
        InvalidArgument,
        "Number of buckets must be at least 4 and a power of 2, got: {buckets}"
    );
    let layout = layout_of(init, Kind::Mutable, shape)?;
    let (expected, name) = (layout.clone(), init.node.name.to_string());
    // One tensor in both places: the table has no key for deleted rows, as in TensorFlow 1.8.
    let has_deleted = init.node.inputs.get(1).is_some_and(|deleted| *deleted != init.node.inputs[0]);
    let new = move |ctx: &ferroflow_graph::KernelContext<'_>, _: &str| {
        let empty = ctx.input(0)?;
        ensure!(
            empty.rank() <= 1,
            InvalidArgument,
            "Empty key must be a scalar or a vector, got shape {}",
            empty.shape()
        );
        let layout = Layout { key_shape: empty.shape().clone(), ..layout.clone() };
        Table::with_reserved(layout, empty, if has_deleted { Some(ctx.input(1)?) } else { None })
    };
    resource_kernel(init, unnamed(init)?, new, move |t| check(t, &expected, &name))
}

pub(super) fn register(r: &mut Registry) {
    // Each op in two forms: the older one names the table by a reference, the newer one by a handle.
    for v2 in [false, true] {
        let op = |name: &str| {
            let op = match v2 {
                true => Op::new(&format!("{name}V2")).output("table_handle: resource").shape(handle_shape),
                false => Op::new(name).output("table_handle: Ref(string)").shape(reference_shape),
            };
            op.attr("container: string = ''")
                .attr("shared_name: string = ''")
                .attr("use_node_name_sharing: bool = false")
                .attr("key_dtype: type")
                .attr("value_dtype: type")
                .stateful()
        };
        r.add(op("HashTable").doc("Returns a table that is filled once and then only read.").kernel(hash_table));
        r.add(
            op("MutableHashTable")
                .doc("Returns a table of scalars by scalar keys.")
                .handle_source(HandleSource::Attrs(of_scalars))
                .kernel(mutable_hash_table),
        );
        r.add(
            op("MutableHashTableOfTensors")
                .attr("value_shape: shape = []")
                .doc("Returns a table of vectors by scalar keys.")
                .handle_source(HandleSource::Attrs(of_tensors))
                .kernel(mutable_hash_table_of_tensors),
        );
        let dense = op("MutableDenseHashTable").input("empty_key: key_dtype");
        let dense = match v2 {
            true => dense.input("deleted_key: key_dtype").last_input_may_be_first().shape(dense_handle_shape),
            false => dense,
        };
        r.add(
            dense
                .attr("value_shape: shape = []")
                .attr("initial_num_buckets: int = 131072")
                .attr("max_load_factor: float = 0.8")
                .handle_source(HandleSource::Node(of_dense))
                .doc("Returns a table of scalars or vectors by keys of either kind. `empty_key` and `deleted_key` are no keys of it.")
                .kernel(mutable_dense_hash_table),
        );
    }
}
