//! Gradient boosted trees: the ensemble as a resource, and the ops that grow it and predict with it.

mod ensemble;
mod forest;
mod gain;
mod growing;
mod inputs;
mod predicting;
mod pruning;
mod quantiles;
mod splitting;
mod states;
mod statistics;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    growing::register(r);
    predicting::register(r);
    quantiles::register(r);
    splitting::register(r);
    states::register(r);
    statistics::register(r);
}
