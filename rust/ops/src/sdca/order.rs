//! The order in which an update takes its examples.
//!
//! TensorFlow draws it from the machine's entropy. Here it is a function of the examples' state, so that equal steps have
//! equal results. The state changes in each step, and so does the order: training with one order converges slowly.

use crate::string::farm_hash::fingerprint;
use ferroflow_tensor::philox::candidate::Weights;
use ferroflow_tensor::philox::shuffle::shuffle;
use ferroflow_tensor::philox::{Philox, Words};

/// The probability of an example falls by this factor each time that it is drawn.
const DECAY: f64 = 0.1;

/// Returns the random numbers for a state of the examples.
pub(super) fn stream_of(state: &[f32]) -> Philox {
    let bytes: Vec<u8> = state.iter().flat_map(|number| number.to_le_bytes()).collect();
    Philox::new(fingerprint(&bytes), 0)
}

/// Returns each of `count` examples once, in random order.
pub(super) fn shuffled(count: usize, stream: &Philox) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    shuffle(stream, &mut order);
    order
}

/// Returns as many examples as there are weights, drawn in proportion to them. An example can be drawn again, with a lower
/// probability each time. If too many draws are in vain, the rest are examples not drawn yet, by falling weight.
pub(super) fn drawn(weights: Vec<f32>, stream: &Philox) -> Vec<usize> {
    let count = weights.len();
    let mut unseen: Vec<usize> = (0..count).collect();
    unseen.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let sampler = Weights::new(weights);
    let mut words = Words::new(*stream);
    let mut kept_with = vec![1.0; count];
    let mut order = Vec::with_capacity(count);
    let mut in_vain = 0;
    while order.len() < count && in_vain < count {
        let example = sampler.draw(&mut words) as usize;
        if words.next_f64() > kept_with[example] {
            in_vain += 1;
            continue;
        }
        kept_with[example] *= DECAY;
        order.push(example);
    }
    unseen.retain(|&example| kept_with[example] == 1.0);
    unseen.truncate(count - order.len());
    order.extend(unseen);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_examples_come_more_often_and_most_come() {
        let weights: Vec<f32> = (0..200).map(|i| if i < 20 { 50.0 } else { 0.5 }).collect();
        let order = drawn(weights, &stream_of(&[]));
        assert_eq!(order.len(), 200);
        for heavy in 0..20 {
            assert!(order.contains(&heavy), "{heavy}");
        }
    }

    #[test]
    fn any_weights_give_an_order() {
        for weight in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(drawn(vec![weight; 7], &stream_of(&[])).len(), 7);
        }
        assert!(drawn(Vec::new(), &stream_of(&[])).is_empty());
    }
}
