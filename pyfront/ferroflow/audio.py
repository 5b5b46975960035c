"""`tf.audio`: WAV files."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.signal.wav import decode_wav as decode_wav, encode_wav as encode_wav

_tell_absent(globals())
