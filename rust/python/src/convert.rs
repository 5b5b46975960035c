//! NumPy arrays and Python scalars to tensors and back.

use crate::error::status;
use crate::lender::Lender;
use ferroflow_tensor::{Buffer, Bytes, DType, Shape, Tensor, dispatch};
use numpy::npyffi::{self, NPY_ARRAY_WRITEABLE, PY_ARRAY_API};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString};
use std::ptr::NonNull;

/// Returns the dtype of NumPy arrays with this descriptor; `None` for objects, text and kinds that have no counterpart.
pub fn dtype_of(descr: &Bound<'_, PyArrayDescr>) -> Option<DType> {
    Some(match (descr.kind(), descr.itemsize()) {
        (b'f', 4) => DType::F32,
        (b'f', 8) => DType::F64,
        (b'f', 2) => DType::F16,
        (b'i', 1) => DType::I8,
        (b'i', 2) => DType::I16,
        (b'i', 4) => DType::I32,
        (b'i', 8) => DType::I64,
        (b'u', 1) => DType::U8,
        (b'u', 2) => DType::U16,
        (b'u', 4) => DType::U32,
        (b'u', 8) => DType::U64,
        (b'b', 1) => DType::Bool,
        (b'c', 8) => DType::Complex64,
        (b'c', 16) => DType::Complex128,
        (b'V', 2) if descr.str().is_ok_and(|s| s == "bfloat16") => DType::BF16,
        _ => return None,
    })
}

fn numpy_module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || py.import("numpy").map(Bound::unbind)).map(|m| m.bind(py))
}

