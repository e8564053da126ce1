//! No code: the manifest of this crate settles the features of shared dependencies, so that the library, the
//! program and the tests build the engine once instead of three times.
