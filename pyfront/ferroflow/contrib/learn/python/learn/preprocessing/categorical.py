"""`tf.contrib.learn.preprocessing.categorical`: numbers of categories in the columns of tables."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn.preprocessing.categorical import CategoricalProcessor as CategoricalProcessor

_tell_absent(globals())
