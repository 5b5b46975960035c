"""`tf.contrib.learn.python.learn.preprocessing.categorical_vocabulary`: vocabularies."""

from ferroflow._src.preprocessing.categorical_vocabulary import CategoricalVocabulary as CategoricalVocabulary
