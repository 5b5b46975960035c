//! Sections of a plan, and the independent parts that they fall into.

use super::group::{Group, Lane};
use crate::plan::{Instruction, Plan};
use ferroflow_graph::Variable;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// Time to hand lanes over to threads that poll for work, and to collect their values, in nanoseconds.
const HANDOVER: u64 = 2_500;
/// Least time that a group must save, in nanoseconds.
pub(super) const LEAST_GAIN: u64 = 3_000;
/// Instructions after which a section without gain is not extended.
const PATIENCE: usize = 64;
/// Most instructions of a group.
const LONGEST: usize = 1_024;
/// Most time of a group on one thread, in nanoseconds: between groups, a step checks for signals and deadlines.
const MOST_TIME: u64 = 50_000_000;

/// Disjoint sets of elements, with the cost of each.
#[derive(Default)]
struct Sets {
    parents: Vec<u32>,
    costs: Vec<u64>,
    /// The greatest cost of a set.
    largest: u64,
}

impl Sets {
    /// Adds a set of one element and returns the element.
    fn add(&mut self, cost: u64) -> u32 {
        let element = self.parents.len() as u32;
        self.parents.push(element);
        self.costs.push(cost);
        self.largest = self.largest.max(cost);
        element
    }

    fn root(&mut self, mut element: u32) -> u32 {
        while self.parents[element as usize] != element {
            let grandparent = self.parents[self.parents[element as usize] as usize];
            self.parents[element as usize] = grandparent;
            element = grandparent;
        }
        element
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents[b as usize] = a;
            self.costs[a as usize] += self.costs[b as usize];
            self.largest = self.largest.max(self.costs[a as usize]);
        }
    }
}

/// The instructions of a section that touch a variable.
#[derive(Default)]
struct Touched {
    by_handle: Option<u32>,
    readers: Vec<u32>,
}

/// A section of a plan while it grows. Its instructions are the elements of the sets, in order.
#[derive(Default)]
struct Section {
    sets: Sets,
    /// The cost of all its instructions.
    total: u64,
    variables: FxHashMap<*const Variable, Touched>,
    /// Nodes without an instruction that were reached, with the element that stands for the section's nodes before them.
    passed: FxHashMap<u32, Option<u32>>,
}

/// A plan with what decides about its groups.
pub(super) struct Planned<'a> {
    plan: &'a Plan,
    costs: &'a [Option<u64>],
    threads: u64,
    /// By node of the draft: the nodes that it comes after.
    before: Vec<Vec<u32>>,
    /// By node of the draft.
    instruction_of: Vec<Option<u32>>,
    /// By node without an instruction: the last instruction that it comes after.
    latest_before: Vec<Option<u32>>,
    nodes: &'a [Option<u32>],
    /// By slot: the instruction that fills it.
    filler_of: Vec<Option<u32>>,
    /// The variables whose versions slots hold.
    held: FxHashMap<u32, *const Variable>,
}

