"""Rank 1 is stopped, as if its machine had vanished: no process of it ends, and none answers."""

import os
import signal
import subprocess
import sys

import horovod.tensorflow as hvd
import tensorflow as tf
from reports import failure, report

hvd.init()
sess = tf.Session()
sess.run(hvd.allreduce(tf.zeros([2]), name="first"))
process = sess.run(hvd.broadcast(tf.constant(os.getpid()), 1, name="process"))
if hvd.rank() == 1:
    # It goes on at last, so that the job can end.
    subprocess.Popen(
        [sys.executable, "-c", f"import os, time; time.sleep(6); os.kill({os.getpid()}, {int(signal.SIGCONT)})"]
    )
    os.kill(os.getpid(), signal.SIGSTOP)
else:
    report(hvd.rank(), errors=[failure(lambda: sess.run(hvd.allreduce(tf.zeros([2]), name="second")))])
