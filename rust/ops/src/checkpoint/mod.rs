//! Tensors saved in checkpoints and restored from them.

mod arguments;
mod merge_v2_checkpoints;
mod remapping;
mod restore;
mod restore_v2;
mod save;
mod save_v2;
mod sharded_filename;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    merge_v2_checkpoints::register(r);
    remapping::register(r);
    restore::register(r);
    restore_v2::register(r);
    save::register(r);
    save_v2::register(r);
    sharded_filename::register(r);
}
