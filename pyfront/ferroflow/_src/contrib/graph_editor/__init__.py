"""`tf.contrib.graph_editor`: views of parts of graphs, their copies, and changes to inputs of operations."""
