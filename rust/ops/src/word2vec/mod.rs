//! The ops of word2vec: Skipgram reads examples from a text, NegTrain trains two tables of vectors on them.
//!
//! Source: Mikolov et al., "Distributed representations of words and phrases and their compositionality", NIPS 2013.

mod corpus;
mod neg_train;
mod sentences;
mod skipgram;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    neg_train::register(r);
    skipgram::register(r);
}
