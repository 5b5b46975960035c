"""`tf.contrib.seq2seq`: decoders of sequences, their attention mechanisms, and their loss."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.seq2seq.attention import (
    BahdanauAttention as BahdanauAttention,
    LuongAttention as LuongAttention,
    hardmax as hardmax,
)
from ferroflow._src.contrib.seq2seq.attention_mechanism import AttentionMechanism as AttentionMechanism
from ferroflow._src.contrib.seq2seq.attention_wrapper import (
    AttentionWrapper as AttentionWrapper,
    AttentionWrapperState as AttentionWrapperState,
)
from ferroflow._src.contrib.seq2seq.basic_decoder import (
    BasicDecoder as BasicDecoder,
    BasicDecoderOutput as BasicDecoderOutput,
)
from ferroflow._src.contrib.seq2seq.beam_search_decoder import (
    BeamSearchDecoder as BeamSearchDecoder,
    FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput,
)
from ferroflow._src.contrib.seq2seq.beam_search_step import (
    BeamSearchDecoderOutput as BeamSearchDecoderOutput,
    BeamSearchDecoderState as BeamSearchDecoderState,
)
from ferroflow._src.contrib.seq2seq.beams import (
    gather_tree as gather_tree,
    gather_tree_from_array as gather_tree_from_array,
    tile_batch as tile_batch,
)
from ferroflow._src.contrib.seq2seq.decoder import Decoder as Decoder, dynamic_decode as dynamic_decode
from ferroflow._src.contrib.seq2seq.decoding_helper import (
    CustomHelper as CustomHelper,
    Helper as Helper,
    InferenceHelper as InferenceHelper,
)
from ferroflow._src.contrib.seq2seq.embedding_helper import (
    GreedyEmbeddingHelper as GreedyEmbeddingHelper,
    SampleEmbeddingHelper as SampleEmbeddingHelper,
)
from ferroflow._src.contrib.seq2seq.loss import sequence_loss as sequence_loss
from ferroflow._src.contrib.seq2seq.monotonic_attention import (
    BahdanauMonotonicAttention as BahdanauMonotonicAttention,
    LuongMonotonicAttention as LuongMonotonicAttention,
    monotonic_attention as monotonic_attention,
    safe_cumprod as safe_cumprod,
)
from ferroflow._src.contrib.seq2seq.scheduled_helper import (
    ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper,
)
from ferroflow._src.contrib.seq2seq.training_helper import TrainingHelper as TrainingHelper

_tell_absent(globals())
