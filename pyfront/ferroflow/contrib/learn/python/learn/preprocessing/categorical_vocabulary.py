"""`tf.contrib.learn.python.learn.preprocessing.categorical_vocabulary`: vocabularies."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary as CategoricalVocabulary,
)

_tell_absent(globals())
