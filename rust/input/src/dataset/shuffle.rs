//! ShuffleDataset, ShuffleAndRepeatDataset: elements in TensorFlow's random order.

use super::cardinality::Cardinality;
use super::place::{Place, Rewrites, Use};
use super::position::{Position, misfit};
use super::saved::{Reader, Saved, Writer};
use super::schema::{described, scalars, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::{KernelContext, Registry};
use ferroflow_tensor::philox::{Philox, Words};
use ferroflow_tensor::{Result, ensure};
use std::collections::VecDeque;

/// The source of the iterators' streams.
enum Seeds {
    /// All iterators draw the same numbers.
    Same(Philox),
    /// Each iterator has two more numbers of this stream for its seeds; each place of the dataset begins the stream anew.
    Drawn(Philox),
}

struct Shuffle {
    input: SharedDataset,
    buffer_size: u64,
    /// Passes over the input; negative: without end.
    count: i64,
    seeds: Seeds,
}

impl Dataset for Shuffle {
    fn iterator(&self) -> BoxedIterator {
        let stream = match &self.seeds {
            Seeds::Same(stream) => *stream,
            Seeds::Drawn(stream) => {
                let (seed, seed2) = Place::current().unwrap_or_else(|| Place::below(Use::new())).seeds(*stream);
                Philox::new(seed, seed2)
            }
        };
        BoxedIterator::new(ShuffleIterator {
            dataset: self.input.clone(),
            input: None,
            begun: false,
            buffer_size: self.buffer_size,
            count: self.count,
            epoch: 0,
            buffer: Vec::new(),
            held: 0,
            slices: VecDeque::from([Slice { start: 0, end: 0 }]),
            words: Words::new(stream),
        })
    }

    /// Returns a dataset for a shuffle and the repetition around it. TF 1.15 joins them where it rewrites a pipeline: all
    /// passes draw from one stream.
    fn repeated(&self, count: i64, rewrites: Rewrites) -> Option<SharedDataset> {
        match &self.seeds {
            Seeds::Drawn(stream) if rewrites.fuses_shuffles && count != 0 => Some(SharedDataset::new(Shuffle {
                input: self.input.clone(),
                buffer_size: self.buffer_size,
                count,
                seeds: Seeds::Same(*stream),
            })),
            _ => None,
        }
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().passes(self.count)
    }
}

/// The elements of one pass that are in the buffer, by number; element `n` is at place `n % buffer_size`.
struct Slice {
    start: u64,
    end: u64,
}

impl Saved for Slice {
    fn put(&self, to: &mut Writer) -> Result<()> {
        self.start.put(to)?;
        self.end.put(to)
    }

    fn get(from: &mut Reader<'_>) -> Result<Slice> {
        Ok(Slice { start: u64::get(from)?, end: u64::get(from)? })
    }
}

struct ShuffleIterator {
    dataset: SharedDataset,
    input: Option<BoxedIterator>,
    begun: bool,
    buffer_size: u64,
    count: i64,
    epoch: i64,
    /// Grows with what is put in: the size is the program's word.
    buffer: Vec<Element>,
    held: u64,
    slices: VecDeque<Slice>,
    words: Words,
}

impl ShuffleIterator {
    fn place(&self, number: u64) -> usize {
        usize::try_from(number % self.buffer_size).unwrap_or(usize::MAX)
    }

    /// Returns true if all elements in the buffer have places there.
    fn is_consistent(&self) -> bool {
        let places = self.buffer.len() as u64;
        let has_places = |s: &Slice| s.start <= s.end && (places == self.buffer_size || s.end <= places);
        let held = self.slices.iter().map(|s| s.end.saturating_sub(s.start)).fold(0, u64::saturating_add);
        places <= self.buffer_size && self.held == held && self.slices.iter().all(has_places)
    }

    /// Returns the next element of this pass or of one after it.
    fn draw(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let mut is_fresh = !self.begun;
        while self.count < 0 || self.epoch < self.count {
            pull.check()?;
            let input = self.input.get_or_insert_with(|| self.dataset.iterator());
            let element = input.next(pull)?;
            self.begun = true;
            if element.is_some() {
                return Ok(element);
            }
            if self.count < 0 && is_fresh {
                // Repeating nothing for ever is nothing.
                self.count = 0;
                break;
            }
            is_fresh = false;
            self.epoch += 1;
            // The pass gives back what it holds, such as a cache that it fills.
            self.input = None;
            // TF 1.15: a pass begins also after the last one, which counts where a shuffle in the input draws seeds.
            self.input = Some(self.dataset.iterator());
            let n = self.slices.back().map_or(0, |s| s.end);
            self.slices.push_back(Slice { start: n, end: n });
        }
        self.input = None;
        Ok(None)
    }
}

impl DatasetIterator for ShuffleIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        while self.held < self.buffer_size {
            let Some(element) = self.draw(pull)? else { break };
            let number = self.slices.back().map_or(0, |s| s.end);
            let place = self.place(number);
            match self.buffer.get_mut(place) {
                Some(slot) => *slot = element,
                None => self.buffer.push(element),
            }
            if let Some(slice) = self.slices.back_mut() {
                slice.end += 1;
            }
            self.held += 1;
        }
        while self.slices.front().is_some_and(|s| s.start == s.end) && self.slices.len() > 1 {
            self.slices.pop_front();
        }
        let Some(slice) = self.slices.front_mut().filter(|s| s.start < s.end) else { return Ok(None) };
        let start = slice.start;
        let chosen = start + u64::from(self.words.next_u32()) % (slice.end - start);
        slice.start += 1;
        self.held -= 1;
        let (chosen, start) = (self.place(chosen), self.place(start));
        self.buffer.swap(chosen, start);
        Ok(self.buffer.get_mut(start).map(std::mem::take))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        let dataset = &self.dataset;
        position.part(&mut self.input, || dataset.iterator(), |input, position| position.iterator(input))?;
        position.value(&mut self.begun)?;
        position.value(&mut self.count)?;
        position.value(&mut self.epoch)?;
        position.value(&mut self.buffer)?;
        position.value(&mut self.held)?;
        position.value(&mut self.slices)?;
        position.value(&mut self.words)?;
        if self.is_consistent() { Ok(()) } else { Err(misfit()) }
    }
}

