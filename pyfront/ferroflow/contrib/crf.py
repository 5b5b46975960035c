"""`tf.contrib.crf`: linear-chain conditional random fields."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.crf.decoding import (
    CrfDecodeBackwardRnnCell as CrfDecodeBackwardRnnCell,
    CrfDecodeForwardRnnCell as CrfDecodeForwardRnnCell,
    crf_decode as crf_decode,
    viterbi_decode as viterbi_decode,
)
from ferroflow._src.contrib.crf.scoring import (
    CrfForwardRnnCell as CrfForwardRnnCell,
    crf_binary_score as crf_binary_score,
    crf_log_likelihood as crf_log_likelihood,
    crf_log_norm as crf_log_norm,
    crf_multitag_sequence_score as crf_multitag_sequence_score,
    crf_sequence_score as crf_sequence_score,
    crf_unary_score as crf_unary_score,
)

_tell_absent(globals())
