//! `Layout`: the place of every value of a program while its blocks are computed.

use super::blocks::LONGEST;
use super::grain;
use super::program::{Instruction, NEVER, Program, Value};
use smallvec::SmallVec;

/// The relation of a value's elements to those of the full shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// One element for all.
    Scalar,
    /// The trailing dimensions of the full shape; all rows of a program have the same ones.
    Row,
    /// Any other shape that broadcasts to the full one.
    Part,
    Full,
}

/// The place of a value while a block is computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A full input, by its number.
    Input(u32),
    /// One of the registers.
    Register(u32),
    /// The memory of an output, by its number.
    Output(u32),
    /// A scalar spread over a block, by its number among these.
    Spread(u32),
    /// A row repeated over a block, by its number among these.
    Row(u32),
    /// A part stretched over a block, by its number among these.
    Part(u32),
}

/// A step of the block loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub instruction: Instruction,
    pub a: Place,
    pub b: Place,
    pub to: Place,
}

/// The part of a run's preparation that only the program and the classes of its values decide.
#[derive(Debug)]
pub(super) struct Layout {
    given: SmallVec<[Class; 8]>,
    /// Of each value.
    pub classes: Vec<Class>,
    pub steps: Vec<Step>,
    pub registers: usize,
    /// Scalar values that full instructions read.
    pub spreads: Vec<Value>,
    /// Row values that full instructions read.
    pub rows: Vec<Value>,
    /// Part values that full instructions read.
    pub parts: Vec<Value>,
    /// Of each output of the program.
    pub results: Vec<Outcome>,
    /// Of each output that the loop computes: the full inputs whose memory it may take.
    pub reusable: Vec<SmallVec<[u32; 4]>>,
    /// Elements worth a thread.
    pub grain: usize,
}

/// The way in which an output is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// A value that exists before the loop: an input, a scalar, a row or a part.
    Before(Value),
    /// The loop's output of this number.
    Computed(u32),
}

impl Layout {
    /// Returns the classes that it was made of.
    pub(super) fn given(&self) -> &[Class] {
        &self.given
    }

    /// Returns the layout for the classes of all values; those of the inputs are enough if none is a part.
    pub(super) fn new(program: &Program, given: SmallVec<[Class; 8]>) -> Layout {
        let inputs = program.inputs();
        let mut classes = given.to_vec();
        for instruction in &program.instructions()[classes.len() - inputs..] {
            let class = instruction.operands().map(|v| classes[v as usize]);
            classes.push(class.max_by_key(|c| *c as u8).unwrap_or(Class::Scalar));
        }
        let mut layout = Layout {
            given,
            classes,
            steps: Vec::new(),
            registers: 0,
            spreads: Vec::new(),
            rows: Vec::new(),
            parts: Vec::new(),
            results: Vec::new(),
            reusable: Vec::new(),
            grain: 0,
        };
        let mut computed: Vec<Value> = Vec::new();
        for &value in program.outputs() {
            let in_loop = value as usize >= inputs && layout.classes[value as usize] == Class::Full;
            layout.results.push(if !in_loop {
                Outcome::Before(value)
            } else {
                let number = computed.iter().position(|v| *v == value).unwrap_or_else(|| {
                    computed.push(value);
                    computed.len() - 1
                });
                Outcome::Computed(number as u32)
            });
        }
        layout.place(program, &computed);
        layout.choose_reusable(program, &computed);
        let weight: usize = program.instructions().iter().map(weight).sum();
        // At least what one addition of this many elements costs; a whole number of the longest blocks.
        layout.grain = ((4 * grain::LIGHT) / (weight + 3)).next_multiple_of(LONGEST);
        layout
    }

    /// Gives every full value its place, registers being free again after the last instruction that reads them.
    fn place(&mut self, program: &Program, computed: &[Value]) {
        let inputs = program.inputs();
        let mut places: Vec<Option<Place>> = vec![None; self.classes.len()];
        let mut free: Vec<u32> = Vec::new();
        for (i, &instruction) in program.instructions().iter().enumerate() {
            let value = (inputs + i) as Value;
            if self.classes[value as usize] != Class::Full {
                continue;
            }
            let (a, b) = match instruction {
                Instruction::Unary(_, a) => (a, a),
                Instruction::Binary(_, a, b) => (a, b),
            };
            let (place_a, place_b) = (self.operand(a, inputs, &mut places), self.operand(b, inputs, &mut places));
            // An operand's register may become the result's: the loops of `vector` have forms that write in place.
            for (v, place) in [(a, Some(place_a)), (b, (a != b).then_some(place_b))] {
                if let Some(Place::Register(register)) = place
                    && program.last_use(v) == i as u32
                {
                    free.push(register);
                }
            }
            let to = match computed.iter().position(|v| *v == value) {
                Some(number) => Place::Output(number as u32),
                None => Place::Register(free.pop().unwrap_or_else(|| {
                    self.registers += 1;
                    self.registers as u32 - 1
                })),
            };
            places[value as usize] = Some(to);
            if let Place::Register(register) = to
                && program.last_use(value) == NEVER
            {
                free.push(register);
            }
            self.steps.push(Step { instruction, a: place_a, b: place_b, to });
        }
    }

    fn operand(&mut self, v: Value, inputs: usize, places: &mut [Option<Place>]) -> Place {
        if let Some(place) = places[v as usize] {
            return place;
        }
        let place = match self.classes[v as usize] {
            // Full values of instructions are in outputs or registers already.
            Class::Full => Place::Input(v.min(inputs as u32)),
            Class::Scalar => {
                self.spreads.push(v);
                Place::Spread(self.spreads.len() as u32 - 1)
            }
            Class::Row => {
                self.rows.push(v);
                Place::Row(self.rows.len() as u32 - 1)
            }
            Class::Part => {
                self.parts.push(v);
                Place::Part(self.parts.len() as u32 - 1)
            }
        };
        places[v as usize] = Some(place);
        place
    }

    /// Chooses full inputs that outputs may overwrite: those that no later instruction reads.
    fn choose_reusable(&mut self, program: &Program, computed: &[Value]) {
        let inputs = program.inputs();
        for &value in computed {
            let made = value - inputs as Value;
            let dead = |v: Value| program.last_use(v) == NEVER || program.last_use(v) <= made;
            let full = |v: Value| self.classes[v as usize] == Class::Full;
            self.reusable.push((0..inputs as Value).filter(|&v| full(v) && dead(v)).collect());
        }
    }
}

fn weight(instruction: &Instruction) -> usize {
    grain::LIGHT
        / match *instruction {
            Instruction::Unary(f, _) => grain::of_unary(f),
            Instruction::Binary(f, ..) => grain::of_binary(f),
        }
}
