"""`tf.app`: running a program with flags."""

from ferroflow import flags as flags
from ferroflow._src.base.app import (
    run as run,
)
