//! Bucket boundaries of numbers: approximate quantiles of streams of weighted values.
//!
//! The algorithm is that of Greenwald and Khanna (2001, 2004) with the levels of Zhang and Wang (2007), on weights.

mod bucketize;
mod resource;
mod stream;
mod streaming;
mod summary;

use ferroflow_graph::Registry;

pub(super) fn register(r: &mut Registry) {
    bucketize::register(r);
    streaming::register(r);
}
