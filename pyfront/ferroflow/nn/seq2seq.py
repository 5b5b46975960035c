"""`tf.nn.seq2seq`: where `tf.contrib.legacy_seq2seq` was before TensorFlow 1.0."""

from ferroflow._src.legacy_seq2seq.attention_models import attention_decoder as attention_decoder
from ferroflow._src.legacy_seq2seq.attention_models import embedding_attention_decoder as embedding_attention_decoder
from ferroflow._src.legacy_seq2seq.attention_models import embedding_attention_seq2seq as embedding_attention_seq2seq
from ferroflow._src.legacy_seq2seq.decoding import basic_rnn_seq2seq as basic_rnn_seq2seq
from ferroflow._src.legacy_seq2seq.decoding import rnn_decoder as rnn_decoder
from ferroflow._src.legacy_seq2seq.decoding import tied_rnn_seq2seq as tied_rnn_seq2seq
from ferroflow._src.legacy_seq2seq.embedding_models import embedding_rnn_decoder as embedding_rnn_decoder
from ferroflow._src.legacy_seq2seq.embedding_models import embedding_rnn_seq2seq as embedding_rnn_seq2seq
from ferroflow._src.legacy_seq2seq.embedding_models import embedding_tied_rnn_seq2seq as embedding_tied_rnn_seq2seq
from ferroflow._src.legacy_seq2seq.embedding_models import one2many_rnn_seq2seq as one2many_rnn_seq2seq
from ferroflow._src.legacy_seq2seq.loss import model_with_buckets as model_with_buckets
from ferroflow._src.legacy_seq2seq.loss import sequence_loss as sequence_loss
from ferroflow._src.legacy_seq2seq.loss import sequence_loss_by_example as sequence_loss_by_example
