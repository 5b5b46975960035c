//! The law of programs: the bits of their instructions applied to whole tensors one after the other.
//!
//! Both run as in a session, where all threads flush denormal numbers.

use ferroflow_tensor::elementwise::{Instruction, Program, Value, binary, cast, unary};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::{Binary, Element, Unary};
use ferroflow_tensor::{DType, Result, Scalar, Shape, Tensor, with_denormals_flushed};
use num_traits::Float;
use proptest::prelude::*;

fn step_by_step(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let threads = Threads::single();
    let mut values = inputs.to_vec();
    for instruction in program.instructions() {
        let value = |v: Value| values[v as usize].clone();
        let result = match *instruction {
            Instruction::Unary(f, a) => unary(f, value(a), threads)?,
            Instruction::Binary(f, a, b) => binary(f, value(a), value(b), threads)?,
        };
        values.push(result);
    }
    Ok(program.outputs().iter().map(|&v| values[v as usize].clone()).collect())
}

fn tensor(dtype: DType, shape: &[usize], seed: u32) -> Tensor {
    match try_tensor(dtype, shape, seed) {
        Ok(t) => t,
        Err(e) => unreachable!("{e}"),
    }
}

fn try_tensor(dtype: DType, shape: &[usize], seed: u32) -> Result<Tensor> {
    let n: usize = shape.iter().product();
    let value = |i: usize| f64::from((i as u32).wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8) / 4e6 - 1.3;
    match dtype {
        DType::F32 => Tensor::from_slice(Shape::new(shape), &(0..n).map(|i| value(i) as f32).collect::<Vec<_>>()),
        _ => Tensor::from_slice(Shape::new(shape), &(0..n).map(value).collect::<Vec<_>>()),
    }
}

/// Returns true if all bits agree. NaNs are equal here: an operation on two NaNs passes one of them on. Where a range is
/// shorter than a vector, the compiler may choose the other one.
fn same_bits(a: &Tensor, b: &Tensor) -> bool {
    fn bits<T: Scalar + Float>(t: &Tensor) -> Option<Vec<Option<(u64, i16, i8)>>> {
        Some(t.slice::<T>().ok()?.iter().map(|x| (!x.is_nan()).then(|| x.integer_decode())).collect())
    }
    let bits = |t: &Tensor| bits::<f32>(t).or_else(|| bits::<f64>(t));
    a == b || (a.shape() == b.shape() && bits(a).is_some() && bits(a) == bits(b))
}

const UNARY: [Unary; 8] =
    [Unary::Neg, Unary::Exp, Unary::Tanh, Unary::Sqrt, Unary::Square, Unary::Relu, Unary::Sin, Unary::Log];
const BINARY: [Binary; 8] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Maximum,
    Binary::TanhGrad,
    Binary::Pow,
    Binary::SquaredDifference,
];
const MASK: [Binary; 4] = [Binary::MaskEqual, Binary::MaskNotEqual, Binary::MaskLess, Binary::MaskLessEqual];

/// Returns pairs of a full shape and shapes that an input may have beside it.
fn shapes() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<usize>>)> {
    prop_oneof![
        Just((vec![], vec![vec![]])),
        Just((vec![1, 1], vec![vec![], vec![1]])),
        Just((vec![3], vec![vec![], vec![1], vec![3]])),
        Just((vec![2500], vec![vec![], vec![1]])),
        Just((vec![70_000], vec![vec![1]])),
        Just((vec![40, 7], vec![vec![], vec![7], vec![1, 7], vec![1, 1]])),
        Just((vec![300, 1100], vec![vec![1100], vec![]])),
        Just((vec![6, 5, 4], vec![vec![5, 4], vec![]])),
        // Columns, several kinds of rows, and parts of all kinds, some of which are never together with the full shape.
        Just((vec![40, 7], vec![vec![40, 1], vec![7]])),
        Just((vec![6, 5, 4], vec![vec![4], vec![5, 4]])),
        Just((vec![30, 700], vec![vec![30, 1], vec![700], vec![1, 700], vec![1, 1]])),
        Just((vec![40, 7, 16], vec![vec![40, 7, 1], vec![7, 16], vec![40, 1, 16], vec![7, 1], vec![1, 40, 7, 16]])),
        Just((vec![3, 4, 5, 2], vec![vec![4, 1, 2], vec![3, 1, 1, 1], vec![3, 1, 5, 1], vec![5, 1], vec![2]])),
        Just((vec![50, 300], vec![vec![300], vec![50, 1]])),
        // Beyond the block loop: nothing, a larger rank.
        Just((vec![0, 3], vec![vec![3], vec![]])),
        Just((vec![9], vec![vec![1, 1], vec![2, 1]])),
        // Some of these do not fit.
        Just((vec![6], vec![vec![3], vec![]])),
    ]
}

