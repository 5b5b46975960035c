//! `Form`: the three generations of ops on tensor arrays, which differ in their handles.

use ferroflow_graph::{ElementsPart, Op, ShapeContext, ShapeFn, shape_rules};
use ferroflow_tensor::{PartialShape, Result};

/// The kind of handle that an op's array has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A reference to container and name.
    First,
    /// Container and name.
    Second,
    /// A resource.
    Third,
}

impl Form {
    pub const ALL: [Form; 3] = [Form::First, Form::Second, Form::Third];

    /// Returns an op's name in this generation.
    pub fn name(self, base: &str) -> String {
        format!("{base}{}", ["", "V2", "V3"][self as usize])
    }

    /// Returns the type of a handle in a schema.
    pub fn handle(self) -> &'static str {
        ["Ref(string)", "string", "resource"][self as usize]
    }

    /// Returns an op on an array: its first input is the handle.
    pub fn on_array(self, base: &str, part: ElementsPart) -> Op {
        self.elements(self.on_array_of(base, self.handle()), part)
    }

    /// Returns an op on an array whose handle has that type.
    pub fn on_array_of(self, base: &str, handle: &str) -> Op {
        let op = Op::new(&self.name(base)).input(&format!("handle: {handle}")).stateful();
        let op = op.listed_stateful(self == Form::Third);
        if self == Form::First { op.inspects_ref() } else { op }
    }

    /// Returns the shape rule of the third generation, or that of the handles that have no known elements.
    pub fn shape(self, third: ShapeFn, others: ShapeFn) -> ShapeFn {
        if self == Form::Third { third } else { others }
    }

    /// Declares the part that the op plays for the elements; it is of use for handles that are resources alone.
    pub fn elements(self, op: Op, part: ElementsPart) -> Op {
        if self == Form::Third { op.elements(part) } else { op }
    }

    /// Returns the rule of ops that give a handle and, in the third generation, a flow. TF 1.x: a handle counts as the
    /// two names that it once was, and TensorFlow refuses other shapes in graphs.
    pub fn handle_shape(self) -> ShapeFn {
        match self {
            Form::First => shape_rules::unknown,
            Form::Second => pair_of_names,
            Form::Third => pair_and_flow,
        }
    }
}

fn pair_of_names(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::vector(Some(2)));
    Ok(())
}

fn pair_and_flow(c: &mut ShapeContext<'_>) -> Result<()> {
    pair_of_names(c)?;
    c.set_output(1, PartialShape::scalar());
    Ok(())
}
