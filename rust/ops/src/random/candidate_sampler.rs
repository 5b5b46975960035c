//! The candidate samplers: classes drawn to stand for all others in a loss, and how often each class was to be expected.

use super::stream::{Stream, seeded};
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_sync::Mutex;
use ferroflow_tensor::philox::candidate::{CandidateSampler, Counts, Weights, blocks_per_run};
use ferroflow_tensor::vector::scalar;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Status, Tensor, bail, ensure};

/// Returns the least attribute that is a count of classes.
fn count(attrs: &AttrMap, name: &str) -> Result<usize> {
    let n = attrs.int(name)?;
    ensure!((1..=i32::MAX.into()).contains(&n), InvalidArgument, "{name} must be in [1, {}], got {n}", i32::MAX);
    Ok(n as usize)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (sampled, num_true) = (count(c, "num_sampled")?, count(c, "num_true")?);
    let batch = c.input(0)?.with_rank(2)?.dim(0);
    c.set_output(0, PartialShape::vector(Some(sampled)));
    c.set_output(1, PartialShape::from_dims(&[batch, Some(num_true)]));
    c.set_output(2, PartialShape::vector(Some(sampled)));
    Ok(())
}

fn true_classes(ctx: &mut KernelContext<'_>, num_true: usize) -> Result<Tensor> {
    let classes = ctx.take(0)?;
    ensure!(classes.rank() == 2, InvalidArgument, "true_classes must be a matrix");
    ensure!(
        classes.shape()[1] == num_true,
        InvalidArgument,
        "true_classes must have num_true columns, expected: {} was: {num_true}",
        classes.shape()[1]
    );
    Ok(classes)
}

/// Returns the kernel of a sampler; one that counts learns the true classes after each run.
fn sampler(init: &KernelInit<'_>, sampler: CandidateSampler) -> Result<Box<dyn Kernel>> {
    let stream = Stream::new(init)?;
    let (num_true, num_sampled) = (count(init, "num_true")?, count(init, "num_sampled")?);
    let unique = init.bool("unique")?;
    let sampler = Mutex::new(sampler);
    kernel(move |ctx| {
        let classes = true_classes(ctx, num_true)?;
        let mut sampled = Tensor::new(DType::I64, [num_sampled])?;
        let mut sampler = sampler.lock();
        let base = stream.reserve(blocks_per_run(num_sampled));
        let tries = sampler
            .sample(&base, unique, sampled.slice_mut::<i64>()?)
            .map_err(|e| Status::invalid_argument(e.to_string()))?;
        let expected = |classes: &Tensor| -> Result<Tensor> {
            let counts: Vec<f32> =
                classes.slice::<i64>()?.iter().map(|&c| sampler.expected_count(c, num_sampled, tries)).collect();
            Tensor::from_slice(classes.shape().clone(), &counts)
        };
        if let CandidateSampler::Counted(_) = &*sampler {
            let range = sampler.range() as i64;
            if let Some(c) = classes.slice::<i64>()?.iter().find(|c| !(0..range).contains(c)) {
                bail!(InvalidArgument, "`true_candidate` out of range [0, {range}), received {c}");
            }
        }
        let (of_true, of_sampled) = (expected(&classes)?, expected(&sampled)?);
        if let CandidateSampler::Counted(counts) = &mut *sampler {
            counts.add(classes.slice::<i64>()?);
        }
        ctx.set_output(0, sampled);
        ctx.set_output(1, of_true);
        ctx.set_output(2, of_sampled);
        Ok(())
    })
}

fn all(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (num_true, num_sampled) = (count(init, "num_true")?, count(init, "num_sampled")?);
    kernel(move |ctx| {
        let classes = true_classes(ctx, num_true)?;
        let sampled: Vec<i64> = (0..num_sampled as i64).collect();
        let ones = |shape: &Shape| Tensor::from_slice(shape.clone(), &vec![1f32; shape.elements()]);
        ctx.set_output(1, ones(classes.shape())?);
        ctx.set_output(2, ones(&Shape::new(&[num_sampled]))?);
        ctx.set_output(0, Tensor::from_slice([num_sampled], &sampled)?);
        Ok(())
    })
}

