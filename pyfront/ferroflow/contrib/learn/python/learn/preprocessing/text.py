"""`tf.contrib.learn.python.learn.preprocessing.text`: documents made rows of numbers."""

from ferroflow._src.preprocessing.categorical_vocabulary import CategoricalVocabulary as CategoricalVocabulary
from ferroflow._src.preprocessing.text import TOKENIZER_RE as TOKENIZER_RE
from ferroflow._src.preprocessing.text import ByteProcessor as ByteProcessor
from ferroflow._src.preprocessing.text import VocabularyProcessor as VocabularyProcessor
from ferroflow._src.preprocessing.text import tokenizer as tokenizer