#[derive(Debug, Clone)]
struct Case {
    program: (DType, usize, Vec<Instruction>, Vec<Value>),
    shapes: Vec<Vec<usize>>,
    shared: Vec<bool>,
}

fn case() -> impl Strategy<Value = Case> {
    let dtype = prop_oneof![Just(DType::F32), Just(DType::F64)];
    (dtype, shapes(), 1..5usize).prop_flat_map(|(dtype, (full, others), inputs)| {
        let shape = prop_oneof![2 => Just(full), 1 => proptest::sample::select(others)];
        let instruction = (0..8u8, any::<u32>(), any::<u32>(), any::<u32>());
        (
            Just(dtype),
            proptest::collection::vec(shape, inputs),
            proptest::collection::vec(any::<bool>(), inputs),
            proptest::collection::vec(instruction, 0..14),
            proptest::collection::vec(any::<u32>(), 1..4),
        )
            .prop_map(move |(dtype, shapes, shared, raw, outputs)| {
                let mut instructions = Vec::new();
                // The values that are no masks.
                let mut numbers: Vec<Value> = (0..inputs as Value).collect();
                for (kind, f, a, b) in &raw {
                    // Recent values more often than old ones, so that chains are long.
                    let value = |x: &u32| {
                        let known = numbers.len();
                        numbers[if x.is_multiple_of(3) { known - 1 } else { (*x / 3) as usize % known }]
                    };
                    let (f, a, b) = (*f as usize, value(a), value(b));
                    let mut push = |instruction| {
                        instructions.push(instruction);
                        (inputs + instructions.len() - 1) as Value
                    };
                    numbers.push(match kind {
                        0..3 => push(Instruction::Unary(UNARY[f % UNARY.len()], a)),
                        3..6 => push(Instruction::Binary(BINARY[f % BINARY.len()], a, b)),
                        6 => {
                            let mask = push(Instruction::Binary(MASK[f % MASK.len()], a, b));
                            push(Instruction::Unary(Unary::MaskToOne, mask))
                        }
                        _ => {
                            let mask = push(Instruction::Binary(MASK[f % MASK.len()], a, b));
                            let mask = push(Instruction::Unary(Unary::MaskNot, mask));
                            let (x, y) = if f.is_multiple_of(8) { (b, a) } else { (a, b) };
                            let x = push(Instruction::Binary(Binary::BitAnd, mask, x));
                            let y = push(Instruction::Binary(Binary::BitAndNot, mask, y));
                            push(Instruction::Binary(Binary::BitOr, x, y))
                        }
                    });
                }
                let last = numbers.len() - 1;
                let output = |o: &u32| numbers[if o.is_multiple_of(2) { last } else { *o as usize % numbers.len() }];
                let outputs = outputs.iter().map(output).collect();
                Case { program: (dtype, inputs, instructions, outputs), shapes, shared }
            })
    })
}

