//! AsString: numbers as text.

use super::each::texts;
use super::printf::{Format, Notation};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Complex32, Complex64, DType, Result, Scalar, Tensor, bf16, dispatch, ensure, f16};

/// Widths and precisions above these are refused: each element would be that long.
const MAX_WIDTH: i64 = 1 << 16;
const MAX_PRECISION: i64 = 1 << 14;

fn format_of(init: &KernelInit<'_>, dtype: DType) -> Result<Format> {
    let (precision, width) = (init.int("precision")?, init.int("width")?);
    let (scientific, shortest) = (init.bool("scientific")?, init.bool("shortest")?);
    let fill = init.bytes("fill")?;
    if !dtype.is_floating() && !dtype.is_complex() {
        ensure!(
            !scientific && !shortest,
            InvalidArgument,
            "scientific and shortest format not supported for datatype {}",
            dtype.schema_name()
        );
        ensure!(precision < 0, InvalidArgument, "precision not supported for datatype {}", dtype.schema_name());
    }
    ensure!(fill.len() <= 1, InvalidArgument, "Fill string must be one or fewer characters");
    let flag = fill.first().copied();
    ensure!(
        flag.is_none_or(|f| b" +-0#".contains(&f)),
        InvalidArgument,
        "Fill argument not supported: \"{}\"",
        String::from_utf8_lossy(&fill)
    );
    ensure!(!(scientific && shortest), InvalidArgument, "Cannot select both scientific and shortest notation");
    ensure!(width <= MAX_WIDTH, InvalidArgument, "width {width} is more than the {MAX_WIDTH} there may be");
    ensure!(
        precision <= MAX_PRECISION,
        InvalidArgument,
        "precision {precision} is more than the {MAX_PRECISION} there may be"
    );
    let notation = match (scientific, shortest) {
        (true, _) => Notation::Scientific,
        (_, true) => Notation::Shortest,
        _ => Notation::Fixed,
    };
    Ok(Format {
        notation,
        flag,
        width: usize::try_from(width).unwrap_or(0),
        precision: usize::try_from(precision).unwrap_or(6),
    })
}

fn compute<T: Scalar>(ctx: &mut KernelContext<'_>, f: impl Fn(T) -> String + Sync) -> Result<()> {
    let input = ctx.input(0)?;
    let values = input.slice::<T>()?;
    let out = texts(ctx.threads(), values.len(), |i| Ok(f(values[i]).into_bytes().into()))?;
    let out = Tensor::from_strings(input.shape().clone(), out)?;
    ctx.set_output(0, out);
    Ok(())
}

fn as_string(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.input_type(0)?;
    let format = format_of(init, dtype)?;
    let pair = move |re: f64, im: f64| format!("({},{})", format.float(re), format.float(im));
    match dtype {
        DType::F32 => kernel(move |ctx| compute(ctx, |x: f32| format.float(x.into()))),
        DType::F64 => kernel(move |ctx| compute(ctx, |x: f64| format.float(x))),
        DType::F16 => kernel(move |ctx| compute(ctx, |x: f16| format.float(x.into()))),
        DType::BF16 => kernel(move |ctx| compute(ctx, |x: bf16| format.float(x.into()))),
        DType::Complex64 => kernel(move |ctx| compute(ctx, |z: Complex32| pair(z.re.into(), z.im.into()))),
        DType::Complex128 => kernel(move |ctx| compute(ctx, |z: Complex64| pair(z.re, z.im))),
        DType::Bool => kernel(|ctx| compute(ctx, |x: bool| x.to_string())),
        _ => dispatch!(dtype, T in int, kernel(move |ctx| compute(ctx, |x: T| format.integer(x.into()))),
            else Err(init.unsupported())),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("AsString")
            .input("input: T")
            .output("output: string")
            .attr(
                "T: {int32, int64, complex64, float, double, bool, int8, int16, uint8, uint16, uint32, uint64, \
                 complex128, half, bfloat16}",
            )
            .attr("precision: int = -1")
            .attr("scientific: bool = false")
            .attr("shortest: bool = false")
            .attr("width: int = -1")
            .attr("fill: string = ''")
            .doc("Returns numbers as C's printf writes them with the flag `fill`, `width` and `precision`.")
            .shape(shape_rules::unchanged)
            .kernel(as_string),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Complex32, Result, Tensor};

    fn texts(x: Tensor, attrs: &[(&str, AttrValue)]) -> Result<Vec<String>> {
        let y = run("AsString", &[x], attrs)?;
        Ok(y[0].strings()?.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect())
    }

    #[test]
    fn numbers_of_each_kind() {
        let x = Tensor::from_slice([3], &[0f32, 1.0, 3.25]).unwrap();
        assert_eq!(texts(x.clone(), &[]).unwrap(), ["0.000000", "1.000000", "3.250000"]);
        let short = [("shortest", AttrValue::Bool(true)), ("precision", AttrValue::Int(2))];
        assert_eq!(texts(x, &short).unwrap(), ["0", "1", "3.2"]);
        let z = Tensor::scalar(Complex32::new(1.5, -2.0));
        assert_eq!(texts(z, &[("precision", AttrValue::Int(1))]).unwrap(), ["(1.5,-2.0)"]);
        assert_eq!(texts(Tensor::scalar(true), &[]).unwrap(), ["true"]);
        let padded = [("width", AttrValue::Int(5)), ("fill", AttrValue::Str(b"0".to_vec()))];
        assert_eq!(texts(Tensor::scalar(-7i64), &padded).unwrap(), ["-0007"]);
    }

    #[test]
    fn formats_that_do_not_fit_are_refused() {
        let refused = |x: Tensor, name: &str, v: AttrValue| texts(x, &[(name, v)]).unwrap_err().message().to_owned();
        let (int, float) = (Tensor::scalar(1i32), Tensor::scalar(1f32));
        assert!(refused(int.clone(), "scientific", AttrValue::Bool(true)).contains("scientific and shortest"));
        assert!(refused(int, "precision", AttrValue::Int(2)).contains("precision not supported"));
        assert!(refused(float.clone(), "fill", AttrValue::Str(b"ab".to_vec())).contains("Fill string"));
        assert!(refused(float.clone(), "fill", AttrValue::Str(b"n".to_vec())).contains("Fill argument"));
        assert!(refused(float.clone(), "precision", AttrValue::Int(1 << 20)).contains("precision"));
        assert!(refused(float, "width", AttrValue::Int(i64::MAX)).contains("width"));
    }
}
