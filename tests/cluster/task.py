"""A task in a process of its own: `task.py SERVER`, with the cluster, the job and the index as JSON."""

import json
import sys

import ferroflow as tf

described = json.loads(sys.argv[1])
server = tf.train.Server(tf.train.ClusterSpec(described["cluster"]), described["job"], described["index"])
print("ready", flush=True)
server.join()
