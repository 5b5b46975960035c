"""`tf.quantization`: numbers in few bits."""

from ferroflow._src.ops.quantization.steps import (
    dequantize as dequantize,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from ferroflow._src.ops.quantization.steps import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from ferroflow._src.ops.quantization.steps import (
    quantize as quantize,
)
from ferroflow._src.ops.quantization.steps import (
    quantize_and_dequantize as quantize_and_dequantize,
)
