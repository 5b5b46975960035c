//! Bitcast: the same bytes read as another type.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Buffer, PartialShape, Result, Shape, Tensor, bail, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (from, to) = (c.dtype("T")?.size(), c.dtype("type")?.size());
    let Some(mut dims) = c.input(0)?.dims() else { return Ok(()) };
    ensure!(from > 0 && to > 0, InvalidArgument, "Cannot bitcast types of which one has no size");
    if from < to {
        let Some(last) = dims.pop() else { bail!(InvalidArgument, "Shape must be at least rank 1 but is rank 0") };
        let ratio = to / from;
        ensure!(
            last.is_none_or(|d| d == ratio),
            InvalidArgument,
            "Cannot bitcast due to shape. {} does not match {ratio}",
            last.unwrap_or(0)
        );
    } else if from > to {
        dims.push(Some(from / to));
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn bitcast(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("type")?;
    kernel(move |ctx| {
        let x = ctx.take(0)?;
        let (from, to) = (x.dtype().size(), dtype.size());
        if from == to {
            ctx.set_output(0, x.bitcast_same_size(dtype)?);
            return Ok(());
        }
        let mut dims = x.shape().to_i64();
        if from < to {
            let last = dims.pop();
            ensure!(
                last == Some((to / from) as i64),
                InvalidArgument,
                "Cannot bitcast from {} to {}: shape {}",
                x.dtype().schema_name(),
                dtype.schema_name(),
                x.shape()
            );
        } else {
            dims.push((from / to) as i64);
        }
        let Some(bytes) = x.bytes() else { bail!(InvalidArgument, "Cannot bitcast strings") };
        let mut buffer = Buffer::new(bytes.len())?;
        if let Some(b) = buffer.bytes_mut() {
            b.copy_from_slice(bytes);
        }
        let out = Tensor::from_buffer(dtype, Shape::checked(&dims)?, buffer)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    const TYPES: &str = "{bfloat16, half, float, double, int64, int32, uint8, uint16, int8, int16, uint32, uint64, complex64, \
                         complex128, qint8, quint8, qint16, quint16, qint32}";
    r.add(
        Op::new("Bitcast")
            .input("input: T")
            .output("output: type")
            .attr(&format!("T: {TYPES}"))
            .attr(&format!("type: {TYPES}"))
            .doc("Returns the same bytes as another type; a smaller one adds a dimension, a larger one takes the last.")
            .shape(shape)
            .kernel(bitcast),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn cast(x: &Tensor, to: DType) -> Result<Tensor> {
        Ok(run("Bitcast", std::slice::from_ref(x), &[("type", AttrValue::Type(to))])?[0].clone())
    }

    #[test]
    fn bytes_stay_and_the_shape_follows() {
        let x = Tensor::from_slice([3], &[1f32, -2.0, f32::NAN]).unwrap();
        let bits = cast(&x, DType::I32).unwrap();
        assert_eq!(bits.slice::<i32>().unwrap()[0], 0x3f80_0000);
        let bytes = cast(&x, DType::U8).unwrap();
        assert_eq!((bytes.shape().dims(), &bytes.slice::<u8>().unwrap()[..4]), (&[3, 4][..], &[0, 0, 0x80, 0x3f][..]));
        assert_eq!(cast(&bytes, DType::F32).unwrap(), x);
        let pair = Tensor::from_slice([2], &[1u8, 2]).unwrap();
        assert_eq!(cast(&pair, DType::I16).unwrap().slice::<i16>().unwrap(), [0x0201]);
        assert_eq!(cast(&Tensor::zeros(DType::F64, [0]).unwrap(), DType::F32).unwrap().shape().dims(), [0, 2]);
        for (x, to) in [(&x, DType::F64), (&pair, DType::F32), (&Tensor::scalar(1u8), DType::I16)] {
            assert!(cast(x, to).is_err());
        }
    }
}
