"""Input by threads and queues: coordination of threads, queue runners, producers, batches."""
