//! Finds the guard of every node of a region.

use super::region::{LoopDraft, Region};
use crate::draft::Action;
use crate::flow::{ALWAYS, GuardId, Literal};
use crate::source::Source;
use crate::step_graph::{HandleUse, StepGraph};
use ferroflow_graph::{Flow, Node, NodeId, OutputId, Role};
use ferroflow_tensor::{Result, bail};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

impl Region {
    /// Returns the guard under which an output has a value.
    pub fn output_guard(&mut self, step: &StepGraph<'_>, o: OutputId) -> Result<GuardId> {
        if step.fed.contains(&o) {
            return Ok(ALWAYS);
        }
        let node = step.node(o.node)?;
        if step.frames.of(o.node) != self.frame && !self.exits.contains_key(&o.node) {
            return Ok(ALWAYS);
        }
        let own = self.guard_of.get(&o.node).copied().unwrap_or(ALWAYS);
        match node.op.flow {
            Some(Flow::Switch) => {
                let literal = self.literal(step, node, o.index == 1)?;
                Ok(self.draft.guards.with(own, literal))
            }
            Some(Flow::Merge) => Ok(self.joined.get(&o.node).copied().unwrap_or(own)),
            _ => Ok(own),
        }
    }

    /// Returns the condition of a Switch's output.
    fn literal(&mut self, step: &StepGraph<'_>, switch: &Node, value: bool) -> Result<Literal> {
        let Some(&(mut predicate)) = switch.inputs.get(1) else { bail!(Internal, "{} has no predicate", switch.name) };
        // A conditional decides by its predicate and by a copy of it; for the guards they are one.
        while !step.fed.contains(&predicate) && step.node(predicate.node)?.op.role == Role::Identity {
            predicate = step.node(predicate.node)?.inputs[0];
        }
        if self.condition == Some(predicate.node) {
            return Ok(if value == self.stays_if { Literal::Body } else { Literal::Leaving });
        }
        let predicate = match self.source(step, predicate, HandleUse::Handle)? {
            // The value at this place: the Switch reads it.
            Source::Variable { .. } => match self.local.get(&switch.id) {
                Some(&node) => Source::Output { node, index: 0 },
                None => bail!(Internal, "{} was pruned but is read", switch.name),
            },
            other => other,
        };
        Ok(Literal::Outcome { predicate, value })
    }

    /// Finds the guard of every node, along the order of the members.
    pub fn find_guards(&mut self, step: &StepGraph<'_>, loops: &[LoopDraft]) -> Result<()> {
        let info = step.frames.get(self.frame);
        if info.children.is_empty() && !info.members.iter().any(|&m| step.node(m).is_ok_and(|n| n.op.flow.is_some())) {
            return Ok(());
        }
        let loop_of: FxHashMap<NodeId, usize> =
            loops.iter().enumerate().flat_map(|(k, l)| l.exits.iter().map(move |&e| (e, k))).collect();
        // A loop goes where what it reads is known: before the first node behind its Exits, at the latest after all others.
        for &id in &info.members {
            let node = step.node(id)?;
            for from in node.predecessors() {
                if let Some(&k) = loop_of.get(&from) {
                    self.guard_loop(step, &loops[k])?;
                }
            }
            self.guard_node(step, node)?;
        }
        for l in loops {
            self.guard_loop(step, l)?;
        }
        for (&id, &i) in &self.local {
            self.draft.nodes[i as usize].guard = self.guard_of.get(&id).copied().unwrap_or(ALWAYS);
        }
        Ok(())
    }

    fn guard_loop(&mut self, step: &StepGraph<'_>, l: &LoopDraft) -> Result<()> {
        if self.guard_of.contains_key(&l.node.id) {
            return Ok(());
        }
        let mut guard = ALWAYS;
        for &(o, _) in &l.inputs {
            let node = step.node(o.node)?;
            if node.op.flow == Some(Flow::Merge) && !self.local.contains_key(&o.node) {
                // The loop's own count of which input of a variable has a value.
                continue;
            }
            let of = match node.op.flow {
                Some(Flow::Enter) if step.frames.of(o.node) == self.frame => {
                    self.guard_of.get(&o.node).copied().unwrap_or(ALWAYS)
                }
                _ => self.output_guard(step, o)?,
            };
            guard = self.draft.guards.and(guard, of);
        }
        for w in &l.waits {
            let of = self.guard_of.get(w).copied().unwrap_or(ALWAYS);
            guard = self.draft.guards.and(guard, of);
        }
        self.guard_of.insert(l.node.id, guard);
        for &e in &l.exits {
            self.guard_of.insert(e, guard);
        }
        Ok(())
    }

    fn guard_node(&mut self, step: &StepGraph<'_>, node: &Arc<Node>) -> Result<()> {
        if node.op.role == Role::Trigger {
            return Ok(());
        }
        if node.op.flow == Some(Flow::Merge) {
            return self.guard_merge(step, node);
        }
        let mut guard = ALWAYS;
        for &o in &node.inputs {
            let of = self.output_guard(step, o)?;
            guard = self.draft.guards.and(guard, of);
        }
        for c in step.control(node) {
            let of = self.guard_of.get(&c).copied().unwrap_or(ALWAYS);
            guard = self.draft.guards.and(guard, of);
        }
        if guard != ALWAYS {
            self.guard_of.insert(node.id, guard);
        }
        Ok(())
    }

    fn guard_merge(&mut self, step: &StepGraph<'_>, node: &Arc<Node>) -> Result<()> {
        if step.loop_variable(node)?.is_some() {
            return Ok(());
        }
        let mut guards: SmallVec<[GuardId; 4]> = SmallVec::new();
        for &o in &node.inputs {
            guards.push(self.output_guard(step, o)?);
        }
        let Some(&local) = self.local.get(&node.id) else { bail!(Internal, "{} has no place", node.name) };
        let mut own = guards[0];
        let mut is_complete = true;
        for &g in &guards[1..] {
            match self.draft.guards.either(own, g) {
                Some(joined) => own = joined,
                None => {
                    is_complete = false;
                    own = self.draft.guards.shared(own, g);
                }
            }
        }
        if own != ALWAYS {
            self.guard_of.insert(node.id, own);
        }
        if !is_complete && !guards.contains(&own) {
            let joined = self.draft.guards.with(own, Literal::Joined(local));
            self.joined.insert(node.id, joined);
        }
        self.draft.nodes[local as usize].action = Action::Merge(guards);
        Ok(())
    }
}
