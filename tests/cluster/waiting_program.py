"""A task that only serves.

Usage: waiting_program.py CLUSTER JOB INDEX FOLDER, with CLUSTER in JSON.
"""

import json
import sys

import ferroflow as tf

if __name__ == "__main__":
    tf.train.Server(json.loads(sys.argv[1]), job_name=sys.argv[2], task_index=int(sys.argv[3])).join()