/// Returns the output of a program that is computed in ranges, which end at `cuts`; None if the block loop does not compute
/// it.
fn in_ranges<T: Scalar + Element>(program: &Program, inputs: &[Tensor], cuts: &[u32]) -> Result<Option<Tensor>> {
    let Some(ranges) = program.ranges::<T>(inputs, Threads::single())? else { return Ok(None) };
    let n = ranges.shape().elements();
    let mut ends: Vec<usize> = cuts.iter().map(|c| *c as usize % n).chain([0, n]).collect();
    ends.sort_unstable();
    let mut out = Tensor::new(T::DTYPE, ranges.shape().clone())?;
    for pair in ends.windows(2) {
        let part = &mut out.slice_mut::<T>()?[pair[0]..pair[1]];
        with_denormals_flushed(|| ranges.compute(pair[0], part))?;
    }
    Ok(Some(out))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_program_gives_the_bits_of_its_instructions(case in case()) {
        let (dtype, inputs, instructions, outputs) = case.program;
        let program = Program::new(dtype, inputs, instructions, outputs).unwrap();
        let values: Vec<Tensor> =
            case.shapes.iter().enumerate().map(|(i, s)| tensor(dtype, s, i as u32 * 977)).collect();
        let expected = with_denormals_flushed(|| step_by_step(&program, &values));
        for threads in [1, 2, 4] {
            let mut given: Vec<Tensor> = values
                .iter()
                .zip(&case.shared)
                .map(|(t, shared)| if *shared { t.clone() } else { t.deep_copy().unwrap() })
                .collect();
            let got = with_denormals_flushed(|| program.run(&mut given, Threads::new(threads)));
            match (&got, &expected) {
                (Ok(got), Ok(expected)) => prop_assert!(got[..] == expected[..]),
                (Err(got), Err(expected)) => prop_assert_eq!(got, expected),
                _ => prop_assert!(false, "{:?} but {:?}", got.is_ok(), expected.is_ok()),
            }
        }
    }

    #[test]
    fn stretched_inputs_are_read_as_if_they_were_repeated(
        dims in proptest::collection::vec((1..5usize, 1..5usize), 1..4),
        scale in 1..40usize,
        is_wide in any::<bool>(),
        f in 0..8usize,
    ) {
        /// Repeats each dimension as often as the second tensor says.
        fn repeated(own: &Shape, times: &Tensor) -> Result<Shape> {
            Ok(own.iter().zip(times.to_i64s()?).map(|(n, times)| n * times as usize).collect())
        }
        let mut own: Vec<usize> = dims.iter().map(|d| d.0).collect();
        *own.last_mut().unwrap() *= scale;
        let times: Vec<i64> = dims.iter().map(|d| d.1 as i64).collect();
        let full: Vec<usize> = own.iter().zip(&times).map(|(n, times)| n * *times as usize).collect();
        let other = if is_wide { full.clone() } else { vec![1] };
        let (x, y) = (tensor(DType::F32, &own, 5), tensor(DType::F32, &other, 9));
        let chain = vec![Instruction::Unary(UNARY[f], 0), Instruction::Binary(BINARY[f], 2, 1)];
        let plain = Program::new(DType::F32, 2, chain.clone(), vec![3]).unwrap();
        let times = Tensor::from_slice([times.len()], &times).unwrap();
        let strides = Shape::new(&full).strides();
        let own_strides = Shape::new(&own).strides();
        let at = |flat: usize| -> usize {
            (0..own.len()).map(|d| flat / strides[d] % full[d] % own[d] * own_strides[d]).sum()
        };
        let values: Vec<f32> = (0..full.iter().product()).map(|i| x.slice::<f32>().unwrap()[at(i)]).collect();
        let in_memory = Tensor::from_slice(Shape::new(&full), &values).unwrap();
        let expected = with_denormals_flushed(|| step_by_step(&plain, &[in_memory, y.clone()])).unwrap();
        let program = Program::new(DType::F32, 2, chain, vec![3]).unwrap().with_stretches(vec![(0, repeated)]);
        for threads in [1, 3] {
            let got = with_denormals_flushed(|| program.run(&mut [x.clone(), y.clone(), times.clone()], Threads::new(threads)));
            prop_assert!(got.unwrap()[..] == expected[..]);
        }
    }

    #[test]
    fn booleans_are_read_as_masks(
        (full, others) in shapes(),
        parts in proptest::collection::vec(any::<u32>(), 3),
        is_wide in any::<bool>(),
        is_constant in any::<bool>(),
        cuts in proptest::collection::vec(any::<u32>(), 0..4),
    ) {
        let dtype = if is_wide { DType::F64 } else { DType::F32 };
        let shape = |i: usize| if parts[i].is_multiple_of(2) { &full } else { &others[parts[i] as usize % others.len()] };
        let n: usize = shape(2).iter().product();
        let holds: Vec<bool> = (0..n).map(|i| (i as u32).wrapping_mul(2_654_435_761) >> 30 == 0).collect();
        let booleans = Tensor::from_slice(Shape::new(shape(2)), &holds).unwrap();
        let one = Threads::single();
        let zero = binary(Binary::Sub, tensor(dtype, &[], 3), tensor(dtype, &[], 3), one).unwrap();
        let masks = binary(Binary::MaskNotEqual, cast(booleans.clone(), dtype, one).unwrap(), zero, one).unwrap();
        // A choice, of which some elements become zero.
        let instructions = vec![
            Instruction::Binary(Binary::BitAnd, 2, 0),
            Instruction::Binary(Binary::BitAndNot, 2, 1),
            Instruction::Binary(Binary::BitOr, 3, 4),
            Instruction::Unary(Unary::MaskToOne, 2),
            Instruction::Binary(Binary::Mul, 5, 6),
        ];
        let program = || Program::new(dtype, 3, instructions.clone(), vec![7]).unwrap();
        let numbers = [tensor(dtype, shape(0), 5), tensor(dtype, shape(1), 977)];
        let all = [numbers[0].clone(), numbers[1].clone(), masks];
        let expected = with_denormals_flushed(|| step_by_step(&program(), &all));
        let (program, given) = if is_constant {
            (program().with_constants(vec![booleans]).unwrap(), numbers.to_vec())
        } else {
            (program().with_booleans(vec![2]), [&numbers[..], &[booleans]].concat())
        };
        for threads in [1, 3] {
            let got = with_denormals_flushed(|| program.run(&mut given.clone(), Threads::new(threads)));
            match (&got, &expected) {
                (Ok(got), Ok(expected)) => prop_assert!(got[..] == expected[..]),
                (Err(got), Err(expected)) => prop_assert_eq!(got, expected),
                _ => prop_assert!(false, "{:?} but {:?}", got.is_ok(), expected.is_ok()),
            }
        }
        let got = match dtype {
            DType::F32 => in_ranges::<f32>(&program, &given, &cuts),
            _ => in_ranges::<f64>(&program, &given, &cuts),
        };
        if let (Ok(Some(got)), Ok(expected)) = (got, expected) {
            prop_assert!(same_bits(&got, &expected[0]));
        }
    }

    #[test]
    fn ranges_of_an_output_have_the_bits_of_the_whole(case in case(), cuts in proptest::collection::vec(any::<u32>(), 0..4)) {
        let (dtype, inputs, instructions, _) = case.program;
        let last = (inputs + instructions.len()) as Value - 1;
        let program = Program::new(dtype, inputs, instructions, vec![last]).unwrap();
        let values: Vec<Tensor> =
            case.shapes.iter().enumerate().map(|(i, s)| tensor(dtype, s, i as u32 * 977)).collect();
        let expected = with_denormals_flushed(|| step_by_step(&program, &values));
        let got = match dtype {
            DType::F32 => in_ranges::<f32>(&program, &values, &cuts),
            _ => in_ranges::<f64>(&program, &values, &cuts),
        };
        if let (Ok(Some(got)), Ok(expected)) = (got, expected) {
            prop_assert!(same_bits(&got, &expected[0]));
        }
    }

    #[test]
    fn constants_are_inputs_that_need_not_be_given(case in case(), constants in 0..5usize) {
        let (dtype, inputs, instructions, outputs) = case.program;
        let values: Vec<Tensor> =
            case.shapes.iter().enumerate().map(|(i, s)| tensor(dtype, s, i as u32 * 977)).collect();
        let (given, constants) = values.split_at(inputs - constants.min(inputs));
        let program = Program::new(dtype, inputs, instructions, outputs).unwrap();
        let expected = with_denormals_flushed(|| step_by_step(&program, &values));
        let program = program.with_constants(constants.to_vec()).unwrap();
        for _ in 0..2 {
            let mut given: Vec<Tensor> = given.iter().map(|t| t.deep_copy().unwrap()).collect();
            match (with_denormals_flushed(|| program.run(&mut given, Threads::new(2))), &expected) {
                (Ok(got), Ok(expected)) => prop_assert!(got[..] == expected[..]),
                (Err(got), Err(expected)) => {
                    prop_assert_eq!(&got, expected);
                    // The shapes that did not fit are still there to be named.
                    let left: Vec<_> = given.iter().map(Tensor::shape).collect();
                    prop_assert_eq!(left, values[..given.len()].iter().map(Tensor::shape).collect::<Vec<_>>());
                }
                (got, expected) => prop_assert!(false, "{:?} but {:?}", got.is_ok(), expected.is_ok()),
            }
        }
    }

    #[test]
    fn outputs_take_the_memory_that_only_inputs_share(case in case()) {
        let (dtype, inputs, instructions, outputs) = case.program;
        let program = Program::new(dtype, inputs, instructions, outputs).unwrap();
        // Inputs of one shape have one value.
        let value = |shape: &Vec<usize>| tensor(dtype, shape, shape.len() as u32);
        let values: Vec<Tensor> = case.shapes.iter().map(value).collect();
        let expected = with_denormals_flushed(|| step_by_step(&program, &values));
        for threads in [1, 3] {
            let mut given: Vec<Tensor> = Vec::new();
            for (k, t) in values.iter().enumerate() {
                let same = values[..k].iter().position(|other| other.shape() == t.shape());
                given.push(same.map_or_else(|| t.deep_copy().unwrap(), |same| given[same].clone()));
            }
            match (with_denormals_flushed(|| program.run(&mut given, Threads::new(threads))), &expected) {
                (Ok(got), Ok(expected)) => prop_assert!(got[..] == expected[..]),
                (Err(got), Err(expected)) => prop_assert_eq!(&got, expected),
                (got, expected) => prop_assert!(false, "{:?} but {:?}", got.is_ok(), expected.is_ok()),
            }
        }
    }

    #[test]
    fn an_update_is_the_function_of_the_target_and_the_result(
        case in case(),
        constants in 0..3usize,
        own in any::<bool>(),
        f in prop_oneof![Just(Binary::Add), Just(Binary::Sub)],
    ) {
        let (dtype, inputs, instructions, outputs) = case.program;
        let mut values: Vec<Tensor> =
            case.shapes.iter().enumerate().map(|(i, s)| tensor(dtype, s, i as u32 * 977)).collect();
        let program = Program::new(dtype, inputs, instructions, outputs[..1].to_vec()).unwrap();
        let given = inputs - constants.min(inputs);
        let program = program.with_constants(values[given..].to_vec()).unwrap();
        let shape = program.result_shape(&values[..given]);
        prop_assert_eq!(shape.is_some(), program.shapes_of(&values[..given]).1.is_none());
        let Some(shape) = shape else { return Ok(()) };
        let mut target = tensor(dtype, &shape, 31);
        if own && let Some(k) = values[..given].iter().position(|t| *t.shape() == shape) {
            values[k] = target.clone();
        }
        let expected = with_denormals_flushed(|| {
            let result = step_by_step(&program, &values)?.remove(0);
            binary(f, target.deep_copy()?, result, Threads::single())
        });
        values.truncate(given);
        values.insert(0, std::mem::replace(&mut target, Tensor::scalar(0.0f32)));
        let got = with_denormals_flushed(|| program.updating(f).unwrap().run(&mut values, Threads::new(2)));
        prop_assert!(got.unwrap()[0] == expected.unwrap());
    }
}

