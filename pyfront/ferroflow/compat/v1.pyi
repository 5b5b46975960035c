"""`tf.compat.v1`: all names of ferroflow."""

from ferroflow import *  # noqa: F403
