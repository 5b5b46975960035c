"""A parameter server that may have few descriptors.

Usage: limited_program.py CLUSTER SOFT HARD, with CLUSTER in JSON and the limits that the system sets.
"""

import json
import resource
import sys

import ferroflow as tf

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]), int(sys.argv[3])))
    server = tf.train.Server(json.loads(sys.argv[1]), job_name="ps", task_index=0)
    print(json.dumps({"ready": True}), flush=True)
    server.join()
