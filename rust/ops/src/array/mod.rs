//! Constants, placeholders, and ops that move, cut or make elements without computing on them.

mod constant;
mod identity;
mod placeholder;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    constant::register(r);
    identity::register(r);
    placeholder::register(r);
}
