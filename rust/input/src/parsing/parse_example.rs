//! ParseExample and ParseSingleExample: features of serialized `tf.train.Example` messages as tensors.

use super::feature::by_element;
use super::features::{
    Dense, Failure, Message, Sparse, check_default, columns, count_of, dense_of, fixed, padded, ragged, set_outputs,
    sparse, sparse_of,
};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Status, Tensor, bail, ensure};

/// The requested features without the keys, which one of the ops takes as inputs.
struct ExampleConfig {
    sparse: Vec<DType>,
    dense: Vec<Dense>,
}

/// The values of a feature.
enum Column {
    Sparse(Sparse),
    Dense(Tensor),
}

/// A batch of serialized examples, or a single one.
struct Batch<'a> {
    serialized: &'a [Bytes],
    names: &'a [Bytes],
    single: bool,
}

impl Batch<'_> {
    fn name(&self, e: usize) -> String {
        self.names.get(e).map_or("<unknown>".into(), |n| String::from_utf8_lossy(n).into_owned())
    }

    /// Returns the beginning of a feature's error message.
    fn place(&self, key: &[u8], e: usize) -> String {
        let key = String::from_utf8_lossy(key);
        match self.single {
            true => format!("Key: {key}.  "),
            false => format!("Name: {}, Key: {key}, Index: {e}.  ", self.name(e)),
        }
    }

    /// Returns one column for each key.
    fn columns(
        &self,
        keys: &[Bytes],
        config: &ExampleConfig,
        defaults: &[Tensor],
        threads: Threads,
    ) -> Result<Vec<Column>> {
        columns(keys, 1, self.serialized, threads, &|k, count, message| {
            self.column(&keys[k], k, config, defaults, count, message)
        })
    }

    fn column(
        &self,
        key: &Bytes,
        k: usize,
        config: &ExampleConfig,
        defaults: &[Tensor],
        count: usize,
        message: Message<'_, '_>,
    ) -> Result<Column, Failure> {
        let place = |e: usize| self.place(key, e);
        let internal = || (0, Status::internal("a feature has no description"));
        if let Some(&dtype) = config.sparse.get(k) {
            let mismatch = |e: usize, got: DType| {
                let (expected, got) = (dtype.schema_name(), got.schema_name());
                format!("{}Data types don't match. Expected type: {expected}, Actual type: {got}", place(e))
            };
            return by_element!(dtype, T, {
                let ragged = ragged::<T>(count, message, &place, &mismatch)?;
                sparse(ragged, self.single).map(Column::Sparse).map_err(|s| (0, s))
            }, else Err(internal()));
        }
        let d = k - config.sparse.len();
        let (Some(dense), Some(default)) = (config.dense.get(d), defaults.get(d)) else { return Err(internal()) };
        let expected = dense.dtype.schema_name();
        if !dense.is_ragged {
            let missing = |e: usize| {
                let name = if self.single { String::new() } else { format!("Name: {}, ", self.name(e)) };
                let key = String::from_utf8_lossy(key);
                format!("{name}Feature: {key} (data type: {expected}) is required but could not be found.")
            };
            let out = fixed(dense, default, count, message, &place, &missing)?;
            return match self.single {
                true => out.reshaped(dense.row.clone()).map(Column::Dense).map_err(|s| (0, s)),
                false => Ok(Column::Dense(out)),
            };
        }
        let mismatch = |e: usize, got: DType| {
            format!(
                "{}Data types don't match. Data type: {} but expected type: {expected}",
                place(e),
                got.schema_name()
            )
        };
        by_element!(dense.dtype, T, {
            let ragged = ragged::<T>(count, message, &place, &mismatch)?;
            let uneven = |e: usize, n: usize| {
                format!(
                    "{}Number of {} values is not a multiple of stride length. Saw {n} values but output shape is: {}",
                    place(e),
                    <T as super::feature::Element>::NAME,
                    dense.declared
                )
            };
            padded(ragged, dense, default, self.single, &uneven).map(Column::Dense)
        }, else Err(internal()))
    }
}

fn set_columns(ctx: &mut KernelContext<'_>, columns: Vec<Column>) {
    let (mut sparse, mut dense) = (Vec::new(), Vec::new());
    for column in columns {
        match column {
            Column::Sparse(parts) => sparse.push(parts),
            Column::Dense(tensor) => dense.push(tensor),
        }
    }
    set_outputs(ctx, 0, sparse, dense);
}

fn scalar_key(key: &Tensor) -> Result<Bytes> {
    match (key.rank(), key.strings()?) {
        (0, [one]) => Ok(one.clone()),
        _ => bail!(InvalidArgument, "Expected a key to be a scalar, got shape: {}", key.shape()),
    }
}

