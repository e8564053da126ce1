//! Operations that are needed again and again, by the names that this project has for them.

use super::graph::{Graph, Kind, Symbol, tensor_of_doubles};
use super::proto::{AttributeProto, GraphProto};

/// What kind of setting an operation is given, by the format's numbers.
impl AttributeProto {
    /// A whole number.
    pub fn integer(name: &str, value: i64) -> Self {
        Self { name: name.into(), i: Some(value), r#type: 2, ..Self::default() }
    }

    /// A number.
    pub fn number(name: &str, value: f32) -> Self {
        Self { name: name.into(), f: Some(value), r#type: 1, ..Self::default() }
    }

    /// A word.
    pub fn word(name: &str, value: &str) -> Self {
        Self { name: name.into(), s: Some(value.as_bytes().to_vec()), r#type: 3, ..Self::default() }
    }

    /// Numbers in double precision.
    pub fn doubles(name: &str, values: &[f64]) -> Self {
        let tensor = tensor_of_doubles(&[values.len()], values);
        Self { name: name.into(), t: Some(tensor), r#type: 4, ..Self::default() }
    }

    /// Operations inside of an operation.
    pub(super) fn graph(name: &str, graph: GraphProto) -> Self {
        Self { name: name.into(), g: Some(graph), r#type: 5, ..Self::default() }
    }

    /// Whole numbers.
    pub fn integers(name: &str, values: Vec<i64>) -> Self {
        Self { name: name.into(), ints: values, r#type: 7, ..Self::default() }
    }

    /// Words.
    pub fn words<'a>(name: &str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let strings = values.into_iter().map(|word| word.as_bytes().to_vec()).collect();
        Self { name: name.into(), strings, r#type: 8, ..Self::default() }
    }
}

impl Graph {
    /// One number in double precision, which goes with any shape.
    pub fn double(&mut self, value: f64) -> Symbol {
        self.doubles(&[1], vec![value])
    }

    /// One number in single precision, which goes with any shape.
    pub fn single(&mut self, value: f32) -> Symbol {
        self.singles(&[1], &[value])
    }

    /// The same in another kind of number.
    pub fn cast(&mut self, input: &Symbol, to: Kind) -> Symbol {
        self.op_with("Cast", &[input], vec![AttributeProto::integer("to", to as i64)])
    }

    /// `left + right`
    pub fn add(&mut self, left: &Symbol, right: &Symbol) -> Symbol {
        self.op("Add", &[left, right])
    }

    /// `left - right`
    pub fn subtract(&mut self, left: &Symbol, right: &Symbol) -> Symbol {
        self.op("Sub", &[left, right])
    }

    /// `left right`, number by number.
    pub fn times(&mut self, left: &Symbol, right: &Symbol) -> Symbol {
        self.op("Mul", &[left, right])
    }

    /// `left / right`
    pub fn divide(&mut self, left: &Symbol, right: &Symbol) -> Symbol {
        self.op("Div", &[left, right])
    }

    /// The product of matrices.
    pub fn product(&mut self, left: &Symbol, right: &Symbol) -> Symbol {
        self.op("MatMul", &[left, right])
    }

    /// `yes` where the mark is true, `no` elsewhere.
    pub fn choose(&mut self, mark: &Symbol, yes: &Symbol, no: &Symbol) -> Symbol {
        self.op("Where", &[mark, yes, no])
    }

    /// Columns side by side.
    pub fn beside(&mut self, parts: &[&Symbol]) -> Symbol {
        self.joined(parts, 1)
    }

    /// Parts one after the other along an axis.
    pub fn joined(&mut self, parts: &[&Symbol], axis: i64) -> Symbol {
        match parts {
            [one] => (*one).clone(),
            _ => self.op_with("Concat", parts, vec![AttributeProto::integer("axis", axis)]),
        }
    }

    /// Places of a tensor along an axis.
    pub fn gather(&mut self, from: &Symbol, places: &Symbol, axis: i64) -> Symbol {
        self.op_with("Gather", &[from, places], vec![AttributeProto::integer("axis", axis)])
    }

    /// Some of the columns, `[rows, columns]` to `[rows, places]`.
    pub fn columns(&mut self, from: &Symbol, places: impl IntoIterator<Item = usize>) -> Symbol {
        let places: Vec<i64> = places.into_iter().map(|place| place as i64).collect();
        let places = self.integers(&[places.len()], &places);
        self.gather(from, &places, 1)
    }

    /// A range of the last axis, whatever comes before it.
    pub fn columns_of_last(&mut self, from: &Symbol, range: std::ops::Range<usize>) -> Symbol {
        let places: Vec<i64> = range.map(|place| place as i64).collect();
        let places = self.integers(&[places.len()], &places);
        self.gather(from, &places, -1)
    }

    /// The same numbers in another shape; -1 stands for what is left, 0 for a length that stays.
    pub fn shaped(&mut self, input: &Symbol, shape: &[i64]) -> Symbol {
        let shape = self.integers(&[shape.len()], shape);
        self.op("Reshape", &[input, &shape])
    }

    /// Sums along an axis, whose length becomes 1.
    pub fn sum(&mut self, input: &Symbol, axis: i64) -> Symbol {
        let axis = self.integers(&[1], &[axis]);
        self.op("ReduceSum", &[input, &axis])
    }

    /// The smallest or largest number along an axis, whose length becomes 1: `ReduceMin` or `ReduceMax`.
    pub fn extreme(&mut self, name: &str, input: &Symbol, axis: i64) -> Symbol {
        self.op_with(name, &[input], vec![AttributeProto::integers("axes", vec![axis])])
    }

    /// Numbers kept between two others, in double precision.
    pub fn clamp(&mut self, input: &Symbol, low: f64, high: f64) -> Symbol {
        let (low, high) = (self.doubles(&[], vec![low]), self.doubles(&[], vec![high]));
        self.op("Clip", &[input, &low, &high])
    }

    /// Chances of classes from their sums, `[rows, classes]`.
    pub fn softmax(&mut self, sums: &Symbol) -> Symbol {
        self.op_with("Softmax", &[sums], vec![AttributeProto::integer("axis", -1)])
    }

    /// Chances of two classes from the log-odds of the second, `[rows, 1]` to `[rows, 2]`.
    pub fn chances_of_two(&mut self, sums: &Symbol) -> Symbol {
        let second = self.op("Sigmoid", &[sums]);
        self.with_first_of_two(&second)
    }

    /// Chances of two classes from that of the second, `[rows, 1]` to `[rows, 2]`.
    pub fn with_first_of_two(&mut self, second: &Symbol) -> Symbol {
        let one = self.double(1.0);
        let first = self.subtract(&one, second);
        self.beside(&[&first, second])
    }
}
