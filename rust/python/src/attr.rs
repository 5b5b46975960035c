//! Attribute values to Python and back, by the kind that the op's schema declares.

use crate::convert::{self, from_array, shape_from_python, shape_to_python};
use ferroflow_graph::{AttrDef, AttrKind, AttrMap, AttrValue, Func};
use ferroflow_tensor::DType;
use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

fn dtype_from_python(value: &Bound<'_, PyAny>) -> PyResult<DType> {
    let number: i32 = match value.getattr("as_datatype_enum") {
        Ok(n) => n.extract()?,
        Err(_) => value.extract()?,
    };
    let base = if number > 100 { number - 100 } else { number };
    DType::from_number(base).ok_or_else(|| PyTypeError::new_err(format!("{number} is not a DataType")))
}

fn one(kind: AttrKind, value: &Bound<'_, PyAny>) -> PyResult<AttrValue> {
    Ok(match kind {
        // TF 1.x: the whole part of a float, such as 2e7.
        AttrKind::Int if value.is_instance_of::<PyFloat>() => AttrValue::Int(value.call_method0("__int__")?.extract()?),
        AttrKind::Int => AttrValue::Int(value.extract()?),
        AttrKind::Float => AttrValue::Float(value.extract::<f64>()? as f32),
        AttrKind::Bool => AttrValue::Bool(value.extract()?),
        AttrKind::Str => match value.cast::<PyBytes>() {
            Ok(b) => AttrValue::Str(b.as_bytes().to_vec()),
            Err(_) => AttrValue::Str(value.extract::<String>()?.into_bytes()),
        },
        AttrKind::Type => AttrValue::Type(dtype_from_python(value)?),
        AttrKind::Shape => AttrValue::Shape(shape_from_python(value)?),
        AttrKind::Tensor => AttrValue::Tensor(from_array(value.cast::<PyUntypedArray>()?, false)?),
        AttrKind::Func => AttrValue::Func(Func { name: value.extract()?, attrs: AttrMap::default() }),
    })
}

/// Returns a value for the attribute `def`.
///
/// Errors: `TypeError` where the value is not of the attribute's kind.
pub fn from_python(op: &str, def: &AttrDef, value: &Bound<'_, PyAny>) -> PyResult<AttrValue> {
    let convert = || -> PyResult<AttrValue> {
        if !def.is_list {
            return one(def.kind, value);
        }
        // TF 1.x: a list or a tuple, no other sequence.
        if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
            return Err(PyTypeError::new_err("it is neither a list nor a tuple"));
        }
        let items = value.try_iter()?.map(|item| one(def.kind, &item?)).collect::<PyResult<_>>()?;
        Ok(AttrValue::List(items))
    };
    convert().map_err(|e| {
        let got = value.repr().map_or_else(|_| "?".to_owned(), |r| r.to_string());
        PyTypeError::new_err(format!(
            "Expected {} for argument '{}' of op {op}, not {got}. ({e})",
            def.type_name(),
            def.name
        ))
    })
}

/// Returns a value for an attribute outside the schema (`_class`, `_output_shapes` ...), by its Python type.
pub fn from_python_untyped(name: &str, value: &Bound<'_, PyAny>) -> PyResult<AttrValue> {
    if let Ok(b) = value.cast::<PyBool>() {
        return Ok(AttrValue::Bool(b.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(AttrValue::Int(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(AttrValue::Float(value.extract::<f64>()? as f32));
    }
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return one(AttrKind::Str, value);
    }
    if value.is_instance_of::<PyList>() {
        let item = |item: PyResult<Bound<'_, PyAny>>| match item? {
            list if list.is_instance_of::<PyList>() => {
                Err(PyTypeError::new_err(format!("attr '{name}' is a list of lists, which no attribute can hold")))
            }
            item => from_python_untyped(name, &item),
        };
        return Ok(AttrValue::List(value.try_iter()?.map(item).collect::<PyResult<_>>()?));
    }
    if value.hasattr("as_datatype_enum")? {
        return Ok(AttrValue::Type(dtype_from_python(value)?));
    }
    if value.hasattr("as_list")? {
        return Ok(AttrValue::Shape(shape_from_python(value)?));
    }
    Err(PyTypeError::new_err(format!("attr '{name}' has a value of unsupported type {}", value.get_type().name()?)))
}

/// Returns (kind word, value): types as numbers, shapes as tuples, tensors as arrays, lists with their items' kind in
/// the word.
pub fn to_python<'py>(py: Python<'py>, value: &AttrValue) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
    let plain = match value {
        AttrValue::Int(n) => n.into_pyobject(py)?.into_any(),
        AttrValue::Float(x) => f64::from(*x).into_pyobject(py)?.into_any(),
        AttrValue::Bool(b) => PyBool::new(py, *b).to_owned().into_any(),
        AttrValue::Str(s) => PyBytes::new(py, s).into_any(),
        AttrValue::Type(t) => t.number().into_pyobject(py)?.into_any(),
        AttrValue::Shape(s) => shape_to_python(py, s.to_wire())?.into_bound(py),
        AttrValue::Tensor(t) => crate::attr::tensor_value(py, t)?,
        AttrValue::Func(f) => {
            let attrs = PyDict::new(py);
            for (n, v) in f.attrs.iter() {
                attrs.set_item(n, to_python(py, v)?)?;
            }
            (f.name.as_str(), attrs).into_pyobject(py)?.into_any()
        }
        AttrValue::List(items) => {
            let converted: Vec<_> = items.iter().map(|v| to_python(py, v)).collect::<PyResult<_>>()?;
            let list = PyList::new(py, converted.into_iter().map(|(_, v)| v))?;
            return Ok((list_word(items), list.into_any()));
        }
    };
    Ok((value.kind_name(), plain))
}

fn list_word(items: &[AttrValue]) -> &'static str {
    match items.first() {
        None => "list()",
        Some(AttrValue::Int(_)) => "list(int)",
        Some(AttrValue::Float(_)) => "list(float)",
        Some(AttrValue::Bool(_)) => "list(bool)",
        Some(AttrValue::Str(_)) => "list(string)",
        Some(AttrValue::Type(_)) => "list(type)",
        Some(AttrValue::Shape(_)) => "list(shape)",
        Some(AttrValue::Tensor(_)) => "list(tensor)",
        Some(AttrValue::Func(_)) => "list(func)",
        Some(AttrValue::List(_)) => "list(list)",
    }
}

/// Returns a tensor attribute as an array (rank 0 too).
pub fn tensor_value<'py>(py: Python<'py>, t: &ferroflow_tensor::Tensor) -> PyResult<Bound<'py, PyAny>> {
    let value = to_python_copy(py, t)?;
    py.import("numpy")?.call_method1("asarray", (value,))
}

fn to_python_copy(py: Python<'_>, t: &ferroflow_tensor::Tensor) -> PyResult<Py<PyAny>> {
    convert::to_python(py, t.clone())
}
