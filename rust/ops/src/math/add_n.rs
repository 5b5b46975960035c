//! AddN and AccumulateNV2: the sum of several tensors of one shape, from the first to the last.

use crate::list;
use ferroflow_graph::{
    Elementwise, HandleSource, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules,
};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::{Binary, Element, Operand, binary, binary_in_place_left};
use ferroflow_tensor::{DType, Result, Scalar, Tensor, dispatch, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;
/// Elements to which all terms are added before the next ones: they stay in L1 meanwhile.
const RESIDENT: usize = 1 << 11;

fn sum<T: Scalar + Element>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let mut first = ctx.take(0)?;
    for (i, t) in ctx.inputs().iter().enumerate().skip(1) {
        ensure!(
            t.shape() == first.shape(),
            InvalidArgument,
            "Inputs to operation {} must have the same size and shape.  Input 0: {} != input {i}: {}",
            ctx.name(),
            first.shape(),
            t.shape()
        );
    }
    let terms: Vec<&[T]> = ctx.inputs().iter().skip(1).map(|t| t.slice::<T>()).collect::<Result<_>>()?;
    let Some((second, rest)) = terms.split_first() else {
        ctx.set_output(0, first);
        return Ok(());
    };
    let add = |to: &mut [T], start: usize, terms: &[&[T]]| {
        for term in terms {
            binary_in_place_left(Binary::Add, to, Operand::Slice(&term[start..start + to.len()]));
        }
    };
    let threads = ctx.threads();
    let out = if first.is_unique() {
        try_for_chunks_mut(threads, first.slice_mut::<T>()?, BLOCK, |start, block| {
            for (i, to) in block.chunks_mut(RESIDENT).enumerate() {
                add(to, start + i * RESIDENT, &terms);
            }
        })?;
        first
    } else {
        let mut out = Tensor::new(T::DTYPE, first.shape().clone())?;
        let first = first.slice::<T>()?;
        try_for_chunks_mut(threads, out.slice_mut::<T>()?, BLOCK, |start, block| {
            for (i, to) in block.chunks_mut(RESIDENT).enumerate() {
                let start = start + i * RESIDENT;
                let part = |v: &'_ [T]| start..start + to.len().min(v.len());
                binary(Binary::Add, Operand::Slice(&first[part(first)]), Operand::Slice(&second[part(second)]), to);
                add(to, start, rest);
            }
        })?;
        out
    };
    ctx.set_output(0, out);
    Ok(())
}

fn sum_of_lists(ctx: &mut KernelContext<'_>) -> Result<()> {
    let mut total = ctx.take(0)?;
    for term in &ctx.inputs()[1..] {
        total = list::sum(&total, term, ctx.threads())?;
    }
    ctx.set_output(0, total);
    Ok(())
}

fn sum_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    if init.output_type(0)? == DType::Variant {
        return kernel(sum_of_lists);
    }
    dispatch!(init.output_type(0)?, T in number, kernel(sum::<T>), else Err(init.unsupported()))
}

fn accumulated_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut s = c.shape("shape")?;
    for i in 0..c.num_inputs() {
        s = s.merge(c.input(i)?)?;
    }
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, output: &str, types: &str| {
        let op = Op::new(name).input("inputs: N * T").output(output).attr("N: int >= 1").attr(types);
        op.commutative().aggregate().kernel(sum_kernel)
    };
    r.add(
        op("AddN", "sum: T", "T: {numbertype, variant}")
            .elementwise(Elementwise::Sum)
            .handle_source(HandleSource::FirstInput)
            .doc("Returns the sum of tensors of one shape.")
            .shape(shape_rules::merged),
    );
    r.add(
        op("AccumulateNV2", "sum: T", "T: numbertype")
            .attr("shape: shape")
            .doc("Returns the sum of tensors of one shape, which is given.")
            .shape(accumulated_shape),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{PartialShape, Result, Tensor};

    fn add_n(op: &str, terms: Vec<Tensor>, threads: usize) -> Result<Tensor> {
        let shape = AttrValue::Shape(PartialShape::from(terms[0].shape()));
        let attrs = [("shape", shape)];
        let attrs = if op == "AddN" { &attrs[..0] } else { &attrs[..] };
        run_args(op, vec![Arg::List(terms)], attrs, threads).map(|mut o| o.values.remove(0))
    }

    #[test]
    fn terms_are_added_from_the_first_to_the_last_at_any_number_of_threads() {
        for n in [1, 5, 100_001] {
            let term = |k: usize| (0..n).map(|i| (i as f32 + 1.0) * 10f32.powi(k as i32 * 3 - 6)).collect::<Vec<_>>();
            let mut expected = term(0);
            for k in 1..5 {
                expected.iter_mut().zip(term(k)).for_each(|(w, t)| *w += t);
            }
            let expected = Tensor::from_slice([n], &expected).unwrap();
            for threads in [1, 2, 4] {
                let terms = || (0..5).map(|k| Tensor::from_slice([n], &term(k)).unwrap()).collect();
                assert!(add_n("AddN", terms(), threads).unwrap() == expected);
                assert!(add_n("AccumulateNV2", terms(), threads).unwrap() == expected);
            }
        }
    }

    #[test]
    fn one_term_is_itself_and_integers_wrap() {
        let x = Tensor::from_slice([2], &[i32::MAX, 1]).unwrap();
        assert_eq!(add_n("AddN", vec![x.clone()], 1).unwrap(), x);
        let sum = add_n("AddN", vec![x.clone(), x], 1).unwrap();
        assert_eq!(sum.slice::<i32>().unwrap(), [-2, 2]);
    }

    #[test]
    fn shapes_that_differ_are_refused() {
        assert!(add_n("AddN", vec![Tensor::scalar(1.0f32), Tensor::from_slice([1], &[1.0f32]).unwrap()], 1).is_err());
    }
}
