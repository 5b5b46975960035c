//! `Growth`: the splits of a leaf that are compared before it is split.

use super::tree::{Example, Settings};
use ferroflow_tensor::philox::Words;

/// The sums of the labels of some examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub weight: f32,
    /// Of a classification the weights of each class, of a regression the sums of each output.
    pub values: Vec<f32>,
    /// The sums of the squares of each output of a regression.
    squares: Vec<f32>,
}

impl Sums {
    pub fn new(outputs: usize) -> Sums {
        Sums { weight: 0.0, values: vec![0.0; outputs], squares: vec![0.0; outputs] }
    }

    pub fn add(&mut self, example: &Example<'_>, settings: &Settings) {
        self.weight += example.weight;
        if settings.is_regression {
            for ((sum, square), label) in self.values.iter_mut().zip(&mut self.squares).zip(example.labels) {
                *sum += example.weight * label;
                *square += example.weight * label * label;
            }
        } else if let Some(count) = self.values.get_mut(example.labels.first().map_or(0, |&label| label as usize)) {
            *count += example.weight;
        }
    }

    /// Returns the impurity times the weight: the squared error of a regression, or the Gini impurity of classes. The
    /// latter counts one more example of each class.
    fn impurity(&self, settings: &Settings) -> f32 {
        if self.weight <= 0.0 {
            return 0.0;
        }
        if settings.is_regression {
            let each = self.values.iter().zip(&self.squares);
            return each.map(|(sum, square)| square - sum * sum / self.weight).sum();
        }
        let all = self.weight + self.values.len() as f32;
        let squares: f32 = self.values.iter().map(|count| (count + 1.0) * (count + 1.0)).sum();
        self.weight * (1.0 - squares / (all * all))
    }

    fn is_pure(&self) -> bool {
        self.values.iter().filter(|&&count| count > 0.0).count() <= 1
    }
}

/// A split that is tried: examples below or at the threshold go to the left.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub feature: u32,
    pub threshold: f32,
    pub left: Sums,
    pub right: Sums,
}

/// The candidates of a leaf, and the labels of the examples that chose between them.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    candidates: Vec<Candidate>,
    total: Sums,
}

impl Growth {
    pub fn new(settings: &Settings) -> Growth {
        Growth { candidates: Vec::new(), total: Sums::new(settings.outputs) }
    }

    /// Adds an example. The first examples give the candidates: each one the threshold of a random feature.
    pub fn add(&mut self, example: &Example<'_>, settings: &Settings, words: &mut Words) {
        if self.candidates.len() < settings.candidates && !example.features.is_empty() {
            let feature = words.next_u32() as usize % example.features.len();
            let threshold = example.features[feature];
            let (left, right) = (Sums::new(settings.outputs), Sums::new(settings.outputs));
            self.candidates.push(Candidate { feature: feature as u32, threshold, left, right });
        }
        for candidate in &mut self.candidates {
            let value = example.features.get(candidate.feature as usize).copied().unwrap_or(0.0);
            let goes_left = settings.goes_left(value, candidate.threshold);
            let side = if goes_left { &mut candidate.left } else { &mut candidate.right };
            side.add(example, settings);
        }
        self.total.add(example, settings);
    }

    /// Returns true if there were enough examples, of more than one class.
    pub fn is_complete(&self, settings: &Settings) -> bool {
        self.total.weight >= settings.split_after && (settings.is_regression || !self.total.is_pure())
    }

    /// Returns the candidate of least impurity; None if all examples are on one side of every candidate.
    pub fn best(&self, settings: &Settings) -> Option<&Candidate> {
        let score = |c: &Candidate| c.left.impurity(settings) + c.right.impurity(settings);
        let divides = |c: &&Candidate| c.left.weight > 0.0 && c.right.weight > 0.0;
        self.candidates.iter().filter(divides).min_by(|a, b| score(a).total_cmp(&score(b)))
    }
}
