"""`tf.summary`: values of a step for TensorBoard."""

from ferroflow._src.summary.file_writer import FileWriter as FileWriter
from ferroflow._src.summary.file_writer_cache import FileWriterCache as FileWriterCache
from ferroflow._src.summary.merging import merge as merge
from ferroflow._src.summary.merging import merge_all as merge_all
from ferroflow._src.summary.plugin_asset import PluginAsset as PluginAsset
from ferroflow._src.summary.plugin_asset import get_plugin_asset as get_plugin_asset
from ferroflow._src.summary.values import audio as audio
from ferroflow._src.summary.values import histogram as histogram
from ferroflow._src.summary.values import image as image
from ferroflow._src.summary.values import scalar as scalar
from ferroflow._src.summary.values import tensor_summary as tensor_summary
from ferroflow._src.summary.values import text as text
