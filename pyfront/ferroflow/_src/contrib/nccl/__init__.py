"""`tf.contrib.nccl`: Collective operations of several devices, computed on the one that there is."""
