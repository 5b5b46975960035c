//! EditDistance: how many insertions, deletions and substitutions make one sequence of another (Levenshtein).

use super::coordinates::Coordinates;
use super::shapes::parts;
use crate::array::equality::numbers;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};
use std::collections::BTreeMap;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    parts(c, 0)?;
    parts(c, 3)?;
    let (Some(hypothesis), Some(truth)) = (c.input_i64s(2)?, c.input_i64s(5)?) else { return Ok(()) };
    ensure!(
        hypothesis.len() == truth.len(),
        InvalidArgument,
        "Num elements of hypothesis_shape does not match truth_shape: {} vs. {}",
        hypothesis.len(),
        truth.len()
    );
    let dims: Vec<_> = hypothesis.iter().zip(&truth).map(|(&h, &t)| usize::try_from(h.max(t)).ok()).collect();
    c.set_output(0, PartialShape::from_dims(dims.split_last().map_or(&[], |(_, outer)| outer)));
    Ok(())
}

fn check(indices: &Tensor, values: &Tensor, shape: &Tensor, name: &str) -> Result<()> {
    ensure!(
        indices.rank() == 2,
        InvalidArgument,
        "{name}_indices should be a matrix, but got shape: {}",
        indices.shape()
    );
    ensure!(values.rank() == 1, InvalidArgument, "{name}_values should be a vector, but got shape: {}", values.shape());
    ensure!(shape.rank() == 1, InvalidArgument, "{name}_shape should be a vector, but got shape: {}", shape.shape());
    ensure!(
        shape.elements() == indices.shape()[1],
        InvalidArgument,
        "Expected {name}_shape.NumElements == #cols({name}_indices), their shapes are: {} and {}",
        shape.shape(),
        indices.shape()
    );
    Ok(())
}

/// Returns the sequences by the row-major number that they have in a tensor of the shape `outer`.
fn sequences(from: &Coordinates<'_>, values: &[usize], outer: &Shape) -> BTreeMap<usize, Vec<usize>> {
    let strides = outer.strides();
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for i in from.sorted() {
        let number = from.row(i).iter().zip(&strides).map(|(&at, &s)| at as usize * s).sum();
        found.entry(number).or_default().push(values[i]);
    }
    found
}

/// Returns the distance of two sequences, in one row of the table of the distances of their beginnings.
fn levenshtein(a: &[usize], b: &[usize]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn distance(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let normalize = init.bool("normalize")?;
    kernel(move |ctx| {
        let part = |i| ctx.input(i);
        check(part(0)?, part(1)?, part(2)?, "hypothesis")?;
        check(part(3)?, part(4)?, part(5)?, "truth")?;
        let (h_shape, t_shape) = (part(2)?, part(5)?);
        ensure!(
            t_shape.elements() >= 2,
            InvalidArgument,
            "Input SparseTensors must have rank at least 2, but truth_shape rank is: {}",
            t_shape.elements()
        );
        ensure!(
            t_shape.elements() == h_shape.elements(),
            InvalidArgument,
            "Expected truth and hypothesis to have matching ranks, but their shapes are: {} and {}",
            t_shape.shape(),
            h_shape.shape()
        );
        let hypothesis = Coordinates::of(part(0)?, part(1)?, h_shape)?;
        let truth = Coordinates::of(part(3)?, part(4)?, t_shape)?;
        // TF 1.x: elements of a sequence may have any number.
        for sequences in [&hypothesis, &truth] {
            sequences.check_bounds_of(sequences.rank() - 1)?;
        }
        let dims: Vec<i64> = hypothesis.shape.iter().zip(truth.shape.iter()).map(|(&h, &t)| h.max(t) as i64).collect();
        let outer = Shape::checked(&dims[..dims.len() - 1])?;
        let mut out = Tensor::zeros(DType::F32, outer.clone())?;
        let mut values = numbers(&[part(1)?, part(4)?])?.into_iter();
        let (h_values, t_values) = (values.next().unwrap_or_default(), values.next().unwrap_or_default());
        let mut hypotheses = sequences(&hypothesis, &h_values, &outer);
        let to = out.slice_mut::<f32>()?;
        for (number, truth) in sequences(&truth, &t_values, &outer) {
            let distance = levenshtein(&truth, &hypotheses.remove(&number).unwrap_or_default()) as f32;
            to[number] = if normalize { distance / truth.len() as f32 } else { distance };
        }
        // The rest has a truth of no elements.
        for (number, hypothesis) in hypotheses {
            to[number] = if normalize { f32::INFINITY } else { hypothesis.len() as f32 };
        }
        ctx.set_output(0, out);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("EditDistance")
            .input("hypothesis_indices: int64")
            .input("hypothesis_values: T")
            .input("hypothesis_shape: int64")
            .input("truth_indices: int64")
            .input("truth_values: T")
            .input("truth_shape: int64")
            .output("output: float")
            .attr("normalize: bool = true")
            .attr("T: type")
            .doc(
                "Returns the Levenshtein distances of the sequences in innermost rows; with `normalize`, divided by \
                 the length of the truth.",
            )
            .shape(shape)
            .kernel(distance),
    );
}

#[cfg(test)]
mod tests {
    use super::levenshtein;
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn row(text: &str, at: i64, rows: i64) -> [Tensor; 3] {
        let n = text.len();
        let indices: Vec<i64> = (0..n as i64).flat_map(|i| [at, i]).collect();
        let letters = text.bytes().map(|b| [b][..].into()).collect();
        [
            Tensor::from_slice([n, 2], &indices).unwrap(),
            Tensor::from_strings([n], letters).unwrap(),
            Tensor::from_slice([2], &[rows, n as i64]).unwrap(),
        ]
    }

    fn distance(a: [Tensor; 3], b: [Tensor; 3], normalize: bool) -> Result<Vec<f32>> {
        let out = run("EditDistance", &[&a[..], &b[..]].concat(), &[("normalize", AttrValue::Bool(normalize))])?;
        Ok(out[0].slice::<f32>()?.to_vec())
    }

    #[test]
    fn distances_count_edits() {
        assert_eq!(distance(row("kitten", 0, 1), row("sitting", 0, 1), false).unwrap(), [3.0]);
        assert_eq!(distance(row("kitten", 0, 1), row("sitting", 0, 1), true).unwrap(), [3.0 / 7.0]);
        assert_eq!(distance(row("ab", 0, 2), row("abc", 1, 2), true).unwrap(), [f32::INFINITY, 1.0]);
        assert_eq!(distance(row("ab", 0, 2), row("abc", 1, 3), false).unwrap(), [2.0, 3.0, 0.0]);
        assert_eq!(levenshtein(&[], &[]), 0);
    }

    #[test]
    fn other_ranks_and_indices_outside_are_refused() {
        let vector = [
            Tensor::from_slice([1, 1], &[0i64]).unwrap(),
            Tensor::from_strings([1], vec![b"a"[..].into()]).unwrap(),
            Tensor::from_slice([1], &[1i64]).unwrap(),
        ];
        assert!(distance(vector.clone(), row("a", 0, 1), false).is_err());
        assert!(distance(vector.clone(), vector, false).is_err());
        assert!(distance(row("a", 5, 1), row("a", 0, 1), false).is_err());
    }
}
