"""`tf.contrib.summary`: summaries that the graph itself writes."""
