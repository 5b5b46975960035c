//! Shape, ShapeN, Size, Rank: what is known of a tensor without its elements.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, ShapeFunction, kernel, shape_rules};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail};

/// Returns numbers as an int32 or int64 tensor.
fn numbers(what: &str, shape: Shape, values: &[i64], dtype: DType) -> Result<Tensor> {
    if dtype == DType::I64 {
        return Tensor::from_slice(shape, values);
    }
    let mut out = Tensor::new(DType::I32, shape)?;
    for (to, &from) in out.slice_mut::<i32>()?.iter_mut().zip(values) {
        let Ok(x) = i32::try_from(from) else {
            bail!(InvalidArgument, "{what} output type is 32-bit, but {from} does not fit");
        };
        *to = x;
    }
    Ok(out)
}

fn ranks(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_inputs() {
        let rank = c.input(i)?.rank();
        c.set_output(i, PartialShape::vector(rank));
    }
    Ok(())
}

fn shape_function(init: &KernelInit<'_>) -> Result<ShapeFunction> {
    let dtype = init.dtype("out_type")?;
    Ok(Box::new(move |shape| numbers("Shape", [shape.rank()].into(), &shape.to_i64(), dtype)))
}

fn size_function(init: &KernelInit<'_>) -> Result<ShapeFunction> {
    let dtype = init.dtype("out_type")?;
    Ok(Box::new(move |shape| numbers("Size", Shape::scalar(), &[shape.elements() as i64], dtype)))
}

fn rank_function(_: &KernelInit<'_>) -> Result<ShapeFunction> {
    Ok(Box::new(|shape| Ok(Tensor::scalar(shape.rank() as i32))))
}

/// Makes the kernel that computes a function of the input's shape.
fn kernel_of(function: ShapeFunction) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let out = function(ctx.input(0)?.shape())?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn shapes(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.dtype("out_type")?;
    kernel(move |ctx| {
        for i in 0..ctx.num_inputs() {
            let dims = ctx.input(i)?.shape().to_i64();
            ctx.set_output(i, numbers("Shape", [dims.len()].into(), &dims, dtype)?);
        }
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    const OUT: &str = "out_type: {int32, int64} = DT_INT32";
    r.add(
        Op::new("Shape")
            .input("input: T")
            .output("output: out_type")
            .attr("T: type")
            .attr(OUT)
            .doc("Returns the dimensions of a tensor, as a vector.")
            .reads_shapes()
            .shape(ranks)
            .kernel_of_shape(shape_function)
            .kernel(|init| kernel_of(shape_function(init)?)),
    );
    r.add(
        Op::new("ShapeN")
            .input("input: N * T")
            .output("output: N * out_type")
            .attr("N: int >= 1")
            .attr("T: type")
            .attr(OUT)
            .doc("Returns the dimensions of each tensor, as vectors.")
            .reads_shapes()
            .shape(ranks)
            .kernel(shapes),
    );
    r.add(
        Op::new("Size")
            .input("input: T")
            .output("output: out_type")
            .attr("T: type")
            .attr(OUT)
            .doc("Returns the number of elements of a tensor.")
            .reads_shapes()
            .shape(shape_rules::scalar)
            .kernel_of_shape(size_function)
            .kernel(|init| kernel_of(size_function(init)?)),
    );
    r.add(
        Op::new("Rank")
            .input("input: T")
            .output("output: int32")
            .attr("T: type")
            .doc("Returns the number of dimensions of a tensor.")
            .reads_shapes()
            .shape(shape_rules::scalar)
            .kernel_of_shape(rank_function)
            .kernel(|init| kernel_of(rank_function(init)?)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn tell_dimensions_count_and_rank() {
        for shape in [&[][..], &[0], &[2, 3], &[4, 0, 2]] {
            let x = Tensor::zeros(DType::String, shape).unwrap();
            let wide = [("out_type", AttrValue::Type(DType::I64))];
            let dims: Vec<i32> = shape.iter().map(|&d| d as i32).collect();
            let dims64: Vec<i64> = shape.iter().map(|&d| d as i64).collect();
            let x = std::slice::from_ref(&x);
            assert_eq!(run("Shape", x, &[]).unwrap()[0].slice::<i32>().unwrap(), dims);
            assert_eq!(run("Shape", x, &wide).unwrap()[0].slice::<i64>().unwrap(), dims64);
            let n: i32 = dims.iter().product();
            assert_eq!(run("Size", x, &[]).unwrap()[0], Tensor::scalar(n));
            assert_eq!(run("Size", x, &wide).unwrap()[0], Tensor::scalar(i64::from(n)));
            assert_eq!(run("Rank", x, &[]).unwrap()[0], Tensor::scalar(shape.len() as i32));
        }
    }

    #[test]
    fn shape_n_answers_for_each_input() {
        let list = vec![Tensor::scalar(1f32), Tensor::zeros(DType::F32, [3, 2]).unwrap()];
        let got = run_args("ShapeN", vec![Arg::List(list)], &[], 1).unwrap().values;
        assert_eq!(got[0].elements(), 0);
        assert_eq!(got[1].slice::<i32>().unwrap(), [3, 2]);
    }
}
