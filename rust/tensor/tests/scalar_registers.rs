//! The law of programs on registers: a step gives the bits that its function gives on tensors.

use ferroflow_tensor::elementwise::{Function, Scalars, binary, cast, compare, load, unary};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::{Binary, Compare, Logical, Unary};
use ferroflow_tensor::{DType, Result, Status, Tensor};

fn samples(dtype: DType) -> Vec<Tensor> {
    let floats =
        [0.0, -0.0, 1.0, -1.0, 0.5, -2.75, 3.0, 1e-30, 700.0, -1e9, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let whole = [0, 1, -1, 2, -3, 7, 100, i64::MAX, i64::MIN, i64::from(i32::MAX), i64::from(i32::MIN)];
    match dtype {
        DType::F32 => floats.iter().map(|&v| Tensor::scalar(v as f32)).collect(),
        DType::F64 => floats.iter().map(|&v| Tensor::scalar(v)).collect(),
        DType::I32 => whole.iter().map(|&v| Tensor::scalar(v as i32)).collect(),
        DType::I64 => whole.iter().map(|&v| Tensor::scalar(v)).collect(),
        _ => vec![Tensor::scalar(false), Tensor::scalar(true)],
    }
}

/// Runs one step on these operands. `None` if there is no such function; an error if the step has no result.
fn step(function: Function, operands: &[&Tensor]) -> Option<Result<Tensor>> {
    let mut program = Scalars::default();
    let from = operands.iter().map(|t| program.variable(t.dtype())).collect::<Option<Vec<_>>>()?;
    let to = program.push(function, &from)?;
    let mut registers = program.initial().to_vec();
    for (&r, t) in from.iter().zip(operands) {
        match load(t) {
            Ok(bits) => registers[r as usize] = bits,
            Err(e) => return Some(Err(e)),
        }
    }
    if !program.run(0..1, &mut registers) {
        return Some(Err(Status::invalid_argument("no result")));
    }
    Some(program.tensor(to, &registers))
}

fn assert_same(got: Option<Result<Tensor>>, expected: Result<Tensor>, what: &str) {
    match (got, expected) {
        (Some(Ok(got)), Ok(expected)) => assert!(got == expected, "{what}: {:?} {:?}", got.bytes(), expected.bytes()),
        (got, expected) => {
            assert!(!matches!(got, Some(Ok(_))) && expected.is_err(), "{what}: {got:?} but {expected:?}")
        }
    }
}

const NUMBERS: [DType; 4] = [DType::F32, DType::F64, DType::I32, DType::I64];

#[test]
fn functions_give_the_bits_that_they_give_on_tensors() {
    let one = Threads::single();
    for dtype in NUMBERS {
        for x in &samples(dtype) {
            for f in Unary::ALL {
                assert_same(step(Function::Unary(f), &[x]), unary(f, x.clone(), one), &format!("{f:?} {dtype:?}"));
            }
            for y in &samples(dtype) {
                for f in Binary::ALL {
                    let expected = binary(f, x.clone(), y.clone(), one);
                    assert_same(step(Function::Binary(f), &[x, y]), expected, &format!("{f:?} {dtype:?}"));
                }
                for f in Compare::ALL {
                    assert_same(
                        step(Function::Compare(f), &[x, y]),
                        compare(f, x, y, one),
                        &format!("{f:?} {dtype:?}"),
                    );
                }
            }
        }
    }
}

#[test]
fn conversions_connectives_and_choices_are_those_of_tensors() {
    for from in NUMBERS.into_iter().chain([DType::Bool]) {
        for x in &samples(from) {
            for to in NUMBERS.into_iter().chain([DType::Bool]) {
                let expected = cast(x.clone(), to, Threads::single());
                assert_same(step(Function::Cast(to), &[x]), expected, &format!("{from:?} to {to:?}"));
            }
        }
    }
    for x in [false, true] {
        for y in [false, true] {
            let (a, b) = (Tensor::scalar(x), Tensor::scalar(y));
            assert_same(step(Function::Logical(Logical::And), &[&a, &b]), Ok(Tensor::scalar(x && y)), "and");
            assert_same(step(Function::Logical(Logical::Or), &[&a, &b]), Ok(Tensor::scalar(x || y)), "or");
            assert_same(step(Function::Compare(Compare::Equal), &[&a, &b]), Ok(Tensor::scalar(x == y)), "equal");
        }
        let (a, two, three) = (Tensor::scalar(x), Tensor::scalar(2i32), Tensor::scalar(3i32));
        assert_same(step(Function::Not, &[&a]), Ok(Tensor::scalar(!x)), "not");
        assert_same(
            step(Function::Select, &[&a, &two, &three]),
            Ok(Tensor::scalar(if x { 2i32 } else { 3 })),
            "select",
        );
    }
}

#[test]
fn types_without_a_register_and_operands_that_do_not_fit_are_refused() {
    let mut program = Scalars::default();
    assert!(program.variable(DType::String).is_none() && program.variable(DType::Complex64).is_none());
    assert!(program.constant(&Tensor::from_slice([2], &[1i32, 2]).unwrap()).is_none());
    let (whole, float) = (program.variable(DType::I32).unwrap(), program.variable(DType::F32).unwrap());
    assert!(program.push(Function::Binary(Binary::Add), &[whole, float]).is_none());
    assert!(program.push(Function::Unary(Unary::Exp), &[whole]).is_none());
    assert!(program.push(Function::Not, &[whole]).is_none());
    assert!(program.push(Function::Unary(Unary::Neg), &[17]).is_none());
    assert!(program.push(Function::Binary(Binary::Add), &[whole]).is_none());
    assert_eq!(program.steps(), 0);
}
