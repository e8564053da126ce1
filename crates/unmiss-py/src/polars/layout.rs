//! What Polars hands over: the structures of Arrow's C data interface, and a column of several arrays.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

/// The type of a column. Whoever gives it away is told by `release` when it is no longer needed.
#[repr(C)]
pub(crate) struct ArrowSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut ArrowSchema,
    pub(super) dictionary: *mut ArrowSchema,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(super) private_data: *mut c_void,
}

/// The cells of a column.
#[repr(C)]
pub(crate) struct ArrowArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut ArrowArray,
    pub(super) dictionary: *mut ArrowArray,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(super) private_data: *mut c_void,
}

impl Drop for ArrowSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            unsafe { release(self) }
        }
    }
}

impl Drop for ArrowArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            unsafe { release(self) }
        }
    }
}

/// A column: its type, and its arrays one behind the other. `release` frees the list, not the arrays, which are
/// whoever's that has the column.
#[repr(C)]
pub(crate) struct SeriesExport {
    pub(super) field: *mut ArrowSchema,
    pub(super) arrays: *mut *mut ArrowArray,
    pub(super) count: usize,
    pub(super) release: Option<unsafe extern "C" fn(*mut SeriesExport)>,
    pub(super) private_data: *mut c_void,
}

impl SeriesExport {
    /// The arrays, which are ours from here on: to be called once.
    ///
    /// # Safety
    /// It is a column that Polars gave away.
    pub(super) unsafe fn taken(&self) -> Vec<ArrowArray> {
        (0..self.count).map(|at| unsafe { (*self.arrays.add(at)).read() }).collect()
    }
}

impl Drop for SeriesExport {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            unsafe { release(self) }
        }
    }
}

impl Default for ArrowSchema {
    fn default() -> Self {
        Self {
            format: std::ptr::null(),
            name: std::ptr::null(),
            metadata: std::ptr::null(),
            flags: 0,
            n_children: 0,
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
}

impl Default for ArrowArray {
    fn default() -> Self {
        Self {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
}
