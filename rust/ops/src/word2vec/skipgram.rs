//! Skipgram: batches of words and their neighbours in a text.

use super::corpus::Corpus;
use super::sentences::{Pair, Sentences};
use ferroflow_graph::{Blocking, Cancellation, Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_io::file;
use ferroflow_sync::Mutex;
use ferroflow_tensor::{DType, Result, Shape, Tensor, bail, ensure};
use smallvec::smallvec;
use std::sync::Arc;

/// Pairs that are drawn at a time, before the first of them is handed out.
const BUFFERED: usize = 3000;

/// The text of a node, and what of it has been handed out.
struct Reader {
    corpus: Arc<Corpus>,
    words: Tensor,
    counts: Tensor,
    place: Place,
}

#[derive(Clone)]
struct Place {
    sentences: Sentences,
    buffer: Vec<Pair>,
    handed_out: usize,
}

impl Place {
    fn refill(&mut self, corpus: &Corpus, cancellation: &Cancellation) -> Result<()> {
        self.handed_out = 0;
        self.buffer.clear();
        for _ in 0..BUFFERED {
            let pair = self.sentences.pair(corpus, cancellation)?;
            self.buffer.push(pair);
        }
        Ok(())
    }

    fn next(&mut self, corpus: &Corpus, cancellation: &Cancellation) -> Result<Pair> {
        let pair = self.buffer[self.handed_out];
        self.handed_out += 1;
        if self.handed_out == BUFFERED {
            self.refill(corpus, cancellation)?;
        }
        Ok(pair)
    }
}

struct Options {
    filename: String,
    batch: usize,
    window: u32,
    min_count: i64,
    subsample: f32,
}

impl Options {
    fn of(init: &KernelInit<'_>) -> Result<Options> {
        let positive = |name: &str| match u32::try_from(init.int(name)?) {
            Ok(n @ 1..) if i32::try_from(n).is_ok() => Ok(n),
            _ => bail!(InvalidArgument, "{name} must be in [1, {}]", i32::MAX),
        };
        let batch = init.int32("batch_size")?;
        ensure!(batch >= 0, InvalidArgument, "batch_size must not be negative, got {batch}");
        Ok(Options {
            filename: init.str("filename")?,
            batch: Shape::checked(&[batch])?.elements(),
            window: positive("window_size")?,
            min_count: init.int32("min_count")?,
            subsample: init.float("subsample")?,
        })
    }

    fn open(&self, cancellation: &Cancellation) -> Result<Reader> {
        let text = file::read(&self.filename)?;
        let corpus = Corpus::of(&self.filename, &text, self.window as usize, self.min_count)?;
        let sentences = Sentences::of(&corpus, self.window, self.subsample);
        let mut place = Place { sentences, buffer: Vec::with_capacity(BUFFERED), handed_out: 0 };
        place.refill(&corpus, cancellation)?;
        let words = Tensor::from_strings([corpus.words.len()], corpus.words.clone())?;
        let counts = Tensor::from_slice([corpus.counts.len()], &corpus.counts)?;
        Ok(Reader { corpus: Arc::new(corpus), words, counts, place })
    }
}

fn skipgram(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let options = Arc::new(Options::of(init)?);
    let reader: Arc<Mutex<Option<Reader>>> = Arc::default();
    kernel(move |ctx| {
        let (options, reader) = (options.clone(), reader.clone());
        ctx.run_blocking(move |cancellation| {
            let mut reader = reader.lock();
            let reader = match &mut *reader {
                Some(reader) => reader,
                none => none.insert(options.open(cancellation)?),
            };
            let [mut words, mut neighbours] =
                [Tensor::new(DType::I32, [options.batch])?, Tensor::new(DType::I32, [options.batch])?];
            // An interrupted step leaves the reader where it was.
            let mut place = reader.place.clone();
            let pairs = words.slice_mut::<i32>()?.iter_mut().zip(neighbours.slice_mut::<i32>()?);
            for (word, neighbour) in pairs {
                let pair = place.next(&reader.corpus, cancellation)?;
                (*word, *neighbour) = (pair.word, pair.neighbour);
            }
            reader.place = place;
            Ok(smallvec![
                reader.words.clone(),
                reader.counts.clone(),
                Tensor::scalar(reader.corpus.text.len() as i64),
                Tensor::scalar(reader.place.sentences.epoch),
                Tensor::scalar(reader.place.sentences.processed),
                words,
                neighbours
            ])
        })
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Skipgram")
            .output("vocab_word: string")
            .output("vocab_freq: int32")
            .output("words_per_epoch: int64")
            .output("current_epoch: int32")
            .output("total_words_processed: int64")
            .output("examples: int32")
            .output("labels: int32")
            .attr("filename: string")
            .attr("batch_size: int")
            .attr("window_size: int = 5")
            .attr("min_count: int = 5")
            .attr("subsample: float = 1e-3")
            .stateful()
            .blocks(Blocking::Files)
            .doc("Returns the vocabulary of a text, and the next words of the text with their neighbours.")
            .shape(shape_rules::unknown)
            .kernel(skipgram),
    );
}
