"""`tf.contrib.cluster_resolver`: cluster specifications read from the environment and from schedulers."""