/// Returns the weights of `FixedUnigramCandidateSampler`: reserved classes have none, and a shard has every
/// `num_shards`-th.
fn fixed_weights(init: &KernelInit<'_>) -> Result<Weights> {
    let (file, unigrams) = (init.str("vocab_file")?, init.floats("unigrams")?);
    ensure!(!file.is_empty() || !unigrams.is_empty(), InvalidArgument, "Must provide either vocab_file or unigrams.");
    ensure!(
        file.is_empty() || unigrams.is_empty(),
        InvalidArgument,
        "Must only provide one of vocab_file and unigrams."
    );
    let given = if file.is_empty() { unigrams } else { read_unigrams(&file)? };
    let range = count(init, "range_max")?;
    let (shards, shard) = (init.int("num_shards")?, init.int("shard")?);
    let reserved = init.int("num_reserved_ids")?;
    ensure!(
        shards >= 1 && (0..shards).contains(&shard) && (0..=i32::MAX.into()).contains(&reserved),
        InvalidArgument,
        "num_reserved_ids = {reserved}, num_shards = {shards} and shard = {shard} make no sense"
    );
    let distortion = init.float("distortion")?;
    let mut weights: Vec<f32> = (0..reserved).filter(|id| id % shards == shard).map(|_| 0.0).collect();
    // TF: words are numbered from the number of the shard's reserved ones on.
    let first = weights.len() as i64;
    let own = (first..).zip(&given).filter(|(id, _)| id % shards == shard);
    weights.extend(own.map(|(_, &w)| (scalar::pow(f64::from(w), f64::from(distortion))) as f32));
    ensure!(
        weights.iter().all(|&w| w >= 0.0 && w.is_finite()),
        InvalidArgument,
        "the weights of classes must be finite and not negative"
    );
    ensure!(
        weights.len() == range,
        InvalidArgument,
        "range_max is {range}, but there are {} classes, reserved ones included",
        weights.len()
    );
    ensure!(weights.iter().any(|&w| w > 0.0), InvalidArgument, "no class has a weight");
    Ok(Weights::new(weights))
}

/// Returns the last field of each line of a file of comma-separated values.
fn read_unigrams(path: &str) -> Result<Vec<f32>> {
    let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Status::not_found(format!("{path}; No such file or directory")),
        _ => Status::invalid_argument(format!("{path}: {e}")),
    })?;
    text.lines()
        .map(|line| {
            let field = line.rsplit(',').next().unwrap_or(line);
            field
                .trim()
                .parse()
                .map_err(|_| Status::invalid_argument(format!("Wrong vocabulary format at line: {line}")))
        })
        .collect()
}

fn uniform(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    sampler(init, CandidateSampler::Uniform { range: range(init)? })
}

fn log_uniform(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    sampler(init, CandidateSampler::LogUniform { range: range(init)? })
}

fn learned(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let range = count(init, "range_max")?;
    ensure!(range < i32::MAX as usize, InvalidArgument, "range_max {range} must be less than {}", i32::MAX);
    sampler(init, CandidateSampler::Counted(Counts::new(range)))
}

fn fixed(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    sampler(init, CandidateSampler::Weighted(fixed_weights(init)?))
}

fn range(init: &KernelInit<'_>) -> Result<u64> {
    let range = init.int("range_max")?;
    match u64::try_from(range) {
        Ok(range) if range > 0 => Ok(range),
        _ => bail!(InvalidArgument, "range_max must be at least 1, got {range}"),
    }
}

