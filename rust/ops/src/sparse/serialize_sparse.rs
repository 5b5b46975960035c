//! SerializeSparse, SerializeManySparse, DeserializeSparse, DeserializeManySparse: sparse tensors as elements of others.

use super::coordinates::Coordinates;
use super::shapes::parts;
use super::stacking::{Parts, empty_row, row_parts, row_shape, rows, stacked};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_io::tensor_message::{decoded, encoded};
use ferroflow_tensor::{Bytes, DType, Object, PartialShape, Result, Status, Tensor, bail, ensure};

fn one_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    parts(c, 0)?;
    c.set_output(0, PartialShape::vector(Some(3)));
    Ok(())
}

fn many_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    parts(c, 0)?;
    let count = c.input_as_shape(2)?.dim(0);
    c.set_output(0, PartialShape::from_dims(&[count, Some(3)]));
    Ok(())
}

fn set_unknown_parts(c: &mut ShapeContext<'_>) {
    c.set_output(0, PartialShape::from_dims(&[None, None]));
    c.set_output(1, PartialShape::vector(None));
    c.set_output(2, PartialShape::vector(None));
}

fn check_triples(shape: &PartialShape) -> Result<()> {
    if let Some(dims) = shape.dims() {
        let last = dims.last().copied().flatten();
        ensure!(
            last.is_none_or(|n| n == 3),
            InvalidArgument,
            "Dimension must be 3 but is {}",
            last.unwrap_or_default()
        );
    }
    Ok(())
}

fn deserialize_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    check_triples(&c.input(0)?.with_rank_at_least(1)?)?;
    set_unknown_parts(c);
    Ok(())
}

fn deserialize_many_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    check_triples(&c.input(0)?.with_rank(2)?)?;
    set_unknown_parts(c);
    Ok(())
}

/// The form of written sparse tensors: messages in strings, or the tensors themselves in variants.
#[derive(Clone)]
enum Written {
    Text(Bytes),
    Whole(Object),
}

impl Written {
    fn new(tensor: Tensor, out_type: DType) -> Result<Written> {
        match out_type {
            DType::String => Ok(Written::Text(encoded(&tensor)?)),
            _ => Ok(Written::Whole(Object::new(tensor.into_owned()?))),
        }
    }
}

fn collected(written: Vec<Written>, shape: &[usize], out_type: DType) -> Result<Tensor> {
    let (mut texts, mut objects) = (Vec::new(), Vec::new());
    for w in written {
        match w {
            Written::Text(text) => texts.push(text),
            Written::Whole(object) => objects.push(object),
        }
    }
    match out_type {
        DType::String => Tensor::from_strings(shape, texts),
        _ => Tensor::from_objects(DType::Variant, shape, objects),
    }
}

fn one(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let out_type = init.dtype("out_type")?;
    kernel(move |ctx| {
        Coordinates::of(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?)?;
        let parts = ctx.inputs().iter().map(|t| Written::new(t.clone(), out_type)).collect::<Result<_>>()?;
        ctx.set_output(0, collected(parts, &[3], out_type)?);
        Ok(())
    })
}

fn many(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let out_type = init.dtype("out_type")?;
    kernel(move |ctx| {
        let values = ctx.input(1)?;
        let input = Coordinates::of(ctx.input(0)?, values, ctx.input(2)?)?;
        let rows = rows(&input)?;
        let count = input.shape[0];
        let (indices, none) = empty_row(&input, values.dtype())?;
        let blank = [indices, none, row_shape(&input)?].map(|t| Written::new(t, out_type));
        let [indices, none, shape] = blank;
        let blank = [indices?, none?, shape?];
        let mut written: Vec<Written> = Vec::new();
        if count.checked_mul(3).is_none_or(|n| written.try_reserve_exact(n).is_err()) {
            bail!(ResourceExhausted, "OOM when allocating tensor with shape[{count},3] and type {}", out_type.name());
        }
        for _ in 0..count {
            written.extend(blank.iter().cloned());
        }
        for row in &rows {
            let (indices, values) = row_parts(&input, values, row)?;
            written[row.number * 3] = Written::new(indices, out_type)?;
            written[row.number * 3 + 1] = Written::new(values, out_type)?;
        }
        ctx.set_output(0, collected(written, &[count, 3], out_type)?);
        Ok(())
    })
}

/// Returns the tensors that were written.
fn read(serialized: &Tensor) -> Result<Vec<Tensor>> {
    if serialized.dtype() == DType::String {
        return serialized.strings()?.iter().map(|s| decoded(s)).collect();
    }
    let tensor = |o: &Object| {
        o.get::<Tensor>()
            .cloned()
            .ok_or_else(|| Status::invalid_argument("Could not retrieve tensor from variant: it holds something else"))
    };
    serialized.objects()?.iter().map(tensor).collect()
}

