"""`tf.contrib.learn.preprocessing`: text made numbers."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn.preprocessing.categorical import CategoricalProcessor as CategoricalProcessor
from ferroflow._src.contrib.learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary as CategoricalVocabulary,
)
from ferroflow._src.contrib.learn.preprocessing.text import (
    ByteProcessor as ByteProcessor,
    VocabularyProcessor as VocabularyProcessor,
    tokenizer as tokenizer,
)
from ferroflow.contrib.learn.python.learn.preprocessing import (
    categorical as categorical,
    categorical_vocabulary as categorical_vocabulary,
    text as text,
)

_tell_absent(globals())
