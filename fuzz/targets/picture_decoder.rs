//! Pictures of any content: pixels or a refusal, never a panic, and the same pixels from all ops that decode them.
//!
//! The first byte chooses the options; the rest is the file.

#![no_main]

mod node;
mod registry;

use ferroflow_graph::AttrValue;
use ferroflow_tensor::{DType, Tensor};
use libfuzzer_sys::fuzz_target;
use node::{Node, text};
use std::sync::LazyLock;

/// `DecodeJpeg`, and `DecodeAndCropJpeg` with the same options.
struct Jpeg {
    ratio: usize,
    whole: Node,
    window: Node,
}

static JPEG: LazyLock<Vec<Jpeg>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (channels, ratio, fancy, recover, fraction, method) in [
        (0, 1, true, false, 1.0, ""),
        (1, 2, true, false, 0.5, "INTEGER_ACCURATE"),
        (3, 4, false, true, 1.0, ""),
        (0, 8, true, true, 0.0, "INTEGER_FAST"),
        (0, 1, false, true, 1.0, "INTEGER_ACCURATE"),
        (3, 1, true, false, 0.1, ""),
    ] {
        let attrs = [
            ("channels", AttrValue::Int(channels)),
            ("ratio", AttrValue::Int(ratio)),
            ("fancy_upscaling", AttrValue::Bool(fancy)),
            ("try_recover_truncated", AttrValue::Bool(recover)),
            ("acceptable_fraction", AttrValue::Float(fraction)),
            ("dct_method", AttrValue::Str(method.into())),
        ];
        all.push(Jpeg {
            ratio: ratio as usize,
            whole: Node::new("DecodeJpeg", &[DType::String], &attrs),
            window: Node::new("DecodeAndCropJpeg", &[DType::String, DType::I32], &attrs),
        });
    }
    all
});

static JPEG_SHAPE: LazyLock<Node> = LazyLock::new(|| Node::new("ExtractJpegShape", &[DType::String], &[]));

/// `DecodePng` by channels and depth, and `EncodePng` of that depth.
static PNG: LazyLock<Vec<(Node, Node)>> = LazyLock::new(|| {
    let pair = |channels, dtype| {
        let attrs = [("channels", AttrValue::Int(channels)), ("dtype", AttrValue::Type(dtype))];
        let encode = Node::new("EncodePng", &[dtype], &[("compression", AttrValue::Int(1))]);
        (Node::new("DecodePng", &[DType::String], &attrs), encode)
    };
    [0, 1, 3, 4].into_iter().flat_map(|channels| [pair(channels, DType::U8), pair(channels, DType::U16)]).collect()
});

static GIF: LazyLock<Node> = LazyLock::new(|| Node::new("DecodeGif", &[DType::String], &[]));

static BMP: LazyLock<Node> = LazyLock::new(|| Node::new("DecodeBmp", &[DType::String], &[]));

static IMAGE: LazyLock<Vec<Node>> = LazyLock::new(|| {
    let node = |(dtype, channels, animations)| {
        let attrs = [
            ("dtype", AttrValue::Type(dtype)),
            ("channels", AttrValue::Int(channels)),
            ("expand_animations", AttrValue::Bool(animations)),
        ];
        Node::new("DecodeImage", &[DType::String], &attrs)
    };
    [(DType::U8, 0, true), (DType::U16, 3, false), (DType::F32, 0, true), (DType::F32, 4, false)]
        .into_iter()
        .map(node)
        .collect()
});

/// Returns the only output, if the input is not refused.
fn output(node: &Node, inputs: &[Tensor]) -> Option<Tensor> {
    node.run(inputs).map(|mut outputs| outputs.remove(0))
}

fn jpeg(choice: u8, file: &Tensor) {
    let options = &JPEG[usize::from(choice) % JPEG.len()];
    let Some(whole) = output(&options.whole, std::slice::from_ref(file)) else { return };
    let &[height, width, channels] = &whole.shape()[..] else { panic!("{whole:?}") };
    let shape = output(&JPEG_SHAPE, std::slice::from_ref(file)).unwrap();
    let &[full_height, full_width, _] = shape.slice::<i32>().unwrap() else { panic!("{shape:?}") };
    let part = |full: i32| (full as usize).div_ceil(options.ratio);
    assert_eq!([height, width], [part(full_height), part(full_width)]);

    let [top, left] = [height, width].map(|n| usize::from(choice) * (n - 1) / 255);
    let [rows, columns] = [(height - top).div_ceil(2), (width - left).div_ceil(2)];
    let window = Tensor::from_slice([4], &[top, left, rows, columns].map(|n| n as i32)).unwrap();
    let window = output(&options.window, &[file.clone(), window]).unwrap();
    assert_eq!(window.shape()[..], [rows, columns, channels]);
    let (whole, window) = (whole.bytes().unwrap(), window.bytes().unwrap());
    for (y, row) in window.chunks_exact(columns * channels).enumerate() {
        let from = ((top + y) * width + left) * channels;
        assert_eq!(row, &whole[from..from + row.len()], "row {y} from {top}, {left}");
    }
}

fn png(choice: u8, file: &Tensor) {
    let (decode, encode) = &PNG[usize::from(choice) % PNG.len()];
    let Some(picture) = output(decode, std::slice::from_ref(file)) else { return };
    let written = output(encode, std::slice::from_ref(&picture)).unwrap();
    let again = output(decode, &[written]).unwrap();
    assert_eq!((again.shape(), again.bytes()), (picture.shape(), picture.bytes()));
}

/// Checks that a file with a negative height has the same rows in the other order, unless the height is among its
/// pixels.
fn bmp(file: &Tensor) {
    let Some(picture) = output(&BMP, std::slice::from_ref(file)) else { return };
    let mut flipped = file.strings().unwrap()[0].to_vec();
    let [pixels, height] = [10, 22].map(|at| i32::from_le_bytes(flipped[at..at + 4].try_into().unwrap()));
    if pixels < 26 {
        return;
    }
    flipped[22..26].copy_from_slice(&height.wrapping_neg().to_le_bytes());
    let flipped = output(&BMP, &[text(&flipped)]).unwrap();
    let row = picture.shape()[1] * picture.shape()[2];
    let (up, down) = (picture.bytes().unwrap(), flipped.bytes().unwrap());
    assert!(up.chunks_exact(row).eq(down.chunks_exact(row).rev()));
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let file = text(bytes);
    if choice >= 192 {
        IMAGE[usize::from(choice) % IMAGE.len()].run(&[file]);
        return;
    }
    match bytes {
        [0xff, ..] => jpeg(choice, &file),
        [0x89, ..] => png(choice, &file),
        [b'G', ..] => drop(GIF.run(&[file])),
        _ => bmp(&file),
    }
});
