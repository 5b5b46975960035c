//! Laws of the generated messages: deterministic bytes, and a committed descriptor set that is up to date.

use std::collections::BTreeMap;
use std::path::Path;

use ferroflow_proto::tensorflow::{AttrValue, DataType, GraphDef, NodeDef, attr_value};
use ferroflow_proto::{Message, descriptor_set};

fn node_with_attrs(names: &[&str]) -> NodeDef {
    let attr: BTreeMap<String, AttrValue> = names
        .iter()
        .map(|name| {
            let value = attr_value::Value::Type(DataType::DtFloat as i32);
            (name.to_string(), AttrValue { value: Some(value) })
        })
        .collect();
    NodeDef { name: "w".to_owned(), op: "VariableV2".to_owned(), attr, ..Default::default() }
}

#[test]
fn the_python_package_holds_the_descriptor_set_of_these_sources() {
    let committed =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pyfront/ferroflow/_src/base/proto/descriptors.binpb");
    let committed = std::fs::read(committed).unwrap();
    assert!(
        committed == descriptor_set(),
        "stale descriptors.binpb: run `cargo run -p ferroflow-proto --bin write_descriptors`"
    );
}

#[test]
fn map_entries_encode_in_key_order_whatever_the_order_of_insertion() {
    let forward = node_with_attrs(&["dtype", "shape", "container"]).encode_to_vec();
    let backward = node_with_attrs(&["container", "shape", "dtype"]).encode_to_vec();
    assert_eq!(forward, backward);
    let position = |name: &[u8]| forward.windows(name.len()).position(|window| window == name).unwrap();
    assert!(position(b"container") < position(b"dtype"));
    assert!(position(b"dtype") < position(b"shape"));
}

#[test]
fn a_graph_decodes_from_its_documented_wire_bytes() {
    // GraphDef.node = 1 { NodeDef.name = 1 "a", NodeDef.op = 2 "NoOp" }
    let graph = GraphDef::decode(&b"\x0a\x09\x0a\x01a\x12\x04NoOp"[..]).unwrap();
    assert_eq!(graph.node.len(), 1);
    assert_eq!((graph.node[0].name.as_str(), graph.node[0].op.as_str()), ("a", "NoOp"));
}

#[test]
fn truncated_bytes_are_an_error() {
    assert!(GraphDef::decode(&b"\x0a\x09\x0a\x01a"[..]).is_err());
}
