//! `TensorList`: the value, and arithmetic of values of type variant.

use ferroflow_tensor::threads::{Threads, ensure_stack};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{DType, Object, Result, Shape, Tensor, elementwise, ensure};

/// Tensors of one type.
#[derive(Clone)]
pub(super) struct TensorList {
    pub dtype: DType,
    pub elements: Vec<Tensor>,
}

impl TensorList {
    pub fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_objects(DType::Variant, Shape::scalar(), vec![Object::new(self)])
    }

    /// Returns the list that a variant scalar holds.
    ///
    /// Errors: `InvalidArgument` where it holds something else.
    pub fn of(t: &Tensor) -> Result<&TensorList> {
        let objects = t.objects()?;
        let list = objects.first().and_then(Object::get::<TensorList>);
        ensure!(objects.len() == 1, InvalidArgument, "A list must be a scalar, but has shape {}", t.shape());
        list.ok_or_else(|| {
            ferroflow_tensor::Status::invalid_argument("The input handle is not a list; a list of tensors is needed")
        })
    }

    /// Changes a list in place where nothing else refers to it, else a copy of it (which shares the elements).
    pub fn update<R>(t: &mut Tensor, f: impl FnOnce(&mut TensorList) -> Result<R>) -> Result<R> {
        TensorList::of(t)?;
        if let [object] = t.objects_mut()? {
            if let Some(list) = object.get_mut::<TensorList>() {
                return f(list);
            }
            if let Some(list) = object.get::<TensorList>() {
                let mut own = list.clone();
                let result = f(&mut own)?;
                *object = Object::new(own);
                return Ok(result);
            }
        }
        Err(ferroflow_tensor::Status::internal("a list changed its kind"))
    }
}

/// Zeros like a tensor; of a list, the list of its elements' zeros.
pub(crate) fn zeros_like(t: &Tensor) -> Result<Tensor> {
    if t.dtype() != DType::Variant {
        return Tensor::zeros(t.dtype(), t.shape().clone());
    }
    let list = TensorList::of(t)?;
    let elements = list.elements.iter().map(zeros_like).collect::<Result<_>>()?;
    TensorList { dtype: list.dtype, elements }.into_tensor()
}

/// Returns the sum of two tensors of one shape; of lists, element by element.
///
/// Errors: `InvalidArgument` for lists of unequal lengths or types.
pub(crate) fn sum(a: &Tensor, b: &Tensor, threads: Threads) -> Result<Tensor> {
    if a.dtype() != DType::Variant {
        return elementwise::binary(Binary::Add, a.clone(), b.clone(), threads);
    }
    ensure_stack("Lists")?;
    let (x, y) = (TensorList::of(a)?, TensorList::of(b)?);
    ensure!(x.dtype == y.dtype, InvalidArgument, "Lists of {} and {} cannot be added", x.dtype.name(), y.dtype.name());
    ensure!(
        x.elements.len() == y.elements.len(),
        InvalidArgument,
        "Trying to add two lists of tensors with different lengths: {} and {}",
        x.elements.len(),
        y.elements.len()
    );
    let elements = x.elements.iter().zip(&y.elements).map(|(p, q)| sum(p, q, threads)).collect::<Result<_>>()?;
    TensorList { dtype: x.dtype, elements }.into_tensor()
}
