//! Select, SelectV2: elements of one tensor or of another, as a condition says.

use crate::array::tile::stretched;
use ferroflow_graph::{Elementwise, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::{Choice, select};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Scalar, Tensor, broadcast, dispatch, ensure};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;

/// Elements of a part for which a single number is repeated.
const PIECE: usize = 1024;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut data = c.input(1)?.merge(c.input(2)?)?;
    let condition = c.input(0)?;
    match (condition.rank(), data.rank()) {
        (None, _) | (_, None) | (Some(0), _) => {}
        // TF 1.x: a vector chooses among rows.
        (Some(1), Some(1..)) => {
            condition.merge(&PartialShape::vector(data.dim(0)))?;
        }
        _ => data = data.merge(condition)?,
    }
    c.set_output(0, data);
    Ok(())
}

/// The relation of the condition's elements to those of the data.
enum Layout {
    Whole(bool),
    Elements,
    /// One decision for each row of this many elements.
    Rows(usize),
}

fn layout(ctx: &KernelContext<'_>) -> Result<Layout> {
    let (condition, t, e) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    ensure!(
        t.shape() == e.shape(),
        InvalidArgument,
        "Inputs to operation {} of type Select must have the same size and shape.  Input 1: {} != input 2: {}",
        ctx.name(),
        t.shape(),
        e.shape()
    );
    if condition.rank() == 0 {
        return Ok(Layout::Whole(condition.to_scalar()?));
    }
    if condition.shape() == t.shape() {
        return Ok(Layout::Elements);
    }
    ensure!(
        condition.rank() == 1 && t.rank() > 0 && t.shape()[0] == condition.elements(),
        InvalidArgument,
        "'cond' must be a scalar, have the shape of 'then', or be a vector of its number of rows; 'then': {}, 'cond': {}",
        t.shape(),
        condition.shape()
    );
    Ok(Layout::Rows(t.shape()[1..].iter().product()))
}

