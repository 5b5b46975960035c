"""`tf.contrib.learn.datasets.base`: tables from files, and files from the net."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.learn.csv_tables import (
    Dataset as Dataset,
    load_boston as load_boston,
    load_csv_with_header as load_csv_with_header,
    load_csv_without_header as load_csv_without_header,
    load_iris as load_iris,
)
from ferroflow._src.datasets.mnist import Datasets as Datasets, maybe_download as maybe_download

_tell_absent(globals())