fn shuffle(ctx: &KernelContext<'_>, count: i64, reshuffles: bool) -> Result<Shuffle> {
    let buffer_size = scalar::<i64>(ctx, 1, "buffer_size")?;
    ensure!(buffer_size > 0, InvalidArgument, "buffer_size must be greater than zero.");
    let stream = Philox::of_op(scalar(ctx, 2, "seed")?, scalar(ctx, 3, "seed2")?);
    let seeds = if reshuffles { Seeds::Drawn(stream) } else { Seeds::Same(stream) };
    Ok(Shuffle { input: dataset_input(ctx, 0)?.dataset, buffer_size: buffer_size.unsigned_abs(), count, seeds })
}

pub(super) fn register(r: &mut Registry) {
    let seeded =
        |name: &str| unary(name).input("buffer_size: int64").input("seed: int64").input("seed2: int64").shape(scalars);
    r.add(
        described(seeded("ShuffleDataset").attr("reshuffle_each_iteration: bool = true"))
            .doc("Returns the elements in random order, each drawn from a buffer of `buffer_size` of them.")
            .kernel(|init| {
                let reshuffles = init.bool("reshuffle_each_iteration")?;
                dataset_kernel(init, move |ctx| shuffle(ctx, 1, reshuffles))
            }),
    );
    r.add(
        described(seeded("ShuffleAndRepeatDataset").input("count: int64"))
            .doc("Returns the input `count` times over, each time in another random order.")
            .kernel(|init| dataset_kernel(init, |ctx| shuffle(ctx, scalar(ctx, 4, "count")?, false))),
    );
}
