//! NegTrain: a step of training with drawn words as negative examples.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_sync::Mutex;
use ferroflow_tensor::philox::candidate::Weights;
use ferroflow_tensor::philox::{Philox, Words};
use ferroflow_tensor::vector::scalar::{exp, pow};
use ferroflow_tensor::{Result, Tensor, bail, ensure};

/// The power of a word's count by which it is drawn.
const POWER: f32 = 0.75;
/// Words of the random stream that a run reserves for each drawn word.
const RESERVED: u64 = 8;

struct Trainer {
    vocabulary: usize,
    negative: u64,
    sampler: Weights,
    /// The stream of the node, the same in all sessions: the op has no seed.
    stream: Mutex<Philox>,
}

impl Trainer {
    fn new(init: &KernelInit<'_>) -> Result<Trainer> {
        let counts = init.int32s("vocab_count")?;
        ensure!(!counts.is_empty(), InvalidArgument, "vocab_count must not be empty");
        if let Some(count) = counts.iter().find(|&&count| count < 0) {
            bail!(InvalidArgument, "vocab_count must not be negative, got {count}");
        }
        let Ok(negative) = u64::try_from(init.int32("num_negative_samples")?) else {
            bail!(InvalidArgument, "num_negative_samples must not be negative")
        };
        let weights = counts.iter().map(|&count| pow(count as f32, POWER)).collect();
        Ok(Trainer {
            vocabulary: counts.len(),
            negative,
            sampler: Weights::new(weights),
            stream: Mutex::new(Philox::new(0, 0)),
        })
    }

    fn compute(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        ctx.update_many(
            [0, 1],
            |_, table| table.uninitialized(),
            |[w_in, w_out], inputs| {
                let (examples, labels, rate) = (&inputs[2], &inputs[3], &inputs[4]);
                ensure!(w_in.rank() == 2, InvalidArgument, "Must be a matrix");
                ensure!(w_in.shape() == w_out.shape(), InvalidArgument, "w_in.shape == w_out.shape");
                ensure!(examples.rank() == 1, InvalidArgument, "Must be a vector");
                ensure!(examples.shape() == labels.shape(), InvalidArgument, "examples.shape == labels.shape");
                ensure!(rate.rank() == 0, InvalidArgument, "Must be a scalar");
                let (rows, columns) = (w_in.shape()[0], w_in.shape()[1]);
                ensure!(
                    rows == self.vocabulary,
                    InvalidArgument,
                    "vocab_size mismatches: {rows} vs. {}",
                    self.vocabulary
                );
                let (examples, labels) = (indices(examples, "examples", rows)?, indices(labels, "labels", rows)?);
                let numbers = (examples.len() as u64).saturating_mul(self.negative).saturating_mul(RESERVED);
                let mut words = Words::new(self.stream.lock().reserve(numbers.div_ceil(4)));
                let rate = rate.to_scalar::<f32>()?;
                let mut tables =
                    Tables { columns, w_in: w_in.slice_mut()?, w_out: w_out.slice_mut()?, change: vec![0.0; columns] };
                for (&example, &label) in examples.iter().zip(&labels) {
                    tables.begin();
                    tables.approach(example, label, rate, true);
                    for _ in 0..self.negative {
                        let drawn = self.sampler.draw(&mut words) as usize;
                        if drawn != label {
                            tables.approach(example, drawn, rate, false);
                        }
                    }
                    tables.end(example);
                }
                Ok(())
            },
        )
    }
}

/// Returns the rows that a vector names, all of them in the tables.
fn indices(t: &Tensor, name: &str, rows: usize) -> Result<Vec<usize>> {
    let place = |&index: &i32| match usize::try_from(index) {
        Ok(place) if place < rows => Ok(place),
        _ => bail!(InvalidArgument, "{name} must be in [0, {rows}), got {index}"),
    };
    t.slice::<i32>()?.iter().map(place).collect()
}

/// The vectors of words and of their neighbours.
struct Tables<'a> {
    columns: usize,
    w_in: &'a mut [f32],
    w_out: &'a mut [f32],
    /// The change of the example's vector, which counts at the end.
    change: Vec<f32>,
}

impl Tables<'_> {
    fn begin(&mut self) {
        self.change.fill(0.0);
    }

    /// Moves the vectors of a word and of a neighbour towards each other, or apart if the neighbour was drawn.
    fn approach(&mut self, word: usize, neighbour: usize, rate: f32, is_positive: bool) {
        let columns = self.columns;
        let word = &self.w_in[word * columns..(word + 1) * columns];
        let neighbour = &mut self.w_out[neighbour * columns..(neighbour + 1) * columns];
        let dot = word.iter().zip(&*neighbour).fold(0.0, |sum, (a, b)| sum + a * b);
        let gradient = if is_positive { (exp(dot) + 1.0).recip() } else { -(exp(-dot) + 1.0).recip() };
        let step = gradient * rate;
        for ((change, a), b) in self.change.iter_mut().zip(word).zip(neighbour) {
            *change += *b * step;
            *b += a * step;
        }
    }

    fn end(&mut self, word: usize) {
        let row = &mut self.w_in[word * self.columns..(word + 1) * self.columns];
        for (value, change) in row.iter_mut().zip(&self.change) {
            *value += change;
        }
    }
}

fn neg_train(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let trainer = Trainer::new(init)?;
    kernel(move |ctx: &mut KernelContext<'_>| trainer.compute(ctx))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("NegTrain")
            .input("w_in: Ref(float)")
            .input("w_out: Ref(float)")
            .input("examples: int32")
            .input("labels: int32")
            .input("lr: float")
            .attr("vocab_count: list(int)")
            .attr("num_negative_samples: int")
            .stateful()
            .doc(
                "Moves the vectors of words towards those of their neighbours, and away from those of words drawn at \
                 random.",
            )
            .shape(shape_rules::unknown)
            .kernel(neg_train),
    );
}
