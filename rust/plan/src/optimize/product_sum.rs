//! Matrix products that are added up are added as they are computed: a product takes the sum so far, and adds itself.
//!
//! The sum grows at the places of the products, from the first term on. The node that added them up only stands for the
//! last of them. Nodes that wait for a product, such as another gradient of the same operation, wait for it still.

use super::product::{attrs_of_product, product_forms};
use super::readers::Readers;
use super::replace::fused_node;
use super::stand_in::{StandIn, StandIns};
use crate::context::Context;
use crate::draft::{Action, Draft, order_edges};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{AttrValue, Elementwise};
use ferroflow_tensor::DType;
use ferroflow_tensor::vector::Binary;
use smallvec::SmallVec;

/// Fuses every sum of terms of one known shape with the products that come first among them.
pub(super) fn fuse(d: &mut Draft, cx: &Context<'_>) {
    let Ok(order) = order_edges(d).order(u64::from) else { return };
    let mut places = vec![0; d.nodes.len()];
    for (place, &i) in order.iter().enumerate() {
        places[i as usize] = place;
    }
    let readers = Readers::find(d);
    let mut stand_ins = StandIns::default();
    for i in order {
        for source in d.nodes[i as usize].inputs.iter_mut() {
            *source = stand_ins.resolve(*source);
        }
        if is_sum(d, cx, &readers, i) {
            add_up(d, cx, (&readers, &places), i, &mut stand_ins);
        }
    }
    d.fetches.iter_mut().for_each(|s| *s = stand_ins.resolve(*s));
}

/// Returns true for an AddN of terms of one known shape, and for the addition of such a term to a variable of a loop.
/// Other additions are better fused with the elementwise ops after them.
fn is_sum(d: &Draft, cx: &Context<'_>, readers: &Readers, i: u32) -> bool {
    let node = &d.nodes[i as usize];
    let adds = match node.node.op.elementwise {
        Some(Elementwise::Sum) => true,
        Some(Elementwise::Binary(Binary::Add)) => {
            readers.of(i).is_empty() && matches!(node.inputs.first(), Some(Source::Feed(_)))
        }
        _ => false,
    };
    if !adds || !matches!(node.action, Action::Run(_)) || !node.node.control_inputs.is_empty() {
        return false;
    }
    let mut shapes = node.node.inputs.iter().map(|o| cx.graph.output(*o).map(|t| &t.shape));
    let Some(Ok(first)) = shapes.next() else { return false };
    first.is_fully_known() && shapes.all(|shape| shape.is_ok_and(|shape| shape == first))
}

/// Adds up the terms of a sum, as far as they are products that can wait for the sum of the terms before them.
fn add_up(d: &mut Draft, cx: &Context<'_>, (readers, places): (&Readers, &[usize]), i: u32, stand_ins: &mut StandIns) {
    let terms = d.nodes[i as usize].inputs.clone();
    let Some((&first, rest)) = terms.split_first() else { return };
    let (mut total, mut added) = (first, 0);
    for &term in rest {
        let sum_so_far = total;
        let Some(product) = product(d, readers, i, term).filter(|&p| is_before(d, places, sum_so_far, p)) else {
            break;
        };
        if take_sum(d, cx, product, sum_so_far).is_none() {
            break;
        }
        total = term;
        added += 1;
    }
    let Source::Output { node: last, .. } = total else { return };
    if added == rest.len() {
        let computes = std::mem::take(&mut d.nodes[i as usize].computes);
        let last = &mut d.nodes[last as usize];
        last.computes.extend(computes);
        last.rewrite = Some(Rewrite::Sum);
        stand_ins.apply(d, i, StandIn::Forwarded(total));
    } else if added > 0 {
        add_rest(d, cx, i, total, &rest[added..]);
    }
}

/// Returns the product that a term of sum `i` is, if nothing else reads it.
fn product(d: &Draft, readers: &Readers, i: u32, term: Source) -> Option<u32> {
    let Source::Output { node: p, index: 0 } = term else { return None };
    let n = &d.nodes[p as usize];
    let is_product = product_forms(n).is_some_and(|forms| forms.sum.is_some())
        && matches!(n.action, Action::Run(_))
        && n.guard == d.nodes[i as usize].guard
        && n.node.outputs.first().is_some_and(|o| matches!(o.dtype, DType::F32 | DType::F64));
    (is_product && readers.of(p) == [i] && !d.fetches.contains(&term)).then_some(p)
}

/// Returns true if a value is known before a product is computed: in the order at least, so that waiting for it closes no
/// cycle.
fn is_before(d: &Draft, places: &[usize], value: Source, product: u32) -> bool {
    match value {
        Source::Feed(_) | Source::Constant(_) => true,
        Source::Output { node, .. } => {
            places[node as usize] < places[product as usize]
                && d.nodes[node as usize].guard == d.nodes[product as usize].guard
        }
        // The value before the step's first write.
        Source::Variable { variable, version, .. } => version == 0 && d.versions.renewal(variable, 0).is_none(),
    }
}

/// Makes a product add itself to a sum.
fn take_sum(d: &mut Draft, cx: &Context<'_>, product: u32, sum: Source) -> Option<()> {
    let n = &d.nodes[product as usize];
    let mut attrs = attrs_of_product(&n.node);
    attrs.set("M", AttrValue::Int(1));
    attrs.set("N", AttrValue::Int(1));
    attrs.set("is_product", AttrValue::List(vec![AttrValue::Bool(false), AttrValue::Bool(true)]));
    let inputs: SmallVec<[Source; 3]> = std::iter::once(sum).chain(n.inputs.iter().copied()).collect();
    let (node, kernel) = fused_node(d, cx, product, product_forms(n)?.sum?, attrs, inputs.len())?;
    let n = &mut d.nodes[product as usize];
    n.is_ref = SmallVec::from_elem(false, inputs.len());
    (n.node, n.inputs, n.action) = (node, inputs, Action::Run(kernel));
    Some(())
}

/// Leaves a sum with the terms that are not added yet, behind those that are.
fn add_rest(d: &mut Draft, cx: &Context<'_>, i: u32, total: Source, rest: &[Source]) {
    let node = &d.nodes[i as usize].node;
    let (op, mut attrs) = (node.op.name.clone(), node.attrs.clone());
    attrs.set("N", AttrValue::Int(rest.len() as i64 + 1));
    if let Some((node, kernel)) = fused_node(d, cx, i, &op, attrs, rest.len() + 1) {
        let n = &mut d.nodes[i as usize];
        n.inputs = std::iter::once(total).chain(rest.iter().copied()).collect();
        n.is_ref = SmallVec::from_elem(false, n.inputs.len());
        (n.node, n.action) = (node, Action::Run(kernel));
    }
}
