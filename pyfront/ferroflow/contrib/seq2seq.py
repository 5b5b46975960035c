"""`tf.contrib.seq2seq`: decoders of sequences, what they attend to, and their loss."""

from ferroflow._src.seq2seq.attention import BahdanauAttention as BahdanauAttention
from ferroflow._src.seq2seq.attention import LuongAttention as LuongAttention
from ferroflow._src.seq2seq.attention import hardmax as hardmax
from ferroflow._src.seq2seq.attention_mechanism import AttentionMechanism as AttentionMechanism
from ferroflow._src.seq2seq.attention_wrapper import AttentionWrapper as AttentionWrapper
from ferroflow._src.seq2seq.attention_wrapper import AttentionWrapperState as AttentionWrapperState
from ferroflow._src.seq2seq.basic_decoder import BasicDecoder as BasicDecoder
from ferroflow._src.seq2seq.basic_decoder import BasicDecoderOutput as BasicDecoderOutput
from ferroflow._src.seq2seq.decoder import Decoder as Decoder
from ferroflow._src.seq2seq.decoder import dynamic_decode as dynamic_decode
from ferroflow._src.seq2seq.decoding_helper import CustomHelper as CustomHelper
from ferroflow._src.seq2seq.decoding_helper import Helper as Helper
from ferroflow._src.seq2seq.decoding_helper import InferenceHelper as InferenceHelper
from ferroflow._src.seq2seq.embedding_helper import GreedyEmbeddingHelper as GreedyEmbeddingHelper
from ferroflow._src.seq2seq.embedding_helper import SampleEmbeddingHelper as SampleEmbeddingHelper
from ferroflow._src.seq2seq.loss import sequence_loss as sequence_loss
from ferroflow._src.seq2seq.monotonic_attention import BahdanauMonotonicAttention as BahdanauMonotonicAttention
from ferroflow._src.seq2seq.monotonic_attention import LuongMonotonicAttention as LuongMonotonicAttention
from ferroflow._src.seq2seq.monotonic_attention import monotonic_attention as monotonic_attention
from ferroflow._src.seq2seq.monotonic_attention import safe_cumprod as safe_cumprod
from ferroflow._src.seq2seq.scheduled_helper import ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper
from ferroflow._src.seq2seq.scheduled_helper import ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper
from ferroflow._src.seq2seq.training_helper import TrainingHelper as TrainingHelper
