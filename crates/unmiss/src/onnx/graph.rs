//! A graph under construction: inputs, constants, operations, outputs.

use std::collections::HashSet;
use std::rc::Rc;

use prost::Message;

use super::proto::{
    AttributeProto, DimensionProto, EntryProto, GraphProto, ModelProto, NodeProto, OperatorSetProto,
    ShapeProto, TensorProto, TensorTypeProto, TypeProto, ValueInfoProto,
};

/// The versions of file and operators: old enough for runtimes of the last years.
const FILE_VERSION: i64 = 8;
const OPERATORS: i64 = 17;
/// The operators of trees and of codes for words have a list of their own.
const LEARNING_OPERATORS: i64 = 3;
/// The name of that list.
const LEARNING: &str = "ai.onnx.ml";

/// What a tensor holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    /// Numbers in single precision.
    Single = 1,
    /// Whole numbers of 32 bits, in which recurrent operations count steps.
    Count = 6,
    /// Whole numbers.
    Integer = 7,
    /// Words.
    Word = 8,
    /// Marks.
    Mark = 9,
    /// Numbers in double precision.
    Double = 11,
}

impl Kind {
    /// The name that runtimes have for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "float32",
            Self::Count => "int32",
            Self::Integer => "int64",
            Self::Word => "string",
            Self::Mark => "bool",
            Self::Double => "float64",
        }
    }
}

/// The name of what an operation will have computed. A clone is the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol(Rc<str>);

impl Symbol {
    /// The name in the file.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// What goes in or comes out: a line of the signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// The length of each axis; none for what is open: of the first axis the number of rows, of another that of steps.
    pub shape: Vec<Option<usize>>,
    /// What it is, in words.
    pub about: String,
}

impl Port {
    /// The length of each axis in words.
    pub fn lengths(&self) -> Vec<String> {
        let open = |axis: usize| if axis == 0 { "rows" } else { "steps" };
        let word = |(axis, length): (usize, &Option<usize>)| {
            length.map_or_else(|| open(axis).to_owned(), |length| length.to_string())
        };
        self.shape.iter().enumerate().map(word).collect()
    }
}

/// A graph.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: Vec<NodeProto>,
    constants: Vec<TensorProto>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    named: usize,
}

impl Graph {
    fn fresh(&mut self) -> Symbol {
        self.named += 1;
        // No name of a column looks like that.
        Symbol(format!("#{}", self.named).into())
    }

    /// Something that goes in.
    pub fn input(&mut self, name: &str, kind: Kind, shape: &[Option<usize>], about: &str) -> Symbol {
        self.inputs.push(Port { name: name.into(), kind, shape: shape.to_vec(), about: about.into() });
        Symbol(name.into())
    }

    /// Something that comes out.
    pub fn output(&mut self, name: &str, of: &Symbol, kind: Kind, shape: &[Option<usize>], about: &str) {
        self.outputs.push(Port { name: name.into(), kind, shape: shape.to_vec(), about: about.into() });
        self.push("Identity", "", &[of], Symbol(name.into()), Vec::new());
    }

    /// What goes in and what comes out.
    pub fn signature(&self) -> (&[Port], &[Port]) {
        (&self.inputs, &self.outputs)
    }

    /// An operation without settings.
    pub fn op(&mut self, name: &str, inputs: &[&Symbol]) -> Symbol {
        self.op_with(name, inputs, Vec::new())
    }

    /// An operation with settings.
    pub fn op_with(&mut self, name: &str, inputs: &[&Symbol], settings: Vec<AttributeProto>) -> Symbol {
        let output = self.fresh();
        self.push(name, "", inputs, output.clone(), settings);
        output
    }

    /// An operation of the list for learned models: trees, and codes for words.
    pub fn learned(&mut self, name: &str, inputs: &[&Symbol], settings: Vec<AttributeProto>) -> Symbol {
        let output = self.fresh();
        self.push(name, LEARNING, inputs, output.clone(), settings);
        output
    }

    /// An operation that gives two things.
    pub fn two(&mut self, name: &str, inputs: &[&Symbol], settings: Vec<AttributeProto>) -> (Symbol, Symbol) {
        let (first, second) = (self.fresh(), self.fresh());
        self.push(name, "", inputs, first.clone(), settings);
        if let Some(node) = self.nodes.last_mut() {
            node.output.push(second.name().to_owned());
        }
        (first, second)
    }

    /// An operation of which the second result is wanted alone.
    pub fn second(&mut self, name: &str, inputs: &[&Symbol], settings: Vec<AttributeProto>) -> Symbol {
        let output = self.op_with(name, inputs, settings);
        if let Some(node) = self.nodes.last_mut() {
            node.output.insert(0, String::new());
        }
        output
    }

