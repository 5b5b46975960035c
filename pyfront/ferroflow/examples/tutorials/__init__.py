"""`tf.examples.tutorials`: modules of the tutorials."""

from ferroflow.examples.tutorials import mnist as mnist
