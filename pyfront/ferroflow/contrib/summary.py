"""`tf.contrib.summary`: summaries that the graph itself writes to event files."""

from ferroflow._src.summary.graph_writer import SummaryWriter as SummaryWriter
from ferroflow._src.summary.graph_writer import always_record_summaries as always_record_summaries
from ferroflow._src.summary.graph_writer import create_file_writer as create_file_writer
from ferroflow._src.summary.graph_writer import flush as flush
from ferroflow._src.summary.graph_writer import import_event as import_event
from ferroflow._src.summary.graph_writer import initialize as initialize
from ferroflow._src.summary.graph_writer import never_record_summaries as never_record_summaries
from ferroflow._src.summary.graph_writer import should_record_summaries as should_record_summaries
from ferroflow._src.summary.graph_writer import summary_writer_initializer_op as summary_writer_initializer_op
from ferroflow._src.training.graph_summaries import all_summary_ops as all_summary_ops
from ferroflow._src.training.graph_summaries import audio as audio
from ferroflow._src.training.graph_summaries import create_summary_file_writer as create_summary_file_writer
from ferroflow._src.training.graph_summaries import eval_dir as eval_dir
from ferroflow._src.training.graph_summaries import generic as generic
from ferroflow._src.training.graph_summaries import graph as graph
from ferroflow._src.training.graph_summaries import histogram as histogram
from ferroflow._src.training.graph_summaries import image as image
from ferroflow._src.training.graph_summaries import (
    record_summaries_every_n_global_steps as record_summaries_every_n_global_steps,
)
from ferroflow._src.training.graph_summaries import scalar as scalar
