//! _MatMulSum: a sum of matrices some of which are products, each added as it is computed.

use super::mat_mul::{FusedFactor, Transposes, operands, product_shape};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::gemm::accumulates_once;
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{PartialShape, Result, Tensor, dispatch, elementwise, ensure};

/// The place of a term of the sum among the op's inputs.
#[derive(Clone, Copy)]
enum Term {
    Matrix(usize),
    Product(usize, usize),
}

/// Returns the terms in order, of an op with inputs `matrices`, `left` and `right`.
fn terms(is_product: &[bool]) -> Vec<Term> {
    let products = is_product.iter().filter(|p| **p).count();
    let (mut matrix, mut left) = (0, is_product.len() - products);
    let mut terms = Vec::with_capacity(is_product.len());
    for &is_product in is_product {
        if is_product {
            terms.push(Term::Product(left, left + products));
            left += 1;
        } else {
            terms.push(Term::Matrix(matrix));
            matrix += 1;
        }
    }
    terms
}

/// Returns the sum from the first to the last term, with the bits of products computed for themselves.
fn sum<T: FusedFactor>(ctx: &mut KernelContext<'_>, transposes: Transposes, terms: &[Term]) -> Result<Tensor> {
    let threads = ctx.threads();
    let mut total: Option<Tensor> = None;
    for (i, &term) in terms.iter().enumerate() {
        let shape = match term {
            Term::Matrix(at) => ctx.input(at)?.shape().clone(),
            Term::Product(a, b) => {
                let (a, b) = operands::<T>(ctx.input(a)?, ctx.input(b)?, transposes)?;
                [a.rows(), b.cols()].into_iter().collect()
            }
        };
        if let Some(total) = &total {
            ensure!(
                *total.shape() == shape,
                InvalidArgument,
                "Inputs to operation {} must have the same size and shape.  Input 0: {} != input {i}: {shape}",
                ctx.name(),
                total.shape()
            );
        }
        let term = match term {
            Term::Matrix(at) => ctx.take(at)?,
            Term::Product(a, b) => {
                let (a, b) = operands::<T>(ctx.input(a)?, ctx.input(b)?, transposes)?;
                // A single column is summed in another order.
                if let Some(total) = &mut total
                    && b.cols() > 1
                    && accumulates_once(a.cols())
                {
                    T::accumulate(threads, a, b, total.slice_mut()?)?;
                    continue;
                }
                let mut product = Tensor::new(T::DTYPE, shape)?;
                T::product(threads, a, b, product.slice_mut()?)?;
                product
            }
        };
        total = Some(match total {
            Some(total) => elementwise::binary(Binary::Add, total, term, threads)?,
            None => term,
        });
    }
    total.ok_or_else(|| ferroflow_tensor::Status::invalid_argument("a sum of no terms"))
}

