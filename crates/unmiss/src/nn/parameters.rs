//! The weights of a network, by name: plain arrays of any rank that are lent to Burn for the length of a step.

use std::ops::{Index, IndexMut};

use crate::error::{Error, Result};
use crate::nn::lent::Lent;
use crate::nn::product::Matrix;
use crate::store::Arrays;

/// One array of weights, such as a matrix or the kernels of a convolution; the bias of a dense layer is a matrix of
/// one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name in model files, such as `hidden 1/weight`.
    pub name: String,
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// The numbers; those along the last axis stand together.
    pub values: Vec<f32>,
    /// Whether it follows a gradient. What is only carried along (the running mean of a batch norm) is saved and
    /// loaded with the rest, and changed by the network itself ([`Lent::carry`]).
    pub learned: bool,
    /// Factor on the learning rate.
    pub rate: f32,
    /// Whether weight decay applies.
    pub decay: bool,
}

impl Parameter {
    /// The numbers as a matrix with a row for each place on the first axis; rank 1 is one row.
    pub fn matrix(&self) -> Matrix<'_> {
        let (rows, columns) = match self.shape.as_slice() {
            [rows, rest @ ..] if !rest.is_empty() => (*rows, rest.iter().product()),
            _ => (1, self.values.len()),
        };
        Matrix::new(&self.values, rows, columns)
    }
}

/// All weights of a network. A clone is a snapshot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters(Vec<Parameter>);

impl Parameters {
    /// No weights yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array whose numbers are drawn in their order, and gives its index. Decay applies to matrices of more
    /// than one row and to higher ranks; [`IndexMut`] changes that and its learning rate.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        shape: impl Into<Vec<usize>>,
        draw: impl FnMut() -> f32,
    ) -> usize {
        let shape = shape.into();
        let values = std::iter::repeat_with(draw).take(shape.iter().product()).collect();
        let decay = match shape.as_slice() {
            [] | [_] => false,
            [rows, _] => *rows > 1,
            _ => true,
        };
        self.0.push(Parameter { name: name.into(), shape, values, learned: true, rate: 1.0, decay });
        self.0.len() - 1
    }

    /// Adds an array that is carried along and not learned, every number the same at first, and gives its index.
    pub fn add_carried(
        &mut self,
        name: impl Into<String>,
        shape: impl Into<Vec<usize>>,
        first: f32,
    ) -> usize {
        let index = self.add(name, shape, || first);
        (self.0[index].learned, self.0[index].decay) = (false, false);
        index
    }

    /// Adds a dense layer: `name/weight` `[inputs, outputs]`, drawn, and after it `name/bias` `[1, outputs]`, zero.
    /// Gives the index of the weight.
    pub fn add_dense(
        &mut self,
        name: &str,
        inputs: usize,
        outputs: usize,
        draw: impl FnMut() -> f32,
    ) -> usize {
        let weight = self.add(format!("{name}/weight"), [inputs, outputs], draw);
        self.add(format!("{name}/bias"), [1, outputs], || 0.0);
        weight
    }

    /// The arrays in the order in which they were added.
    pub fn iter(&self) -> std::slice::Iter<'_, Parameter> {
        self.0.iter()
    }

    /// The arrays, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Parameter> {
        self.0.iter_mut()
    }

    /// How many arrays there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many numbers there are in all.
    pub fn count(&self) -> usize {
        self.iter().map(|parameter| parameter.values.len()).sum()
    }

    /// Whether every number is finite.
    pub fn finite(&self) -> bool {
        // A sum of zeros, unless there is an infinity or NaN: quicker than asking one by one.
        self.iter().all(|parameter| parameter.values.iter().map(|value| value * 0.0).sum::<f32>() == 0.0)
    }

    /// The numbers under their names.
    pub fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        for parameter in self.iter() {
            arrays.put_singles(&parameter.name, &parameter.shape, parameter.values.clone());
        }
        arrays
    }

    /// Takes the numbers from arrays; on error nothing is changed.
    ///
    /// # Errors
    /// When an array is missing, has another shape or a number that is not finite.
    pub fn load(&mut self, arrays: &Arrays) -> Result<()> {
        let find = |parameter: &Parameter| {
            let values = arrays.singles(&parameter.name, &parameter.shape)?;
            if values.iter().any(|value| !value.is_finite()) {
                return Err(Error::data(format!(
                    "array `{}` has a number that is not finite",
                    parameter.name
                ))
                .with_hint("the file is damaged; fit the model again"));
            }
            Ok(values.to_vec())
        };
        let loaded: Vec<Vec<f32>> = self.iter().map(find).collect::<Result<_>>()?;
        for (parameter, values) in self.0.iter_mut().zip(loaded) {
            parameter.values = values;
        }
        Ok(())
    }

    /// The weights as tensors that gradients can be had for (copies).
    pub fn tensors(&self) -> Lent {
        self.clone().lend()
    }

    /// Moves the numbers into tensors; [`Self::take_back`] moves them back.
    pub(crate) fn lend(&mut self) -> Lent {
        Lent::new(self.0.iter_mut().map(|parameter| {
            (std::mem::take(&mut parameter.values), parameter.shape.as_slice(), parameter.learned)
        }))
    }

    /// Moves the numbers back, with what the network carried on. Where somebody still holds a tensor, they are copied.
    pub(crate) fn take_back(&mut self, lent: Lent) {
        for (parameter, values) in self.0.iter_mut().zip(lent.into_values()) {
            parameter.values = values;
        }
    }
}

