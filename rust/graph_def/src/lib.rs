//! Graphs as GraphDef messages and back: export and import.

#![forbid(unsafe_code)]

mod attributes;
mod export;
mod import;

pub use export::{Left, graph_def, node_defs};
pub use import::{Around, Draft, Imported, Nowhere, Request, Sources, check_ops, import};