fn mat_mul_sum(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let transposes = Transposes::of(init)?;
    let is_product = init.bools("is_product")?;
    let products = is_product.iter().filter(|p| **p).count();
    ensure!(
        usize::try_from(init.int("M")?) == Ok(is_product.len() - products)
            && usize::try_from(init.int("N")?) == Ok(products),
        InvalidArgument,
        "is_product has {products} of {} terms, M is {}, N is {}",
        is_product.len(),
        init.int("M")?,
        init.int("N")?
    );
    let terms = terms(&is_product);
    dispatch!(init.output_type(0)?, T in [F32, F64], {
        kernel(move |ctx| {
            let out = sum::<T>(ctx, transposes, &terms)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut s = PartialShape::unknown();
    for term in terms(&c.bools("is_product")?) {
        s = match term {
            Term::Matrix(at) => s.merge(c.input(at)?)?,
            Term::Product(a, b) => s.merge(&product_shape(c, a, b)?)?,
        };
    }
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("_MatMulSum")
            .input("matrices: M * T")
            .input("left: N * T")
            .input("right: N * T")
            .output("sum: T")
            .attr("M: int >= 0")
            .attr("N: int >= 1")
            .attr("is_product: list(bool) = []")
            .attr("transpose_a: bool = false")
            .attr("transpose_b: bool = false")
            .attr("T: {float, double}")
            .doc(
                "Returns the sum of matrices and products, in the order of is_product: what the planner makes of sums.",
            )
            .shape(shape)
            .kernel(mat_mul_sum),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn values(rows: usize, cols: usize, step: f64, dtype: DType) -> Tensor {
        let values = (0..rows * cols).map(|i| (i as f64 * step).sin());
        match dtype {
            DType::F64 => Tensor::from_slice([rows, cols], &values.collect::<Vec<f64>>()).unwrap(),
            _ => Tensor::from_slice([rows, cols], &values.map(|v| v as f32).collect::<Vec<f32>>()).unwrap(),
        }
    }

    fn sum(
        matrices: Vec<Tensor>,
        pairs: &[(Tensor, Tensor)],
        is_product: &[bool],
        transpose_a: bool,
        threads: usize,
    ) -> Result<Tensor> {
        let (left, right) = pairs.iter().cloned().unzip();
        let attrs = [
            ("is_product", AttrValue::List(is_product.iter().map(|p| AttrValue::Bool(*p)).collect())),
            ("transpose_a", AttrValue::Bool(transpose_a)),
        ];
        let args = vec![Arg::List(matrices), Arg::List(left), Arg::List(right)];
        Ok(run_args("_MatMulSum", args, &attrs, threads)?.values.remove(0))
    }

    #[test]
    fn sums_have_the_bits_of_products_added_up() {
        for dtype in [DType::F32, DType::F64] {
            for (m, k, n) in [(40, 32, 90), (70, 530, 33), (5, 3, 1), (1, 64, 200)] {
                for transpose_a in [false, true] {
                    let pair = |step: f64| {
                        let a = if transpose_a { values(k, m, step, dtype) } else { values(m, k, step, dtype) };
                        (a, values(k, n, step + 0.1, dtype))
                    };
                    let pairs = [pair(0.3), pair(0.7), pair(1.9)];
                    let matrix = values(m, n, 0.9, dtype);
                    let attrs = [("transpose_a", AttrValue::Bool(transpose_a))];
                    let products: Vec<Tensor> = pairs
                        .iter()
                        .map(|(a, b)| run("MatMul", &[a.clone(), b.clone()], &attrs).unwrap().remove(0))
                        .collect();
                    let added = |terms: &[&Tensor]| {
                        let terms = terms.iter().map(|t| (*t).clone()).collect();
                        run_args("AddN", vec![Arg::List(terms)], &[], 1).unwrap().values.remove(0)
                    };
                    let [p, q, r] = &products[..] else { panic!() };
                    let expected = [added(&[&matrix, p, q, r]), added(&[p, q, &matrix, r])];
                    for threads in [1, 2, 4] {
                        let got =
                            |order: &[bool]| sum(vec![matrix.clone()], &pairs, order, transpose_a, threads).unwrap();
                        assert_eq!(got(&[false, true, true, true]), expected[0]);
                        assert_eq!(got(&[true, true, false, true]), expected[1]);
                    }
                }
            }
        }
    }

    #[test]
    fn unlike_terms_are_refused() {
        let pair = (values(3, 4, 1.0, DType::F32), values(4, 5, 1.0, DType::F32));
        let ok = values(3, 5, 1.0, DType::F32);
        assert!(sum(vec![ok.clone()], std::slice::from_ref(&pair), &[false, true], false, 1).is_ok());
        assert!(
            sum(vec![values(5, 3, 1.0, DType::F32)], std::slice::from_ref(&pair), &[false, true], false, 1).is_err()
        );
        assert!(sum(vec![ok.clone()], &[(pair.1.clone(), pair.0.clone())], &[false, true], false, 1).is_err());
        assert!(sum(vec![ok], std::slice::from_ref(&pair), &[true, true], false, 1).is_err());
    }
}
