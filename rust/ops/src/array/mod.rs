//! Constants, placeholders, and ops that move, cut or make elements without computing on them.

mod concat;
mod constant;
mod expand_dims;
mod fill;
mod gather;
mod identity;
mod one_hot;
mod pack;
mod placeholder;
mod reshape;
mod rows;
mod shape;
mod slice;
mod split;
mod squeeze;
mod strided;
mod strided_slice;
mod transpose;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    concat::register(r);
    constant::register(r);
    expand_dims::register(r);
    fill::register(r);
    gather::register(r);
    identity::register(r);
    one_hot::register(r);
    pack::register(r);
    placeholder::register(r);
    reshape::register(r);
    shape::register(r);
    slice::register(r);
    split::register(r);
    squeeze::register(r);
    strided_slice::register(r);
    transpose::register(r);
}
