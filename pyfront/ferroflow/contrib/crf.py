"""`tf.contrib.crf`: linear-chain conditional random fields."""

from ferroflow._src.crf.decoding import CrfDecodeBackwardRnnCell as CrfDecodeBackwardRnnCell
from ferroflow._src.crf.decoding import CrfDecodeForwardRnnCell as CrfDecodeForwardRnnCell
from ferroflow._src.crf.decoding import crf_decode as crf_decode
from ferroflow._src.crf.decoding import viterbi_decode as viterbi_decode
from ferroflow._src.crf.scoring import CrfForwardRnnCell as CrfForwardRnnCell
from ferroflow._src.crf.scoring import crf_binary_score as crf_binary_score
from ferroflow._src.crf.scoring import crf_log_likelihood as crf_log_likelihood
from ferroflow._src.crf.scoring import crf_log_norm as crf_log_norm
from ferroflow._src.crf.scoring import crf_multitag_sequence_score as crf_multitag_sequence_score
from ferroflow._src.crf.scoring import crf_sequence_score as crf_sequence_score
from ferroflow._src.crf.scoring import crf_unary_score as crf_unary_score