#[test]
fn a_target_is_updated_where_it_lies_though_the_program_reads_it() {
    // target - (target - x) * 0.25
    let difference = vec![Instruction::Binary(Binary::Sub, 0, 1), Instruction::Binary(Binary::Mul, 3, 2)];
    let program = Program::new(DType::F32, 3, difference, vec![4]).unwrap();
    let program = program.with_constants(vec![Tensor::scalar(0.25f32)]).unwrap().updating(Binary::Sub).unwrap();
    let (target, x) = (tensor(DType::F32, &[5000], 1), tensor(DType::F32, &[5000], 2));
    let address = target.data_ptr();
    let expected: Vec<f32> =
        target.slice::<f32>().unwrap().iter().zip(x.slice::<f32>().unwrap()).map(|(t, x)| t - (t - x) * 0.25).collect();
    let held = target.clone();
    let out = program.run(&mut [target.clone(), target.clone(), x.clone()], Threads::single()).unwrap();
    assert!(out[0].data_ptr() != address && out[0].slice::<f32>().unwrap() == expected);
    drop(held);
    let out = program.run(&mut [target.clone(), target, x], Threads::single()).unwrap();
    assert!(out[0].data_ptr() == address && out[0].slice::<f32>().unwrap() == expected);
}

#[test]
fn an_output_takes_the_memory_of_an_input_that_nothing_else_holds() {
    let chain = vec![Instruction::Binary(Binary::Mul, 0, 1), Instruction::Binary(Binary::Mul, 2, 2)];
    let program = Program::new(DType::F32, 2, chain, vec![3]).unwrap();
    let (x, y) = (tensor(DType::F32, &[5000], 1), tensor(DType::F32, &[5000], 2));
    let address = y.data_ptr();
    let shared = x.clone();
    let out = program.run(&mut [x, y], Threads::single()).unwrap();
    assert_eq!(out[0].data_ptr(), address);
    assert!(shared == tensor(DType::F32, &[5000], 1));
}

