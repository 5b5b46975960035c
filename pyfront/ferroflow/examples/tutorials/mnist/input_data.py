"""`tf.examples.tutorials.mnist.input_data`: reading MNIST."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.datasets.mnist import (
    DEFAULT_SOURCE_URL as _DEFAULT_SOURCE_URL,
    DataSet as DataSet,
    dense_to_one_hot as dense_to_one_hot,
    extract_images as extract_images,
    extract_labels as extract_labels,
    maybe_download as maybe_download,
    read_data_sets as read_data_sets,
)

SOURCE_URL = _DEFAULT_SOURCE_URL

_tell_absent(globals())
