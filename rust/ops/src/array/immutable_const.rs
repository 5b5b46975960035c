//! ImmutableConst: a constant whose elements are the contents of a file.

use ferroflow_graph::{Blocking, Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_io::file;
use ferroflow_tensor::{DType, Result, Shape, Tensor, bail, ensure};
use smallvec::smallvec;

/// Returns a tensor of the bytes of a file. TF 1.x: the file may be longer than the tensor.
fn read(name: &str, dtype: DType, shape: Shape) -> Result<Tensor> {
    let region = file::read(name)?;
    let length = shape.elements().saturating_mul(dtype.size());
    let Some(elements) = region.get(..length) else {
        bail!(Internal, "Readonly memory region has wrong length ({}) when allocating {length}", region.len());
    };
    if dtype == DType::Bool {
        return Tensor::from_slice(shape, &elements.iter().map(|&byte| byte != 0).collect::<Vec<_>>());
    }
    let mut out = Tensor::new(dtype, shape)?;
    out.writable_bytes()?.copy_from_slice(elements);
    Ok(out)
}

fn immutable_const(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (name, dtype) = (init.str("memory_region_name")?, init.dtype("dtype")?);
    let Some(shape) = init.shape("shape")?.to_shape() else {
        bail!(InvalidArgument, "shape of an ImmutableConst must be fully defined");
    };
    kernel(move |ctx| {
        ensure!(
            dtype.is_plain(),
            Unimplemented,
            "Sorry, DT_{} is not currently supported for ImmutableConstOp.",
            dtype.name().to_uppercase()
        );
        let (name, shape) = (name.clone(), shape.clone());
        ctx.run_blocking(move |_| Ok(smallvec![read(&name, dtype, shape)?]))
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ImmutableConst")
            .output("tensor: dtype")
            .attr("dtype: type")
            .attr("shape: shape")
            .attr("memory_region_name: string")
            .foreign()
            .blocks(Blocking::Files)
            .doc("Returns the tensor whose elements are the first bytes of a file.")
            .shape(shape_rules::from_shape_attr)
            .kernel(immutable_const),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, DType, PartialShape, Result, Shape, Tensor};

    fn constant(name: &str, dtype: DType, length: usize) -> Result<Tensor> {
        let attrs = [
            ("dtype", AttrValue::Type(dtype)),
            ("shape", AttrValue::Shape(PartialShape::from(&Shape::new(&[length])))),
            ("memory_region_name", AttrValue::Str(name.as_bytes().to_vec())),
        ];
        Ok(run("ImmutableConst", &[], &attrs)?.remove(0))
    }

    #[test]
    fn elements_are_the_bytes_of_the_file() {
        let path = std::env::temp_dir().join(format!("ferroflow_immutable_const_{}", std::process::id()));
        std::fs::write(&path, [1.5f32, 2.5].map(f32::to_le_bytes).as_flattened()).unwrap();
        let name = path.to_str().unwrap();
        assert_eq!(constant(name, DType::F32, 2).unwrap().slice::<f32>().unwrap(), [1.5, 2.5]);
        assert_eq!(constant(name, DType::F32, 1).unwrap().slice::<f32>().unwrap(), [1.5]);
        let bytes = constant(name, DType::Bool, 4).unwrap();
        assert_eq!(bytes.slice::<bool>().unwrap(), [false, false, true, true]);
        let e = constant(name, DType::F32, 3).unwrap_err();
        assert_eq!(
            (e.code(), e.message()),
            (Code::Internal, "Readonly memory region has wrong length (8) when allocating 12")
        );
        assert_eq!(constant(name, DType::String, 1).unwrap_err().code(), Code::Unimplemented);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(constant(name, DType::F32, 1).unwrap_err().code(), Code::NotFound);
    }
}
