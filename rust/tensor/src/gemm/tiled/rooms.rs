//! Room for packed parts of operands: a panel on the stack of a task, and rows that a thread keeps.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

use super::{FEW_ROWS_WIDE, INNER, MOST_ROWS, PACKED_ROW, PACKED_ROWS};

/// Bytes of a panel. A row of lanes takes 64 bytes whatever its elements.
pub(super) const PANEL_BYTES: usize = INNER * FEW_ROWS_WIDE * 64;

/// Bytes of a task's rows, enough for the wider element, f64.
const ROW_BYTES: usize = (PACKED_ROWS + MOST_ROWS) * PACKED_ROW * 8;

/// Room for one packed panel, on the stack of the task.
#[repr(align(64))]
pub(super) struct PanelRoom([MaybeUninit<u8>; PANEL_BYTES]);

impl PanelRoom {
    pub fn new() -> PanelRoom {
        PanelRoom([const { MaybeUninit::uninit() }; PANEL_BYTES])
    }

    pub fn as_mut_ptr<T>(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }
}

/// Room for the packed rows of one task, kept by each thread.
#[repr(align(64))]
pub(super) struct RowRoom(UnsafeCell<[MaybeUninit<u8>; ROW_BYTES]>);

impl RowRoom {
    pub fn get(&self) -> *mut MaybeUninit<u8> {
        self.0.get().cast()
    }
}

thread_local! {
    pub(super) static ROW_ROOM: Box<RowRoom> =
        Box::new(RowRoom(UnsafeCell::new([const { MaybeUninit::uninit() }; ROW_BYTES])));
}