/// Returns NumPy's descriptor of a dtype's arrays (objects for strings).
pub fn descr(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyArrayDescr>> {
    let plain = dispatch!(dtype, T in [F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, Complex64, Complex128],
        Some(numpy::dtype::<T>(py)), else None);
    if let Some(d) = plain {
        return Ok(d);
    }
    match dtype {
        DType::F16 => PyArrayDescr::new(py, "float16"),
        DType::String => PyArrayDescr::new(py, "object"),
        DType::QI8 => PyArrayDescr::new(py, "int8"),
        DType::QU8 => PyArrayDescr::new(py, "uint8"),
        DType::QI16 => PyArrayDescr::new(py, "int16"),
        DType::QU16 => PyArrayDescr::new(py, "uint16"),
        DType::QI32 => PyArrayDescr::new(py, "int32"),
        DType::BF16 => {
            let ml = py.import("ml_dtypes").map_err(|_| {
                PyTypeError::new_err("a bfloat16 array needs the package ml_dtypes (pip install ml_dtypes)")
            })?;
            PyArrayDescr::new(py, ml.getattr("bfloat16")?)
        }
        _ => Err(PyTypeError::new_err(format!("tensors of type {} have no NumPy counterpart", dtype.name()))),
    }
}

/// Returns a tensor of an array's elements. With `lend`, contiguous aligned arrays are not copied: the tensor keeps the
/// array alive and reads it where it is.
pub fn from_array(array: &Bound<'_, PyUntypedArray>, lend: bool) -> PyResult<Tensor> {
    let py = array.py();
    let Some(dtype) = dtype_of(&array.dtype()) else {
        return from_text_array(array);
    };
    let swapped = array.dtype().byteorder() == b'>' && cfg!(target_endian = "little");
    if !array.is_c_contiguous() || swapped {
        // Not `ascontiguousarray`, which makes 0-d arrays 1-d.
        let copy = numpy_module(py)?.call_method1("asarray", (array, descr(py, dtype)?, "C"))?;
        return from_array(copy.cast::<PyUntypedArray>()?, lend);
    }
    let shape = Shape::new(array.shape());
    let bytes = shape.elements() * dtype.size();
    // SAFETY: `array` is a live ndarray; the field holds its data pointer.
    let data = unsafe { (*array.as_array_ptr()).fields.data }.cast::<u8>();
    if dtype == DType::Bool {
        // A NumPy bool may be any byte (a view of other data); a Rust bool may not.
        let mut t = Tensor::new(dtype, shape).map_err(status)?;
        // SAFETY: a C-contiguous array of `bytes` bytes, alive during the call; null only where there are none.
        let from =
            unsafe { std::slice::from_raw_parts(if bytes == 0 { NonNull::dangling().as_ptr() } else { data }, bytes) };
        for (to, from) in t.slice_mut::<bool>().map_err(status)?.iter_mut().zip(from) {
            *to = *from != 0;
        }
        return Ok(t);
    }
    if lend
        && bytes >= 1024
        && data.addr().is_multiple_of(8)
        && let Some(ptr) = NonNull::new(data)
    {
        let owner = Lender::new(array);
        // SAFETY: a C-contiguous array of `bytes` bytes, kept alive by `owner`. A program that writes an array in one
        // thread while a step of another reads it has a data race, as in TensorFlow. The step's result is not certain
        // then.
        let buffer = unsafe { Buffer::lent(ptr, bytes, Box::new(owner)) };
        return Tensor::from_buffer(dtype, shape, buffer).map_err(status);
    }
    let mut t = Tensor::new(dtype, shape).map_err(status)?;
    let copied = dispatch!(dtype, T in plain, {
        let out = t.slice_mut::<T>().map_err(status)?;
        // SAFETY: the array is C-contiguous with `out.len()` elements of T's size; a byte copy needs no alignment.
        unsafe { std::ptr::copy_nonoverlapping(data, out.as_mut_ptr().cast::<u8>(), bytes) };
        true
    }, else false);
    debug_assert!(copied);
    Ok(t)
}

/// Returns elements of an object or text array as strings: bytes as they are, text in UTF-8.
fn from_text_array(array: &Bound<'_, PyUntypedArray>) -> PyResult<Tensor> {
    let shape = Shape::new(array.shape());
    let flat = array.as_any().call_method0("ravel")?.call_method0("tolist")?;
    let mut strings: Vec<Bytes> = Vec::with_capacity(shape.elements());
    for item in flat.try_iter()? {
        let item = item?;
        if let Ok(b) = item.cast::<PyBytes>() {
            strings.push(b.as_bytes().into());
        } else if let Ok(s) = item.cast::<PyString>() {
            strings.push(s.to_str()?.as_bytes().into());
        } else {
            return Err(PyTypeError::new_err(format!(
                "Unsupported object type {} in an array of dtype {}",
                item.get_type().name()?,
                array.dtype().str()?
            )));
        }
    }
    Tensor::from_strings(shape, strings).map_err(status)
}

/// Keeps a tensor's memory alive for the NumPy array that shows it.
#[pyclass(frozen)]
struct Memory {
    _tensor: Tensor,
}

/// Returns the value of a fetch: a NumPy scalar for rank 0 (bytes for a string), otherwise an array. The array takes
/// over the tensor's memory if nothing else refers to it, and is a copy otherwise.
pub fn to_python(py: Python<'_>, mut tensor: Tensor) -> PyResult<Py<PyAny>> {
    let dtype = tensor.dtype();
    if dtype == DType::String {
        return strings_to_python(py, &tensor);
    }
    if tensor.rank() == 0 {
        return scalar_to_python(py, &tensor);
    }
    tensor.make_unique().map_err(status)?;
    let descr = descr(py, dtype)?;
    let mut dims: Vec<npyffi::npy_intp> = tensor.shape().iter().map(|&d| d as npyffi::npy_intp).collect();
    let inline = tensor.buffer().is_none();
    // SAFETY: NumPy's C API is called with the GIL held; the descriptor reference is given away as the call demands.
    // The data pointer is either null (NumPy allocates) or stays valid while the base object, set below, lives.
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type),
            descr.into_dtype_ptr(),
            dims.len() as i32,
            dims.as_mut_ptr(),
            std::ptr::null_mut(),
            if inline { std::ptr::null_mut() } else { tensor.data_ptr().cast_mut().cast() },
            if inline { 0 } else { NPY_ARRAY_WRITEABLE },
            std::ptr::null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, array)?;
        let raw = array.as_ptr().cast::<npyffi::PyArrayObject>();
        if inline {
            if let Some(bytes) = tensor.bytes() {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), (*raw).fields.data.cast(), bytes.len());
            }
        } else {
            let base = Bound::new(py, Memory { _tensor: tensor })?;
            if PY_ARRAY_API.PyArray_SetBaseObject(py, raw, base.into_ptr()) < 0 {
                return Err(PyErr::fetch(py));
            }
        }
        Ok(array.unbind())
    }
}

fn scalar_to_python(py: Python<'_>, tensor: &Tensor) -> PyResult<Py<PyAny>> {
    let descr = descr(py, tensor.dtype())?;
    let Some(bytes) = tensor.bytes() else { return Err(PyTypeError::new_err("no plain elements")) };
    let mut raw = [0u64; 2];
    // SAFETY: a scalar of a plain dtype has at most 16 bytes, which are copied to aligned memory. NumPy's API is called
    // with the GIL held and borrows descriptor and data.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), raw.as_mut_ptr().cast::<u8>(), bytes.len().min(16));
        let scalar =
            PY_ARRAY_API.PyArray_Scalar(py, raw.as_mut_ptr().cast(), descr.as_dtype_ptr(), std::ptr::null_mut());
        Ok(Bound::from_owned_ptr_or_err(py, scalar)?.unbind())
    }
}

fn strings_to_python(py: Python<'_>, tensor: &Tensor) -> PyResult<Py<PyAny>> {
    let strings = tensor.strings().map_err(status)?;
    if let ([one], 0) = (strings, tensor.rank()) {
        return Ok(PyBytes::new(py, one).into_any().unbind());
    }
    let array = numpy_module(py)?.call_method1("empty", (tensor.shape().to_i64(), "object"))?;
    let flat = array.call_method1("reshape", (-1,))?;
    for (i, s) in strings.iter().enumerate() {
        flat.set_item(i, PyBytes::new(py, s))?;
    }
    Ok(array.unbind())
}

