"""`tf.contrib.learn.datasets.base`: tables from files, and files from the net."""

from ferroflow._src.datasets.csv_tables import Dataset as Dataset
from ferroflow._src.datasets.csv_tables import load_csv_with_header as load_csv_with_header
from ferroflow._src.datasets.csv_tables import load_csv_without_header as load_csv_without_header
from ferroflow._src.datasets.csv_tables import load_iris as load_iris
from ferroflow._src.datasets.mnist import Datasets as Datasets
from ferroflow._src.datasets.mnist import maybe_download as maybe_download
