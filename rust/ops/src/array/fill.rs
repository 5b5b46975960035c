//! Fill, ZerosLike, OnesLike: tensors of one value.

use crate::list;
use ferroflow_graph::{HandleSource, Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::threads::{Threads, try_fill};
use ferroflow_tensor::{DType, Movable, Result, Shape, Tensor, bail, by_size, dispatch, ensure};
use num_traits::One;

/// Returns a tensor of `shape` whose elements are all that of the one-element tensor `value`.
pub(super) fn filled(threads: Threads, value: &Tensor, shape: Shape) -> Result<Tensor> {
    let mut out = Tensor::new(value.dtype(), shape)?;
    by_size!(value.dtype(), E, fill_all(threads, E::view(value)?, E::view_mut(&mut out)?))?;
    Ok(out)
}

fn fill_all<E: Movable>(threads: Threads, value: &[E], to: &mut [E]) -> Result<()> {
    let [x] = value else { bail!(InvalidArgument, "{} values to fill with", value.len()) };
    Ok(try_fill(threads, to, x.clone())?)
}

fn fill_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    if let Some(dims) = c.input_i64s(0)? {
        ensure!(dims.iter().all(|&d| d >= 0), InvalidArgument, "Fill dimensions must be >= 0");
    }
    shape_rules::from_shape_input(c)
}

fn shape_of_filled(value: &Shape, dims: &Tensor) -> Result<Shape> {
    ensure!(dims.rank() == 1, InvalidArgument, "dims must be a vector of int32, got shape {}", dims.shape());
    ensure!(value.rank() == 0, InvalidArgument, "value must be a scalar, got shape {value}");
    Shape::checked(&dims.to_i64s()?)
}

fn fill(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let value = ctx.input(1)?;
        let out = filled(ctx.threads(), value, shape_of_filled(value.shape(), ctx.input(0)?)?)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn one(dtype: DType) -> Option<Tensor> {
    if dtype == DType::Bool {
        return Some(Tensor::scalar(true));
    }
    dispatch!(dtype, T in number, Some(Tensor::scalar(T::one())), else None)
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Fill")
            .input("dims: index_type")
            .input("value: T")
            .output("output: T")
            .attr("T: type")
            .attr("index_type: {int32, int64} = DT_INT32")
            .doc("Returns a tensor of the dimensions `dims`, each element being `value`.")
            .shape(fill_shape)
            .stretches(1, 0, shape_of_filled)
            .kernel(fill),
    );
    r.add(
        Op::new("ZerosLike")
            .input("x: T")
            .output("y: T")
            .attr("T: type")
            .doc("Returns zeros (false, empty strings) in the shape of `x`.")
            .handle_source(HandleSource::FirstInput)
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let dtype = init.dtype("T")?;
                if dtype == DType::Variant {
                    return kernel(|ctx| {
                        let zeros = list::zeros_like(ctx.input(0)?)?;
                        ctx.set_output(0, zeros);
                        Ok(())
                    });
                }
                let zero = Tensor::zeros(dtype, Shape::scalar())?;
                kernel(move |ctx| {
                    let out = filled(ctx.threads(), &zero, ctx.input(0)?.shape().clone())?;
                    ctx.set_output(0, out);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("OnesLike")
            .input("x: T")
            .output("y: T")
            .attr(
                "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, complex128, bool}",
            )
            .doc("Returns ones (true) in the shape of `x`.")
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let Some(one) = one(init.dtype("T")?) else { return Err(init.unsupported()) };
                kernel(move |ctx| {
                    let out = filled(ctx.threads(), &one, ctx.input(0)?.shape().clone())?;
                    ctx.set_output(0, out);
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{Complex64, DType, Tensor};

    #[test]
    fn every_element_is_the_value() {
        let dims = Tensor::from_slice([2], &[300i32, 500]).unwrap();
        for value in [Tensor::scalar(2.5f32), Tensor::scalar(true), Tensor::scalar(Complex64::new(1., 2.))] {
            let args = || vec![Arg::One(dims.clone()), Arg::One(value.clone())];
            let got = run_args("Fill", args(), &[], 3).unwrap();
            assert_eq!(got.shapes[0].to_shape().unwrap().dims(), [300, 500]);
            assert_eq!(got.values, run_args("Fill", args(), &[], 1).unwrap().values);
            let each = value.bytes().unwrap();
            assert!(got.values[0].bytes().unwrap().chunks(each.len()).all(|c| c == each));
        }
        let text = Tensor::from_strings([], vec![b"x"[..].into()]).unwrap();
        let none = Tensor::from_slice([0], &[0i64; 0]).unwrap();
        assert_eq!(run("Fill", &[none, text.clone()], &[]).unwrap(), [text]);
    }

    #[test]
    fn sizes_that_cannot_be_are_errors() {
        for dims in [[-1i64, 2], [1 << 40, 1 << 40], [1 << 31, 1 << 31]] {
            let dims = Tensor::from_slice([2], &dims).unwrap();
            assert!(run("Fill", &[dims, Tensor::scalar(1f64)], &[]).is_err());
        }
        let dims = Tensor::from_slice([1], &[2i32]).unwrap();
        assert!(run("Fill", &[dims, Tensor::from_slice([1], &[1f32]).unwrap()], &[]).is_err());
    }

    #[test]
    fn like_another_tensor() {
        for dtype in DType::ALL.into_iter().filter(|d| d.is_plain() || *d == DType::String) {
            let x = Tensor::zeros(dtype, [2, 0, 3]).unwrap();
            assert_eq!(run("ZerosLike", std::slice::from_ref(&x), &[]).unwrap()[0], x);
        }
        let x = Tensor::from_slice([3], &[5i8, 6, 7]).unwrap();
        assert_eq!(run("ZerosLike", std::slice::from_ref(&x), &[]).unwrap()[0].slice::<i8>().unwrap(), [0; 3]);
        assert_eq!(run("OnesLike", &[x], &[]).unwrap()[0].slice::<i8>().unwrap(), [1; 3]);
        let x = Tensor::zeros(DType::Bool, [2]).unwrap();
        assert_eq!(run("OnesLike", &[x], &[]).unwrap()[0].slice::<bool>().unwrap(), [true; 2]);
    }
}
