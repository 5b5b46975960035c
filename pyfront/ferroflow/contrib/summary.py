"""`tf.contrib.summary`: summaries that the graph itself writes to event files or databases."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.summary.database_writer import create_db_writer as create_db_writer
from ferroflow._src.contrib.summary.graph_summaries import (
    all_summary_ops as all_summary_ops,
    audio as audio,
    create_summary_file_writer as create_summary_file_writer,
    eval_dir as eval_dir,
    generic as generic,
    graph as graph,
    histogram as histogram,
    image as image,
    record_summaries_every_n_global_steps as record_summaries_every_n_global_steps,
    scalar as scalar,
)
from ferroflow._src.summary.graph_writer import (
    SummaryWriter as SummaryWriter,
    always_record_summaries as always_record_summaries,
    create_file_writer as create_file_writer,
    flush as flush,
    import_event as import_event,
    initialize as initialize,
    never_record_summaries as never_record_summaries,
    should_record_summaries as should_record_summaries,
    summary_writer_initializer_op as summary_writer_initializer_op,
)

_tell_absent(globals())
