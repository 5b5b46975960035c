//! MatMul, SparseMatMul and _FusedMatMul: products of two matrices, each read transposed if its attribute is true.

use ferroflow_graph::{
    EpilogueForm, Fusion, Kernel, KernelContext, KernelInit, Op, Prepared, ProductForms, Registry, ShapeContext, kernel,
};
use ferroflow_tensor::gemm::{self, Activation, Epilogue, MatRef, Packed, PackedFloat, gains_by_packing};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{
    Complex32, Complex64, DType, PartialShape, Result, Scalar, Tensor, bail, bf16, dispatch, elementwise, ensure, f16,
};

/// An element type of matrix products.
pub(super) trait Factor: Scalar {
    /// Computes `c = a b`, row by row.
    fn product(threads: Threads, a: MatRef<'_, Self>, b: MatRef<'_, Self>, c: &mut [Self]) -> Result<()>;
}

macro_rules! factors {
    ($($t:ty: $product:path $(, $none:expr)?;)*) => {$(
        impl Factor for $t {
            fn product(threads: Threads, a: MatRef<'_, $t>, b: MatRef<'_, $t>, c: &mut [$t]) -> Result<()> {
                $product(threads, a, b, c, false $(, $none)?)
            }
        }
    )*};
}

factors! {
    f32: gemm::matmul_f32, None;
    f64: gemm::matmul_f64, None;
    f16: gemm::matmul_half, None;
    bf16: gemm::matmul_half, None;
    i32: gemm::matmul_wrapping;
    i64: gemm::matmul_wrapping;
    Complex32: gemm::matmul_c32;
    Complex64: gemm::matmul_c64;
}

/// A float whose products are followed by bias and activation, or added to what is there.
pub(super) trait FusedFactor: Factor + PackedFloat {
    /// Computes `c = c + a b`, row by row.
    fn accumulate(threads: Threads, a: MatRef<'_, Self>, b: MatRef<'_, Self>, c: &mut [Self]) -> Result<()>;

    fn fused(
        threads: Threads,
        a: MatRef<'_, Self>,
        b: MatRef<'_, Self>,
        c: &mut [Self],
        epilogue: &Epilogue<'_, Self>,
    ) -> Result<()>;
}

impl FusedFactor for f32 {
    fn accumulate(threads: Threads, a: MatRef<'_, f32>, b: MatRef<'_, f32>, c: &mut [f32]) -> Result<()> {
        gemm::matmul_f32(threads, a, b, c, true, None)
    }

    fn fused(t: Threads, a: MatRef<'_, f32>, b: MatRef<'_, f32>, c: &mut [f32], e: &Epilogue<'_, f32>) -> Result<()> {
        gemm::matmul_f32(t, a, b, c, false, Some(e))
    }
}

impl FusedFactor for f64 {
    fn accumulate(threads: Threads, a: MatRef<'_, f64>, b: MatRef<'_, f64>, c: &mut [f64]) -> Result<()> {
        gemm::matmul_f64(threads, a, b, c, true, None)
    }

    fn fused(t: Threads, a: MatRef<'_, f64>, b: MatRef<'_, f64>, c: &mut [f64], e: &Epilogue<'_, f64>) -> Result<()> {
        gemm::matmul_f64(t, a, b, c, false, Some(e))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Transposes {
    a: bool,
    b: bool,
}

impl Transposes {
    pub(super) fn of(init: &KernelInit<'_>) -> Result<Transposes> {
        Ok(Transposes { a: init.bool("transpose_a")?, b: init.bool("transpose_b")? })
    }
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let product = product_shape(c, 0, 1)?;
    c.set_output(0, product);
    Ok(())
}

/// Returns the shape of the product of two of an op's inputs.
pub(super) fn product_shape(c: &ShapeContext<'_>, a: usize, b: usize) -> Result<PartialShape> {
    let (a, b) = (c.input(a)?.with_rank(2)?, c.input(b)?.with_rank(2)?);
    let (ta, tb) = (c.bool("transpose_a")?, c.bool("transpose_b")?);
    let (rows, inner_a) = (a.dim(usize::from(ta)), a.dim(usize::from(!ta)));
    let (inner_b, cols) = (b.dim(usize::from(tb)), b.dim(usize::from(!tb)));
    if let (Some(x), Some(y)) = (inner_a, inner_b) {
        ensure!(x == y, InvalidArgument, "Dimensions must be equal, but are {x} and {y}");
    }
    Ok(PartialShape::from_dims(&[rows, cols]))
}

/// Returns a view of a matrix, transposed if the position's attribute is true.
fn operand<T: Scalar>(t: &Tensor, position: usize, transpose: bool) -> Result<MatRef<'_, T>> {
    let [rows, cols] = t.shape()[..] else {
        bail!(InvalidArgument, "In[{position}] is not a matrix. Instead it has shape {}", t.shape());
    };
    let m = MatRef::row_major(t.slice::<T>()?, rows, cols)?;
    Ok(if transpose { m.transposed() } else { m })
}

/// Returns the operands of a product, each a transposed view if its attribute is true.
pub(super) fn operands<'a, T: Factor>(
    a: &'a Tensor,
    b: &'a Tensor,
    transposes: Transposes,
) -> Result<(MatRef<'a, T>, MatRef<'a, T>)> {
    let (x, y) = (operand::<T>(a, 0, transposes.a)?, operand::<T>(b, 1, transposes.b)?);
    ensure!(
        x.cols() == y.rows(),
        InvalidArgument,
        "Matrix size-incompatible: In[0]: {}, In[1]: {}",
        a.shape(),
        b.shape()
    );
    Ok((x, y))
}

