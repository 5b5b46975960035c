"""`tf.contrib.learn.datasets`: data to learn from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn.by_name import DATASETS as DATASETS, load_dataset as load_dataset
from ferroflow._src.contrib.learn.csv_tables import load_boston as load_boston, load_iris as load_iris
from ferroflow._src.contrib.learn.synthetic import SYNTHETIC as SYNTHETIC, make_dataset as make_dataset
from ferroflow.contrib.learn.python.learn.datasets import base as base, mnist as mnist, synthetic as synthetic

_tell_absent(globals())
