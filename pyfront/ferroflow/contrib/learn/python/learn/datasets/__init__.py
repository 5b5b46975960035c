"""`tf.contrib.learn.datasets`: data to learn from."""

from ferroflow._src.datasets.by_name import DATASETS as DATASETS
from ferroflow._src.datasets.by_name import load_dataset as load_dataset
from ferroflow._src.datasets.csv_tables import load_iris as load_iris
from ferroflow.contrib.learn.python.learn.datasets import base as base
from ferroflow.contrib.learn.python.learn.datasets import mnist as mnist
