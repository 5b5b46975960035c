//! Throughput of convolutions and their gradients, counted as two floating-point operations per multiplication.
//!
//! Shapes are named by the network they come from. `block` and `point` are layers of a residual network for images of
//! 224 points (batch 32). `lenet1` and `lenet2` are those of a digit classifier (batch 64). `stem`, `small` and `down`
//! are those of a residual network for images of 32 points (batch 16). `separable` is a depthwise layer of a network
//! for phones.

use divan::Bencher;
use divan::counter::ItemsCount;
use ferroflow_tensor::conv::{
    Geometry, Window, backward_filter, backward_input, depthwise_backward_filter, depthwise_backward_input,
    depthwise_forward, forward,
};
use ferroflow_tensor::threads::Threads;

fn main() {
    divan::main();
}

#[derive(Clone, Copy)]
struct Layer {
    name: &'static str,
    batch: usize,
    side: usize,
    filter: usize,
    stride: usize,
    inputs: usize,
    outputs: usize,
}

impl std::fmt::Display for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Layer { name, batch, side, filter, stride, inputs, outputs } = self;
        write!(f, "{name} {batch}x{side}x{side}x{inputs} {filter}x{filter}/{stride} -> {outputs}")
    }
}

const fn layer(name: &'static str, [batch, side, inputs]: [usize; 3], [filter, stride, outputs]: [usize; 3]) -> Layer {
    Layer { name, batch, side, filter, stride, inputs, outputs }
}

const LAYERS: [Layer; 8] = [
    layer("block", [32, 56, 64], [3, 1, 64]),
    layer("point", [32, 28, 256], [1, 1, 128]),
    layer("lenet1", [64, 28, 1], [5, 1, 32]),
    layer("lenet2", [64, 14, 32], [5, 1, 64]),
    layer("stem", [16, 32, 3], [3, 1, 32]),
    layer("small", [16, 32, 32], [3, 1, 32]),
    layer("down", [16, 32, 32], [3, 2, 64]),
    layer("deep", [8, 7, 512], [3, 1, 512]),
];

const SEPARABLE: [Layer; 2] =
    [layer("separable", [16, 56, 128], [3, 1, 1]), layer("separable_down", [16, 56, 128], [3, 2, 1])];

impl Layer {
    /// Returns the geometry, padded as "SAME" does.
    fn geometry(&self) -> Geometry {
        let output = self.side.div_ceil(self.stride);
        let total = ((output - 1) * self.stride + self.filter).saturating_sub(self.side);
        let window = Window {
            input: self.side,
            filter: self.filter,
            output,
            stride: self.stride,
            dilation: 1,
            before: total / 2,
        };
        Geometry {
            batch: self.batch,
            inputs: self.inputs,
            outputs: self.outputs,
            space: [Window::FLAT, window, window],
        }
    }

    fn tensors(&self, filter: usize, outputs: usize) -> [Vec<f32>; 3] {
        let g = self.geometry();
        let number = |i: usize| (i * 7919 % 1000) as f32 / 1000.0 - 0.5;
        let of = |len: usize| (0..len).map(number).collect();
        let output = g.space[1].output;
        [of(g.batch * self.side * self.side * g.inputs), of(filter), of(g.batch * output * output * outputs)]
    }

    fn operations(&self, products: usize) -> ItemsCount {
        let output = self.geometry().space[1].output;
        ItemsCount::new(2 * self.batch * output * output * self.filter * self.filter * products)
    }
}

macro_rules! layer_bench {
    ($name:ident, $layers:ident, $outputs:expr, |$threads:ident, $g:ident, $x:ident, $f:ident, $y:ident| $run:expr) => {
        #[divan::bench(args = $layers, consts = [1, 2])]
        fn $name<const THREADS: usize>(bencher: Bencher<'_, '_>, layer: Layer) {
            let outputs: usize = $outputs(&layer);
            let filter = layer.filter * layer.filter * layer.inputs * layer.outputs;
            let [mut $x, mut $f, mut $y] = layer.tensors(filter, outputs);
            let ($g, $threads) = (layer.geometry(), Threads::new(THREADS));
            bencher.counter(layer.operations(layer.inputs * layer.outputs)).bench_local(|| $run.is_ok());
            let _ = (&mut $x, &mut $f, &mut $y);
        }
    };
}

const FULL: fn(&Layer) -> usize = |layer| layer.outputs;
const APART: fn(&Layer) -> usize = |layer| layer.inputs * layer.outputs;

layer_bench!(conv, LAYERS, FULL, |threads, g, x, f, y| forward(threads, &g, &x, &f, &mut y, None));
layer_bench!(conv_dx, LAYERS, FULL, |threads, g, x, f, y| backward_input(threads, &g, &f, &y, &mut x));
layer_bench!(conv_df, LAYERS, FULL, |threads, g, x, f, y| backward_filter(threads, &g, &x, &y, &mut f));
layer_bench!(depthwise, SEPARABLE, APART, |threads, g, x, f, y| depthwise_forward(threads, &g, &x, &f, &mut y));
layer_bench!(depthwise_dx, SEPARABLE, APART, |t, g, x, f, y| depthwise_backward_input(t, &g, &f, &y, &mut x));
layer_bench!(depthwise_df, SEPARABLE, APART, |t, g, x, f, y| depthwise_backward_filter(t, &g, &x, &y, &mut f));
