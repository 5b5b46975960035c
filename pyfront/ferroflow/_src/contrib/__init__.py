"""Parts of `tf.contrib` that stand on public names, a package each."""
