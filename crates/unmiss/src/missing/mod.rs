//! How holes come about, and how to describe them.
