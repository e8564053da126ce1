//! What the program does with memory that it no longer needs.

/// Gives free memory back to the system. Reading a large file leaves much of it behind, which the allocator of this
/// system would keep for later.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes a number, looks at the allocator's own lists and may be made at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}