impl Index<usize> for Parameters {
    type Output = Parameter;
    fn index(&self, index: usize) -> &Parameter {
        &self.0[index]
    }
}

impl IndexMut<usize> for Parameters {
    fn index_mut(&mut self, index: usize) -> &mut Parameter {
        &mut self.0[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix, a bias, kernels of a convolution and a running mean.
    fn sample() -> Parameters {
        let mut parameters = Parameters::new();
        let mut next = 0.0;
        let mut draw = || {
            next += 0.5;
            next
        };
        parameters.add("weight", [2, 3], &mut draw);
        let bias = parameters.add("bias", [1, 3], &mut draw);
        parameters[bias].rate = 0.1;
        parameters.add("kernels", [2, 1, 2, 2], &mut draw);
        parameters.add_carried("running mean", [3], 0.25);
        parameters
    }

    #[test]
    fn saved_weights_come_back() {
        let parameters = sample();
        let mut other = sample();
        other.iter_mut().for_each(|parameter| parameter.values.fill(0.0));
        other.load(&parameters.save()).unwrap();
        assert_eq!(other, parameters);
        let mut wider = Parameters::new();
        wider.add("weight", [3, 3], || 0.0);
        assert!(wider.load(&parameters.save()).is_err());
        let decays: Vec<bool> = parameters.iter().map(|parameter| parameter.decay).collect();
        assert_eq!(decays, [true, false, true, false]);
    }

    #[test]
    fn a_matrix_has_a_row_for_each_place_on_the_first_axis() {
        let shapes: Vec<[usize; 2]> = sample()
            .iter()
            .map(|parameter| [parameter.matrix().rows(), parameter.matrix().columns()])
            .collect();
        assert_eq!(shapes, [[2, 3], [1, 3], [2, 4], [1, 3]]);
    }

    #[test]
    fn a_step_moves_the_numbers_and_copies_none() {
        let mut parameters = sample();
        let before = parameters.clone();
        let places: Vec<*const f32> = parameters.iter().map(|p| p.values.as_ptr()).collect();
        let lent = parameters.lend();
        let squares = lent.tensor::<2>(1) * lent.tensor::<2>(1);
        let kernels = lent.tensor::<4>(2) * lent.tensor::<1>(3).mean().unsqueeze::<4>();
        let gradients = lent.gradients(lent.tensor::<2>(0).sum() + squares.sum() + kernels.sum());
        assert_eq!(gradients[1], Some(vec![7.0, 8.0, 9.0]));
        assert_eq!(gradients[2], Some(vec![0.25; 8]));
        assert_eq!(gradients[3], None, "what is carried has no gradient");
        parameters.take_back(lent);
        assert_eq!(parameters, before);
        assert_eq!(places, parameters.iter().map(|p| p.values.as_ptr()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_carried_on_comes_back() {
        let mut parameters = sample();
        let lent = parameters.lend();
        lent.carry(3, vec![1.0, 2.0, 3.0]);
        parameters.take_back(lent);
        assert_eq!(parameters[3].values, [1.0, 2.0, 3.0]);
        assert_eq!(parameters[0], sample()[0]);
    }

    #[test]
    fn infinities_are_found() {
        let mut parameters = sample();
        assert!(parameters.finite());
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            parameters[1].values[1] = bad;
            assert!(!parameters.finite());
        }
    }
}
