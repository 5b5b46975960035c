//! `TensorList`: the value, and arithmetic of values of type variant.

use crate::array::rows::MAX_PARTS;
use ferroflow_tensor::threads::{Threads, ensure_stack};
use ferroflow_tensor::vector::Binary;
use ferroflow_tensor::{DType, Object, PartialShape, Result, Shape, Status, Tensor, bail, elementwise, ensure};

/// Tensors of one type.
#[derive(Clone)]
pub(super) struct TensorList {
    pub dtype: DType,
    /// The shape of every element, as far as it is known.
    pub element_shape: PartialShape,
    /// `None` at a place that has no value yet: it counts as zeros of the element shape.
    pub elements: Vec<Option<Tensor>>,
}

impl TensorList {
    pub fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_objects(DType::Variant, Shape::scalar(), vec![Object::new(self)])
    }

    /// Returns a list with as many places, without values, as a scalar states.
    pub fn reserved(dtype: DType, element_shape: PartialShape, count: &Tensor) -> Result<TensorList> {
        let mut list = TensorList { dtype, element_shape, elements: Vec::new() };
        list.resize(count)?;
        Ok(list)
    }

    /// Returns the list that a variant scalar holds.
    ///
    /// Errors: `InvalidArgument` where it holds something else.
    pub fn of(t: &Tensor) -> Result<&TensorList> {
        let objects = t.objects()?;
        let list = objects.first().and_then(Object::get::<TensorList>);
        ensure!(objects.len() == 1, InvalidArgument, "A list must be a scalar, but has shape {}", t.shape());
        list.ok_or_else(|| Status::invalid_argument("The input handle is not a list; a list of tensors is needed"))
    }

    /// Returns the list that a variant scalar holds, if its elements have the type.
    ///
    /// Errors: `InvalidArgument` where it holds something else.
    pub fn of_type(t: &Tensor, dtype: DType) -> Result<&TensorList> {
        let list = TensorList::of(t)?;
        list.check_dtype(dtype)?;
        Ok(list)
    }

    pub fn check_dtype(&self, dtype: DType) -> Result<()> {
        ensure!(
            self.dtype == dtype,
            InvalidArgument,
            "Invalid data types; op elements {} but list elements {}",
            dtype.name(),
            self.dtype.name()
        );
        Ok(())
    }

    /// Returns a place of the list, if it exists.
    pub fn place(&self, index: &Tensor) -> Result<usize> {
        let given = scalar(index, "index")?;
        match usize::try_from(given) {
            Ok(place) if place < self.elements.len() => Ok(place),
            _ => bail!(
                InvalidArgument,
                "Trying to access element {given} in a list with {} elements.",
                self.elements.len()
            ),
        }
    }

    /// Gives the list as many places as a scalar states.
    pub fn resize(&mut self, size: &Tensor) -> Result<()> {
        let given = scalar(size, "size")?;
        ensure!(given >= 0, InvalidArgument, "TensorListSlice expects size to be non-negative. Got: {given}");
        let size = given as usize;
        ensure!(size <= MAX_PARTS, ResourceExhausted, "A list of {size} elements: at most {MAX_PARTS}");
        self.elements.resize(size, None);
        Ok(())
    }

    /// Returns the shape that elements have without a value.
    ///
    /// It is the list's own, merged with `given`; if these do not decide it, also with those of some elements.
    ///
    /// Errors: `InvalidArgument` if nothing decides it, or shapes contradict each other.
    pub fn shape_of_zeros<'a>(
        &self,
        given: &PartialShape,
        others: impl IntoIterator<Item = &'a Option<Tensor>>,
    ) -> Result<Shape> {
        let mut shape = self.element_shape.merge(given)?;
        if !shape.is_fully_known() {
            for element in others.into_iter().flatten() {
                shape = shape.merge(&PartialShape::from(element.shape()))?;
            }
        }
        shape.to_shape().ok_or_else(|| {
            Status::invalid_argument(format!(
                "Trying to read an uninitialized tensor but element_shape is not fully defined: {shape}"
            ))
        })
    }

    /// Returns the elements at some places; those without a value share one tensor of zeros.
    pub fn elements_at(&self, places: &[usize], given: &PartialShape) -> Result<Vec<Tensor>> {
        let mut zeros: Option<Tensor> = None;
        let element = |&place: &usize| match (&self.elements[place], &zeros) {
            (Some(value), _) | (None, Some(value)) => Ok(value.clone()),
            (None, None) => {
                let others = places.iter().map(|&other| &self.elements[other]);
                let made = Tensor::zeros(self.dtype, self.shape_of_zeros(given, others)?)?;
                Ok(zeros.insert(made).clone())
            }
        };
        places.iter().map(element).collect()
    }

    /// Errors: `InvalidArgument` if a tensor cannot be an element; `action` says what was tried.
    pub fn check_element(&self, element: &Tensor, action: &str) -> Result<()> {
        ensure!(
            self.element_shape.is_compatible_with(&PartialShape::from(element.shape())),
            InvalidArgument,
            "Tried to {action}. Op element shape: {} list shape: {}",
            element.shape(),
            self.element_shape
        );
        Ok(())
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
        Err(Status::internal("a list changed its kind"))
    }
}

/// Returns the number of a scalar int32.
fn scalar(t: &Tensor, name: &str) -> Result<i64> {
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be a scalar, got shape {}", t.shape());
    Ok(i64::from(t.to_scalar::<i32>()?))
}

/// Returns the shape that an input states: dimensions, of which -1 is any; or the scalar -1 for any shape.
pub(super) fn stated_shape(t: &Tensor) -> Result<PartialShape> {
    let dims = t.to_i64s()?;
    if t.rank() == 0 {
        ensure!(
            dims == [-1],
            InvalidArgument,
            "The only valid scalar shape tensor is the fully unknown shape specified as -1."
        );
        return Ok(PartialShape::unknown());
    }
    ensure!(t.rank() == 1, InvalidArgument, "A shape must be a vector or -1, got shape {}", t.shape());
    ensure!(dims.iter().all(|&d| d >= -1), InvalidArgument, "A shape has no dimension below -1, got {dims:?}");
    Ok(PartialShape::from_wire(Some(&dims)))
}

/// Zeros like a tensor; of a list, the list of its elements' zeros.
pub(crate) fn zeros_like(t: &Tensor) -> Result<Tensor> {
    if t.dtype() != DType::Variant {
        return Tensor::zeros(t.dtype(), t.shape().clone());
    }
    let list = TensorList::of(t)?;
    let zeros = |e: &Option<Tensor>| e.as_ref().map(zeros_like).transpose();
    let elements = list.elements.iter().map(zeros).collect::<Result<_>>()?;
    TensorList { dtype: list.dtype, element_shape: list.element_shape.clone(), elements }.into_tensor()
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
    let added = |(p, q): (&Option<Tensor>, &Option<Tensor>)| match (p, q) {
        (Some(p), Some(q)) => sum(p, q, threads).map(Some),
        // A place without a value counts as zeros.
        (one, other) => Ok(one.as_ref().or(other.as_ref()).cloned()),
    };
    let elements = x.elements.iter().zip(&y.elements).map(added).collect::<Result<_>>()?;
    let element_shape = x.element_shape.merge(&y.element_shape)?;
    TensorList { dtype: x.dtype, element_shape, elements }.into_tensor()
}
