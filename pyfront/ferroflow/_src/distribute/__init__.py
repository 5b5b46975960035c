"""Strategies of `tf.distribute`: how the replicas of a model train together."""
