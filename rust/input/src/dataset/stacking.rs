//! Elements stacked to a batch, and rows cut from one; of every type, variants too.

use super::value::Element;
use ferroflow_tensor::threads::{Threads, for_chunks_mut};
use ferroflow_tensor::{DType, Result, Shape, Tensor, by_size, ensure};

/// Bytes from which one batch is copied by several threads.
const PARALLEL_BYTES: usize = 1 << 20;

/// Returns the elements stacked component by component along a new first dimension. There is at least one.
///
/// Errors: `InvalidArgument` where shapes differ.
pub(super) fn stack(elements: &[Element], threads: Threads) -> Result<Element> {
    let Some(first) = elements.first() else { return Ok(Element::new()) };
    let mut batch = Element::with_capacity(first.len());
    for (c, pattern) in first.iter().enumerate() {
        let mut parts = Vec::with_capacity(elements.len());
        for (i, element) in elements.iter().enumerate() {
            let Some(part) = element.get(c) else {
                ferroflow_tensor::bail!(Internal, "element {i} of a batch has no component {c}")
            };
            ensure!(
                part.shape() == pattern.shape() && part.dtype() == pattern.dtype(),
                InvalidArgument,
                "Cannot batch tensors with different shapes in component {c}. First element had shape {} and element {i} \
                 had shape {}.",
                pattern.shape(),
                part.shape()
            );
            parts.push(part);
        }
        batch.push(stack_component(&parts, pattern, threads)?);
    }
    Ok(batch)
}

fn stack_component(parts: &[&Tensor], pattern: &Tensor, threads: Threads) -> Result<Tensor> {
    let mut dims = pattern.shape().to_i64();
    dims.insert(0, parts.len() as i64);
    let shape = Shape::checked(&dims)?;
    let dtype = pattern.dtype();
    if matches!(dtype, DType::Variant | DType::Resource) {
        let mut objects = Vec::with_capacity(shape.elements());
        for part in parts {
            objects.extend_from_slice(part.objects()?);
        }
        return Tensor::from_objects(dtype, shape, objects);
    }
    let mut out = Tensor::new(dtype, shape)?;
    by_size!(dtype, E, {
        let views = parts.iter().map(|p| E::view(p)).collect::<Result<Vec<_>>>()?;
        let row = pattern.elements();
        let to = E::view_mut(&mut out)?;
        if row > 0 {
            let block = if to.len() * dtype.size() < PARALLEL_BYTES { to.len() } else { row };
            // Copied as a whole, even if the step is interrupted: batches stay in buffers, caches and files.
            for_chunks_mut(threads, to, block, |start, chunk| {
                for (k, line) in chunk.chunks_exact_mut(row).enumerate() {
                    line.clone_from_slice(views[start / row + k]);
                }
            });
        }
        Ok(())
    })?;
    Ok(out)
}

/// Returns the row `i` of a tensor of rank 1 or more, `i` being below its first dimension.
pub(super) fn row(t: &Tensor, i: usize) -> Result<Tensor> {
    let shape = Shape::new(t.shape().get(1..).unwrap_or(&[]));
    let n = shape.elements();
    let range = i * n..(i + 1) * n;
    let missing = || ferroflow_tensor::Status::internal(format!("{t:?} has no row {i}"));
    let dtype = t.dtype();
    if matches!(dtype, DType::Variant | DType::Resource) {
        let objects = t.objects()?.get(range).ok_or_else(missing)?.to_vec();
        return Tensor::from_objects(dtype, shape, objects);
    }
    let mut out = Tensor::new(dtype, shape)?;
    by_size!(dtype, E, {
        let from = E::view(t)?.get(range).ok_or_else(missing)?;
        E::view_mut(&mut out)?.clone_from_slice(from);
        Ok(())
    })?;
    Ok(out)
}

/// Returns the row `i` of every component.
pub(super) fn rows(components: &[Tensor], i: usize) -> Result<Element> {
    components.iter().map(|t| row(t, i)).collect()
}

/// Returns the common first dimension of components.
///
/// Errors: `InvalidArgument` for a scalar, or sizes that differ.
pub(super) fn common_rows(components: &[Tensor]) -> Result<usize> {
    let mut common = None;
    for t in components {
        let Some(&n) = t.shape().first() else {
            ferroflow_tensor::bail!(InvalidArgument, "All components must be at least 1-dimensional")
        };
        ensure!(
            *common.get_or_insert(n) == n,
            InvalidArgument,
            "All components must have the same size in the 0th dimension"
        );
    }
    Ok(common.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::Object;

    #[test]
    fn a_batch_holds_its_elements_as_rows_of_every_type() {
        let threads = Threads::new(2);
        let plain = |x: f32| Tensor::from_slice([2], &[x, -x]).unwrap();
        let text = |s: &str| Tensor::from_strings([], vec![s.as_bytes().into()]).unwrap();
        let object = |n: u32| Tensor::from_objects(DType::Variant, [1], vec![Object::new(n)]).unwrap();
        let elements: Vec<Element> =
            (0..3).map(|i| vec![plain(i as f32), text(&i.to_string()), object(i), Tensor::scalar(i == 1)]).collect();
        let batch = stack(&elements, threads).unwrap();
        assert_eq!(
            batch.iter().map(|t| t.shape().dims().to_vec()).collect::<Vec<_>>(),
            [vec![3, 2], vec![3], vec![3, 1], vec![3]]
        );
        assert_eq!(common_rows(&batch).unwrap(), 3);
        for (i, element) in elements.iter().enumerate() {
            assert_eq!(&rows(&batch, i).unwrap(), element);
        }
    }

    #[test]
    fn different_shapes_are_no_batch() {
        let elements = [vec![Tensor::scalar(1i32)], vec![Tensor::from_slice([1], &[1i32]).unwrap()]];
        let failure = stack(&elements, Threads::single()).unwrap_err();
        assert!(failure.message().starts_with("Cannot batch tensors with different shapes in component 0."));
        assert!(row(&Tensor::from_slice([1], &[1i32]).unwrap(), 1).is_err());
        assert!(common_rows(&[Tensor::scalar(1i32)]).is_err());
    }
}
