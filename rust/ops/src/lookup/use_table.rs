//! LookupTableFind, LookupTableInsert, LookupTableRemove, LookupTableImport, LookupTableExport, LookupTableSize.

use super::table::Table;
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};

fn find(ctx: &mut KernelContext<'_>) -> Result<()> {
    let values = ctx.resource::<Table>(0)?.find(ctx.input(1)?, ctx.input(2)?)?;
    ctx.set_output(0, values);
    Ok(())
}

/// Returns the known shapes of a table's keys and of its values; None where nothing is known of the handle.
///
/// Errors: `InvalidArgument` if keys or values are of another type than the op's attributes say.
fn known_shapes<'a>(
    c: &ShapeContext<'a>,
    keys: &str,
    values: &str,
) -> Result<Option<(&'a PartialShape, &'a PartialShape)>> {
    let Some(table) = c.input_handle(0)? else { return Ok(None) };
    let Some((key_dtype, key_shape)) = &table.keys else { return Ok(None) };
    for (known, given) in [(*key_dtype, c.dtype(keys)?), (table.dtype, c.dtype(values)?)] {
        ensure!(
            known == given,
            InvalidArgument,
            "Trying to read value with wrong dtype. Expected {} got {}",
            known.schema_name(),
            given.schema_name()
        );
    }
    Ok(Some((key_shape, &table.shape)))
}

fn find_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(2)?.with_rank_at_most(1)?;
    if let Some((key, value)) = known_shapes(c, "Tin", "Tout")?
        && let (Some(dims), Some(key_rank)) = (c.input(1)?.dims(), key.rank())
    {
        ensure!(
            dims.len() >= key_rank,
            InvalidArgument,
            "Expected keys to have suffix {key} but saw shape: {}",
            c.input(1)?
        );
        let found = PartialShape::from_dims(&dims[..dims.len() - key_rank]).concatenate(value);
        c.set_output(0, found);
    }
    Ok(())
}

fn export_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((key, value)) = known_shapes(c, "Tkeys", "Tvalues")? {
        let rows = PartialShape::vector(None);
        let (keys, values) = (rows.concatenate(key), rows.concatenate(value));
        c.set_output(0, keys);
        c.set_output(1, values);
    }
    Ok(())
}

fn import_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(1)?.merge(c.input(2)?)?;
    Ok(())
}

fn export(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (keys, values) = ctx.resource::<Table>(0)?.export()?;
    ctx.set_output(0, keys);
    ctx.set_output(1, values);
    Ok(())
}

fn size(ctx: &mut KernelContext<'_>) -> Result<()> {
    let rows = ctx.resource::<Table>(0)?.rows();
    ctx.set_output(0, Tensor::scalar(rows as i64));
    Ok(())
}

fn size_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    for (suffix, handle) in [("", "Ref(string)"), ("V2", "resource")] {
        let op = |name: &str| {
            let op = Op::new(&format!("{name}{suffix}")).input(&format!("table_handle: {handle}"));
            op.listed_stateful(!suffix.is_empty())
        };
        let change = |name: &str| {
            let op = op(name).input("keys: Tin").input("values: Tout").attr("Tin: type").attr("Tout: type");
            op.stateful().shape(shape_rules::unknown)
        };
        r.add(
            op("LookupTableFind")
                .input("keys: Tin")
                .input("default_value: Tout")
                .output("values: Tout")
                .attr("Tin: type")
                .attr("Tout: type")
                .doc("Returns the value of each key, or `default_value` where the table has none.")
                .shape(find_shape)
                .kernel(|_| kernel(find)),
        );
        r.add(
            change("LookupTableInsert")
                .doc("Adds rows to a table, or gives rows new values.")
                .kernel(|_| kernel(|ctx| ctx.resource::<Table>(0)?.insert(ctx.input(1)?, ctx.input(2)?))),
        );
        r.add(
            change("LookupTableImport")
                .doc("Replaces all rows of a table.")
                .shape(import_shape)
                .kernel(|_| kernel(|ctx| ctx.resource::<Table>(0)?.import(ctx.input(1)?, ctx.input(2)?))),
        );
        r.add(
            op("LookupTableExport")
                .output("keys: Tkeys")
                .output("values: Tvalues")
                .attr("Tkeys: type")
                .attr("Tvalues: type")
                .doc("Returns all keys of a table and their values.")
                .shape(export_shape)
                .kernel(|_| kernel(export)),
        );
        r.add(
            op("LookupTableSize")
                .output("size: int64")
                .doc("Returns the rows of a table.")
                .shape(size_shape)
                .kernel(|_| kernel(size)),
        );
    }
    r.add(
        Op::new("LookupTableRemoveV2")
            .input("table_handle: resource")
            .input("keys: Tin")
            .attr("Tin: type")
            .stateful()
            .doc("Takes the rows of some keys out of a table.")
            .shape(|c| {
                c.input(1)?.with_rank_at_least(1)?;
                Ok(())
            })
            .kernel(|_| kernel(|ctx| ctx.resource::<Table>(0)?.remove(ctx.input(1)?))),
    );
}