/// Chooses among elements. Either side may be a single number for all.
fn elements<T: Scalar + Choice>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (condition, t, e) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let mut out = Tensor::new(T::DTYPE, condition.shape().clone())?;
    let (condition, t, e) = (condition.slice::<bool>()?, t.slice::<T>()?, e.slice::<T>()?);
    let repeated = |x: &[T]| match x {
        &[value] if condition.len() > 1 => Some(vec![value; PIECE.min(condition.len())]),
        _ => None,
    };
    let singles = [repeated(t), repeated(e)];
    let piece = if singles.iter().any(Option::is_some) { PIECE } else { BLOCK };
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<T>()?, BLOCK, |start, to| {
        for (number, to) in to.chunks_mut(piece).enumerate() {
            let from = start + number * piece;
            let part = from..from + to.len();
            let [t, e] = [(t, &singles[0]), (e, &singles[1])].map(|(x, single)| match single {
                Some(single) => &single[..to.len()],
                None => &x[part.clone()],
            });
            select(&condition[part], t, e, to);
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn plain<T: Scalar + Choice>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let length = match layout(ctx)? {
        Layout::Whole(choice) => {
            let chosen = ctx.take(if choice { 1 } else { 2 })?;
            ctx.set_output(0, chosen);
            return Ok(());
        }
        Layout::Elements => return elements::<T>(ctx),
        Layout::Rows(length) => length,
    };
    let condition = ctx.input(0)?.slice::<bool>()?;
    let (t, e) = (ctx.input(1)?, ctx.input(2)?);
    let mut out = Tensor::new(T::DTYPE, t.shape().clone())?;
    let (t, e) = (t.slice::<T>()?, e.slice::<T>()?);
    let rows = (BLOCK / length.max(1)).max(1);
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<T>()?, rows * length, |start, to| {
        for (i, row) in to.chunks_mut(length.max(1)).enumerate() {
            let from = start + i * length;
            let chosen = if condition[from / length] { t } else { e };
            row.copy_from_slice(&chosen[from..from + length]);
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn strings(ctx: &mut KernelContext<'_>) -> Result<()> {
    let layout = layout(ctx)?;
    let condition = ctx.input(0)?.slice::<bool>()?;
    let (t, e) = (ctx.input(1)?, ctx.input(2)?);
    let choice = |i: usize| match layout {
        Layout::Whole(choice) => choice,
        Layout::Elements => condition[i],
        Layout::Rows(length) => condition[i / length],
    };
    let pairs = t.strings()?.iter().zip(e.strings()?).enumerate();
    let chosen: Vec<Bytes> = pairs.map(|(i, (t, e))| if choice(i) { t.clone() } else { e.clone() }).collect();
    let out = Tensor::from_strings(t.shape().clone(), chosen)?;
    ctx.set_output(0, out);
    Ok(())
}

fn broadcast_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let data = PartialShape::broadcast(c.input(1)?, c.input(2)?)?;
    let shape = PartialShape::broadcast(c.input(0)?, &data)?;
    c.set_output(0, shape);
    Ok(())
}

/// Stretches the inputs to the shape that all three broadcast to. A scalar condition stays one, and a single number that
/// several conditions choose.
fn stretch_inputs(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (condition, t, e) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let shape = broadcast(condition.shape(), &broadcast(t.shape(), e.shape())?)?;
    let is_one_choice = condition.rank() == 0;
    let threads = ctx.threads();
    for (i, input) in ctx.inputs_mut().iter_mut().enumerate() {
        let is_single = input.elements() == 1 && input.dtype() != DType::String;
        let stays = if i == 0 { is_one_choice } else { is_single && !is_one_choice };
        if *input.shape() != shape && !stays {
            *input = stretched(threads, input, shape.clone())?;
        }
    }
    Ok(())
}

fn select_v2<T: Scalar + Choice>(ctx: &mut KernelContext<'_>) -> Result<()> {
    stretch_inputs(ctx)?;
    if ctx.input(0)?.rank() == 0 { plain::<T>(ctx) } else { elements::<T>(ctx) }
}

fn select_v2_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in plain, kernel(select_v2::<T>), else {
        let select = select_kernel(init)?;
        kernel(move |ctx| {
            stretch_inputs(ctx)?;
            select.compute(ctx)
        })
    })
}

fn select_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in plain, kernel(plain::<T>), else {
        if dtype == DType::String { kernel(strings) } else { Err(init.unsupported()) }
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Select")
            .elementwise(Elementwise::Select)
            .input("condition: bool")
            .input("t: T")
            .input("e: T")
            .output("output: T")
            .attr("T: type")
            .doc("Returns elements of t where the condition holds and of e elsewhere; a vector condition chooses rows.")
            .shape(shape)
            .kernel(select_kernel),
    );
    r.add(
        Op::new("SelectV2")
            .input("condition: bool")
            .input("t: T")
            .input("e: T")
            .output("output: T")
            .attr("T: type")
            .doc(
                "Returns elements of t where the condition holds and of e elsewhere; all three broadcast to one shape.",
            )
            .shape(broadcast_shape)
            .kernel(select_v2_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    fn matrix(from: i32) -> Tensor {
        Tensor::from_slice([2, 3], &[from, from + 1, from + 2, from + 3, from + 4, from + 5]).unwrap()
    }

    fn chosen(condition: Tensor) -> Vec<i32> {
        let out = run("Select", &[condition, matrix(0), matrix(10)], &[]).unwrap();
        assert_eq!(out[0].shape(), &[2, 3].into());
        out[0].slice::<i32>().unwrap().to_vec()
    }

    #[test]
    fn a_condition_chooses_elements_rows_or_the_whole() {
        let each = Tensor::from_slice([2, 3], &[true, false, true, false, true, false]).unwrap();
        assert_eq!(chosen(each), [0, 11, 2, 13, 4, 15]);
        assert_eq!(chosen(Tensor::from_slice([2], &[false, true]).unwrap()), [10, 11, 12, 3, 4, 5]);
        assert_eq!(chosen(Tensor::scalar(true)), [0, 1, 2, 3, 4, 5]);
        assert_eq!(chosen(Tensor::scalar(false)), [10, 11, 12, 13, 14, 15]);
    }

    #[test]
    fn strings_are_chosen_too() {
        let text = |parts: &[&str]| {
            Tensor::from_strings([parts.len()], parts.iter().map(|p| p.as_bytes().into()).collect()).unwrap()
        };
        let condition = Tensor::from_slice([2], &[false, true]).unwrap();
        let out = run("Select", &[condition, text(&["a", "b"]), text(&["x", "y"])], &[]).unwrap();
        assert_eq!(out, [text(&["x", "b"])]);
    }

    #[test]
    fn all_three_inputs_stretch() {
        let column = Tensor::from_slice([2, 1], &[true, false]).unwrap();
        let out = run("SelectV2", &[column, matrix(0), Tensor::scalar(9i32)], &[]).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [0, 1, 2, 9, 9, 9]);
        let nothing = Tensor::from_slice([0], &[] as &[bool]).unwrap();
        let out = run("SelectV2", &[nothing, Tensor::scalar(1i32), Tensor::scalar(2i32)], &[]).unwrap();
        assert_eq!(out[0].shape(), &[0].into());
        let many = Tensor::from_slice([700, 3], &(0..2100).map(|i| i % 2 == 0).collect::<Vec<_>>()).unwrap();
        let single = Tensor::from_slice([1, 1, 1], &[5i32]).unwrap();
        let out = run("SelectV2", &[many, single, Tensor::scalar(9i32)], &[]).unwrap();
        assert_eq!(out[0].shape(), &[1, 700, 3].into());
        assert_eq!(out[0].slice::<i32>().unwrap()[1022..1026], [5, 9, 5, 9]);
        let row = Tensor::from_slice([3], &[7i32, 8, 9]).unwrap();
        let out = run("SelectV2", &[Tensor::scalar(false), matrix(0), row], &[]).unwrap();
        assert_eq!(out[0].slice::<i32>().unwrap(), [7, 8, 9, 7, 8, 9]);
        let words = Tensor::from_strings([2], vec![b"a"[..].into(), b"b"[..].into()]).unwrap();
        let empty = Tensor::from_strings([], vec![b""[..].into()]).unwrap();
        let out = run("SelectV2", &[Tensor::from_slice([2], &[true, false]).unwrap(), words, empty], &[]).unwrap();
        assert_eq!(out[0].strings().unwrap()[1].len(), 0);
        let three = Tensor::from_slice([3, 2], &[true; 6]).unwrap();
        assert!(run("SelectV2", &[three, matrix(0), matrix(1)], &[]).is_err());
    }

    #[test]
    fn shapes_that_do_not_meet_are_errors() {
        let three = Tensor::from_slice([3], &[true; 3]).unwrap();
        assert!(run("Select", &[three, matrix(0), matrix(1)], &[]).is_err());
        assert!(run("Select", &[Tensor::scalar(true), matrix(0), Tensor::scalar(1i32)], &[]).is_err());
    }
}
