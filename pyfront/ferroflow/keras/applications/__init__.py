"""`tf.keras.applications`: networks for images, with Keras's files of weights."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.applications.densenet import (
    DenseNet121 as DenseNet121,
    DenseNet169 as DenseNet169,
    DenseNet201 as DenseNet201,
)
from ferroflow._src.keras.applications.inception import (
    InceptionResNetV2 as InceptionResNetV2,
    InceptionV3 as InceptionV3,
)
from ferroflow._src.keras.applications.mobilenet import MobileNet as MobileNet, MobileNetV2 as MobileNetV2
from ferroflow._src.keras.applications.nasnet import NASNetLarge as NASNetLarge, NASNetMobile as NASNetMobile
from ferroflow._src.keras.applications.resnet import (
    ResNet50 as ResNet50,
    ResNet50V2 as ResNet50V2,
    ResNet101 as ResNet101,
    ResNet101V2 as ResNet101V2,
    ResNet152 as ResNet152,
    ResNet152V2 as ResNet152V2,
)
from ferroflow._src.keras.applications.vgg import VGG16 as VGG16, VGG19 as VGG19
from ferroflow._src.keras.applications.xception import Xception as Xception
from ferroflow.keras.applications import (
    densenet as densenet,
    imagenet_utils as imagenet_utils,
    inception_resnet_v2 as inception_resnet_v2,
    inception_v3 as inception_v3,
    mobilenet as mobilenet,
    mobilenet_v2 as mobilenet_v2,
    nasnet as nasnet,
    resnet as resnet,
    resnet50 as resnet50,
    resnet_v2 as resnet_v2,
    vgg16 as vgg16,
    vgg19 as vgg19,
    xception as xception,
)

_tell_absent(globals())
