//! PyFunc, PyFuncStateless, EagerPyFunc: a function of the program as an op, called through a `Host` for the program's language.

use ferroflow_graph::{Blocking, Kernel, KernelInit, Op, Outputs, Registry, ShapeContext, kernel};
use ferroflow_sync::{Mutex, OnceLock};
use ferroflow_tensor::{DType, Result, Tensor, bail, ensure};
use smallvec::SmallVec;
use std::sync::Arc;

/// Calls functions of the program's language.
pub trait Host: Send + Sync {
    /// Returns the results of the function that is registered under `token`.
    fn call(&self, token: &str, inputs: Vec<Tensor>) -> Result<Vec<Tensor>>;
}

static HOST: OnceLock<Box<dyn Host>> = OnceLock::new();

/// Sets the host that calls functions; false if one was set before.
pub fn set_host(host: Box<dyn Host>) -> bool {
    HOST.set(host).is_ok()
}

/// Returns the results of the function that is registered under `token`, if they have the types.
pub(crate) fn call(token: &str, inputs: SmallVec<[Tensor; 4]>, types: &[DType]) -> Result<Outputs> {
    let Some(host) = HOST.get() else { bail!(InvalidArgument, "No host is set that could call Python functions.") };
    let values = host.call(token, inputs.into_vec())?;
    ensure!(
        values.len() == types.len(),
        InvalidArgument,
        "{token} returns {} values, but expects to see {} values.",
        values.len(),
        types.len()
    );
    for (i, (value, &expected)) in values.iter().zip(types).enumerate() {
        ensure!(
            value.dtype() == expected,
            InvalidArgument,
            "{i}-th value returned by {token} is {}, but expects {}",
            value.dtype().schema_name(),
            expected.schema_name()
        );
    }
    Ok(values.into())
}

/// The token and the types of the results.
type Signature = Arc<(String, Vec<DType>)>;

fn signature(init: &KernelInit<'_>) -> Result<Signature> {
    Ok(Arc::new((init.str("token")?, init.dtypes("Tout")?)))
}

fn py_func(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let signature = signature(init)?;
    kernel(move |ctx| {
        let (signature, inputs) = (signature.clone(), ctx.take_inputs());
        ctx.run_blocking(move |_| call(&signature.0, inputs, &signature.1))
    })
}

/// Builds the kernel of a stateless function. TF 1.x folds one without inputs into a constant of the session: it is
/// called once.
fn stateless(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    if !init.input_types.is_empty() {
        return py_func(init);
    }
    let signature = signature(init)?;
    let known: Arc<Mutex<Option<Outputs>>> = Arc::default();
    kernel(move |ctx| {
        let before = known.lock().clone();
        if let Some(values) = before {
            values.into_iter().enumerate().for_each(|(i, v)| ctx.set_output(i, v));
            return Ok(());
        }
        let (signature, known) = (signature.clone(), known.clone());
        ctx.run_blocking(move |_| {
            // Called without the lock, because the function may run a step of this session.
            let made = call(&signature.0, SmallVec::new(), &signature.1)?;
            let made = made.into_iter().map(Tensor::into_owned).collect::<Result<Outputs>>()?;
            Ok(known.lock().get_or_insert(made).clone())
        })
    })
}

fn shape(_: &mut ShapeContext<'_>) -> Result<()> {
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("input: Tin").output("output: Tout").attr("token: string");
        op.attr("Tin: list(type) >= 0").attr("Tout: list(type) >= 0").foreign().blocks(Blocking::Code).shape(shape)
    };
    r.add(
        op("PyFunc")
            .stateful()
            .doc("Calls a Python function on the values of its inputs; `token` names it within this process.")
            .kernel(py_func),
    );
    r.add(
        op("EagerPyFunc")
            .attr("is_async: bool = false")
            .stateful()
            .doc("Calls a Python function on tensors that hold the values of its inputs.")
            .kernel(py_func),
    );
    r.add(
        op("PyFuncStateless")
            .doc("Calls a Python function that has no effects and depends on its arguments alone.")
            .kernel(stateless),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, Rerun};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Status;
    use std::sync::atomic::{AtomicI32, Ordering};

    /// Has `echo`, which returns its arguments, and `count`, which counts its calls.
    struct Echo(AtomicI32);

    impl Host for Echo {
        fn call(&self, token: &str, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
            match token {
                "echo" => Ok(inputs),
                "count" => Ok(vec![Tensor::scalar(self.0.fetch_add(1, Ordering::Relaxed))]),
                _ => Err(Status::invalid_argument("callback is not found")),
            }
        }
    }

    fn node(op: &str, token: &str, inputs: Vec<Tensor>, types: &[DType]) -> Rerun {
        set_host(Box::new(Echo(AtomicI32::new(0))));
        let types = types.iter().map(|&t| AttrValue::Type(t)).collect();
        let attrs = [("token", AttrValue::Str(token.into())), ("Tout", AttrValue::List(types))];
        Rerun::of_args(op, vec![Arg::List(inputs)], &attrs).unwrap()
    }

    #[test]
    fn results_must_be_as_many_and_of_the_types_that_were_promised() {
        let x = Tensor::scalar(1f32);
        assert_eq!(node("PyFunc", "echo", vec![x.clone()], &[DType::F32]).run(1).unwrap()[0], x);
        let message =
            |types: &[DType]| node("PyFunc", "echo", vec![x.clone()], types).run(1).unwrap_err().message().to_owned();
        assert_eq!(message(&[]), "echo returns 1 values, but expects to see 0 values.");
        assert_eq!(message(&[DType::F64]), "0-th value returned by echo is float, but expects double");
    }

    #[test]
    fn a_stateless_function_of_nothing_is_called_once_a_stateful_one_each_time() {
        let once = node("PyFuncStateless", "count", vec![], &[DType::I32]);
        assert_eq!(once.run(1).unwrap(), once.run(1).unwrap());
        let each = node("PyFunc", "count", vec![], &[DType::I32]);
        assert_ne!(each.run(1).unwrap(), each.run(1).unwrap());
    }
}
