"""`tf.examples`: what TF 1.x's tutorials import."""

from ferroflow.examples import tutorials as tutorials