fn accidental_hits(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let num_true = init.int("num_true")?;
    kernel(move |ctx| {
        let (classes, sampled) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(
            classes.rank() == 2 && classes.shape()[1] as i64 == num_true,
            InvalidArgument,
            "true_candidates must be a batch_size * num_true matrix"
        );
        ensure!(
            sampled.rank() == 1,
            InvalidArgument,
            "sampled_candidates must be a vector, which is typically an output from CandidateSampler"
        );
        let places: std::collections::HashMap<i64, i64> =
            sampled.slice::<i64>()?.iter().enumerate().map(|(i, &c)| (c, i as i64)).collect();
        let (mut rows, mut ids) = (Vec::new(), Vec::new());
        for (i, class) in classes.slice::<i64>()?.iter().enumerate() {
            if let Some(&place) = places.get(class) {
                rows.push((i as i64 / num_true) as i32);
                ids.push(place);
            }
        }
        let hits = rows.len();
        ctx.set_output(0, Tensor::from_slice([hits], &rows)?);
        ctx.set_output(1, Tensor::from_slice([hits], &ids)?);
        ctx.set_output(2, Tensor::from_slice([hits], &vec![f32::MIN; hits])?);
        Ok(())
    })
}

fn accidental_hits_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let num_true = c.int("num_true")?;
    let classes = c.input(0)?.with_rank(2)?;
    match (usize::try_from(num_true), classes.dim(1)) {
        (Ok(columns), _) => drop(classes.merge(&PartialShape::from_dims(&[None, Some(columns)]))?),
        (Err(_), Some(columns)) => bail!(InvalidArgument, "Dimension must be {num_true} but is {columns}"),
        (Err(_), None) => (),
    }
    c.input(1)?.with_rank(1)?;
    for i in 0..3 {
        c.set_output(i, PartialShape::vector(None));
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let base = |name: &str| {
        Op::new(name)
            .input("true_classes: int64")
            .output("sampled_candidates: int64")
            .output("true_expected_count: float")
            .output("sampled_expected_count: float")
            .attr("num_true: int >= 1")
            .attr("num_sampled: int >= 1")
            .attr("unique: bool")
            .shape(shape)
    };
    let ranged = |name: &str| base(name).attr("range_max: int >= 1");
    r.add(seeded(ranged("UniformCandidateSampler")).doc("Classes drawn uniformly.").kernel(uniform));
    r.add(
        seeded(ranged("LogUniformCandidateSampler"))
            .doc("Classes drawn as those sorted by falling frequency are met.")
            .kernel(log_uniform),
    );
    for name in ["LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"] {
        r.add(
            seeded(ranged(name))
                .doc("Classes drawn as often as they were true classes in the runs before.")
                .kernel(learned),
        );
    }
    r.add(
        seeded(
            ranged("FixedUnigramCandidateSampler")
                .attr("vocab_file: string = ''")
                .attr("distortion: float = 1.0")
                .attr("num_reserved_ids: int = 0")
                .attr("num_shards: int >= 1 = 1")
                .attr("shard: int >= 0 = 0")
                .attr("unigrams: list(float) = []"),
        )
        .doc("Classes drawn by weights, from a file or a list, raised to the power `distortion`.")
        .kernel(fixed),
    );
    r.add(seeded(base("AllCandidateSampler")).doc("Returns all classes.").kernel(all));
    r.add(
        Op::new("ComputeAccidentalHits")
            .input("true_classes: int64")
            .input("sampled_candidates: int64")
            .output("indices: int32")
            .output("ids: int64")
            .output("weights: float")
            .attr("num_true: int")
            .attr("seed: int = 0")
            .attr("seed2: int = 0")
            .doc(
                "Returns the accidental hits, where sampled classes are true ones: rows, places among the samples, \
                 and a weight near minus infinity.",
            )
            .shape(accidental_hits_shape)
            .kernel(accidental_hits),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Rerun, run};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn attrs(range: i64, sampled: i64) -> Vec<(&'static str, AttrValue)> {
        [("num_true", 2), ("num_sampled", sampled), ("range_max", range), ("seed", 1), ("seed2", 2)]
            .map(|(n, v)| (n, AttrValue::Int(v)))
            .into_iter()
            .chain([("unique", AttrValue::Bool(true))])
            .collect()
    }

    fn classes() -> Tensor {
        Tensor::from_slice([2, 2], &[0i64, 1, 1, 4]).unwrap()
    }

    #[test]
    fn learned_weights_grow_with_the_true_classes() {
        let node = Rerun::new("LearnedUnigramCandidateSampler", &[classes()], &attrs(5, 1)).unwrap();
        let expected = |t: &Tensor| t.slice::<f32>().unwrap().to_vec();
        let first = node.run(1).unwrap();
        assert_eq!(expected(&first[1]), [0.2; 4]);
        let second = node.run(1).unwrap();
        assert_eq!(expected(&second[1]), [2. / 9., 3. / 9., 3. / 9., 2. / 9.]);
        let outside = Tensor::from_slice([1, 2], &[0i64, 5]).unwrap();
        assert!(run("LearnedUnigramCandidateSampler", &[outside], &attrs(5, 1)).is_err());
    }

    #[test]
    fn fixed_weights_need_one_source_of_the_right_size() {
        let with = |unigrams: &[f32], more: &[(&'static str, AttrValue)]| {
            let mut a = attrs(5, 2);
            a.push(("unigrams", AttrValue::List(unigrams.iter().map(|&w| AttrValue::Float(w)).collect())));
            a.extend(more.iter().cloned());
            run("FixedUnigramCandidateSampler", &[classes()], &a)
        };
        assert!(with(&[1., 2., 3., 4., 5.], &[]).is_ok());
        assert!(with(&[1., 2., 3., 4.], &[]).is_err());
        assert!(with(&[1., 2., 3., 4.], &[("num_reserved_ids", AttrValue::Int(1))]).is_ok());
        assert!(with(&[], &[]).is_err());
        assert!(with(&[0., 0., 0., 0., 1.], &[]).is_err());
        assert!(with(&[], &[("vocab_file", AttrValue::Str(b"/nowhere".to_vec()))]).is_err());
        assert!(with(&[1., 2., f32::NAN, 4., 5.], &[]).is_err());
    }

    #[test]
    fn all_classes_are_each_expected_once() {
        let a: Vec<_> = attrs(5, 3).into_iter().filter(|(n, _)| *n != "range_max").collect();
        let y = run("AllCandidateSampler", &[classes()], &a).unwrap();
        assert_eq!(y[0].slice::<i64>().unwrap(), [0, 1, 2]);
        assert_eq!(y[1].slice::<f32>().unwrap(), [1.0; 4]);
    }

    #[test]
    fn hits_name_the_row_and_the_last_place() {
        let sampled = Tensor::from_slice([4], &[1i64, 7, 4, 1]).unwrap();
        let y = run("ComputeAccidentalHits", &[classes(), sampled], &[("num_true", AttrValue::Int(2))]).unwrap();
        assert_eq!(y[0].slice::<i32>().unwrap(), [0, 1, 1]);
        assert_eq!(y[1].slice::<i64>().unwrap(), [3, 3, 2]);
        assert_eq!(y[2].slice::<f32>().unwrap(), [f32::MIN; 3]);
    }

    #[test]
    fn misuse_is_an_error() {
        let matrix = |r: usize, c: usize| Tensor::from_slice([r, c], &vec![0i64; r * c]).unwrap();
        assert!(run("UniformCandidateSampler", &[matrix(2, 3)], &attrs(5, 2)).is_err());
        assert!(run("UniformCandidateSampler", &[matrix(2, 2)], &attrs(5, 6)).is_err());
        assert!(run("UniformCandidateSampler", &[Tensor::scalar(0i64)], &attrs(5, 2)).is_err());
    }
}
