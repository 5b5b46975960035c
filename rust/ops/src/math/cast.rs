//! Cast: elements in another type.

use ferroflow_graph::{Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{DType, Status, elementwise};

fn is_convertible(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_integer() || dtype.is_complex() || dtype == DType::Bool
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Cast")
            .input("x: SrcT")
            .output("y: DstT")
            .attr("SrcT: type")
            .attr("DstT: type")
            .doc("Returns x in another type; floats become integers by rounding to zero.")
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let (from, to) = (init.input_type(0)?, init.dtype("DstT")?);
                if from != to && !(is_convertible(from) && is_convertible(to)) {
                    let (from, to) = (from.schema_name(), to.schema_name());
                    return Err(Status::unimplemented(format!("Cast {from} to {to} is not supported")));
                }
                kernel(move |ctx| {
                    let x = ctx.take(0)?;
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
    fn strings_convert_to_nothing_but_themselves() {
        let x = Tensor::from_strings([1], vec![b"7"[..].into()]).unwrap();
        assert_eq!(cast(x.clone(), DType::String).unwrap(), x);
        assert_eq!(cast(x, DType::I32).unwrap_err().code(), Code::Unimplemented);
    }
}