#[test]
fn shapes_that_do_not_broadcast_give_the_functions_error() {
    let program = Program::new(DType::F32, 2, vec![Instruction::Binary(Binary::Add, 0, 1)], vec![2]).unwrap();
    let (x, y) = (tensor(DType::F32, &[2], 1), tensor(DType::F32, &[3], 2));
    let e = program.run(&mut [x, y], Threads::single()).unwrap_err();
    assert_eq!(e.message(), "Incompatible shapes: [2] vs. [3]");
}

#[test]
fn faulty_programs_are_refused() {
    let add = |a, b| vec![Instruction::Binary(Binary::Add, a, b)];
    assert!(Program::new(DType::F32, 1, add(0, 1), vec![0]).is_err());
    assert!(Program::new(DType::F32, 1, add(0, 0), vec![2]).is_err());
    assert!(Program::new(DType::I32, 1, add(0, 0), vec![1]).is_err());
    assert!(Program::new(DType::F32, 1, vec![Instruction::Unary(Unary::Conj, 0)], vec![1]).is_err());
    let program = Program::new(DType::F32, 1, add(0, 0), vec![1]).unwrap();
    assert!(program.run(&mut [tensor(DType::F64, &[2], 0)], Threads::single()).is_err());
    assert!(program.run(&mut [], Threads::single()).is_err());
}

