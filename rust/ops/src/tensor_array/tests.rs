//! Arrays by handles of all generations.

use crate::testing::run_in_step;
use ferroflow_graph::{AttrValue, Resources};
use ferroflow_tensor::{Code, DType, Result, Tensor};
use std::sync::Arc;

const FLOAT: (&str, AttrValue) = ("dtype", AttrValue::Type(DType::F32));

fn source() -> (&'static str, AttrValue) {
    ("source", AttrValue::Str(b"g".to_vec()))
}

fn flow() -> Tensor {
    Tensor::scalar(0.0f32)
}

fn vector(values: &[f32]) -> Tensor {
    Tensor::from_slice([values.len()], values).unwrap()
}

struct Case {
    step: Arc<Resources>,
    suffix: &'static str,
    array: Tensor,
}

impl Case {
    fn new(suffix: &'static str, size: i32) -> Case {
        let step = Arc::new(Resources::new());
        let name = format!("TensorArray{suffix}");
        let array = run_in_step(&step, &name, &[Tensor::scalar(size)], &[FLOAT]).unwrap().remove(0);
        Case { step, suffix, array }
    }

    fn run(&self, op: &str, more: &[Tensor], attrs: &[(&str, AttrValue)]) -> Result<Vec<Tensor>> {
        let inputs: Vec<Tensor> = [&self.array].into_iter().chain(more).cloned().collect();
        run_in_step(&self.step, &format!("{op}{}", self.suffix), &inputs, attrs)
    }
}

#[test]
fn every_generation_has_the_same_arrays() {
    for suffix in ["", "V2", "V3"] {
        let case = Case::new(suffix, 3);
        let at = Tensor::from_slice([2], &[2i32, 0]).unwrap();
        case.run("TensorArrayWrite", &[Tensor::scalar(1i32), Tensor::scalar(5.0f32), flow()], &[]).unwrap();
        case.run("TensorArrayScatter", &[at.clone(), vector(&[1.0, 2.0]), flow()], &[]).unwrap();
        let gathered = case.run("TensorArrayGather", &[at, flow()], &[FLOAT]).unwrap();
        assert_eq!(gathered, [vector(&[1.0, 2.0])]);
        let read = case.run("TensorArrayRead", &[Tensor::scalar(1i32), flow()], &[FLOAT]).unwrap();
        assert_eq!(read, [Tensor::scalar(5.0f32)]);
        assert_eq!(case.run("TensorArraySize", &[flow()], &[]).unwrap(), [Tensor::scalar(3i32)]);
        case.run("TensorArrayClose", &[], &[]).unwrap();
        assert!(case.run("TensorArraySize", &[flow()], &[]).is_err());
    }
}

#[test]
fn every_generation_joins_what_it_split() {
    for suffix in ["", "V2", "V3"] {
        let case = Case::new(suffix, 2);
        let lengths = Tensor::from_slice([2], &[2i64, 1]).unwrap();
        case.run("TensorArraySplit", &[vector(&[1.0, 2.0, 3.0]), lengths.clone(), flow()], &[]).unwrap();
        let joined = case.run("TensorArrayConcat", &[flow()], &[FLOAT]).unwrap();
        assert_eq!(joined, [vector(&[1.0, 2.0, 3.0]), lengths]);
    }
}

#[test]
fn gradients_have_handles_of_their_generation() {
    for suffix in ["", "V2", "V3"] {
        let mut case = Case::new(suffix, 1);
        case.run("TensorArrayWrite", &[Tensor::scalar(0i32), Tensor::scalar(5.0f32), flow()], &[]).unwrap();
        case.array = case.run("TensorArrayGrad", &[flow()], &[source()]).unwrap().remove(0);
        for value in [1.0f32, 2.0] {
            case.run("TensorArrayWrite", &[Tensor::scalar(0i32), Tensor::scalar(value), flow()], &[]).unwrap();
        }
        let sum = case.run("TensorArrayRead", &[Tensor::scalar(0i32), flow()], &[FLOAT]).unwrap();
        assert_eq!(sum, [Tensor::scalar(3.0f32)]);
    }
}

#[test]
fn a_whole_array_is_packed_and_unpacked() {
    let case = Case::new("", 2);
    let run = |op: &str, more: &[Tensor], attrs: &[(&str, AttrValue)]| case.run(op, more, attrs);
    let e = run("TensorArrayUnpack", &[vector(&[1.0, 2.0, 3.0]), flow()], &[]).unwrap_err();
    assert_eq!(e.message(), "Input value must have first dimension equal to the array size (3 vs. 2)");
    run("TensorArrayUnpack", &[vector(&[1.0, 2.0]), flow()], &[]).unwrap();
    assert_eq!(run("TensorArrayPack", &[flow()], &[FLOAT]).unwrap(), [vector(&[1.0, 2.0])]);
}

#[test]
fn gradients_may_have_more_dimensions() {
    let mut case = Case::new("V3", 1);
    case.run("TensorArrayWrite", &[Tensor::scalar(0i32), Tensor::scalar(5.0f32), flow()], &[]).unwrap();
    let inputs = [case.array.clone(), flow(), Tensor::from_slice([1], &[2i32]).unwrap()];
    case.array = run_in_step(&case.step, "TensorArrayGradWithShape", &inputs, &[source()]).unwrap().remove(0);
    let write = |value| case.run("TensorArrayWrite", &[Tensor::scalar(0i32), value, flow()], &[]);
    assert!(write(Tensor::scalar(1.0f32)).is_err());
    write(vector(&[1.0, 2.0])).unwrap();
    let read = case.run("TensorArrayRead", &[Tensor::scalar(0i32), flow()], &[FLOAT]).unwrap();
    assert_eq!(read, [vector(&[1.0, 2.0])]);
}

#[test]
fn names_end_with_their_step() {
    let mut case = Case::new("V2", 1);
    case.step = Arc::new(Resources::new());
    let e = case.run("TensorArraySize", &[flow()], &[]).unwrap_err();
    assert_eq!(e.code(), Code::NotFound);
}
