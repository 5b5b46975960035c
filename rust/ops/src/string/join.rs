//! StringJoin: strings at equal places of several tensors, joined.

use super::each::texts;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Bytes, PartialShape, Result, Shape, Tensor, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut out = PartialShape::unknown();
    let mut all_scalars = true;
    for i in 0..c.num_inputs() {
        let s = c.input(i)?;
        all_scalars &= s.rank() == Some(0);
        // A shape of unknown rank may be a scalar, which joins with any shape.
        if s.rank().is_some_and(|r| r > 0) {
            out = out.merge(s)?;
        }
    }
    c.set_output(0, if all_scalars { PartialShape::scalar() } else { out });
    Ok(())
}

fn join(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let separator = init.bytes("separator")?;
    kernel(move |ctx| {
        let mut shape = Shape::scalar();
        for input in ctx.inputs() {
            if shape.rank() == 0 {
                shape = input.shape().clone();
            }
            ensure!(
                input.rank() == 0 || *input.shape() == shape,
                InvalidArgument,
                "Input shapes do not match: {shape} vs. {}",
                input.shape()
            );
        }
        let parts = ctx.inputs().iter().map(|t| Ok((t.strings()?, t.rank() == 0))).collect::<Result<Vec<_>>>()?;
        let out = texts(ctx.threads(), shape.elements(), |i| {
            let mut text = Bytes::new();
            for (number, (strings, is_scalar)) in parts.iter().enumerate() {
                if number > 0 {
                    text.extend_from_slice(&separator);
                }
                text.extend_from_slice(&strings[if *is_scalar { 0 } else { i }]);
            }
            Ok(text)
        })?;
        ctx.set_output(0, Tensor::from_strings(shape, out)?);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("StringJoin")
            .input("inputs: N * string")
            .output("output: string")
            .attr("N: int >= 1")
            .attr("separator: string = ''")
            .doc("Joins the strings at equal places, with `separator` between them; scalars join with every string.")
            .shape(shape)
            .kernel(join),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn words(list: &[&str]) -> Tensor {
        Tensor::from_strings([list.len()], list.iter().map(|s| s.as_bytes().into()).collect()).unwrap()
    }

    fn join(list: Vec<Tensor>) -> Result<Tensor> {
        let attrs = [("separator", AttrValue::Str(b"-".to_vec()))];
        Ok(run_args("StringJoin", vec![Arg::List(list)], &attrs, 2)?.values[0].clone())
    }

    #[test]
    fn scalars_join_with_every_string() {
        let x = Tensor::from_strings([], vec![b"x"[..].into()]).unwrap();
        assert_eq!(join(vec![words(&["a", "b"]), x.clone()]).unwrap(), words(&["a-x", "b-x"]));
        assert_eq!(join(vec![x.clone(), x.clone()]).unwrap().strings().unwrap()[0].as_ref(), b"x-x");
        assert!(join(vec![words(&["a", "b"]), words(&["a"])]).is_err());
    }
}