#[test]
fn constants_are_of_the_programs_type_and_not_more_than_its_inputs() {
    let program = || Program::new(DType::F32, 1, vec![Instruction::Unary(Unary::Neg, 0)], vec![1]).unwrap();
    assert!(program().with_constants(vec![Tensor::scalar(1.0f64)]).is_err());
    assert!(program().with_constants(vec![Tensor::scalar(1.0f32), Tensor::scalar(2.0f32)]).is_err());
    let fixed = program().with_constants(vec![Tensor::scalar(1.5f32)]).unwrap();
    assert!(fixed.run(&mut [Tensor::scalar(1.0f32)], Threads::single()).is_err());
    assert_eq!(fixed.run(&mut [], Threads::single()).unwrap()[0], Tensor::scalar(-1.5f32));
}

/// Results of more than 32 MiB are written past the caches.
#[test]
fn results_beyond_the_caches_are_those_of_their_elements() {
    let length = (8 << 20) + 1003;
    let (x, y) = (tensor(DType::F32, &[length], 1), tensor(DType::F32, &[length], 2));
    let (a, b) = (x.slice::<f32>().unwrap(), y.slice::<f32>().unwrap());
    let sums: Vec<f32> = a.iter().zip(b).map(|(a, b)| a + b).collect();
    let products: Vec<f32> = sums.iter().zip(b).map(|(sum, b)| sum * b).collect();
    let chain = vec![Instruction::Binary(Binary::Add, 0, 1), Instruction::Binary(Binary::Mul, 2, 1)];
    let program = Program::new(DType::F32, 2, chain, vec![2, 3]).unwrap();
    for threads in [1, 2, 3] {
        let threads = Threads::new(threads);
        let got = program.run(&mut [x.clone(), y.clone()], threads).unwrap();
        assert!(got[0].slice::<f32>().unwrap() == sums && got[1].slice::<f32>().unwrap() == products);
        let sum = binary(Binary::Add, x.clone(), y.clone(), threads).unwrap();
        assert!(sum.slice::<f32>().unwrap() == sums);
    }
}
