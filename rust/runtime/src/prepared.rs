//! `Prepared`: the plan of a request, and the plans for feeds of shapes that come again.

use crate::side_by_side::SideBySide;
use crate::slots::IdleSlots;
use ferroflow_graph::{Graph, Variable, reshaped_variables};
use ferroflow_plan::{Placed, Plan, Request, ShapedPlan};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Result, Shape, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The step with feeds of the same shapes for which a plan for these shapes is made.
const PLANNED_AT: u32 = 3;
/// Most shapes of feeds that are counted for one request.
const MAX_SHAPES: usize = 8;

/// A plan, the emptied slots of its executions, and the groups that run at the same time.
pub(crate) struct Ready {
    pub plan: Plan,
    pub idle: IdleSlots,
    pub side_by_side: SideBySide,
}

impl Ready {
    pub fn new(plan: Plan) -> Ready {
        Ready { side_by_side: SideBySide::new(&plan), plan, idle: IdleSlots::default() }
    }
}

/// The steps of a request with feeds of the same shapes.
struct Shaped {
    shapes: SmallVec<[Shape; 4]>,
    steps: u32,
    ready: Option<Arc<Ready>>,
    /// The count of `reshaped_variables` at which the variables last had the shapes that the plan relies on.
    reshaped: u64,
    variables: Vec<(Arc<Variable>, Shape)>,
}

impl Shaped {
    /// Returns whether the plan still holds; `now` is what `reshaped_variables` is.
    fn holds(&mut self, now: u64) -> bool {
        let keeps = |(variable, shape): &(Arc<Variable>, Shape)| {
            variable.lock().as_ref().is_some_and(|value| value.shape() == shape)
        };
        if self.reshaped != now && self.variables.iter().all(keeps) {
            self.reshaped = now;
        }
        self.reshaped == now
    }
}

/// A planned request.
pub struct Prepared {
    pub(crate) general: Ready,
    /// Version of the graph that was planned. The plan is stale if the graph has another version.
    pub graph_version: u64,
    /// Of the state that the plan holds.
    pub(crate) generation: u64,
    /// The request, if shapes of its feeds may decide shapes of its nodes.
    pub(crate) open: Option<Arc<Request>>,
    shaped: Mutex<Vec<Shaped>>,
    /// Set if a plan for shapes has no fewer instructions than the general one, which then serves all steps.
    is_enough: AtomicBool,
}

impl Prepared {
    pub(crate) fn new(plan: Plan, graph_version: u64, generation: u64, open: Option<Arc<Request>>) -> Prepared {
        Prepared {
            general: Ready::new(plan),
            graph_version,
            generation,
            open,
            shaped: Mutex::default(),
            is_enough: AtomicBool::new(false),
        }
    }

    /// Returns the plan as text, one line for each instruction. `graph` is the graph that was planned.
    pub fn dump(&self, graph: &Graph) -> String {
        self.general.plan.dump(graph)
    }

    /// Returns the step's nodes with their devices.
    pub fn placement(&self) -> &[Placed] {
        &self.general.plan.placement
    }

    /// Counts a step with these feeds. Returns the plan for their shapes, if they came often enough; `make` makes it.
    ///
    /// A plan is made once: other steps run with the general plan meanwhile, and also if none can be made.
    pub(crate) fn shaped(
        &self,
        feeds: &[Tensor],
        make: impl FnOnce(&Request, &[Shape]) -> Result<Option<ShapedPlan>>,
    ) -> Option<Arc<Ready>> {
        let request = self.open.as_ref().filter(|_| !self.is_enough.load(Ordering::Relaxed))?;
        let shapes = {
            let mut all = self.shaped.lock();
            let has = |s: &Shaped| s.shapes.iter().zip(feeds).all(|(shape, feed)| shape == feed.shape());
            let Some(position) = all.iter().position(has) else {
                let shapes = feeds.iter().map(|f| f.shape().clone()).collect();
                let new = Shaped { shapes, steps: 1, ready: None, reshaped: 0, variables: Vec::new() };
                if all.len() < MAX_SHAPES {
                    all.push(new);
                } else if let Some(rarest) = all.iter_mut().filter(|s| s.ready.is_none()).min_by_key(|s| s.steps) {
                    *rarest = new;
                }
                return None;
            };
            let one = &mut all[position];
            let now = reshaped_variables();
            if one.ready.is_some() {
                if one.holds(now) {
                    return one.ready.clone();
                }
                (one.ready, one.steps) = (None, 0);
            }
            one.steps = one.steps.saturating_add(1);
            if one.steps != PLANNED_AT {
                return None;
            }
            one.reshaped = now;
            one.shapes.clone()
        };
        let ShapedPlan { plan, variables } = make(request, &shapes).ok()??;
        if plan.size() >= self.general.plan.size() {
            self.is_enough.store(true, Ordering::Relaxed);
            return None;
        }
        let ready = Arc::new(Ready::new(plan));
        let mut all = self.shaped.lock();
        let one = all.iter_mut().find(|s| s.shapes == shapes)?;
        one.variables = variables;
        if !one.holds(reshaped_variables()) {
            return None;
        }
        one.ready = Some(ready.clone());
        Some(ready)
    }
}