fn product<T: Factor>(
    a: &Tensor,
    b: &Tensor,
    transposes: Transposes,
    f: impl FnOnce(MatRef<'_, T>, MatRef<'_, T>, &mut [T]) -> Result<()>,
) -> Result<Tensor> {
    let (x, y) = operands(a, b, transposes)?;
    let mut out = Tensor::new(T::DTYPE, [x.rows(), y.cols()])?;
    f(x, y, out.slice_mut()?)?;
    Ok(out)
}

/// Returns the packed form of a matrix that `place` says has stayed the same since it was first read; None the first
/// time.
fn packed_again<'p, T: FusedFactor>(
    threads: Threads,
    b: MatRef<'_, T>,
    place: &'p mut Prepared,
) -> Result<Option<&'p Packed<T>>> {
    let Some(held) = place else {
        *place = Some(Box::new(None::<Packed<T>>));
        return Ok(None);
    };
    let Some(held) = held.downcast_mut::<Option<Packed<T>>>() else { return Ok(None) };
    Ok(match held {
        Some(packed) => Some(packed),
        None => Some(held.insert(T::packed(threads, b)?)),
    })
}

/// Computes a product of floats. Where a loop leaves b as it is, b is packed once for all iterations.
fn float_product<T: FusedFactor>(
    ctx: &mut KernelContext<'_>,
    transposes: Transposes,
    activation: Option<Activation>,
) -> Result<Tensor> {
    let threads = ctx.threads();
    let place = ctx.take_prepared();
    let epilogue = match activation {
        Some(activation) => {
            let bias = ctx.input(2)?;
            ensure!(bias.rank() == 1, InvalidArgument, "Biases must be 1D: {}", bias.shape());
            Some(Epilogue { bias: Some(bias.slice::<T>()?), activation })
        }
        None => None,
    };
    product(ctx.input(0)?, ctx.input(1)?, transposes, |a, b, c| {
        let place = place.filter(|_| gains_by_packing(a.rows(), &b));
        let packed = place.map(|place| packed_again(threads, b, place)).transpose()?.flatten();
        match (packed, &epilogue) {
            (Some(packed), epilogue) => T::by_packed(threads, a, packed, c, epilogue.as_ref()),
            (None, Some(epilogue)) => T::fused(threads, a, b, c, epilogue),
            (None, None) => T::product(threads, a, b, c),
        }
    })
}

