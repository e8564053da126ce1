//! The weights of a network, by name: plain matrices that are lent to Burn for the length of a step.

use std::ops::{Index, IndexMut};

use burn::Tensor;
use burn::tensor::TensorData;

use crate::error::{Error, Result};
use crate::nn::product::Matrix;
use crate::nn::tape::{into_values, training_device};
use crate::store::Arrays;

/// One matrix of weights; a bias is a matrix of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name in model files, such as `hidden 1/weight`.
    pub name: String,
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// `rows x columns` numbers, row by row.
    pub values: Vec<f32>,
    /// Factor on the learning rate.
    pub rate: f32,
    /// Whether weight decay applies.
    pub decay: bool,
}

impl Parameter {
    /// The numbers as a matrix.
    pub fn matrix(&self) -> Matrix<'_> {
        Matrix::new(&self.values, self.rows, self.columns)
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

    /// Adds a matrix whose numbers are drawn row by row, and gives its index. Decay applies to it if it
    /// has more than one row; [`IndexMut`] changes that and its learning rate.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        rows: usize,
        columns: usize,
        draw: impl FnMut() -> f32,
    ) -> usize {
        let values = std::iter::repeat_with(draw).take(rows * columns).collect();
        self.0.push(Parameter { name: name.into(), rows, columns, values, rate: 1.0, decay: rows > 1 });
        self.0.len() - 1
    }

    /// The matrices in the order in which they were added.
    pub fn iter(&self) -> std::slice::Iter<'_, Parameter> {
        self.0.iter()
    }

    /// The matrices, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Parameter> {
        self.0.iter_mut()
    }

    /// How many matrices there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no matrix.
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
            let shape = [parameter.rows, parameter.columns];
            arrays.put_singles(&parameter.name, &shape, parameter.values.clone());
        }
        arrays
    }

    /// Takes the numbers from arrays; on error nothing is changed.
    ///
    /// # Errors
    /// When an array is missing, has another shape or a number that is not finite.
    pub fn load(&mut self, arrays: &Arrays) -> Result<()> {
        let find = |parameter: &Parameter| {
            let values = arrays.singles(&parameter.name, &[parameter.rows, parameter.columns])?;
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
    pub fn tensors(&self) -> Vec<Tensor<2>> {
        self.clone().lend()
    }

    /// Moves the numbers into tensors; [`Self::take_back`] moves them back.
    pub(crate) fn lend(&mut self) -> Vec<Tensor<2>> {
        let device = training_device();
        let lend = |parameter: &mut Parameter| {
            let values = std::mem::take(&mut parameter.values);
            let data = TensorData::new(values, [parameter.rows, parameter.columns]);
            Tensor::from_data(data, &device).require_grad()
        };
        self.0.iter_mut().map(lend).collect()
    }

    /// Moves the numbers back. Where somebody still holds a tensor, they are copied.
    pub(crate) fn take_back(&mut self, tensors: Vec<Tensor<2>>) {
        for (parameter, tensor) in self.0.iter_mut().zip(tensors) {
            parameter.values = into_values(tensor);
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

    fn sample() -> Parameters {
        let mut parameters = Parameters::new();
        let mut next = 0.0;
        let mut draw = || {
            next += 0.5;
            next
        };
        parameters.add("weight", 2, 3, &mut draw);
        let bias = parameters.add("bias", 1, 3, &mut draw);
        parameters[bias].rate = 0.1;
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
        wider.add("weight", 3, 3, || 0.0);
        assert!(wider.load(&parameters.save()).is_err());
        assert!(parameters[0].decay && !parameters[1].decay);
    }

    #[test]
    fn a_step_moves_the_numbers_and_copies_none() {
        let mut parameters = sample();
        let before = parameters.clone();
        let places: Vec<*const f32> = parameters.iter().map(|p| p.values.as_ptr()).collect();
        let tensors = parameters.lend();
        let sum = tensors[0].clone().sum() + (tensors[1].clone() * tensors[1].clone()).sum();
        let mut gradients = sum.backward();
        let gradient = into_values(tensors[1].grad_remove(&mut gradients).unwrap());
        assert_eq!(gradient, [7.0, 8.0, 9.0]);
        drop((sum, gradients));
        parameters.take_back(tensors);
        assert_eq!(parameters, before);
        assert_eq!(places, parameters.iter().map(|p| p.values.as_ptr()).collect::<Vec<_>>());
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