fn parse_example(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (sparse, dense) = (count_of(init, "Nsparse")?, count_of(init, "Ndense")?);
    let config = ExampleConfig {
        sparse: sparse_of(init, "sparse_types", "sparse_keys", sparse)?,
        dense: dense_of(init, "Tdense", "dense_shapes", "dense_keys", dense)?,
    };
    kernel(move |ctx| {
        let [serialized, names, rest @ ..] = ctx.inputs() else { bail!(Internal, "ParseExample lacks inputs") };
        let (keys, defaults) = rest.split_at(rest.len().min(sparse + dense));
        if names.elements() > 0 {
            ensure!(names.rank() == 1, InvalidArgument, "Expected names to be a vector, got shape: {}", names.shape());
            ensure!(
                names.elements() == serialized.elements(),
                InvalidArgument,
                "Expected len(names) == len(serialized), but got: {} vs. {}",
                names.elements(),
                serialized.elements()
            );
        }
        ensure!(
            serialized.rank() == 1,
            InvalidArgument,
            "Expected serialized to be a vector, got shape: {}",
            serialized.shape()
        );
        for (d, (dense, default)) in config.dense.iter().zip(defaults).enumerate() {
            check_default(d, dense, default)?;
        }
        let keys = keys.iter().map(scalar_key).collect::<Result<Vec<_>>>()?;
        let batch = Batch { serialized: serialized.strings()?, names: names.strings()?, single: false };
        let columns = batch.columns(&keys, &config, defaults, ctx.threads())?;
        set_columns(ctx, columns);
        Ok(())
    })
}

fn parse_single_example(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (sparse_keys, dense_keys) = (init.bytes_list("sparse_keys")?, init.bytes_list("dense_keys")?);
    let sparse = count_of(init, "num_sparse")?;
    ensure!(
        sparse == sparse_keys.len(),
        InvalidArgument,
        "num_sparse ({sparse}) must match the size of sparse_keys ({})",
        sparse_keys.len()
    );
    let config = ExampleConfig {
        sparse: sparse_of(init, "sparse_types", "sparse_keys", sparse_keys.len())?,
        dense: dense_of(init, "Tdense", "dense_shapes", "dense_keys", dense_keys.len())?,
    };
    let keys: Vec<Bytes> = sparse_keys.into_iter().chain(dense_keys).map(Bytes::from_vec).collect();
    kernel(move |ctx| {
        let [serialized, defaults @ ..] = ctx.inputs() else { bail!(Internal, "ParseSingleExample lacks inputs") };
        ensure!(
            serialized.rank() == 0,
            InvalidArgument,
            "Expected serialized to be a scalar, got shape: {}",
            serialized.shape()
        );
        for (d, (dense, default)) in config.dense.iter().zip(defaults).enumerate() {
            check_default(d, dense, default)?;
        }
        let batch = Batch { serialized: serialized.strings()?, names: &[], single: true };
        let columns = batch.columns(&keys, &config, defaults, Threads::single())?;
        set_columns(ctx, columns);
        Ok(())
    })
}

/// Sets the shapes of outputs: `sparse` sparse tensors of `rank` dimensions, then dense ones behind `leading`.
fn set_shapes(c: &mut ShapeContext<'_>, sparse: usize, rank: usize, leading: &PartialShape) -> Result<()> {
    for i in 0..sparse {
        c.set_output(i, PartialShape::from_dims(&[None, Some(rank)]));
        c.set_output(sparse + i, PartialShape::vector(None));
        c.set_output(2 * sparse + i, PartialShape::vector(Some(rank)));
    }
    for (i, shape) in c.shapes("dense_shapes")?.iter().enumerate() {
        c.set_output(3 * sparse + i, leading.concatenate(shape));
    }
    Ok(())
}

fn batch_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let batch = c.input(0)?.with_rank(1)?;
    c.input(1)?.with_rank(1)?;
    let sparse = c.dtypes("sparse_types")?.len();
    dense_of(c, "Tdense", "dense_shapes", "dense_keys", c.dtypes("Tdense")?.len())?;
    set_shapes(c, sparse, 2, &batch)
}

fn single_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let sparse = c.dtypes("sparse_types")?.len();
    dense_of(c, "Tdense", "dense_shapes", "dense_keys", c.dtypes("Tdense")?.len())?;
    set_shapes(c, sparse, 1, &PartialShape::scalar())
}

pub(super) fn register(r: &mut Registry) {
    let types = |op: Op| {
        op.attr("sparse_types: list({float, int64, string}) >= 0")
            .attr("Tdense: list({float, int64, string}) >= 0")
            .attr("dense_shapes: list(shape) >= 0")
    };
    r.add(
        types(
            Op::new("ParseExample")
                .input("serialized: string")
                .input("names: string")
                .input("sparse_keys: Nsparse * string")
                .input("dense_keys: Ndense * string")
                .input("dense_defaults: Tdense")
                .output("sparse_indices: Nsparse * int64")
                .output("sparse_values: sparse_types")
                .output("sparse_shapes: Nsparse * int64")
                .output("dense_values: Tdense")
                .attr("Nsparse: int >= 0")
                .attr("Ndense: int >= 0"),
        )
        .doc(
            "Returns the features of a batch of serialized examples: sparse ones, and dense ones with defaults or \
             padding.",
        )
        .shape(batch_shape)
        .kernel(parse_example),
    );
    r.add(
        types(
            Op::new("ParseSingleExample")
                .input("serialized: string")
                .input("dense_defaults: Tdense")
                .output("sparse_indices: num_sparse * int64")
                .output("sparse_values: sparse_types")
                .output("sparse_shapes: num_sparse * int64")
                .output("dense_values: Tdense")
                .attr("num_sparse: int >= 0")
                .attr("sparse_keys: list(string) >= 0")
                .attr("dense_keys: list(string) >= 0"),
        )
        .doc("Returns the features of one serialized example.")
        .shape(single_shape)
        .kernel(parse_single_example),
    );
}
