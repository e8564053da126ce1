//! The layer written down as operations of a graph: the format's own where the state does not fade, else one step of
//! it, which is repeated.

use super::layer::{Cell, Recurrent};
use crate::nn::Parameters;
use crate::onnx::{Attribute, Graph, Kind, Symbol};

impl Recurrent {
    /// `[rows, units]`: the state after the last step of each series. Input and decay are `[rows, steps, ..]`, lengths
    /// `[rows]`.
    pub fn write(
        &self,
        graph: &mut Graph,
        (parameters, first): (&Parameters, usize),
        input: &Symbol,
        decay: Option<&Symbol>,
        lengths: &Symbol,
    ) -> Symbol {
        let arrays: [&[f32]; 3] = std::array::from_fn(|place| parameters[first + place].values.as_slice());
        match decay {
            None => self.write_whole(graph, arrays, input, lengths),
            Some(decay) => self.write_steps(graph, arrays, (input, decay), lengths),
        }
    }

    /// Weights `[rows, k units]` as `[1, k units, rows]`, the gates in another order.
    fn turned(&self, graph: &mut Graph, weights: &[f32], rows: usize, order: &[usize]) -> Symbol {
        let wide = self.gates() * self.units;
        let mut turned = Vec::with_capacity(weights.len());
        for gate in order {
            for unit in 0..self.units {
                turned.extend((0..rows).map(|row| weights[row * wide + gate * self.units + unit]));
            }
        }
        graph.singles(&[1, wide, rows], &turned)
    }

    /// The format has the gates i o f g of an LSTM, and z r n of a GRU.
    fn write_whole(
        &self,
        graph: &mut Graph,
        arrays: [&[f32]; 3],
        input: &Symbol,
        lengths: &Symbol,
    ) -> Symbol {
        let [of_input, of_state, bias] = arrays;
        let part = |place: usize| &bias[place * self.units..(place + 1) * self.units];
        let zeros = vec![0.0; self.units];
        let (name, inputs, states, biases): (_, &[usize], &[usize], Vec<&[f32]>) = match self.cell {
            Cell::Lstm => {
                let own = [0, 3, 1, 2].map(part);
                ("LSTM", &[0, 3, 1, 2], &[0, 3, 1, 2], own.into_iter().chain([zeros.as_slice(); 4]).collect())
            }
            Cell::Gru => {
                let own = [part(2), part(1), part(0), &zeros, &zeros, part(3)];
                ("GRU", &[2, 1, 0], &[1, 0, 2], own.to_vec())
            }
        };
        let of_input = self.turned(graph, of_input, self.inputs, inputs);
        let of_state = self.turned(graph, of_state, self.units, states);
        let biases = biases.concat();
        let biases = graph.singles(&[1, biases.len()], &biases);
        let swap = vec![Attribute::integers("perm", vec![1, 0, 2])];
        let by_step = graph.op_with("Transpose", &[input], swap);
        let mut settings = vec![Attribute::integer("hidden_size", self.units as i64)];
        if self.cell == Cell::Gru {
            settings.push(Attribute::integer("linear_before_reset", 1));
        }
        let last = graph.second(name, &[&by_step, &of_input, &of_state, &biases, lengths], settings);
        graph.shaped(&last, &[-1, self.units as i64])
    }

    /// With a state that fades before each step. An LSTM carries what it remembers beside its state.
    fn write_steps(
        &self,
        graph: &mut Graph,
        [of_input, of_state, bias]: [&[f32]; 3],
        (input, decay): (&Symbol, &Symbol),
        lengths: &Symbol,
    ) -> Symbol {
        let (units, wide) = (self.units, self.gates() * self.units);
        let of_input = graph.singles(&[self.inputs, wide], of_input);
        let sums = graph.product(input, &of_input);
        let own = graph.singles(&[1, 1, wide], &bias[..wide]);
        let sums = graph.add(&sums, &own);
        let of_state = graph.singles(&[units, wide], of_state);
        let beside_state = (self.cell == Cell::Gru).then(|| graph.singles(&[1, units], &bias[wide..]));
        let carried = if self.cell == Cell::Lstm { 2 * units } else { units };
        let start = graph.singles(&[1, carried], &vec![0.0; carried]);
        let (counted, nothing) = (graph.cast(lengths, Kind::Single), graph.single(0.0));
        let counted = graph.shaped(&counted, &[-1, 1]);
        let zero = graph.times(&counted, &nothing);
        let start = graph.add(&zero, &start);
        // 1 for every step that there is: its place, from 0, is below the length.
        let ones = graph.columns_of_last(decay, 0..1);
        let ones = graph.times(&ones, &nothing);
        let one = graph.single(1.0);
        let ones = graph.add(&ones, &one);
        let axis = graph.integers(&[], &[1]);
        let places = graph.op("CumSum", &[&ones, &axis]);
        let counted = graph.shaped(&counted, &[-1, 1, 1]);
        let behind = graph.op("Greater", &[&places, &counted]);
        let there = graph.op("Not", &[&behind]);
        let there = graph.cast(&there, Kind::Single);
        let part = |graph: &mut Graph, from: &Symbol, place: usize| {
            graph.columns(from, place * units..(place + 1) * units)
        };
        let last = graph.carried(&start, &[&sums, decay, &there], |graph, state, items| {
            let [sums, decay, there] = items else { return state.clone() };
            let hidden = part(graph, state, 0);
            let faded = graph.times(&hidden, decay);
            let pulls = graph.product(&faded, &of_state);
            let next = match &beside_state {
                None => {
                    let all = graph.add(sums, &pulls);
                    let [i, f, g, o] = [0, 1, 2, 3].map(|gate| part(graph, &all, gate));
                    let [i, f, o] = [i, f, o].map(|gate| graph.op("Sigmoid", &[&gate]));
                    let memory = part(graph, state, 1);
                    let (kept, new) = (graph.times(&f, &memory), graph.op("Tanh", &[&g]));
                    let new = graph.times(&i, &new);
                    let memory = graph.add(&kept, &new);
                    let bent = graph.op("Tanh", &[&memory]);
                    let hidden = graph.times(&o, &bent);
                    graph.beside(&[&hidden, &memory])
                }
                Some(beside) => {
                    // From the input n r z, from the state r z m.
                    let [n, r, z] = [0, 1, 2].map(|gate| part(graph, sums, gate));
                    let [of_r, of_z, m] = [0, 1, 2].map(|gate| part(graph, &pulls, gate));
                    let (r, z, m) = (graph.add(&r, &of_r), graph.add(&z, &of_z), graph.add(&m, beside));
                    let [r, z] = [r, z].map(|gate| graph.op("Sigmoid", &[&gate]));
                    let gated = graph.times(&r, &m);
                    let n = graph.add(&n, &gated);
                    let n = graph.op("Tanh", &[&n]);
                    let left = graph.subtract(&faded, &n);
                    let left = graph.times(&z, &left);
                    graph.add(&n, &left)
                }
            };
            let there = graph.cast(there, Kind::Mark);
            graph.choose(&there, &next, state)
        });
        part(graph, &last, 0)
    }
}
