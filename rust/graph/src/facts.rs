//! Facts of ops that plans depend on, so that the planner names no op.

use ferroflow_tensor::elementwise::StretchedShape;

/// The role of an op's nodes in a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Computes its outputs by its kernel.
    #[default]
    Compute,
    /// Output 0 is input 0: readers may read the input instead.
    Identity,
    /// Its value is that of its attribute `value`.
    Constant,
    /// Has a value if it is fed alone.
    Placeholder,
    /// Only orders other nodes.
    NoOp,
    /// Only orders other nodes, and runs whether or not those it waits for ran.
    Trigger,
    /// Sends its input to another process.
    Send,
    /// Receives its output from another process.
    Recv,
}

/// The op only repeats the elements of an input, up to the shape of its output.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// The input that has the elements.
    pub of: usize,
    /// The input that the shape follows from.
    pub by: usize,
    pub shape: StretchedShape,
}

/// The part that an op plays for a list or an array of tensors, which shapes of elements follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementsPart {
    /// Output 0 is a list without elements.
    EmptyList,
    /// Output 0 is the list of input 0, with input 1 as one more element.
    Push,
    /// Output 0 is the list of input 0 without its last element, which is output 1.
    Pop,
    /// Output 0 is the handle of a new array.
    MakeArray,
    /// Output 0 is the handle of the gradients of the elements of array 0.
    MakeGradients,
    /// Input 2 becomes an element of array 0.
    Write,
    /// The rows of input 2 become elements of array 0.
    WriteRows,
    /// Parts of a tensor become elements of array 0.
    WriteParts,
    /// Output 0 is an element of array 0.
    Read,
    /// The rows of output 0 are the elements of array 0 at the indices of input 1.
    ReadRows,
    /// Output 0 is the number of elements of array 0.
    Size,
    /// The elements of array 0 stay as they are.
    Inspect,
}

/// The ways in which an op's nodes are fused with their neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fusion {
    /// A product whose last dimension holds columns or channels, and the ops that compute it with its neighbours.
    Product(&'static ProductForms),
    /// Adds input 1, a bias, to every column or channel of input 0.
    Bias,
    /// Applies an activation that the fused forms of products have under the op's name.
    Activation,
    /// Gives the block of input 0 that begins at input 1 and has the size of input 2.
    Block,
}

/// Ops that compute a product together with its neighbours, with the bits of the single ops.
#[derive(Debug, PartialEq, Eq)]
pub struct ProductForms {
    /// Adds a bias and applies an activation.
    pub epilogue: EpilogueForm,
    /// Computes only a block of the product.
    pub block: Option<&'static str>,
    /// Adds several products and other terms.
    pub sum: Option<&'static str>,
}

/// An op whose `fused_ops` are applied to a product.
#[derive(Debug, PartialEq, Eq)]
pub struct EpilogueForm {
    pub op: &'static str,
    /// The product's attributes that the op has, too.
    pub attrs: &'static [&'static str],
    /// The name in `fused_ops` of the addition of a bias.
    pub bias: &'static str,
}

/// Names of ops that the engine itself writes into graphs.
pub mod written {
    pub const CONST: &str = "Const";
    pub const CONTROL_TRIGGER: &str = "ControlTrigger";
    pub const IDENTITY: &str = "Identity";
    pub const PLACEHOLDER: &str = "Placeholder";
    pub const RECV: &str = "_Recv";
    pub const SEND: &str = "_Send";
    pub const SWITCH: &str = "Switch";
}
