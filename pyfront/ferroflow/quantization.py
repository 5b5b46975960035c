"""`tf.quantization`: numbers in few bits."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.quantization.levels import quantized_concat as quantized_concat
from ferroflow._src.ops.quantization.steps import (
    dequantize as dequantize,
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
    quantize as quantize,
    quantize_and_dequantize as quantize_and_dequantize,
)

_tell_absent(globals())
