//! GraphDefs of any content: imported where they fit, refused elsewhere, never a panic.

#![no_main]

mod registry;

use ferroflow_graph::{Graph, OutputId};
use ferroflow_graph_def::{Nowhere, Request, Sources, import, node_defs};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::GraphDef;
use ferroflow_sync::RwLock;
use libfuzzer_sys::fuzz_target;
use registry::REGISTRY;

fuzz_target!(|data: &[u8]| {
    let Ok(message) = GraphDef::decode(data) else { return };
    let graph = RwLock::new(Graph::new(REGISTRY.clone()));
    let request = Request { message: &message, scope: "", sources: Sources::default(), producer: None };
    let is_whole = import(&graph, request, &mut Nowhere).is_ok();
    let graph = graph.into_inner();
    assert!(!is_whole || graph.len() == message.node.len());
    for node in graph.nodes() {
        for index in 0..node.outputs.len() as u32 {
            let output = OutputId { node: node.id, index };
            let _ = graph.constant_value(output);
            let _ = graph.constant_as_shape(output);
        }
    }
    let (bytes, _) = node_defs(&graph, 0, true).unwrap();
    assert_eq!(GraphDef::decode(&bytes[..]).unwrap().node.len(), graph.len());
});