fn deserialize(init: &KernelInit<'_>, many: bool) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("dtype")?;
    kernel(move |ctx| {
        let serialized = ctx.input(0)?;
        let shape = serialized.shape();
        if many {
            ensure!(
                shape.rank() == 2,
                InvalidArgument,
                "Serialized sparse should be a matrix but received shape {shape}"
            );
            ensure!(
                shape[1] == 3,
                InvalidArgument,
                "Serialized sparse should have 3 columns but received shape {shape}"
            );
        }
        let Some((&last, leading)) = shape.split_last() else {
            bail!(InvalidArgument, "Serialized sparse should have non-zero rank {shape}")
        };
        ensure!(last == 3, InvalidArgument, "Serialized sparse should have 3 as the last dimension {shape}");
        ensure!(
            serialized.elements() > 0,
            InvalidArgument,
            "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension {shape}"
        );
        let mut tensors = Vec::new();
        let mut all = read(serialized)?.into_iter();
        while let (Some(indices), Some(values), Some(shape)) = (all.next(), all.next(), all.next()) {
            tensors.push(Parts { indices, values, shape });
        }
        let Parts { indices, values, shape } = stacked(&tensors, leading, dtype)?;
        ctx.set_output(0, indices);
        ctx.set_output(1, values);
        ctx.set_output(2, shape);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let writer = |name: &str| {
        Op::new(name)
            .input("sparse_indices: int64")
            .input("sparse_values: T")
            .input("sparse_shape: int64")
            .output("serialized_sparse: out_type")
            .attr("T: type")
            .attr("out_type: {string, variant} = DT_STRING")
    };
    r.add(
        writer("SerializeSparse")
            .doc("Returns indices, values and shape of a sparse tensor as three elements.")
            .shape(one_shape)
            .kernel(one),
    );
    r.add(
        writer("SerializeManySparse")
            .doc("Returns, for each row along the first dimension, indices, values and shape as three elements.")
            .shape(many_shape)
            .kernel(many),
    );
    let outputs =
        |op: Op| op.output("sparse_indices: int64").output("sparse_values: dtype").output("sparse_shape: int64");
    r.add(
        outputs(Op::new("DeserializeSparse").input("serialized_sparse: Tserialized"))
            .attr("dtype: type")
            .attr("Tserialized: {string, variant} = DT_STRING")
            .doc(
                "Returns the sparse tensors that triples of elements hold, with the dimensions before the triples \
                 first.",
            )
            .shape(deserialize_shape)
            .kernel(|init| deserialize(init, false)),
    );
    r.add(
        outputs(Op::new("DeserializeManySparse").input("serialized_sparse: string"))
            .attr("dtype: type")
            .doc("Returns the sparse tensors that the rows of a matrix of triples hold, as rows of one.")
            .shape(deserialize_many_shape)
            .kernel(|init| deserialize(init, true)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    fn input() -> [Tensor; 3] {
        [
            Tensor::from_slice([3, 2], &[0i64, 1, 2, 0, 2, 3]).unwrap(),
            Tensor::from_slice([3], &[1.0f32, 2.0, 3.0]).unwrap(),
            Tensor::from_slice([2], &[3i64, 4]).unwrap(),
        ]
    }

    #[test]
    fn what_was_written_is_read_back() {
        for out_type in [DType::String, DType::Variant] {
            let attrs = [("out_type", AttrValue::Type(out_type))];
            let dtype = [("dtype", AttrValue::Type(DType::F32))];
            let one = run("SerializeSparse", &input(), &attrs).unwrap();
            assert_eq!(run("DeserializeSparse", &one, &dtype).unwrap(), input());
            let many = run("SerializeManySparse", &input(), &attrs).unwrap();
            assert_eq!(many[0].shape().to_vec(), [3, 3]);
            assert_eq!(run("DeserializeSparse", &many, &dtype).unwrap(), input());
        }
    }

    #[test]
    fn other_types_and_broken_messages_are_refused() {
        let one = run("SerializeManySparse", &input(), &[]).unwrap();
        let ints = [("dtype", AttrValue::Type(DType::I32))];
        let e = run("DeserializeManySparse", &one, &ints).unwrap_err();
        assert!(
            e.message().contains("Requested SparseTensor of type int32 but SparseTensor[0].values.dtype() == float")
        );
        let broken = Tensor::from_strings([1, 3], vec![b"\xff"[..].into(); 3]).unwrap();
        assert!(run("DeserializeManySparse", &[broken], &ints).is_err());
        let none = Tensor::from_strings([0, 3], vec![]).unwrap();
        assert!(run("DeserializeManySparse", &[none], &ints).is_err());
        let mut unordered = input();
        unordered[0] = Tensor::from_slice([3, 2], &[2i64, 1, 0, 0, 2, 3]).unwrap();
        assert!(run("SerializeManySparse", &unordered, &[]).unwrap_err().message().contains("out of order"));
    }
}
