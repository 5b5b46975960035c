"""`tf.nn.seq2seq`: where `tf.contrib.legacy_seq2seq` was before TensorFlow 1.0."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.legacy_seq2seq.attention_models import (
    attention_decoder as attention_decoder,
    embedding_attention_decoder as embedding_attention_decoder,
    embedding_attention_seq2seq as embedding_attention_seq2seq,
)
from ferroflow._src.legacy_seq2seq.decoding import (
    basic_rnn_seq2seq as basic_rnn_seq2seq,
    rnn_decoder as rnn_decoder,
    tied_rnn_seq2seq as tied_rnn_seq2seq,
)
from ferroflow._src.legacy_seq2seq.embedding_models import (
    embedding_rnn_decoder as embedding_rnn_decoder,
    embedding_rnn_seq2seq as embedding_rnn_seq2seq,
    embedding_tied_rnn_seq2seq as embedding_tied_rnn_seq2seq,
    one2many_rnn_seq2seq as one2many_rnn_seq2seq,
)
from ferroflow._src.legacy_seq2seq.loss import (
    model_with_buckets as model_with_buckets,
    sequence_loss as sequence_loss,
    sequence_loss_by_example as sequence_loss_by_example,
)

_tell_absent(globals())
