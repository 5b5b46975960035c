//! `Recipe`: the op, attributes and inputs that made a dataset, from which another session makes it again.

use super::place::Use;
use super::saved::{Reader, Saved, Writer};
use super::value::DatasetValue;
use ferroflow_graph::{AttrValue, BuildError, Function, Functions, Graph, Library, Node, NodeSpec, OutputId, Registry};
use ferroflow_graph_def::{Nowhere, Request, Sources, graph_def, import};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::GraphDef;
use ferroflow_sync::RwLock;
use ferroflow_tensor::threads::ensure_stack;
use ferroflow_tensor::{Bytes, DType, Result, Status, Tensor, bail, ensure};
use smallvec::smallvec;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The origin of a dataset.
pub(super) struct Recipe {
    pub node: Arc<Node>,
    pub inputs: Vec<Tensor>,
    pub functions: Arc<dyn Functions>,
}

/// The name of the function that makes the dataset; its graph holds the datasets' nodes.
const MAIN: &str = "";

fn status(e: BuildError) -> Status {
    match e {
        BuildError::Value(message) | BuildError::Type(message) => Status::invalid_argument(message),
        BuildError::Status(status) => status,
    }
}

fn of(value: &DatasetValue) -> Result<&Arc<Recipe>> {
    let Some(recipe) = &value.recipe else {
        bail!(Unimplemented, "The position of an iterator over datasets made of windows cannot be saved")
    };
    Ok(recipe)
}

/// The graph that makes a dataset, while nodes are added.
struct Draft {
    graph: Graph,
    /// By recipe, because several datasets may use the same one.
    known: HashMap<*const Recipe, OutputId>,
}

impl Draft {
    fn node(&mut self, op: &str, name: &str, inputs: &[OutputId], attrs: Vec<(String, AttrValue)>) -> Result<OutputId> {
        let inputs = self.graph.group_inputs(op, &attrs, inputs).map_err(status)?;
        let mut unique = name.to_owned();
        let mut number = 0;
        while self.graph.find(&unique).is_some() {
            number += 1;
            unique = format!("{name}_{number}");
        }
        let spec = NodeSpec { op, name: &unique, inputs, control_inputs: Vec::new(), attrs, device: "" };
        self.graph.add_node(spec).map(|node| OutputId { node, index: 0 }).map_err(status)
    }

    fn constant(&mut self, value: &Tensor, user: &Node) -> Result<OutputId> {
        ensure!(
            !matches!(value.dtype(), DType::Resource | DType::Variant),
            InvalidArgument,
            "The position of the iterator cannot be saved, because {} uses a variable, a table or another resource. Pass \
             its value to the dataset instead.",
            user.name
        );
        let attrs = vec![
            ("dtype".to_owned(), AttrValue::Type(value.dtype())),
            ("value".to_owned(), AttrValue::Tensor(value.clone())),
        ];
        self.node("Const", &format!("{}/input", user.name), &[], attrs)
    }

    fn dataset(&mut self, recipe: &Arc<Recipe>) -> Result<OutputId> {
        ensure_stack("Datasets")?;
        if let Some(known) = self.known.get(&Arc::as_ptr(recipe)) {
            return Ok(*known);
        }
        let node = &recipe.node;
        let mut inputs = Vec::with_capacity(recipe.inputs.len());
        for input in &recipe.inputs {
            inputs.push(match DatasetValue::of(input) {
                Ok(value) => self.dataset(of(value)?)?,
                Err(_) => self.constant(input, node)?,
            });
        }
        let attrs = node.attrs.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
        let made = self.node(&node.op.name, &node.name, &inputs, attrs)?;
        self.known.insert(Arc::as_ptr(recipe), made);
        Ok(made)
    }
}

