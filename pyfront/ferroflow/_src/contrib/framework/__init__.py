"""`tf.contrib.framework`: argument scopes, model variables, and assignment from checkpoints."""