fn mat_mul(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let transposes = Transposes::of(init)?;
    if let Ok(kernel) = float_kernel(init, transposes, None) {
        return Ok(kernel);
    }
    dispatch!(init.output_type(0)?, T in [F16, BF16, I32, I64, Complex64, Complex128], {
        kernel(move |ctx| {
            let threads = ctx.threads();
            let out = product(ctx.input(0)?, ctx.input(1)?, transposes, |a, b, c| T::product(threads, a, b, c))?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn float_kernel(
    init: &KernelInit<'_>,
    transposes: Transposes,
    activation: Option<Activation>,
) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in [F32, F64], {
        kernel(move |ctx| {
            let out = float_product::<T>(ctx, transposes, activation)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Returns the hints that an operand has many zeros change nothing: NaN and infinity meet every zero as arithmetic has
/// it.
fn sparse_mat_mul(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let transposes = Transposes::of(init)?;
    kernel(move |ctx| {
        let threads = ctx.threads();
        let a = elementwise::cast(ctx.take(0)?, DType::F32, threads)?;
        let b = elementwise::cast(ctx.take(1)?, DType::F32, threads)?;
        let out = product(&a, &b, transposes, |a, b, c| f32::product(threads, a, b, c))?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Returns `MatMul`, then `BiasAdd`, then an activation, in one pass over the product and with the same bits.
fn fused_mat_mul(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let transposes = Transposes::of(init)?;
    let fused = init.strs("fused_ops")?;
    let names: Vec<&str> = fused.iter().map(String::as_str).collect();
    let activation = match names[..] {
        ["BiasAdd"] => Activation::None,
        ["BiasAdd", "Relu"] => Activation::Relu,
        _ => bail!(Unimplemented, "Fusion is not implemented: [{}]", names.join(",")),
    };
    ensure!(
        init.int("num_args")? == 1,
        InvalidArgument,
        "Fused MatMul must have one extra argument: bias, num_args is {}",
        init.int("num_args")?
    );
    float_kernel(init, transposes, Some(activation))
}

const PRODUCT: ProductForms = ProductForms {
    epilogue: EpilogueForm { op: "_FusedMatMul", attrs: &["transpose_a", "transpose_b"], bias: "BiasAdd" },
    block: Some("_MatMulSlice"),
    sum: Some("_MatMulSum"),
};

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, a: &str, b: &str| {
        let op = Op::new(name).input(a).input(b);
        op.attr("transpose_a: bool = false").attr("transpose_b: bool = false").shape(shape)
    };
    r.add(
        op("MatMul", "a: T", "b: T")
            .output("product: T")
            .attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
            .fusion(Fusion::Product(&PRODUCT))
            .prepares(1, "transpose_b")
            .doc("Returns the product of two matrices.")
            .kernel(mat_mul),
    );
    r.add(
        op("SparseMatMul", "a: Ta", "b: Tb")
            .output("product: float")
            .attr("a_is_sparse: bool = false")
            .attr("b_is_sparse: bool = false")
            .attr("Ta: {float, bfloat16} = DT_FLOAT")
            .attr("Tb: {float, bfloat16} = DT_FLOAT")
            .doc("Returns the product of two matrices of which one may have many zeros.")
            .kernel(sparse_mat_mul),
    );
    r.add(
        op("_FusedMatMul", "a: T", "b: T")
            .input("args: num_args * T")
            .output("product: T")
            .attr("T: {float, double}")
            .attr("num_args: int >= 0")
            .attr("fused_ops: list(string) = []")
            .attr("epsilon: float = 0.0001")
            .prepares(1, "transpose_b")
            .doc(
                "Returns a product of matrices with the ops fused_ops applied to it: what the planner makes of chains.",
            )
            .kernel(fused_mat_mul),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::threads::Threads;
    use ferroflow_tensor::{Complex64, DType, Tensor, bf16, elementwise};

    /// Returns small integers, so that every product is exact in every type.
    fn matrix(rows: usize, cols: usize, seed: usize) -> Tensor {
        let values: Vec<f32> = (0..rows * cols).map(|i| ((i * 7 + seed) % 5) as f32 - 2.0).collect();
        Tensor::from_slice([rows, cols], &values).unwrap()
    }

    fn transposed(t: &Tensor) -> Tensor {
        let (rows, cols) = (t.shape()[0], t.shape()[1]);
        let v = t.slice::<f32>().unwrap();
        let out: Vec<f32> = (0..rows * cols).map(|i| v[i % rows * cols + i / rows]).collect();
        Tensor::from_slice([cols, rows], &out).unwrap()
    }

    fn naive(a: &Tensor, b: &Tensor) -> Tensor {
        let (n, k, m) = (a.shape()[0], a.shape()[1], b.shape()[1]);
        let (x, y) = (a.slice::<f32>().unwrap(), b.slice::<f32>().unwrap());
        let at = |i: usize, j: usize| (0..k).map(|l| x[i * k + l] * y[l * m + j]).sum::<f32>();
        let out: Vec<f32> = (0..n * m).map(|i| at(i / m, i % m)).collect();
        Tensor::from_slice([n, m], &out).unwrap()
    }

    fn cast(t: &Tensor, to: DType) -> Tensor {
        elementwise::cast(t.clone(), to, Threads::single()).unwrap()
    }

    #[test]
    fn products_are_exact_for_every_type_and_transposition() {
        for (n, k, m) in [(1, 1, 1), (3, 4, 5), (17, 33, 9), (2, 0, 3), (1, 64, 10)] {
            let (a, b) = (matrix(n, k, 1), matrix(k, m, 3));
            let expected = naive(&a, &b);
            for dtype in
                [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::Complex64, DType::Complex128]
            {
                for (ta, tb) in [(false, false), (false, true), (true, false), (true, true)] {
                    let x = cast(&if ta { transposed(&a) } else { a.clone() }, dtype);
                    let y = cast(&if tb { transposed(&b) } else { b.clone() }, dtype);
                    let attrs = [("transpose_a", AttrValue::Bool(ta)), ("transpose_b", AttrValue::Bool(tb))];
                    let got = run("MatMul", &[x, y], &attrs).unwrap();
                    assert_eq!(got[0].shape(), expected.shape());
                    // Zeros may differ in sign.
                    let got = cast(&got[0], DType::F32);
                    assert_eq!(
                        got.slice::<f32>().unwrap(),
                        expected.slice::<f32>().unwrap(),
                        "{dtype:?} {n} {k} {m} {ta} {tb}"
                    );
                }
            }
        }
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let values = |n: usize, s: f32| (0..n).map(|i| ((i as f32) * s).sin()).collect::<Vec<_>>();
        let a = Tensor::from_slice([130, 257], &values(130 * 257, 0.7)).unwrap();
        let b = Tensor::from_slice([257, 190], &values(257 * 190, 0.3)).unwrap();
        let args = || vec![Arg::One(a.clone()), Arg::One(b.clone())];
        let one = run_args("MatMul", args(), &[], 1).unwrap();
        for threads in [2, 4] {
            assert!(run_args("MatMul", args(), &[], threads).unwrap().values == one.values);
        }
    }

    #[test]
    fn fused_ops_give_the_bits_of_the_steps() {
        let (a, b) = (matrix(9, 12, 2), matrix(12, 7, 4));
        let bias = Tensor::from_slice([7], &[0.5f32, -1.0, 2.0, -3.0, 0.25, 0.0, -8.0]).unwrap();
        let sum = run("Add", &[run("MatMul", &[a.clone(), b.clone()], &[]).unwrap().remove(0), bias.clone()], &[]);
        let sum = sum.unwrap().remove(0);
        let relu = run("Maximum", &[sum.clone(), Tensor::scalar(0.0f32)], &[]).unwrap().remove(0);
        let fused = |ops: &[&str]| {
            let ops = ops.iter().map(|o| AttrValue::Str(o.as_bytes().to_vec())).collect();
            let args = vec![Arg::One(a.clone()), Arg::One(b.clone()), Arg::List(vec![bias.clone()])];
            run_args("_FusedMatMul", args, &[("fused_ops", AttrValue::List(ops))], 1).map(|mut o| o.values.remove(0))
        };
        assert_eq!(fused(&["BiasAdd"]).unwrap(), sum);
        assert_eq!(fused(&["BiasAdd", "Relu"]).unwrap(), relu);
        assert!(fused(&["Elu"]).is_err());
    }

    #[test]
    fn sparse_products_are_products() {
        let (a, b) = (matrix(3, 4, 0), matrix(4, 2, 1));
        let expected = naive(&a, &b);
        assert_eq!(run("SparseMatMul", &[a.clone(), b.clone()], &[]).unwrap(), std::slice::from_ref(&expected));
        let types = [("Ta", AttrValue::Type(DType::BF16))];
        assert_eq!(run("SparseMatMul", &[cast(&a, DType::BF16), b], &types).unwrap(), [expected]);
        let zero = Tensor::from_slice([1, 1], &[0.0f32]).unwrap();
        let nan = Tensor::from_slice([1, 1], &[f32::NAN]).unwrap();
        assert!(run("SparseMatMul", &[zero, nan], &[]).unwrap()[0].to_scalar::<f32>().unwrap().is_nan());
    }

    #[test]
    fn what_is_no_product_of_matrices_is_refused() {
        assert!(run("MatMul", &[matrix(2, 3, 0), matrix(2, 3, 0)], &[]).is_err());
        assert!(run("MatMul", &[matrix(2, 3, 0), Tensor::from_slice([3], &[1.0f32; 3]).unwrap()], &[]).is_err());
        let half = Tensor::from_slice([1, 1], &[bf16::ONE]).unwrap();
        assert!(run("MatMul", &[half, matrix(1, 1, 0)], &[]).is_err());
        let c = Tensor::from_slice([1, 1], &[Complex64::new(0.0, 1.0)]).unwrap();
        assert_eq!(
            run("MatMul", &[c.clone(), c], &[]).unwrap()[0].slice::<Complex64>().unwrap(),
            [Complex64::new(-1.0, 0.0)]
        );
    }
}
