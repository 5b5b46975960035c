"""`tf.contrib.learn.python.learn.preprocessing.text`: documents made rows of numbers."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary as CategoricalVocabulary,
)
from ferroflow._src.contrib.learn.preprocessing.text import (
    TOKENIZER_RE as TOKENIZER_RE,
    ByteProcessor as ByteProcessor,
    VocabularyProcessor as VocabularyProcessor,
    tokenizer as tokenizer,
)

_tell_absent(globals())
