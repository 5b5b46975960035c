"""`tf.keras.regularizers`: losses of variables."""

from ferroflow._src.keras.named import l1 as l1
from ferroflow._src.keras.named import l1_l2 as l1_l2
from ferroflow._src.keras.named import l2 as l2