/// Lists the functions that an attribute names.
fn names<'a>(value: &'a AttrValue, found: &mut Vec<&'a str>) {
    match value {
        AttrValue::Func(f) => {
            found.push(&f.name);
            f.attrs.iter().for_each(|(_, value)| names(value, found));
        }
        AttrValue::List(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

/// Refuses functions whose results depend on more than their arguments: another session would go on differently.
///
/// `done` ends the message: the position cannot be saved or restored.
fn check_stateless(function: &Function, done: &str) -> Result<()> {
    for node in function.graph.read().nodes() {
        let op = &node.op;
        ensure!(
            !op.is_listed_stateful() || op.is_memoryless || op.only_checks,
            InvalidArgument,
            "The position of the iterator cannot be {done}, because function {} has the stateful op {} (node {}).",
            function.name,
            op.name,
            node.name
        );
    }
    Ok(())
}

/// Refuses nodes that are no constants or datasets, as no saved position has them in the function that makes its dataset.
fn check_datasets(main: &Function) -> Result<()> {
    for node in main.graph.read().nodes() {
        let is_dataset = !node.op.is_foreign && node.outputs.iter().all(|output| output.dtype == DType::Variant);
        ensure!(
            &*node.op.name == "Const" || (is_dataset && !node.outputs.is_empty()),
            InvalidArgument,
            "The position of the iterator cannot be restored, because its dataset has the op {} (node {}).",
            node.op.name,
            node.name
        );
    }
    Ok(())
}

/// Returns a function and all that its nodes call, the given one first.
fn with_callees(main: Function, functions: &dyn Functions) -> Result<Vec<Arc<Function>>> {
    let mut all = vec![Arc::new(main)];
    let mut seen = HashSet::new();
    let mut next = 0;
    while let Some(function) = all.get(next).cloned() {
        next += 1;
        let graph = function.graph.read();
        let mut found = Vec::new();
        graph.nodes().iter().flat_map(|node| node.attrs.iter()).for_each(|(_, value)| names(value, &mut found));
        for name in found {
            if seen.insert(name.to_owned()) {
                let callee = functions.definition(name)?;
                check_stateless(&callee, "saved")?;
                all.push(callee);
            }
        }
    }
    Ok(all)
}

/// Writes the recipe of a dataset, with the functions that it calls.
pub(super) fn save(value: &DatasetValue, to: &mut Writer) -> Result<()> {
    let recipe = of(value)?;
    let functions = &*recipe.functions;
    let mut draft = Draft { graph: Graph::new(functions.registry()?), known: HashMap::new() };
    let result = draft.dataset(recipe)?;
    let main = Function {
        name: MAIN.to_owned(),
        graph: Arc::new(RwLock::new(draft.graph)),
        arguments: Vec::new(),
        results: vec![result],
        effects: Vec::new(),
    };
    let all = with_callees(main, functions)?;
    value.dataset.site().number().put(to)?;
    all.len().put(to)?;
    for function in all {
        let graph = function.graph.read();
        let place = |o: &OutputId| -> Result<(String, u32)> { Ok((graph.node(o.node)?.name.to_string(), o.index)) };
        function.name.put(to)?;
        Bytes::from(graph_def(&graph)?.encode_to_vec()).put(to)?;
        function.arguments.iter().map(place).collect::<Result<Vec<_>>>()?.put(to)?;
        function.results.iter().map(place).collect::<Result<Vec<_>>>()?.put(to)?;
        let effects = function.effects.iter().map(|&id| -> Result<String> { Ok(graph.node(id)?.name.to_string()) });
        effects.collect::<Result<Vec<_>>>()?.put(to)?;
    }
    Ok(())
}

fn function(from: &mut Reader<'_>, registry: &Arc<Registry>) -> Result<Function> {
    let name = String::get(from)?;
    let message = Bytes::get(from)?;
    let message = GraphDef::decode(&message[..]).map_err(|_| from.damaged())?;
    let graph = RwLock::new(Graph::new(registry.clone()));
    let request = Request { message: &message, scope: "", sources: Sources::default(), producer: None };
    let imported = import(&graph, request, &mut Nowhere).map_err(status)?;
    let find = |name: &str| imported.find(name);
    let outputs = |from: &mut Reader<'_>| -> Result<Vec<OutputId>> {
        let places = <Vec<(String, u32)>>::get(from)?;
        let output = |(name, index): &(String, u32)| Some(OutputId { node: find(name)?, index: *index });
        places.iter().map(output).collect::<Option<_>>().ok_or_else(|| from.damaged())
    };
    let (arguments, results) = (outputs(from)?, outputs(from)?);
    let effects = <Vec<String>>::get(from)?;
    let effects = effects.iter().map(|name| find(name)).collect::<Option<_>>().ok_or_else(|| from.damaged())?;
    Ok(Function { name, graph: Arc::new(graph), arguments, results, effects })
}

/// Makes the dataset of a written recipe.
pub(super) fn restore(from: &mut Reader<'_>) -> Result<DatasetValue> {
    let session = from.session()?;
    let site = Use::of_number(u64::get(from)?);
    let registry = session.functions.registry()?;
    let library = Library::default();
    for _ in 0..from.count()? {
        let function = function(from, &registry)?;
        // Files of strangers must not run what no position contains, such as an op that writes files.
        if function.name == MAIN { check_datasets(&function) } else { check_stateless(&function, "restored") }?;
        library.add(function)?;
    }
    let functions = session.functions.beside(Arc::new(library))?;
    let results = functions.instance(MAIN)?.call(smallvec![], session.pull.cancellation)?;
    let [one] = &results[..] else { return Err(from.damaged()) };
    let value = DatasetValue::of(one)?.clone();
    Ok(DatasetValue { dataset: value.dataset.used(site), ..value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_graph::{Op, shape_rules};

    /// Returns a function with one node of that op.
    fn function(op: &str) -> Function {
        let mut registry = Registry::default();
        registry.add(Op::new("Numbers").output("handle: variant").stateful().shape(shape_rules::scalar));
        registry.add(Op::new("Write").output("count: int64").stateful().shape(shape_rules::scalar));
        registry.add(Op::new("Check").output("count: int64").only_checks().shape(shape_rules::scalar));
        registry.add(Op::new("Act").stateful().shape(shape_rules::unknown));
        let mut graph = Graph::new(Arc::new(registry));
        let spec =
            NodeSpec { op, name: "n", inputs: Vec::new(), control_inputs: Vec::new(), attrs: Vec::new(), device: "" };
        graph.add_node(spec).map_err(status).unwrap();
        let graph = Arc::new(RwLock::new(graph));
        Function { name: "f".to_owned(), graph, arguments: Vec::new(), results: Vec::new(), effects: Vec::new() }
    }

    #[test]
    fn what_makes_a_dataset_has_datasets_alone() {
        assert!(check_datasets(&function("Numbers")).is_ok());
        for op in ["Write", "Check", "Act"] {
            let message = check_datasets(&function(op)).unwrap_err();
            assert!(message.message().contains(&format!("has the op {op} (node n)")), "{message:?}");
        }
    }

    #[test]
    fn functions_of_positions_have_no_state() {
        assert!(check_stateless(&function("Check"), "saved").is_ok());
        for op in ["Write", "Act"] {
            let message = check_stateless(&function(op), "restored").unwrap_err();
            assert!(message.message().contains("cannot be restored"), "{message:?}");
        }
    }
}