impl<'a> Planned<'a> {
    pub fn new(plan: &'a Plan, costs: &'a [Option<u64>], threads: usize) -> Option<Planned<'a>> {
        let dependents = plan.dependents.as_deref()?;
        let after = &dependents.after;
        let mut before = vec![Vec::new(); after.len()];
        for (i, all) in after.iter().enumerate() {
            all.iter().for_each(|&t| before[t as usize].push(i as u32));
        }
        let mut instruction_of = vec![None; after.len()];
        for (k, node) in dependents.nodes.iter().enumerate() {
            node.iter().for_each(|&i| instruction_of[i as usize] = Some(k as u32));
        }
        let mut latest_before = vec![None; after.len()];
        for (k, &node) in dependents.nodes.iter().enumerate() {
            let mut ahead: Vec<u32> = node.into_iter().collect();
            while let Some(i) = ahead.pop() {
                for &t in &after[i as usize] {
                    let latest = &mut latest_before[t as usize];
                    if instruction_of[t as usize].is_none() && latest.replace(k as u32) != Some(k as u32) {
                        ahead.push(t);
                    }
                }
            }
        }
        let mut filler_of = vec![None; plan.slots];
        for (k, instruction) in plan.instructions.iter().enumerate() {
            instruction.filled().for_each(|slot| filler_of[slot as usize] = Some(k as u32));
        }
        let held = plan.versions.iter().map(|(slot, variable, _)| (*slot, Arc::as_ptr(variable))).collect();
        let (nodes, threads) = (dependents.nodes.as_slice(), threads as u64);
        Some(Planned { plan, costs, threads, before, instruction_of, latest_before, nodes, filler_of, held })
    }

    /// Returns the section from `start` on that gains most, and its gain in nanoseconds.
    pub fn section(&self, start: usize) -> (Range<usize>, u64) {
        let mut section = Section::default();
        let (mut best, mut gain) = (start, 0);
        for (k, cost) in self.costs.iter().enumerate().skip(start).take(LONGEST) {
            let Some(cost) = *cost else { break };
            self.extend(&mut section, start, k, cost);
            let slowest = section.sets.largest.max(section.total.div_ceil(self.threads));
            let gained = section.total.saturating_sub(slowest + HANDOVER);
            if section.total > MOST_TIME || k - best >= PATIENCE {
                break;
            }
            if gained > gain {
                (best, gain) = (k + 1, gained);
            }
        }
        (start..best, gain)
    }

    /// Divides a section between lanes, the costliest parts first. None if the lanes would gain too little.
    pub fn group(&self, range: Range<usize>) -> Option<Group> {
        let mut section = Section::default();
        for k in range.clone() {
            self.extend(&mut section, range.start, k, self.costs[k]?);
        }
        let mut parts: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (position, k) in range.clone().enumerate() {
            let root = section.sets.root(position as u32);
            parts.entry(root).or_default().push(k as u32);
        }
        let cost = |part: &[u32]| part.iter().filter_map(|&k| self.costs[k as usize]).sum::<u64>();
        let mut parts: Vec<(u64, Vec<u32>)> = parts.into_values().map(|part| (cost(&part), part)).collect();
        parts.sort_by(|a, b| (b.0, &a.1).cmp(&(a.0, &b.1)));
        let mut lanes: Vec<(u64, Vec<u32>)> = vec![(0, Vec::new()); parts.len().min(self.threads as usize)];
        for (cost, part) in parts {
            if let Some(lane) = lanes.iter_mut().min_by_key(|lane| lane.0) {
                lane.0 += cost;
                lane.1.extend(part);
            }
        }
        let slowest = lanes.iter().map(|lane| lane.0).max()?;
        let is_gain = section.total >= slowest + HANDOVER + LEAST_GAIN;
        is_gain.then(|| self.lanes(range, lanes.into_iter().map(|lane| lane.1)))
    }

    /// Finds the slots that the lanes of a group read and fill.
    fn lanes(&self, range: Range<usize>, parts: impl Iterator<Item = Vec<u32>>) -> Group {
        let mut lanes = Vec::new();
        // Of each slot from before the group: how many lanes read it, and whether one of them takes its value.
        let mut readers: FxHashMap<u32, (u32, bool)> = FxHashMap::default();
        for mut instructions in parts {
            instructions.sort_unstable();
            let (mut filled, mut read) = (Vec::new(), Vec::new());
            let mut own: FxHashSet<u32> = FxHashSet::default();
            for &k in &instructions {
                let instruction = &self.plan.instructions[k as usize];
                if let Instruction::Run(run) = instruction {
                    run.each_read(|slot, take| {
                        if own.contains(&slot) {
                            return;
                        }
                        let reader = readers.entry(slot).or_default();
                        reader.1 |= take;
                        if !read.contains(&(slot, false)) {
                            reader.0 += 1;
                            read.push((slot, false));
                        }
                    });
                }
                filled.extend(instruction.filled());
                own.extend(instruction.filled());
            }
            lanes.push(Lane { instructions, read, filled });
        }
        for (slot, is_only) in lanes.iter_mut().flat_map(|lane| &mut lane.read) {
            *is_only = readers[slot] == (1, true);
        }
        let mut dropped: Vec<u32> =
            readers.into_iter().filter(|(_, (lanes, taken))| *lanes > 1 && *taken).map(|(slot, _)| slot).collect();
        dropped.sort_unstable();
        Group { range, lanes, dropped }
    }

    /// Adds instruction `k` to a section that begins with instruction `start`.
    fn extend(&self, section: &mut Section, start: usize, k: usize, cost: u64) {
        let element = section.sets.add(cost);
        section.total += cost;
        let instruction = &self.plan.instructions[k];
        match instruction {
            Instruction::Load { variable, .. } => self.read(section, element, Arc::as_ptr(variable)),
            Instruction::Run(run) => {
                run.each_read(|slot, _| {
                    if let Some(filler) = self.filler_of[slot as usize].filter(|&filler| filler as usize >= start) {
                        section.sets.unite(filler - start as u32, element);
                    }
                    if let Some(&variable) = self.held.get(&slot) {
                        self.read(section, element, variable);
                    }
                });
                for variable in run.handles.iter().flatten() {
                    let touched = section.variables.entry(Arc::as_ptr(variable)).or_default();
                    let others = touched.by_handle.replace(element).into_iter().chain(touched.readers.drain(..));
                    others.for_each(|other| section.sets.unite(other, element));
                }
            }
            Instruction::Depart => {}
        }
        if let Some(node) = self.nodes[k] {
            self.follow(section, start, node, element);
        }
    }

    /// Notes that an element reads the value of a variable, which must come before a write of the section.
    fn read(&self, section: &mut Section, element: u32, variable: *const Variable) {
        let touched = section.variables.entry(variable).or_default();
        match touched.by_handle {
            Some(other) => section.sets.unite(other, element),
            None => touched.readers.push(element),
        }
    }

    /// Unites an element with all of the section that comes before a node, also through nodes without an instruction.
    fn follow(&self, section: &mut Section, start: usize, node: u32, element: u32) {
        let mut ahead = vec![node];
        while let Some(node) = ahead.pop() {
            for &before in &self.before[node as usize] {
                match self.instruction_of[before as usize] {
                    Some(k) if k as usize >= start => {
                        section.sets.unite(k - start as u32, element);
                    }
                    Some(_) => {}
                    None => match section.passed.get(&before) {
                        Some(&stands) => stands.into_iter().for_each(|other| section.sets.unite(other, element)),
                        None => {
                            // All before it is older than this instruction, so what it stands for does not change.
                            let stands = self.reaches(start, before).then_some(element);
                            section.passed.insert(before, stands);
                            if stands.is_some() {
                                ahead.push(before);
                            }
                        }
                    },
                }
            }
        }
    }

    /// Returns whether a node without an instruction comes after an instruction at `start` or later.
    fn reaches(&self, start: usize, node: u32) -> bool {
        self.latest_before[node as usize].is_some_and(|k| k as usize >= start)
    }
}
