//! The parts of an op's schema that Python needs to convert arguments: read once per op, then kept there.

use crate::attr::to_python;
use crate::graph::registry;
use ferroflow_graph::{ArgDef, ArgType};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

fn arg<'py>(py: Python<'py>, a: &ArgDef) -> PyResult<Bound<'py, PyDict>> {
    let d = PyDict::new(py);
    d.set_item("name", &*a.name)?;
    match &a.ty {
        ArgType::Fixed(t) => d.set_item("type", t.number())?,
        ArgType::Attr(n) => d.set_item("type_attr", &**n)?,
    }
    d.set_item("is_ref", a.is_ref)?;
    d.set_item("is_list", a.is_list())?;
    d.set_item("is_type_list", a.is_type_list)?;
    d.set_item("number_attr", a.number_attr.as_deref())?;
    Ok(d)
}

/// Returns the schema of an op, a dict. `inputs` and `outputs` are dicts of name, type or type_attr, is_ref, is_list,
/// number_attr. `attrs` are dicts of name, type, default, allowed_types. The others are `is_stateful` and `doc`.
/// KeyError for an unknown op.
#[pyfunction]
pub fn op_info<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let registry = registry()?;
    let op = registry.get(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    let info = PyDict::new(py);
    let inputs = op.inputs.iter().map(|a| arg(py, a)).collect::<PyResult<Vec<_>>>()?;
    let outputs = op.outputs.iter().map(|a| arg(py, a)).collect::<PyResult<Vec<_>>>()?;
    let attrs = PyList::empty(py);
    for a in &op.attrs {
        let d = PyDict::new(py);
        d.set_item("name", &*a.name)?;
        d.set_item("type", a.type_name())?;
        d.set_item("has_default", a.default.is_some())?;
        if let Some(v) = &a.default {
            d.set_item("default", to_python(py, v)?.1)?;
        }
        d.set_item("allowed_types", a.allowed_types.iter().map(|t| t.number()).collect::<Vec<_>>())?;
        d.set_item("allowed_strings", a.allowed_strings.clone())?;
        d.set_item("minimum", a.minimum)?;
        attrs.append(d)?;
    }
    info.set_item("name", name)?;
    info.set_item("inputs", inputs)?;
    info.set_item("outputs", outputs)?;
    info.set_item("attrs", attrs)?;
    info.set_item("is_stateful", op.is_listed_stateful())?;
    info.set_item("has_effects", op.is_stateful)?;
    info.set_item("is_commutative", op.is_commutative)?;
    info.set_item("is_aggregate", op.is_aggregate)?;
    info.set_item("has_kernel", op.kernel.is_some())?;
    info.set_item("doc", op.doc)?;
    Ok(info)
}

/// Returns the names of all ops that programs may build, sorted; ops that the engine puts into parts of steps are not
/// among them.
#[pyfunction]
pub fn op_names() -> PyResult<Vec<String>> {
    let registry = registry()?;
    let names = registry.sorted().into_iter().map(|op| op.name.to_string());
    Ok(names.filter(|name| !name.starts_with('_')).collect())
}
