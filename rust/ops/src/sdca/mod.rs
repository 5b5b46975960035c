//! Stochastic dual coordinate ascent for linear models: SdcaOptimizer, SdcaOptimizerV2, SdcaShrinkL1, SdcaFprint.
//!
//! Source: Shalev-Shwartz, Zhang, "Stochastic dual coordinate ascent methods for regularized loss minimization", 2013. With
//! several partitions: Ma et al., "Adding vs. averaging in distributed primal-dual optimization", 2015.

mod examples;
mod features;
mod fingerprints;
mod losses;
mod optimizer;
mod order;
mod shrinkage;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    fingerprints::register(r);
    optimizer::register(r);
    shrinkage::register(r);
}
