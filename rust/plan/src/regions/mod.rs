//! Regions: the nodes of each frame as a draft, whose inner loops are planned before it.

mod build;
mod fill;
mod guards;
mod loops;
mod region;

pub(crate) use build::build_region;