    /// A state that goes from step to step: `step` makes the next one, `[rows, ..]`, from the last one and from what
    /// the sequences, `[rows, steps, ..]`, hold at the step. All are numbers in single precision.
    pub fn carried(
        &mut self,
        start: &Symbol,
        sequences: &[&Symbol],
        step: impl FnOnce(&mut Self, &Symbol, &[Symbol]) -> Symbol,
    ) -> Symbol {
        let state = self.fresh();
        let items: Vec<Symbol> = sequences.iter().map(|_| self.fresh()).collect();
        let outside = std::mem::take(&mut self.nodes);
        let next = step(self, &state, &items);
        let inside = std::mem::replace(&mut self.nodes, outside);
        let within = |symbol: &Symbol| ValueInfoProto {
            name: symbol.name().to_owned(),
            r#type: Some(TypeProto {
                tensor_type: Some(TensorTypeProto { elem_type: Kind::Single as i32, shape: None }),
            }),
            doc_string: String::new(),
        };
        let body = GraphProto {
            node: inside,
            name: "step".into(),
            initializer: Vec::new(),
            input: std::iter::once(&state).chain(&items).map(within).collect(),
            output: vec![within(&next)],
        };
        let settings = vec![
            AttributeProto::graph("body", body),
            AttributeProto::integer("num_scan_inputs", sequences.len() as i64),
            AttributeProto::integers("scan_input_axes", vec![1; sequences.len()]),
        ];
        let inputs: Vec<&Symbol> = std::iter::once(&start).chain(sequences).copied().collect();
        self.op_with("Scan", &inputs, settings)
    }

    fn push(
        &mut self,
        name: &str,
        domain: &str,
        inputs: &[&Symbol],
        output: Symbol,
        attribute: Vec<AttributeProto>,
    ) {
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|input| input.name().to_owned()).collect(),
            output: vec![output.name().to_owned()],
            name: format!("{name} {}", self.nodes.len()),
            op_type: name.to_owned(),
            attribute,
            domain: domain.to_owned(),
        });
    }

    fn constant(&mut self, mut tensor: TensorProto) -> Symbol {
        let name = self.fresh();
        tensor.name = name.name().to_owned();
        self.constants.push(tensor);
        name
    }

    /// Numbers in double precision.
    pub fn doubles(&mut self, shape: &[usize], values: Vec<f64>) -> Symbol {
        self.constant(tensor_of_doubles(shape, &values))
    }

    /// Numbers in single precision.
    pub fn singles(&mut self, shape: &[usize], values: &[f32]) -> Symbol {
        let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(tensor(Kind::Single, shape, raw))
    }

    /// Whole numbers.
    pub fn integers(&mut self, shape: &[usize], values: &[i64]) -> Symbol {
        let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(tensor(Kind::Integer, shape, raw))
    }

    /// Words.
    pub fn words(&mut self, words: &[String]) -> Symbol {
        self.constant(TensorProto {
            dims: vec![words.len() as i64],
            data_type: Kind::Word as i32,
            string_data: words.iter().map(|word| word.as_bytes().to_vec()).collect(),
            ..TensorProto::default()
        })
    }

    /// The bytes of a file, with what is told about the model.
    pub fn to_bytes(&self, about: &str, told: &[(String, String)]) -> Vec<u8> {
        let set = |domain: &str, version| OperatorSetProto { domain: domain.to_owned(), version };
        // A part may have prepared more than another has used.
        let mut used = HashSet::new();
        note_used(&self.nodes, &mut used);
        let constants = self.constants.iter().filter(|constant| used.contains(constant.name.as_str()));
        ModelProto {
            ir_version: FILE_VERSION,
            producer_name: "unmiss".into(),
            producer_version: env!("CARGO_PKG_VERSION").into(),
            doc_string: about.to_owned(),
            graph: Some(GraphProto {
                node: self.nodes.clone(),
                name: "unmiss".into(),
                initializer: constants.cloned().collect(),
                input: self.inputs.iter().map(value_info).collect(),
                output: self.outputs.iter().map(value_info).collect(),
            }),
            opset_import: vec![set("", OPERATORS), set(LEARNING, LEARNING_OPERATORS)],
            metadata_props: told
                .iter()
                .map(|(key, value)| EntryProto { key: key.clone(), value: value.clone() })
                .collect(),
        }
        .encode_to_vec()
    }
}

fn tensor(kind: Kind, shape: &[usize], raw: Vec<u8>) -> TensorProto {
    TensorProto {
        dims: shape.iter().map(|length| *length as i64).collect(),
        data_type: kind as i32,
        raw_data: Some(raw),
        ..TensorProto::default()
    }
}

/// Numbers in double precision as a message.
pub(super) fn tensor_of_doubles(shape: &[usize], values: &[f64]) -> TensorProto {
    tensor(Kind::Double, shape, values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

/// The names that operations read, and those that operations inside of them read.
fn note_used<'a>(nodes: &'a [NodeProto], used: &mut HashSet<&'a str>) {
    for node in nodes {
        used.extend(node.input.iter().map(String::as_str));
        let inside = node.attribute.iter().filter_map(|setting| setting.g.as_ref());
        inside.for_each(|graph| note_used(&graph.node, used));
    }
}

fn value_info(port: &Port) -> ValueInfoProto {
    let dimension = |(length, name): (&Option<usize>, String)| DimensionProto {
        dim_value: length.map(|length| length as i64),
        dim_param: length.is_none().then_some(name),
    };
    let shape = ShapeProto { dim: port.shape.iter().zip(port.lengths()).map(dimension).collect() };
    let tensor = TensorTypeProto { elem_type: port.kind as i32, shape: Some(shape) };
    ValueInfoProto {
        name: port.name.clone(),
        r#type: Some(TypeProto { tensor_type: Some(tensor) }),
        doc_string: port.about.clone(),
    }
}