/// Returns a tensor of `dtype` from a plain Python or NumPy scalar or an array of that very dtype. `None` where the
/// value needs NumPy's conversion rules.
pub fn quick_tensor(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Tensor>> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        if dtype_of(&array.dtype()) == Some(dtype) {
            return from_array(array, true).map(Some);
        }
        return Ok(None);
    }
    if value.is_exact_instance_of::<pyo3::types::PyFloat>() {
        let x: f64 = value.extract()?;
        return Ok(match dtype {
            DType::F32 => Some(Tensor::scalar(x as f32)),
            DType::F64 => Some(Tensor::scalar(x)),
            _ => None,
        });
    }
    if value.is_exact_instance_of::<pyo3::types::PyInt>() {
        let Ok(x) = value.extract::<i64>() else { return Ok(None) };
        return Ok(match dtype {
            DType::I32 => i32::try_from(x).ok().map(Tensor::scalar),
            DType::I64 => Some(Tensor::scalar(x)),
            DType::F32 if x.abs() <= 1 << 24 => Some(Tensor::scalar(x as f32)),
            DType::F64 if x.abs() <= 1 << 53 => Some(Tensor::scalar(x as f64)),
            _ => None,
        });
    }
    if value.is_exact_instance_of::<pyo3::types::PyBool>() {
        return (dtype == DType::Bool).then(|| value.extract().map(Tensor::scalar::<bool>)).transpose();
    }
    numpy_scalar(value, dtype)
}

/// Returns NumPy scalars of the very dtype (`np.float32(2)`).
fn numpy_scalar(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Tensor>> {
    let py = value.py();
    static GENERIC: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let generic = GENERIC.get_or_try_init(py, || numpy_module(py)?.getattr("generic").map(Bound::unbind))?;
    if !dtype.is_plain() || !value.is_instance(generic.bind(py))? {
        return Ok(None);
    }
    // SAFETY: NumPy's API with the GIL held. The descriptor it returns is a new reference. The value is copied into 16
    // aligned bytes only if its type has at most that size.
    unsafe {
        let raw_descr = PY_ARRAY_API.PyArray_DescrFromScalar(py, value.as_ptr());
        let own: Bound<'_, PyAny> = Bound::from_owned_ptr_or_err(py, raw_descr.cast())?;
        let own = own.cast_into::<PyArrayDescr>()?;
        if dtype_of(&own) != Some(dtype) || dtype.size() > 16 {
            return Ok(None);
        }
        let mut raw = [0u64; 2];
        PY_ARRAY_API.PyArray_ScalarAsCtype(py, value.as_ptr(), raw.as_mut_ptr().cast());
        Ok(dispatch!(dtype, T in plain, Some(Tensor::scalar(raw.as_ptr().cast::<T>().read())), else None))
    }
}

/// Returns a tensor of `dtype` from anything NumPy makes an array of.
pub fn tensor_of(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Tensor> {
    if let Some(t) = quick_tensor(value, dtype)? {
        return Ok(t);
    }
    let py = value.py();
    let array = numpy_module(py)?.call_method1("asarray", (value, descr(py, dtype)?))?;
    let tensor = from_array(array.cast::<PyUntypedArray>()?, true)?;
    // Quantized numbers are whole numbers to NumPy.
    let is_quantized = matches!(dtype, DType::QI8 | DType::QU8 | DType::QI16 | DType::QU16 | DType::QI32);
    if is_quantized { tensor.bitcast_same_size(dtype).map_err(status) } else { Ok(tensor) }
}

/// Returns wire dimensions as Python sees them: a tuple with None for unknown ones, or None for unknown rank.
pub fn shape_to_python(py: Python<'_>, dims: Option<&[i64]>) -> PyResult<Py<PyAny>> {
    let Some(dims) = dims else { return Ok(py.None()) };
    let items = dims.iter().map(|&d| (d >= 0).then_some(d));
    Ok(pyo3::types::PyTuple::new(py, items)?.into_any().unbind())
}

/// Returns the inverse: None, or a sequence of ints and Nones, or an object with `as_list` (a TensorShape).
pub fn shape_from_python(value: &Bound<'_, PyAny>) -> PyResult<ferroflow_tensor::PartialShape> {
    use ferroflow_tensor::PartialShape;
    if value.is_none() {
        return Ok(PartialShape::unknown());
    }
    if value.hasattr("as_list")? {
        if value.getattr("ndims")?.is_none() {
            return Ok(PartialShape::unknown());
        }
        return shape_from_python(&value.call_method0("as_list")?);
    }
    let mut dims = Vec::new();
    for item in value.try_iter()? {
        let item = item?;
        let d: Option<i64> = if item.is_none() { None } else { Some(item.extract()?) };
        dims.push(d.filter(|d| *d >= 0).unwrap_or(-1));
    }
    Ok(PartialShape::from_wire(Some(&dims)))
}
