//! Values that are read so often that kernels keep a prepared form of them: the weights of a loop, or of an unrolled net.

use crate::plan::{Input, Instruction, Plan, Run};
use ferroflow_graph::AttrValue;
use ferroflow_tensor::DType;
use rustc_hash::FxHashMap;

/// A value to prepare, its type, and the value of an attribute that its form depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Form {
    value: Input,
    dtype: DType,
    attr: bool,
}

/// Gives a number to each form that is worth preparing. `is_shared` decides this from the value and the number of
/// instructions that read it. Such a value must not change while the plan runs.
pub(super) fn number_prepared(plan: &mut Plan, is_shared: impl Fn(Input, usize) -> bool) {
    let mut readers: FxHashMap<Form, usize> = FxHashMap::default();
    for run in runs(plan) {
        if let Some(form) = form(run) {
            *readers.entry(form).or_default() += 1;
        }
    }
    readers.retain(|form, count| is_shared(form.value, *count));
    let mut numbers: FxHashMap<Form, u32> = FxHashMap::default();
    for run in runs(plan) {
        if let Some(form) = form(run).filter(|form| readers.contains_key(form)) {
            let next = numbers.len() as u32;
            run.prepared = Some(*numbers.entry(form).or_insert(next));
        }
    }
    plan.prepared = numbers.len();
}

fn runs(plan: &mut Plan) -> impl Iterator<Item = &mut Run> {
    plan.instructions.iter_mut().filter_map(|i| match i {
        Instruction::Run(run) => Some(&mut **run),
        Instruction::Load { .. } | Instruction::Depart => None,
    })
}

fn form(run: &Run) -> Option<Form> {
    let (input, attr) = run.node.op.prepares?;
    let value = match *run.inputs.get(input)? {
        Input::Slot { slot, .. } => Input::Slot { slot, take: false },
        Input::Constant(constant) => Input::Constant(constant),
        Input::Handle => return None,
    };
    let attr = matches!(run.node.attrs.get(attr), Some(AttrValue::Bool(true)));
    Some(Form { value, dtype: run.node.outputs.first()?.dtype, attr })
}
