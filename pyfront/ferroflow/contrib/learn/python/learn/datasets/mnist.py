"""`tf.contrib.learn.datasets.mnist`: the MNIST digits."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.mnist import (
    DEFAULT_SOURCE_URL as DEFAULT_SOURCE_URL,
    DataSet as DataSet,
    Datasets as Datasets,
    dense_to_one_hot as dense_to_one_hot,
    extract_images as extract_images,
    extract_labels as extract_labels,
    load_mnist as load_mnist,
    maybe_download as maybe_download,
    read_data_sets as read_data_sets,
)

_tell_absent(globals())
