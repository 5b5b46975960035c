//! The names that imported nodes get.

use ferroflow_graph::Graph;
use ferroflow_proto::tensorflow::NodeDef;
use rustc_hash::FxHashSet;

/// Returns each node's name in the graph: with `scope` before it, and a number behind it if a node or a scope has that
/// name.
pub fn names(graph: &Graph, nodes: &[NodeDef], scope: &str) -> Vec<String> {
    let scopes = scopes_of(graph);
    let is_free = |name: &str| graph.find(name).is_none() && !scopes.contains(name);
    let mut names: Vec<String> = nodes.iter().map(|node| format!("{scope}{}", node.name)).collect();
    if names.iter().all(|name| is_free(name)) {
        return names;
    }
    let mut taken: FxHashSet<String> = names.iter().cloned().collect();
    for name in &mut names {
        if is_free(name) {
            continue;
        }
        let mut count = 1;
        let mut numbered = format!("{name}_{count}");
        while !is_free(&numbered) || taken.contains(&numbered) {
            count += 1;
            numbered = format!("{name}_{count}");
        }
        taken.insert(numbered.clone());
        *name = numbered;
    }
    names
}

/// Returns the scopes that the graph's nodes are in.
fn scopes_of(graph: &Graph) -> FxHashSet<&str> {
    let mut scopes = FxHashSet::default();
    for node in graph.nodes() {
        let mut name: &str = &node.name;
        while let Some((scope, _)) = name.rsplit_once('/') {
            if !scopes.insert(scope) {
                break;
            }
            name = scope;
        }
    }
    scopes
}
