"""Training by several processes over MPI, with Horovod's interface."""
