"""`tf.contrib.learn.datasets.mnist`: the MNIST digits."""

from ferroflow._src.datasets.mnist import DEFAULT_SOURCE_URL as DEFAULT_SOURCE_URL
from ferroflow._src.datasets.mnist import DataSet as DataSet
from ferroflow._src.datasets.mnist import Datasets as Datasets
from ferroflow._src.datasets.mnist import dense_to_one_hot as dense_to_one_hot
from ferroflow._src.datasets.mnist import extract_images as extract_images
from ferroflow._src.datasets.mnist import extract_labels as extract_labels
from ferroflow._src.datasets.mnist import load_mnist as load_mnist
from ferroflow._src.datasets.mnist import maybe_download as maybe_download
from ferroflow._src.datasets.mnist import read_data_sets as read_data_sets
