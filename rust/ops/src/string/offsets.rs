//! `offsets`: where the elements of a strided view lie in its tensor.

use crate::room::room;
use ferroflow_tensor::Result;

/// Returns the offset of each element of a view whose axes have these sizes and strides, the last axis varying fastest.
///
/// Errors: `ResourceExhausted` if there is no memory for as many.
pub(super) fn offsets(axes: &[(usize, usize)]) -> Result<Vec<usize>> {
    let count = axes.iter().fold(1, |count: usize, &(size, _)| count.saturating_mul(size));
    let mut out = room(count, "offsets")?;
    if count == 0 {
        return Ok(out);
    }
    out.push(0);
    for &(size, stride) in axes {
        let before = out.len();
        out.resize(before * size, 0);
        // From the back, so that each offset is read before its place is taken.
        for number in (0..before).rev() {
            let offset = out[number];
            for i in (0..size).rev() {
                out[number * size + i] = offset + i * stride;
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::offsets;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn offsets_are_sums_of_positions_times_strides(
            axes in prop::collection::vec((0usize..4, 0usize..9), 0..4)
        ) {
            let mut expected = vec![0];
            for &(size, stride) in &axes {
                expected = expected.iter().flat_map(|&at| (0..size).map(move |i| at + i * stride)).collect();
            }
            prop_assert_eq!(offsets(&axes).unwrap(), expected);
        }
    }

    #[test]
    fn without_elements_no_memory_is_needed() {
        assert!(offsets(&[(1 << 50, 1), (1 << 50, 1), (0, 1)]).unwrap().is_empty());
        assert!(offsets(&[(1 << 50, 1)]).is_err());
    }
}
