//! LogicalAnd, LogicalOr, LogicalNot.

use ferroflow_graph::{Elementwise, Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::elementwise::{Broadcast, Inputs, Terms};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::{Logical, logical};
use ferroflow_tensor::{DType, Result, Tensor};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 18;

fn connective(f: Logical) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let (x, y) = (ctx.input(0)?, ctx.input(1)?);
        let plan = Broadcast::new(x.shape(), y.shape())?;
        let mut out = Tensor::new(DType::Bool, plan.shape.clone())?;
        let inputs = Inputs::Both(x.slice::<bool>()?, y.slice()?);
        plan.apply(ctx.threads(), BLOCK, inputs, out.slice_mut()?, |terms, out| {
            if let Terms::Both(x, y) = terms {
                logical(f, x, y, out);
            }
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn not(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let mut x = ctx.take_unique(0)?;
        try_for_chunks_mut(ctx.threads(), x.slice_mut::<bool>()?, BLOCK, |_, part| {
            part.iter_mut().for_each(|v| *v = !*v);
        })?;
        ctx.set_output(0, x);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, f: Logical| {
        let op = Op::new(name).input("x: bool").input("y: bool").output("z: bool");
        op.elementwise(Elementwise::Logical(f)).commutative().shape(shape_rules::broadcast_binary)
    };
    r.add(
        op("LogicalAnd", Logical::And).doc("Returns whether both x and y hold.").kernel(|_| connective(Logical::And)),
    );
    r.add(op("LogicalOr", Logical::Or).doc("Returns whether x or y holds.").kernel(|_| connective(Logical::Or)));
    r.add(
        Op::new("LogicalNot")
            .elementwise(Elementwise::Not)
            .input("x: bool")
            .output("y: bool")
            .doc("Returns whether x does not hold.")
            .shape(shape_rules::unchanged)
            .kernel(not),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn truth_tables() {
        let x = Tensor::from_slice([2, 1], &[false, true]).unwrap();
        let y = Tensor::from_slice([2], &[false, true]).unwrap();
        let bools = |op: &str, inputs: &[Tensor]| run(op, inputs, &[]).unwrap()[0].slice::<bool>().unwrap().to_vec();
        assert_eq!(bools("LogicalAnd", &[x.clone(), y.clone()]), [false, false, false, true]);
        assert_eq!(bools("LogicalOr", &[x.clone(), y]), [false, true, true, true]);
        assert_eq!(bools("LogicalNot", &[x]), [true, false]);
        assert!(run("LogicalNot", &[Tensor::scalar(1i32)], &[]).is_err());
    }
}
