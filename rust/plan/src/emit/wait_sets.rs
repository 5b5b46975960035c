//! Finds the wait sets of a plan.

use crate::draft::Draft;
use crate::order::Edges;
use crate::plan::{Input, Instruction, Plan};
use crate::wait_sets::WaitSets;
use rustc_hash::FxHashMap;

/// The nodes of a draft behind the instructions.
pub(super) struct Places<'a> {
    /// The draft node of each instruction; `None` for loads.
    pub nodes: &'a [Option<u32>],
    /// The lock behind which a load reads, by the load's instruction.
    pub renewals: &'a FxHashMap<usize, u32>,
}

/// Finds the wait sets of a plan's instructions; None if none can wait.
///
/// Args: `may_wait`, true for nodes of the draft that may wait. `order`, the draft's nodes in their written order.
pub(super) fn find_wait_sets(
    d: &Draft,
    edges: &Edges,
    may_wait: impl Fn(u32) -> bool,
    order: &[u32],
    places: &Places<'_>,
    instructions: &[Instruction],
) -> Option<WaitSets> {
    let waiting: Vec<u32> = order.iter().copied().filter(|&i| may_wait(i)).collect();
    if waiting.is_empty() {
        return None;
    }
    let words = waiting.len().div_ceil(64);
    let mut bit_of = vec![None; d.nodes.len()];
    waiting.iter().enumerate().for_each(|(bit, &i)| bit_of[i as usize] = Some(bit as u32));
    // By draft node: the bits of the nodes that it comes after.
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
    for (k, node) in places.nodes.iter().enumerate() {
        if let Some(i) = *node {
            let i = i as usize;
            after[k * words..(k + 1) * words].copy_from_slice(&of_node[i * words..(i + 1) * words]);
            bits[k] = bit_of[i];
        }
    }
    let mut found = WaitSets { words, after, bits };
    place_loads(&mut found, places.renewals, instructions);
    for (&k, &lock) in places.renewals {
        let lock = lock as usize;
        let own = &mut found.after[k * words..(k + 1) * words];
        own.copy_from_slice(&of_node[lock * words..(lock + 1) * words]);
        if let Some(bit) = bit_of[lock] {
            own[bit as usize / 64] |= 1 << (bit % 64);
        }
    }
    Some(found)
}

/// Gives every load of a start version the set that all readers of its variable have in common. The version must be
/// there for the first of them, and before the variable is written.
fn place_loads(sets: &mut WaitSets, renewals: &FxHashMap<usize, u32>, instructions: &[Instruction]) {
    for (k, instruction) in instructions.iter().enumerate() {
        let Instruction::Load { variable, slot, .. } = instruction else { continue };
        if renewals.contains_key(&k) {
            continue;
        }
        let mut common = vec![u64::MAX; sets.words];
        for (r, reader) in instructions.iter().enumerate().skip(k) {
            let Instruction::Run(run) = reader else { continue };
            let mut reads = false;
            run.each_read(|read, _| reads |= *slot == Some(read));
            let reaches = run.handles.iter().flatten().any(|v| std::sync::Arc::ptr_eq(v, variable));
            if reads || reaches {
                common.iter_mut().zip(sets.after(r)).for_each(|(c, a)| *c &= a);
            }
        }
        // A version that is only fetched comes after all.
        let all = sets.bits.iter().flatten().count();
        for (w, word) in common.iter_mut().enumerate() {
            let here = all.saturating_sub(w * 64).min(64);
            *word &= if here == 64 { u64::MAX } else { (1 << here) - 1 };
        }
        sets.after[k * sets.words..(k + 1) * sets.words].copy_from_slice(&common);
    }
}

/// Returns whether everything that `a` waits for has ended whenever `b` can run.
fn is_sooner(sets: &WaitSets, a: usize, b: usize) -> bool {
    sets.after(a).iter().zip(sets.after(b)).all(|(a, b)| a & !b == 0)
}

/// Keeps a value in its slot if another reader may run after the last one in order: instructions that wait are overtaken.
pub(super) fn keep_values(plan: &mut Plan) {
    let (Some(sets), instructions) = (&plan.wait_sets, &mut plan.instructions) else { return };
    let mut readers: Vec<Vec<u32>> = Vec::new();
    let note = |readers: &mut Vec<Vec<u32>>, slot: u32, k: usize| {
        if readers.len() <= slot as usize {
            readers.resize(slot as usize + 1, Vec::new());
        }
        readers[slot as usize].push(k as u32);
    };
    for (k, instruction) in instructions.iter().enumerate() {
        let Instruction::Run(run) = instruction else { continue };
        run.each_read(|slot, _| note(&mut readers, slot, k));
    }
    for (k, instruction) in instructions.iter_mut().enumerate() {
        let Instruction::Run(run) = instruction else { continue };
        for input in &mut run.inputs {
            if let Input::Slot { slot, take } = input
                && *take
                && let Some(others) = readers.get(*slot as usize)
            {
                *take = others.iter().all(|&r| r as usize == k || is_sooner(sets, r as usize, k));
            }
        }
    }
}
