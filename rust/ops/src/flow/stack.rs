//! Stack, StackV2 and the ops on them: values of a loop's iterations, last in, first out, in which TF 1.x keeps what
//! gradients need.

use ferroflow_graph::{
    KernelContext, Op, Registry, ResourceHandle, ResourceName, ShapeContext, kernel, reference_tensor, shape_rules,
};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The values of one step.
struct Stack {
    name: String,
    dtype: DType,
    /// `None` without limit.
    max_size: Option<usize>,
    /// `None` once it is closed.
    values: Mutex<Option<Vec<Tensor>>>,
}

impl Stack {
    fn with<R>(&self, f: impl FnOnce(&mut Vec<Tensor>) -> Result<R>) -> Result<R> {
        match &mut *self.values.lock() {
            Some(values) => f(values),
            None => bail!(InvalidArgument, "Stack[{}] has already been closed.", self.name),
        }
    }
}

/// Stacks made so far by ops of the older form, which find them by name.
static MADE: AtomicU64 = AtomicU64::new(0);

fn make(ctx: &mut KernelContext<'_>, name: &str, dtype: DType) -> Result<()> {
    let name = if name.is_empty() { ctx.name().to_owned() } else { name.to_owned() };
    if ctx.num_inputs() == 0 {
        let name = format!("{name}_{}", MADE.fetch_add(1, Ordering::Relaxed));
        let stack = Stack { name: name.clone(), dtype, max_size: None, values: Mutex::new(Some(Vec::new())) };
        let name = ResourceName { container: "_stacks".into(), name };
        ctx.step.locals.insert(&name, Arc::new(stack));
        ctx.set_output(0, reference_tensor(&name)?);
        return Ok(());
    }
    let max_size = ctx.input(0)?;
    ensure!(max_size.rank() == 0, InvalidArgument, "Stack size must be a scalar, but had shape: {}", max_size.shape());
    let max_size = usize::try_from(max_size.to_scalar::<i32>()?).ok();
    let stack = Stack { name: name.clone(), dtype, max_size, values: Mutex::new(Some(Vec::new())) };
    // It belongs to the step alone: no other op finds it by its name.
    let handle = ResourceHandle::new(ResourceName { container: String::new(), name }, Arc::new(stack));
    ctx.set_output(0, handle.into_tensor()?);
    Ok(())
}

fn push(ctx: &mut KernelContext<'_>) -> Result<()> {
    let stack = ctx.resource::<Stack>(0)?;
    let value = ctx.take(1)?.into_owned()?;
    ensure!(
        value.dtype() == stack.dtype,
        InvalidArgument,
        "Must have elements of type {} in Stack[{}], got {}",
        stack.dtype.name(),
        stack.name,
        value.dtype().name()
    );
    stack.with(|values| {
        if let Some(most) = stack.max_size {
            ensure!(values.len() < most, InvalidArgument, "Stack[{}] overflowed its max_size ({most})", stack.name);
        }
        values.push(value.clone());
        Ok(())
    })?;
    ctx.set_output(0, value);
    Ok(())
}

fn pop(ctx: &mut KernelContext<'_>, dtype: DType) -> Result<()> {
    let stack = ctx.resource::<Stack>(0)?;
    ensure!(
        dtype == stack.dtype,
        InvalidArgument,
        "Stack[{}] has elements of type {}, but {} is requested",
        stack.name,
        stack.dtype.name(),
        dtype.name()
    );
    let value = stack.with(|values| match values.pop() {
        Some(value) => Ok(value),
        None => bail!(InvalidArgument, "Stack[{}] is empty when calling Pop().", stack.name),
    })?;
    ctx.set_output(0, value);
    Ok(())
}

/// Sets the shape of a handle. TF 1.x: it counts as the two names that it once was.
fn handle_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::vector(Some(2)));
    Ok(())
}

fn pushed_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(1)?.clone();
    c.set_output(0, s);
    Ok(())
}

fn any_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::unknown());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    for v2 in [false, true] {
        let op = match v2 {
            true => Op::new("StackV2").input("max_size: int32").output("handle: resource"),
            false => Op::new("Stack").output("handle: Ref(string)"),
        };
        r.add(
            op.shape(handle_shape)
                .attr("elem_type: type")
                .attr("stack_name: string = ''")
                .doc("Returns a stack of the step, of at most `max_size` values where that is not negative.")
                .stateful()
                .kernel(|init| {
                    let (name, dtype) = (init.str("stack_name")?, init.dtype("elem_type")?);
                    kernel(move |ctx| make(ctx, &name, dtype))
                }),
        );
        let on_stack = |name: &str| match v2 {
            true => Op::new(&format!("{name}V2")).input("handle: resource").stateful(),
            false => Op::new(name).input("handle: Ref(string)").stateful().listed_stateful(false).inspects_ref(),
        };
        r.add(
            on_stack("StackPush")
                .input("elem: T")
                .output("output: T")
                .attr("T: type")
                .attr("swap_memory: bool = false")
                .doc("Puts `elem` on a stack, and returns it.")
                .shape(pushed_shape)
                .kernel(|_| kernel(push)),
        );
        r.add(
            on_stack("StackPop")
                .output("elem: elem_type")
                .attr("elem_type: type")
                .doc("Takes the last value off a stack.")
                .shape(any_shape)
                .kernel(|init| {
                    let dtype = init.dtype("elem_type")?;
                    kernel(move |ctx| pop(ctx, dtype))
                }),
        );
        r.add(
            on_stack("StackClose")
                .doc("Empties a stack, which takes and gives nothing from then on.")
                .shape(shape_rules::unknown)
                .kernel(|_| {
                    kernel(|ctx| {
                        *ctx.resource::<Stack>(0)?.values.lock() = None;
                        Ok(())
                    })
                }),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::run_in_step;
    use ferroflow_graph::{AttrValue, Resources};
    use ferroflow_tensor::{DType, Tensor};
    use std::sync::Arc;

    #[test]
    fn the_last_value_comes_first_in_both_forms() {
        let float = [("elem_type", AttrValue::Type(DType::F32))];
        for (suffix, size) in [("", vec![]), ("V2", vec![Tensor::scalar(-1i32)])] {
            let step = Arc::new(Resources::new());
            let stack = run_in_step(&step, &format!("Stack{suffix}"), &size, &float).unwrap().remove(0);
            let run = |op: &str, more: &[Tensor]| {
                let inputs: Vec<Tensor> = [&stack].into_iter().chain(more).cloned().collect();
                let attrs = if op == "StackPop" { &float[..] } else { &[] };
                run_in_step(&step, &format!("{op}{suffix}"), &inputs, attrs)
            };
            for value in [1.0f32, 2.0] {
                assert_eq!(run("StackPush", &[Tensor::scalar(value)]).unwrap(), [Tensor::scalar(value)]);
            }
            assert_eq!(run("StackPop", &[]).unwrap(), [Tensor::scalar(2.0f32)]);
            assert_eq!(run("StackPop", &[]).unwrap(), [Tensor::scalar(1.0f32)]);
            assert!(run("StackPop", &[]).unwrap_err().message().contains("is empty when calling Pop()"));
            run("StackClose", &[]).unwrap();
            assert!(run("StackPush", &[Tensor::scalar(1.0f32)]).is_err());
        }
    }
}
