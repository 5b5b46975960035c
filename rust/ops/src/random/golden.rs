//! TensorFlow's numbers for the random ops' unit tests: `tests/golden/random.txt`, three runs of each op.

use crate::testing::Rerun;
use ferroflow_graph::AttrValue;
use ferroflow_tensor::{DType, Tensor};

const GOLDEN: &str = include_str!("../../../../tests/golden/random.txt");

/// Returns the attributes of an op's seeds.
pub(super) fn seeds(seed: i64, seed2: i64) -> Vec<(&'static str, AttrValue)> {
    vec![("seed", AttrValue::Int(seed)), ("seed2", AttrValue::Int(seed2))]
}

/// Returns the elements as the golden file writes them: hexadecimal bits of floats, decimals of integers.
fn words(t: &Tensor) -> Vec<String> {
    let bytes = t.bytes().unwrap();
    match t.dtype() {
        DType::I32 => t.slice::<i32>().unwrap().iter().map(i32::to_string).collect(),
        DType::I64 => t.slice::<i64>().unwrap().iter().map(i64::to_string).collect(),
        dtype => {
            let hex = |word: &[u8]| word.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
            bytes.chunks(dtype.size()).map(hex).collect()
        }
    }
}

/// Checks one tensor against a run of a case.
pub(super) fn assert_words(case: &str, run: usize, value: &Tensor) {
    let prefix = format!("{case} {run} ");
    let line = GOLDEN.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or_default();
    assert_eq!(words(value).join(" "), line, "{case}, run {run}");
}

/// Checks three runs of one node.
pub(super) fn assert_runs(case: &str, op: &str, inputs: &[Tensor], attrs: &[(&str, AttrValue)]) {
    let node = Rerun::new(op, inputs, attrs).unwrap();
    for run in 0..3 {
        assert_words(case, run, &node.run(2).unwrap()[0]);
    }
}
