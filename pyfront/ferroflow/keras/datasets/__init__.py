"""`tf.keras.datasets`: data to learn from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.keras.datasets import (
    boston_housing as boston_housing,
    cifar10 as cifar10,
    cifar100 as cifar100,
    fashion_mnist as fashion_mnist,
    imdb as imdb,
    mnist as mnist,
    reuters as reuters,
)

_tell_absent(globals())
