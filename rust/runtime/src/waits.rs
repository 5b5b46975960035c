//! `Waits`: what comes after what, for plans in which some instruction may have to wait for something outside the step.

use crate::draft::Draft;
use crate::plan::{Input, Instruction, Test, Work};
use crate::schedule::Edges;
use std::ops::Range;

/// Instructions that may wait are numbered; of every instruction this says which of them it comes after. Plans without
/// such instructions have none of this, and run in their order.
pub(crate) struct Waits {
    words: usize,
    /// `words` words for each instruction: the bits of those that must have ended before it.
    after: Vec<u64>,
    /// The bit of each instruction that may wait.
    bits: Vec<Option<u32>>,
}

impl Waits {
    /// Args: `may_wait`, whether that node of the draft may; `order`, the draft's nodes as they were written; `nodes`, the
    /// draft node of each instruction, `None` for loads.
    pub fn find(
        d: &Draft,
        edges: &Edges,
        may_wait: impl Fn(u32) -> bool,
        order: &[u32],
        nodes: &[Option<u32>],
        instructions: &[Instruction],
    ) -> Option<Waits> {
        let waiting: Vec<u32> = order.iter().copied().filter(|&i| may_wait(i)).collect();
        if waiting.is_empty() {
            return None;
        }
        let words = waiting.len().div_ceil(64);
        let mut bit_of = vec![None; d.nodes.len()];
        waiting.iter().enumerate().for_each(|(bit, &i)| bit_of[i as usize] = Some(bit as u32));
        // Of each draft node: what it comes after, itself included once it is done.
        let mut of_node = vec![0u64; d.nodes.len() * words];
        for &i in order {
            let i = i as usize;
            let mut own: Vec<u64> = of_node[i * words..(i + 1) * words].to_vec();
            if let Some(bit) = bit_of[i] {
                own[bit as usize / 64] |= 1 << (bit % 64);
            }
            for &t in &edges.hard[i] {
                let t = t as usize;
                of_node[t * words..(t + 1) * words].iter_mut().zip(&own).for_each(|(a, b)| *a |= b);
            }
        }
        let mut after = vec![0u64; instructions.len() * words];
        let mut bits = vec![None; instructions.len()];
        for (k, node) in nodes.iter().enumerate() {
            if let Some(i) = *node {
                let i = i as usize;
                after[k * words..(k + 1) * words].copy_from_slice(&of_node[i * words..(i + 1) * words]);
                bits[k] = bit_of[i];
            }
        }
        let mut found = Waits { words, after, bits };
        found.place_loads(instructions);
        Some(found)
    }

    /// A variable's start version is loaded when the first of its readers can run, but before the variable is written.
    fn place_loads(&mut self, instructions: &[Instruction]) {
        for (k, instruction) in instructions.iter().enumerate() {
            let Instruction::Load { variable, slot, .. } = instruction else { continue };
            let mut common = vec![u64::MAX; self.words];
            for (r, reader) in instructions.iter().enumerate().skip(k) {
                let Instruction::Run(run) = reader else { continue };
                let reads = slot.is_some_and(|slot| reads(run.inputs.iter(), &run.tests, &run.work, slot));
                let reaches = run.handles.iter().flatten().any(|v| std::sync::Arc::ptr_eq(v, variable));
                if reads || reaches {
                    common.iter_mut().zip(self.after(r)).for_each(|(c, a)| *c &= a);
                }
            }
            // Where nothing reads it but what is fetched at the end, it comes after all.
            let all = self.bits.iter().flatten().count();
            for (w, word) in common.iter_mut().enumerate() {
                let here = all.saturating_sub(w * 64).min(64);
                *word &= if here == 64 { u64::MAX } else { (1 << here) - 1 };
            }
            self.after[k * self.words..(k + 1) * self.words].copy_from_slice(&common);
        }
    }

    fn after(&self, instruction: usize) -> &[u64] {
        &self.after[instruction * self.words..(instruction + 1) * self.words]
    }

    /// Whether everything that `a` waits for has ended whenever `b` can run.
    fn is_sooner(&self, a: usize, b: usize) -> bool {
        self.after(a).iter().zip(self.after(b)).all(|(a, b)| a & !b == 0)
    }

    /// Leaves a value in its slot where a reader before the last one in order may come later than that one.
    pub fn keep_values(&self, instructions: &mut [Instruction]) {
        let mut readers: Vec<Vec<u32>> = Vec::new();
        let note = |readers: &mut Vec<Vec<u32>>, slot: u32, k: usize| {
            if readers.len() <= slot as usize {
                readers.resize(slot as usize + 1, Vec::new());
            }
            readers[slot as usize].push(k as u32);
        };
        for (k, instruction) in instructions.iter().enumerate() {
            let Instruction::Run(run) = instruction else { continue };
            for input in &run.inputs {
                if let Input::Slot { slot, .. } = *input {
                    note(&mut readers, slot, k);
                }
            }
            let merged: &[Box<[Test]>] = if let Work::Merge(tests) = &run.work { tests } else { &[] };
            for test in run.tests.iter().chain(merged.iter().flatten()) {
                if let Test::Is(Input::Slot { slot, .. }, _) | Test::Present(slot) = *test {
                    note(&mut readers, slot, k);
                }
            }
        }
        for (k, instruction) in instructions.iter_mut().enumerate() {
            let Instruction::Run(run) = instruction else { continue };
            for input in &mut run.inputs {
                if let Input::Slot { slot, take } = input
                    && *take
                    && let Some(others) = readers.get(*slot as usize)
                {
                    *take = others.iter().all(|&r| r as usize == k || self.is_sooner(r as usize, k));
                }
            }
        }
    }
}

fn reads<'a>(mut inputs: impl Iterator<Item = &'a Input>, tests: &[Test], work: &Work, slot: u32) -> bool {
    let is_slot = |input: &Input| matches!(input, Input::Slot { slot: s, .. } if *s == slot);
    let tested = |test: &Test| match test {
        Test::Is(input, _) => is_slot(input),
        Test::Present(s) => *s == slot,
        Test::Never => false,
    };
    let merged = || matches!(work, Work::Merge(tests) if tests.iter().flatten().any(tested));
    inputs.any(is_slot) || tests.iter().any(tested) || merged()
}

/// Which of the instructions that may wait have not ended, though their turn in the order has come.
pub(crate) struct Unfinished<'a> {
    waits: &'a Waits,
    set: smallvec::SmallVec<[u64; 2]>,
}

impl<'a> Unfinished<'a> {
    pub fn new(waits: &'a Waits) -> Unfinished<'a> {
        Unfinished { waits, set: smallvec::SmallVec::from_elem(0, waits.words) }
    }

    /// Whether an instruction must be put aside for now.
    pub fn holds_up(&self, instruction: usize) -> bool {
        self.set.iter().zip(self.waits.after(instruction)).any(|(s, a)| s & a != 0)
    }

    /// Notes that an instruction could not begin, or has begun and waits.
    pub fn insert(&mut self, instruction: usize) {
        if let Some(bit) = self.waits.bits[instruction] {
            self.set[bit as usize / 64] |= 1 << (bit % 64);
        }
    }

    pub fn remove(&mut self, instruction: usize) {
        if let Some(bit) = self.waits.bits[instruction] {
            self.set[bit as usize / 64] &= !(1 << (bit % 64));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.set.iter().all(|&s| s == 0)
    }
}

/// A run of a plan's instructions: all, or a loop's before or behind its condition.
pub(crate) type Part = Range<usize>;
