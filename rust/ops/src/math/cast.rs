//! Cast: elements in another type.

use ferroflow_graph::{Elementwise, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{DType, Result, Status, Tensor, elementwise, f16};

fn is_convertible(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_integer() || dtype.is_complex() || dtype == DType::Bool
}

/// Returns the bits of the significand, without the one that is implied.
fn significand(dtype: DType) -> Option<u32> {
    Some(match dtype {
        DType::F64 => 52,
        DType::F32 => 23,
        DType::F16 => 10,
        DType::BF16 => 7,
        _ => return None,
    })
}

/// Returns the number of bits of a float's significand the other float type lacks.
fn dropped_bits(from: DType, to: DType) -> u32 {
    match (significand(from), significand(to)) {
        (Some(from), Some(to)) => from.saturating_sub(to),
        _ => 0,
    }
}

/// Clears the lowest bits of all elements but NaNs, so that the conversion has nothing to round.
fn drop_bits(x: &mut Tensor, count: u32) -> Result<()> {
    macro_rules! clear {
        ($float:ty, $bits:ty) => {
            for v in x.slice_mut::<$float>()? {
                if !v.is_nan() {
                    *v = <$float>::from_bits(v.to_bits() & (<$bits>::MAX << count));
                }
            }
        };
    }
    match x.dtype() {
        DType::F64 => clear!(f64, u64),
        DType::F32 => clear!(f32, u32),
        DType::F16 => clear!(f16, u16),
        _ => {}
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Cast")
            .elementwise(Elementwise::Cast)
            .input("x: SrcT")
            .output("y: DstT")
            .attr("SrcT: type")
            .attr("DstT: type")
            .attr("Truncate: bool = false")
            .doc("Returns x in another type; floats become integers by rounding to zero.")
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let (from, to) = (init.input_type(0)?, init.dtype("DstT")?);
                if from != to && !(is_convertible(from) && is_convertible(to)) {
                    let (from, to) = (from.schema_name(), to.schema_name());
                    return Err(Status::unimplemented(format!("Cast {from} to {to} is not supported")));
                }
                let dropped = if init.bool("Truncate")? { dropped_bits(from, to) } else { 0 };
                kernel(move |ctx| {
                    let mut x = ctx.take(0)?;
                    if dropped > 0 {
                        drop_bits(&mut x, dropped)?;
                    }
                    let y = elementwise::cast(x, to, ctx.threads())?;
                    ctx.set_output(0, y);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, Complex32, DType, Result, Tensor, bf16};

    fn cast(x: Tensor, to: DType) -> Result<Tensor> {
        let attrs = [("DstT", AttrValue::Type(to))];
        run("Cast", &[x], &attrs).map(|mut y| y.remove(0))
    }

    #[test]
    fn numbers_keep_their_value_where_the_type_has_it() {
        let x = Tensor::from_slice([2, 2], &[0.0f32, -1.75, 2.5, 300.0]).unwrap();
        let y = cast(x.clone(), DType::I32).unwrap();
        assert_eq!(y, Tensor::from_slice([2, 2], &[0i32, -1, 2, 300]).unwrap());
        let y = cast(x.clone(), DType::Bool).unwrap();
        assert_eq!(y, Tensor::from_slice([2, 2], &[false, true, true, true]).unwrap());
        let y = cast(x.clone(), DType::Complex64).unwrap();
        assert_eq!(y.slice::<Complex32>().unwrap()[1], Complex32::new(-1.75, 0.0));
        let y = cast(x, DType::BF16).unwrap();
        assert_eq!(y.slice::<bf16>().unwrap()[2], bf16::from_f32(2.5));
    }

    #[test]
    fn what_is_truncated_is_not_rounded() {
        let cut = |x: Tensor, to: DType| {
            let attrs = [("DstT", AttrValue::Type(to)), ("Truncate", AttrValue::Bool(true))];
            run("Cast", &[x], &attrs).unwrap().remove(0)
        };
        let x = Tensor::from_slice([3], &[1.0 + 0.75 / 128.0, -1.0 - 0.75 / 128.0, f32::NAN]).unwrap();
        let rounded = cast(x.clone(), DType::BF16).unwrap();
        assert_eq!(rounded.slice::<bf16>().unwrap()[0], bf16::from_f32(1.0 + 1.0 / 128.0));
        let y = cut(x.clone(), DType::BF16);
        let y = y.slice::<bf16>().unwrap();
        assert!(y[0] == bf16::from_f32(1.0) && y[1] == bf16::from_f32(-1.0) && y[2].is_nan());
        assert_eq!(cut(Tensor::scalar(1.9999999999f64), DType::F32), Tensor::scalar(2.0f32 - f32::EPSILON));
        assert_eq!(cut(Tensor::scalar(1.75f32), DType::I32), Tensor::scalar(1i32));
        assert_eq!(x.slice::<f32>().unwrap()[0], 1.0 + 0.75 / 128.0);
    }

    #[test]
    fn strings_convert_to_nothing_but_themselves() {
        let x = Tensor::from_strings([1], vec![b"7"[..].into()]).unwrap();
        assert_eq!(cast(x.clone(), DType::String).unwrap(), x);
        assert_eq!(cast(x, DType::I32).unwrap_err().code(), Code::Unimplemented);
    }
}
