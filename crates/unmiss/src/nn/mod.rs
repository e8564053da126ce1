//! Network parts, one per file, and the training loop.
