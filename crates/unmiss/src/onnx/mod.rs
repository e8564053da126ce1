//! Graphs of the Open Neural Network Exchange format (ONNX): what other runtimes take instead of our model files.
//!
//! A [`Graph`] is written operation by operation. Every operation gives a [`Symbol`], the name of what it will have
//! computed; the numbers of a model are constants of the graph. What a table, a network or a tree has to do with one
//! another is the business of the rooms below: each writes its own part.
//!
//! ```
//! use unmiss::onnx::{Graph, Kind};
//!
//! let mut graph = Graph::default();
//! let age = graph.input("age", Kind::Double, &[None, Some(1)], "a number; NaN is a hole");
//! let missing = graph.op("IsNaN", &[&age]);
//! let mean = graph.doubles(&[1, 1], vec![52.0]);
//! let filled = graph.op("Where", &[&missing, &mean, &age]);
//! graph.output("filled", &filled, Kind::Double, &[None, Some(1)], "age without holes");
//! assert!(graph.to_bytes("a mean", &[]).len() > 100);
//! ```

mod proto;
mod graph;
mod operations;
mod rows;

pub use graph::{Graph, Kind, Port, Symbol};
pub use proto::AttributeProto as Attribute;
pub use rows::{WrittenCategory, WrittenNumbers, WrittenRows};
