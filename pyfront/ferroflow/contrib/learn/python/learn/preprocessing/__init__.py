"""`tf.contrib.learn.preprocessing`: text made numbers."""

from ferroflow._src.preprocessing.categorical_vocabulary import CategoricalVocabulary as CategoricalVocabulary
from ferroflow._src.preprocessing.text import ByteProcessor as ByteProcessor
from ferroflow._src.preprocessing.text import VocabularyProcessor as VocabularyProcessor
from ferroflow._src.preprocessing.text import tokenizer as tokenizer
from ferroflow.contrib.learn.python.learn.preprocessing import categorical_vocabulary as categorical_vocabulary
from ferroflow.contrib.learn.python.learn.preprocessing import text as text
